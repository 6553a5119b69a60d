//! [`GateTest`]: pass or fail as soon as it is known. [`ReleaseTest`]: several gates that all have to pass.

use super::mixture::{BettingCapital, Observation, Sampling, Side, bets};

/// How far a sum may miss a whole number of cases by rounding.
const ROUNDING: f64 = 1e-9;

/// What is known about a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateVerdict {
    /// The mean reaches the threshold.
    Pass,
    /// It does not.
    Fail,
    /// Neither is shown yet.
    Open,
}

/// Whether a mean reaches a threshold, tested after every case.
#[derive(Debug, Clone)]
pub struct GateTest {
    threshold: f64,
    /// Logarithms of the capital that a verdict needs.
    needed_to_pass: f64,
    needed_to_fail: f64,
    sampling: Sampling,
    above: BettingCapital,
    below: BettingCapital,
    seen: usize,
    verdict: GateVerdict,
    is_certain: bool,
}

impl GateTest {
    /// A gate of its own: the chance of a wrong verdict is at most `alpha`, because only one of the two kinds is possible.
    pub fn new(threshold: f64, alpha: f64, sampling: Sampling) -> Self {
        Self::with_alphas(threshold, alpha, alpha, sampling)
    }

    /// A gate with a chance of its own for a wrong pass and for a wrong fail.
    pub fn with_alphas(threshold: f64, alpha_pass: f64, alpha_fail: f64, sampling: Sampling) -> Self {
        Self {
            threshold,
            needed_to_pass: -alpha_pass.ln(),
            needed_to_fail: -alpha_fail.ln(),
            sampling,
            above: BettingCapital::new(Side::Above, threshold, sampling),
            below: BettingCapital::new(Side::Below, threshold, sampling),
            seen: 0,
            verdict: GateVerdict::Open,
            is_certain: false,
        }
    }

    /// Takes in the next case of the order. A verdict is final: what comes after it is ignored.
    pub fn push(&mut self, observation: Observation) -> GateVerdict {
        if self.verdict != GateVerdict::Open {
            return self.verdict;
        }
        let bets = bets();
        self.seen += 1;
        self.above.push(observation, &bets);
        self.below.push(observation, &bets);
        if let Some(certain) = self.certain_verdict() {
            self.verdict = certain;
            self.is_certain = true;
        } else if self.above.reaches(self.needed_to_pass) {
            self.verdict = GateVerdict::Pass;
        } else if self.below.reaches(self.needed_to_fail) {
            self.verdict = GateVerdict::Fail;
        }
        self.verdict
    }

    /// What no further case could change.
    fn certain_verdict(&self) -> Option<GateVerdict> {
        let Sampling::DataSet { cases } = self.sampling else { return None };
        let (cases, needed) = (cases as f64, self.threshold * cases as f64);
        if self.above.sum() >= needed - ROUNDING {
            Some(GateVerdict::Pass)
        } else if cases - self.below.sum() < needed - ROUNDING {
            Some(GateVerdict::Fail)
        } else {
            None
        }
    }

    /// What is known so far.
    pub const fn verdict(&self) -> GateVerdict {
        self.verdict
    }

    /// Whether no further case could have changed the verdict.
    pub const fn is_certain(&self) -> bool {
        self.is_certain
    }

    /// Cases that were taken in, up to the verdict.
    pub const fn case_count(&self) -> usize {
        self.seen
    }

    /// Natural logarithm of the evidence that the mean is above the threshold.
    pub fn log_above(&self) -> f64 {
        self.above.log()
    }

    /// Natural logarithm of the evidence that the mean is below the threshold.
    pub fn log_below(&self) -> f64 {
        self.below.log()
    }
}

/// Several gates that all have to pass. A wrong pass of the one gate that should fail has a chance of at most `alpha`; a
/// wrong fail of any of them, too, because they share it.
#[derive(Debug, Clone)]
pub struct ReleaseTest {
    gates: Vec<GateTest>,
}

impl ReleaseTest {
    /// Gates with these thresholds.
    pub fn new(thresholds: &[f64], alpha: f64, sampling: Sampling) -> Self {
        let alpha_fail = alpha / thresholds.len().max(1) as f64;
        let gate = |threshold: &f64| GateTest::with_alphas(*threshold, alpha, alpha_fail, sampling);
        Self { gates: thresholds.iter().map(gate).collect() }
    }

    /// Takes in what the next case gave for each gate.
    pub fn push(&mut self, observations: &[Observation]) -> GateVerdict {
        for (gate, observation) in self.gates.iter_mut().zip(observations) {
            gate.push(*observation);
        }
        self.verdict()
    }

    /// Fail with the first gate that failed; pass once all have.
    pub fn verdict(&self) -> GateVerdict {
        if self.gates.iter().any(|gate| gate.verdict() == GateVerdict::Fail) {
            GateVerdict::Fail
        } else if self.gates.iter().all(|gate| gate.verdict() == GateVerdict::Pass) {
            GateVerdict::Pass
        } else {
            GateVerdict::Open
        }
    }

    /// The gates, in the order of their thresholds.
    pub fn gates(&self) -> &[GateTest] {
        &self.gates
    }
}
