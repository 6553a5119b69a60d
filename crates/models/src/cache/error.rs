//! [`CacheError`]: why the response cache cannot be used.

use std::path::PathBuf;

/// What is wrong with the response cache.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The database cannot be used.
    #[error("cannot use the response cache `{}`: {reason}", path.display())]
    Database {
        path: PathBuf,
        /// What the database says.
        reason: String,
    },
    /// The file was written by another version.
    #[error("the response cache `{}` has format {found}, this program knows format {}", path.display(), super::schema::FORMAT)]
    Format { path: PathBuf, found: i64 },
    /// A line of a cassette cannot be read.
    #[error("line {line} of the recorded replies: {reason}")]
    Cassette {
        /// Which line, counted from 1.
        line: usize,
        reason: String,
    },
    /// The owner key cannot be used.
    #[error("{reason}")]
    OwnerKey { reason: String },
    /// The record was closed.
    #[error("the response cache is closed")]
    Closed,
}
