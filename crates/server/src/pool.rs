//! [`Pool`]: a fixed number of threads that compute, and a bounded number of requests that wait for one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use probare_cancellation::Cancellation;
use probare_core::AnalysisCache;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::api_error::ApiError;

type Work = Box<dyn FnOnce(&mut AnalysisCache) + Send>;

/// A worker begins with fresh readings after this many pieces of work, so that nothing a client sends stays for ever.
const TASKS_PER_CACHE: usize = 1024;

/// Threads that compute.
pub(crate) struct Pool {
    work: SyncSender<Work>,
    waiting: Arc<AtomicUsize>,
}

impl Pool {
    /// Starts the threads. They end with the pool, once what they do is done.
    pub fn start(name: &str, threads: usize, waiting: usize) -> io::Result<Self> {
        let (work, taken) = mpsc::sync_channel::<Work>(waiting);
        let taken = Arc::new(Mutex::new(taken));
        for _ in 0..threads {
            let taken = Arc::clone(&taken);
            thread::Builder::new().name(name.to_owned()).spawn(move || worker_loop(&taken))?;
        }
        Ok(Self { work, waiting: Arc::default() })
    }

    /// How many requests wait.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Does some work on a thread of the pool, for which nobody waits; none if the queue is full.
    pub fn spawn(&self, work: impl FnOnce(&mut AnalysisCache) + Send + 'static) {
        let task = move |readings: &mut AnalysisCache| {
            let _ = catch_unwind(AssertUnwindSafe(|| work(readings)));
        };
        let _ = self.work.try_send(Box::new(task));
    }

    /// Does some work on a thread of the pool and waits for it until the deadline. Work that nobody waits for any more is
    /// not begun, and ends where it is under way: the thread is free for the next. A panic in it is a refusal and ends
    /// nothing else.
    pub async fn run<T: Send + 'static>(
        &self,
        deadline: Instant,
        work: impl FnOnce(&mut AnalysisCache) -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let (done, result) = oneshot::channel();
        let begun = Arc::new(AtomicBool::new(false));
        let is_begun = Arc::clone(&begun);
        let waiting = WaitingGuard::new(&self.waiting);
        let cancellation = Cancellation::default();
        // Also where this future is dropped, since the client is gone.
        let _over = CancelOnDrop(cancellation.clone());
        let task = Box::new(move |readings: &mut AnalysisCache| {
            drop(waiting);
            if done.is_closed() {
                return;
            }
            is_begun.store(true, Ordering::Relaxed);
            let made = catch_unwind(AssertUnwindSafe(|| cancellation.run(|| work(readings))));
            if !matches!(made, Ok(Ok(_))) {
                *readings = AnalysisCache::default();
            }
            // Whoever waited may be gone.
            let _ = done.send(made.ok().and_then(Result::ok));
        });
        self.work.try_send(task).map_err(|_| ApiError::busy())?;
        match timeout_at(deadline, result).await {
            Ok(Ok(Some(made))) => Ok(made),
            Ok(_) => Err(ApiError::internal()),
            Err(_) if begun.load(Ordering::Relaxed) => Err(ApiError::deadline_exceeded()),
            Err(_) => Err(ApiError::busy()),
        }
    }
}

/// Cancels some work when nobody waits for it any more, finished or not.
struct CancelOnDrop(Cancellation);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Counts a request while it waits.
struct WaitingGuard(Arc<AtomicUsize>);

impl WaitingGuard {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }
}

impl Drop for WaitingGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn worker_loop(taken: &Mutex<Receiver<Work>>) {
    let mut readings = AnalysisCache::default();
    let mut done = 0;
    loop {
        let next = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = next else { return };
        readings.next_case();
        work(&mut readings);
        done += 1;
        if done % TASKS_PER_CACHE == 0 {
            readings = AnalysisCache::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::StatusCode;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(100)
    }

    #[tokio::test]
    async fn what_does_not_fit_or_takes_too_long_is_refused() {
        let pool = Arc::new(Pool::start("test", 1, 1).unwrap());
        let (hold, held) = mpsc::channel::<()>();
        let slow = {
            let pool = Arc::clone(&pool);
            tokio::spawn(async move { pool.run(soon(), move |_| held.recv()).await })
        };
        while pool.waiting() > 0 || Arc::strong_count(&pool) < 2 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        // One waits, and its time is over before a thread is free; for a second one there is no room.
        let (waits, refused) = tokio::join!(pool.run(soon(), |_| ()), async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            pool.run(soon(), |_| ()).await
        });
        assert_eq!(refused.unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(waits.unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(slow.await.unwrap().unwrap_err().status, StatusCode::GATEWAY_TIMEOUT);
        hold.send(()).unwrap();
        while pool.waiting() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let later = Instant::now() + Duration::from_secs(10);
        assert_eq!(pool.run(later, |_| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn work_that_takes_too_long_ends_and_its_thread_is_free() {
        let pool = Pool::start("test", 1, 1).unwrap();
        let endless = pool.run(soon(), |_| {
            loop {
                probare_cancellation::count_steps(1);
            }
        });
        let refusal = endless.await.map(|(): ()| ()).unwrap_err();
        assert_eq!(refusal.status, StatusCode::GATEWAY_TIMEOUT);
        let later = Instant::now() + Duration::from_secs(10);
        assert_eq!(pool.run(later, |_| 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn a_panic_is_an_error_of_ours_and_ends_nothing_else() {
        let pool = Pool::start("test", 1, 1).unwrap();
        let later = Instant::now() + Duration::from_secs(10);
        let refusal = pool.run(later, |_| panic!("words of a panic")).await.unwrap_err();
        assert_eq!(refusal.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!refusal.reply.error.contains("words"));
        assert_eq!(pool.run(later, |_| 7).await.unwrap(), 7);
    }
}
