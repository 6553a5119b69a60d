//! Reads the two files of one evaluation: a conversation and the passages retrieved for it.
//!
//! A conversation is an object with `query` (or `user_message`) and `response` (or `assistant_message`), or a chat log
//! with `conversation_turns`, of which the last reply and the message before it count. Passages are a list under `context`
//! or `chunks`, or under `data.vector_data` with a `text` each, as a vector store gives them.

use serde_json::{Map, Value as Json};

use super::Exchange;

/// Why a file is no conversation or no list of passages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReadError(String);

impl ReadError {
    fn in_file(file: &str, reason: &str) -> Self {
        Self(format!("`{file}`: {reason}"))
    }
}

/// The exchange of a conversation file and a context file, given as name and content.
pub fn exchange(conversation: (&str, &str), context: (&str, &str)) -> Result<Exchange, ReadError> {
    let (query, response) = self::conversation(conversation.0, conversation.1)?;
    Ok(Exchange { query, response, context: self::context(context.0, context.1)? })
}

/// Query and response of a conversation file.
pub fn conversation(file: &str, content: &str) -> Result<(String, String), ReadError> {
    let wrong = |reason: String| ReadError::in_file(file, &reason);
    let Json::Object(object) = parse(file, content)? else {
        return Err(wrong("a conversation is an object with `query` and `response`".into()));
    };
    if let Some(turns) = object.get("conversation_turns") {
        return last_reply(turns).map_err(wrong);
    }
    let field = |names: [&str; 2]| text(&object, names).map_err(wrong);
    Ok((field(["query", "user_message"])?, field(["response", "assistant_message"])?))
}

/// Passages of a context file.
pub fn context(file: &str, content: &str) -> Result<Vec<String>, ReadError> {
    passages(&parse(file, content)?).map_err(|reason| ReadError::in_file(file, &reason))
}

fn parse(file: &str, content: &str) -> Result<Json, ReadError> {
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    serde_json::from_str(content).map_err(|error| ReadError(format!("`{file}` is not valid JSON: {error}")))
}

/// The first of two fields that holds a text; an empty one gives way to the second, as in the original.
fn text(object: &Map<String, Json>, names: [&str; 2]) -> Result<String, String> {
    let given = names.iter().filter_map(|name| object.get(*name)).filter(|value| !value.is_null());
    let mut found = None;
    for value in given {
        let text = value.as_str().ok_or_else(|| format!("`{}` is {}, not a text", names[0], json_type_name(value)))?;
        if found.is_none_or(str::is_empty) {
            found = Some(text);
        }
    }
    found.map(str::to_owned).ok_or_else(|| format!("neither `{}` nor `{}` is given", names[0], names[1]))
}

/// The last reply of a chat log and the last message of the user before it.
fn last_reply(turns: &Json) -> Result<(String, String), String> {
    let turns =
        turns.as_array().ok_or_else(|| format!("`conversation_turns` is {}, not a list", json_type_name(turns)))?;
    let role = |turn: &Json| turn.get("role").and_then(Json::as_str).map(str::to_lowercase).unwrap_or_default();
    let message = |turn: &Json| turn.get("message").and_then(Json::as_str).map(str::to_owned);
    let is_user = |turn: &Json| {
        role(turn)
            .split(|letter: char| !letter.is_alphanumeric())
            .any(|word| matches!(word, "user" | "human" | "customer"))
    };
    let reply = turns
        .iter()
        .rposition(|turn| !is_user(turn) && !role(turn).is_empty() && message(turn).is_some())
        .ok_or("`conversation_turns` holds no reply: a turn with a `role` other than the user's and a `message`")?;
    let question = turns[..reply]
        .iter()
        .rev()
        .find(|turn| is_user(turn) && message(turn).is_some())
        .ok_or("`conversation_turns` holds no message of a user before the last reply")?;
    message(question).zip(message(&turns[reply])).ok_or_else(|| "a turn has no `message`".to_owned())
}

fn passages(value: &Json) -> Result<Vec<String>, String> {
    let list = match value {
        Json::Array(_) => value,
        Json::Object(object) => ["context", "chunks"]
            .iter()
            .find_map(|name| object.get(*name))
            .or_else(|| object.get("data")?.get("vector_data"))
            .or_else(|| object.get("vector_data"))
            .ok_or("neither `context` nor `chunks` nor `data.vector_data` is given")?,
        other => return Err(format!("a context is an object with a list of passages, not {}", json_type_name(other))),
    };
    let list =
        list.as_array().ok_or_else(|| format!("the context is {}, not a list of passages", json_type_name(list)))?;
    list.iter()
        .enumerate()
        .map(|(index, item)| passage(item).map_err(|reason| format!("passage {index} {reason}")))
        .collect()
}

fn passage(item: &Json) -> Result<String, String> {
    match item {
        Json::String(text) => Ok(text.clone()),
        Json::Object(object) => ["text", "page_content", "content"]
            .iter()
            .find_map(|name| object.get(*name)?.as_str())
            .map(str::to_owned)
            .ok_or_else(|| "has no `text`".to_owned()),
        other => Err(format!("is {}, not a text", json_type_name(other))),
    }
}

/// What a JSON value is, with its article.
fn json_type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_of_a_field_are_read() {
        let pair = conversation("c.json", r#"{"user_message": "q", "response": "r"}"#);
        assert_eq!(pair, Ok(("q".into(), "r".into())));
        let second = conversation("c.json", r#"{"query": "", "user_message": "q", "response": ""}"#);
        assert_eq!(second, Ok(("q".into(), String::new())));
        let error = conversation("c.json", r#"{"query": "q"}"#).unwrap_err();
        assert_eq!(error.to_string(), "`c.json`: neither `response` nor `assistant_message` is given");
    }

    #[test]
    fn a_chat_log_gives_its_last_reply() {
        let log = r#"{"chat_id": 1, "conversation_turns": [
            {"turn": 1, "role": "User", "message": "Hello"},
            {"turn": 2, "role": "AI/Chatbot", "message": "Hi"},
            {"turn": 3, "role": "User", "message": "What does it cost?"},
            {"turn": 4, "role": "AI/Chatbot", "message": "5 euros."},
            {"turn": 5, "role": "User", "message": "Thanks"}]}"#;
        assert_eq!(conversation("c", log), Ok(("What does it cost?".into(), "5 euros.".into())));
        assert!(conversation("c", r#"{"conversation_turns": [{"role": "User", "message": "x"}]}"#).is_err());
        assert!(conversation("c", r#"{"conversation_turns": 5}"#).unwrap_err().to_string().contains("a number"));
    }

    #[test]
    fn passages_come_in_several_forms() {
        let expected = Ok(vec!["a".to_owned(), "b".to_owned()]);
        for content in [
            r#"{"context": ["a", "b"]}"#,
            r#"{"chunks": [{"text": "a"}, {"page_content": "b"}]}"#,
            r#"{"status": "success", "data": {"vector_data": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]}}"#,
            "\u{feff}[\"a\", \"b\"]",
        ] {
            assert_eq!(context("x", content), expected, "{content}");
        }
        for (content, reason) in [
            (r#"{"context": "a"}"#, "the context is a text, not a list of passages"),
            (r#"{"context": ["a", 5]}"#, "passage 1 is a number, not a text"),
            ("{}", "neither `context` nor `chunks` nor `data.vector_data` is given"),
            ("5", "a context is an object with a list of passages, not a number"),
        ] {
            assert_eq!(context("x", content).unwrap_err().to_string(), format!("`x`: {reason}"));
        }
    }

    #[test]
    fn a_lone_surrogate_is_a_clear_error() {
        let error = context("x", r#"["\ud800"]"#).unwrap_err().to_string();
        assert!(error.starts_with("`x` is not valid JSON") && error.contains("line 1"), "{error}");
    }
}
