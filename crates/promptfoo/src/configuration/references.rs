//! `$ref` within a configuration, and `{{ env.NAME }}`.

use serde_json::{Map, Value};

use crate::js;

/// References within references that are followed.
const DEEPEST: usize = 20;

/// Puts what `$ref: '#/…'` names in its place; the reason where there is no such thing.
pub(super) fn resolve(root: &Value) -> Result<Value, String> {
    resolve_in(root, root, 0)
}

fn resolve_in(value: &Value, root: &Value, depth: usize) -> Result<Value, String> {
    if depth > DEEPEST * 10 {
        return Err("the configuration nests too deeply".to_owned());
    }
    match value {
        Value::Array(items) => {
            Ok(Value::Array(items.iter().map(|item| resolve_in(item, root, depth + 1)).collect::<Result<_, _>>()?))
        }
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get("$ref") {
                let pointer = reference
                    .strip_prefix('#')
                    .ok_or_else(|| format!("`$ref: {}` is not within the configuration", js::quote(reference)))?;
                let target = root.pointer(pointer).ok_or_else(|| format!("`$ref: {reference}` names nothing"))?;
                return resolve_in(target, root, depth + 10);
            }
            let entry = |(key, value): (&String, &Value)| Ok((key.clone(), resolve_in(value, root, depth + 1)?));
            Ok(Value::Object(map.iter().map(entry).collect::<Result<_, String>>()?))
        }
        other => Ok(other.clone()),
    }
}

/// Replaces `{{ env.NAME }}` in every text, where the configuration sets that variable.
pub(super) fn fill_env(value: &Value, env: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) if text.contains("env.") => Value::from(fill_text(text, env)),
        Value::Array(items) => Value::Array(items.iter().map(|item| fill_env(item, env)).collect()),
        Value::Object(map) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), fill_env(value, env))).collect())
        }
        other => other.clone(),
    }
}

fn fill_text(text: &str, env: &Map<String, Value>) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, from)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((inside, after)) = from.split_once("}}") else {
            out.push_str("{{");
            rest = from;
            continue;
        };
        let value = js::trim(inside).strip_prefix("env.").and_then(|name| env.get(name));
        match value {
            Some(value) => out.push_str(&js::text(value)),
            None => out.push_str(&format!("{{{{{inside}}}}}")),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
