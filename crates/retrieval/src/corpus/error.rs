//! Why a corpus cannot be read.

use std::io;
use std::path::PathBuf;

use probare_formats::{CaseFileError, DataError};

use super::document::LONGEST_DOCUMENT;

/// A corpus cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// Nothing in it is read.
    #[error("`{}` holds no file that can be read", path.display())]
    Empty {
        /// The corpus.
        path: PathBuf,
    },
    /// A folder or file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// What was read.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// A file cannot be opened.
    #[error(transparent)]
    Open(#[from] CaseFileError),
    /// Something in a file cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A text is in another encoding.
    #[error(
        "`{file}` is not valid UTF-8 at byte {at}; save it as UTF-8, for example with `iconv -f WINDOWS-1252 -t utf-8`"
    )]
    Encoding {
        file: String,
        /// Where.
        at: usize,
    },
    /// A row of a table cannot be read.
    #[error("`{file}`: {reason}")]
    Row {
        file: String,
        /// What is wrong, with its line.
        reason: String,
    },
    /// A document is longer than an index can hold.
    #[error("`{file}`: document `{key}` is longer than {LONGEST_DOCUMENT} bytes")]
    TooLong {
        file: String,
        /// The document.
        key: String,
    },
    /// The reader of PDF files is not there or failed.
    #[error("`{file}`: {reason}")]
    Pdf {
        file: String,
        /// What happened.
        reason: String,
        /// Whether the program is missing.
        is_missing: bool,
    },
}
