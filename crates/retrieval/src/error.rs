//! [`RetrievalError`]: why an index cannot be built, opened or searched.

use std::io;
use std::path::{Path, PathBuf};

use crate::{CorpusError, FilterError};

/// An index cannot be built, opened or searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RetrievalError {
    /// The corpus cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A filter cannot be used.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// There is no index at this place.
    #[error("`{}` is not an index", .0.display())]
    NoIndex(PathBuf),
    /// The folder holds something else.
    #[error("`{}` holds files that are no part of an index, such as `{name}`", path.display())]
    NotEmpty { path: PathBuf, name: String },
    /// Somebody else is building it.
    #[error("`{}` is being built by another process", .0.display())]
    Busy(PathBuf),
    /// It was made by another version.
    #[error("`{}` has format {found}, and this program reads format {known}", path.display())]
    Format { path: PathBuf, found: u32, known: u32 },
    /// A file of the index is not as it was written.
    #[error("`{}` is damaged: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
    /// A file of the index cannot be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The index of words refused.
    #[error("the index of words of `{}` cannot be used", path.display())]
    Words {
        path: PathBuf,
        #[source]
        source: Box<tantivy::TantivyError>,
    },
    /// No vectors can be had of this model.
    #[error("no vectors of `{model}`: {reason}")]
    Vectors {
        model: String,
        reason: String,
        /// What to do.
        remedy: Option<String>,
    },
    /// Vectors are wanted, and there are none.
    #[error("`{}` holds no vectors", .0.display())]
    NoVectors(PathBuf),
    /// Two documents have one key.
    #[error("`{second}` and `{first}` both hold a document called `{key}`")]
    SameKey { key: String, first: String, second: String },
    /// The corpus is larger than an index can be.
    #[error("the corpus has more than {limit} {what}")]
    TooLarge { what: &'static str, limit: u64 },
    /// A store of vectors outside of the index refused.
    #[error("{place}: {reason}")]
    Store {
        /// The store, without secrets.
        place: String,
        reason: String,
        /// Whether it holds nothing, or the vectors of another index.
        is_stale: bool,
    },
    /// Somebody asked to stop.
    #[error("indexing was ended; the index that was there is unchanged")]
    Cancelled,
}

impl RetrievalError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    pub(crate) fn words(path: &Path) -> impl Fn(tantivy::TantivyError) -> Self {
        let path = path.to_owned();
        move |source| Self::Words { path: path.clone(), source: Box::new(source) }
    }
}
