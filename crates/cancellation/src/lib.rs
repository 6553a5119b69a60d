//! Work that ends when nobody waits for it any more.
//!
//! A [`Cancellation`] is a flag that whoever waits can set: a server whose client is gone or out of time, Ctrl-C. Work
//! [under](Cancellation::during) it counts its [`steps`], and every few thousand of them looks at the flag; where it is
//! set the work is unwound to where it was begun, which hears [`CancelledError`]. That is how a text of any shape, a deep tree
//! or a hostile schema costs no more than the time that somebody gave it.
//!
//! ```
//! use probare_cancellation::{Cancellation, CancelledError, count_steps};
//!
//! let cancellation = Cancellation::default();
//! assert_eq!(cancellation.run(|| (0..10).inspect(|_| count_steps(1)).sum()), Ok(45));
//! cancellation.cancel();
//! let endless = cancellation.run(|| loop { count_steps(1) });
//! assert_eq!(endless, Err::<(), _>(CancelledError));
//! ```
//!
//! The flag that applies and the count belong to the thread. They stand on the side and not in the arguments, because the
//! loops that matter stand deep in functions that take a text and give its words; hundreds of signatures would have to
//! name something that is none of their business. The flag is never looked at for a value, so nothing that is computed
//! depends on it, and it is in force inside of `run` alone. Unwinding goes past the panic hook and prints nothing.
//!
//! The count is also how tests tell work that grows with its input from work that grows with its square: see [`counted`].

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files that they need"))]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

mod decompression;
mod interruptible_stream;
mod signal;

pub use decompression::decompress;
pub use interruptible_stream::{InterruptibleStream, open_to_read, open_to_write, standard_input};
pub use signal::{interruption_flag, is_interrupt_error};

/// Whether nobody waits any more. Clones are one and the same.
#[derive(Debug, Clone, Default)]
pub struct Cancellation(Arc<AtomicBool>);

/// The work was not finished, because nobody waited for it any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CancelledError;

impl fmt::Display for CancelledError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("it was cancelled before it was finished")
    }
}

impl Error for CancelledError {}

impl From<Arc<AtomicBool>> for Cancellation {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

thread_local! {
    /// Steps of this thread so far.
    static TAKEN: Cell<u64> = const { Cell::new(0) };
    /// What the work of this thread is under.
    static IN_FORCE: RefCell<Option<Cancellation>> = const { RefCell::new(None) };
}

/// Steps after which the flag is looked at: a fraction of a millisecond of any loop.
const STEPS_PER_CHECK: u64 = 4096;

impl Cancellation {
    /// Nobody waits any more.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether nobody waits any more.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Does some work, which ends early where this is cancelled meanwhile. A panic in it stays a panic.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, CancelledError> {
        let _restored = RestoreGuard(IN_FORCE.with_borrow_mut(|place| place.replace(self.clone())));
        catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match cancelled_from_panic(payload.as_ref()) {
            Some(cancelled) => cancelled,
            None => resume_unwind(payload),
        })
    }
}

/// Puts back what was in force before.
struct RestoreGuard(Option<Cancellation>);

impl Drop for RestoreGuard {
    fn drop(&mut self) {
        IN_FORCE.set(self.0.take());
    }
}

/// Whether what was caught is the end of cancelled work and not a panic. Whoever catches panics around metrics asks first.
pub fn cancelled_from_panic(payload: &(dyn Any + Send)) -> Option<CancelledError> {
    payload.downcast_ref::<CancelledError>().copied()
}

/// Counts steps of the work of this thread. Ends the work where it was cancelled.
///
/// A step is what takes a bounded time: a word, a node, a comparison, a few dozen bytes. A loop over a text may count the
/// bytes that it is about to go through at once.
#[inline]
pub fn count_steps(count: usize) {
    let before = TAKEN.get();
    let after = before.wrapping_add(count as u64);
    TAKEN.set(after);
    if before / STEPS_PER_CHECK != after / STEPS_PER_CHECK {
        check_cancelled();
    }
}

/// Makes work ready for another thread that helps this one: there it is under what this thread's work is under now, and it
/// gives back what is [taken over](Elsewhere::taken_over) here.
///
/// ```
/// use probare_cancellation::{with_step_count, on_other_thread, count_steps};
///
/// let help = || std::thread::scope(|scope| scope.spawn(on_other_thread(|| count_steps(7))).join());
/// let ((), count) = with_step_count(|| help().expect("nothing panics").join());
/// assert_eq!(count, 7);
/// ```
pub fn on_other_thread<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> ThreadResult<T> {
    let under = IN_FORCE.with_borrow(Clone::clone).unwrap_or_default();
    move || {
        let (made, steps) = with_step_count(|| under.run(work));
        ThreadResult { made, steps }
    }
}

/// What became of work on another thread.
#[derive(Debug)]
#[must_use = "its steps are counted, and its end is noticed, where it is taken over"]
pub struct ThreadResult<T> {
    made: Result<T, CancelledError>,
    steps: u64,
}

impl<T> ThreadResult<T> {
    /// What was made there. Its steps count as steps of this thread; where it was ended, the work of this thread ends too.
    pub fn join(self) -> T {
        TAKEN.set(TAKEN.get().wrapping_add(self.steps));
        self.made.unwrap_or_else(|cancelled| resume_unwind(Box::new(cancelled)))
    }
}

/// Steps that `work` took on this thread.
pub fn with_step_count<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = TAKEN.get();
    let made = work();
    (made, TAKEN.get().wrapping_sub(before))
}

/// Whether the work of this thread is to end, because nobody waits for it or the whole program was interrupted: for work that
/// cannot be unwound, such as that of a library in C.
pub fn should_stop() -> bool {
    is_cancelled_here() || signal::check_interrupted().is_err()
}

fn is_cancelled_here() -> bool {
    IN_FORCE.with_borrow(|place| place.as_ref().is_some_and(Cancellation::is_cancelled))
}

#[cold]
fn check_cancelled() {
    let is_over = is_cancelled_here();
    // What is dropped while a panic unwinds may count steps too, and must not begin a second one.
    if is_over && !std::thread::panicking() {
        resume_unwind(Box::new(CancelledError));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelled_work_ends_and_what_was_in_force_before_is_again() {
        let (outer, inner) = (Cancellation::default(), Cancellation::default());
        inner.cancel();
        let ended = outer.run(|| {
            let ended = inner.run(|| count_steps(4096));
            count_steps(4096);
            ended
        });
        assert_eq!(ended, Ok(Err(CancelledError)));
        // Outside of it nothing is in force.
        count_steps(8192);
    }

    #[test]
    fn a_panic_stays_a_panic() {
        let caught = catch_unwind(|| Cancellation::default().run(|| resume_unwind(Box::new("words"))));
        let payload = caught.map(|ended: Result<(), CancelledError>| ended).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"words"));
        assert_eq!(cancelled_from_panic(payload.as_ref()), None);
    }

    #[test]
    fn work_on_another_thread_is_under_the_same_and_ends_both() {
        let cancellation = Cancellation::default();
        let help = || {
            let other = on_other_thread(|| count_steps(5));
            std::thread::spawn(other).join().unwrap().join();
        };
        assert_eq!(cancellation.run(|| with_step_count(help).1), Ok(5));
        cancellation.cancel();
        let endless = || {
            let other = on_other_thread(|| {
                loop {
                    count_steps(1);
                }
            });
            std::thread::spawn(other).join().unwrap().join();
        };
        assert_eq!(cancellation.run(endless), Err::<(), _>(CancelledError));
        // Where nothing is in force nothing ends.
        assert_eq!(with_step_count(help).1, 5);
    }

    #[test]
    fn steps_are_counted() {
        let ((), count) = with_step_count(|| {
            count_steps(3);
            count_steps(4);
        });
        assert_eq!(count, 7);
    }
}
