//! [`Throttle`]: as many requests at once as the provider bears.
//!
//! Additive increase, multiplicative decrease (Chiu and Jain 1989), with a quick start: the limit grows by one with every
//! reply until the provider first asks for patience, then by one for each round of replies. It is halved when the provider
//! asks for patience, once for all requests that were under way at that moment.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The limit at the beginning.
const FIRST: f64 = 8.0;

/// Places for requests.
#[derive(Clone)]
pub(crate) struct Throttle(Arc<Mutex<State>>);

struct State {
    most: f64,
    limit: f64,
    quick: bool,
    taken: usize,
    /// Counts the decreases; a request that started before the last one does not cause another.
    round: u64,
    waiting: VecDeque<oneshot::Sender<Permit>>,
}

impl State {
    fn has_room(&self) -> bool {
        (self.taken as f64) < self.limit.max(1.0).floor()
    }
}

/// A place that a request holds; free again when dropped.
pub(crate) struct Permit {
    throttle: Option<Throttle>,
    round: u64,
}

impl Throttle {
    pub(crate) fn new(most: u32) -> Self {
        let most = f64::from(most.max(1));
        let state = State { most, limit: FIRST.min(most), quick: true, taken: 0, round: 0, waiting: VecDeque::new() };
        Self(Arc::new(Mutex::new(state)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a place, first come, first served.
    pub(crate) async fn acquire(&self) -> Permit {
        loop {
            let receiver = {
                let mut state = self.state();
                if state.waiting.is_empty() && state.has_room() {
                    state.taken += 1;
                    return Permit { throttle: Some(self.clone()), round: state.round };
                }
                let (sender, receiver) = oneshot::channel();
                state.waiting.push_back(sender);
                receiver
            };
            if let Ok(permit) = receiver.await {
                return permit;
            }
        }
    }

    /// A reply came.
    pub(crate) fn succeeded(&self, permit: Permit) {
        {
            let mut state = self.state();
            let step = if state.quick { 1.0 } else { 1.0 / state.limit.max(1.0) };
            state.limit = (state.limit + step).min(state.most);
        }
        drop(permit);
    }

    /// The provider asks for patience.
    pub(crate) fn slow_down(&self, permit: Permit) {
        {
            let mut state = self.state();
            if permit.round == state.round {
                state.limit = (state.limit / 2.0).max(1.0);
                state.quick = false;
                state.round += 1;
            }
        }
        drop(permit);
    }

    /// The limit now.
    pub(crate) fn limit(&self) -> f64 {
        self.state().limit
    }

    /// Requests under way now.
    #[cfg(test)]
    fn in_use(&self) -> usize {
        self.state().taken
    }

    /// Hands free places to those who wait.
    fn hand_out(&self, state: &mut State) {
        while state.has_room() {
            let Some(next) = state.waiting.pop_front() else { return };
            state.taken += 1;
            let permit = Permit { throttle: Some(self.clone()), round: state.round };
            if let Err(mut unwanted) = next.send(permit) {
                // Whoever waited has gone. The permit must not give its place back by itself: the state is locked here.
                unwanted.throttle = None;
                state.taken -= 1;
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(throttle) = self.throttle.take() {
            let mut state = throttle.state();
            state.taken = state.taken.saturating_sub(1);
            throttle.hand_out(&mut state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap()
    }

    #[test]
    fn the_limit_grows_with_replies_and_is_halved_once_a_round() {
        runtime().block_on(async {
            let throttle = Throttle::new(100);
            for _ in 0..8 {
                let permit = throttle.acquire().await;
                throttle.succeeded(permit);
            }
            assert_eq!(throttle.limit(), 16.0);
            let permits = [throttle.acquire().await, throttle.acquire().await, throttle.acquire().await];
            for permit in permits {
                throttle.slow_down(permit);
            }
            assert_eq!(throttle.limit(), 8.0, "three complaints of one round count once");
            let permit = throttle.acquire().await;
            throttle.succeeded(permit);
            assert_eq!(throttle.limit(), 8.125);
            for _ in 0..10 {
                let permit = throttle.acquire().await;
                throttle.slow_down(permit);
            }
            assert_eq!(throttle.limit(), 1.0);
        });
    }

    #[test]
    fn no_more_than_the_limit_run_and_nobody_waits_for_ever() {
        runtime().block_on(async {
            let throttle = Throttle::new(4);
            let mut tasks = tokio::task::JoinSet::new();
            for number in 0..200 {
                let throttle = throttle.clone();
                tasks.spawn(async move {
                    let permit = throttle.acquire().await;
                    assert!(throttle.in_use() <= 4);
                    tokio::task::yield_now().await;
                    if number % 3 == 0 { throttle.slow_down(permit) } else { throttle.succeeded(permit) }
                });
            }
            // Some give up while they wait.
            for _ in 0..20 {
                let throttle = throttle.clone();
                tasks.spawn(async move {
                    let _ = tokio::time::timeout(std::time::Duration::from_micros(1), throttle.acquire()).await;
                });
            }
            tokio::time::timeout(std::time::Duration::from_secs(20), async {
                while let Some(ended) = tasks.join_next().await {
                    ended.unwrap();
                }
            })
            .await
            .unwrap();
            assert_eq!(throttle.in_use(), 0);
        });
    }
}
