//! Pydantic AI: requests and responses, whose parts say what they are in `part_kind`.

use serde_json::{Value as Json, json};

use super::{Object, call_block, first, list, message, result_block, text};

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    let kind = text(item, "kind").filter(|kind| ["request", "response"].contains(kind))?;
    let parts = list(item, "parts")?;
    if kind == "response" {
        return Some(vec![message("assistant", parts.iter().map(response_part).collect::<Vec<_>>())]);
    }
    let instructions = first(item, &["instructions"]).map(|text| message("system", text.clone()));
    Some(instructions.into_iter().chain(parts.iter().map(request_part)).collect())
}

pub(super) fn call(part: &Object) -> Option<Json> {
    let kind = text(part, "part_kind").filter(|kind| ["tool-call", "builtin-tool-call"].contains(kind))?;
    let mut call = call_block(part.get("tool_call_id"), part.get("tool_name"), part.get("args"));
    if kind == "builtin-tool-call" {
        call["type"] = Json::from("server_tool_call");
    }
    Some(call)
}

fn response_part(part: &Json) -> Json {
    let Some(object) = part.as_object() else { return super::unread("unknown") };
    match text(object, "part_kind") {
        Some("text") => json!({"type": "text", "text": object.get("content")}),
        Some("thinking") => json!({"type": "reasoning", "text": object.get("content")}),
        Some("tool-call" | "builtin-tool-call") => call(object).unwrap_or_else(|| super::unread("tool-call")),
        Some("builtin-tool-return") => result(object, None),
        Some("file") => super::unread("file"),
        kind => super::unread(kind.unwrap_or("unknown")),
    }
}

fn request_part(part: &Json) -> Json {
    let Some(object) = part.as_object() else { return message("user", vec![super::unread("unknown")]) };
    let content = object.get("content").cloned().unwrap_or_default();
    match text(object, "part_kind") {
        Some("system-prompt") => message("system", content),
        Some("user-prompt") => message("user", user_content(content)),
        Some("tool-return") => message("tool", vec![result(object, None)]),
        // What was wrong with a call, or with an answer where no tool is named.
        Some("retry-prompt") if object.get("tool_name").is_some_and(Json::is_string) => {
            message("tool", vec![result(object, Some(Json::Bool(true)))])
        }
        Some("retry-prompt") => message("user", probare_core::json_to_text(&content)),
        kind => message("user", vec![super::unread(kind.unwrap_or("unknown"))]),
    }
}

fn result(part: &Object, error: Option<Json>) -> Json {
    let is_failed = text(part, "outcome").is_some_and(|outcome| outcome != "success");
    let error = error.or_else(|| is_failed.then_some(Json::Bool(true)));
    result_block(part.get("tool_call_id"), part.get("tool_name"), part.get("content"), error)
}

/// Texts and media of a prompt.
fn user_content(content: Json) -> Json {
    let Json::Array(parts) = content else { return content };
    let part = |part: Json| match part.get("kind").and_then(Json::as_str) {
        Some(kind) => super::unread(match kind {
            "image-url" => "image",
            "audio-url" => "audio",
            "video-url" => "video",
            "document-url" => "document",
            "binary" | "uploaded-file" => "file",
            other => other,
        }),
        None => part,
    };
    parts.into_iter().map(part).collect()
}
