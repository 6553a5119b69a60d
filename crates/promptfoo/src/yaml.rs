//! YAML documents as JSON values.

use serde_json::Value;

/// Reads a document; the reason where it is none.
pub fn parse(text: &str) -> Result<Value, String> {
    let options = serde_saphyr::options! { with_snippet: false, strict_booleans: true };
    serde_saphyr::from_str_with_options::<Value>(text, options).map_err(|error| error.to_string())
}
