//! How alike two JSON values are, part by part: autoevals' JSON diff.

use std::borrow::Cow;

use probare_core::{Metric, Outcome, Sample, ScoreError, metric};
use probare_text::distance::similarity;
use probare_text::python;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::numeric_diff::numeric_similarity;
use super::trace::{score_best_expected, two_values, whole_number};

two_values! {
    /// Options of `json_diff`.
    JsonDiff {
        /// Whether texts that hold JSON stay texts.
        pub preserve_strings: bool,
    }
}

metric!(JsonDiff as Pure {
    summary: "Similarity of two JSON values, part by part (autoevals)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    since: "0.3",
    version: 1,
    page: "json_diff.md",
});

impl Metric for JsonDiff {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        score_best_expected(sample, self.at_path.as_deref(), self.expected.as_ref(), |one, other| {
            json_difference(one, other, self.preserve_strings)
        })
    }
}

/// The likeness of two values.
pub fn json_difference(output: &Json, expected: &Json, preserve_strings: bool) -> Result<f64, ScoreError> {
    let (output, expected) =
        (parse_nested_json(output, preserve_strings), parse_nested_json(expected, preserve_strings));
    Ok(match (&*output, &*expected) {
        (Json::Object(output), Json::Object(expected)) => {
            let further = expected.keys().filter(|key| !output.contains_key(*key));
            let keys: Vec<&String> = output.keys().chain(further).collect();
            if keys.is_empty() {
                return Ok(1.0);
            }
            let null = Json::Null;
            let mut sum = 0.0;
            for key in &keys {
                let (one, other) = (output.get(*key).unwrap_or(&null), expected.get(*key).unwrap_or(&null));
                sum += json_difference(one, other, preserve_strings)?;
            }
            sum / keys.len() as f64
        }
        (Json::Array(output), Json::Array(expected)) => {
            let longer = output.len().max(expected.len());
            if longer == 0 {
                return Ok(1.0);
            }
            let mut sum = 0.0;
            for (one, other) in output.iter().zip(expected) {
                sum += json_difference(one, other, preserve_strings)?;
            }
            sum / longer as f64
        }
        (Json::String(output), Json::String(expected)) => similarity(output, expected),
        (Json::Number(_) | Json::Bool(_), Json::Number(_) | Json::Bool(_)) => numeric_similarity(&output, &expected)?,
        (Json::Null, Json::Null) => 1.0,
        (Json::Null, _) | (_, Json::Null) => 0.0,
        (output, expected) => {
            let (mut one, mut other) = (String::new(), String::new());
            write_ascii_json(output, &mut one);
            write_ascii_json(expected, &mut other);
            similarity(&one, &other)
        }
    })
}

/// A text that holds an object or a list is what it holds.
fn parse_nested_json(value: &Json, preserve_strings: bool) -> Cow<'_, Json> {
    if let (Json::String(text), false) = (value, preserve_strings)
        && let Ok(inner @ (Json::Object(_) | Json::Array(_))) = serde_json::from_str(text)
    {
        return Cow::Owned(inner);
    }
    Cow::Borrowed(value)
}

/// Compact JSON as Python writes it: keys sorted, everything outside of ASCII escaped.
fn write_ascii_json(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(yes) => out.push_str(if *yes { "true" } else { "false" }),
        Json::Number(number) => match whole_number(number) {
            Some(whole) => out.push_str(&whole.to_string()),
            None => out.push_str(&python::repr_float(number.as_f64().unwrap_or_default())),
        },
        Json::String(text) => {
            for character in Json::from(text.as_str()).to_string().chars() {
                match character {
                    ' '..='\u{7f}' => out.push(character),
                    other => {
                        let mut units = [0; 2];
                        for unit in other.encode_utf16(&mut units) {
                            out.push_str(&format!("\\u{unit:04x}"));
                        }
                    }
                }
            }
        }
        Json::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write_ascii_json(item, out);
            }
            out.push(']');
        }
        Json::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            out.push('{');
            for (number, (key, item)) in entries.into_iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write_ascii_json(&Json::from(key.as_str()), out);
                out.push(':');
                write_ascii_json(item, out);
            }
            out.push('}');
        }
    }
}
