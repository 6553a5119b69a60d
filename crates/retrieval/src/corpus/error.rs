//! Why a corpus cannot be read.

use std::io;
use std::path::PathBuf;

use probare_formats::{CaseFileError, DataError};

/// A corpus cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// Nothing in it is read.
    #[error("`{}` holds no file that can be read", path.display())]
    Empty { path: PathBuf },
    /// A folder or file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A file cannot be opened.
    #[error(transparent)]
    Open(#[from] CaseFileError),
    /// Something in a file cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A file is in another encoding, a row of it cannot be read, or a document is longer than an index can hold.
    #[error("{0}")]
    Invalid(String),
    /// The reader of PDF files is not there or failed.
    #[error("`{file}`: {reason}")]
    Pdf {
        file: String,
        reason: String,
        /// Whether the program is missing.
        is_missing: bool,
    },
}
