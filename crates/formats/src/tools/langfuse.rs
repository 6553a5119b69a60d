//! Langfuse: items of a data set, traces and generations, as its API, its pages and its exports to storage write them.

use probare_core::{Case, Outcome};
use serde_json::{Map, Value as Json, json};

use super::document::{SourceDocument, as_text};
use super::{ImportError, ImportFormat, ImportedCases, ORIGIN, put, record, scores};

const FORMAT: ImportFormat = ImportFormat::Langfuse;

/// A key in the spelling of the API or in that of the exports.
fn get<'a>(row: &'a Map<String, Json>, key: &str) -> Option<&'a Json> {
    row.get(key).or_else(|| row.get(&snake_case(key))).filter(|value| !value.is_null())
}

fn snake_case(key: &str) -> String {
    key.chars().fold(String::new(), |mut out, letter| {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
        out
    })
}

/// Whether an object is an item, a trace or an observation.
pub(super) fn is_record(value: &Map<String, Json>) -> bool {
    let has = |key: &str| value.contains_key(key) || value.contains_key(&snake_case(key));
    if value.get("trace").is_some_and(Json::is_object) && value.get("observations").is_some_and(Json::is_array) {
        return true;
    }
    let is_item = has("expectedOutput") && (has("datasetId") || has("datasetName") || has("sourceTraceId"));
    let is_traced = ["projectId", "sessionId", "traceId", "observations", "htmlPath"].into_iter().any(has);
    is_item || value.contains_key("input") && value.contains_key("output") && is_traced
}

pub(super) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let mut rows: Vec<Map<String, Json>> = Vec::new();
    for value in document.values(&text, FORMAT)? {
        let mut row: Map<String, Json> = document.parse_part(&text, value, FORMAT)?;
        // The download of a trace has it beside its observations and scores.
        if let Some(Json::Object(trace)) = row.shift_remove("trace") {
            let beside = std::mem::replace(&mut row, trace);
            row.extend(beside);
        }
        rows.push(row);
    }
    // Of observations the outermost are cases: the others are what they did. Where a file has none of these, its generations are.
    let is_inner = |row: &Map<String, Json>| get(row, "parentObservationId").is_some();
    let is_observation = |row: &Map<String, Json>| get(row, "traceId").is_some();
    let has_outermost = rows.iter().any(|row| is_observation(row) && !is_inner(row));
    let mut imported = ImportedCases::default();
    let mut others = 0;
    for row in rows {
        let is_generation = get(&row, "type").is_some_and(|kind| kind == "GENERATION");
        if is_observation(&row) && is_inner(&row) && (has_outermost || !is_generation) {
            others += 1;
            continue;
        }
        let (case, told) = record_case(row, imported.cases.len() + 1);
        imported.push(case, told);
    }
    if others > 0 {
        imported.notes.push(format!("{others} observations inside of others are skipped"));
    }
    Ok(imported)
}

fn record_case(mut row: Map<String, Json>, number: usize) -> (Case, Map<String, Json>) {
    let text = |key: &str| get(&row, key).map(as_text);
    let value = |key: &str| get(&row, key).map(record::unpacked).unwrap_or_default();
    let (input, output, expected) = (value("input"), value("output"), value("expectedOutput"));
    let mut case = Case { id: text("id").unwrap_or_else(|| number.to_string()), ..Case::default() };
    let model = text("model").or_else(|| text("providedModelName"));
    record::put_exchange(&mut case, &input, &output, model);
    case.reference = record::references(&expected);
    let tags = value("tags");
    case.tags = tags.as_array().into_iter().flatten().map(as_text).collect();
    let error = text("statusMessage").filter(|_| get(&row, "level").is_some_and(|level| level == "ERROR"));
    let mut told = Map::new();
    for score in value("scores").as_array().into_iter().flatten().filter_map(Json::as_object) {
        let Some(name) = score.get("name").and_then(Json::as_str) else { continue };
        let (word, comment) =
            (get(score, "stringValue").and_then(Json::as_str), get(score, "comment").and_then(Json::as_str));
        let is_word = get(score, "dataType").is_some_and(|kind| kind == "CATEGORICAL");
        let outcome = match score.get("value").and_then(Json::as_f64).filter(|_| !is_word) {
            Some(number) => scores::value(number, word, comment),
            None => Ok(Outcome::not_applicable(format!("Langfuse has the word `{}`", word.unwrap_or_default()))),
        };
        scores::add(&mut told, name, outcome);
    }
    let origin = json!({"from": FORMAT.name(), "name": text("name"), "error": error});
    for key in ["id", "input", "output", "expectedOutput", "expected_output", "tags", "scores", "observations"] {
        row.shift_remove(key);
    }
    let mut metadata = record::metadata(row);
    if input.is_object() {
        metadata.insert("input".to_owned(), input);
    }
    put(&mut metadata, ORIGIN, origin);
    case.metadata = metadata;
    (case, told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::read_foreign;

    #[test]
    fn items_traces_and_generations_become_cases() {
        let text = r#"{"id": "i1", "datasetId": "d", "datasetName": "desk", "input": {"question": "Who?"}, "expectedOutput": "Ada", "metadata": {"lang": "en"}}
            {"id": "t1", "name": "chat", "projectId": "p", "input": "Who?", "output": "Eve", "tags": ["prod"],
             "scores": [{"name": "correct", "value": 0, "dataType": "BOOLEAN", "comment": "no"},
                        {"name": "tone", "value": 0, "stringValue": "cold", "dataType": "CATEGORICAL"}]}
            {"id": "o1", "trace_id": "t1", "parent_observation_id": "o2", "type": "SPAN", "input": "{}", "output": "x"}
            {"id": "o2", "trace_id": "t1", "type": "GENERATION", "input": "[{\"role\": \"user\", \"content\": \"Who?\"}]", "output": "{\"role\": \"assistant\", \"content\": \"Eve\"}", "provided_model_name": "small"}"#;
        let (format, imported) = read_foreign(text.as_bytes().to_vec(), "f", None, None).unwrap();
        assert_eq!(format, FORMAT);
        let [item, trace, generation] = &imported.cases[..] else { panic!("{imported:?}") };
        assert_eq!((item.query.as_deref(), item.reference.as_deref()), (Some("Who?"), Some(&["Ada".to_owned()][..])));
        assert_eq!(item.metadata["lang"], "en");
        assert_eq!(trace.metadata["scores"]["correct"]["value"], 0.0);
        assert!(trace.metadata["scores"]["tone"]["not_applicable"].as_str().unwrap().contains("cold"));
        assert_eq!(trace.tags, ["prod"]);
        let answer = generation.response.as_ref().unwrap();
        assert_eq!((answer.text.as_str(), answer.model.as_deref()), ("Eve", Some("small")));
        assert_eq!(generation.messages.as_ref().map(Vec::len), Some(2));
        assert_eq!(imported.notes, ["1 observations inside of others are skipped"]);
    }
}
