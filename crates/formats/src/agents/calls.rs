//! One call of a tool, in any of the shapes that other tools write.

use probare_core::{ArgumentsProblem, CaseToolCall};
use serde_json::{Map, Value as Json};

/// Words that say of a call that it is one; any other `type` tells kinds of tools apart.
const CALL_TYPES: [&str; 6] = ["function", "tool_call", "tool_use", "function_call", "server_tool_call", "FUNCTION"];

/// Whether a call was made or is expected: a list of values for each argument means something in the second alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CallKind {
    Made,
    Expected,
}

/// Whether a value looks like a call.
pub(super) fn is_call(value: &Json) -> bool {
    let Some(object) = value.as_object() else { return false };
    let is_text = |name: &str| object.get(name).is_some_and(Json::is_string);
    is_text("name") || is_text("function") || inner(object).is_some() || bfcl_call(object).is_some()
}

/// The object inside of a call that has name and arguments.
fn inner(object: &Map<String, Json>) -> Option<&Map<String, Json>> {
    ["function", "functionCall", "function_call"].into_iter().find_map(|name| object.get(name)?.as_object())
}

/// BFCL's shape: the name, with an object of arguments under it and nothing beside it.
fn bfcl_call(object: &Map<String, Json>) -> Option<(&String, &Map<String, Json>)> {
    let mut entries = object.iter();
    match (entries.next(), entries.next()) {
        (Some((name, Json::Object(arguments))), None) => Some((name, arguments)),
        _ => None,
    }
}

/// The call; what is wrong with it where it has no name.
pub(super) fn call(value: &Json, side: CallKind) -> Result<CaseToolCall, String> {
    let object = value.as_object().ok_or("must be an object with `name` and `arguments`")?;
    if let Some(inner) = inner(object) {
        let arguments = ["arguments", "args"].into_iter().find_map(|name| inner.get(name));
        return Ok(call_named(object, inner.get("name"))?.with_arguments(arguments.cloned().unwrap_or_default()));
    }
    if let Some(function) = object.get("function").filter(|function| function.is_string()) {
        let call = call_named(object, Some(function))?;
        return Ok(with_arguments_of(object, call));
    }
    if !object.get("name").is_some_and(Json::is_string)
        && let Some((name, arguments)) = bfcl_call(object)
    {
        let call = CaseToolCall { name: name.clone(), ..CaseToolCall::default() };
        return Ok(match side {
            CallKind::Made => call.with_arguments(Json::Object(arguments.clone())),
            CallKind::Expected => CaseToolCall { allowed: Some(arguments.clone()), ..call },
        });
    }
    let call = call_named(object, object.get("name"))?;
    let call = with_arguments_of(object, call);
    if side == CallKind::Made { Ok(call) } else { with_expectations(object, call) }
}

/// A call of this name with what stands beside it whatever the shape.
fn call_named(object: &Map<String, Json>, name: Option<&Json>) -> Result<CaseToolCall, String> {
    let name = match name {
        Some(Json::String(name)) => name.clone(),
        Some(_) => return Err("has a name that is no text".to_owned()),
        None => return Err("has no name".to_owned()),
    };
    let id = ["id", "call_id", "tool_call_id"].into_iter().find_map(|name| object.get(name).and_then(id_text));
    let kind = object.get("kind").or_else(|| object.get("type")).and_then(Json::as_str);
    let kind = kind.filter(|kind| !CALL_TYPES.contains(kind)).map(str::to_owned);
    let output = object.get("output").filter(|output| !output.is_null()).cloned();
    let server = object.get("server").and_then(Json::as_bool) == Some(true)
        || object.get("type").and_then(Json::as_str) == Some("server_tool_call");
    let signature =
        ["signature", "thoughtSignature", "thought_signature"].into_iter().find_map(|name| object.get(name));
    let signature = signature.or_else(|| object.get("extra_content")?.pointer("/google/thought_signature"));
    let signature = signature.and_then(Json::as_str).map(str::to_owned);
    Ok(CaseToolCall { id, name, kind, output, server, signature, ..CaseToolCall::default() })
}

/// An id as a text, as ids are compared.
pub(crate) fn id_text(value: &Json) -> Option<String> {
    match value {
        Json::String(id) => Some(id.clone()),
        Json::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// The call with its arguments, whatever they are called, or with the reason why it has none.
fn with_arguments_of(object: &Map<String, Json>, call: CaseToolCall) -> CaseToolCall {
    let text = |name: &str| object.get(name).and_then(Json::as_str);
    if let Some(problem) = text("problem") {
        let problem = if problem == ArgumentsProblem::NotAnObject.name() {
            ArgumentsProblem::NotAnObject
        } else {
            ArgumentsProblem::Unparseable
        };
        let fault = object.get("fault").and_then(Json::as_u64).and_then(|byte| usize::try_from(byte).ok());
        let arguments_text = text("arguments_text").map(str::to_owned);
        return CaseToolCall { problem: Some(problem), fault, arguments_text, ..call };
    }
    let given = ["arguments", "args", "input", "server_tool_call"].into_iter().find_map(|name| object.get(name));
    if text("parse_error").is_some() {
        let written = given.and_then(Json::as_str).map(str::to_owned);
        return CaseToolCall { problem: Some(ArgumentsProblem::Unparseable), arguments_text: written, ..call };
    }
    // Only here do arguments that are missing stay missing.
    let own = ["input_parameters", "inputParameters"].into_iter().find_map(|name| object.get(name));
    match (given, own) {
        (Some(arguments), _) => call.with_arguments(arguments.clone()),
        (None, Some(arguments)) if !arguments.is_null() => call.with_arguments(arguments.clone()),
        _ => call,
    }
}

/// What an expected call has beyond one that was made.
fn with_expectations(object: &Map<String, Json>, call: CaseToolCall) -> Result<CaseToolCall, String> {
    let map = |name: &str| match object.get(name) {
        Some(Json::Object(map)) => Ok(Some(map.clone())),
        None | Some(Json::Null) => Ok(None),
        Some(_) => Err(format!("has `{name}` that is no object")),
    };
    let optional = match object.get("optional") {
        None | Some(Json::Null) => Vec::new(),
        Some(list) => serde_json::from_value(list.clone()).map_err(|_| "has `optional` that is no list of texts")?,
    };
    let accept = map("accept")?;
    if accept.iter().flatten().any(|(pointer, values)| !pointer.starts_with('/') || !values.is_array()) {
        return Err("has `accept` that is no object of lists under JSON Pointers such as `/city`".to_owned());
    }
    Ok(CaseToolCall { accept, optional, allowed: map("allowed")?, ..call })
}

/// A call whose arguments the source itself could not read.
pub(super) fn invalid(value: &Json) -> Result<CaseToolCall, String> {
    let object = value.as_object().ok_or("must be an object with `name` and `args`")?;
    let call = call_named(object, object.get("name"))?;
    let written = object.get("args").and_then(Json::as_str).map(str::to_owned);
    Ok(CaseToolCall { problem: Some(ArgumentsProblem::Unparseable), arguments_text: written, ..call })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: &Json) -> Json {
        serde_json::to_value(call(value, CallKind::Made).unwrap()).unwrap()
    }

    #[test]
    fn one_call_in_every_shape() {
        let normal = json!({"id": "c1", "name": "weather", "arguments": {"city": "Rome"}});
        let arguments = json!({"city": "Rome"});
        let text = "{\"city\": \"Rome\"}";
        for shape in [
            normal.clone(),
            json!({"id": "c1", "type": "function", "function": {"name": "weather", "arguments": text}}),
            json!({"type": "function_call", "call_id": "c1", "name": "weather", "arguments": text}),
            json!({"type": "tool_use", "id": "c1", "name": "weather", "input": arguments}),
            json!({"id": "c1", "function": "weather", "arguments": arguments, "type": "function"}),
            json!({"name": "weather", "args": arguments, "id": "c1", "type": "tool_call"}),
            json!({"id": "c1", "name": "weather", "input_parameters": arguments}),
            json!({"id": "c1", "functionCall": {"name": "weather", "args": arguments}}),
        ] {
            assert!(is_call(&shape));
            assert_eq!(read(&shape), normal);
        }
        assert_eq!(read(&json!({"weather": {"city": "Rome"}})), json!({"name": "weather", "arguments": arguments}));
        assert_eq!(
            read(&json!({"id": 7, "name": "f", "arguments": null})),
            json!({"id": "7", "name": "f", "arguments": {}})
        );
        assert_eq!(
            read(&json!({"name": "f", "inputParameters": null, "output": [1], "type": "MCP"})),
            json!({"name": "f", "kind": "MCP", "output": [1]})
        );
    }

    #[test]
    fn a_call_without_a_usable_name_is_told() {
        assert_eq!(call(&json!({"arguments": 3}), CallKind::Made).unwrap_err(), "has no name");
        assert_eq!(
            call(&json!({"name": 3, "arguments": {}}), CallKind::Made).unwrap_err(),
            "has a name that is no text"
        );
        assert!(call(&json!("f"), CallKind::Made).is_err());
    }

    #[test]
    fn what_is_expected_may_have_more() {
        let expected = json!({"name": "f", "arguments": {"a": 1}, "accept": {"/a": [2]}, "optional": ["/b"]});
        assert_eq!(serde_json::to_value(call(&expected, CallKind::Expected).unwrap()).unwrap(), expected);
        let key = call(&json!({"f": {"a": [1, ""]}}), CallKind::Expected).unwrap();
        assert_eq!(key.allowed.unwrap()["a"], json!([1, ""]));
        assert!(call(&json!({"name": "f", "accept": {"a": [2]}}), CallKind::Expected).is_err());
    }

    #[test]
    fn a_problem_is_kept() {
        for shape in [
            json!({"id": "1", "function": "f", "arguments": {}, "parse_error": "bad", "type": "function"}),
            json!({"name": "f", "problem": "unparseable"}),
        ] {
            assert_eq!(call(&shape, CallKind::Made).unwrap().problem, Some(ArgumentsProblem::Unparseable));
        }
        let invalid = invalid(&json!({"name": "f", "args": "{", "error": "x"})).unwrap();
        assert_eq!(invalid.arguments_text.as_deref(), Some("{"));
    }
}
