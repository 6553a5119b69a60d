//! OpenAI's Agents SDK: items of a run, each with the item of OpenAI's responses that it stands for.

use serde_json::Value as Json;

use super::{Object, text};

/// Types of items of a run.
const RUN_ITEMS: [&str; 9] = [
    "message_output_item",
    "tool_call_item",
    "tool_call_output_item",
    "reasoning_item",
    "handoff_call_item",
    "handoff_output_item",
    "mcp_list_tools_item",
    "mcp_approval_request_item",
    "mcp_approval_response_item",
];

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    let raw = item.get("raw_item").filter(|raw| raw.is_object())?;
    text(item, "type").filter(|kind| RUN_ITEMS.contains(kind))?;
    Some(vec![raw.clone()])
}
