//! [`Error`]: why something could not be done at all. What is wrong with a single case is part of its result.

use probare_analysis::VerifyError;
use probare_core::{RequestError, ScoreError};
use probare_engine::{ModelAccessError, PlanError, RunError};
use probare_formats::CaseFileError;

/// Why something could not be done at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A metric is written in a way that cannot be read.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A metric is unknown, or its options do not fit.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A metric asks a model, and that cannot be done.
    #[error(transparent)]
    Ask(#[from] ModelAccessError),
    /// The one case that was given cannot be scored.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// A file of cases cannot be opened.
    #[error(transparent)]
    Open(#[from] CaseFileError),
    /// A job could not be run to its end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file of results could not be verified.
    #[error(transparent)]
    Verify(#[from] VerifyError),
}
