//! `AutoGen`: messages and events of its teams, and messages of its models, which say what they are in `type`.

use serde_json::{Value as Json, json};

use super::{Object, message, result_block, text};

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    if item.contains_key("role") {
        // Before version 0.4 a message of results held them in a list.
        return super::list(item, "tool_responses").cloned();
    }
    let kind = text(item, "type")?;
    let content = item.get("content");
    let speaker = if text(item, "source") == Some("user") { "user" } else { "assistant" };
    let is_event = item.get("source").is_some_and(Json::is_string);
    Some(match kind {
        "SystemMessage" => vec![message("system", content?.clone())],
        "UserMessage" => vec![message("user", parts(content?))],
        "AssistantMessage" | "ToolCallRequestEvent" if content.is_some_and(Json::is_array) => {
            let mut said = json!({"role": "assistant", "content": [], "tool_calls": content});
            if let Some(thought) = text(item, "thought") {
                said["reasoning_content"] = Json::from(thought);
            }
            vec![said]
        }
        "AssistantMessage" => {
            vec![json!({"role": "assistant", "content": content, "reasoning_content": item.get("thought")})]
        }
        "FunctionExecutionResultMessage" | "ToolCallExecutionEvent" => {
            content?.as_array()?.iter().map(result).collect()
        }
        "ThoughtEvent" if is_event => vec![message("assistant", vec![json!({"type": "reasoning", "text": content})])],
        // What the calls before it gave, said once more.
        "ToolCallSummaryMessage" | "TextMessage" | "StopMessage" | "HandoffMessage" | "MultiModalMessage"
            if is_event =>
        {
            vec![message(speaker, parts(content?))]
        }
        "StructuredMessage" if is_event => vec![message(speaker, content?.to_string())],
        // Of streams, selections and questions nothing is said that does not come again.
        "ModelClientStreamingChunkEvent"
        | "SelectSpeakerEvent"
        | "SelectorEvent"
        | "UserInputRequestedEvent"
        | "MemoryQueryEvent"
            if is_event =>
        {
            Vec::new()
        }
        kind if is_event && (kind.ends_with("Event") || kind.ends_with("Message")) => {
            vec![message("assistant", vec![super::unread(kind)])]
        }
        _ => return None,
    })
}

fn result(result: &Json) -> Json {
    if result.get("call_id").is_none() {
        let kind = result.get("type").and_then(Json::as_str).unwrap_or("result");
        return message("assistant", vec![super::unread(kind)]);
    }
    let is_error = result.get("is_error") == Some(&Json::Bool(true));
    let error = is_error.then_some(Json::Bool(true));
    message("tool", vec![result_block(result.get("call_id"), result.get("name"), result.get("content"), error)])
}

/// Texts and pictures, which have no words that say what they are.
fn parts(content: &Json) -> Json {
    let Json::Array(parts) = content else { return content.clone() };
    let part = |part: &Json| {
        if part.is_object() && part.get("type").is_none() { super::unread("image") } else { part.clone() }
    };
    parts.iter().map(part).collect()
}
