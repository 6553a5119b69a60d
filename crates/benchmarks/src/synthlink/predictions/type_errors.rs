//! Values of a wrong type: where they stand, in words for the user.

use serde_json::Value as Json;

/// Where a value of a wrong type stands, and what is wrong with it.
pub(super) type TypeError = (String, String);

/// What is wrong with a document that is not a list.
pub(super) fn document_error(document: &Json) -> TypeError {
    wrong("the document", document, "a list of predictions")
}

/// The first value of a wrong type in the prediction of this index.
pub(super) fn prediction_error(index: usize, prediction: &Json) -> Option<TypeError> {
    let path = format!("[{index}]");
    let Json::Object(fields) = prediction else { return Some(wrong(&path, prediction, "an object")) };
    match fields.get("question_id") {
        None => return Some((path, "has no `question_id`".to_owned())),
        Some(Json::String(_)) => {}
        Some(other) => return Some(wrong(&format!("{path}.question_id"), other, "a string")),
    }
    let answer = fields.get("predicted_answer").filter(|value| !value.is_string());
    if let Some(other) = answer {
        return Some(wrong(&format!("{path}.predicted_answer"), other, "a string"));
    }
    let texts = ["retrieved_docs", "sources_verified"];
    let strings = texts.iter().find_map(|key| no_strings(&format!("{path}.{key}"), fields.get(*key)?));
    strings.or_else(|| no_iterations(&format!("{path}.iterations"), fields.get("iterations")?))
}

fn no_strings(path: &str, value: &Json) -> Option<TypeError> {
    let Json::Array(items) = value else { return Some(wrong(path, value, "a list of strings")) };
    let (at, item) = items.iter().enumerate().find(|(_, item)| !item.is_string())?;
    Some(wrong(&format!("{path}[{at}]"), item, "a string"))
}

fn no_iterations(path: &str, value: &Json) -> Option<TypeError> {
    let Json::Array(items) = value else { return Some(wrong(path, value, "a list of objects")) };
    items.iter().enumerate().find_map(|(at, item)| {
        let path = format!("{path}[{at}]");
        match item {
            Json::Object(fields) => no_strings(&format!("{path}.answers"), fields.get("answers")?),
            other => Some(wrong(&path, other, "an object with `answers`")),
        }
    })
}

fn wrong(path: &str, value: &Json, expected: &str) -> TypeError {
    (path.to_owned(), format!("is {}; {expected} is expected", name(value)))
}

fn name(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}
