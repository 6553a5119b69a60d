//! Cohere: chats of its second interface, which are nearly OpenAI's, and the history of its first.

use serde_json::{Value as Json, json};

use super::{Object, list, message, result_block, text};

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    let role = text(item, "role")?;
    if let Some(plan) = text(item, "tool_plan") {
        let mut rest = item.clone();
        rest.shift_remove("tool_plan");
        rest.insert("reasoning_content".to_owned(), Json::from(plan));
        return Some(vec![Json::Object(rest)]);
    }
    if role == "tool" {
        return result(item);
    }
    let is_first = ["USER", "CHATBOT", "SYSTEM", "TOOL"].contains(&role);
    if !is_first {
        return None;
    }
    if role == "TOOL" {
        let results = list(item, "tool_results")?.iter().map(|result| {
            let name = result.pointer("/call/name");
            message("tool", vec![result_block(None, name, result.get("outputs"), None)])
        });
        return Some(results.collect());
    }
    let role = match role {
        "USER" => "user",
        "SYSTEM" => "system",
        _ => "assistant",
    };
    let mut said = json!({"role": role, "content": item.get("message")});
    if let Some(calls) = list(item, "tool_calls") {
        said["tool_calls"] = Json::from(calls.as_slice());
    }
    Some(vec![said])
}

/// A result that is a list of documents; nothing where it is any other.
fn result(item: &Object) -> Option<Vec<Json>> {
    let text_of = |block: &Json| {
        let data = block
            .get("document")
            .filter(|_| block.get("type").and_then(Json::as_str) == Some("document"))?
            .get("data")?;
        Some(json!({"type": "text", "text": probare_core::json_to_text(data)}))
    };
    let content = list(item, "content")?;
    if !content.iter().any(|block| text_of(block).is_some()) {
        return None;
    }
    let content: Vec<Json> = content.iter().map(|block| text_of(block).unwrap_or_else(|| block.clone())).collect();
    let mut rest = item.clone();
    rest.insert("content".to_owned(), Json::Array(content));
    Some(vec![Json::Object(rest)])
}
