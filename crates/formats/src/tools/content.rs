//! Messages of a conversation: their texts, the question among them, and the answer.

use serde_json::Value as Json;

/// The text of a message: a string, or the texts among its parts. Pictures, sounds and thoughts are not text of it.
pub(super) fn text(content: &Json) -> Option<String> {
    match content {
        Json::String(text) => Some(text.clone()),
        Json::Array(parts) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| match part {
                    Json::String(text) => Some(text.as_str()),
                    Json::Object(part) => {
                        let is_text = part
                            .get("type")
                            .and_then(Json::as_str)
                            .is_none_or(|kind| matches!(kind, "text" | "input_text" | "output_text"));
                        part.get("text").filter(|_| is_text).and_then(Json::as_str)
                    }
                    _ => None,
                })
                .collect();
            Some(texts.join("\n"))
        }
        _ => None,
    }
}

/// The role of a message.
fn role(message: &Json) -> &str {
    message.get("role").and_then(Json::as_str).unwrap_or_default()
}

/// Whether a value is a list of messages.
pub(super) fn is_messages(value: &Json) -> bool {
    value.as_array().is_some_and(|list| {
        !list.is_empty() && list.iter().all(|message| message.get("role").is_some_and(Json::is_string))
    })
}

/// The last text that the user said in these messages.
pub(super) fn question(messages: &[Json]) -> Option<String> {
    messages.iter().rev().find(|message| role(message) == "user").and_then(|message| text(message.get("content")?))
}

/// The answer that ends the conversation, and what came before it; nothing where it ends otherwise.
pub(super) fn answer(messages: &[Json]) -> (Option<String>, &[Json]) {
    match messages.split_last() {
        Some((last, before)) if role(last) == "assistant" => (last.get("content").and_then(text), before),
        _ => (None, messages),
    }
}

/// The question in a prompt: its text, or the last that the user says in its messages.
pub(super) fn prompt(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Array(messages) if is_messages(value) => question(messages),
        Json::Array(_) => text(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_conversation_has_a_question_and_an_answer() {
        let talk = json!([
            {"role": "system", "content": "Be short."},
            {"role": "user", "content": [{"type": "text", "text": "Who?"}, {"type": "image_url", "image_url": {}}]},
            {"role": "assistant", "content": "Ada."}
        ]);
        let talk = talk.as_array().unwrap();
        let (said, before) = answer(talk);
        assert_eq!((said.as_deref(), question(before).as_deref()), (Some("Ada."), Some("Who?")));
        assert_eq!(answer(&talk[..2]).0, None);
    }

    #[test]
    fn thoughts_are_no_answer() {
        let parts = json!([{"type": "reasoning", "reasoning": "hm", "text": "hm"}, {"type": "text", "text": "Yes."}]);
        assert_eq!(text(&parts).as_deref(), Some("Yes."));
    }
}
