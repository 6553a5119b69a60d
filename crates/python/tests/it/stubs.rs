//! The stub of `probare.catalogue`: every metric as a function, with its summary and its options. `cargo x gen stubs` writes it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use probare_benchmarks::registry;
use probare_core::MetricDef;
use serde_json::Value as Json;

use crate::annotations::{Parameter, docstring, parameters};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python/probare/catalogue.pyi");

/// Set by `cargo x gen stubs`: the file is written instead of checked.
const WRITE: &str = "PROBARE_WRITE_STUBS";

/// The options that a metric has where it can be scored turn by turn; they stand once, in a class of their own.
const TURN_OPTIONS: [&str; 4] = ["per", "over", "only", "passages"];

const HEAD: &str = r#"# Made by `cargo x gen stubs` from the definitions of the metrics; do not edit.
"""All metrics as functions: `catalogue.ndcg(k=5)` is `{"id": "ndcg", "k": 5}`, with completion and documentation."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from probare._arguments import Profile as Profile
from probare._metric import MetricRequest

"#;

const MIDDLE: &str = r#"]
Request: TypeAlias = MetricRequest

def read(request: str) -> dict[str, Any]:
    """A metric that is written as a text, `ID:OPTION=VALUE`, as a dict."""

class MetricOptions(TypedDict, total=False):
    """Options that every metric takes."""

    name: str | None
    """Its name in the results; its id if absent."""
    profile: Profile | None
    """The definition that counts: published or improved; that of the run if absent."""

class TurnOptions(MetricOptions, total=False):
    """Options that a metric takes where it can be scored turn by turn."""

"#;

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
    let mut text = format!("{HEAD}MetricId: TypeAlias = Literal[\n");
    let (mut functions, mut turn_options) = (String::new(), None);
    for metric in registry().iter() {
        let _ = writeln!(text, "    \"{}\",", metric.id);
        let mut schema = Json::from(metric.options());
        let taken = take_turn_options(&mut schema);
        functions.push_str(&function(metric, &schema, taken.is_some()));
        turn_options = turn_options.or(taken);
    }
    text + MIDDLE + &fields(&turn_options.expect("there are metrics that can be scored turn by turn")) + &functions
}

/// Takes the options of a score per turn out of those of a metric.
fn take_turn_options(schema: &mut Json) -> Option<Json> {
    let mut taken = schema.clone();
    let properties = schema["properties"].as_object_mut()?;
    if !TURN_OPTIONS.iter().all(|name| properties.contains_key(*name)) {
        return None;
    }
    properties.retain(|name, _| !TURN_OPTIONS.contains(&name.as_str()));
    taken["properties"].as_object_mut()?.retain(|name, _| TURN_OPTIONS.contains(&name.as_str()));
    Some(taken)
}

/// Options as fields of a class.
fn fields(schema: &Json) -> String {
    let mut text = String::new();
    for Parameter { name, annotation } in parameters(schema) {
        let description = schema["properties"][&name]["description"].as_str().unwrap_or_default();
        let _ = writeln!(text, "    {name}: {annotation}\n    \"\"\"{}\"\"\"", escaped(description));
    }
    text
}

fn function(metric: &MetricDef, schema: &Json, has_turns: bool) -> String {
    let class = if has_turns { "TurnOptions" } else { "MetricOptions" };
    let own: String = parameters(schema)
        .iter()
        .map(|Parameter { name, annotation }| format!("    {name}: {annotation} = ...,\n"))
        .collect();
    let star = if own.is_empty() { "" } else { "    *,\n" };
    let doc = escaped(&docstring(metric.summary, schema)).replace("\n- ", "\n    - ");
    let end = if doc.contains('\n') { "\n    " } else { "" };
    format!(
        "\ndef {}(\n{star}{own}    **options: Unpack[{class}],\n) -> dict[str, Any]:\n    \"\"\"{doc}{end}\"\"\"\n",
        metric.id
    )
}

/// For a text between three quotation marks.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"")
}
