//! Paths into a reply: `choices[0].message.content`.

use serde_json::Value as Json;

/// What a path names in a document; nothing where there is nothing. A part of digits is always the number of a list's item,
/// never the key of an object, and anything else is always a key.
pub fn value_at<'a>(document: &'a Json, path: &str) -> Option<&'a Json> {
    let mut parts = path.split(['.', '[', ']']).filter(|part| !part.is_empty()).peekable();
    parts.peek()?;
    parts.try_fold(document, |here, part| {
        let is_number = part.chars().all(probare_text::python::is_digit);
        match here {
            Json::Array(items) if is_number => items.get(part.parse::<usize>().ok()?),
            Json::Object(map) if !is_number => map.get(part),
            _ => None,
        }
    })
}
