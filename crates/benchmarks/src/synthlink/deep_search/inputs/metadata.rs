//! Topics, steps and iterations from the metadata of a case.

use probare_core::{Sample, ScoreError};
use probare_metrics::source_texts::{metadata_error, strings};
use serde_json::Value as Json;

use crate::synthlink::deep_search::measures::{parse_steps, parse_topics};

/// The titles under `key`: a list, or the text of a catalogue's cell.
pub fn topics<'a>(sample: Sample<'a>, key: &str) -> Result<Vec<&'a str>, ScoreError> {
    list_or_cell(sample, key, parse_topics)
}

/// The steps under `key`: a list, or the text of a catalogue's cell.
pub fn steps<'a>(sample: Sample<'a>, key: &str) -> Result<Vec<&'a str>, ScoreError> {
    list_or_cell(sample, key, parse_steps)
}

/// The answers of each iteration under `key`.
pub fn iterations<'a>(sample: Sample<'a>, key: &str) -> Result<Vec<Vec<&'a str>>, ScoreError> {
    let wrong = || metadata_error(format!("`{key}` is not a list of objects with `answers`, a list of strings"));
    let iterations = value(sample, key)?.as_array().ok_or_else(wrong)?;
    iterations
        .iter()
        .map(|iteration| match iteration.as_object().ok_or_else(wrong)?.get("answers") {
            None => Ok(Vec::new()),
            Some(answers) => strings(answers).ok_or_else(wrong),
        })
        .collect()
}

/// The value under `key`; an error where there is none.
fn value<'a>(sample: Sample<'a>, key: &str) -> Result<&'a Json, ScoreError> {
    sample.case.metadata.get(key).ok_or_else(|| metadata_error(format!("has no `{key}`")))
}

fn list_or_cell<'a>(
    sample: Sample<'a>,
    key: &str,
    cell: impl Fn(&'a str) -> Vec<&'a str>,
) -> Result<Vec<&'a str>, ScoreError> {
    match value(sample, key)? {
        Json::String(text) => Ok(cell(text)),
        list => {
            strings(list).ok_or_else(|| metadata_error(format!("`{key}` is neither a list of strings nor a string")))
        }
    }
}

#[cfg(test)]
mod tests {
    use probare_core::Case;
    use serde_json::json;

    use super::*;

    fn case(metadata: &Json) -> Case {
        Case { metadata: metadata.as_object().unwrap().clone(), ..Case::default() }
    }

    #[test]
    fn lists_and_cells_are_read_alike() {
        let case =
            case(&json!({"topics": ["A b", "C"], "cell": "Topics: A b, C", "steps": "1. Confirm x. 2. Link y."}));
        let sample = Sample::from_case(&case);
        assert_eq!(topics(sample, "topics"), topics(sample, "cell"));
        assert_eq!(steps(sample, "steps").unwrap(), ["Confirm x", "Link y"]);
    }

    #[test]
    fn what_is_absent_or_of_another_type_is_named() {
        let case = case(&json!({"topics": [1], "iterations": [{"answers": "x"}], "docs_only": [{"docs": []}]}));
        let sample = Sample::from_case(&case);
        assert_eq!(steps(sample, "steps").unwrap_err().to_string(), "`metadata` has no `steps`");
        assert!(topics(sample, "topics").unwrap_err().to_string().contains("`topics` is neither"));
        assert!(iterations(sample, "iterations").unwrap_err().to_string().contains("`answers`"));
        assert_eq!(iterations(sample, "docs_only").unwrap(), [Vec::<&str>::new()]);
    }
}
