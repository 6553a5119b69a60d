//! DeepEval: turns that hold the calls with what came of them, those of MCP servers in a list of their own.

use serde_json::{Value as Json, json};

use super::{Object, first, list, message, result_block};

/// Members with calls, and with those that MCP servers carried out.
const CALLS: [&str; 2] = ["tools_called", "toolsCalled"];
const MCP_CALLS: [&str; 2] = ["mcp_tools_called", "mcpToolsCalled"];

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    let calls_of = |names: [&str; 2]| names.into_iter().find_map(|name| list(item, name));
    let (own, of_servers) = (calls_of(CALLS), calls_of(MCP_CALLS));
    own.or(of_servers)?;
    let role = item.get("role")?;
    let content = item.get("content").cloned().unwrap_or_default();
    // What else the turn holds stays in it, so that calls of which nobody knows are told.
    let mut turn = item.clone();
    for name in CALLS.into_iter().chain(MCP_CALLS) {
        turn.shift_remove(name);
    }
    let own = own.into_iter().flatten().cloned();
    let called: Vec<Json> = own.chain(of_servers.into_iter().flatten().map(mcp_call)).collect();
    if called.is_empty() {
        return Some(vec![Json::Object(turn)]);
    }
    // What the turn says comes behind what was done for it.
    let results = called.iter().filter_map(|call| {
        let output = first(call.as_object()?, &["output", "result"])?;
        Some(message("tool", vec![result_block(None, call.get("name"), Some(output), None)]))
    });
    let results: Vec<Json> = results.collect();
    turn.insert("content".to_owned(), json!([]));
    turn.insert("tool_calls".to_owned(), Json::Array(called));
    let said = content.as_str().filter(|text| !text.is_empty()).map(|text| json!({"role": role, "content": text}));
    Some(std::iter::once(Json::Object(turn)).chain(results).chain(said).collect())
}

fn mcp_call(call: &Json) -> Json {
    let mut call = call.clone();
    if let Some(call) = call.as_object_mut() {
        call.insert("kind".to_owned(), Json::from("MCP"));
    }
    call
}
