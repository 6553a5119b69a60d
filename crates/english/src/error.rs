//! What can be wrong with a model file.

/// Why a model could not be read. The model inside the crate is tested to be free of all of these.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// The file ends too early.
    #[error("the model file is truncated")]
    Truncated,
    /// A number is larger than its place allows.
    #[error("a number in the model is too large")]
    NumberTooLarge,
    /// There are more features than rows of weights, or fewer.
    #[error("the model does not have one row of weights for each feature")]
    RowsAndKeysDiffer,
    /// A weight for a class that does not exist.
    #[error("a weight names the class {class}, which the model does not have")]
    UnknownClass { class: u32 },
    /// It is no model of this format version, or something in it is not what the format wants.
    #[error("{0}")]
    Damaged(String),
}

impl ModelFileError {
    /// A tag or relation outside the inventory of this crate.
    pub(crate) fn unknown_name(kind: &str, name: &str) -> Self {
        Self::Damaged(format!("unknown {kind} `{name}`"))
    }
}
