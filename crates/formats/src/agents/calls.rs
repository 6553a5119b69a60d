//! One call of a tool, in any of the shapes that other tools write.

use std::borrow::Cow;

use probare_core::{ArgumentsProblem, CaseToolCall};
use serde_json::{Map, Value as Json, json};

use super::shapes;

/// Words that say of a call that it is one; any other `type` tells kinds of tools apart.
const CALL_TYPES: [&str; 10] = [
    "function",
    "tool_call",
    "tool_use",
    "function_call",
    "server_tool_call",
    "server_tool_use",
    "custom_tool_call",
    "custom",
    "tool_call_chunk",
    "FUNCTION",
];

/// The words of an expected call that are ours.
const EXPECTATION_WORDS: [&str; 6] = ["accept", "optional", "any", "regex", "one_of", "allowed"];

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
    is_text("name")
        || is_text("function")
        || inner(object).is_some()
        || bfcl_call(object).is_some()
        || shapes::rewrite_call(object).is_some()
}

/// Whether a value looks like an expected call: a call, a name alone, or several calls of which one is right.
pub(super) fn is_expected_call(value: &Json) -> bool {
    value.is_string() || is_call(value) || value.get("one_of").is_some_and(Json::is_array)
}

/// The object inside of a call that has name and arguments.
fn inner(object: &Map<String, Json>) -> Option<&Map<String, Json>> {
    ["function", "functionCall", "function_call", "custom"].into_iter().find_map(|name| object.get(name)?.as_object())
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
    if side == CallKind::Expected {
        return expected_call(value);
    }
    plain_call(value, side)
}

/// A call that is expected: one of any shape with what it leaves open, a name alone, or several of which one is right.
fn expected_call(value: &Json) -> Result<CaseToolCall, String> {
    let Some(object) = value.as_object() else { return expected_alternative(value) };
    let Some(list) = object.get("one_of").filter(|list| !list.is_null()) else { return expected_alternative(value) };
    let list = list.as_array().filter(|list| !list.is_empty()).ok_or("has `one_of` that is not a list of calls")?;
    let mut calls = Vec::with_capacity(list.len() + 1);
    let mut shell = object.clone();
    shell.shift_remove("one_of");
    let optional = if is_call(&Json::Object(shell.clone())) && bfcl_call(&shell).is_none() {
        calls.push(expected_alternative(&Json::Object(shell))?);
        Vec::new()
    } else {
        if let Some(other) = shell.keys().find(|key| !["optional", "id", "type"].contains(&key.as_str())) {
            return Err(format!("has `{other}` beside `one_of`; it belongs to one of the calls there"));
        }
        pointers(&shell, "optional")?
    };
    if optional.iter().any(|pointer| !pointer.is_empty()) {
        return Err(
            "has `optional` beside `one_of`, where it is true or absent; pointers belong to one of the calls".into()
        );
    }
    for (number, call) in list.iter().enumerate() {
        if call.get("one_of").is_some() {
            return Err(format!("has `one_of[{number}]` with a further `one_of`"));
        }
        calls.push(expected_alternative(call).map_err(|reason| format!("has `one_of[{number}]`, which {reason}"))?);
    }
    let mut first = calls.remove(0);
    first.optional.extend(optional);
    Ok(CaseToolCall { one_of: calls, ..first })
}

fn expected_alternative(value: &Json) -> Result<CaseToolCall, String> {
    // A name alone expects a call of the tool, whatever its arguments.
    let any = vec![String::new()];
    let mut object = match value {
        Json::String(name) if name.trim().is_empty() => return Err("is an empty name".to_owned()),
        Json::String(name) => return Ok(CaseToolCall { name: name.clone(), any, ..CaseToolCall::default() }),
        Json::Object(object) => object.clone(),
        _ => return Err("must be the name of a tool, or an object with `name` and `arguments`".to_owned()),
    };
    let plain = |key: &str| key.replace(['_', '-'], "").to_lowercase();
    for key in object.keys().filter(|key| !EXPECTATION_WORDS.contains(&key.as_str())) {
        if let Some(word) = EXPECTATION_WORDS.iter().find(|word| plain(word) == plain(key)) {
            return Err(format!("has `{key}`, which is spelt `{word}`"));
        }
    }
    let is_any = ["arguments", "args", "input"].into_iter().find(|name| object.get(*name) == Some(&json!("any")));
    if let Some(name) = is_any {
        object.shift_remove(name);
    }
    let call = plain_call(&Json::Object(object.clone()), CallKind::Expected)?;
    let mut call = with_expectations(&object, call)?;
    if is_any.is_some() {
        call.any = any;
    }
    Ok(call)
}

/// A call without what an expectation has beyond one that was made.
fn plain_call(value: &Json, side: CallKind) -> Result<CaseToolCall, String> {
    let object = value.as_object().ok_or("must be an object with `name` and `arguments`")?;
    let object: Cow<'_, Map<String, Json>> = match shapes::rewrite_call(object) {
        Some(rewritten) => Cow::Owned(rewritten),
        None => Cow::Borrowed(object),
    };
    let object = object.as_ref();
    if let Some(inner) = inner(object) {
        let arguments = ["arguments", "args"].into_iter().find_map(|name| inner.get(name)).cloned();
        // A tool without a schema takes one text.
        let text = inner.get("input").filter(|_| object.contains_key("custom"));
        let arguments = arguments.or_else(|| text.map(|text| json!({"input": text})));
        return Ok(call_named(object, inner.get("name"))?.with_arguments(arguments.unwrap_or_default()));
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
    Ok(with_arguments_of(object, call))
}

/// A call of this name with what stands beside it whatever the shape.
fn call_named(object: &Map<String, Json>, name: Option<&Json>) -> Result<CaseToolCall, String> {
    let name = match name {
        Some(Json::String(name)) => name.clone(),
        Some(_) => return Err("has a name that is not text".to_owned()),
        None => return Err("has no name".to_owned()),
    };
    // An item of OpenAI's responses has an id of its own beside that of the call.
    let id = ["call_id", "tool_call_id", "id"].into_iter().find_map(|name| object.get(name).and_then(id_text));
    let kind = object.get("kind").or_else(|| object.get("type")).and_then(Json::as_str);
    let is_server_type = matches!(kind, Some("server_tool_call" | "server_tool_use"));
    let kind = kind.filter(|kind| !CALL_TYPES.contains(kind)).map(str::to_owned);
    let output = object.get("output").filter(|output| !output.is_null()).cloned();
    let server = object.get("server").and_then(Json::as_bool) == Some(true) || is_server_type;
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
    let given =
        ["arguments", "args", "input", "server_tool_call", "parameters"].into_iter().find_map(|name| object.get(name));
    // A tool without a schema takes one text.
    if object.get("type").and_then(Json::as_str) == Some("custom_tool_call")
        && let Some(Json::String(text)) = given
    {
        return call.with_arguments(json!({"input": text}));
    }
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
        Some(_) => Err(format!("has `{name}` that is not an object")),
    };
    let (optional, any) = (pointers(object, "optional")?, pointers(object, "any")?);
    let (accept, regex) = (map("accept")?, map("regex")?);
    if accept.iter().flatten().any(|(pointer, values)| !pointer.starts_with('/') || !values.is_array()) {
        return Err("has `accept` that is not an object of lists under JSON Pointers such as `/city`".to_owned());
    }
    if regex.iter().flatten().any(|(pointer, pattern)| !pointer.starts_with('/') || !pattern.is_string()) {
        return Err("has `regex` that is not an object of patterns under JSON Pointers such as `/city`".to_owned());
    }
    let allowed = map("allowed")?.or(call.allowed);
    Ok(CaseToolCall { accept, optional, any, regex, allowed, ..call })
}

/// JSON Pointers of an expected call; `true` is the pointer to everything.
fn pointers(object: &Map<String, Json>, name: &str) -> Result<Vec<String>, String> {
    let list: Option<Vec<String>> = match object.get(name) {
        None | Some(Json::Null | Json::Bool(false)) => Some(Vec::new()),
        Some(Json::Bool(true)) => Some(vec![String::new()]),
        Some(list) => serde_json::from_value(list.clone()).ok(),
    };
    list.filter(|list| list.iter().all(|pointer| pointer.is_empty() || pointer.starts_with('/')))
        .ok_or_else(|| format!("has `{name}` that is neither true nor a list of JSON Pointers such as `/city`"))
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
            json!({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "weather", "arguments": text}),
            json!({"type": "tool_use", "id": "c1", "name": "weather", "input": arguments}),
            json!({"id": "c1", "function": "weather", "arguments": arguments, "type": "function"}),
            json!({"name": "weather", "args": arguments, "id": "c1", "type": "tool_call"}),
            json!({"id": "c1", "name": "weather", "input_parameters": arguments}),
            json!({"id": "c1", "functionCall": {"name": "weather", "args": arguments}}),
            json!({"toolUse": {"toolUseId": "c1", "name": "weather", "input": arguments}}),
            json!({"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": arguments}),
            json!({"tool_name": "weather", "args": text, "tool_call_id": "c1", "part_kind": "tool-call"}),
            json!({"id": "c1", "name": "weather", "parameters": arguments}),
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
            "has a name that is not text"
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
    fn what_is_expected_may_be_open() {
        let read = |value: Json| serde_json::to_value(call(&value, CallKind::Expected).unwrap()).unwrap();
        assert_eq!(read(json!("f")), json!({"name": "f", "any": [""]}));
        assert_eq!(read(json!({"name": "f", "arguments": "any"})), json!({"name": "f", "any": [""]}));
        assert_eq!(
            read(json!({"name": "f", "any": true, "optional": true})),
            json!({"name": "f", "optional": [""], "any": [""]})
        );
        let open = json!({"name": "f", "arguments": {"n": 1}, "any": ["/id"], "regex": {"/q": "x+"}});
        assert_eq!(read(open.clone()), open);
        // In the form of a vendor the same words stand beside its own.
        let openai =
            json!({"id": "z", "type": "function", "function": {"name": "f", "arguments": "{\"n\":1}"}, "any": ["/id"]});
        assert_eq!(read(openai), json!({"id": "z", "name": "f", "arguments": {"n": 1}, "any": ["/id"]}));
        let either =
            json!({"one_of": ["f", {"type": "tool_use", "id": "t", "name": "g", "input": {"n": 1}}], "optional": true});
        let normal = json!({"name": "f", "optional": [""], "any": [""], "one_of": [{"id": "t", "name": "g", "arguments": {"n": 1}}]});
        assert_eq!(read(either), normal);
        assert_eq!(read(normal.clone()), normal);
    }

    #[test]
    fn an_expectation_that_says_nothing_is_refused() {
        let reason = |value: Json| call(&value, CallKind::Expected).unwrap_err();
        assert_eq!(reason(json!({"one_of": []})), "has `one_of` that is not a list of calls");
        assert_eq!(reason(json!({"one_of": [{"n": 1}]})), "has `one_of[0]`, which has no name");
        assert_eq!(reason(json!({"oneOf": ["f"]})), "has `oneOf`, which is spelt `one_of`");
        assert!(reason(json!({"one_of": [{"one_of": ["f"]}]})).contains("a further `one_of`"));
        assert!(reason(json!({"one_of": ["f"], "arguments": {"a": 1}})).contains("belongs to one of the calls"));
        assert!(reason(json!({"name": "f", "any": "city"})).contains("neither true nor a list of JSON Pointers"));
        assert!(reason(json!({"name": "f", "optional": ["city"]})).contains("JSON Pointers"));
        assert!(reason(json!({"name": "f", "regex": {"city": "x"}})).contains("`regex`"));
        assert_eq!(reason(json!(" ")), "is an empty name");
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
