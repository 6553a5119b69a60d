//! Instance records of Every Eval Ever, version 0.3: one sample a line, with its conversation where there was one.

use probare_core::{Case, Output};
use serde_json::{Map, Value as Json, json};

use crate::agents;
use crate::tools::document::{SourceDocument, as_text, as_texts};
use crate::tools::{ImportError, ImportFormat, ImportedCases, ORIGIN, put, scores};

const FORMAT: ImportFormat = ImportFormat::Eee;

/// Whether an object is such a record.
pub(in crate::tools) fn is_eee_record(value: &Map<String, Json>) -> bool {
    ["schema_version", "sample_id", "interaction_type"].iter().all(|key| value.contains_key(*key))
}

pub(in crate::tools) fn read(document: &SourceDocument) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let mut imported = ImportedCases::default();
    for value in document.values(&text, FORMAT)? {
        let row: Map<String, Json> = document.parse_part(&text, value, FORMAT)?;
        let number = imported.cases.len() + 1;
        let broken = |reason: String| document.broken(FORMAT, &format!("record {number}"), reason);
        let (case, told) = case(row).map_err(broken)?;
        imported.push(case, told);
    }
    Ok(imported)
}

fn case(mut row: Map<String, Json>) -> Result<(Case, Map<String, Json>), String> {
    let id = row.shift_remove("sample_id").map(|id| as_text(&id)).ok_or("it has no `sample_id`")?;
    let mut case = Case { id, ..Case::default() };
    if let Some(Json::Array(mut messages)) = row.shift_remove("messages").filter(|messages| !messages.is_null()) {
        // The order of the file holds among those of one number.
        messages.sort_by_key(|message| message.get("turn_idx").and_then(Json::as_i64).unwrap_or(i64::MAX));
        let list = Json::Array(messages);
        let read = agents::parse_conversation(&list).ok_or("`messages` is not a list of objects with `role`")?;
        case.messages = Some(read.map_err(|misfit| format!("`{}` {}", misfit.column, misfit.reason))?);
    }
    let input = row.shift_remove("input").unwrap_or_default();
    case.query = input.get("raw").and_then(Json::as_str).map(str::to_owned);
    case.reference = input.get("reference").and_then(as_texts).filter(|texts| !texts.is_empty());
    let output = row.shift_remove("output").unwrap_or_default();
    let said = match output.get("raw") {
        Some(Json::Array(list)) => list.first().and_then(Json::as_str),
        Some(other) => other.as_str(),
        None => None,
    };
    let model = row.get("model_id").and_then(Json::as_str).map(str::to_owned);
    case.response = said.map(Output::new);
    agents::fill_query_and_response(&mut case);
    case.response = case.response.map(|output| Output { model, ..output });
    let mut told = Map::new();
    // A sample that ended with an error has a number all the same, and it says nothing of an answer.
    if let Some(error) = row.get("error").and_then(Json::as_str) {
        case.response = None;
        scores::add(&mut told, "score", scores::failed(error));
    } else if let Some(score) =
        row.get("evaluation").and_then(|evaluation| evaluation.get("score")).and_then(Json::as_f64)
    {
        scores::add(&mut told, "score", scores::value(score, None, None));
    }
    let mut metadata = row;
    put(&mut metadata, ORIGIN, json!({"from": FORMAT.name()}));
    Ok((Case { metadata, ..case }, told))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::read_foreign;

    #[test]
    fn a_record_brings_its_conversation_in_the_order_of_turns() {
        let text = r#"{"schema_version":"0.3.0","sample_id":"s1","interaction_type":"agentic","model_id":"m","input":{"raw":"Rain?","reference":["dry"]},"output":{"raw":["It is dry."]},"token_usage":{"input_tokens":3},"evaluation":{"score":1.0,"num_turns":1},"messages":[{"turn_idx":2,"role":"tool","content":"dry","tool_call_id":["a","b"]},{"turn_idx":1,"role":"assistant","content":null,"reasoning_trace":["hm"],"tool_calls":[{"id":"a","name":"w","arguments":null},{"id":"b","name":"w","arguments":{"x":1}}]},{"turn_idx":0,"role":"user","content":"Rain?"}]}"#;
        let (format, imported) = read_foreign(text.as_bytes().to_vec(), "f", None, None).unwrap();
        let case = &imported.cases[0];
        let messages = serde_json::to_value(&case.messages).unwrap();
        assert_eq!(format, FORMAT);
        assert_eq!((case.id.as_str(), case.query.as_deref()), ("s1", Some("Rain?")));
        assert_eq!(case.response.as_ref().unwrap().model.as_deref(), Some("m"));
        assert_eq!(messages[1]["tool_calls"][0], json!({"id": "a", "name": "w", "arguments": {}}));
        assert_eq!(messages[1]["parts"], json!([{"type": "reasoning", "text": "hm"}]));
        assert_eq!(messages[3], json!({"role": "tool", "id": "b", "text": "dry"}));
        assert_eq!(case.metadata["token_usage"]["input_tokens"], 3);
        assert_eq!(case.metadata["scores"]["score"]["value"], 1.0);
    }

    #[test]
    fn a_record_without_messages_is_a_plain_case() {
        let text = r#"{"schema_version":"0.3.0","sample_id":7,"interaction_type":"single_turn","input":{"raw":"q"},"output":{"raw":"a"}}"#;
        let (_, imported) = read_foreign(text.as_bytes().to_vec(), "f", None, None).unwrap();
        let case = &imported.cases[0];
        assert_eq!((case.id.as_str(), case.messages.is_none()), ("7", true));
        assert_eq!(case.response, Some(Output::new("a")));
    }
}
