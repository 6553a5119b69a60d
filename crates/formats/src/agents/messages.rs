//! Messages of a conversation in any of the shapes that other tools write, made into ours.
//!
//! One message of another tool becomes several of ours where it holds results beside other things; items of OpenAI's
//! responses, which are less than messages, are put together.

use std::borrow::Cow;

use probare_core::{CaseMessage, CaseMessagePart, CaseToolCall, Role, Speaker, ToolResultError, json_to_text};
use serde_json::{Map, Value as Json};

use super::calls::{self, CallKind, id_text};
use super::shapes;

/// Items of OpenAI's responses that stand for themselves.
const ITEMS: [&str; 3] = ["function_call", "function_call_output", "reasoning"];

/// Members of a message that hold no words, calls or results, whatever their names say.
const MEMBERS_ASIDE: [&str; 9] = [
    "tool_call_id",
    "tool_call_ids",
    "tool_call_chunks",
    "tool_name",
    "toolCallId",
    "toolInvocations",
    "tool_choice",
    "additional_kwargs",
    "function",
];

/// Members of a block of words that say something about them.
const BLOCK_MEMBERS_ASIDE: [&str; 10] = [
    "annotations",
    "citations",
    "cache_control",
    "metadata",
    "providerMetadata",
    "videoMetadata",
    "video_metadata",
    "partMetadata",
    "part_metadata",
    "extras",
];

/// Whether a value is a list of messages: one that is known as such suffices, since what is not is kept as unread.
pub(super) fn are_messages(value: &Json) -> bool {
    value.as_array().is_some_and(|list| list.is_empty() || list.iter().any(is_message))
}

/// Whether a value is a message, or another item of a transcript.
pub(super) fn is_message(value: &Json) -> bool {
    let Some(object) = value.as_object() else { return false };
    speaker(object).is_some() || is_item(object) || shapes::rewrite_item(object).is_some() || is_chunk(object)
}

/// Whether a value has a speaker: a role, or who sent it.
pub(crate) fn has_speaker(value: &Json) -> bool {
    value.as_object().is_some_and(|object| speaker(object).is_some())
}

fn is_chunk(object: &Map<String, Json>) -> bool {
    object.get("object").and_then(Json::as_str) == Some("chat.completion.chunk")
}

fn is_item(object: &Map<String, Json>) -> bool {
    object.get("type").and_then(Json::as_str).is_some_and(|kind| ITEMS.contains(&kind))
}

/// Who speaks, as the source calls it, and the object that holds what is said.
fn speaker(object: &Map<String, Json>) -> Option<(&str, &Map<String, Json>)> {
    match object.get("role").and_then(Json::as_str) {
        Some(role) => Some((role, object)),
        None => shapes::langchain::speaker(object),
    }
}

/// The role that a word stands for.
pub(crate) fn role(given: &str) -> Speaker {
    match given {
        "user" | "human" => Role::User.into(),
        "assistant" | "ai" | "model" | "bot" | "AIMessageChunk" => Role::Assistant.into(),
        "system" | "developer" => Role::System.into(),
        "tool" | "function" | "tool_result" | "ipython" => Role::Tool.into(),
        other => Speaker::Other(other.to_owned()),
    }
}

/// All messages; the number of the one that cannot be read, with the reason.
pub(crate) fn messages(list: &[Json]) -> Result<Vec<CaseMessage>, (usize, String)> {
    let mut reader = MessageReader::default();
    let joined = shapes::join_items(list);
    for (number, value) in joined.as_deref().unwrap_or(list).iter().enumerate() {
        reader.message(value).map_err(|reason| (number, reason))?;
    }
    Ok(reader.messages)
}

#[derive(Default)]
struct MessageReader {
    messages: Vec<CaseMessage>,
    /// Whether the last message was put together from items and may go on.
    is_open: bool,
}

impl MessageReader {
    fn message(&mut self, value: &Json) -> Result<(), String> {
        let Some(object) = value.as_object() else {
            self.unread_item(shapes::json_kind(value));
            return Ok(());
        };
        if is_item(object) && !object.contains_key("role") {
            return self.item(object);
        }
        if let Some(items) = shapes::rewrite_item(object) {
            items.iter().try_for_each(|item| self.message(item))?;
            // What its shape skipped.
            for name in unknown_call_lists(object).filter(|name| items.iter().all(|item| item.get(*name).is_none())) {
                self.unread_item(name);
            }
            return Ok(());
        }
        self.plain_message(object)
    }

    /// What the reader does not know: it is there, and it is no message of anybody.
    fn unread_item(&mut self, kind: &str) {
        self.is_open = false;
        self.messages
            .push(CaseMessage { parts: vec![unread(kind)], ..CaseMessage::new(Speaker::Other("unread".to_owned())) });
    }

    fn plain_message(&mut self, object: &Map<String, Json>) -> Result<(), String> {
        let Some((given, body)) = speaker(object) else {
            self.unread_item(shapes::object_kind(object));
            return Ok(());
        };
        self.is_open = false;
        let role = role(given);
        let mut message = CaseMessage::new(role);
        message.name = body.get("name").and_then(Json::as_str).map(str::to_owned);
        let before = body.get("role_given").and_then(Json::as_str);
        message.role_given = before.or(Some(given)).filter(|given| *given != message.role.name()).map(str::to_owned);
        match message.role {
            Speaker::Known(Role::Tool) => self.result(message, body),
            _ => self.add_content_message(message, body),
        }
    }

    /// An item of OpenAI's responses.
    fn item(&mut self, object: &Map<String, Json>) -> Result<(), String> {
        match object.get("type").and_then(Json::as_str) {
            Some("function_call_output") => {
                self.is_open = false;
                let mut message = CaseMessage::new(Role::Tool);
                message.id = object.get("call_id").and_then(id_text);
                set_result(&mut message, object.get("output"));
                self.messages.push(message);
            }
            Some("function_call") => {
                let call = calls::call(&Json::Object(object.clone()), CallKind::Made)?;
                self.open().tool_calls.push(call);
            }
            _ => {
                let texts =
                    ["summary", "content"].into_iter().filter_map(|name| object.get(name)?.as_array()).flatten();
                let texts: Vec<CaseMessagePart> = texts
                    .filter_map(|part| part.get("text")?.as_str())
                    .map(|text| CaseMessagePart::Reasoning { text: text.to_owned() })
                    .collect();
                if !texts.is_empty() {
                    self.open().parts.extend(texts);
                }
            }
        }
        Ok(())
    }

    /// The assistant's message that items go into.
    fn open(&mut self) -> &mut CaseMessage {
        if !self.is_open || self.messages.is_empty() {
            self.messages.push(CaseMessage::new(Role::Assistant));
            self.is_open = true;
        }
        let last = self.messages.len() - 1;
        &mut self.messages[last]
    }

    /// A message that is a result.
    fn result(&mut self, mut message: CaseMessage, body: &Map<String, Json>) -> Result<(), String> {
        if let Some(name) = body.get("function").and_then(Json::as_str) {
            message.name = Some(name.to_owned());
        }
        let content = ["text", "content", "parts", "output"].into_iter().find_map(|name| body.get(name));
        // A message of blocks may hold several results, each with its own id.
        if let Some(blocks) = content.and_then(Json::as_array)
            && blocks.iter().any(|block| is_result(block) || block.as_object().is_some_and(is_foreign_block))
        {
            return self.add_content_message(message, body);
        }
        message.error = error(body);
        set_result(&mut message, content);
        let ids = body.get("tool_call_id").or_else(|| body.get("id")).or_else(|| body.get("tool_use_id"));
        match ids {
            // One text that answers several calls.
            Some(Json::Array(ids)) => {
                for id in ids {
                    self.messages.push(CaseMessage { id: id_text(id), ..message.clone() });
                }
                if ids.is_empty() {
                    self.messages.push(message);
                }
            }
            id => self.messages.push(CaseMessage { id: id.and_then(id_text), ..message }),
        }
        Ok(())
    }

    /// A message of words, calls and blocks.
    fn add_content_message(&mut self, message: CaseMessage, body: &Map<String, Json>) -> Result<(), String> {
        let is_assistant = message.has_role(Role::Assistant);
        let mut current = MessageBuilder::new(message);
        for thought in ["reasoning_content", "reasoning_trace"].into_iter().filter_map(|name| body.get(name)) {
            let texts: Vec<&str> = match thought {
                Json::Array(list) => list.iter().filter_map(Json::as_str).collect(),
                other => other.as_str().into_iter().collect(),
            };
            let texts = texts.into_iter().filter(|text| !text.is_empty());
            current.message.parts.extend(texts.map(|text| CaseMessagePart::Reasoning { text: text.to_owned() }));
        }
        match ["content", "parts", "text"].into_iter().find_map(|name| body.get(name)) {
            Some(Json::String(text)) => current.message.parts.push(CaseMessagePart::Text { text: text.clone() }),
            Some(Json::Array(blocks)) => {
                for block in blocks {
                    self.block(block, &mut current)?;
                }
            }
            Some(Json::Null) | None => {}
            Some(block @ Json::Object(_)) => self.block(block, &mut current)?,
            Some(other) => current.message.parts.push(CaseMessagePart::Text { text: other.to_string() }),
        }
        let unknown = unknown_calls(body, is_assistant, current.message.role != Speaker::Known(Role::User));
        current.message.parts.extend(unknown.map(unread));
        // Only an assistant calls tools; what else this is nobody knows.
        if !is_assistant && !current.message.tool_calls.is_empty() {
            current.message.parts.push(unread("tool_call"));
        }
        if is_assistant {
            let in_blocks = current.message.tool_calls.len();
            let listed = listed_calls(body);
            for (number, value) in listed.enumerate() {
                let call =
                    calls::call(value, CallKind::Made).map_err(|reason| format!("`tool_calls[{number}]` {reason}"))?;
                // Blocks may have said the same before.
                if call.id.is_none() || current.message.tool_calls[..in_blocks].iter().all(|known| known.id != call.id)
                {
                    current.message.tool_calls.push(call);
                }
            }
            if let Some(call) = body.get("function_call").filter(|call| call.is_object()) {
                let call = calls::call(call, CallKind::Made).map_err(|reason| format!("`function_call` {reason}"))?;
                // AgentEvals does not see a call in this form.
                let kind = Some("function_call".to_owned());
                current.message.tool_calls.push(CaseToolCall { kind, ..call });
            }
            for value in body.get("invalid_tool_calls").and_then(Json::as_array).into_iter().flatten() {
                let call = calls::invalid(value).map_err(|reason| format!("`invalid_tool_calls` {reason}"))?;
                current.message.tool_calls.push(call);
            }
        }
        current.flush(&mut self.messages);
        Ok(())
    }

    /// One block of a message.
    fn block(&mut self, block: &Json, current: &mut MessageBuilder) -> Result<(), String> {
        let object = match block {
            Json::String(text) => {
                current.message.parts.push(CaseMessagePart::Text { text: text.clone() });
                return Ok(());
            }
            Json::Object(object) => object,
            _ => {
                current.message.parts.push(unread(shapes::json_kind(block)));
                return Ok(());
            }
        };
        if let Some(blocks) = shapes::rewrite_block(object) {
            for block in &blocks {
                self.block(block, current)?;
            }
            return Ok(());
        }
        let text =
            |names: &[&str]| names.iter().find_map(|name| object.get(*name)?.as_str()).unwrap_or_default().to_owned();
        let parts = &mut current.message.parts;
        let kind = object.get("type").and_then(Json::as_str);
        match kind {
            Some("text" | "input_text" | "output_text") => {
                parts.push(CaseMessagePart::Text { text: text(&["text", "content"]) });
            }
            Some("refusal") => parts.push(CaseMessagePart::Text { text: text(&["refusal", "text"]) }),
            Some("reasoning" | "thinking") => {
                let text = text(&["reasoning", "thinking", "text", "content"]);
                parts.push(CaseMessagePart::Reasoning { text });
            }
            Some(
                "tool_use" | "tool_call" | "server_tool_use" | "server_tool_call" | "function_call" | "mcp_tool_use"
                | "invalid_tool_call",
            ) => {
                let call = if kind == Some("invalid_tool_call") {
                    calls::invalid(block)?
                } else {
                    calls::call(block, CallKind::Made)?
                };
                let result = object.get("result");
                let answered = result.map(|_| tool_result(object, call.id.clone(), Some(call.name.clone()), result));
                current.message.tool_calls.push(call);
                if let Some(result) = answered {
                    current.cut(&mut self.messages, result);
                }
            }
            _ if is_result(block) => {
                let content = ["content", "response", "result", "output"].into_iter().find_map(|name| object.get(name));
                let id = ["tool_use_id", "tool_call_id", "id", "call_id"].into_iter().find_map(|name| object.get(name));
                let name = object.get("name").and_then(Json::as_str).map(str::to_owned);
                current.cut(&mut self.messages, tool_result(object, id.and_then(id_text), name, content));
            }
            None if object.get("text").is_some_and(Json::is_string) => {
                let text = text(&["text"]);
                let is_thought = object.get("thought").and_then(Json::as_bool) == Some(true);
                parts.push(if is_thought {
                    CaseMessagePart::Reasoning { text }
                } else {
                    CaseMessagePart::Text { text }
                });
                // What stands beside the words may be what the part is about.
                let beside = object.iter().filter(|(_, value)| !is_empty(value)).map(|(name, _)| name.as_str());
                parts.extend(beside.filter(|name| !BLOCK_MEMBERS_ASIDE.contains(name)).map(unread));
            }
            // A part of Gemini is known by its one member.
            None => {
                let kind = object.iter().find(|(_, value)| !value.is_null()).map(|(name, _)| name.as_str());
                parts.push(other(object, kind));
            }
            kind => parts.push(other(object, kind)),
        }
        Ok(())
    }
}

/// The result that a block holds.
fn tool_result(
    block: &Map<String, Json>,
    id: Option<String>,
    name: Option<String>,
    content: Option<&Json>,
) -> CaseMessage {
    let mut result = CaseMessage { id, name, error: error(block), ..CaseMessage::new(Role::Tool) };
    set_result(&mut result, content);
    result
}

/// Whether a value is neither a list nor an object with something in it.
fn is_empty(value: &Json) -> bool {
    match value {
        Json::Array(list) => list.is_empty(),
        Json::Object(object) => object.is_empty(),
        _ => true,
    }
}

/// A part of which nothing but its type is kept.
fn unread(kind: &str) -> CaseMessagePart {
    CaseMessagePart::Other { kind: kind.to_owned(), source: None }
}

/// Whether a block is one of a shape that has its own.
fn is_foreign_block(block: &Map<String, Json>) -> bool {
    shapes::rewrite_block(block).is_some()
}

/// The calls that a message lists; where it lists none, those that LangChain keeps in the words of the provider.
fn listed_calls(body: &Map<String, Json>) -> impl Iterator<Item = &Json> {
    let own = body.get("tool_calls").and_then(Json::as_array).filter(|list| !list.is_empty());
    let raw = || body.get("additional_kwargs")?.get("tool_calls")?.as_array();
    let is_told = body.get("invalid_tool_calls").and_then(Json::as_array).is_some_and(|list| !list.is_empty());
    own.or_else(|| raw().filter(|_| !is_told)).into_iter().flatten()
}

/// Members with a list that is called one of calls, and that no shape reads: a later version of a package may have brought them.
fn unknown_call_lists(object: &Map<String, Json>) -> impl Iterator<Item = &str> {
    const READ: [&str; 6] =
        ["tool_calls", "invalid_tool_calls", "tools_called", "toolsCalled", "mcp_tools_called", "mcpToolsCalled"];
    const ENDINGS: [&str; 4] = ["_calls", "Calls", "_called", "Called"];
    let lists = object.iter().filter(|(_, value)| value.as_array().is_some_and(|list| !list.is_empty()));
    let names = lists.map(|(name, _)| name.as_str()).filter(|name| !READ.contains(name));
    names.filter(|name| ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

/// Members of a message that seem to hold calls or results which are not read: of an assistant's those with another name than
/// the reader knows, of a speaker whom nobody knows all of them.
fn unknown_calls(body: &Map<String, Json>, is_assistant: bool, is_told: bool) -> impl Iterator<Item = &str> {
    const KNOWN: [&str; 3] = ["tool_calls", "function_call", "invalid_tool_calls"];
    let is_about_calls = |name: &str| {
        let name = name.to_lowercase();
        ["tool", "call", "function", "action"].iter().any(|word| name.contains(word))
    };
    body.iter()
        .filter(move |(name, value)| {
            is_told
                && !is_empty(value)
                && is_about_calls(name)
                && !MEMBERS_ASIDE.contains(&name.as_str())
                && !(is_assistant && KNOWN.contains(&name.as_str()))
        })
        .map(|(name, _)| name.as_str())
}

/// Gives a message the text of a result. What an MCP server answered says itself whether it is an error.
fn set_result(message: &mut CaseMessage, content: Option<&Json>) {
    let Some(content) = content.filter(|content| !content.is_null()) else { return };
    let wrapped = content.as_object().filter(|object| object.get("isError").is_some_and(Json::is_boolean));
    if let Some(object) = wrapped {
        message.error = message.error.take().or_else(|| error(object));
        message.text = object.get("content").map(result_text);
        return;
    }
    message.text = Some(result_text(content));
}

/// The message that is being put together, which results cut in two.
pub(crate) struct MessageBuilder {
    /// What each piece begins with.
    shell: CaseMessage,
    pub message: CaseMessage,
    is_split: bool,
}

impl MessageBuilder {
    pub fn new(message: CaseMessage) -> Self {
        Self { shell: message.clone(), message, is_split: false }
    }

    /// Ends the message here, puts the result behind it, and goes on with a further one of the same speaker.
    pub fn cut(&mut self, messages: &mut Vec<CaseMessage>, result: CaseMessage) {
        let piece = std::mem::replace(&mut self.message, self.shell.clone());
        if !piece.parts.is_empty() || !piece.tool_calls.is_empty() {
            messages.push(plain(piece));
        }
        messages.push(result);
        self.is_split = true;
    }

    pub fn flush(self, messages: &mut Vec<CaseMessage>) {
        if !self.is_split || !self.message.parts.is_empty() || !self.message.tool_calls.is_empty() {
            messages.push(plain(self.message));
        }
    }
}

/// A message whose one text is its text.
fn plain(mut message: CaseMessage) -> CaseMessage {
    if let [CaseMessagePart::Text { .. }] = message.parts.as_slice()
        && let Some(CaseMessagePart::Text { text }) = message.parts.pop()
    {
        message.text = Some(text);
    }
    message
}

fn is_result(block: &Json) -> bool {
    let kind = block.get("type").and_then(Json::as_str);
    matches!(kind, Some("tool_result" | "tool_call_response" | "server_tool_call_response" | "function_call_output"))
        || kind.is_some_and(|kind| kind.ends_with("_tool_result"))
}

/// Something that is not text, with the place it is at where that is short.
fn other(object: &Map<String, Json>, kind: Option<&str>) -> CaseMessagePart {
    if let (Some("other"), Some(kind)) = (kind, object.get("kind").and_then(Json::as_str)) {
        let source = object.get("source").and_then(Json::as_str).map(str::to_owned);
        return CaseMessagePart::Other { kind: kind.to_owned(), source };
    }
    let kind = kind.unwrap_or("unknown");
    let kind = kind.strip_prefix("input_").unwrap_or(kind);
    let kind = kind.strip_suffix("_url").unwrap_or(kind);
    let pointers = ["/image_url/url", "/image_url", "/source/url", "/image", "/path", "/sha256", "/url"];
    let block = Json::Object(object.clone());
    let source = pointers.into_iter().find_map(|pointer| block.pointer(pointer)?.as_str());
    // A picture that is written out in place has no name.
    let source = source.filter(|source| source.len() <= 1_000 && !source.starts_with("data:")).map(str::to_owned);
    CaseMessagePart::Other { kind: kind.to_owned(), source }
}

/// Blocks of a result that have no text.
const MEDIA_BLOCKS: [&str; 9] =
    ["image", "input_image", "image_url", "audio", "input_audio", "video", "file", "input_file", "document"];

/// The text of a result: of a list of text blocks their texts, of anything else the text of the value.
pub(crate) fn result_text(content: &Json) -> String {
    let blocks = content.as_array().filter(|blocks| !blocks.is_empty());
    let texts: Option<Vec<&str>> = blocks.and_then(|blocks| {
        let texts = blocks.iter().filter(|block| {
            block
                .get("type")
                .and_then(Json::as_str)
                .is_some_and(|kind| matches!(kind, "text" | "input_text" | "output_text"))
        });
        // A block of another type is a value of its own, and so is the list with it.
        let is_blocks = blocks.iter().all(|block| {
            let kind = block.get("type").and_then(Json::as_str);
            kind.is_some_and(|kind| kind.ends_with("text") || MEDIA_BLOCKS.contains(&kind))
        });
        is_blocks.then(|| texts.filter_map(|block| block.get("text")?.as_str()).collect())
    });
    texts.map_or_else(|| json_to_text(content), |texts| Cow::Owned(texts.join("\n"))).into_owned()
}

/// That the source says of a result that it is an error. Texts that sound like one are the business of metrics.
fn error(body: &Map<String, Json>) -> Option<ToolResultError> {
    let is_true = |name: &str| body.get(name).and_then(Json::as_bool) == Some(true);
    match body.get("error") {
        Some(Json::String(text)) if !text.is_empty() => return Some(ToolResultError::Text(text.clone())),
        Some(Json::Object(error)) => {
            let message = error.get("message").and_then(Json::as_str);
            return Some(message.map_or(ToolResultError::Flag, |message| ToolResultError::Text(message.to_owned())));
        }
        _ => {}
    }
    let is_error = is_true("error")
        || is_true("is_error")
        || is_true("isError")
        || body.get("status").and_then(Json::as_str) == Some("error");
    is_error.then_some(ToolResultError::Flag)
}

/// Texts of a system message that stands beside the others.
pub(super) fn system(value: &Json) -> Option<CaseMessage> {
    let text = match value {
        Json::String(text) if !text.is_empty() => text.clone(),
        Json::Array(blocks) if !blocks.is_empty() && blocks.iter().all(|block| block.get("text").is_some()) => {
            result_text(value)
        }
        _ => return None,
    };
    Some(CaseMessage { text: Some(text), ..CaseMessage::new(Role::System) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: &Json) -> Json {
        assert!(are_messages(value), "{value}");
        serde_json::to_value(messages(value.as_array().unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn one_conversation_in_every_shape() {
        let normal = json!([
            {"role": "user", "text": "Rain in Rome?"},
            {"role": "assistant", "tool_calls": [{"id": "c1", "name": "weather", "arguments": {"city": "Rome"}}]},
            {"role": "tool", "id": "c1", "text": "dry"},
            {"role": "assistant", "text": "It is dry."}
        ]);
        let arguments = json!({"city": "Rome"});
        let text = arguments.to_string();
        let openai = json!([
            {"role": "user", "content": "Rain in Rome?"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": text}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "dry"},
            {"role": "assistant", "content": [{"type": "text", "text": "It is dry."}]}
        ]);
        let responses = json!([
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Rain in Rome?"}]},
            {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": text},
            {"type": "function_call_output", "call_id": "c1", "output": "dry"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is dry."}]}
        ]);
        let anthropic = json!([
            {"role": "user", "content": "Rain in Rome?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": arguments}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "dry"}]}]},
            {"role": "assistant", "content": [{"type": "text", "text": "It is dry."}]}
        ]);
        for shape in [&normal, &openai, &responses, &anthropic] {
            assert_eq!(read(shape), normal);
        }
        let inspect = json!([
            {"role": "user", "content": "Rain in Rome?", "source": "input"},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": "weather", "arguments": arguments, "type": "function"}]},
            {"role": "tool", "tool_call_id": "c1", "function": "weather", "content": "dry"},
            {"role": "assistant", "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "It is dry."}]}
        ]);
        let read_inspect = read(&inspect);
        assert_eq!(read_inspect[2], json!({"role": "tool", "id": "c1", "name": "weather", "text": "dry"}));
        assert_eq!(read_inspect[3]["parts"][0], json!({"type": "reasoning", "text": "hm"}));
        let langchain = json!([
            {"type": "human", "content": "Rain in Rome?"},
            {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"content": "", "tool_calls": [{"name": "weather", "args": arguments, "id": "c1", "type": "tool_call"}], "invalid_tool_calls": [{"name": "w", "args": "{", "id": "c2", "error": "x"}]}},
            {"type": "tool", "data": {"content": "dry", "tool_call_id": "c1", "status": "error"}},
            {"type": "ai", "content": "It is dry."}
        ]);
        let read_langchain = read(&langchain);
        assert_eq!(read_langchain[0], json!({"role": "user", "role_given": "human", "text": "Rain in Rome?"}));
        assert_eq!(read_langchain[1]["tool_calls"][1]["problem"], "unparseable");
        assert_eq!(read_langchain[2], json!({"role": "tool", "id": "c1", "text": "dry", "error": true}));
        let gemini = json!([
            {"role": "model", "parts": [{"text": "hm", "thought": true}, {"functionCall": {"name": "weather", "args": arguments}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"sky": "dry"}}}]}
        ]);
        assert_eq!(read(&gemini)[1], json!({"role": "tool", "name": "weather", "text": "{\"sky\":\"dry\"}"}));
        assert_eq!(read(&gemini)[0]["role_given"], "model");
    }

    #[test]
    fn results_beside_other_things_are_messages_of_their_own() {
        let mixed = json!([{"role": "user", "content": [
            {"type": "text", "text": "before"},
            {"type": "tool_result", "tool_use_id": "a", "content": "1", "is_error": true},
            {"type": "tool_result", "tool_use_id": "b", "content": {"n": 2}},
            {"type": "text", "text": "after"}, {"type": "image_url", "image_url": {"url": "a.png"}}
        ]}]);
        assert_eq!(
            read(&mixed),
            json!([
                {"role": "user", "text": "before"},
                {"role": "tool", "id": "a", "text": "1", "error": true},
                {"role": "tool", "id": "b", "text": "{\"n\":2}"},
                {"role": "user", "parts": [{"type": "text", "text": "after"}, {"type": "other", "kind": "image", "source": "a.png"}]}
            ])
        );
        let several = json!([{"role": "tool", "tool_call_id": ["a", "b"], "content": "x"}]);
        assert_eq!(read(&several)[1], json!({"role": "tool", "id": "b", "text": "x"}));
    }

    #[test]
    fn a_conversation_of_ours_is_read_as_it_is() {
        let own = json!([
            {"role": "system", "role_given": "developer", "text": "Be brief."},
            {"role": "assistant", "parts": [{"type": "text", "text": "a"}, {"type": "other", "kind": "image", "source": "x.png"}],
             "tool_calls": [{"name": "f", "arguments_text": "{", "problem": "unparseable", "fault": 1}]},
            {"role": "tool", "id": "1", "name": "f", "text": "no", "error": "locked"},
            {"role": "narrator", "text": "Later."}
        ]);
        assert_eq!(read(&own), own);
    }

    #[test]
    fn calls_of_anybody_else_are_not_seen_and_a_call_without_a_name_is_told() {
        let calls = json!([{"id": "x", "function": {"arguments": "{}"}}]);
        assert_eq!(
            read(&json!([{"role": "user", "content": "q", "tool_calls": calls}])),
            json!([{"role": "user", "text": "q"}])
        );
        let bad = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": calls}]);
        let (number, reason) = messages(bad.as_array().unwrap()).unwrap_err();
        assert_eq!((number, reason.as_str()), (1, "`tool_calls[0]` has no name"));
        assert!(!are_messages(&json!(["a"])) && !are_messages(&json!([{"content": "x"}])) && are_messages(&json!([])));
    }
}
