//! JSON as models write it: in a fence, amid prose, with single quotes, comments, trailing commas, Python's constants or
//! without its last brackets.
//!
//! [`read`] takes a text that is strict JSON as it is. Only where it is not, values are looked for in fences and in the
//! running text, and what has to be forgiven is told with each ([`Repair`]), so that a caller may refuse it. Nothing is ever
//! evaluated, nothing panics, and the time is linear in the length of the text.
//!
//! ```
//! use probare_text::loose_json::{Repair, find_values};
//!
//! let found = find_values("Here it is:\n```json\n{'level': 'good', 'sure': True,}\n```");
//! assert_eq!(found[0].value, serde_json::json!({"level": "good", "sure": true}));
//! assert!(found[0].repairs.contains(&Repair::SingleQuotes));
//! assert!(find_values(r#"{"level": "good"}"#)[0].is_strict());
//! ```

mod parser;
mod repair;

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value as Json;

pub use self::repair::Repair;

use self::parser::LooseParser;

/// Starts at which nothing could be read after which the search is given up.
const MOST_FAILURES: usize = 64;

/// Values that are looked for in one text.
const MOST_VALUES: usize = 256;

/// A value and what was forgiven for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedJson {
    pub value: Json,
    /// The bytes of the text that it was read from.
    pub span: Range<usize>,
    /// What was forgiven.
    pub repairs: BTreeSet<Repair>,
}

impl ParsedJson {
    /// Whether the whole text is this value, as JSON writes it.
    pub fn is_strict(&self) -> bool {
        self.repairs.is_empty()
    }
}

/// All values in a text, in their order: the text itself where it is JSON, else the objects and arrays in its fences and in the
/// running text. A value inside another is not listed again.
pub fn find_values(text: &str) -> Vec<ParsedJson> {
    if let Ok(value) = serde_json::from_str(text) {
        return vec![ParsedJson { value, span: 0..text.len(), repairs: BTreeSet::new() }];
    }
    let mut found = Vec::new();
    let mut from = 0;
    for fence in fences(text) {
        found.extend(values(text, from..fence.start, Repair::Surrounded));
        from = fence.end;
        found.extend(values(text, fence, Repair::Fenced));
    }
    found.extend(values(text, from..text.len(), Repair::Surrounded));
    found.truncate(MOST_VALUES);
    found
}

/// The inside of every fenced block; the last one may lack its end.
fn fences(text: &str) -> Vec<Range<usize>> {
    const FENCE: &str = "```";
    let mut fences = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find(FENCE) {
        let inside = from + open + FENCE.len();
        // The word behind the fence is no part of the value, wherever that begins.
        let word = text[inside..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(0);
        let start = inside + word;
        let end = text[start..].find(FENCE).map_or(text.len(), |close| start + close);
        fences.push(start..end);
        from = (end + FENCE.len()).min(text.len());
    }
    fences
}

/// Objects and arrays within a range.
fn values(text: &str, range: Range<usize>, around: Repair) -> Vec<ParsedJson> {
    let mut found = Vec::new();
    let mut failures = 0;
    let mut from = range.start;
    while found.len() < MOST_VALUES && failures < MOST_FAILURES {
        probare_cancellation::count_steps(1 + (range.end - from) / 8);
        let Some(at) = text[from..range.end].find(['{', '[']) else { break };
        let start = from + at;
        let inside = &text[start..range.end];
        let Some((value, length, mut repairs)) = strict(inside).or_else(|| LooseParser::new(inside).read()) else {
            failures += 1;
            from = start + 1;
            continue;
        };
        let span = start..start + length;
        let is_all = text[..start].trim().is_empty() && text[span.end..].trim().is_empty();
        if !is_all {
            repairs.insert(around);
        }
        from = span.end.max(start + 1);
        found.push(ParsedJson { value, span, repairs });
    }
    found
}

/// A value, its bytes, and what was forgiven.
type ParsedValue = (Json, usize, BTreeSet<Repair>);

/// The value at the start of a text, where it is as JSON writes it, whatever follows.
fn strict(text: &str) -> Option<ParsedValue> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset(), BTreeSet::new()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn one(text: &str) -> (Json, Vec<Repair>) {
        let mut found = find_values(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let found = found.remove(0);
        (found.value, found.repairs.into_iter().collect())
    }

    #[test]
    fn strict_json_needs_no_repair() {
        for text in [r#"{"a": [1, 2.5, "x\n", null]}"#, " [true] ", "\"text\"", "3"] {
            assert!(find_values(text)[0].is_strict(), "{text}");
        }
    }

    #[test]
    fn what_models_write_is_read_and_what_was_forgiven_is_told() {
        use Repair::*;
        let object = json!({"a": 1, "b": "x"});
        for (text, value, repairs) in [
            ("```json\n{\"a\": 1, \"b\": \"x\"}\n```", object.clone(), vec![Fenced]),
            ("```\n{\"a\": 1, \"b\": \"x\"}", object.clone(), vec![Fenced]),
            ("```{\"a\": 1, \"b\": \"x\"}```", object.clone(), vec![Fenced]),
            ("Sure: {\"a\": 1, \"b\": \"x\"} as asked.", object.clone(), vec![Surrounded]),
            ("{'a': 1, 'b': 'x',}", object.clone(), vec![ExtraComma, SingleQuotes]),
            ("{a: 1, b: x}", object.clone(), vec![BareWord]),
            ("{\"a\": 1 // one\n, /* two */ \"b\": \"x\" # three\n}", object.clone(), vec![Comment]),
            ("{\"a\": 1 \"b\": \"x\"}", object.clone(), vec![MissingComma]),
            ("{\"a\": 1, \"b\": \"x\"", object.clone(), vec![MissingBracket]),
            ("{\"a\": 1, \"b\": \"x", object.clone(), vec![MissingBracket]),
            ("{\"a\": +1, \"b\": \"x\"}", object.clone(), vec![Number]),
            ("{“a”: 1, “b”: “x”}", object, vec![SingleQuotes]),
            ("[True, False, None, TRUE, null]", json!([true, false, null, true, null]), vec![Constant]),
            ("[1, 2, ...]", json!([1, 2]), vec![Ellipsis]),
            ("[.5, 5., 1_000]", json!([0.5, 5.0, 1000]), vec![Number]),
            ("[[1, 2], [3}", json!([[1, 2], [3]]), vec![MissingBracket]),
            ("{\"a\": \"two\nlines\"}", json!({"a": "two\nlines"}), vec![RawControl]),
            ("{\"a\": \"say \"yes\" now\", \"b\": 1}", json!({"a": "say \"yes\" now", "b": 1}), vec![InnerQuote]),
            ("{'a': 'it isn't so', 'b': 1}", json!({"a": "it isn't so", "b": 1}), vec![SingleQuotes, InnerQuote]),
            ("{\"a\": \"50\\% \\u0041\\x\"}", json!({"a": "50% Ax"}), vec![Escape]),
            ("{\"a\"}", json!({"a": null}), vec![MissingValue]),
            ("{\"a\" \"x\", \"b\" \"y\"}", json!({"a": "x", "b": "y"}), vec![MissingValue]),
            ("{\"say \"hi\" now\": 1}", json!({"say \"hi\" now": 1}), vec![InnerQuote]),
            ("{\"a\": }", json!({"a": null}), vec![MissingValue]),
            ("{\"a\": [1, 2}, ", json!({"a": [1, 2]}), vec![Surrounded, MissingBracket]),
        ] {
            assert_eq!(one(text), (value, repairs), "{text}");
        }
    }

    #[test]
    fn several_values_come_in_their_order() {
        let values = |text| find_values(text).into_iter().map(|found| found.value).collect::<Vec<_>>();
        assert_eq!(values("first {\"a\": 1} then {\"a\": 2}"), [json!({"a": 1}), json!({"a": 2})]);
        assert_eq!(values("```\n[1]\n``` and ```\n[2]\n``` and [3]"), [json!([1]), json!([2]), json!([3])]);
        assert!(values("no value at all").is_empty());
    }

    #[test]
    fn deep_nesting_is_given_up_and_not_followed() {
        assert!(find_values(&"[".repeat(200_000)).len() <= MOST_VALUES);
        assert!(find_values(&"{\"a\":".repeat(100_000)).len() <= MOST_VALUES);
    }

    fn any_json() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Json::from),
            "\\PC{0,12}|[\\x00-\\x7f]{0,8}".prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 24, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Json::from),
                proptest::collection::vec(("\\PC{0,6}", inner), 0..5)
                    .prop_map(|pairs| Json::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn good_json_amid_prose_is_the_same_value(value in any_json(), pretty in any::<bool>()) {
            let wrapped = Json::Array(vec![value]);
            let text = if pretty { format!("{wrapped:#}") } else { wrapped.to_string() };
            let found = find_values(&format!("so: {text} ."));
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(&found[0].value, &wrapped);
            prop_assert_eq!(found[0].repairs.iter().copied().collect::<Vec<_>>(), [Repair::Surrounded]);
        }

        #[test]
        fn any_text_is_read_without_panic(text in "([\\[\\]{}\"',:#/*\\\\`a-c \n0-9.eE+-]|\\PC){0,60}") {
            for found in find_values(&text) {
                prop_assert!(text.get(found.span.clone()).is_some());
            }
        }

        #[test]
        fn broken_json_is_read_without_panic(value in any_json(), cut in any::<proptest::sample::Index>()) {
            let text = value.to_string();
            let end = text.floor_char_boundary(cut.index(text.len() + 1));
            let _ = find_values(&text[..end]);
            let _ = find_values(&text[end..]);
        }
    }
}
