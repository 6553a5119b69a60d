//! Messages of the GenAI conventions: a role and parts. What does not have their shape is read as far as it goes.

use probare_core::{CaseMessage, CaseMessagePart, CaseToolCall, Role};
use serde_json::{Map, Value as Json};

use super::losses::TraceLossKind;
use super::model_call::SpanReader;
use crate::agents::calls::id_text;
use crate::agents::messages::{self, MessageBuilder, result_text};

/// A message, which is several of ours where it holds results.
pub(super) fn message(value: &Json, place: &str, reading: &mut SpanReader<'_>) -> Vec<CaseMessage> {
    let Some(given) = value.get("role").and_then(Json::as_str) else {
        reading.lose(TraceLossKind::NotInSchema, format!("{place}/role"));
        return Vec::new();
    };
    let mut message = CaseMessage::new(messages::role(given));
    message.role_given = Some(given).filter(|given| *given != message.role.name()).map(str::to_owned);
    message.name = value.get("name").and_then(Json::as_str).map(str::to_owned);
    reading.check_role(&message);
    let parts = match value.get("parts") {
        Some(Json::Array(parts)) => parts.as_slice(),
        Some(single @ Json::Object(_)) => {
            reading.lose(TraceLossKind::NotInSchema, format!("{place}/parts"));
            std::slice::from_ref(single)
        }
        _ => {
            reading.lose(TraceLossKind::NotInSchema, format!("{place}/parts"));
            // Some write the messages of chats here.
            let is_chat = value.get("content").is_some() || value.get("tool_calls").is_some();
            return match is_chat.then(|| messages::messages(std::slice::from_ref(value))) {
                Some(Ok(read)) => read,
                _ => vec![message],
            };
        }
    };
    let mut current = MessageBuilder::new(message);
    let mut read = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        add_part(part, &format!("{place}/parts/{number}"), &mut current, &mut read, reading);
    }
    current.flush(&mut read);
    read
}

/// Instructions: parts of a system message.
pub(super) fn instructions(value: &Json, name: &str, reading: &mut SpanReader<'_>) -> Option<CaseMessage> {
    let is_text = value.as_str().is_some_and(|text| !text.trim_start().starts_with(['[', '{', '"']));
    let value = if is_text {
        reading.lose(TraceLossKind::NotInSchema, name);
        std::borrow::Cow::Borrowed(value)
    } else {
        reading.json(name, value)?
    };
    let parts = value.as_array().map_or(std::slice::from_ref(value.as_ref()), Vec::as_slice);
    let mut current = MessageBuilder::new(CaseMessage::new(Role::System));
    let said = &mut current.message.parts;
    for (number, part) in parts.iter().enumerate() {
        let place = format!("{name}/{number}");
        match (part, part.get("type").and_then(Json::as_str)) {
            (Json::String(text), _) => said.push(CaseMessagePart::Text { text: text.clone() }),
            (Json::Object(object), Some("text")) => {
                said.extend(words(object, &place, reading).map(|text| CaseMessagePart::Text { text }));
            }
            (Json::Object(object), Some("generic")) => said.push(generic(object, &place, reading)),
            _ => reading.lose(TraceLossKind::UnknownPart, place),
        }
    }
    if said.is_empty() {
        return None;
    }
    let mut read = Vec::new();
    current.flush(&mut read);
    read.pop()
}

/// The words of a part.
fn words(object: &Map<String, Json>, place: &str, reading: &mut SpanReader<'_>) -> Option<String> {
    let text = ["content", "text"].into_iter().find_map(|name| object.get(name)?.as_str());
    if text.is_none() {
        reading.lose(TraceLossKind::NotInSchema, format!("{place}/content"));
    }
    text.map(str::to_owned)
}

fn generic(object: &Map<String, Json>, place: &str, reading: &mut SpanReader<'_>) -> CaseMessagePart {
    reading.lose(TraceLossKind::UnknownPart, place);
    let text = |name: &str| object.get(name).and_then(Json::as_str);
    CaseMessagePart::Other {
        kind: text("generic_type").or_else(|| text("type")).unwrap_or("unknown").to_owned(),
        source: None,
    }
}

fn add_part(
    value: &Json,
    place: &str,
    current: &mut MessageBuilder,
    read: &mut Vec<CaseMessage>,
    reading: &mut SpanReader<'_>,
) {
    let object = match value {
        Json::Object(object) => object,
        Json::String(text) => {
            reading.lose(TraceLossKind::NotInSchema, place);
            current.message.parts.push(CaseMessagePart::Text { text: text.clone() });
            return;
        }
        _ => return reading.lose(TraceLossKind::NotInSchema, place),
    };
    let text = |name: &str| object.get(name).and_then(Json::as_str);
    let id = || object.get("id").and_then(id_text);
    let held = |names: &[&str]| names.iter().find_map(|name| object.get(*name)).filter(|value| !value.is_null());
    match text("type") {
        Some("text") => {
            current.message.parts.extend(words(object, place, reading).map(|text| CaseMessagePart::Text { text }));
        }
        Some("reasoning") => {
            current.message.parts.extend(words(object, place, reading).map(|text| CaseMessagePart::Reasoning { text }));
        }
        Some(kind @ ("tool_call" | "server_tool_call")) => {
            let Some(name) = text("name") else {
                return reading.lose(TraceLossKind::NotInSchema, format!("{place}/name"));
            };
            let server = kind == "server_tool_call";
            let arguments = held(&[if server { "server_tool_call" } else { "arguments" }]).cloned();
            // A call may have no arguments; what the provider ran by itself stands nowhere else.
            if server && arguments.is_none() {
                reading.lose(TraceLossKind::NotInSchema, format!("{place}/server_tool_call"));
            }
            let call = CaseToolCall { id: id(), name: name.to_owned(), server, ..CaseToolCall::default() };
            current.message.tool_calls.push(call.with_arguments(arguments.unwrap_or_default()));
        }
        Some(kind @ ("tool_call_response" | "server_tool_call_response")) => {
            let given = held(&["response", "result", "server_tool_call_response"]);
            if given.is_none() && !["response", "result"].iter().any(|name| object.contains_key(*name)) {
                let name = if kind == "tool_call_response" { "response" } else { kind };
                reading.lose(TraceLossKind::NotInSchema, format!("{place}/{name}"));
            }
            let result = CaseMessage {
                id: id(),
                name: text("name").map(str::to_owned),
                text: given.map(result_text),
                ..CaseMessage::new(Role::Tool)
            };
            current.cut(read, result);
        }
        Some(kind @ ("blob" | "file" | "uri")) => {
            reading.lose(TraceLossKind::BinaryPart, place);
            let source = ["uri", "file_id"].into_iter().find_map(text);
            let source = source.filter(|source| source.len() <= 1_000 && !source.starts_with("data:"));
            let kind = text("modality").unwrap_or(kind).to_owned();
            current.message.parts.push(CaseMessagePart::Other { kind, source: source.map(str::to_owned) });
        }
        _ => current.message.parts.push(generic(object, place, reading)),
    }
}
