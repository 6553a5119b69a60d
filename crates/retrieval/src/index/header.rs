//! [`Header`]: what an index says about itself.

use std::collections::BTreeMap;

use probare_core::Sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::passages::Split;

/// Number of the format that this program writes and reads.
pub(super) const FORMAT: u32 = 1;

/// What decides how a corpus is indexed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IndexSettings {
    /// How texts are cut.
    pub split: Split,
}

/// Which vectors an index holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VectorsInfo {
    /// The model that made them.
    pub model: String,
    /// Numbers of each.
    pub dimensions: usize,
}

/// A file of the corpus that is in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexedFile {
    /// Its path in the corpus.
    pub name: String,
    /// Its digest.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
    /// Documents in it.
    pub documents: u64,
}

/// A file that could not be read for want of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedFile {
    /// Its path in the corpus.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// What an index says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Number of its format.
    pub format: u32,
    /// How it was made.
    pub settings: IndexSettings,
    /// Its vectors, if it has any.
    pub vectors: Option<VectorsInfo>,
    /// The files of the corpus, sorted by name.
    pub files: Vec<IndexedFile>,
    /// Files that were left out.
    #[serde(default)]
    pub left_out: Vec<SkippedFile>,
    /// Documents.
    pub documents: u64,
    /// Passages.
    pub passages: u64,
    /// Bytes of each file of the index, to notice one that was cut short.
    pub sizes: BTreeMap<String, u64>,
}

impl Header {
    /// What decides every answer of the index, as one digest: the same corpus, settings and model give the same.
    pub fn digest(&self) -> String {
        let model = self.vectors.as_ref().map(|vectors| &vectors.model);
        let files: Vec<(&str, &str)> =
            self.files.iter().map(|file| (file.name.as_str(), file.sha256.as_str())).collect();
        Sha256::hex_digest(json!([self.format, self.settings, model, files]).to_string())
    }
}
