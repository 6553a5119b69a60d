//! [`DriveError`]: why a run could not go on.

use std::any::Any;
use std::io;

use probare_core::SourceError;

/// A run could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// The input failed.
    #[error(transparent)]
    Input(SourceError),
    /// The output failed.
    #[error("cannot write the results")]
    Output(#[source] io::Error),
    /// There is not one thread to work on.
    #[error("the system gives this program no further thread (see `ulimit -u`)")]
    Threads(#[source] io::Error),
    /// A part of this program stopped.
    #[error("{part} stopped, which is a bug of this program: {reason}")]
    Bug { part: &'static str, reason: String },
}

/// A panic as an error of the run.
pub(super) fn panic_error(part: &'static str, panic: &(dyn Any + Send)) -> DriveError {
    DriveError::Bug { part, reason: crate::plan::panic_message(panic) }
}
