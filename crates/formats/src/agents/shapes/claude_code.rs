//! Claude Code, and the SDK of its agents: lines that hold a message, and lines about the session.

use serde_json::Value as Json;

use super::{Object, text};

/// Types of lines without a message of the conversation.
const ASIDE: [&str; 10] = [
    "system",
    "summary",
    "result",
    "file-history-snapshot",
    "queue-operation",
    "progress",
    "attachment",
    "last-prompt",
    "ai-title",
    "rate_limit_event",
];

/// Members that only such lines have.
const OWN: [&str; 5] = ["sessionId", "session_id", "parentUuid", "leafUuid", "isSnapshotUpdate"];

/// Whether an object is a line of a session.
pub(in super::super) fn is_line(item: &Object) -> bool {
    let kind = text(item, "type").unwrap_or_default();
    !item.contains_key("role")
        && OWN.iter().any(|name| item.contains_key(*name))
        && (["user", "assistant"].contains(&kind) && item.get("message").is_some_and(Json::is_object)
            || ASIDE.contains(&kind))
}

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    if !is_line(item) {
        return None;
    }
    // What the program says to itself is no part of the conversation.
    let is_aside = item.get("isMeta") == Some(&Json::Bool(true)) || ASIDE.contains(&text(item, "type")?);
    Some(item.get("message").filter(|_| !is_aside).into_iter().cloned().collect())
}
