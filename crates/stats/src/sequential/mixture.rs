//! The default e-process: capital from a mixture of constant bets, and the bounds that follow from it.

use std::array;

use crate::Interval;

/// Bets that are mixed with equal weights.
const BETS: usize = 32;

/// How far a sum may miss a whole number of cases by rounding.
const ROUNDING: f64 = 1e-9;

/// A mean of what is left that is 0 but for rounding.
const NOTHING_LEFT: f64 = 1e-12;

/// Halvings of the scale from 0 to 1 until a bound is found.
const HALVINGS: u32 = 50;

/// What one case gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Observation {
    /// A value from 0 to 1.
    Value(f64),
    /// The question does not apply: the case is no part of the mean.
    NotApplicable,
    /// The case has no value after all retries. It counts as 0 for a pass and as 1 for a fail, so that a verdict holds
    /// whatever it would have given.
    Failed,
}

/// Which mean is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// The mean of all cases of a data set, taken without replacement in a random order.
    DataSet {
        /// Number of its cases.
        cases: usize,
    },
    /// The mean of the population that the cases are independent draws from.
    Population,
}

/// Which of the two hypotheses capital is evidence against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// Evidence that the mean is larger.
    Above,
    /// Evidence that the mean is smaller: values and mean are mirrored.
    Below,
}

impl Side {
    /// A mean as this side sees it.
    pub(super) fn orient(self, mean: f64) -> f64 {
        match self {
            Self::Above => mean,
            Self::Below => 1.0 - mean,
        }
    }

    /// An observation as this side sees it while it tests `mean`, itself as this side sees it.
    fn value(self, observation: Observation, mean: f64) -> f64 {
        match observation {
            Observation::Value(value) => self.orient(value),
            Observation::NotApplicable => mean,
            Observation::Failed => 0.0,
        }
    }
}

/// Evidence of one side against one mean, as the logarithm of the capital that betting against it has made.
#[derive(Debug, Clone)]
pub(super) struct BettingCapital {
    side: Side,
    mean: f64,
    sampling: Sampling,
    seen: usize,
    sum: f64,
    /// Logarithm of the capital of each bet.
    logs: [f64; BETS],
    is_infinite: bool,
}

impl BettingCapital {
    pub(super) fn new(side: Side, mean: f64, sampling: Sampling) -> Self {
        let mean = side.orient(mean);
        Self { side, mean, sampling, seen: 0, sum: 0.0, logs: [0.0; BETS], is_infinite: false }
    }

    pub(super) fn push(&mut self, observation: Observation, bets: &[f64; BETS]) {
        let value = self.side.value(observation, self.mean);
        let expected = match self.sampling {
            Sampling::Population => self.mean,
            Sampling::DataSet { cases } => {
                let left = cases.saturating_sub(self.seen).max(1);
                (cases as f64 * self.mean - self.sum) / left as f64
            }
        };
        self.seen += 1;
        self.sum += value;
        if expected <= NOTHING_LEFT {
            self.is_infinite |= value > ROUNDING;
        } else {
            let gain = value / expected - 1.0;
            for (log, bet) in self.logs.iter_mut().zip(bets) {
                *log += (bet * gain).ln_1p();
            }
        }
        if let Sampling::DataSet { cases } = self.sampling {
            self.is_infinite |= self.sum > cases as f64 * self.mean + ROUNDING;
        }
    }

    /// Sum of the values as this side sees them.
    pub(super) const fn sum(&self) -> f64 {
        self.sum
    }

    /// Natural logarithm of the capital.
    pub(super) fn log(&self) -> f64 {
        if self.is_infinite { f64::INFINITY } else { log_mean_exp(&self.logs) }
    }

    /// Whether that is at least `needed`. A mean is no larger than the greatest number in it, so it is seldom computed.
    pub(super) fn reaches(&self, needed: f64) -> bool {
        self.is_infinite || (self.logs.iter().any(|log| *log >= needed) && log_mean_exp(&self.logs) >= needed)
    }
}

/// The bets: dense near 0, because small gaps need small bets.
pub(super) fn bets() -> [f64; BETS] {
    array::from_fn(|at| {
        let share = (at as f64 + 0.5) / BETS as f64;
        share * share.sqrt()
    })
}

/// The logarithm of the mean of numbers that are given by their logarithms.
pub(super) fn log_mean_exp(logs: &[f64]) -> f64 {
    let greatest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if greatest.is_infinite() {
        return greatest;
    }
    let sum: f64 = logs.iter().map(|log| (log - greatest).exp()).sum();
    greatest + (sum / logs.len() as f64).ln()
}

/// Natural logarithms of the evidence that the mean is above `mean`, and that it is below, after each observation.
pub fn mixture_log_capital(observations: &[Observation], mean: f64, sampling: Sampling) -> Vec<(f64, f64)> {
    let bets = bets();
    let mut above = BettingCapital::new(Side::Above, mean, sampling);
    let mut below = BettingCapital::new(Side::Below, mean, sampling);
    observations
        .iter()
        .map(|observation| {
            above.push(*observation, &bets);
            below.push(*observation, &bets);
            (above.log(), below.log())
        })
        .collect()
}

/// The value that the mean exceeds with confidence `1 - alpha`, at whatever moment one stops; 0 where nothing is shown.
pub fn lower_bound(observations: &[Observation], sampling: Sampling, alpha: f64) -> f64 {
    bound(Side::Above, observations, sampling, alpha)
}

/// The value that the mean stays below with confidence `1 - alpha`, at whatever moment one stops; 1 where nothing is shown.
pub fn upper_bound(observations: &[Observation], sampling: Sampling, alpha: f64) -> f64 {
    1.0 - bound(Side::Below, observations, sampling, alpha)
}

/// The interval that holds the mean with confidence `1 - alpha`, at whatever moment one stops.
pub fn anytime_interval(observations: &[Observation], sampling: Sampling, alpha: f64) -> Interval {
    Interval {
        low: lower_bound(observations, sampling, alpha / 2.0),
        high: upper_bound(observations, sampling, alpha / 2.0),
    }
}

/// Evidence of a side falls in the mean that it tests, so the largest mean that it refutes is found by halving.
fn bound(side: Side, observations: &[Observation], sampling: Sampling, alpha: f64) -> f64 {
    let is_complete = matches!(sampling, Sampling::DataSet { cases } if cases == observations.len())
        && !observations.is_empty()
        && observations.iter().all(|observation| *observation != Observation::NotApplicable);
    if is_complete {
        let sum: f64 = observations.iter().map(|observation| side.value(*observation, 0.0)).sum();
        return sum / observations.len() as f64;
    }
    let bets = bets();
    let needed = -alpha.ln();
    let is_refuted = |mean: f64| {
        let mut capital = BettingCapital { mean, ..BettingCapital::new(side, 0.0, sampling) };
        observations.iter().any(|observation| {
            capital.push(*observation, &bets);
            capital.reaches(needed)
        })
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if is_refuted(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
