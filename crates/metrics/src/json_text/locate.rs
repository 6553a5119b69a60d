//! Which bytes of a JSON text a value takes, so that evidence can point at it.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::value::RawValue;

/// One step of the way from the root of a JSON document to a value in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// The value of this key.
    Key(String),
    /// The item at this position, counted from 0.
    Item(usize),
}

/// The bytes that the value at the end of `path` takes; nothing where the text is not well formed. Where a key is repeated
/// its last value counts, as it does for readers.
pub fn locate_value(json: &str, path: &[PathStep]) -> Option<Range<usize>> {
    let mut raw: &RawValue = parse(json)?;
    for step in path {
        raw = match step {
            PathStep::Key(key) => parse::<FxHashMap<String, &RawValue>>(raw.get())?.remove(key)?,
            PathStep::Item(index) => parse::<Vec<&RawValue>>(raw.get())?.into_iter().nth(*index)?,
        };
    }
    Some(range_in(json, raw))
}

/// The bytes of the items of a JSON list, in order; nothing where the text is no such list.
pub fn locate_items(json: &str) -> Vec<Range<usize>> {
    let items: Vec<&RawValue> = parse(json).unwrap_or_default();
    items.into_iter().map(|item| range_in(json, item)).collect()
}

fn parse<'a, T: Deserialize<'a>>(json: &'a str) -> Option<T> {
    probare_cancellation::count_steps(json.len());
    serde_json::from_str(json).ok()
}

/// Where a value stands that was read from this text.
fn range_in(json: &str, value: &RawValue) -> Range<usize> {
    let start = value.get().as_ptr().addr() - json.as_ptr().addr();
    start..start + value.get().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(json: &'a str, path: &[PathStep]) -> Option<&'a str> {
        locate_value(json, path).map(|range| &json[range])
    }

    fn key(name: &str) -> PathStep {
        PathStep::Key(name.into())
    }

    #[test]
    fn a_path_leads_to_the_bytes_of_its_value() {
        let json = r#" {"a": [1, {"b\"c": "x, ]"}, [ ]], "é": -2.5e3, "a2": null} "#;
        assert_eq!(found(json, &[]), Some(json.trim()));
        assert_eq!(found(json, &[key("a"), PathStep::Item(1), key("b\"c")]), Some("\"x, ]\""));
        assert_eq!(found(json, &[key("a"), PathStep::Item(2)]), Some("[ ]"));
        assert_eq!(found(json, &[key("é")]), Some("-2.5e3"));
        assert_eq!(found(json, &[key("a2")]), Some("null"));
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        assert_eq!(found("{\"a\": 1}", &[key("b")]), None);
        assert_eq!(found("[1]", &[PathStep::Item(1)]), None);
        assert_eq!(found("1", &[PathStep::Item(0)]), None);
        assert_eq!(found("", &[]), None);
        assert_eq!(found("{\"a\\", &[key("a")]), None);
    }

    #[test]
    fn items_are_found_at_the_top_only() {
        let json = r#" ["a, b", 5 , ["x", "y"], {"k": 1}, "q\"]"] "#;
        let found: Vec<&str> = locate_items(json).into_iter().map(|range| &json[range]).collect();
        assert_eq!(found, [r#""a, b""#, "5", r#"["x", "y"]"#, r#"{"k": 1}"#, r#""q\"]""#]);
        assert!(locate_items("[]").is_empty() && locate_items("[").is_empty() && locate_items("").is_empty());
    }

    #[test]
    fn the_last_of_repeated_keys_counts() {
        assert_eq!(found(r#"{"a": 1, "a": 2}"#, &[key("a")]), Some("2"));
    }
}
