//! The Vercel AI library: messages of its pages (`parts`), of its calls of models (`content`), and of its older versions
//! (`toolInvocations`).

use serde_json::{Value as Json, json};

use super::{Object, call_block, first, list, result_block, text};

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    // The parts of a message that has them say the same again.
    let invocations = list(item, "toolInvocations").filter(|invocations| !invocations.is_empty())?;
    let role = item.get("role")?;
    let mut content = list(item, "parts").cloned().unwrap_or_default();
    if content.is_empty() {
        content.extend(
            text(item, "content").filter(|text| !text.is_empty()).map(|text| json!({"type": "text", "text": text})),
        );
    }
    if !content.iter().any(|part| part.get("type").and_then(Json::as_str) == Some("tool-invocation")) {
        let parts =
            invocations.iter().map(|invocation| json!({"type": "tool-invocation", "toolInvocation": invocation}));
        content.extend(parts);
    }
    Some(vec![json!({"role": role, "content": content})])
}

pub(super) fn call(call: &Object) -> Option<Json> {
    let name = call.get("toolName").filter(|name| name.is_string())?;
    is_call_type(text(call, "type"))
        .then(|| call_block(call.get("toolCallId"), Some(name), first(call, &["input", "args"])))
}

fn is_call_type(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| kind == "tool-call")
}

pub(super) fn blocks(block: &Object) -> Option<Vec<Json>> {
    let kind = text(block, "type");
    match kind? {
        "tool-call" => Some(vec![call(block)?]),
        "tool-result" => {
            let (value, is_error) = output(first(block, &["output", "result"]));
            let is_error = is_error || block.get("isError") == Some(&Json::Bool(true));
            let error = is_error.then_some(Json::Bool(true));
            Some(vec![result_block(block.get("toolCallId"), block.get("toolName"), value.as_ref(), error)])
        }
        "tool-invocation" => {
            let invocation = block.get("toolInvocation")?.as_object()?;
            Some(used(invocation, invocation.get("toolName")?))
        }
        "dynamic-tool" => Some(used(block, block.get("toolName")?)),
        // A permission for a call that is there, and the borders between steps.
        "step-start" | "tool-approval-request" | "tool-approval-response" => Some(Vec::new()),
        "source-url" | "source-document" => Some(vec![super::unread("citation")]),
        // What a page shows beside the words: no model said it or saw it.
        kind if kind.starts_with("data-") && block.contains_key("data") => Some(Vec::new()),
        kind => {
            let name = kind.strip_prefix("tool-").filter(|_| block.contains_key("toolCallId"))?;
            Some(used(block, &Json::from(name)))
        }
    }
}

/// A call with what came of it, as pages hold the two together.
fn used(part: &Object, name: &Json) -> Vec<Json> {
    let id = part.get("toolCallId");
    let mut blocks = vec![call_block(id, Some(name), first(part, &["input", "args", "rawInput"]))];
    let error = first(part, &["errorText"]).cloned();
    if let Some(result) = first(part, &["output", "result"]).or(error.as_ref()) {
        blocks.push(result_block(id, Some(name), Some(result), error.clone()));
    }
    blocks
}

/// The value of a result, and whether it is an error: later versions say what kind of value it is.
fn output(output: Option<&Json>) -> (Option<Json>, bool) {
    let kind = output.and_then(|output| output.get("type")).and_then(Json::as_str);
    let is_error = kind.is_some_and(|kind| kind.starts_with("error"));
    match (output, kind) {
        (Some(Json::Object(fields)), Some(_)) if fields.contains_key("value") => {
            (fields.get("value").cloned(), is_error)
        }
        (output, _) => (output.cloned(), is_error),
    }
}
