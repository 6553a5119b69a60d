//! LangChain: messages with a `type` in place of a role, plain, with their data beside, or as constructors.

use serde_json::Value as Json;

use super::{Object, text};

/// What LangChain calls the types of messages, with the names of its classes.
const TYPES: [(&str, &str); 7] = [
    ("human", "HumanMessage"),
    ("ai", "AIMessage"),
    ("AIMessageChunk", "AIMessageChunk"),
    ("system", "SystemMessage"),
    ("tool", "ToolMessage"),
    ("function", "FunctionMessage"),
    ("chat", "ChatMessage"),
];

/// Who speaks, in LangChain's words, and the object that holds what is said.
pub(in super::super) fn speaker(object: &Object) -> Option<(&str, &Object)> {
    if let (Some(body), Some(path)) = (object.get("kwargs"), object.get("id").and_then(Json::as_array)) {
        let class = path.last()?.as_str()?;
        let class = class.strip_suffix("Chunk").filter(|_| class != "AIMessageChunk").unwrap_or(class);
        let (kind, _) = TYPES.into_iter().find(|(_, name)| *name == class)?;
        return named(kind, body.as_object()?);
    }
    let kind = text(object, "type")?;
    let (kind, _) = TYPES.into_iter().find(|(known, _)| *known == kind)?;
    let body = object.get("data").and_then(Json::as_object).unwrap_or(object);
    // Calls and tools of others have the type `function`, but nothing to say.
    body.contains_key("content").then_some(())?;
    named(kind, body)
}

fn named<'a>(kind: &'static str, body: &'a Object) -> Option<(&'a str, &'a Object)> {
    if kind == "chat" { Some((text(body, "role")?, body)) } else { Some((kind, body)) }
}
