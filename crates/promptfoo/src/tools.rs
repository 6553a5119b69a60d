//! Assertions on calls of functions and tools.

use serde_json::Value;

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, Verdict, error};
use crate::{js, json};

/// What an error of an MCP server begins with.
const SERVER_ERROR: &str = "MCP Tool Error";

/// What a result of an MCP server begins with.
const SERVER_RESULT: &str = "MCP Tool Result";

/// `not-` is ignored by the original.
pub(crate) fn function_call(answer: &Answer<'_>) -> AssertionResult {
    let parsed = parsed_output(answer);
    let call = parsed.get("function_call").unwrap_or(&parsed);
    let known = answer.functions.and_then(Value::as_array);
    let Some(known) = known else {
        return Ok(Verdict::new(false).because("the provider names no functions"));
    };
    Ok(Verdict::new(is_valid_call(call, known.iter(), answer)?))
}

/// The output, read as JSON where it is a text.
fn parsed_output(answer: &Answer<'_>) -> Value {
    answer.output.clone()
}

/// Whether a call names a known function and has arguments that fit. Nothing is an error but what cannot be decided.
fn is_valid_call<'a>(
    call: &Value,
    mut known: impl Iterator<Item = &'a Value>,
    answer: &Answer<'_>,
) -> Result<bool, Fault> {
    let text = |key: &str| call.get(key).and_then(Value::as_str);
    let (Some(name), Some(arguments)) = (text("name"), text("arguments")) else { return Ok(false) };
    let function = known.find(|function| function.get("name").and_then(Value::as_str) == Some(name));
    let Some(parameters) = function.and_then(|function| function.get("parameters")) else { return Ok(false) };
    let Ok(arguments) = js::parse_json(arguments) else { return Ok(false) };
    match json::fits(parameters, &arguments, answer.schemas) {
        Ok(fits) => Ok(fits),
        Err(Fault::Error(_)) => Ok(false),
        Err(fault) => Err(fault),
    }
}

/// `not-` is ignored by the original.
pub(crate) fn tools_call(answer: &Answer<'_>) -> AssertionResult {
    if answer.text.contains(SERVER_ERROR) {
        return Ok(Verdict::new(false).because("the answer is an error of a server"));
    }
    if answer.text.contains(SERVER_RESULT) {
        return Ok(Verdict::new(true));
    }
    let parsed = parsed_output(answer);
    let calls = parsed.get("tool_calls").unwrap_or(&parsed).as_array().filter(|calls| !calls.is_empty());
    let tools = answer.tools.and_then(Value::as_array);
    let (Some(calls), Some(tools)) = (calls, tools) else { return Ok(Verdict::new(false)) };
    let is_text =
        |call: &Value, key: &str| call.get("function").and_then(|call| call.get(key)).is_some_and(Value::is_string);
    if !calls.iter().all(|call| is_text(call, "name") && is_text(call, "arguments")) {
        return Ok(Verdict::new(false));
    }
    for call in calls {
        let functions = tools
            .iter()
            .filter(|tool| tool.get("type").and_then(Value::as_str) == Some("function"))
            .filter_map(|tool| tool.get("function"));
        if !is_valid_call(&call["function"], functions, answer)? {
            return Ok(Verdict::new(false));
        }
    }
    Ok(Verdict::new(true))
}

/// The score stays F1, behind `not-` too.
pub(crate) fn tool_call_f1(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let expected: Vec<String> = match &assertion.value {
        Some(Value::Array(items)) => items.iter().map(js::text).collect(),
        Some(Value::String(text)) => text.split(',').map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let expected = unique(expected.iter().map(|name| js::trim(name).to_owned()).filter(|name| !name.is_empty()));
    if expected.is_empty() {
        return error(format!("`{}` needs the names of tools", assertion.name()));
    }
    let called = unique(called_names(answer).into_iter());
    let common = called.iter().filter(|name| expected.contains(name)).count() as f64;
    let share = |total: usize| if total == 0 { 0.0 } else { common / total as f64 };
    let (precision, recall) = (share(called.len()), share(expected.len()));
    let f1 = if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
    let passes = f1 >= assertion.threshold().unwrap_or(1.0);
    Ok(Verdict::scored(passes != assertion.negated, f1))
}

fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

/// Names of the tools that an answer calls.
fn called_names(answer: &Answer<'_>) -> Vec<String> {
    match answer.output {
        Value::String(text) => match js::parse_json(text) {
            Ok(value) => names_in(&value),
            Err(_) => blocks_of_json(text).iter().flat_map(names_in).collect(),
        },
        value => names_in(value),
    }
}

fn names_in(value: &Value) -> Vec<String> {
    let name = |value: &Value| value.get("name").and_then(Value::as_str).map(str::to_owned);
    let kind = |value: &Value| value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    match value {
        Value::Array(items) => items
            .iter()
            .filter_map(|item| {
                if kind(item) == "tool_use" {
                    return name(item);
                }
                let inner = ["functionCall", "function"]
                    .into_iter()
                    .find_map(|key| item.get(key).filter(|call| call.is_object()));
                inner.map_or_else(|| name(item), name)
            })
            .collect(),
        Value::Object(map) => {
            if let Some(calls @ Value::Array(_)) = map.get("tool_calls") {
                return list(calls)
                    .iter()
                    .filter_map(|call| call.get("function").and_then(name).or_else(|| name(call)))
                    .collect();
            }
            if matches!(kind(value).as_str(), "tool_use" | "function_call") {
                return name(value).into_iter().collect();
            }
            if let Some(call) = map.get("functionCall").filter(|call| call.is_object()) {
                return name(call).into_iter().collect();
            }
            let calls = map.get("toolCall").and_then(|call| call.get("functionCalls")).map(list).unwrap_or_default();
            calls.iter().filter_map(name).collect()
        }
        _ => Vec::new(),
    }
}

/// Lines of an answer that are searched for blocks.
const MOST_LINES: usize = 5_000;

/// Objects and lists that begin a line and end a line, outside of fenced code.
fn blocks_of_json(text: &str) -> Vec<Value> {
    let mut lines: Vec<&str> = Vec::new();
    let mut in_fence = false;
    for line in text.lines().take(MOST_LINES) {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            in_fence = !in_fence;
            lines.push("");
        } else {
            lines.push(if in_fence { "" } else { line });
        }
    }
    let (mut found, mut at) = (Vec::new(), 0);
    while at < lines.len() {
        let first = lines[at].trim_start();
        if !first.starts_with(['{', '[']) {
            at += 1;
            continue;
        }
        let mut block = first.to_owned();
        let mut end = None;
        for (last, line) in lines.iter().enumerate().skip(at) {
            if last > at {
                block.push('\n');
                block.push_str(line);
            }
            probare_cancellation::count_steps(1 + block.len() / 64);
            let is_end = block.trim_end().ends_with(['}', ']']);
            if is_end && let Ok(value) = js::parse_json(block.trim_end()) {
                end = Some(last);
                found.push(value);
                break;
            }
            if last - at > 200 {
                break;
            }
        }
        at = end.unwrap_or(at) + 1;
    }
    found
}
