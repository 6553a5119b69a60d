//! The stub of `probare.catalogue`: every metric as a function, with its options and its page. `cargo x gen stubs` writes it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use probare_core::MetricDef;
use probare_metrics::registry;
use serde_json::{Map, Value as Json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python/probare/catalogue.pyi");

/// Set by `cargo x gen stubs`: the file is written instead of checked.
const WRITE: &str = "PROBARE_WRITE_STUBS";

const HEAD: &str = r#"# Made by `cargo x gen stubs` from the definitions of the metrics; do not edit.
"""All metrics as functions: `catalogue.ndcg(k=5)` is `{"id": "ndcg", "k": 5}`, with completion and documentation."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

Profile: TypeAlias = Literal["reference", "careful"]
"#;

/// Words that cannot name an argument of Python.
const KEYWORDS: &[&str] =
    &["and", "as", "class", "def", "for", "from", "if", "in", "is", "lambda", "not", "or", "with"];

#[test]
fn the_stub_is_not_stale() {
    let made = stub();
    if std::env::var_os(WRITE).is_some() {
        fs::write(FILE, &made).unwrap();
    }
    let there = fs::read_to_string(Path::new(FILE)).unwrap_or_default();
    assert!(there == made, "python/probare/catalogue.pyi is stale: run `cargo x gen stubs`");
    assert!(registry().iter().count() > 20);
}

fn stub() -> String {
    let mut text = HEAD.to_owned();
    text.push_str("MetricId: TypeAlias = Literal[\n");
    for metric in registry().iter() {
        let _ = writeln!(text, "    \"{}\",", metric.id);
    }
    text.push_str("]\nRequest: TypeAlias = MetricId | str | dict[str, Any]\n");
    for metric in registry().iter() {
        text.push_str(&function(metric));
    }
    text
}

fn function(metric: &MetricDef) -> String {
    let schema = Json::from((metric.schema)());
    let mut text = format!("\ndef {}(\n    *,\n", metric.id);
    let empty = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&empty);
    for (name, property) in properties.iter().filter(|(name, _)| *name != "profile") {
        // As everywhere in Python: a name that is taken gets an underscore behind it.
        let end = if KEYWORDS.contains(&name.as_str()) { "_" } else { "" };
        let _ = writeln!(text, "    {name}{end}: {} = ...,", of(property, &schema, 0));
    }
    text.push_str("    name: str | None = ...,\n    profile: Profile | None = ...,\n) -> dict[str, Any]:\n");
    let page = metric.page.trim().replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    let _ = writeln!(text, "    \"\"\"{}\n    \"\"\"", page.replace('\n', "\n    ").replace("\n    \n", "\n\n"));
    text
}

/// The type of an option. What has no name in Python is `Any`.
fn of(property: &Json, schema: &Json, depth: usize) -> String {
    if depth > 8 {
        return "Any".to_owned();
    }
    if let Some(reference) = property["$ref"].as_str() {
        return schema
            .pointer(reference.trim_start_matches('#'))
            .map_or_else(|| "Any".to_owned(), |to| of(to, schema, depth + 1));
    }
    if let Some(word) = property["const"].as_str() {
        return format!("Literal[\"{word}\"]");
    }
    if let Some(words) = property["enum"].as_array() {
        let words: Vec<String> =
            words.iter().map(|word| if word.is_null() { "None".to_owned() } else { word.to_string() }).collect();
        return format!("Literal[{}]", words.join(", "));
    }
    if let Some(choices) = property["anyOf"].as_array().or_else(|| property["oneOf"].as_array()) {
        let mut types: Vec<String> = choices.iter().map(|choice| of(choice, schema, depth + 1)).collect();
        types.dedup();
        return types.join(" | ");
    }
    let plain = |word: &str| match word {
        "string" => "str".to_owned(),
        "integer" => "int".to_owned(),
        "number" => "float".to_owned(),
        "boolean" => "bool".to_owned(),
        "null" => "None".to_owned(),
        "array" => format!("Sequence[{}]", of(&property["items"], schema, depth + 1)),
        "object" => "dict[str, Any]".to_owned(),
        _ => "Any".to_owned(),
    };
    match &property["type"] {
        Json::String(word) => plain(word),
        Json::Array(words) => words.iter().filter_map(Json::as_str).map(plain).collect::<Vec<_>>().join(" | "),
        _ => "Any".to_owned(),
    }
}
