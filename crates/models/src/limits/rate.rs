//! [`RateLimiter`]: so many requests or tokens a minute, evenly: at most one second's worth at once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// A bucket that fills evenly. It may go into debt, which the next one waits for.
pub(crate) struct RateLimiter(Mutex<State>);

struct State {
    per_second: f64,
    most: f64,
    level: f64,
    at: Instant,
}

impl RateLimiter {
    pub(crate) fn per_minute(amount: f64) -> Self {
        let per_second = amount / 60.0;
        let most = per_second.max(1.0);
        Self(Mutex::new(State { per_second, most, level: most, at: Instant::now() }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on no more than this a minute.
    pub(crate) fn lower(&self, amount: f64) {
        let mut state = self.state();
        if amount / 60.0 < state.per_second {
            state.per_second = amount / 60.0;
            state.most = state.per_second.max(1.0);
            state.level = state.level.min(state.most);
        }
    }

    /// Takes an amount and says how long to wait before using it.
    fn take(&self, amount: f64, now: Instant) -> Duration {
        let mut state = self.state();
        let passed = now.saturating_duration_since(state.at).as_secs_f64();
        state.level = (state.level + passed * state.per_second).min(state.most) - amount;
        state.at = now.max(state.at);
        if state.level >= 0.0 {
            Duration::ZERO
        } else {
            Duration::try_from_secs_f64(-state.level / state.per_second).unwrap_or(Duration::MAX)
        }
    }

    /// Waits until the amount may be used.
    pub(crate) async fn wait_for(&self, amount: f64) {
        let wait = self.take(amount, Instant::now());
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }

    /// Gives back what was not used, or takes what was used beyond it.
    pub(crate) fn correct(&self, difference: f64) {
        let mut state = self.state();
        state.level = (state.level + difference).min(state.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_holds_no_more_than_its_amount_and_one_second_at_once() {
        let start = Instant::now();
        let rate = RateLimiter::per_minute(120.0);
        let waits: Vec<f64> = (0..240).map(|_| rate.take(1.0, start).as_secs_f64()).collect();
        assert_eq!(&waits[..3], &[0.0, 0.0, 0.5]);
        let first_minute = waits.iter().filter(|wait| **wait < 60.0).count();
        assert!((120..=122).contains(&first_minute), "{first_minute}");
    }

    #[test]
    fn the_lowest_limit_holds() {
        let start = Instant::now();
        let rate = RateLimiter::per_minute(6000.0);
        rate.lower(60.0);
        rate.lower(600.0);
        assert_eq!(rate.take(2.0, start), Duration::from_secs(1));
    }

    #[test]
    fn what_was_not_used_comes_back() {
        let start = Instant::now();
        let rate = RateLimiter::per_minute(6000.0);
        assert_eq!(rate.take(100.0, start), Duration::ZERO);
        assert_eq!(rate.take(50.0, start), Duration::from_millis(500));
        rate.correct(50.0);
        assert_eq!(rate.take(0.0, start), Duration::ZERO);
    }
}
