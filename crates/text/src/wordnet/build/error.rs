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
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// A line does not follow the format of the file.
    #[error("`{}` line {line}: expected {expected}", path.display())]
    Line {
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What should have stood there.
        expected: &'static str,
    },
    /// A line refers to a synset that no data file has.
    #[error("`{}` line {line}: there is no synset {offset} in `data.{part}`", path.display())]
    UnknownSynset {
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The number by which the synset is called.
        offset: u32,
        /// The data file in which it should be.
        part: &'static str,
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
    pub(super) fn expected(&self, expected: &'static str) -> WordNetBuildError {
        WordNetBuildError::Line { path: self.path.clone(), line: self.line, expected }
    }
}
