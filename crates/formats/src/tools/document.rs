//! [`SourceDocument`]: a file that is in memory, as a whole or line by line, with the place of what is wrong in it.

use std::borrow::Cow;
use std::str;

use serde::Deserialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use super::{ImportError, ImportFormat};

/// What some programs write before a text.
pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A file of another tool.
pub(super) struct SourceDocument {
    pub name: String,
    pub bytes: Vec<u8>,
}

impl SourceDocument {
    pub fn new(bytes: Vec<u8>, name: &str) -> Self {
        Self { name: name.to_owned(), bytes }
    }

    /// An error about the file.
    pub fn broken(&self, format: ImportFormat, place: &str, reason: impl Into<String>) -> ImportError {
        let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
        ImportError::Broken { file: self.name.clone(), format: format.name(), place, reason: reason.into() }
    }

    /// Its text. Python writes numbers that JSON has no words for (`NaN`, `Infinity`); they are read as `null`.
    pub fn text(&self, format: ImportFormat) -> Result<Cow<'_, str>, ImportError> {
        let text = str::from_utf8(&self.bytes).map_err(|error| {
            let line = 1 + memchr::memchr_iter(b'\n', &self.bytes[..error.valid_up_to()]).count();
            self.broken(format, &format!("line {line}"), "it is not UTF-8")
        })?;
        Ok(finite(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)))
    }

    /// The values of its text: the elements of an array, or whatever stands one after the other, such as lines.
    pub fn values<'t>(&self, text: &'t str, format: ImportFormat) -> Result<Vec<&'t RawValue>, ImportError> {
        let broken = |error: &serde_json::Error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            self.broken(format, &place, cause(error))
        };
        if text.trim_start().starts_with('[') {
            return serde_json::from_str(text).map_err(|error| broken(&error));
        }
        let mut values = Vec::new();
        for value in serde_json::Deserializer::from_str(text).into_iter() {
            values.push(value.map_err(|error| broken(&error))?);
        }
        Ok(values)
    }

    /// A part of the text as a value of this type; an error tells where in the whole text.
    pub fn parse_part<'t, T: Deserialize<'t>>(
        &self,
        text: &'t str,
        part: &'t RawValue,
        format: ImportFormat,
    ) -> Result<T, ImportError> {
        serde_json::from_str(part.get()).map_err(|error| {
            let (line, column) = error_position(text, part, &error);
            self.broken(format, &format!("line {line}, column {column}"), cause(&error))
        })
    }

    /// The whole text as a value of this type.
    pub fn parse_whole<'t, T: Deserialize<'t>>(&self, text: &'t str, format: ImportFormat) -> Result<T, ImportError> {
        serde_json::from_str(text).map_err(|error| {
            self.broken(format, &format!("line {}, column {}", error.line(), error.column()), cause(&error))
        })
    }
}

/// What is wrong, without the place, which is told in another way.
pub(crate) fn cause(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or_else(|| text.clone(), |(cause, _)| cause.to_owned())
}

/// Line and column of an error in a part of a text.
pub(super) fn error_position(text: &str, part: &RawValue, error: &serde_json::Error) -> (usize, usize) {
    let start = (part.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.get(..start).unwrap_or_default();
    let line = memchr::memchr_iter(b'\n', before.as_bytes()).count();
    let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    let within = if error.line() <= 1 { column } else { 0 };
    (line + error.line().max(1), within + error.column())
}

/// The text with `null` for the numbers that are none: `NaN`, `Infinity` and `-Infinity` outside of strings.
pub(super) fn finite(text: &str) -> Cow<'_, str> {
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !has("NaN") && !has("Infinity") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('"') {
            let end = string_end(rest);
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        }
        let word = ["NaN", "Infinity", "-Infinity"].into_iter().find(|word| rest.starts_with(word));
        let (written, taken) = word.map_or((&rest[..1], 1), |word| ("null", word.len()));
        out.push_str(written);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Where the string that the text starts with ends.
pub(crate) fn string_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// A number, text or truth value as a text; anything else as JSON.
pub(super) fn as_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A text, or a list of them, as a list; nothing where there is nothing.
pub(super) fn as_texts(value: &Json) -> Option<Vec<String>> {
    match value {
        Json::Null => None,
        Json::Array(items) => Some(items.iter().map(as_text).collect()),
        other => Some(vec![as_text(other)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_become_null_outside_of_texts() {
        let text = r#"{"a": NaN, "b": [-Infinity, Infinity, -1], "NaN \" NaN": "Infinity"}"#;
        assert_eq!(finite(text), r#"{"a": null, "b": [null, null, -1], "NaN \" NaN": "Infinity"}"#);
        assert!(matches!(finite("\"N\""), Cow::Borrowed(_)));
        assert_eq!(finite("NaN \"\\"), "null \"\\");
    }

    #[test]
    fn an_error_in_a_part_has_its_place_in_the_whole() {
        #[derive(Debug, Deserialize)]
        #[expect(dead_code, reason = "only its form matters")]
        struct Number {
            a: u32,
        }
        let document = SourceDocument::new(b"[{\"a\": 1},\n  {\"a\": \"x\"}]".to_vec(), "f.json");
        let text = document.text(ImportFormat::Chat).unwrap();
        let values = document.values(&text, ImportFormat::Chat).unwrap();
        assert!(document.parse_part::<Number>(&text, values[0], ImportFormat::Chat).is_ok());
        let error = document.parse_part::<Number>(&text, values[1], ImportFormat::Chat).unwrap_err().to_string();
        assert_eq!(
            error,
            "`f.json` is not a valid chat file: line 2, column 11: invalid type: string \"x\", expected u32"
        );
    }
}
