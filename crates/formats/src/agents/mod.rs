//! What an agent said and did: columns of a row that hold messages, tools, calls and expectations become fields of the case.
//!
//! A name fits by what it holds. A column of one of these names that holds something else stays in the metadata, as it did
//! before these fields were there; only where the user maps a column must it fit.

pub(crate) mod calls;
pub(crate) mod messages;
mod shapes;
pub(crate) mod tools;

use std::borrow::Cow;

use probare_core::{Case, CaseMessage, CaseToolCall, Field, Output, Role, Tool, TurnExpectation};
use serde_json::{Map, Value as Json};

use self::calls::CallKind;

/// The fields of a case that this module reads.
pub(crate) const FIELDS: [Field; 6] =
    [Field::Messages, Field::Tools, Field::ToolCalls, Field::ExpectedToolCalls, Field::ExpectedMessages, Field::Turns];

/// A column that does not fit: which, with the item, and why.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ColumnMismatch {
    pub column: String,
    pub reason: String,
}

/// What a column of one of these fields holds.
enum ParsedColumn {
    Messages(Vec<CaseMessage>),
    Tools(Vec<Tool>),
    Calls(Vec<CaseToolCall>),
    Turns(Vec<TurnExpectation>),
}

/// The field that a value is fit for under a name of `field`; nothing where it is something else altogether.
fn field_of(field: Field, value: &Json) -> Option<Field> {
    let list = value.as_array()?;
    let is_messages = messages::are_messages(value);
    let all = |fits: fn(&Json) -> bool| list.iter().all(fits);
    // One that is known suffices: what is wrong with another is an error of the row, with its place.
    let some = |fits: fn(&Json) -> bool| list.is_empty() || list.iter().any(fits);
    match field {
        Field::Messages => is_messages.then_some(field),
        Field::Tools => some(tools::is_tool).then_some(field),
        Field::ToolCalls => some(calls::is_call).then_some(field),
        // The two are told apart by what they hold; an empty list is what its name says.
        Field::ExpectedToolCalls | Field::ExpectedMessages if list.is_empty() => Some(field),
        Field::ExpectedToolCalls | Field::ExpectedMessages => {
            // Calls in a vendor's own form may look like items of a conversation, but they have no speaker.
            let is_said = list.iter().any(|item| messages::is_message(item) && !calls::is_expected_call(item));
            match (is_said || list.iter().any(messages::has_speaker), some(calls::is_expected_call)) {
                (true, _) => Some(Field::ExpectedMessages),
                (false, true) => Some(Field::ExpectedToolCalls),
                _ => None,
            }
        }
        Field::Turns if !list.is_empty() && is_messages => Some(Field::Messages),
        Field::Turns => all(is_turn).then_some(field),
        _ => None,
    }
}

const TURN_KEYS: [&str; 6] = ["turn", "user", "reference", "expected_tool_calls", "context", "expect"];

fn is_turn(value: &Json) -> bool {
    value.as_object().is_some_and(|object| object.keys().all(|key| TURN_KEYS.contains(&key.as_str())))
}

/// Reads a column for a field that it is fit for.
fn parse_column(field: Field, column: &str, value: &Json) -> Result<ParsedColumn, ColumnMismatch> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let at = |(number, reason): (usize, String)| ColumnMismatch { column: format!("{column}[{number}]"), reason };
    let read = |side: CallKind| -> Result<Vec<CaseToolCall>, ColumnMismatch> {
        let numbered = list.iter().enumerate();
        numbered.map(|(number, value)| calls::call(value, side).map_err(|reason| at((number, reason)))).collect()
    };
    Ok(match field {
        Field::Tools => ParsedColumn::Tools(tools::tools(list).map_err(at)?),
        Field::ToolCalls => ParsedColumn::Calls(read(CallKind::Made)?),
        Field::ExpectedToolCalls => ParsedColumn::Calls(read(CallKind::Expected)?),
        Field::Turns => {
            let turns =
                list.iter().enumerate().map(|(number, value)| turn(value).map_err(|reason| at((number, reason))));
            ParsedColumn::Turns(turns.collect::<Result<_, _>>()?)
        }
        _ => ParsedColumn::Messages(messages::messages(list).map_err(at)?),
    })
}

fn turn(value: &Json) -> Result<TurnExpectation, String> {
    let mut object = value.as_object().ok_or("must be an object")?.clone();
    if let Some(reference) = object.get_mut("reference").filter(|reference| reference.is_string()) {
        *reference = Json::Array(vec![reference.take()]);
    }
    for passage in object.get_mut("context").and_then(Json::as_array_mut).into_iter().flatten() {
        if passage.is_string() {
            *passage = serde_json::json!({"text": passage.take()});
        }
    }
    let calls = match object.shift_remove("expected_tool_calls") {
        None | Some(Json::Null) => None,
        Some(Json::Array(list)) => {
            Some(list.iter().map(|value| calls::call(value, CallKind::Expected)).collect::<Result<Vec<_>, _>>()?)
        }
        Some(_) => return Err("has `expected_tool_calls` that is not a list".to_owned()),
    };
    let turn: TurnExpectation =
        serde_json::from_value(Json::Object(object)).map_err(|error| format!("does not fit: {error}"))?;
    Ok(TurnExpectation { expected_tool_calls: calls, ..turn })
}

fn put(case: &mut Case, field: Field, held: ParsedColumn) {
    match held {
        ParsedColumn::Tools(tools) => case.tools = Some(tools),
        ParsedColumn::Turns(turns) => case.turns = Some(turns),
        ParsedColumn::Calls(calls) if field == Field::ToolCalls => case.tool_calls = Some(calls),
        ParsedColumn::Calls(calls) => case.expected_tool_calls = Some(calls),
        ParsedColumn::Messages(messages) if field == Field::Messages => case.messages = Some(messages),
        ParsedColumn::Messages(messages) => case.expected_messages = Some(messages),
    }
}

/// Reads the column that the user named for a field.
pub(crate) fn read_mapped_column(
    case: &mut Case,
    field: Field,
    column: &str,
    value: &Json,
) -> Result<(), ColumnMismatch> {
    let value = &*opened(value);
    let wanted = match field {
        Field::Tools => "a list of tools",
        Field::ToolCalls => "a list of calls, each with `name` and `arguments`",
        Field::ExpectedToolCalls => EXPECTED_CALLS,
        Field::Turns => "a list of objects with `reference`, `expected_tool_calls` or other expectations",
        _ => "a list of messages, each with `role` and `content`",
    };
    if field_of(field, value) != Some(field) {
        return Err(ColumnMismatch { column: column.to_owned(), reason: format!("must be {wanted}") });
    }
    put(case, field, parse_column(field, column, value)?);
    Ok(())
}

/// What a column of expected calls holds.
const EXPECTED_CALLS: &str =
    "a list of calls: names of tools, objects with `name` and `arguments`, or `one_of` several";

/// The list of a column: it may be written as JSON text, and messages may stand in the object of a state.
fn opened(value: &Json) -> Cow<'_, Json> {
    match value {
        Json::String(text) if text.trim_start().starts_with(['[', '{']) => {
            let read: Option<Json> = serde_json::from_str(text).ok();
            read.map_or(Cow::Borrowed(value), |read| Cow::Owned(opened(&read).into_owned()))
        }
        Json::Object(object) if object.len() == 1 => {
            object.get("messages").filter(|list| list.is_array()).map_or(Cow::Borrowed(value), Cow::Borrowed)
        }
        _ => Cow::Borrowed(value),
    }
}

/// The error where a column has the very name of calls and holds a list of something else: without it nothing would be
/// expected, or nothing called, and nobody would know.
fn check_own_name(field: Field, name: &str, value: &Json) -> Result<(), ColumnMismatch> {
    let wanted = match field {
        Field::ExpectedToolCalls => EXPECTED_CALLS,
        Field::ToolCalls => "a list of calls, each with `name` and `arguments`",
        _ => return Ok(()),
    };
    if name != field.name() || !value.is_array() {
        return Ok(());
    }
    Err(ColumnMismatch { column: name.to_owned(), reason: format!("must be {wanted}") })
}

/// Takes what fits out of the columns that no other field wanted.
pub(crate) fn take_agent_columns(case: &mut Case, columns: &mut Map<String, Json>) -> Result<(), ColumnMismatch> {
    if columns.is_empty() {
        return Ok(());
    }
    for field in FIELDS {
        for name in std::iter::once(&field.name()).chain(field.aliases()) {
            let Some(value) = columns.get(*name) else { continue };
            let value = opened(value);
            let Some(fit) = field_of(field, &value) else {
                check_own_name(field, name, &value)?;
                continue;
            };
            if case.has(fit) {
                continue;
            }
            put(case, fit, parse_column(fit, name, &value)?);
            columns.shift_remove(*name);
        }
    }
    // The instructions of Anthropic's requests stand beside the messages.
    if let Some(messages) = &mut case.messages
        && !messages.iter().any(|message| message.has_role(Role::System))
        && let Some(system) = columns.get("system").and_then(messages::system)
    {
        columns.shift_remove("system");
        messages.insert(0, system);
    }
    Ok(())
}

/// Whether an object is a line of a session of Claude Code.
pub(crate) fn is_session_line(line: &Map<String, Json>) -> bool {
    shapes::claude_code::is_line(line)
}

/// Whether a list holds messages, and is not a list of other things.
pub(crate) fn is_conversation(list: &[Json]) -> bool {
    list.iter().any(messages::is_message)
}

/// Question and answer of the conversation, where the row has none.
pub(crate) fn fill_query_and_response(case: &mut Case) {
    let Some(messages) = &case.messages else { return };
    if case.query.is_none() {
        let last = messages.iter().rev().find(|message| message.has_role(Role::User));
        case.query = last.and_then(CaseMessage::spoken_text).map(Cow::into_owned);
    }
    if case.response.is_none() {
        let last = messages.last().filter(|message| message.has_role(Role::Assistant));
        case.response = last.and_then(CaseMessage::spoken_text).map(Output::new);
    }
}

/// The messages of a list in any shape; nothing where it is none.
pub(crate) fn parse_conversation(value: &Json) -> Option<Result<Vec<CaseMessage>, ColumnMismatch>> {
    messages::are_messages(value).then(|| match parse_column(Field::Messages, "messages", value)? {
        ParsedColumn::Messages(messages) => Ok(messages),
        _ => Ok(Vec::new()),
    })
}

/// The calls of a list in any shape; nothing where it is none.
pub(crate) fn parse_calls(value: &Json, is_expected: bool) -> Option<Vec<CaseToolCall>> {
    let side = if is_expected { CallKind::Expected } else { CallKind::Made };
    value.as_array()?.iter().map(|value| calls::call(value, side).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lifted(columns: Json) -> (Case, Map<String, Json>) {
        let Json::Object(mut columns) = columns else { unreachable!("an object") };
        let mut case = Case::default();
        take_agent_columns(&mut case, &mut columns).unwrap();
        fill_query_and_response(&mut case);
        (case, columns)
    }

    #[test]
    fn a_name_fits_by_what_it_holds() {
        let (case, rest) = lifted(json!({
            "conversation": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}],
            "functions": [{"name": "f"}],
            "tools_called": [{"name": "f", "input_parameters": {}}],
            "reference_outputs": [{"name": "f", "args": {}}],
            "expected_tool_use": [{"role": "user", "content": "q"}],
            "turns": [{"reference": "a", "expected_tool_calls": [{"f": {"x": [1]}}]}],
            "system": "Be brief.",
        }));
        assert!(rest.is_empty(), "{rest:?}");
        assert_eq!(case.messages.as_ref().unwrap()[0].text.as_deref(), Some("Be brief."));
        assert_eq!((case.tools.unwrap().len(), case.tool_calls.unwrap().len()), (1, 1));
        assert_eq!((case.expected_tool_calls.unwrap().len(), case.expected_messages.unwrap().len()), (1, 1));
        let turn = &case.turns.unwrap()[0];
        assert_eq!(turn.reference.as_deref(), Some(&["a".to_owned()][..]));
        assert!(turn.expected_tool_calls.as_ref().unwrap()[0].allowed.is_some());
        assert_eq!((case.query.as_deref(), case.response), (Some("q"), Some(Output::new("a"))));
    }

    #[test]
    fn what_does_not_fit_stays_where_it_was() {
        let columns =
            json!({"messages": "hello", "tools": {"a": 1}, "tool_calls": 3, "transcript": ["a"], "turns": [1]});
        let (case, rest) = lifted(columns.clone());
        assert_eq!((Json::Object(rest), case.messages), (columns, None));
    }

    #[test]
    fn absent_and_empty_are_not_the_same() {
        let (case, _) = lifted(json!({"messages": [], "expected_tools": []}));
        assert_eq!((case.messages, case.expected_tool_calls, case.tool_calls), (Some(vec![]), Some(vec![]), None));
    }

    #[test]
    fn turns_with_roles_are_messages() {
        let (case, _) = lifted(json!({"turns": [{"role": "user", "content": "q"}]}));
        assert_eq!((case.query.as_deref(), case.turns), (Some("q"), None));
    }

    #[test]
    fn a_mapped_column_must_fit_and_a_bad_call_is_told_with_its_place() {
        let mut case = Case::default();
        let misfit = read_mapped_column(&mut case, Field::ToolCalls, "log.calls", &json!("x")).unwrap_err();
        assert_eq!(misfit.reason, "must be a list of calls, each with `name` and `arguments`");
        let Json::Object(mut columns) =
            json!({"messages": [{"role": "assistant", "tool_calls": [{"function": {"arguments": "{}"}}]}]})
        else {
            unreachable!("an object")
        };
        let misfit = take_agent_columns(&mut case, &mut columns).unwrap_err();
        assert_eq!((misfit.column.as_str(), misfit.reason.as_str()), ("messages[0]", "`tool_calls[0]` has no name"));
    }
}
