//! OpenAI's chats: a whole completion, and the chunks of one that was streamed.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::{Object, list, text};

const CHUNK: &str = "chat.completion.chunk";

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    if text(item, "object") != Some("chat.completion") {
        return None;
    }
    Some(vec![list(item, "choices")?.first()?.get("message")?.clone()])
}

/// The list with every run of chunks put together into the message that they are pieces of.
pub(super) fn join_chunks(items: &[Json]) -> Option<Vec<Json>> {
    let is_chunk = |item: &Json| item.get("object").and_then(Json::as_str) == Some(CHUNK);
    if !items.iter().any(is_chunk) {
        return None;
    }
    let mut joined = Vec::new();
    let mut open: Option<(Json, StreamedMessage)> = None;
    for item in items {
        if !is_chunk(item) {
            joined.extend(open.take().map(|(_, message)| message.into_json()));
            joined.push(item.clone());
            continue;
        }
        let id = item.get("id").cloned().unwrap_or_default();
        if open.as_ref().is_some_and(|(known, _)| *known != id) {
            joined.extend(open.take().map(|(_, message)| message.into_json()));
        }
        let (_, message) = open.get_or_insert_with(|| (id, StreamedMessage::default()));
        let choices = item.get("choices").and_then(Json::as_array).into_iter().flatten();
        // Further answers to the same question are not this one.
        let first = choices.filter(|choice| choice.get("index").and_then(Json::as_u64).unwrap_or(0) == 0);
        first.filter_map(|choice| choice.get("delta")).for_each(|delta| message.add(delta));
    }
    joined.extend(open.map(|(_, message)| message.into_json()));
    Some(joined)
}

/// What the chunks of one message have said so far.
#[derive(Default)]
struct StreamedMessage {
    texts: BTreeMap<&'static str, String>,
    calls: BTreeMap<u64, StreamedCall>,
    /// Members that are not known to come in pieces.
    others: Vec<String>,
}

#[derive(Default)]
struct StreamedCall {
    id: Json,
    name: String,
    arguments: String,
    /// Whether it is one of a tool without a schema, which takes one text.
    is_custom: bool,
}

impl StreamedMessage {
    fn add(&mut self, delta: &Json) {
        for (name, value) in delta.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            let known = ["content", "refusal", "reasoning_content"].into_iter().find(|known| known == name);
            match (known, value) {
                (Some(known), Json::String(piece)) => self.texts.entry(known).or_default().push_str(piece),
                (None, Json::Array(pieces)) if name == "tool_calls" => {
                    for piece in pieces {
                        self.add_call(piece);
                    }
                }
                _ if name == "role" => {}
                _ => self.others.push(name.clone()),
            }
        }
    }

    fn add_call(&mut self, piece: &Json) {
        let call = self.calls.entry(piece.get("index").and_then(Json::as_u64).unwrap_or(0)).or_default();
        if let Some(id) = piece.get("id").filter(|id| !id.is_null()) {
            call.id = id.clone();
        }
        let text = |pointer: &str| piece.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
        call.name.push_str(text("/function/name"));
        call.arguments.push_str(text("/function/arguments"));
        call.is_custom |= piece.get("custom").is_some_and(Json::is_object);
        call.name.push_str(text("/custom/name"));
        call.arguments.push_str(text("/custom/input"));
    }

    fn into_json(self) -> Json {
        let call = |StreamedCall { id, name, arguments, is_custom }: StreamedCall| {
            if is_custom {
                json!({"id": id, "type": "custom", "custom": {"name": name, "input": arguments}})
            } else {
                json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
            }
        };
        let calls: Vec<Json> = self.calls.into_values().map(call).collect();
        let mut message = json!({"role": "assistant", "content": []});
        let parts = &mut message["content"];
        let unread = self.others.iter().map(|name| super::unread(name));
        let texts = ["content", "refusal"].into_iter().filter_map(|name| self.texts.get(name));
        let texts = texts.map(|text| json!({"type": "text", "text": text}));
        *parts = texts.chain(unread).collect();
        if let Some(thought) = self.texts.get("reasoning_content") {
            message["reasoning_content"] = Json::from(thought.as_str());
        }
        message["tool_calls"] = Json::Array(calls);
        message
    }
}
