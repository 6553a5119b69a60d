//! Why a folder could not be turned into a table, and where.

use std::path::PathBuf;

/// Why a folder could not be turned into a table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WordNetBuildError {
    /// A file is missing or is not text.
    #[error("cannot read `{}` of a WordNet folder", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A line does not follow the format of the file, or refers to a synset that no data file has.
    #[error("`{}` line {line}: {reason}", path.display())]
    Line {
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        reason: String,
    },
}

/// A place in a file, for errors.
#[derive(Debug, Clone)]
pub(super) struct FileLocation {
    pub(super) path: PathBuf,
    pub(super) line: usize,
}

impl FileLocation {
    /// The error of a line that does not have what is expected.
    pub(super) fn expected(&self, expected: &str) -> WordNetBuildError {
        self.error(format!("expected {expected}"))
    }

    pub(super) fn error(&self, reason: String) -> WordNetBuildError {
        WordNetBuildError::Line { path: self.path.clone(), line: self.line, reason }
    }
}
