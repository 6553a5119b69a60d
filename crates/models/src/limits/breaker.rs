//! [`CircuitBreaker`]: a provider that fails again and again is left alone for a while, then tried with one request.
//!
//! While it is left alone, questions wait. When a trial succeeds, all go on; when three trials have failed in a row, nothing is
//! repeated any more, but every question that was never asked is still asked once: nothing is given up that was never tried.
//! Two things end that: a wrong key, account or model, which every question would meet; and a provider that has given no reply
//! for as long as one question may take in all.
//!
//! A trial is made by a question that was asked before, where there is one: a server that fails every first attempt answers
//! the second.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::Fault;
use crate::retry_policy::Concern;

/// After so many failed trials in a row nothing is repeated any more.
const MOST_TRIPS: u32 = 3;

/// Counts failures in a row.
#[derive(Clone)]
pub(crate) struct CircuitBreaker {
    most: u32,
    rest: Duration,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    failures: u32,
    /// When it was opened, where it is.
    since: Option<Instant>,
    until: Option<Instant>,
    trying: bool,
    trips: u32,
    /// A fault that every question would meet.
    stays: Option<Fault>,
    last: String,
    /// Questions that were asked and wait to be asked again.
    waiting: usize,
    has_replied: bool,
}

/// Whether a request may go out.
pub(crate) enum BreakerDecision {
    /// Yes.
    Go(BreakerPass),
    /// Look again after this time.
    Wait(Duration),
    /// No: so many failures in a row, and the last one.
    Refused {
        failures: u32,
        last: String,
        /// Whether another model may answer instead.
        permits_fallback: bool,
    },
}

/// Leave to send one request; whoever holds it reports what came of it.
pub(crate) struct BreakerPass {
    breaker: CircuitBreaker,
    trial: bool,
}

/// A question that was asked and will be asked again.
pub(crate) struct RetryPending(CircuitBreaker);

impl Drop for RetryPending {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.waiting = state.waiting.saturating_sub(1);
    }
}

impl CircuitBreaker {
    pub(crate) fn new(most: u32, rest: Duration) -> Self {
        Self { most, rest, state: Arc::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a question was asked and waits to be asked again.
    pub(crate) fn note_retry(&self) -> RetryPending {
        self.state().waiting += 1;
        RetryPending(self.clone())
    }

    /// May a request go out now? `is_first` says that its question was never asked, `timeout` for how long a provider without
    /// any reply is asked by those.
    pub(crate) fn gate(&self, now: Instant, is_first: bool, timeout: Duration) -> BreakerDecision {
        let mut state = self.state();
        let go = |trial| BreakerDecision::Go(BreakerPass { breaker: self.clone(), trial });
        let Some(until) = state.until else { return go(false) };
        let refused = BreakerDecision::Refused {
            failures: state.failures,
            last: state.last.clone(),
            permits_fallback: state.stays.is_none_or(Fault::permits_fallback),
        };
        if state.stays.is_some() {
            return refused;
        }
        let may_try = !is_first || state.waiting == 0 || state.trips >= MOST_TRIPS;
        if now >= until && !state.trying && may_try {
            state.trying = true;
            return go(true);
        }
        if state.trips >= MOST_TRIPS {
            let is_over = state.since.is_some_and(|since| now.saturating_duration_since(since) > timeout);
            if !is_first || is_over {
                return refused;
            }
            return go(false);
        }
        BreakerDecision::Wait(
            until.saturating_duration_since(now).clamp(Duration::from_millis(5), Duration::from_secs(1)),
        )
    }
}

impl BreakerPass {
    /// A reply came.
    pub(crate) fn succeeded(&self) {
        let mut state = self.breaker.state();
        *state = State { waiting: state.waiting, has_replied: true, ..State::default() };
    }

    /// The attempt failed.
    pub(crate) fn failed(&self, fault: Fault, reason: &str, now: Instant) {
        let concern = fault.rule().concern;
        if concern == Concern::Question {
            return;
        }
        let mut state = self.breaker.state();
        // A model that has answered is there: its address hiccups.
        let stays = concern == Concern::Everybody && !(fault == Fault::NotFound && state.has_replied);
        state.failures = state.failures.saturating_add(1);
        reason.clone_into(&mut state.last);
        state.stays = state.stays.or(stays.then_some(fault));
        let opens = state.until.is_none() && (stays || state.failures >= self.breaker.most);
        if self.trial || opens {
            state.trips = state.trips.saturating_add(1);
            state.since = state.since.or(Some(now));
            state.until = Some(now + self.breaker.rest);
        }
    }
}

impl Drop for BreakerPass {
    fn drop(&mut self) {
        if self.trial {
            self.breaker.state().trying = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENT: Duration = Duration::from_mins(15);

    fn gate(breaker: &CircuitBreaker, now: Instant, is_first: bool) -> BreakerDecision {
        breaker.gate(now, is_first, PATIENT)
    }

    fn pass(breaker: &CircuitBreaker, now: Instant) -> BreakerPass {
        match gate(breaker, now, true) {
            BreakerDecision::Go(pass) => pass,
            _ => panic!("closed"),
        }
    }

    #[test]
    fn failures_in_a_row_open_it_and_a_good_trial_closes_it() {
        let (breaker, start) = (CircuitBreaker::new(3, Duration::from_secs(10)), Instant::now());
        for _ in 0..2 {
            pass(&breaker, start).failed(Fault::ServerError, "500", start);
        }
        pass(&breaker, start).succeeded();
        for _ in 0..3 {
            pass(&breaker, start).failed(Fault::ServerError, "500", start);
        }
        assert!(matches!(gate(&breaker, start, true), BreakerDecision::Wait(_)));
        let later = start + Duration::from_secs(11);
        let trial = pass(&breaker, later);
        assert!(matches!(gate(&breaker, later, true), BreakerDecision::Wait(_)), "one trial at a time");
        trial.succeeded();
        drop(trial);
        assert!(matches!(gate(&breaker, later, true), BreakerDecision::Go(_)));
    }

    #[test]
    fn a_trial_is_made_by_those_who_were_asked_before() {
        let (breaker, start) = (CircuitBreaker::new(1, Duration::from_secs(10)), Instant::now());
        pass(&breaker, start).failed(Fault::ServerError, "500", start);
        let before = breaker.note_retry();
        let later = start + Duration::from_secs(11);
        assert!(matches!(gate(&breaker, later, true), BreakerDecision::Wait(_)), "somebody else has a better claim");
        let BreakerDecision::Go(trial) = gate(&breaker, later, false) else { panic!("closed") };
        trial.succeeded();
        drop((trial, before));
        assert!(matches!(gate(&breaker, later, true), BreakerDecision::Go(_)));
    }

    #[test]
    fn after_three_failed_trials_nothing_is_repeated_and_the_others_are_asked_once() {
        let (breaker, mut now) = (CircuitBreaker::new(1, Duration::from_secs(10)), Instant::now());
        for _ in 0..3 {
            pass(&breaker, now).failed(Fault::NotConnected, "no connection", now);
            now += Duration::from_secs(11);
        }
        now -= Duration::from_secs(5);
        assert!(matches!(
            gate(&breaker, now, false),
            BreakerDecision::Refused { failures: 3, permits_fallback: true, .. }
        ));
        assert!(matches!(gate(&breaker, now, true), BreakerDecision::Go(_)), "never tried");
        pass(&breaker, now).succeeded();
        assert!(matches!(gate(&breaker, now, false), BreakerDecision::Go(_)), "any reply closes it");
    }

    #[test]
    fn a_provider_without_a_reply_is_given_up_in_the_end() {
        let (breaker, mut now) = (CircuitBreaker::new(1, Duration::from_secs(10)), Instant::now());
        for _ in 0..3 {
            pass(&breaker, now).failed(Fault::TimedOut, "late", now);
            now += Duration::from_secs(11);
        }
        now += PATIENT;
        // The trial of the day is still made.
        let trial = pass(&breaker, now);
        assert!(matches!(gate(&breaker, now, true), BreakerDecision::Refused { .. }));
        drop(trial);
    }

    #[test]
    fn a_wrong_key_refuses_at_once_and_a_bad_question_concerns_nobody_else() {
        let (breaker, now) = (CircuitBreaker::new(20, Duration::from_secs(10)), Instant::now());
        for fault in [Fault::BadRequest, Fault::TooManyRequests, Fault::Forbidden, Fault::Moderated, Fault::Empty] {
            pass(&breaker, now).failed(fault, "one", now);
        }
        assert!(matches!(gate(&breaker, now, true), BreakerDecision::Go(_)));
        pass(&breaker, now).failed(Fault::WrongKey, "401", now);
        let is_refused =
            |decision| matches!(decision, BreakerDecision::Refused { failures: 1, permits_fallback: false, .. });
        assert!(is_refused(gate(&breaker, now, true)));
        assert!(is_refused(gate(&breaker, now + PATIENT, true)), "the key stays wrong");
    }

    #[test]
    fn a_model_that_has_answered_is_not_gone() {
        let (breaker, now) = (CircuitBreaker::new(20, Duration::from_secs(10)), Instant::now());
        pass(&breaker, now).succeeded();
        pass(&breaker, now).failed(Fault::NotFound, "404", now);
        assert!(matches!(gate(&breaker, now, true), BreakerDecision::Go(_)));
    }
}
