//! [`StoreError`]: why a store cannot be used, and [`StoreFault`], the same before it is said in which.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// The store cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database, or the disk under it, refuses.
    #[error("the store `{}`: {reason}", path.display())]
    Database {
        path: PathBuf,
        /// What it says.
        reason: String,
    },
    /// A later version of the program made it.
    #[error("the store `{}` has format {found}, which this version cannot read", path.display())]
    Format {
        path: PathBuf,
        /// Number of its form.
        found: i64,
    },
    /// There is no such run.
    #[error("the store `{}` has no run {run}", path.display())]
    NoRun {
        path: PathBuf,
        /// The number.
        run: i64,
    },
    /// A run has nothing of this name.
    #[error("run {run} of the store `{}` has no {what}", path.display())]
    NotInRun {
        path: PathBuf,
        /// The number.
        run: i64,
        /// What is not there.
        what: String,
    },
    /// Only one process collects into a store.
    #[error("another process collects traces into the store `{}`", path.display())]
    Collecting { path: PathBuf },
    /// A row is not what this program writes.
    #[error("the store `{}` is damaged: {reason}", path.display())]
    Damaged { path: PathBuf, reason: String },
}

impl StoreError {
    /// The same about the file that the user named.
    pub(crate) fn about(self, path: &Path) -> Self {
        let path = path.to_owned();
        match self {
            Self::Database { reason, .. } => Self::Database { path, reason },
            Self::Format { found, .. } => Self::Format { path, found },
            Self::NoRun { run, .. } => Self::NoRun { path, run },
            Self::NotInRun { run, what, .. } => Self::NotInRun { path, run, what },
            Self::Collecting { .. } => Self::Collecting { path },
            Self::Damaged { reason, .. } => Self::Damaged { path, reason },
        }
    }
}

/// What went wrong in a store, before it is said in which.
#[derive(Debug)]
pub(crate) enum StoreFault {
    Database(rusqlite::Error),
    /// Something is not as it was written.
    Damaged(String),
    /// A text could not be packed.
    Other(String),
}

impl StoreFault {
    pub(crate) fn in_store(self, path: &Path) -> StoreError {
        match self {
            Self::Database(error) => database_error(path)(error),
            Self::Damaged(reason) => StoreError::Damaged { path: path.to_owned(), reason },
            Self::Other(reason) => StoreError::Database { path: path.to_owned(), reason },
        }
    }
}

impl From<rusqlite::Error> for StoreFault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<serde_json::Error> for StoreFault {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<std::io::Error> for StoreFault {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

/// Says in which file something went wrong.
pub(crate) fn database_error(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError + '_ {
    move |error| {
        let is_damaged =
            matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
                || matches!(
                    error,
                    rusqlite::Error::InvalidColumnType(..)
                        | rusqlite::Error::IntegralValueOutOfRange(..)
                        | rusqlite::Error::FromSqlConversionFailure(..)
                        | rusqlite::Error::Utf8Error(..)
                );
        let (path, reason) = (path.to_owned(), error.to_string());
        if is_damaged { StoreError::Damaged { path, reason } } else { StoreError::Database { path, reason } }
    }
}
