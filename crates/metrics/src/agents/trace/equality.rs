//! When two values are equal: as Python says, for published metrics, and as we say.

use probare_core::json_to_text;
use probare_text::aligned_text::AlignedText;
use probare_text::python;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Number, Value as Json};

/// A number or truth value as Python compares it.
enum PythonNumber {
    Whole(i128),
    Float(f64),
}

fn python_number(value: &Json) -> Option<PythonNumber> {
    match value {
        Json::Bool(yes) => Some(PythonNumber::Whole(i128::from(*yes))),
        Json::Number(number) => Some(match whole_number(number) {
            Some(whole) => PythonNumber::Whole(whole),
            None => PythonNumber::Float(number.as_f64()?),
        }),
        _ => None,
    }
}

/// The value of a number that is written without a point.
pub(in super::super) fn whole_number(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// The whole number that a float is exactly.
#[expect(clippy::cast_possible_truncation, reason = "2^127 is the first that does not fit")]
fn exact_integer(float: f64) -> Option<i128> {
    (float.fract() == 0.0 && float.abs() < 1.7e38).then_some(float as i128)
}

/// `left == right` in Python: truth values are numbers, 1 is 1.0, objects are equal whatever their order.
pub(in super::super) fn python_equal(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::String(left), Json::String(right)) => left == right,
        (Json::Null, Json::Null) => true,
        (Json::Array(left), Json::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| python_equal(left, right))
        }
        (Json::Object(left), Json::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| python_equal(value, other)))
        }
        _ => match (python_number(left), python_number(right)) {
            (Some(PythonNumber::Whole(left)), Some(PythonNumber::Whole(right))) => left == right,
            (Some(PythonNumber::Float(left)), Some(PythonNumber::Float(right))) => left == right,
            (Some(PythonNumber::Whole(whole)), Some(PythonNumber::Float(float)))
            | (Some(PythonNumber::Float(float)), Some(PythonNumber::Whole(whole))) => {
                exact_integer(float) == Some(whole)
            }
            _ => false,
        },
    }
}

/// Whose equality it is that a text stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum EqualityKind {
    /// Python's, to whom true is 1.
    Python,
    /// Ours, with numbers and texts exactly as they are.
    Strict,
}

/// A text that two values share if and only if they are equal.
pub(in super::super) fn canonical(value: &Json, whose: EqualityKind, out: &mut String) {
    match value {
        Json::Null => out.push('n'),
        Json::String(text) => out.push_str(&Json::from(text.as_str()).to_string()),
        Json::Array(items) => {
            out.push('[');
            for item in items {
                canonical(item, whose, out);
                out.push(',');
            }
            out.push(']');
        }
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (key, value) in entries {
                out.push_str(&Json::from(key.as_str()).to_string());
                canonical(value, whose, out);
                out.push(',');
            }
            out.push('}');
        }
        Json::Bool(yes) if whose == EqualityKind::Strict => out.push(if *yes { 't' } else { 'f' }),
        Json::Bool(_) | Json::Number(_) => match python_number(value) {
            Some(PythonNumber::Whole(whole)) => out.push_str(&whole.to_string()),
            Some(PythonNumber::Float(float)) => match exact_integer(float) {
                Some(whole) => out.push_str(&whole.to_string()),
                None => out.push_str(&format!("{float:?}")),
            },
            None => {}
        },
    }
}

/// `str(value)` in Python.
pub(in super::super) fn python_str(value: &Json) -> String {
    python_value(value).to_text()
}

fn python_value(value: &Json) -> python::PyValue {
    match value {
        Json::Null => python::PyValue::None,
        Json::Bool(yes) => python::PyValue::Bool(*yes),
        Json::Number(number) => match whole_number(number) {
            Some(whole) => python::PyValue::Int(whole.to_string()),
            None => python::PyValue::Float(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => python::PyValue::Text(text.clone()),
        Json::Array(items) => python::PyValue::List(items.iter().map(python_value).collect()),
        Json::Object(map) => {
            let pairs = map.iter().map(|(key, value)| (python::PyValue::Text(key.clone()), python_value(value)));
            python::PyValue::Dict(pairs.collect())
        }
    }
}

/// How far numbers may differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NumberTolerance {
    /// By this much.
    pub abs: f64,
    /// By this share of the expected one.
    pub rel: f64,
}

/// When two texts are equal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextEquality {
    /// Character by character.
    #[default]
    Exact,
    /// Letter case, blanks and the way in which accents are written aside.
    Loose,
}

/// When two values are equal for us: within their kind. True is never 1, null never missing.
#[derive(Debug, Clone, Copy, Default)]
pub(in super::super) struct Equality {
    pub numbers: NumberTolerance,
    pub texts: TextEquality,
    /// Whether a text that holds a number equals that number.
    pub text_numbers: bool,
}

impl Equality {
    /// Whether the value that came equals the expected one.
    pub fn equal(&self, called: &Json, expected: &Json) -> bool {
        match (called, expected) {
            (Json::Number(called), Json::Number(expected)) => self.numbers(called, expected),
            (Json::String(called), Json::String(expected)) => self.texts_equal(called, expected),
            (Json::String(text), Json::Number(number)) if self.text_numbers => {
                serde_json::from_str(text.trim()).is_ok_and(|called: Number| self.numbers(&called, number))
            }
            (Json::Number(number), Json::String(text)) if self.text_numbers => {
                serde_json::from_str(text.trim()).is_ok_and(|expected: Number| self.numbers(number, &expected))
            }
            (Json::Array(called), Json::Array(expected)) => {
                called.len() == expected.len() && called.iter().zip(expected).all(|(one, other)| self.equal(one, other))
            }
            (Json::Object(called), Json::Object(expected)) => {
                called.len() == expected.len()
                    && called.iter().all(|(key, value)| expected.get(key).is_some_and(|other| self.equal(value, other)))
            }
            (Json::Bool(called), Json::Bool(expected)) => called == expected,
            (Json::Null, Json::Null) => true,
            _ => false,
        }
    }

    fn numbers(&self, called: &Number, expected: &Number) -> bool {
        if let (Some(called), Some(expected)) = (whole_number(called), whole_number(expected))
            && called == expected
        {
            return true;
        }
        let is_exact = self.numbers.abs == 0.0 && self.numbers.rel == 0.0;
        if is_exact {
            return python_equal(&Json::Number(called.clone()), &Json::Number(expected.clone()));
        }
        let (Some(called), Some(expected)) = (called.as_f64(), expected.as_f64()) else { return false };
        let room = self.numbers.abs.max(self.numbers.rel * expected.abs());
        (called - expected).abs() <= room
    }

    fn texts_equal(&self, called: &str, expected: &str) -> bool {
        called == expected || (self.texts == TextEquality::Loose && loose_text(called) == loose_text(expected))
    }
}

/// A text without letter case, with single blanks, its accents composed.
pub(in super::super) fn loose_text(text: &str) -> String {
    let composed = AlignedText::new(text).nfc().into_text();
    // By way of capitals: `ß` and `ss` are the same word.
    let folded = composed.to_uppercase().to_lowercase();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A value in a note: short enough to read.
pub(in super::super) fn value_excerpt(value: &Json) -> String {
    let text = match value {
        Json::String(text) => format!("\"{text}\""),
        other => json_to_text(other).into_owned(),
    };
    crate::bounded_evidence::truncate_for_note(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn python_says_that_one_is_true() {
        for (left, right, equal) in [
            (json!(1), json!(1.0), true),
            (json!(true), json!(1), true),
            (json!(false), json!(0.0), true),
            (json!("1"), json!(1), false),
            (json!(null), json!(0), false),
            (json!({"a": 1, "b": [2]}), json!({"b": [2.0], "a": true}), true),
            (json!([]), json!({}), false),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0), false),
            (json!(u64::MAX), json!(u64::MAX), true),
        ] {
            assert_eq!(python_equal(&left, &right), equal, "{left} {right}");
            let key = |value| {
                let mut out = String::new();
                canonical(value, EqualityKind::Python, &mut out);
                out
            };
            assert_eq!(key(&left) == key(&right), equal, "{left} {right}");
        }
    }

    #[test]
    fn texts_as_python_writes_them() {
        assert_eq!(
            python_str(&json!([1, "it's", null, true, 1.0, {"k": 1e16}])),
            "[1, \"it's\", None, True, 1.0, {'k': 1e+16}]"
        );
        assert_eq!(python_str(&json!("x")), "x");
    }

    #[test]
    fn ours_keeps_kinds_apart_and_allows_what_is_asked_for() {
        let exact = Equality::default();
        assert!(exact.equal(&json!(1), &json!(1.0)) && !exact.equal(&json!(true), &json!(1)));
        assert!(!exact.equal(&json!("5"), &json!(5)) && !exact.equal(&json!("Rome"), &json!("rome ")));
        let loose = Equality {
            numbers: NumberTolerance { abs: 0.0, rel: 0.01 },
            texts: TextEquality::Loose,
            text_numbers: true,
        };
        assert!(loose.equal(&json!("5"), &json!(5)) && loose.equal(&json!("STRASSE  x"), &json!("straße x ")));
        assert!(loose.equal(&json!(99), &json!(100)) && !loose.equal(&json!(98.9), &json!(100)));
    }
}
