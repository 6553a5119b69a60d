//! What the records of several tools have in common: fields that hold a text, an object with a text, or messages.

use probare_core::{Case, Field, Output};
use serde_json::{Map, Value as Json};

use super::content;
use super::document::{as_text, as_texts};
use crate::agents;
use crate::fields::names;

/// A value that is written as JSON inside of a text, as tables write it; any other as it is.
pub(super) fn unpacked(value: &Json) -> Json {
    match value {
        Json::String(text) if text.trim_start().starts_with(['{', '[', '"']) => {
            serde_json::from_str(text).unwrap_or_else(|_| value.clone())
        }
        other => other.clone(),
    }
}

/// The text of a value: a text, that of messages, that of the entry which a field of this kind is called, or the only entry.
/// What is none of these is its JSON.
pub(super) fn field_text(value: &Json, field: Field) -> Option<String> {
    const OTHERS: [&str; 4] = ["output", "content", "text", "messages"];
    match value {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        Json::Array(list) if content::is_messages(value) => match field {
            Field::Query => content::question(list),
            _ => content::answer(list).0,
        },
        Json::Object(map) if map.contains_key("role") => map.get("content").and_then(content::text),
        Json::Object(map) => {
            let named = names(Some(field)).into_iter().chain(OTHERS).find_map(|name| map.get(name));
            match (named, map.len()) {
                (Some(inner), _) => field_text(inner, field),
                (None, 1) => map.values().next().and_then(|inner| field_text(inner, field)),
                _ => Some(value.to_string()),
            }
        }
        other => Some(as_text(other)),
    }
}

/// The messages of a value, where it is a list of them or an object with one.
fn messages(value: &Json) -> Option<&Json> {
    let list = value.get("messages").unwrap_or(value);
    content::is_messages(list).then_some(list)
}

/// Puts question and answer in, and the conversation where one is there.
pub(super) fn put_exchange(case: &mut Case, input: &Json, output: &Json, model: Option<String>) {
    case.query = field_text(input, Field::Query);
    case.response = field_text(output, Field::Response).map(|text| Output { text, model, repeat: 0 });
    if let Some(Json::Array(asked)) = messages(input) {
        let answered = match messages(output) {
            Some(Json::Array(list)) => list.clone(),
            _ if output.get("role").is_some() => vec![output.clone()],
            _ => Vec::new(),
        };
        // Some answers repeat what was asked.
        let list = if answered.starts_with(asked) { answered } else { [asked.clone(), answered].concat() };
        case.messages = agents::parse_conversation(&Json::Array(list)).and_then(Result::ok);
    }
    if case.context.is_none() {
        let texts = names(Some(Field::Context)).into_iter().find_map(|name| {
            let found = output.get(name).or_else(|| input.get(name))?;
            as_texts(found).filter(|texts| !texts.is_empty())
        });
        case.context = texts.map(|texts| texts.iter().map(|text| text.as_str().into()).collect());
    }
}

/// Right answers of a value: a list of texts, or one.
pub(super) fn references(value: &Json) -> Option<Vec<String>> {
    match value {
        Json::Array(list) if !list.is_empty() && list.iter().all(Json::is_string) => as_texts(value),
        other => field_text(other, Field::Reference).map(|text| vec![text]),
    }
}

/// The rest of a record as metadata: an object under `metadata` is its own, and everything else stands beside it.
pub(super) fn metadata(mut row: Map<String, Json>) -> Map<String, Json> {
    let mut metadata = match row.shift_remove("metadata").map(|own| unpacked(&own)) {
        Some(Json::Object(own)) => own,
        Some(Json::Null) | None => Map::new(),
        Some(other) => Map::from_iter([("metadata".to_owned(), other)]),
    };
    for (name, value) in row {
        if value.is_null() {
            continue;
        }
        let name = if metadata.contains_key(&name) { format!("row.{name}") } else { name };
        metadata.insert(name, value);
    }
    metadata
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_text_of_a_field_is_found_in_what_tools_put_around_it() {
        let query = |value: Json| field_text(&value, Field::Query);
        assert_eq!(query(json!("Who?")).as_deref(), Some("Who?"));
        assert_eq!(query(json!({"question": "Who?", "lang": "en"})).as_deref(), Some("Who?"));
        assert_eq!(query(json!({"ticket": "It is broken."})).as_deref(), Some("It is broken."));
        let talk = json!([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]);
        assert_eq!(query(json!({"messages": talk})).as_deref(), Some("Hi"));
        assert_eq!(field_text(&talk, Field::Response).as_deref(), Some("Hello"));
        assert_eq!(query(json!({"a": 1, "b": 2})).as_deref(), Some(r#"{"a":1,"b":2}"#));
        assert_eq!(query(Json::Null), None);
        assert_eq!(unpacked(&json!(r#"{"a": 1}"#)), json!({"a": 1}));
        assert_eq!(unpacked(&json!("{a")), json!("{a"));
    }
}
