//! What programs write into spans in place of a value: LangChain's messages, as JSON or as Python shows them, and the envelope
//! in which OpenLLMetry keeps inputs and outputs.

use probare_core::{CaseMessage, Role};
use serde_json::{Map, Value as Json, json};

use crate::agents::messages;

/// The arguments of a tool without the envelope around them.
pub(super) fn arguments(value: &Json) -> Json {
    let held = opened(value);
    match held.as_ref().and_then(Json::as_object) {
        Some(envelope) if envelope.contains_key("inputs") && envelope.contains_key("input_str") => {
            envelope["inputs"].clone()
        }
        _ => value.clone(),
    }
}

/// The message with a result that a value holds; nothing where it is a value of its own.
pub(super) fn message(value: &Json) -> Option<CaseMessage> {
    if let Some(shown) = value.as_str().and_then(shown_message) {
        return Some(shown);
    }
    let held = opened(value)?;
    let object = held.as_object()?;
    let is_message = object.contains_key("tool_call_id") && object.contains_key("content")
        || object.get("lc").is_some() && object.contains_key("kwargs");
    if is_message {
        let mut typed = object.clone();
        if !typed.contains_key("lc") && !typed.contains_key("role") {
            typed.insert("type".to_owned(), Json::from("tool"));
        }
        let read = messages::messages(&[Json::Object(typed)]).ok()?;
        return read.into_iter().find(|message| message.has_role(Role::Tool));
    }
    // OpenLLMetry's envelope.
    let is_envelope =
        object.len() <= 3 && object.keys().all(|key| ["output", "kwargs", "outputs"].contains(&key.as_str()));
    if is_envelope { message(object.get("output").or_else(|| object.get("outputs"))?) } else { None }
}

/// A value that is written as JSON text.
fn opened(value: &Json) -> Option<Json> {
    match value {
        Json::String(text) if text.trim_start().starts_with('{') => serde_json::from_str(text).ok(),
        Json::Object(_) => Some(value.clone()),
        _ => None,
    }
}

/// A message as Python shows it: `content='dry' name='weather' tool_call_id='c1'`.
fn shown_message(text: &str) -> Option<CaseMessage> {
    let mut rest = text.strip_prefix("content=")?;
    let mut found = Map::new();
    let (content, after) = python_text(rest)?;
    found.insert("content".to_owned(), Json::from(content));
    rest = after;
    while let Some((name, value)) = rest.trim_start().split_once('=') {
        if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            break;
        }
        let Some((value, after)) = python_text(value) else { break };
        found.insert(name.to_owned(), Json::from(value));
        rest = after;
    }
    // Without the id of a call it is some text that begins like one.
    let id = found.get("tool_call_id")?;
    let shown = json!({"role": "tool", "tool_call_id": id, "name": found.get("name"), "content": found.get("content"), "status": found.get("status")});
    messages::messages(&[shown]).ok()?.pop()
}

/// A text in Python's quotes, and what follows it.
fn python_text(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
    let mut read = String::new();
    let mut signs = text.char_indices().skip(1);
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' => match signs.next()?.1 {
                'n' => read.push('\n'),
                't' => read.push('\t'),
                'r' => read.push('\r'),
                other => read.push(other),
            },
            sign if sign == quote => return Some((read, &text[at + 1..])),
            sign => read.push(sign),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &Json) -> Option<(Option<String>, Option<String>)> {
        message(value).map(|message| (message.id, message.text))
    }

    #[test]
    fn a_message_is_taken_out_of_what_holds_it() {
        let dry = Some((Some("c1".to_owned()), Some("it's \n dry".to_owned())));
        let kwargs = json!({"content": "it's \n dry", "tool_call_id": "c1", "name": "weather", "status": "success"});
        let constructor = json!({"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "ToolMessage"], "kwargs": kwargs});
        let plain = json!({"content": "it's \n dry", "type": "tool", "tool_call_id": "c1"});
        let shown = json!("content=\"it's \\n dry\" name='weather' tool_call_id='c1'");
        for value in [
            &constructor,
            &plain,
            &shown,
            &Json::from(constructor.to_string()),
            &json!({"output": constructor, "kwargs": {}}),
        ] {
            assert_eq!(read(value), dry, "{value}");
        }
        for value in
            [json!("dry"), json!({"content": "dry"}), json!("content='dry'"), json!([1]), json!({"output": "dry"})]
        {
            assert_eq!(read(&value), None, "{value}");
        }
    }

    #[test]
    fn arguments_are_taken_out_of_their_envelope() {
        let envelope = json!({"input_str": "{'city': 'Rome'}", "tags": [], "metadata": {}, "inputs": {"city": "Rome"}});
        assert_eq!(arguments(&Json::from(envelope.to_string())), json!({"city": "Rome"}));
        assert_eq!(arguments(&json!("{\"city\": \"Rome\"}")), json!("{\"city\": \"Rome\"}"));
    }
}
