//! Objects of other packages as rows, passages and texts, by what they can do: no package is needed for it.
//!
//! Rows may be dataclasses, named tuples, models of pydantic, classes of attrs and msgspec, a `Series` of pandas. Replies of `OpenAI` and Anthropic, messages of
//! `LangChain` and responses of `LlamaIndex` stand for the text that they hold.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use serde_json::{Map, Value as Json, json};

type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Methods that give an object as a dict, the most widespread first.
const AS_DICT: [&str; 3] = ["model_dump", "_asdict", "to_dict"];

/// The members of an object that can say them; nothing for any other value, a class among them.
pub fn members<'py>(value: &Bound<'py, PyAny>) -> Option<Vec<Pair<'py>>> {
    if value.is_instance_of::<PyType>() || value.is_instance_of::<PyDict>() {
        return None;
    }
    for method in AS_DICT {
        let found = value.getattr(method).ok().filter(|method| method.is_callable());
        if let Some(dict) =
            found.and_then(|method| method.call0().ok()).and_then(|told| told.cast_into::<PyDict>().ok())
        {
            return Some(dict.iter().collect());
        }
    }
    let member = |name: Bound<'py, PyAny>| {
        let text: String = name.extract().ok()?;
        Some((name, value.getattr(text).ok()?))
    };
    Some(field_names(value)?.into_iter().filter_map(member).collect())
}

/// The names of the fields that a class declares, as dataclasses, attrs and msgspec do.
fn field_names<'py>(value: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(fields) = value.getattr("__dataclass_fields__") {
        return Some(fields.cast::<PyDict>().ok()?.keys().iter().collect());
    }
    let listed = |name: &str| value.getattr(name).ok()?.try_iter().ok()?.collect::<PyResult<Vec<_>>>().ok();
    if let Some(attributes) = listed("__attrs_attrs__") {
        return attributes.into_iter().map(|attribute| attribute.getattr("name").ok()).collect();
    }
    listed("__struct_fields__")
}

/// The text that an object stands for: the reply in what a model's SDK gives, the content of a message.
pub fn text(value: &Bound<'_, PyAny>) -> Option<String> {
    let is_plain = value.hasattr("__dataclass_fields__").ok()? || value.hasattr("model_dump").ok()?;
    if !is_plain || value.is_instance_of::<PyType>() {
        return None;
    }
    let member = |name: &str| value.getattr(name).ok();
    if let Some(text) = member("output_text").and_then(|text| text.extract().ok()) {
        return Some(text);
    }
    if let Some(first) = member("choices").and_then(|choices| choices.get_item(0).ok()) {
        let content = first.getattr("message").and_then(|message| message.getattr("content"));
        return content.or_else(|_| first.getattr("text")).ok()?.extract().ok();
    }
    if member("source_nodes").is_some() {
        return member("response")?.extract().ok();
    }
    content(&member("content")?)
}

/// The content of a message: a text, or parts of which some are texts.
fn content(content: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(text) = content.extract::<String>() {
        return Some(text);
    }
    let mut texts = Vec::new();
    for part in content.try_iter().ok()? {
        let part = part.ok()?;
        let text = part.get_item("text").or_else(|_| part.getattr("text"));
        texts.extend(text.ok().and_then(|text| text.extract::<String>().ok()));
    }
    (!texts.is_empty()).then(|| texts.concat())
}

/// A node of `LlamaIndex` with its score as the passage that it holds; any other value as it is.
pub fn passage(value: Json) -> Json {
    let Some(node) = value.get("node") else { return value };
    let text = node.get("text").or_else(|| node.pointer("/text_resource/text"));
    match text.and_then(Json::as_str) {
        Some(text) => json!({"text": text, "metadata": node.get("metadata").cloned().unwrap_or_else(|| json!({}))}),
        None => value,
    }
}

/// What a row that was an object has under names of its own: the passages of a response of `LlamaIndex`, the reply in one of
/// `OpenAI`.
pub fn add_fields(row: &mut Map<String, Json>) {
    if let Some(Json::Array(nodes)) = row.get("source_nodes").filter(|_| !row.contains_key("context")) {
        let passages = nodes.iter().cloned().map(passage).collect();
        row.insert("context".to_owned(), Json::Array(passages));
    }
    let reply = row.get("choices").and_then(|choices| choices.pointer("/0/message/content"));
    if let Some(reply) = reply.filter(|_| !row.contains_key("response")).cloned() {
        row.insert("response".to_owned(), reply);
    }
}
