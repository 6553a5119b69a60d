//! Ragas: the samples of a data set, and the rows of an evaluation, in which every metric has a column.

use std::collections::BTreeSet;

use probare_core::{Case, Output};
use serde_json::{Map, Value as Json, json};

use super::document::{SourceDocument, as_text, as_texts};
use super::{ImportError, ImportFormat, ImportedCases, ORIGIN, content, put, record, scores};
use crate::agents;

const FORMAT: ImportFormat = ImportFormat::Ragas;

/// Fields of a sample that say what only Ragas calls so.
const FIELDS: [&str; 4] = ["retrieved_contexts", "reference_contexts", "reference_tool_calls", "rubrics"];

/// Whether an object is a sample.
pub(super) fn is_sample(value: &Map<String, Json>) -> bool {
    let has = |key: &str| value.contains_key(key);
    has("user_input") && (has("reference") || has("response") || FIELDS.iter().any(|key| has(key)))
}

pub(super) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let mut rows: Vec<Map<String, Json>> = Vec::new();
    for value in document.values(&text, FORMAT)? {
        rows.push(document.parse_part(&text, value, FORMAT)?);
    }
    // A metric is a number in some row; where it failed Ragas writes NaN, which is read as null.
    let numbers = |row: &Map<String, Json>| -> Vec<String> {
        row.iter().filter(|(_, value)| value.is_number()).map(|(name, _)| name.clone()).collect()
    };
    let metrics: BTreeSet<String> = rows.iter().flat_map(numbers).filter(|name| name != "id").collect();
    let mut imported = ImportedCases::default();
    for row in rows {
        let (case, told) = sample_case(row, imported.cases.len() + 1, &metrics);
        imported.push(case, told);
    }
    Ok(imported)
}

fn sample_case(mut row: Map<String, Json>, number: usize, metrics: &BTreeSet<String>) -> (Case, Map<String, Json>) {
    let mut told = Map::new();
    for name in metrics {
        let outcome = match row.shift_remove(name) {
            Some(Json::Number(number)) => scores::value(number.as_f64().unwrap_or_default(), None, None),
            Some(Json::Null) => scores::failed("Ragas gave no number".to_owned()),
            _ => continue,
        };
        scores::add(&mut told, name, outcome);
    }
    let mut take = |name: &str| row.shift_remove(name).filter(|value| !value.is_null());
    let input = take("user_input").unwrap_or_default();
    let mut case = Case {
        id: take("id").map_or_else(|| number.to_string(), |id| as_text(&id)),
        reference: take("reference").as_ref().and_then(as_texts),
        context: take("retrieved_contexts")
            .as_ref()
            .and_then(as_texts)
            .map(|texts| texts.iter().map(|text| text.as_str().into()).collect()),
        ..Case::default()
    };
    let response = take("response").map(|text| Output::new(as_text(&text)));
    let expected = take("reference_tool_calls");
    let conversation = agents::parse_conversation(&input).and_then(Result::ok).filter(|messages| !messages.is_empty());
    match conversation {
        Some(messages) => {
            case.messages = Some(messages);
            agents::fill_query_and_response(&mut case);
        }
        None => case.query = content::prompt(&input),
    }
    if response.is_some() {
        case.response = response;
    }
    let mut rest = record::metadata(row);
    if let Some(expected) = expected {
        rest.insert("expected_tool_calls".to_owned(), expected);
        // What cannot be read as calls stays in the metadata.
        let _ = agents::take_agent_columns(&mut case, &mut rest);
    }
    put(&mut rest, ORIGIN, json!({"from": FORMAT.name()}));
    case.metadata = rest;
    (case, told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::read_foreign;

    #[test]
    fn a_metric_that_failed_has_no_value_and_a_conversation_has_its_messages() {
        let text = r#"[{"user_input": "Who?", "retrieved_contexts": ["c"], "response": "Ada.", "reference": "Ada", "faithfulness": 1.0},
            {"user_input": "Why?", "retrieved_contexts": ["c"], "response": "So.", "reference": "x", "faithfulness": NaN},
            {"user_input": [{"content": "Hi", "type": "human"}, {"content": "Hello", "type": "ai"}], "reference": "y"}]"#;
        let (format, imported) = read_foreign(text.as_bytes().to_vec(), "f", None, None).unwrap();
        assert_eq!(format, FORMAT);
        let [first, second, third] = &imported.cases[..] else { panic!("{imported:?}") };
        assert_eq!(first.metadata["scores"]["faithfulness"]["value"], 1.0);
        assert_eq!(second.metadata["scores"]["faithfulness"]["kind"], "failed");
        assert_eq!((third.query.as_deref(), third.messages.as_ref().map(Vec::len)), (Some("Hi"), Some(2)));
        assert_eq!(third.response.as_ref().map(|output| output.text.as_str()), Some("Hello"));
    }
}
