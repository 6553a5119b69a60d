//! Assertions of a test as they are held against an answer: files read, texts rendered.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{ConfigurationFiles, is_data};
use crate::template::{Globals, TemplateError, render, render_value};
use crate::{Assertion, SQL_SCRIPT, Script, ScriptRole, js, yaml};

/// Types whose value promptfoo does not render.
const UNRENDERED: [&str; 3] = ["trace-error-spans", "trace-span-count", "trace-span-duration"];

/// Refuses what promptfoo refuses when it loads a configuration.
pub(super) fn check(test: &Value) -> Result<(), String> {
    let entries = match test.get("assert") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err("`assert` of a test is not a list".to_owned()),
    };
    for entry in entries {
        let assertion = Assertion::from_json(entry)?;
        if assertion.kind == "assert-set" {
            let inner = entry.get("assert").and_then(Value::as_array).ok_or("an `assert-set` has no list `assert`")?;
            for entry in inner {
                if Assertion::from_json(entry)?.kind == "assert-set" {
                    return Err("an `assert-set` stands within another one".to_owned());
                }
            }
        }
    }
    Ok(())
}

/// Keys that assertions have.
const KEYS: [&str; 15] = [
    "alpha",
    "assert",
    "assertScoringFunction",
    "beta",
    "config",
    "contextTransform",
    "gamma",
    "metric",
    "provider",
    "rubricPrompt",
    "threshold",
    "transform",
    "type",
    "value",
    "weight",
];

/// Notes keys of assertions that mean nothing: perhaps a slip.
pub(super) fn note_unknown_keys(test: &Value, notes: &mut BTreeSet<String>) {
    for entry in test.get("assert").and_then(Value::as_array).into_iter().flatten() {
        let keys = entry.as_object().into_iter().flat_map(Map::keys).filter(|key| !KEYS.contains(&key.as_str()));
        notes.extend(keys.map(|key| format!("the key `{key}` of an assertion is not known and does nothing")));
        note_unknown_keys(entry, notes);
    }
}

/// The assertions of a test, ready to be judged. What cannot be had says so under `not_run` or `template_error`; code stands
/// under `script` (of the value), `transform_script` and `parser_script` (of SQL).
pub(super) fn prepare(
    entries: &[Value],
    vars: &Map<String, Value>,
    globals: &Globals,
    files: &dyn ConfigurationFiles,
) -> Vec<Value> {
    entries.iter().map(|entry| prepare_one(entry, vars, globals, files)).collect()
}

fn prepare_one(entry: &Value, vars: &Map<String, Value>, globals: &Globals, files: &dyn ConfigurationFiles) -> Value {
    let mut ready = entry.clone();
    let kind = entry.get("type").and_then(Value::as_str).unwrap_or_default();
    if let Some(inner) = entry.get("assert").and_then(Value::as_array) {
        ready["assert"] = Value::Array(prepare(inner, vars, globals, files));
    }
    if let Some(metric) = entry.get("metric").and_then(Value::as_str)
        && let Ok(metric) = render(metric, vars, globals)
    {
        ready["metric"] = Value::from(metric);
    }
    for key in ["script", "transform_script", "parser_script"] {
        if let Some(map) = ready.as_object_mut() {
            map.shift_remove(key);
        }
    }
    for key in ["contextTransform", "assertScoringFunction"] {
        if entry.get(key).is_some_and(|value| !value.is_null()) {
            ready["not_run"] = Value::from(format!("its `{key}` is code"));
        }
    }
    if let Some(transform) = entry.get("transform").filter(|value| !value.is_null()) {
        match Script::transform(transform) {
            Some(script) => ready["transform_script"] = script.to_json(),
            None => ready["not_run"] = Value::from("its `transform` is code in a language that is not run here"),
        }
    }
    let base = kind.strip_prefix("not-").unwrap_or(kind);
    if matches!(base, "is-sql" | "contains-sql") {
        ready["parser_script"] = Script::inline(ScriptRole::Assertion, "javascript", SQL_SCRIPT).to_json();
    }
    let is_rendered = !UNRENDERED.contains(&base);
    match entry.get("value") {
        Some(Value::String(text)) if text.starts_with("file://") => match file_value(&text["file://".len()..], files) {
            Ok(value) => ready["value"] = value,
            Err(FileFault::Code(script)) => ready["script"] = script.to_json(),
            Err(FileFault::Unknown(reason)) => ready["not_run"] = Value::from(reason),
            Err(FileFault::Error(reason)) => ready["template_error"] = Value::from(reason),
        },
        Some(value) if is_rendered => match render_value(value, vars, globals) {
            Ok(value) => ready["value"] = value,
            Err(TemplateError { reason, is_limit: true }) => ready["not_run"] = Value::from(reason),
            Err(TemplateError { reason, .. }) => ready["template_error"] = Value::from(reason),
        },
        _ => {}
    }
    if matches!(base, "javascript" | "python")
        && ready.get("template_error").is_none()
        && let Some(source) = ready.get("value").and_then(Value::as_str).filter(|_| ready.get("script").is_none())
    {
        ready["script"] = Script::inline(ScriptRole::Assertion, base, source).to_json();
    }
    ready
}

/// Why a file gives no value.
enum FileFault {
    /// It is code that gives one.
    Code(Script),
    /// It is code in a language that is not run here.
    Unknown(String),
    Error(String),
}

fn file_value(path: &str, files: &dyn ConfigurationFiles) -> Result<Value, FileFault> {
    if let Some(script) = Script::from_file(ScriptRole::Assertion, path) {
        return Err(FileFault::Code(script));
    }
    let is_ruby = |file: &str| file.rsplit_once('.').is_some_and(|(_, ending)| ending == "rb");
    if is_ruby(path) || path.rsplit_once(':').is_some_and(|(file, _)| is_ruby(file)) {
        return Err(FileFault::Unknown(format!("`{path}` is code in a language that is not run here")));
    }
    let text = || files.read(path).map_err(FileFault::Error);
    if is_data(path) {
        return yaml::parse(&text()?).map_err(|reason| FileFault::Error(format!("`{path}`: {reason}")));
    }
    if path.rsplit_once('.').is_some_and(|(_, extension)| extension == "txt") {
        return Ok(Value::from(js::trim(&text()?)));
    }
    Err(FileFault::Error(format!("`{path}` is no kind of file that an assertion takes")))
}
