//! Assertions on the steps of a trajectory: what the spans of a trace say about tools, commands, searches and messages.

use serde_json::{Map, Value};

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, Verdict, error};
use crate::js;
use crate::traces::{Glob, span_name, spans};

/// One step.
struct Step {
    kind: &'static str,
    /// Names that it answers to.
    names: Vec<String>,
    arguments: Option<Value>,
}

/// Attributes that hold the name of a tool, first wins.
const NAME_KEYS: [&str; 11] = [
    "tool.name",
    "tool_name",
    "tool",
    "function.name",
    "function_name",
    "ai.toolCall.name",
    "gen_ai.tool.name",
    "agent.tool_name",
    "agent.tool",
    "agent.toolName",
    "codex.mcp.tool",
];

/// Attributes that hold arguments, first wins.
const ARGUMENT_KEYS: [&str; 31] = [
    "tool.args",
    "tool.arguments",
    "tool.input",
    "tool_args",
    "tool_arguments",
    "tool_input",
    "function.args",
    "function.arguments",
    "function.input",
    "function_args",
    "function_arguments",
    "ai.toolCall.args",
    "ai.toolCall.arguments",
    "ai.toolCall.input",
    "gen_ai.tool.args",
    "gen_ai.tool.arguments",
    "gen_ai.tool.input",
    "gen_ai.tool.call.args",
    "gen_ai.tool.call.arguments",
    "agent.tool.args",
    "agent.tool.arguments",
    "agent.tool.input",
    "agent.tool_args",
    "agent.tool_arguments",
    "agent.tool_input",
    "codex.mcp.args",
    "codex.mcp.arguments",
    "codex.mcp.input",
    "args",
    "arguments",
    "input",
];

/// Tools that run commands.
const SHELLS: [&str; 3] = ["exec_command", "local_shell", "shell"];

fn text_of(value: &Value) -> Option<&str> {
    value.as_str().map(js::trim).filter(|text| !text.is_empty())
}

/// The parts of a key between points and underscores.
fn parts(key: &str) -> Vec<String> {
    key.split(['.', '_']).map(str::to_lowercase).collect()
}

/// Whether a key seems to hold the name of a tool.
fn is_name_key(key: &str) -> bool {
    let lower = key.to_lowercase();
    let has = |first: &str| {
        lower.match_indices(first).any(|(at, _)| {
            let rest = &lower[at + first.len()..];
            let skipped = rest.chars().next().map_or(0, char::len_utf8);
            rest.starts_with("name") || rest[skipped..].starts_with("name")
        })
    };
    let parts = parts(key);
    let is_tool = parts.iter().any(|part| part == "tool")
        && !parts.iter().any(|part| {
            matches!(part.as_str(), "result" | "output" | "definition" | "definitions" | "results" | "outputs")
        });
    has("tool") || has("function") || is_tool
}

fn tool_name(span: &Value) -> Option<String> {
    let empty = Map::new();
    let attributes = span.get("attributes").and_then(Value::as_object).unwrap_or(&empty);
    if let Some(name) = NAME_KEYS.iter().find_map(|key| attributes.get(*key).and_then(text_of)) {
        return Some(name.to_owned());
    }
    let named = attributes.iter().filter(|(key, _)| is_name_key(key)).find_map(|(_, value)| {
        text_of(value).filter(|text| !matches!(js::parse_json(text), Ok(Value::Object(_) | Value::Array(_))))
    });
    if let Some(name) = named {
        return Some(name.to_owned());
    }
    let rest = strip_prefix_ignoring_case(span_name(span), "mcp ")?;
    rest.rsplit('/').next().map(js::trim).filter(|name| !name.is_empty()).map(str::to_owned)
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.get(..prefix.len()).filter(|start| start.eq_ignore_ascii_case(prefix)).map(|_| &text[prefix.len()..])
}

/// Whether a key seems to hold the arguments of a tool.
fn is_argument_key(key: &str) -> bool {
    let parts = parts(key);
    parts.iter().any(|part| matches!(part.as_str(), "arguments" | "args" | "input"))
        && !parts.iter().any(|part| matches!(part.as_str(), "result" | "output" | "error" | "status"))
}

fn arguments(span: &Value) -> Option<Value> {
    let attributes = span.get("attributes").and_then(Value::as_object)?;
    let parsed = |value: &Value| match value {
        Value::String(text) => js::parse_json(text).unwrap_or_else(|_| value.clone()),
        other => other.clone(),
    };
    let is_set = |value: &&Value| !value.is_null();
    if let Some(value) = ARGUMENT_KEYS.iter().find_map(|key| attributes.get(*key).filter(is_set)) {
        return Some(parsed(value));
    }
    attributes.iter().find(|(key, value)| is_argument_key(key) && is_set(value)).map(|(_, value)| parsed(value))
}

/// A command among the arguments of a shell.
fn command_in(arguments: Option<&Value>) -> Option<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => Some(items.iter().map(js::text).collect::<Vec<_>>().join(" ")),
        _ => None,
    };
    let arguments = arguments?;
    let found = ["cmd", "command", "commands"].iter().find_map(|key| arguments.get(key).and_then(text));
    found.filter(|command| !js::trim(command).is_empty())
}

fn step(span: &Value, shells: &[String]) -> Step {
    let name = span_name(span).to_owned();
    let attribute = |key: &str| span.get("attributes").and_then(|attributes| attributes.get(key)).and_then(text_of);
    let tool = tool_name(span);
    let arguments = arguments(span);
    let is_shell = tool.as_ref().is_some_and(|tool| {
        let tool = tool.to_lowercase();
        SHELLS.contains(&tool.as_str()) || shells.contains(&tool)
    });
    if is_shell && let Some(command) = command_in(arguments.as_ref()) {
        return command_step(name, tool, &command, arguments);
    }
    if let Some(tool) = tool {
        return Step { kind: "tool", names: vec![name, tool], arguments };
    }
    let command = ["codex.command", "command", "cmd"].iter().find_map(|key| attribute(key)).map(str::to_owned);
    let command = command.or_else(|| strip_prefix_ignoring_case(&name, "exec ").map(str::to_owned));
    if let Some(command) = command {
        return command_step(name, None, &command, arguments);
    }
    let lower = name.to_lowercase();
    let query = ["search.query", "codex.search.query"].iter().find_map(|key| attribute(key)).map(str::to_owned);
    let query = query
        .or_else(|| attribute("query").filter(|_| lower.contains("search")).map(str::to_owned))
        .or_else(|| strip_prefix_ignoring_case(&name, "search ").map(|rest| rest.trim_matches('"').to_owned()));
    if let Some(query) = query {
        return Step { kind: "search", names: vec![name, query], arguments };
    }
    let item = attribute("codex.item.type").unwrap_or_default();
    if item == "reasoning" || lower == "reasoning" {
        return Step { kind: "reasoning", names: vec![name, "reasoning".to_owned()], arguments };
    }
    if matches!(item, "agent_message" | "message") || matches!(lower.as_str(), "agent response" | "message") {
        return Step { kind: "message", names: vec![name, "message".to_owned()], arguments };
    }
    Step { kind: "span", names: vec![name], arguments }
}

fn command_step(name: String, tool: Option<String>, command: &str, arguments: Option<Value>) -> Step {
    let mut names = vec![name, command.to_owned()];
    names.extend(tool);
    names.extend(js::words(command).next().map(str::to_owned));
    Step { kind: "command", names, arguments }
}

/// The steps in the order of time.
fn steps(assertion: &Assertion, answer: &Answer<'_>) -> Result<Vec<Step>, Fault> {
    let mut spans: Vec<&Value> = spans(assertion, answer)?.iter().collect();
    let time = |span: &Value, key: &str| span.get(key).and_then(Value::as_f64);
    let start = |span: &Value| time(span, "startTime").unwrap_or(0.0);
    spans.sort_by(|left, right| {
        let end = |span: &Value| time(span, "endTime").unwrap_or(start(span));
        start(left).total_cmp(&start(right)).then(end(left).total_cmp(&end(right)))
    });
    let named = answer.trace.and_then(|trace| trace.get("metadata")?.get("commandToolNames")?.as_array());
    let shells: Vec<String> = named.into_iter().flatten().filter_map(text_of).map(str::to_lowercase).collect();
    Ok(spans.into_iter().map(|span| step(span, &shells)).collect())
}

/// Which steps are meant.
struct Matcher {
    glob: Option<Glob>,
    kinds: Option<Vec<String>>,
}

impl Matcher {
    fn named(name: &str) -> Self {
        Self { glob: (!name.is_empty()).then(|| Glob::new(name)), kinds: None }
    }

    fn from_object(value: &Map<String, Value>) -> Self {
        let name = ["pattern", "name"].iter().find_map(|key| value.get(*key).and_then(Value::as_str));
        let kinds = match value.get("type") {
            Some(Value::String(kind)) => Some(vec![kind.clone()]),
            Some(Value::Array(kinds)) => Some(kinds.iter().map(js::text).collect()),
            _ => None,
        };
        Self { glob: name.map(Glob::new), kinds }
    }

    fn fits(&self, step: &Step) -> bool {
        self.kinds.as_ref().is_none_or(|kinds| kinds.iter().any(|kind| kind == step.kind))
            && self.glob.as_ref().is_none_or(|glob| step.names.iter().any(|name| glob.matches(name)))
    }
}

fn has_name(value: &Map<String, Value>) -> bool {
    ["pattern", "name"]
        .iter()
        .any(|key| value.get(*key).is_some_and(|name| name.as_str().is_some_and(|name| !name.is_empty())))
}

pub(crate) fn judge(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    match assertion.kind.as_str() {
        "trajectory:step-count" => step_count(assertion, answer),
        "trajectory:tool-used" => tool_used(assertion, answer),
        "trajectory:tool-sequence" => tool_sequence(assertion, answer),
        _ => args_match(assertion, answer),
    }
}

fn tools(assertion: &Assertion, answer: &Answer<'_>) -> Result<Vec<Step>, Fault> {
    let mut steps = steps(assertion, answer)?;
    steps.retain(|step| step.kind == "tool");
    Ok(steps)
}

/// A number of steps that an assertion gives.
fn bound(value: &Map<String, Value>, key: &str) -> Option<f64> {
    value.get(key).filter(|bound| !bound.is_null()).map(js::to_number)
}

fn step_count(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let Some(Value::Object(value)) = &assertion.value else {
        return error("`trajectory:step-count` needs an object with `min` or `max`");
    };
    let (least, most) = (bound(value, "min"), bound(value, "max"));
    if least.is_none() && most.is_none() {
        return error("`trajectory:step-count` needs `min` or `max`");
    }
    let matcher = Matcher::from_object(value);
    let found = steps(assertion, answer)?.iter().filter(|step| matcher.fits(step)).count() as f64;
    let pass = least.is_none_or(|least| found >= least) && most.is_none_or(|most| found <= most);
    Ok(Verdict::new(pass).because(format!("{found} steps fit")))
}

/// Behind `not-` a list means that none of its tools may be used; the verdict is turned round by the caller.
fn tool_used(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let wrong = || error(format!("`{}` needs the name of a tool", assertion.name()));
    let listed: Option<Vec<&str>> = match &assertion.value {
        Some(Value::String(name)) => Some(vec![name]),
        Some(Value::Array(items)) if !items.is_empty() => items.iter().map(Value::as_str).collect(),
        Some(Value::Object(value)) => {
            if !has_name(value) {
                return wrong();
            }
            let matcher = Matcher::from_object(value);
            let found = tools(assertion, answer)?.iter().filter(|step| matcher.fits(step)).count() as f64;
            let least = bound(value, "min").unwrap_or(1.0);
            let pass = found >= least && bound(value, "max").is_none_or(|most| found <= most);
            return Ok(Verdict::new(pass).because(format!("{found} calls fit")));
        }
        _ => None,
    };
    let Some(listed) = listed else { return wrong() };
    let tools = tools(assertion, answer)?;
    let is_used = |name: &&str| {
        let matcher = Matcher::named(name);
        tools.iter().any(|step| matcher.fits(step))
    };
    let pass = if assertion.negated { listed.iter().any(is_used) } else { listed.iter().all(is_used) };
    Ok(Verdict::new(pass))
}

fn tool_sequence(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let wrong = || error(format!("`{}` needs a list of steps with names", assertion.name()));
    let (listed, is_exact) = match &assertion.value {
        Some(Value::Array(steps)) => (Some(steps), false),
        Some(Value::Object(value)) => {
            (value.get("steps").and_then(Value::as_array), value.get("mode").and_then(Value::as_str) == Some("exact"))
        }
        _ => (None, false),
    };
    let Some(listed) = listed.filter(|listed| !listed.is_empty()) else { return wrong() };
    let mut matchers = Vec::new();
    for step in listed {
        matchers.push(match step {
            Value::String(name) => Matcher::named(name),
            Value::Object(value) if has_name(value) => Matcher::from_object(value),
            _ => return wrong(),
        });
    }
    let tools = tools(assertion, answer)?;
    if is_exact {
        let fits =
            tools.len() == matchers.len() && matchers.iter().zip(&tools).all(|(matcher, step)| matcher.fits(step));
        return Ok(Verdict::new(fits));
    }
    let mut rest = tools.iter();
    Ok(Verdict::new(matchers.iter().all(|matcher| rest.any(|step| matcher.fits(step)))))
}

/// Keys that are left out of a comparison.
struct IgnoredKeys(Vec<(String, Option<Glob>)>);

impl IgnoredKeys {
    fn from_value(value: Option<&Value>) -> Result<Self, Fault> {
        let names: Option<Vec<&str>> = match value {
            None => Some(Vec::new()),
            Some(Value::String(name)) => Some(vec![name]),
            Some(Value::Array(items)) => items.iter().map(Value::as_str).collect(),
            Some(_) => None,
        };
        match names {
            Some(names) if names.iter().all(|name| !js::trim(name).is_empty()) => {
                let key = |name: &&str| ((*name).to_owned(), name.contains(['*', '?']).then(|| Glob::new(name)));
                Ok(Self(names.iter().map(key).collect()))
            }
            _ => error("`ignore` needs the names of arguments"),
        }
    }

    fn without(&self, value: &Value) -> Value {
        let Value::Object(map) = value else { return value.clone() };
        let is_ignored =
            |key: &str| self.0.iter().any(|(name, glob)| glob.as_ref().map_or(name == key, |glob| glob.matches(key)));
        Value::Object(
            map.iter().filter(|(key, _)| !is_ignored(key)).map(|(key, value)| (key.clone(), value.clone())).collect(),
        )
    }
}

/// Whether all that is expected is there.
fn is_part(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            expected.iter().all(|(key, value)| found.get(key).is_some_and(|other| is_part(value, other)))
        }
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len() && expected.iter().zip(found).all(|(left, right)| is_part(left, right))
        }
        (expected, found) => js::deep_equal(expected, found),
    }
}

fn args_match(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let Some(Value::Object(value)) = assertion.value.as_ref().filter(|value| value.as_object().is_some_and(has_name))
    else {
        return error(format!("`{}` needs the name of a tool", assertion.name()));
    };
    let Some(expected) = value.get("args").or_else(|| value.get("arguments")) else {
        return error(format!("`{}` needs `args`", assertion.name()));
    };
    let is_exact = match value.get("mode").map(Value::as_str) {
        None | Some(Some("partial")) => false,
        Some(Some("exact")) => true,
        Some(_) => return error("`mode` is `partial` or `exact`"),
    };
    let ignored = IgnoredKeys::from_value(value.get("ignore"))?;
    let defaults = match value.get("defaults") {
        None => None,
        Some(Value::Object(defaults)) => Some(defaults),
        Some(_) => return error("`defaults` is an object"),
    };
    let matcher = Matcher::from_object(value);
    let expected = ignored.without(expected);
    let fits = |step: &Step| {
        let Some(found) = step.arguments.as_ref() else { return false };
        let mut found = ignored.without(found);
        if let (Some(defaults), Value::Object(found), Some(expected)) = (defaults, &mut found, expected.as_object()) {
            found.retain(|key, value| {
                expected.contains_key(key) || !defaults.get(key).is_some_and(|default| js::deep_equal(default, value))
            });
        }
        if is_exact { js::deep_equal(&expected, &found) } else { is_part(&expected, &found) }
    };
    let found = tools(assertion, answer)?.iter().filter(|step| matcher.fits(step)).any(fits);
    Ok(Verdict::new(found))
}
