//! Runs: models times data sets times metrics, kept sample by sample, so that they can be ended and resumed.
//!
//! [`Evaluation`] opens what a configuration names and knows what it will come to before anything is asked; it is then
//! driven as every other job is. [`export`] hands out what the store holds.

mod conversation;
mod estimate;
mod evaluation;
mod export;
mod foreign;
mod images;
mod mark;
mod plan;
mod prompt;
mod retrieving;
mod samples;
mod sampling;
mod survey;
mod test;

pub use estimate::Estimate;
pub use evaluation::{Benchmark, Evaluation, EvaluationError, EvaluationOptions, GivenDataset, Retry};
pub use export::{export, export_outputs};
pub(crate) use foreign::{RunExport, for_other_tools};
pub use plan::{PlannedDataset, RunPlan};
pub use retrieving::PlannedRetrieval;
pub use sampling::Tally;
pub use test::RagTest;
