//! Gemini: parts in the words of its REST interface and of the package `google-genai`, which writes every member that a part
//! might have; a whole reply holds its message in `candidates`.

use serde_json::{Value as Json, json};

use super::{Object, call_block, first, list, result_block};

/// Members of a part, of which one says what it is.
const PARTS: [[&str; 2]; 6] = [
    ["functionCall", "function_call"],
    ["functionResponse", "function_response"],
    ["executableCode", "executable_code"],
    ["codeExecutionResult", "code_execution_result"],
    ["inlineData", "inline_data"],
    ["fileData", "file_data"],
];

/// Members that say something about a part without being it.
const ASIDE: [&str; 10] = [
    "thought",
    "thoughtSignature",
    "thought_signature",
    "videoMetadata",
    "video_metadata",
    "mediaResolution",
    "media_resolution",
    "partMetadata",
    "part_metadata",
    "text",
];

pub(super) fn items(item: &Object) -> Option<Vec<Json>> {
    if let Some(candidates) = list(item, "candidates").filter(|_| !item.contains_key("role")) {
        return Some(vec![candidates.first()?.get("content")?.clone()]);
    }
    // The package leaves the role of the user out.
    let has_parts = list(item, "parts").is_some() && item.get("role").is_none_or(Json::is_null);
    let is_own = has_parts && item.keys().all(|key| key == "parts" || key == "role");
    is_own.then(|| vec![json!({"role": "user", "parts": item["parts"]})])
}

pub(super) fn blocks(block: &Object) -> Option<Vec<Json>> {
    if block.get("type").is_some_and(|kind| !kind.is_null()) {
        return None;
    }
    let known = PARTS.into_iter().find_map(|names| Some((names[1], first(block, &names)?.as_object()?)));
    // A name that is null in both spellings would hide the one that is not.
    let Some((name, held)) = known.or_else(|| {
        PARTS
            .into_iter()
            .find_map(|names| Some((names[1], names.iter().find_map(|name| block.get(*name)?.as_object())?)))
    }) else {
        return of_texts(block);
    };
    let mut blocks = match name {
        "function_call" => {
            let mut call = call_block(held.get("id"), held.get("name"), held.get("args"));
            if let Some(signature) = first(block, &["thoughtSignature", "thought_signature"]) {
                call["signature"] = signature.clone();
            }
            vec![call]
        }
        "function_response" => {
            let response = held.get("response");
            // What went wrong stands in place of what came out.
            let error = response.and_then(Json::as_object).filter(|response| {
                !response.contains_key("output") && !response.contains_key("result") && response.len() == 1
            });
            let error = error.and_then(|response| first(response, &["error"])).map(|error| match error {
                Json::String(text) if !text.is_empty() => Json::from(text.as_str()),
                _ => Json::Bool(true),
            });
            vec![result_block(held.get("id"), held.get("name"), response, error)]
        }
        "executable_code" => {
            let mut call = call_block(
                held.get("id"),
                Some(&Json::from("code_execution")),
                Some(&json!({"code": held.get("code")})),
            );
            call["type"] = Json::from("server_tool_use");
            vec![call]
        }
        "code_execution_result" => {
            let is_error = held.get("outcome").and_then(Json::as_str).is_some_and(|outcome| !outcome.ends_with("OK"));
            let error = is_error.then_some(Json::Bool(true));
            vec![result_block(held.get("id"), Some(&Json::from("code_execution")), held.get("output"), error)]
        }
        "inline_data" => {
            let media = first(held, &["mimeType", "mime_type"]).and_then(Json::as_str).unwrap_or_default();
            let kind = media.split('/').next().filter(|kind| ["image", "audio", "video"].contains(kind));
            vec![super::unread(kind.unwrap_or("file"))]
        }
        _ => vec![super::unread("file")],
    };
    if let Some(Json::String(text)) = block.get("text") {
        blocks.insert(0, json!({"text": text}));
    }
    Some(blocks)
}

/// A part of words with members that are null beside them; nothing where it is plain, or something else altogether.
fn of_texts(block: &Object) -> Option<Vec<Json>> {
    let is_own = |name: &str| ASIDE.contains(&name) || PARTS.iter().flatten().any(|known| *known == name);
    let has_nulls = block.values().any(Json::is_null);
    if !has_nulls || !block.keys().all(|name| is_own(name) || block[name].is_null()) {
        return None;
    }
    let mut plain = Object::new();
    for name in ["text", "thought"] {
        plain.extend(first(block, &[name]).map(|value| (name.to_owned(), value.clone())));
    }
    Some(if plain.contains_key("text") { vec![Json::Object(plain)] } else { Vec::new() })
}
