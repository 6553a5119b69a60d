//! [`VerifyError`]: why a file of results could not be verified at all.

use std::path::PathBuf;

use probare_core::BenchmarkError;
use probare_engine::RunError;
use probare_formats::CaseFileError;
use probare_formats::results::ResultsFileError;

/// A file of results could not be verified at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The results cannot be read.
    #[error(transparent)]
    Recorded(#[from] ResultsFileError),
    /// What the file says about its run cannot be understood.
    #[error("the manifest of `{}` cannot be read: {reason}", path.display())]
    Manifest { path: PathBuf, reason: String },
    /// More inputs are given than the run had.
    #[error("{given} inputs are given, but the run read {recorded}")]
    TooManyInputs { given: usize, recorded: usize },
    /// An input is not there.
    #[error("the input `{path}` is neither beside the results nor here nor above them")]
    InputMissing {
        /// Path as the manifest has it.
        path: String,
    },
    /// An input is not the one that the run read, and neither lies beside the results nor was it named.
    #[error("the input `{path}` is not the file that the run read (its SHA-256 differs), so nothing of it is used")]
    InputRefused {
        /// Path as the manifest has it.
        path: String,
    },
    /// A benchmark cannot be opened with files that may not be shown.
    #[error("the benchmark `{benchmark}` cannot be opened with the files that the manifest names")]
    Unreadable { benchmark: String },
    /// An input was standard input.
    #[error("the cases came from standard input, which cannot be read again")]
    StandardInput,
    /// An input cannot be read.
    #[error(transparent)]
    Cases(#[from] CaseFileError),
    /// The benchmark cannot be opened.
    #[error(transparent)]
    Benchmark(#[from] BenchmarkError),
    /// The run cannot be computed again.
    #[error(transparent)]
    Run(#[from] RunError),
}
