//! [`EarlyDecisionError`]: why the gates of a run cannot be decided before its end.

/// A run cannot be ended by its gates.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum EarlyDecisionError {
    /// There is nothing to decide.
    #[error("no gate says what is to be decided")]
    NoGate,
    /// The run needs all of its cases: its gates, options, metrics or data have no early end.
    #[error("{0}")]
    CompleteRun(String),
    /// A limit at which there is nothing to decide.
    #[error("`{gate}` passes or fails whatever the values of its metric are, which lie from {low} to {high}")]
    Threshold { gate: String, low: f64, high: f64 },
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
    Baseline { name: String, reason: String },
    /// Several models under test, of which none is the one to compare.
    #[error("{models} models are under test, and one is compared with a baseline")]
    SeveralModels { models: usize },
    /// Several prompts, of which none is the one to compare.
    #[error("models are asked with {prompts} prompts, and one is compared with a baseline")]
    SeveralPrompts { prompts: usize },
    /// All questions are sent before any is answered.
    #[error("a batch sends all questions at once, so nothing is saved by deciding early")]
    Batch,
}
