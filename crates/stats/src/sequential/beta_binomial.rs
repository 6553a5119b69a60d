//! The beta mixture for rates (Robbins, 1970): two-sided, with replacement.

use crate::Interval;
use crate::beta::ln_gamma;

/// Halvings until an end of the interval is found.
const HALVINGS: u32 = 60;

/// What a beta mixture says after a number of yes and no.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetaBinomial {
    /// The interval of this moment.
    pub interval: Interval,
    /// The part that the intervals of all moments share.
    pub running: Interval,
}

/// The evidence of a number of successes against the rate `rate`, as a natural logarithm.
pub fn log_evidence(successes: f64, trials: f64, prior: (f64, f64), rate: f64) -> f64 {
    let failures = trials - successes;
    let weighted = |count: f64, share: f64| if count == 0.0 { 0.0 } else { count * share.ln() };
    ln_beta(prior.0 + successes, prior.1 + failures)
        - ln_beta(prior.0, prior.1)
        - weighted(successes, rate)
        - weighted(failures, 1.0 - rate)
}

fn ln_beta(a: f64, b: f64) -> f64 {
    ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b)
}

/// The intervals that hold a rate at any stop, and the evidence against `rate` at the end.
pub fn beta_binomial(values: &[f64], prior: (f64, f64), alpha: f64, rate: f64) -> (f64, BetaBinomial) {
    let mut successes = 0.0;
    let whole = Interval { low: 0.0, high: 1.0 };
    let mut told = BetaBinomial { interval: whole, running: whole };
    for (at, value) in values.iter().enumerate() {
        successes += value;
        told.interval = interval(successes, (at + 1) as f64, prior, alpha);
        told.running = told.running.intersection(told.interval);
    }
    (log_evidence(successes, values.len() as f64, prior, rate), told)
}

fn interval(successes: f64, trials: f64, prior: (f64, f64), alpha: f64) -> Interval {
    let needed = -alpha.ln();
    let is_refuted = |rate: f64| log_evidence(successes, trials, prior, rate) >= needed;
    let middle = successes / trials;
    let end = |outer: f64| {
        if !is_refuted(outer) {
            return outer;
        }
        let (mut inner, mut outer) = (middle, outer);
        for _ in 0..HALVINGS {
            let between = f64::midpoint(inner, outer);
            if is_refuted(between) {
                outer = between;
            } else {
                inner = between;
            }
        }
        outer
    };
    Interval { low: end(0.0), high: end(1.0) }
}
