//! Waiting for work without being deaf: Ctrl-C is heard while the engine computes and the lock of the interpreter is free.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use crate::failure::PyFailure;

/// How often it is looked whether the user has ended the work.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Ends work from elsewhere: another thread, or a task that is cancelled.
#[pyclass(frozen, module = "probare._probare")]
#[derive(Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

#[pymethods]
impl Interrupt {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Ends the work at the next case.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Interrupt {
    /// The flag of an interrupt, or a fresh one.
    pub fn flag(given: Option<&Bound<'_, Self>>) -> Arc<AtomicBool> {
        given.map_or_else(Arc::default, |given| Arc::clone(&given.get().0))
    }
}

/// A function of Python that is told how many rows are done.
pub struct Watch {
    function: Py<PyAny>,
    done: Arc<AtomicU64>,
}

impl Watch {
    /// Nothing is done yet.
    pub fn new(function: Py<PyAny>) -> Self {
        Self { function, done: Arc::default() }
    }

    /// Where rows are counted.
    pub fn count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.done)
    }

    fn call(&self, py: Python<'_>) -> PyResult<()> {
        self.function.call1(py, (self.done.load(Ordering::Relaxed),)).map(drop)
    }
}

/// Does work on a thread of its own with the lock of the interpreter released, and raises what a signal raises, or what whoever
/// watches does.
pub fn run_interruptibly<T: Send>(
    py: Python<'_>,
    interrupted: &AtomicBool,
    watch: Option<&Watch>,
    work: impl FnOnce() -> Result<T, PyFailure> + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (done, result) = mpsc::channel();
            let worker = scope.spawn(move || {
                // Nobody takes it only if the waiting thread is gone, and then nobody misses it.
                let _ = done.send(work());
            });
            let mut signal: Option<PyErr> = None;
            loop {
                match result.recv_timeout(SIGNAL_CHECK_INTERVAL) {
                    Ok(ended) => {
                        if let (None, Some(watch)) = (&signal, watch) {
                            Python::attach(|py| watch.call(py))?;
                        }
                        return match signal {
                            Some(signal) => Err(signal),
                            None if interrupted.load(Ordering::Relaxed) => {
                                Err(PyKeyboardInterrupt::new_err("the work was ended from elsewhere"))
                            }
                            None => ended.map_err(PyErr::from),
                        };
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        if signal.is_none()
                            && let Err(raised) = Python::attach(|py| {
                                Python::check_signals(py)?;
                                watch.map_or(Ok(()), |watch| watch.call(py))
                            })
                        {
                            interrupted.store(true, Ordering::Relaxed);
                            signal = Some(raised);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        // It has panicked, which the lines above cannot make good.
                        let _ = worker.join();
                        return Err(PyFailure::data("the engine stopped, which is a bug").into());
                    }
                }
            }
        })
    })
}
