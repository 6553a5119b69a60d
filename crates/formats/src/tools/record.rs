//! What the records of several tools have in common: fields that hold a text, an object with a text, or messages.

use std::borrow::Cow;

use probare_core::{Case, CaseMessage, Field, Output, Role};
use serde_json::{Map, Value as Json};

use super::content;
use super::document::{as_text, as_texts};
use crate::agents::{self, messages::has_speaker};
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
    if let Some(generated) = generation(value) {
        return field_text(generated, field);
    }
    match value {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        Json::Array(list) if content::is_messages(value) => match field {
            Field::Query => content::question(list),
            _ => content::answer(list).0,
        },
        Json::Array(_) if messages(value).is_some() => {
            let said = conversation(messages(value)?)?;
            let message = match field {
                Field::Query => said.iter().rev().find(|message| message.has_role(Role::User)),
                _ => said.last().filter(|message| message.has_role(Role::Assistant)),
            };
            message.and_then(CaseMessage::spoken_text).map(Cow::into_owned)
        }
        Json::Object(map) if map.contains_key("role") => map.get("content").and_then(content::text),
        Json::Object(_) if has_speaker(value) => {
            conversation(std::slice::from_ref(value))?.first()?.spoken_text().map(Cow::into_owned)
        }
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

/// The messages of a value, where it is a list of them, a list with one such list, or an object with either.
fn messages(value: &Json) -> Option<&[Json]> {
    let list = value.get("messages").unwrap_or(value).as_array()?.as_slice();
    let list = match list {
        [Json::Array(inner)] => inner.as_slice(),
        _ => list,
    };
    (!list.is_empty() && list.iter().all(has_speaker)).then_some(list)
}

/// What a model of LangChain answered: the first of its generations, a message or a text.
fn generation(value: &Json) -> Option<&Json> {
    let first = value.pointer("/generations/0")?;
    let first = first.get(0).unwrap_or(first);
    first.get("message").filter(|message| !message.is_null()).or_else(|| first.get("text"))
}

/// Messages in any shape.
fn conversation(list: &[Json]) -> Option<Vec<CaseMessage>> {
    agents::parse_conversation(&Json::Array(list.to_vec()))?.ok()
}

/// Puts question and answer in, and the conversation where one is there.
pub(super) fn put_exchange(case: &mut Case, input: &Json, output: &Json, model: Option<String>) {
    case.query = field_text(input, Field::Query);
    case.response = field_text(output, Field::Response).map(|text| Output { text, model, repeat: 0 });
    if let Some(asked) = messages(input) {
        let mut single = [Some(output), generation(output), output.get("output")].into_iter().flatten();
        let single = single.find(|value| has_speaker(value)).map(std::slice::from_ref);
        let answered = messages(output).or(single).unwrap_or_default();
        case.messages = conversation(asked).zip(conversation(answered)).map(|(asked, answered)| {
            // Some answers repeat what was asked, perhaps in another shape.
            let is_same = |(one, other): (&CaseMessage, &CaseMessage)| {
                one.role == other.role && one.spoken_text() == other.spoken_text()
            };
            let repeats = answered.len() >= asked.len() && asked.iter().zip(&answered).all(is_same);
            if repeats { answered } else { [asked, answered].concat() }
        });
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
        // LangChain: plain, with the data beside, as a constructor; in a state, in a list of a list, and as a generation.
        let plain =
            json!({"messages": [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "Hello"}], "step": 1});
        assert_eq!(query(plain.clone()).as_deref(), Some("Hi"));
        assert_eq!(field_text(&plain, Field::Response).as_deref(), Some("Hello"));
        assert_eq!(query(json!({"input": [{"type": "human", "data": {"content": "Hi"}}]})).as_deref(), Some("Hi"));
        let built = |class: &str, text: &str| json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", class], "kwargs": {"content": text}});
        assert_eq!(query(json!({"messages": [[built("HumanMessage", "Hi")]]})).as_deref(), Some("Hi"));
        let generated = json!({"generations": [[{"text": "", "message": built("AIMessage", "Hello")}]], "run": null});
        assert_eq!(field_text(&generated, Field::Response).as_deref(), Some("Hello"));
        assert_eq!(
            field_text(&json!({"generations": [[{"text": "Hello"}]]}), Field::Response).as_deref(),
            Some("Hello")
        );
        assert_eq!(query(json!({"a": 1, "b": 2})).as_deref(), Some(r#"{"a":1,"b":2}"#));
        assert_eq!(query(Json::Null), None);
        assert_eq!(unpacked(&json!(r#"{"a": 1}"#)), json!({"a": 1}));
        assert_eq!(unpacked(&json!("{a")), json!("{a"));
    }

    #[test]
    fn an_answer_that_repeats_the_question_in_another_shape_has_it_once() {
        let asked = json!({"messages": [{"role": "user", "content": "Hi"}]});
        let state =
            json!({"messages": [{"type": "human", "content": "Hi", "id": "m1"}, {"type": "ai", "content": "Hello"}]});
        for (output, texts) in [
            (state, vec!["Hi", "Hello"]),
            (json!({"role": "assistant", "content": "Hello"}), vec!["Hi", "Hello"]),
            (json!({"output": {"type": "ai", "data": {"content": "Hello"}}}), vec!["Hi", "Hello"]),
            (json!({"messages": [{"role": "assistant", "content": "Hello"}]}), vec!["Hi", "Hello"]),
            (json!("Hello"), vec!["Hi"]),
        ] {
            let mut case = Case::default();
            put_exchange(&mut case, &asked, &output, None);
            let said: Vec<_> = case.messages.iter().flatten().filter_map(CaseMessage::spoken_text).collect();
            assert_eq!(said, texts, "{output}");
            assert_eq!(case.response.map(|response| response.text).as_deref(), Some("Hello"), "{output}");
        }
    }
}
