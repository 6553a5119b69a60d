//! `is-json` and `contains-json`, and what the original asks of a schema.

use serde_json::{Map, Value, json};

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, SchemaValidator, Verdict, error};
use crate::text::unreadable;
use crate::yaml_flow::parse_flow;
use crate::{js, yaml};

/// UTF-16 units of an unfinished object that are looked at.
const LONGEST_OBJECT: usize = 100_000;

/// Bytes that are read in search of objects: an opening brace without an end is read to the end of the answer.
const MOST_BYTES: usize = 200_000_000;

pub(crate) fn is_json(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let parsed = match js::parse_json(&answer.text) {
        Ok(parsed) => parsed,
        Err(js::JsonFault::Unreadable) => return Err(unreadable()),
        Err(js::JsonFault::Malformed) => return Ok(Verdict::new(assertion.negated).because("the answer is not JSON")),
    };
    let fits = match schema(assertion)? {
        Some(schema) => fits(&schema, &parsed, answer.schemas)?,
        None => true,
    };
    let verdict = Verdict::new(fits != assertion.negated);
    Ok(if fits { verdict } else { verdict.because("the answer is JSON that does not fit the schema") })
}

/// The schema that is asked for, if any.
fn schema(assertion: &Assertion) -> Result<Option<Value>, Fault> {
    match &assertion.value {
        Some(Value::String(text)) if !text.is_empty() => match yaml::parse(text) {
            Ok(schema @ (Value::Object(_) | Value::Array(_))) => Ok(Some(schema)),
            Ok(_) => error(format!("the value of `{}` is no schema", assertion.name())),
            Err(reason) => error(format!("the schema of `{}` cannot be read: {reason}", assertion.name())),
        },
        Some(value @ (Value::Object(_) | Value::Array(_))) => Ok(Some(value.clone())),
        Some(value) if js::is_truthy(value) => error(format!("the value of `{}` is no schema", assertion.name())),
        _ => Ok(None),
    }
}

/// Whether a value fits a schema as ajv reads it.
pub(crate) fn fits(schema: &Value, value: &Value, schemas: &dyn SchemaValidator) -> Result<bool, Fault> {
    let ready = ready_schema(schema).map_err(|reason| Fault::Error(format!("the schema is refused: {reason}")))?;
    schemas.fits(&ready, value).map_err(|reason| Fault::Error(format!("the schema is refused: {reason}")))
}

/// Keywords whose value is a schema.
const WITH_SCHEMA: [&str; 9] =
    ["additionalItems", "additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"];

/// Keywords whose value is a list of schemas.
const WITH_SCHEMAS: [&str; 4] = ["allOf", "anyOf", "items", "oneOf"];

/// Keywords whose value holds schemas by name.
const WITH_NAMED_SCHEMAS: [&str; 5] = ["$defs", "definitions", "dependencies", "patternProperties", "properties"];

/// Keywords that ajv knows besides.
const OTHER_KEYWORDS: [&str; 36] = [
    "$async",
    "$comment",
    "$id",
    "$ref",
    "$schema",
    "$vocabulary",
    "const",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "default",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
    "discriminator",
];

/// Formats that are checked.
const FORMATS: [&str; 17] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
    "password",
    "binary",
];

/// A schema of draft 7 in the words of a validator: unknown keywords, formats and types are refused, as ajv does in its strict
/// mode.
fn ready_schema(schema: &Value) -> Result<Value, String> {
    match schema {
        Value::Bool(_) => Ok(schema.clone()),
        Value::Object(map) => {
            let mut ready = ready_object(map)?;
            if let Value::Object(ready) = &mut ready {
                // Formats and siblings of `$ref` are heeded there.
                ready.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2019-09/schema"));
            }
            Ok(ready)
        }
        _ => Err("a schema is an object or a truth value".to_owned()),
    }
}

fn ready_object(map: &Map<String, Value>) -> Result<Value, String> {
    let mut ready = Map::new();
    for (keyword, value) in map {
        let name = keyword.as_str();
        let is_known = WITH_SCHEMA.contains(&name)
            || WITH_SCHEMAS.contains(&name)
            || WITH_NAMED_SCHEMAS.contains(&name)
            || OTHER_KEYWORDS.contains(&name);
        if !is_known {
            return Err(format!("unknown keyword `{name}`"));
        }
        match (name, value) {
            ("$schema", Value::String(draft)) => {
                if draft.trim_end_matches('#') != "http://json-schema.org/draft-07/schema" {
                    return Err(format!("no schema with the name {}", js::quote(draft)));
                }
            }
            ("format", Value::String(format)) => {
                if matches!(format.as_str(), "float" | "double" | "password" | "binary") {
                    continue;
                }
                if !FORMATS.contains(&format.as_str()) {
                    return Err(format!("unknown format `{format}`"));
                }
                ready.insert(keyword.clone(), value.clone());
            }
            ("nullable", nullable) => {
                if !map.contains_key("type") {
                    return Err("`nullable` needs `type`".to_owned());
                }
                if *nullable == Value::Bool(true) {
                    ready.insert("type".to_owned(), Value::Array(with_null(&map["type"])));
                }
            }
            ("type", _) if ready.contains_key("type") => {}
            ("dependencies", Value::Object(parts)) => {
                let (lists, schemas): (Map<String, Value>, Map<String, Value>) =
                    parts.clone().into_iter().partition(|(_, value)| value.is_array());
                ready.insert("dependentRequired".to_owned(), Value::Object(lists));
                ready.insert("dependentSchemas".to_owned(), ready_parts(name, &schemas)?);
            }
            (name, Value::Object(parts)) if WITH_NAMED_SCHEMAS.contains(&name) => {
                ready.insert(keyword.clone(), ready_parts(name, parts)?);
            }
            (name, Value::Array(parts)) if WITH_SCHEMAS.contains(&name) => {
                let parts: Result<Vec<_>, String> = parts.iter().map(|value| ready_part(name, value)).collect();
                ready.insert(keyword.clone(), Value::Array(parts?));
            }
            (name, value) if WITH_SCHEMA.contains(&name) => {
                ready.insert(keyword.clone(), ready_part(name, value)?);
            }
            ("discriminator", _) => return Err("`discriminator` is not switched on".to_owned()),
            _ => {
                ready.insert(keyword.clone(), value.clone());
            }
        }
    }
    Ok(Value::Object(ready))
}

/// A schema that stands under a keyword.
fn ready_part(keyword: &str, value: &Value) -> Result<Value, String> {
    match value {
        Value::Bool(_) => Ok(value.clone()),
        Value::Object(map) => ready_object(map),
        _ => Err(format!("`{keyword}` is no schema")),
    }
}

fn ready_parts(keyword: &str, parts: &Map<String, Value>) -> Result<Value, String> {
    parts.iter().map(|(key, value)| Ok((key.clone(), ready_part(keyword, value)?))).collect()
}

fn with_null(listed: &Value) -> Vec<Value> {
    let mut types = match listed {
        Value::Array(types) => types.clone(),
        other => vec![other.clone()],
    };
    if !types.iter().any(|kind| kind == "null") {
        types.push(Value::from("null"));
    }
    types
}

pub(crate) fn contains_json(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let found = find_objects(&answer.text)?;
    if found.is_empty() {
        return Ok(Verdict::new(assertion.negated).because("no JSON in the answer"));
    }
    let Some(schema) = schema(assertion)? else {
        return Ok(Verdict::new(!assertion.negated));
    };
    for value in &found {
        if fits(&schema, value, answer.schemas)? {
            return Ok(Verdict::new(!assertion.negated));
        }
    }
    Ok(Verdict::new(assertion.negated).because("no JSON in the answer fits the schema"))
}

/// Objects in a text, from left to right.
fn find_objects(text: &str) -> Result<Vec<Value>, Fault> {
    let (mut found, mut at, mut read) = (Vec::new(), 0, 0_usize);
    while let Some(start) = text[at..].find('{').map(|offset| at + offset) {
        // One at the very end is not closed.
        if start + 1 == text.len() {
            break;
        }
        let (candidate, end) = balanced(&text[start..]);
        probare_cancellation::count_steps(1 + candidate.len() / 16);
        read += candidate.len();
        if read > MOST_BYTES {
            return Err(Fault::NotRun("the answer has too many braces to look for JSON in it".to_owned()));
        }
        match parse_flow(&hash_comments(&candidate)) {
            Some(value @ (Value::Object(_) | Value::Array(_))) => {
                found.push(value);
                at = start + end;
            }
            _ => at = start + 1,
        }
    }
    Ok(found)
}

/// The text up to where its braces balance, or to its end with those that are missing; and where that is.
fn balanced(text: &str) -> (String, usize) {
    let (mut open, mut units) = (0_usize, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        units += letter.len_utf16();
        let end = at + letter.len_utf8();
        if open == 0 {
            return (text[..end].to_owned(), end);
        }
        if units >= LONGEST_OBJECT {
            return (format!("{}{}", &text[..end], "}".repeat(open)), end);
        }
    }
    (format!("{text}{}", "}".repeat(open)), text.len())
}

/// The text with `//` comments as YAML writes them.
fn hash_comments(text: &str) -> String {
    text.split('\n').map(hash_comment).collect::<Vec<_>>().join("\n")
}

fn hash_comment(line: &str) -> String {
    let (mut quote, mut is_escaped) = (None, false);
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some('"'), '\\') => is_escaped = true,
            (Some(mark), letter) if mark == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '/') if line[at..].starts_with("//") => {
                return format!("{}#{}", &line[..at], line[at..].trim_start_matches('/'));
            }
            _ => {}
        }
    }
    line.to_owned()
}
