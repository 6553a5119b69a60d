//! Runs: models times data sets times metrics, kept sample by sample, so that they can be ended and resumed.
//!
//! [`Evaluation`] opens what a configuration names and knows what it will come to before anything is asked; it is then
//! driven as every other job is. [`export`] hands out what the store holds.

mod case_retriever;
mod conversation;
mod early_stop;
mod error;
mod estimate;
mod evaluation;
mod export;
mod images;
mod prompt;
mod rag_test;
mod run_export;
mod run_samples;
mod samples;
mod store_source;
mod survey;
mod trace_scoring;

pub(crate) use self::prompt::value as prompt_value;
pub use early_stop::early_stop_record;
pub use error::EvaluationError;
pub use estimate::Estimate;
pub use evaluation::{BatchWatch, BenchmarkDataset, BenchmarkRun, Evaluation, EvaluationOptions};
pub use export::{CaseSelection, export, export_outputs};
pub use run_export::{RunExport, for_other_tools};
pub use run_samples::RunProgress;
pub use trace_scoring::{ScoredTraces, TraceScoring, TraceScoringOptions};
