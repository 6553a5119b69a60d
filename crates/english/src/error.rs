//! What can be wrong with a model file.

/// Why a model could not be read. The model inside the crate is tested to be free of all of these.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelFileError {
    /// The first bytes are not those of a model of this format version.
    #[error("not a model of format version {expected}")]
    WrongFormat {
        /// The version this program reads.
        expected: u8,
    },
    /// The content cannot be unpacked.
    #[error("the content of the model cannot be unpacked")]
    NotCompressed,
    /// The file ends too early.
    #[error("the model file is truncated")]
    Truncated,
    /// Bytes follow the end of the model.
    #[error("{count} bytes follow the end of the model")]
    TrailingBytes {
        /// How many.
        count: usize,
    },
    /// A number is larger than its place allows.
    #[error("a number in the model is too large")]
    NumberTooLarge,
    /// A string is not UTF-8.
    #[error("a name in the model is not text")]
    NotText,
    /// Feature keys are not in ascending order.
    #[error("feature keys are not in ascending order")]
    UnorderedKeys,
    /// There are more features than rows of weights, or fewer.
    #[error("the model does not have one row of weights for each feature")]
    RowsAndKeysDiffer,
    /// A weight for a class that does not exist.
    #[error("a weight names the class {class}, which the model does not have")]
    UnknownClass {
        /// The number of the class.
        class: u32,
    },
    /// A tag or relation outside the inventory of this crate.
    #[error("unknown {kind} `{name}`")]
    UnknownName {
        /// Which inventory.
        kind: &'static str,
        /// The name found.
        name: String,
    },
}
