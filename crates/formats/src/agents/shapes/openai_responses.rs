//! OpenAI's responses: items beside messages, for each tool that the provider brings its own, and a whole response.

use serde_json::{Value as Json, json};

use super::{Object, call_block, first, list, message, result_block, text};

/// Items that the common reader puts together itself.
const OWN: [&str; 3] = ["function_call", "function_call_output", "reasoning"];

/// Calls that the provider, or the program at its word, carries out: the tool, and the members that are its arguments.
const TOOLS: [(&str, &str, &[&str]); 8] = [
    ("web_search_call", "web_search", &["action"]),
    ("file_search_call", "file_search", &["queries"]),
    ("code_interpreter_call", "code_interpreter", &["code"]),
    ("image_generation_call", "image_generation", &["revised_prompt"]),
    ("computer_call", "computer", &["action", "actions"]),
    ("local_shell_call", "local_shell", &["action"]),
    ("shell_call", "shell", &["action"]),
    ("apply_patch_call", "apply_patch", &["operation"]),
];

/// What came of such a call, where it is an item of its own.
const OUTPUTS: [&str; 5] = [
    "custom_tool_call_output",
    "computer_call_output",
    "local_shell_call_output",
    "shell_call_output",
    "apply_patch_call_output",
];

/// Items that say nothing of what was called: lists of tools, and permissions for calls that follow.
const ASIDE: [&str; 3] = ["mcp_list_tools", "mcp_approval_request", "mcp_approval_response"];

/// Whether a type is one of items that stand for themselves and are read here or by the common reader.
pub(in super::super) fn is_item(kind: &str) -> bool {
    OWN.contains(&kind)
        || OUTPUTS.contains(&kind)
        || ASIDE.contains(&kind)
        || ["custom_tool_call", "mcp_call"].contains(&kind)
        || TOOLS.iter().any(|(known, ..)| *known == kind)
}

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    if text(item, "object") == Some("response") {
        return list(item, "output").cloned();
    }
    let kind = text(item, "type").filter(|kind| !item.contains_key("role") && is_item(kind) && !OWN.contains(kind))?;
    if ASIDE.contains(&kind) {
        return Some(Vec::new());
    }
    if OUTPUTS.contains(&kind) {
        let id = first(item, &["call_id", "id"]);
        let is_failed = text(item, "status") == Some("failed");
        let error = is_failed.then_some(Json::Bool(true));
        return Some(vec![message("tool", vec![result_block(id, None, item.get("output"), error)])]);
    }
    let mut call = call(item)?;
    let result = call.as_object_mut()?.shift_remove("output").filter(|result| !result.is_null());
    let error = first(item, &["error"]).map(|error| match error {
        Json::String(_) => error.clone(),
        error => error.get("message").cloned().unwrap_or(Json::Bool(true)),
    });
    let mut items = vec![json!({"role": "assistant", "tool_calls": [call]})];
    if result.is_some() || error.is_some() {
        let id = first(item, &["call_id", "id"]);
        items.push(message("tool", vec![result_block(id, call_name(&items[0]), result.as_ref(), error)]));
    }
    Some(items)
}

fn call_name(message: &Json) -> Option<&Json> {
    message.pointer("/tool_calls/0/name")
}

pub(super) fn call(item: &Object) -> Option<Json> {
    let kind = text(item, "type")?;
    let id = first(item, &["call_id", "id"]);
    if kind == "mcp_call" {
        let mut call = call_block(id, item.get("name"), item.get("arguments"));
        call["kind"] = Json::from("MCP");
        call["output"] = item.get("output").cloned().unwrap_or_default();
        return Some(call);
    }
    if kind == "custom_tool_call" && item.get("input").is_some_and(Json::is_string) {
        return Some(call_block(id, item.get("name"), Some(&json!({"input": item["input"]}))));
    }
    let (_, tool, members) = TOOLS.into_iter().find(|(known, ..)| *known == kind)?;
    let mut arguments = Object::new();
    for name in members {
        match first(item, &[name]) {
            // What is to be done is an object of its own.
            Some(Json::Object(action)) => arguments.extend(action.clone()),
            Some(value) => {
                arguments.insert((*name).to_owned(), value.clone());
            }
            None => {}
        }
    }
    let mut call = call_block(id, Some(&Json::from(tool)), Some(&Json::Object(arguments)));
    // The program carries out the ones that have an id for their output.
    call["server"] = Json::Bool(!item.contains_key("call_id"));
    call["output"] = first(item, &["results", "outputs"]).cloned().unwrap_or_default();
    Some(call)
}
