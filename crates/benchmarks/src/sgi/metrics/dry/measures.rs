//! `PassAll@5`, `@3` and `@1`, AET and SER of an experiment.

use probare_stats::mean;

use super::trial::Trial;

/// What five tests come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExperimentMeasures {
    /// Tests that passed.
    pub passed: usize,
    /// Share of the runs that ended with code 0.
    pub ser: f64,
    /// Mean seconds of the runs that ended with code 0.
    pub aet: Option<f64>,
    /// Mean seconds of all runs that took any, as the official scripts have it.
    pub aet_all: Option<f64>,
}

impl ExperimentMeasures {
    /// Of the tests and whether each passed.
    pub fn from_trials(trials: &[(&Trial, bool)]) -> Self {
        let fine: Vec<f64> =
            trials.iter().filter(|(trial, _)| trial.is_fine()).map(|(trial, _)| trial.runtime).collect();
        let all: Vec<f64> = trials.iter().map(|(trial, _)| trial.runtime).filter(|seconds| *seconds > 0.0).collect();
        Self {
            passed: trials.iter().filter(|(_, passed)| *passed).count(),
            ser: fine.len() as f64 / trials.len().max(1) as f64,
            aet: mean(&fine),
            aet_all: mean(&all),
        }
    }

    /// Whether at least so many tests passed. Not pass@k: it is one answer with five tests, not k answers.
    pub const fn pass_all(&self, at_least: usize) -> bool {
        self.passed >= at_least
    }
}
