//! Prompts that are conversations.

use probare_core::CaseMessage;
use probare_promptfoo::{js, yaml};
use serde_json::{Value as Json, json};

/// The list of a prompt that is a chat: in JSON, or in YAML that begins with a role, as promptfoo takes it.
pub(super) fn chat_list(prompt: &str) -> Option<Json> {
    let is_yaml = js::trim(prompt).starts_with("- role:");
    let list = if is_yaml { yaml::parse(prompt).ok()? } else { js::parse_json(prompt).ok()? };
    list.as_array()?.iter().any(|message| message.get("role").is_some()).then_some(list)
}

/// The messages of a prompt that is a chat.
pub(super) fn chat_messages(prompt: &str) -> Option<Vec<CaseMessage>> {
    let list = chat_list(prompt)?;
    let is_message = |message: &Json| {
        message.get("role").is_some_and(Json::is_string) && message.get("content").is_some_and(Json::is_string)
    };
    if !list.as_array()?.iter().all(is_message) || list.as_array()?.is_empty() {
        return None;
    }
    let message =
        |message: &Json| serde_json::from_value(json!({"role": message["role"], "text": message["content"]})).ok();
    list.as_array()?.iter().map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_in_json_is_a_conversation() {
        let messages =
            chat_messages(r#"[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]"#);
        assert_eq!(messages.unwrap().len(), 2);
        for plain in ["Hi", "[]", "[1]", r#"{"role": "user", "content": "x"}"#] {
            assert_eq!(chat_messages(plain), None, "{plain}");
        }
    }
}
