//! Transcripts of other tools, a file each: what their items are in the words that [`messages`](super::messages) reads, which
//! are those of OpenAI's chats with Anthropic's blocks.
//!
//! Items are known one by one, by what only their tool writes, so a list may hold several shapes. What none of these knows
//! reaches the reader as it is, which keeps it by its type as unread.

mod autogen;
mod bedrock;
pub(super) mod claude_code;
mod cohere;
mod deepeval;
mod gemini;
pub(super) mod langchain;
mod openai_agents;
mod openai_chat;
pub(super) mod openai_responses;
mod pydantic_ai;
mod tau2;
mod vercel;

use serde_json::{Map, Value as Json, json};

type Object = Map<String, Json>;

/// Reads an object of one shape into others; nothing where it has another shape.
type ListReader = fn(&Object) -> Option<Vec<Json>>;

/// What an item of a transcript is in the common words; nothing where it is in them already, or unknown.
pub(super) fn rewrite_item(item: &Object) -> Option<Vec<Json>> {
    const SHAPES: [ListReader; 11] = [
        openai_agents::items,
        openai_responses::items,
        openai_chat::items,
        bedrock::items,
        gemini::items,
        vercel::items,
        cohere::items,
        deepeval::items,
        pydantic_ai::items,
        autogen::items,
        tau2::items,
    ];
    claude_code::items(item).or_else(|| SHAPES.into_iter().find_map(|shape| shape(item)))
}

/// The list with what is spread over several of its items put together.
pub(super) fn join_items(list: &[Json]) -> Option<Vec<Json>> {
    openai_chat::join_chunks(list)
}

/// What a block of a message is in the common words.
pub(super) fn rewrite_block(block: &Object) -> Option<Vec<Json>> {
    const SHAPES: [ListReader; 3] = [bedrock::blocks, gemini::blocks, vercel::blocks];
    SHAPES.into_iter().find_map(|shape| shape(block))
}

/// What a call is with `id`, `name` and `arguments`.
pub(super) fn rewrite_call(call: &Object) -> Option<Object> {
    const SHAPES: [fn(&Object) -> Option<Json>; 5] =
        [bedrock::call, vercel::call, pydantic_ai::call, openai_responses::call, anthropic_server_call];
    match SHAPES.into_iter().find_map(|shape| shape(call))? {
        Json::Object(call) => Some(call),
        _ => None,
    }
}

/// A call that Anthropic sent to an MCP server.
fn anthropic_server_call(call: &Object) -> Option<Json> {
    let is_mcp = text(call, "type") == Some("mcp_tool_use");
    is_mcp
        .then(|| json!({"id": call.get("id"), "name": call.get("name"), "arguments": call.get("input"), "kind": "MCP"}))
}

/// What an object is that no shape knows, by what it says of itself.
pub(super) fn object_kind(object: &Object) -> &str {
    let own = ["type", "kind", "part_kind", "object"].into_iter().find_map(|name| text(object, name));
    own.or_else(|| object.keys().next().map(String::as_str)).unwrap_or("unknown")
}

/// What a value is that should be an object.
pub(super) const fn json_kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "text",
        Json::Array(_) => "list",
        Json::Object(_) => "object",
    }
}

fn text<'a>(object: &'a Object, name: &str) -> Option<&'a str> {
    object.get(name)?.as_str()
}

fn list<'a>(object: &'a Object, name: &str) -> Option<&'a Vec<Json>> {
    object.get(name)?.as_array()
}

/// The first of these members that is there and not null.
fn first<'a>(object: &'a Object, names: &[&str]) -> Option<&'a Json> {
    names.iter().find_map(|name| object.get(*name)).filter(|value| !value.is_null())
}

/// A block with a call.
fn call_block(id: Option<&Json>, name: Option<&Json>, arguments: Option<&Json>) -> Json {
    let mut block = json!({"type": "tool_call"});
    for (key, value) in [("id", id), ("name", name), ("arguments", arguments)] {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            block[key] = value.clone();
        }
    }
    block
}

/// A block with a result.
fn result_block(id: Option<&Json>, name: Option<&Json>, content: Option<&Json>, error: Option<Json>) -> Json {
    let mut block = json!({"type": "tool_call_response"});
    for (key, value) in [("id", id), ("name", name), ("result", content)] {
        if let Some(value) = value.filter(|value| !value.is_null()) {
            block[key] = value.clone();
        }
    }
    if let Some(error) = error {
        block["error"] = error;
    }
    block
}

fn message(role: &str, content: impl Into<Json>) -> Json {
    json!({"role": role, "content": content.into()})
}

/// A part that is kept by its type alone.
fn unread(kind: &str) -> Json {
    json!({"type": "other", "kind": kind})
}
