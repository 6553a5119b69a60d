//! Files of other tools: theirs become cases and results of ours, ours become files of theirs. Both go the one road: cases
//! from a source, through `drive`, to a sink.

mod export;
mod import;
mod promptfoo;
mod yaml_writer;

use std::path::PathBuf;

use probare_engine::{DriveError, EvaluationError, RunError};
use probare_formats::{CaseFileError, ExportTarget, ImportError};
use probare_report::{OutputOverlap, ReportError};
use probare_store::StoreError;

use crate::CompareError;
use crate::verify::VerifyError;

pub use self::export::{ExportRequest, ExportSummary, export_results, export_run};
pub use self::import::{ImportRequest, ImportSummary, import_file};
pub use self::promptfoo::{
    DerivedMetrics, DerivedValue, TranslateOptions, Translation, is_promptfoo_configuration, translate,
};

/// A file of another tool could not be read or made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The other tool's file cannot be used.
    #[error(transparent)]
    Foreign(#[from] ImportError),
    /// A configuration of promptfoo cannot be used, or there is nothing to write.
    #[error("{0}")]
    Invalid(String),
    /// A file of ours cannot be read.
    #[error(transparent)]
    Open(#[from] CaseFileError),
    /// A file of results cannot be read.
    #[error(transparent)]
    Results(#[from] CompareError),
    /// A file of results cannot be used.
    #[error(transparent)]
    Manifest(#[from] VerifyError),
    /// A file cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// An output would destroy something.
    #[error(transparent)]
    Overlap(#[from] OutputOverlap),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run of the import or export broke off.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The store could not be exported.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// There are several models where the format has one.
    #[error("the run has {} models, and {target} has a file for each", models.len())]
    SeveralModels { target: ExportTarget, models: Vec<String> },
    /// No output is of this model.
    #[error("the run has no model `{model}`")]
    UnknownModel { model: String, models: Vec<String> },
    /// There are several prompts where the format has one.
    #[error("the run has {} prompts, and {target} has a file for each", prompts.len())]
    SeveralPrompts { target: ExportTarget, prompts: Vec<String> },
    /// No output was asked for with this prompt.
    #[error("the run has no prompt `{prompt}`")]
    UnknownPrompt { prompt: String, prompts: Vec<String> },
    /// The file holds cases and nothing else.
    #[error("`{file}` ({format}) holds no metrics and no prompts, so that there is nothing for a configuration")]
    NoConfiguration { file: String, format: &'static str },
    /// No sample comes from a trace.
    #[error("no sample comes from a trace, so there is no span to attach a score to")]
    NoTrace,
    /// The file has a place for one metric, and it is not known which.
    #[error("a file for {target} holds one metric, and it is not known which")]
    WhichMetric { target: ExportTarget, metrics: Vec<String> },
    /// The file holds all metrics.
    #[error("a file for {target} holds all metrics")]
    AllMetrics { target: ExportTarget },
    /// What does not apply has no place in the file.
    #[error("a file for {target} cannot hold results that are not applicable")]
    All { target: ExportTarget },
    /// The name of the file promises something else.
    #[error("`{}` has the wrong name: a file for {target} is written as {extension}", path.display())]
    Extension { path: PathBuf, target: ExportTarget, extension: &'static str },
}

impl From<DriveError> for ExchangeError {
    fn from(error: DriveError) -> Self {
        Self::Run(error.into())
    }
}
