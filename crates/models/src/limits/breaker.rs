//! [`Breaker`]: a provider that fails again and again is left alone for a while, then tried with one request.
//!
//! While it is left alone for the first times, questions wait; when the trial has failed three times, they are refused at
//! once until a later trial succeeds. A fault that stays (a wrong key, an unknown model) leads there directly.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::Fault;

/// After so many failed trials questions do not wait any more.
const PATIENCE: u32 = 3;

/// Counts failures in a row.
#[derive(Clone)]
pub(crate) struct Breaker {
    most: u32,
    rest: Duration,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    failures: u32,
    until: Option<Instant>,
    trying: bool,
    trips: u32,
    last: String,
}

/// Whether a request may go out.
pub(crate) enum Gate {
    /// Yes.
    Go(Pass),
    /// Look again after this time.
    Wait(Duration),
    /// No: so many failures in a row, and the last one.
    Refused(u32, String),
}

/// Leave to send one request; whoever holds it reports what came of it.
pub(crate) struct Pass {
    breaker: Breaker,
    trial: bool,
}

impl Breaker {
    pub(crate) fn new(most: u32, rest: Duration) -> Self {
        Self { most, rest, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// May a request go out now?
    pub(crate) fn gate(&self, now: Instant) -> Gate {
        let mut state = self.state();
        let Some(until) = state.until else { return Gate::Go(Pass { breaker: self.clone(), trial: false }) };
        if now >= until && !state.trying {
            state.trying = true;
            return Gate::Go(Pass { breaker: self.clone(), trial: true });
        }
        if state.trips >= PATIENCE {
            return Gate::Refused(state.failures, state.last.clone());
        }
        Gate::Wait(until.saturating_duration_since(now).clamp(Duration::from_millis(5), Duration::from_secs(1)))
    }
}

/// Whether a fault speaks about the provider rather than about one question; `Some(true)` when it stays.
const fn concerns_provider(fault: Fault) -> Option<bool> {
    match fault {
        Fault::NotAllowed | Fault::NoCredit | Fault::NotFound => Some(true),
        Fault::NotConnected
        | Fault::ConnectionLost
        | Fault::TimedOut
        | Fault::Overloaded
        | Fault::ServerError
        | Fault::WrongContentType => Some(false),
        _ => None,
    }
}

impl Pass {
    /// A reply came.
    pub(crate) fn succeeded(&self) {
        *self.breaker.state() = State::default();
    }

    /// The attempt failed.
    pub(crate) fn failed(&self, fault: Fault, reason: &str, now: Instant) {
        let Some(stays) = concerns_provider(fault) else { return };
        let mut state = self.breaker.state();
        state.failures = state.failures.saturating_add(1);
        reason.clone_into(&mut state.last);
        let opens = state.until.is_none() && (stays || state.failures >= self.breaker.most);
        if self.trial || opens {
            state.trips = if stays { PATIENCE } else { state.trips.saturating_add(1) };
            state.until = Some(now + self.breaker.rest);
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if self.trial {
            self.breaker.state().trying = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(breaker: &Breaker, now: Instant) -> Pass {
        match breaker.gate(now) {
            Gate::Go(pass) => pass,
            _ => panic!("closed"),
        }
    }

    #[test]
    fn failures_in_a_row_open_it_and_a_good_trial_closes_it() {
        let (breaker, start) = (Breaker::new(3, Duration::from_secs(10)), Instant::now());
        for _ in 0..2 {
            pass(&breaker, start).failed(Fault::ServerError, "500", start);
        }
        pass(&breaker, start).succeeded();
        for _ in 0..3 {
            pass(&breaker, start).failed(Fault::ServerError, "500", start);
        }
        assert!(matches!(breaker.gate(start), Gate::Wait(_)));
        let later = start + Duration::from_secs(11);
        let trial = pass(&breaker, later);
        assert!(matches!(breaker.gate(later), Gate::Wait(_)), "one trial at a time");
        trial.succeeded();
        drop(trial);
        assert!(matches!(breaker.gate(later), Gate::Go(_)));
    }

    #[test]
    fn after_three_failed_trials_nobody_waits_and_a_later_trial_is_made() {
        let (breaker, mut now) = (Breaker::new(1, Duration::from_secs(10)), Instant::now());
        for _ in 0..3 {
            pass(&breaker, now).failed(Fault::NotConnected, "no connection", now);
            if !matches!(breaker.gate(now), Gate::Refused(..)) {
                now += Duration::from_secs(11);
            }
        }
        assert!(matches!(breaker.gate(now), Gate::Refused(3, _)));
        now += Duration::from_secs(11);
        drop(pass(&breaker, now));
        assert!(matches!(breaker.gate(now), Gate::Go(_)), "a trial that came to nothing is made again");
    }

    #[test]
    fn a_wrong_key_refuses_at_once_and_a_bad_question_concerns_nobody_else() {
        let (breaker, now) = (Breaker::new(20, Duration::from_secs(10)), Instant::now());
        pass(&breaker, now).failed(Fault::BadRequest, "400", now);
        pass(&breaker, now).failed(Fault::TooManyRequests, "429", now);
        assert!(matches!(breaker.gate(now), Gate::Go(_)));
        pass(&breaker, now).failed(Fault::NotAllowed, "401", now);
        assert!(matches!(breaker.gate(now), Gate::Refused(1, _)));
    }
}
