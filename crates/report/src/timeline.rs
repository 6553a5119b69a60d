//! What an agent said and did, as texts to be shown in order: messages, their calls and arguments, what was expected.
//!
//! A value that evidence points at is there too, however deep it lies. All renderers of a case show these pieces.

use std::borrow::Cow;
use std::collections::BTreeSet;

use probare_core::{Case, CaseMessage, CaseToolCall, Field, FieldSpan, escape_pointer_key, json_to_text};

/// One text with its place.
pub(crate) struct TimelineText<'a> {
    pub(crate) field: Field,
    pub(crate) index: usize,
    pub(crate) path: String,
    /// What it is, for the reader.
    pub(crate) name: String,
    pub(crate) text: Cow<'a, str>,
}

/// The pieces of a case, in order; `pointed` are the places that evidence names.
pub(crate) fn pieces<'a>(case: &'a Case, pointed: impl IntoIterator<Item = &'a FieldSpan>) -> Vec<TimelineText<'a>> {
    let mut pieces = Vec::new();
    for (field, list) in [(Field::Messages, &case.messages), (Field::ExpectedMessages, &case.expected_messages)] {
        let noun = if field == Field::Messages { "Message" } else { "Expected message" };
        for (index, message) in list.iter().flatten().enumerate() {
            of_message(field, index, &format!("{noun} {}", index + 1), message, &mut pieces);
        }
    }
    for (field, list) in [(Field::ToolCalls, &case.tool_calls), (Field::ExpectedToolCalls, &case.expected_tool_calls)] {
        let noun = if field == Field::ToolCalls { "Call" } else { "Expected call" };
        for (index, call) in list.iter().flatten().enumerate() {
            of_call(field, index, "", &format!("{noun} {}", index + 1), call, &mut pieces);
        }
    }
    let mut known: BTreeSet<(Field, usize, String)> =
        pieces.iter().map(|piece| (piece.field, piece.index, piece.path.clone())).collect();
    for place in pointed {
        let (Some(index), Some(path)) = (place.index, &place.path) else { continue };
        if !known.insert((place.field, index, path.clone())) {
            continue;
        }
        if let Some(text) = case.text_at(place) {
            let name = format!("{} {} {path}", place.field, index + 1);
            let behind = pieces.iter().rposition(|piece| (piece.field, piece.index) == (place.field, index));
            let at = behind.map_or(pieces.len(), |at| at + 1);
            pieces.insert(at, TimelineText { field: place.field, index, path: path.clone(), name, text });
        }
    }
    pieces
}

/// What was answered, to be recognised by: the words, or the calls where nothing was said.
pub fn answer_text(case: &Case) -> Option<Cow<'_, str>> {
    let response_text = case.response.as_ref().map(|response| response.text.as_str());
    let calls = case.tool_calls.as_deref().unwrap_or_default();
    if response_text.is_some_and(|text| !text.is_empty()) || calls.is_empty() {
        return response_text.map(Cow::Borrowed);
    }
    let written = calls.iter().map(|call| match &call.arguments_text {
        Some(text) => format!("{}({text})", call.name),
        None => format!("{}({})", call.name, serde_json::to_string(call.arguments()).unwrap_or_default()),
    });
    Some(Cow::Owned(written.collect::<Vec<_>>().join(", ")))
}

fn of_message<'a>(
    field: Field,
    index: usize,
    noun: &str,
    message: &'a CaseMessage,
    pieces: &mut Vec<TimelineText<'a>>,
) {
    let mut name = format!("{noun}, {}", message.role.name());
    if let Some(speaker) = &message.name {
        name.push_str(&format!(" {speaker}"));
    }
    if message.error.is_some() {
        name.push_str(", an error");
    }
    for (path, text) in message.spoken_texts() {
        pieces.push(TimelineText {
            field,
            index,
            path: path.into_owned(),
            name: name.clone(),
            text: Cow::Borrowed(text),
        });
    }
    for (number, call) in message.tool_calls.iter().enumerate() {
        of_call(field, index, &format!("/tool_calls/{number}"), &format!("{noun} calls"), call, pieces);
    }
}

fn of_call<'a>(
    field: Field,
    index: usize,
    at: &str,
    noun: &str,
    call: &'a CaseToolCall,
    pieces: &mut Vec<TimelineText<'a>>,
) {
    let mut push = |path: String, name: String, text: Cow<'a, str>| {
        pieces.push(TimelineText { field, index, path: format!("{at}{path}"), name, text });
    };
    push("/name".to_owned(), noun.to_owned(), Cow::Borrowed(&call.name));
    for (group, values) in [("arguments", &call.arguments), ("allowed", &call.allowed)] {
        for (key, value) in values.iter().flatten() {
            push(
                format!("/{group}/{}", escape_pointer_key(key)),
                format!("{} with {key}", call.name),
                json_to_text(value),
            );
        }
    }
    if let Some(text) = &call.arguments_text {
        push("/arguments_text".to_owned(), format!("{} with what is not an object", call.name), Cow::Borrowed(text));
    }
    for (pointer, pattern) in call.regex.iter().flatten() {
        let path = format!("/regex/{}", escape_pointer_key(pointer));
        push(path, format!("{} with {} that fits", call.name, pointer.trim_start_matches('/')), json_to_text(pattern));
    }
    if let Some(output) = &call.output {
        push("/output".to_owned(), format!("{} gives", call.name), json_to_text(output));
    }
    for (number, other) in call.one_of.iter().enumerate() {
        of_call(field, index, &format!("{at}/one_of/{number}"), &format!("{noun}, or"), other, pieces);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_its_words_or_its_calls() {
        let text = |case: &str| {
            let case: Case = serde_json::from_str(case).unwrap();
            answer_text(&case).map(Cow::into_owned)
        };
        let calls = r#""tool_calls":[{"name":"f","arguments":{"a":1}},{"name":"","arguments_text":"{","problem":"unparseable"}]"#;
        assert_eq!(text(&format!(r#"{{"id":"a","response":"Yes.",{calls}}}"#)).as_deref(), Some("Yes."));
        assert_eq!(text(&format!(r#"{{"id":"a","response":"",{calls}}}"#)).as_deref(), Some(r#"f({"a":1}), ({)"#));
        assert_eq!(text(r#"{"id":"a","response":"","tool_calls":[]}"#).as_deref(), Some(""));
        assert_eq!(text(r#"{"id":"a"}"#), None);
    }

    #[test]
    fn messages_calls_and_what_evidence_points_at_stand_in_order() {
        let case: Case = serde_json::from_str(
            r#"{"id":"a","messages":[{"role":"user","text":"Rain?"},{"role":"assistant","tool_calls":[{"name":"weather","arguments":{"at":{"city":"Rome"},"n":2}}]},{"role":"tool","name":"weather","text":"no","error":true}],"expected_tool_calls":[{"name":"weather","regex":{"/city":"R.*"},"one_of":[{"name":"climate"}]}]}"#,
        )
        .unwrap();
        let place = FieldSpan::inside(Field::Messages, 1, "/tool_calls/0/arguments/at/city", 0..4);
        let shown: Vec<String> =
            pieces(&case, [&place, &place]).iter().map(|piece| format!("{}: {}", piece.name, piece.text)).collect();
        assert_eq!(
            shown,
            [
                "Message 1, user: Rain?",
                "Message 2 calls: weather",
                "weather with at: {\"city\":\"Rome\"}",
                "weather with n: 2",
                "messages 2 /tool_calls/0/arguments/at/city: Rome",
                "Message 3, tool weather, an error: no",
                "Expected call 1: weather",
                "weather with city that fits: R.*",
                "Expected call 1, or: climate",
            ]
        );
    }
}
