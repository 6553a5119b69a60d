//! Writes the table from the files of a WordNet distribution.
//!
//! `files.rs` understands the files line by line, `encode.rs` numbers what they say and writes it down. The same files
//! always give the same bytes.

mod encode;
mod files;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::WordNet;
use super::table::WordNetTable;

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

/// Reads the WordNet files of a folder (`data.*`, `index.*`, `*.exc`, and `cntlist.rev` if it is there) and writes the
/// table that [`WordNet::from_bytes`](WordNet::from_bytes) opens.
pub fn build(dir: &Path) -> Result<Vec<u8>, WordNetBuildError> {
    encode::encode(&files::read(dir)?)
}

impl WordNet {
    /// A WordNet from a folder with the files of a WordNet distribution (`data.noun`, `index.noun`, `noun.exc` …).
    ///
    /// Fails with the file and line that cannot be understood.
    pub fn from_dir(dir: &Path) -> Result<Self, WordNetBuildError> {
        let table = WordNetTable::open(Cow::Owned(build(dir)?)).expect("the builder writes a consistent header");
        Ok(Self { table })
    }
}

/// A place in a file, for errors.
#[derive(Debug, Clone)]
struct FileLocation {
    path: PathBuf,
    line: usize,
}

impl FileLocation {
    /// The error of a line that does not have what is expected.
    fn expected(&self, expected: &str) -> WordNetBuildError {
        self.error(format!("expected {expected}"))
    }

    fn error(&self, reason: String) -> WordNetBuildError {
        WordNetBuildError::Line { path: self.path.clone(), line: self.line, reason }
    }
}
