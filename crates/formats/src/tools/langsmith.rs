//! LangSmith: examples of a data set, runs, and rows of an experiment, one a line or in a list.

use probare_core::Case;
use probare_report::number::count_with_noun;
use serde_json::{Map, Value as Json, json};

use super::document::{SourceDocument, as_text};
use super::{ImportError, ImportFormat, ImportedCases, ORIGIN, put, record, scores};

const FORMAT: ImportFormat = ImportFormat::Langsmith;

/// Whether an object is an example, a run, or a row of an experiment.
pub(super) fn is_record(value: &Map<String, Json>) -> bool {
    let has = |key: &str| value.contains_key(key);
    let is_object = |key: &str| value.get(key).is_some_and(Json::is_object);
    is_object("inputs") && (has("outputs") || has("reference_outputs"))
}

pub(super) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let mut imported = ImportedCases::default();
    let mut inner = 0;
    for value in document.values(&text, FORMAT)? {
        let row: Map<String, Json> = document.parse_part(&text, value, FORMAT)?;
        // What a run called is part of it and no case of its own.
        if row.get("parent_run_id").is_some_and(|parent| !parent.is_null()) {
            inner += 1;
            continue;
        }
        let (case, told) = record_case(row, imported.cases.len() + 1);
        imported.push(case, told);
    }
    if inner > 0 {
        let runs = count_with_noun(inner, "run inside of another run is", "runs inside of other runs are");
        imported.notes.push(format!("{runs} skipped"));
    }
    Ok(imported)
}

fn record_case(mut row: Map<String, Json>, number: usize) -> (Case, Map<String, Json>) {
    let mut take = |name: &str| row.shift_remove(name).filter(|value| !value.is_null());
    let id = take("id").or_else(|| take("run_id")).or_else(|| take("example_id"));
    let mut case = Case { id: id.map_or_else(|| number.to_string(), |id| as_text(&id)), ..Case::default() };
    let (inputs, outputs) = (take("inputs").unwrap_or_default(), take("outputs").unwrap_or_default());
    let expected = take("reference_outputs").or_else(|| take("reference"));
    let error = take("error").map(|error| as_text(&error)).filter(|error| !error.is_empty());
    let (run_type, name) = (take("run_type"), take("name"));
    // The outputs of an example are what is right; those of a run are what was said.
    let is_example = run_type.is_none() && expected.is_none();
    let (said, right) = if is_example { (Json::Null, Some(outputs)) } else { (outputs, expected) };
    let model = row.get("extra").and_then(|extra| extra.pointer("/metadata/ls_model_name")).and_then(Json::as_str);
    record::put_exchange(&mut case, &inputs, &said, model.map(str::to_owned));
    case.reference = right.as_ref().and_then(record::references);
    let mut told = Map::new();
    let mut take = |name: &str| row.shift_remove(name).filter(|value| !value.is_null());
    let feedback = [take("feedback"), take("feedback_stats"), take("scores")];
    for listed in feedback.into_iter().flatten() {
        add_feedback(&listed, &mut told);
    }
    let mut metadata = record::metadata(row);
    metadata.insert("inputs".to_owned(), inputs);
    put(&mut metadata, ORIGIN, json!({"from": FORMAT.name(), "run_type": run_type, "name": name, "error": error}));
    case.metadata = metadata;
    (case, told)
}

/// Feedback as a list of `{key, score, comment}`, or as an object of numbers or statistics by key.
fn add_feedback(feedback: &Json, told: &mut Map<String, Json>) {
    let number = |value: &Json| value.as_f64().or_else(|| value.as_bool().map(|yes| f64::from(u8::from(yes))));
    match feedback {
        Json::Array(list) => {
            for entry in list {
                let Some(name) = entry.get("key").and_then(Json::as_str) else { continue };
                if let Some(score) = entry.get("score").and_then(number) {
                    scores::add(told, name, scores::value(score, None, entry.get("comment").and_then(Json::as_str)));
                }
            }
        }
        Json::Object(map) => {
            for (name, entry) in map {
                if let Some(score) = number(entry).or_else(|| entry.get("avg").and_then(Json::as_f64)) {
                    scores::add(told, name, scores::value(score, None, None));
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::read_foreign;

    #[test]
    fn outputs_of_an_example_are_right_and_those_of_a_run_were_said() {
        let text = r#"{"id": "e1", "dataset_id": "d", "inputs": {"question": "Who?"}, "outputs": {"answer": "Ada"}}
            {"id": "r1", "run_type": "chain", "inputs": {"question": "Who?"}, "outputs": {"answer": "Eve"}, "error": null,
             "feedback_stats": {"correct": {"n": 1, "avg": 0.0}}}
            {"id": "r2", "run_type": "llm", "parent_run_id": "r1", "inputs": {}, "outputs": {}}
            {"inputs": {"messages": [{"role": "user", "content": "Hi"}]}, "outputs": {"output": "Hello"},
             "reference_outputs": {"output": "Good day"}, "feedback": [{"key": "polite", "score": 1, "comment": "yes"}]}"#;
        let (format, imported) = read_foreign(text.as_bytes().to_vec(), "f", None, None).unwrap();
        assert_eq!(format, FORMAT);
        let [example, run, row] = &imported.cases[..] else { panic!("{imported:?}") };
        assert_eq!((example.response.is_none(), example.reference.as_deref()), (true, Some(&["Ada".to_owned()][..])));
        assert_eq!(run.response.as_ref().map(|output| output.text.as_str()), Some("Eve"));
        assert_eq!(run.metadata["scores"]["correct"]["value"], 0.0);
        assert_eq!((row.query.as_deref(), row.reference.as_deref()), (Some("Hi"), Some(&["Good day".to_owned()][..])));
        assert_eq!(row.metadata["scores"]["polite"]["value"], 1.0);
        assert_eq!(imported.notes, ["1 run inside of another run is skipped"]);
    }
}
