//! [`Passage`]: what a model was given to read. [`Citation`]: what it says that it took from there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// One retrieved passage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    /// The passage itself.
    pub text: String,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Json>,
}

impl From<&str> for Passage {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), metadata: Map::new() }
    }
}

/// A quotation with the number of the passage it is said to come from.
///
/// Both are kept as the file gave them: a number that is not a number is the model's mistake to be reported, not a reading
/// error.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// Position of the passage in `context`, counted from 0.
    #[serde(default)]
    pub source_index: Json,
    /// The words that are said to stand there.
    #[serde(default)]
    pub quote: Json,
    /// Name of a transcript in place of `source_index`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}
