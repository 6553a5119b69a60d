//! Amazon Bedrock's Converse: blocks are known by their one member, and a whole reply holds its message in `output`.

use serde_json::{Value as Json, json};

use super::{Object, call_block, first, result_block, text};

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    if item.contains_key("role") || item.contains_key("type") {
        return None;
    }
    let message = item.get("output")?.get("message").filter(|message| message.get("role").is_some())?;
    Some(vec![message.clone()])
}

pub(super) fn call(call: &Object) -> Option<Json> {
    let used = call.get("toolUse")?.as_object()?;
    Some(call_block(used.get("toolUseId"), used.get("name"), used.get("input")))
}

pub(super) fn blocks(block: &Object) -> Option<Vec<Json>> {
    if block.contains_key("type") || block.len() != 1 {
        return None;
    }
    let (name, held) = block.iter().next()?;
    Some(match (name.as_str(), held) {
        ("toolUse", Json::Object(_)) => vec![call(block)?],
        ("toolResult", Json::Object(result)) => {
            let error = (text(result, "status") == Some("error")).then_some(Json::Bool(true));
            let content = result.get("content").map(result_content);
            vec![result_block(result.get("toolUseId"), None, content.as_ref(), error)]
        }
        ("reasoningContent", Json::Object(thought)) => {
            match thought.get("reasoningText").and_then(|text| text.get("text")) {
                Some(text) => vec![json!({"type": "reasoning", "text": text})],
                None => vec![super::unread("redacted_reasoning")],
            }
        }
        ("guardContent", held) => match held.pointer("/text/text") {
            Some(text) => vec![json!({"type": "text", "text": text})],
            None => vec![super::unread("image")],
        },
        ("citationsContent", Json::Object(cited)) => {
            let texts = cited.get("content").and_then(Json::as_array).into_iter().flatten();
            let part = |part: &Json| match part.get("text") {
                Some(text) => json!({"type": "text", "text": text}),
                None => super::unread(name),
            };
            texts.map(part).collect()
        }
        // Where the provider keeps what came before for the next request.
        ("cachePoint", _) => Vec::new(),
        ("image" | "document" | "video" | "audio", _) => vec![super::unread(name)],
        _ => return None,
    })
}

/// The content of a result as text blocks, where all of it is texts and values.
fn result_content(content: &Json) -> Json {
    let Some(blocks) = content.as_array() else { return content.clone() };
    let block = |block: &Json| {
        let block = block.as_object().filter(|block| !block.contains_key("type") && block.len() == 1)?;
        let text = match first(block, &["text"]) {
            Some(text) => text.clone(),
            None => Json::from(block.get("json")?.to_string()),
        };
        Some(json!({"type": "text", "text": text}))
    };
    let texts: Option<Vec<Json>> = blocks.iter().map(block).collect();
    texts.map_or_else(|| content.clone(), Json::Array)
}
