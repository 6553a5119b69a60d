//! Two models on the same cases: differences are moved to the scale from 0 to 1, where every gate works.

use super::mixture::{BettingCapital, Observation, Sampling, Side, bets, log_mean_exp};

/// The observation of a pair of values from 0 to 1: a half where they are the same.
pub fn paired_observation(baseline: f64, candidate: f64) -> Observation {
    Observation::Value(f64::midpoint(candidate - baseline, 1.0))
}

/// The threshold of the gate "the candidate is better by at least `difference`"; a negative one for "worse by at most".
pub fn paired_threshold(difference: f64) -> f64 {
    f64::midpoint(difference, 1.0)
}

/// Whether two models differ at all, in either direction, in the population that the cases come from. (On a finite data
/// set two models nearly always differ, so the question would be empty there.)
#[derive(Debug, Clone)]
pub struct DifferenceTest {
    needed: f64,
    above: BettingCapital,
    below: BettingCapital,
    seen: usize,
    differs_after: Option<usize>,
}

impl DifferenceTest {
    /// A test whose chance of a false alarm is at most `alpha`.
    pub fn new(alpha: f64) -> Self {
        Self {
            needed: -alpha.ln(),
            above: BettingCapital::new(Side::Above, 0.5, Sampling::Population),
            below: BettingCapital::new(Side::Below, 0.5, Sampling::Population),
            seen: 0,
            differs_after: None,
        }
    }

    /// Takes in the next pair, as [`paired_observation`] gives it.
    pub fn push(&mut self, observation: Observation) {
        let bets = bets();
        self.seen += 1;
        self.above.push(observation, &bets);
        self.below.push(observation, &bets);
        if self.differs_after.is_none() && self.log_evidence() >= self.needed {
            self.differs_after = Some(self.seen);
        }
    }

    /// Natural logarithm of the evidence that they differ.
    pub fn log_evidence(&self) -> f64 {
        log_mean_exp(&[self.above.log(), self.below.log()])
    }

    /// The number of the pair after which the difference was shown.
    pub const fn differs_after(&self) -> Option<usize> {
        self.differs_after
    }
}
