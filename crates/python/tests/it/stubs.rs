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

const HEAD: &str = r#"# Made by `cargo x gen stubs` from the definitions of the metrics; do not edit.
"""All metrics as functions: `catalogue.ndcg(k=5)` is `{"id": "ndcg", "k": 5}`, with completion and documentation."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from probare._arguments import Profile as Profile
from probare._metric import MetricRequest

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
    let mut text = HEAD.to_owned();
    text.push_str("MetricId: TypeAlias = Literal[\n");
    for metric in registry().iter() {
        let _ = writeln!(text, "    \"{}\",", metric.id);
    }
    text.push_str("]\nRequest: TypeAlias = MetricRequest\n\ndef read(request: str) -> dict[str, Any]:\n    \"\"\"A metric that is written as a text, `ID:OPTION=VALUE`, as a dict.\"\"\"\n");
    for metric in registry().iter() {
        text.push_str(&function(metric));
    }
    text
}

fn function(metric: &MetricDef) -> String {
    let schema = Json::from(metric.options());
    let mut text = format!("\ndef {}(\n    *,\n", metric.id);
    for Parameter { name, annotation } in parameters(&schema) {
        let _ = writeln!(text, "    {name}: {annotation} = ...,");
    }
    text.push_str("    name: str | None = ...,\n    profile: Profile | None = ...,\n) -> dict[str, Any]:\n");
    let doc = escaped(&docstring(metric.summary, &schema)).replace("\n- ", "\n    - ");
    let end = if doc.contains('\n') { "\n    " } else { "" };
    let _ = writeln!(text, "    \"\"\"{doc}{end}\"\"\"");
    text
}

/// For a text between three quotation marks.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"")
}
