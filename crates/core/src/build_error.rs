//! [`BuildError`]: why a metric cannot be made ready.

/// The options of a metric could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// An option has a name or a value that the metric does not know.
    #[error("{0}")]
    Options(String),
    /// Something that the metric needs is not installed.
    #[error("{what} is missing")]
    Missing {
        /// What is missing.
        what: String,
        /// How to get it.
        remedy: String,
    },
}
