//! Reads the cases of pages and vectors: the fields of the contract by their own names, and nothing else.

use probare_core::{Case, Output, Passage};
use serde_json::{Map, Value};

/// The case that a JSON object describes. Panics on a field that no case has, so that a slip in a page is seen.
pub fn read(json: &Value) -> Case {
    let mut case = Case { id: "example".into(), ..Case::default() };
    for (name, value) in json.as_object().expect("a case is an object") {
        match name.as_str() {
            "id" => case.id = string(value),
            "query" => case.query = Some(string(value)),
            "response" => case.response = Some(Output::new(string(value))),
            "context" => case.context = Some(list(value).iter().map(passage).collect()),
            "reference" if value.is_string() => case.reference = Some(vec![string(value)]),
            "reference" => case.reference = Some(strings(value)),
            "citations" => {
                case.citations = Some(serde_json::from_value(value.clone()).expect("citations of the contract"));
            }
            "retrieved" => case.retrieved = Some(strings(value)),
            "relevant" => case.relevant = Some(strings(value)),
            "messages" => case.messages = Some(normal(value)),
            "tools" => case.tools = Some(normal(value)),
            "tool_calls" => case.tool_calls = Some(normal(value)),
            "expected_tool_calls" => case.expected_tool_calls = Some(normal(value)),
            "expected_messages" => case.expected_messages = Some(normal(value)),
            "turns" => case.turns = Some(normal(value)),
            "tags" => case.tags = strings(value),
            "metadata" => case.metadata.clone_from(value.as_object().expect("metadata is an object")),
            other => panic!("a case has no field `{other}`"),
        }
    }
    case
}

/// What is written in our own form.
fn normal<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{value} is not in the normal form: {error}"))
}

fn passage(value: &Value) -> Passage {
    let Some(object) = value.as_object() else {
        return string(value).as_str().into();
    };
    let text = object.get("text").or_else(|| object.get("page_content")).map(string).expect("a passage has a text");
    let metadata = object.get("metadata").and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
    Passage { text, metadata }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn strings(value: &Value) -> Vec<String> {
    list(value).iter().map(string).collect()
}

fn string(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// The case that a row of a labelled set is for its metric.
pub fn labelled_case(row: &Value) -> Case {
    let text = |names: &[&str]| names.iter().find_map(|name| row[*name].as_str()).map(str::to_owned);
    Case {
        query: text(&["question", "query", "user"]),
        response: text(&["answer", "response", "assistant"]).map(Output::new),
        reference: ["golds", "references", "reference"].iter().find_map(|name| row.get(*name)).map(texts),
        context: row.get("context").map(|context| texts(context).iter().map(|text| text.as_str().into()).collect()),
        metadata: row.get("expected").map(|expected| ("metric".to_owned(), expected.clone())).into_iter().collect(),
        ..Case::default()
    }
}
