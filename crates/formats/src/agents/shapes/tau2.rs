//! τ²-bench: several results in one message, and calls of the simulated user, which are not the agent's.

use serde_json::Value as Json;

use super::{Object, list, text};

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    if let Some(results) = list(item, "tool_messages") {
        return Some(results.clone());
    }
    let is_of_user = text(item, "requestor") == Some("user") && text(item, "role") == Some("tool");
    is_of_user.then(Vec::new)
}
