//! A document of a corpus.

use probare_formats::Transcript;
use serde_json::{Map, Value as Json};

/// Bytes of the longest document.
pub(super) const LONGEST_DOCUMENT: usize = 1 << 30;

/// A document of a corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Its key: FILE, else `document_id`, else `_id`, else the path of its file in the corpus.
    pub key: String,
    /// Its text. For a text file these are the bytes of the file.
    pub text: String,
    /// What is known about it.
    pub metadata: Map<String, Json>,
}

impl From<Transcript> for Document {
    fn from(Transcript { key, text, metadata }: Transcript) -> Self {
        Self { key, text, metadata }
    }
}
