//! Writes the table from the files of a WordNet distribution.
//!
//! `files.rs` understands the files line by line, `encode.rs` numbers what they say and writes it down. The same files
//! always give the same bytes.

mod encode;
mod error;
mod files;

use std::borrow::Cow;
use std::path::Path;

pub use error::WordNetBuildError;

use super::WordNet;
use super::table::WordNetTable;

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
