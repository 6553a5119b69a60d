//! DeepEval: turns that hold the calls with what came of them.

use serde_json::{Value as Json, json};

use super::{Object, list, message, result_block};

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    let called = [list(item, "tools_called"), list(item, "toolsCalled")].into_iter().flatten().next()?;
    let role = item.get("role")?;
    let content = item.get("content").cloned().unwrap_or_default();
    if called.is_empty() {
        return Some(vec![json!({"role": role, "content": content})]);
    }
    // What the turn says comes behind what was done for it.
    let mut items = vec![json!({"role": role, "content": [], "tool_calls": called})];
    let results = called.iter().filter_map(|call| {
        let output = call.get("output").filter(|output| !output.is_null())?;
        Some(message("tool", vec![result_block(None, call.get("name"), Some(output), None)]))
    });
    items.extend(results);
    if content.as_str().is_some_and(|text| !text.is_empty()) {
        items.push(json!({"role": role, "content": content}));
    }
    Some(items)
}
