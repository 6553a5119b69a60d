//! The digest by which a collector knows that its data changed: SHA-256 of the rows as Python writes them.

use probare_core::Sha256;
use serde_json::{Map, Value as Json};

/// SHA-256 of a value as Python's `json` writes it: keys sorted, a space behind commas and colons, nothing escaped that need
/// not be.
pub fn fingerprint(value: &Json) -> String {
    let mut text = String::new();
    push(&mut text, value, (", ", ": "));
    Sha256::hex_digest(text.as_bytes())
}

/// Rows as columns: every name with the list of its values, `null` where a row does not have it.
pub fn columns(rows: &[&Map<String, Json>]) -> Json {
    let mut columns: Map<String, Json> = Map::new();
    for name in rows.iter().flat_map(|row| row.keys()) {
        if !columns.contains_key(name) {
            let values = rows.iter().map(|row| row.get(name).cloned().unwrap_or_default()).collect();
            columns.insert(name.clone(), Json::Array(values));
        }
    }
    Json::Object(columns)
}

/// Writes a value as Python's `json` does, with sorted keys.
pub(super) fn push(out: &mut String, value: &Json, (comma, colon): (&str, &str)) {
    match value {
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(comma);
                }
                push(out, item, (comma, colon));
            }
            out.push(']');
        }
        Json::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (at, key) in keys.into_iter().enumerate() {
                if at > 0 {
                    out.push_str(comma);
                }
                push_text(out, key);
                out.push_str(colon);
                push(out, &map[key], (comma, colon));
            }
            out.push('}');
        }
        Json::String(text) => push_text(out, text),
        Json::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => out.push_str(&probare_text::python::repr_float(float)),
            _ => out.push_str(&number.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}

fn push_text(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
}
