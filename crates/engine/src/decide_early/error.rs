//! [`EarlyDecisionError`]: why the gates of a run cannot be decided before its end.

use probare_report::number::count_with_noun;

/// Fewer cases decide nothing that a complete run would not.
pub(super) const FEWEST_CASES: usize = 2;

/// A run cannot be ended by its gates.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum EarlyDecisionError {
    /// There is nothing to decide.
    #[error("no gate says what is to be decided")]
    NoGate,
    /// A gate on something else than a mean of values of cases.
    #[error("`{gate}` does not limit a mean over cases, so it needs the complete run")]
    NotAMean { gate: String },
    /// A gate that asks for more than the mean as it is.
    #[error("`{option}` looks at intervals or groups of a complete run, so no gate can be decided early with it")]
    Option { option: &'static str },
    /// A benchmark whose files hold all of its cases.
    #[error("a published benchmark needs all of its cases, so its gates cannot be decided early")]
    Benchmark,
    /// A metric without bounds.
    #[error("`{metric}` has no fixed range, so no gate on it can be decided early")]
    NoRange { metric: String },
    /// A limit at which there is nothing to decide.
    #[error("`{gate}` passes or fails whatever the values of its metric are, which lie from {low} to {high}")]
    Threshold {
        gate: String,
        /// Least value.
        low: f64,
        /// Greatest value.
        high: f64,
    },
    /// A gate against a baseline that is not there.
    #[error("`{gate}` needs a baseline to compare with")]
    NoBaseline { gate: String },
    /// A baseline that no gate uses.
    #[error("a baseline is named, and no gate compares the run with it")]
    UnusedBaseline,
    /// A gate against a baseline in a run that takes all its cases.
    #[error("`{gate}` is decided case by case, while the run goes on")]
    WholeRun { gate: String },
    /// The run cannot be compared with the baseline.
    #[error("the baseline `{name}` cannot be used: {reason}")]
    Baseline {
        /// As it was named.
        name: String,
        /// Why not.
        reason: String,
    },
    /// Several models under test, of which none is the one to compare.
    #[error("{models} models are under test, and one is compared with a baseline")]
    SeveralModels {
        /// How many there are.
        models: usize,
    },
    /// Several prompts, of which none is the one to compare.
    #[error("models are asked with {prompts} prompts, and one is compared with a baseline")]
    SeveralPrompts {
        /// How many there are.
        prompts: usize,
    },
    /// All questions are sent before any is answered.
    #[error("a batch sends all questions at once, so nothing is saved by deciding early")]
    Batch,
    /// Too few cases.
    #[error("{} cannot be decided early; at least {FEWEST_CASES} cases are needed", count_with_noun(*cases as u64, "case", "cases"))]
    FewCases {
        /// How many there are.
        cases: usize,
    },
}
