//! [`values`]: how many values a text of JSON holds, counted before any of them is made.
//!
//! An empty message takes three bytes in a file and hundreds in memory, so what a file costs is not told by its length. Messages
//! may also stand in a text, as JSON of its own: those count too.

use super::otlp::TOO_MANY;
use crate::tools::string_end;

/// Values that any file may have.
const ALWAYS: usize = 1_000_000;

/// Bytes that a file must have for each value beyond those: JSON that people and programs write has more.
const BYTES_FOR_ONE: usize = 16;

/// JSON in texts of JSON in texts: deeper nobody reads.
const DEEPEST: usize = 3;

/// What the objects of a file hold so far.
#[derive(Debug, Default)]
pub(super) struct ValueBudget {
    bytes: usize,
    values: usize,
}

impl ValueBudget {
    /// Adds an object; an error where the file holds too much.
    pub fn add(&mut self, text: &str) -> serde_json::Result<()> {
        self.bytes = self.bytes.saturating_add(text.len());
        self.values = self.values.saturating_add(values(text, 0));
        if self.values > ALWAYS.max(self.bytes / BYTES_FOR_ONE) {
            return Err(serde::de::Error::custom(TOO_MANY));
        }
        Ok(())
    }
}

/// Values in a text of JSON, each member and item, and those in its texts.
fn values(text: &str, depth: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut count, mut at) = (1, 0);
    while let Some(found) = bytes[at..].iter().position(|byte| matches!(byte, b'"' | b',' | b'{' | b'[')) {
        at += found;
        if bytes[at] != b'"' {
            count += 1;
            at += 1;
            continue;
        }
        let end = at + string_end(&text[at..]);
        let inner = text[at + 1..end].trim_start();
        if depth < DEEPEST
            && inner.starts_with(['[', '{'])
            && let Ok(inner) = serde_json::from_str::<String>(&text[at..end])
        {
            count += values(&inner, depth + 1);
        }
        at = end;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_also_in_texts() {
        assert_eq!(values("1", 0), 1);
        assert_eq!(values(r#"{"a": [1, 2], "b": "x, {y"}"#, 0), 5, "an object, a list, three commas and itself");
        let messages = serde_json::json!([{"role": "user"}, {"role": "a, b"}]).to_string();
        let text = serde_json::json!({ "value": messages }).to_string();
        assert_eq!(values(&text, 0), 2 + values(&messages, 0));
        assert_eq!(values("\"[\\\"", 0), 1, "what does not end is somebody else's error");
    }

    #[test]
    fn few_bytes_for_many_values_are_too_many() {
        let list = |items: usize| format!("[{}{{}}]", "{},".repeat(items));
        let mut weight = ValueBudget::default();
        assert!(weight.add(&list(400_000)).is_ok());
        assert!(weight.add(&list(400_000)).is_err(), "two values for each item");
        let text = serde_json::Value::from(list(600_000)).to_string();
        assert!(ValueBudget::default().add(&text).is_err(), "in a text");
        let ordinary = format!("{{\"role\":\"user\",\"content\":\"{}\"}},", "word ".repeat(20)).repeat(300_000);
        assert!(ValueBudget::default().add(&ordinary).is_ok(), "30 MB of messages");
    }
}
