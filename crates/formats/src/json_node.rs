//! [`JsonNode`]: a value of a JSON document with the way that led to it, and [`DataError`]: what is wrong there.

use std::fmt;

use serde_json::Value as Json;

/// Something in a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{file}`{}: {reason}", path_words(.path))]
pub struct DataError {
    /// The file as named.
    pub file: String,
    /// The place in its JSON, as `qa_pairs[3].question.metric`; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub reason: String,
}

fn path_words(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" at `{path}`") }
}

/// A value with the way that led to it.
#[derive(Debug, Clone)]
pub struct JsonNode<'a> {
    /// The file as named.
    pub file: &'a str,
    /// The place in its JSON.
    pub path: String,
    /// What stands there.
    pub value: &'a Json,
}

impl<'a> JsonNode<'a> {
    /// The whole document.
    pub fn root(file: &'a str, value: &'a Json) -> Self {
        Self { file, path: String::new(), value }
    }

    /// The member of an object; nothing where it is absent or null.
    pub fn member(&self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        let dot = if self.path.is_empty() { "" } else { "." };
        Some(Self { file: self.file, path: format!("{}{dot}{name}", self.path), value })
    }

    /// The items of a list.
    pub fn items(&self) -> Result<Vec<Self>, DataError> {
        let list = self.value.as_array().ok_or_else(|| self.error("is not a list"))?;
        let item = |(index, value)| Self { file: self.file, path: format!("{}[{index}]", self.path), value };
        Ok(list.iter().enumerate().map(item).collect())
    }

    /// The text that it is.
    pub fn text(&self) -> Result<&'a str, DataError> {
        self.value.as_str().ok_or_else(|| self.error("is not text"))
    }

    /// An error at this place; `reason` is the rest of a sentence.
    pub fn error(&self, reason: impl fmt::Display) -> DataError {
        DataError { file: self.file.to_owned(), path: self.path.clone(), reason: reason.to_string() }
    }

    /// An error about a member that is not there.
    pub fn missing_error(&self, name: &str) -> DataError {
        self.error(format_args!("has no `{name}`"))
    }
}

/// Reads JSON; a mistake is reported with its line and column.
pub fn parse_json(bytes: &[u8], file: &str) -> Result<Json, DataError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes).map_err(|error| DataError {
        file: file.to_owned(),
        path: String::new(),
        reason: format!("is not valid JSON: {error}"),
    })
}
