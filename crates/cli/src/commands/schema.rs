//! `probare schema`: JSON Schemas of the files that Probare reads and writes.

use probare_benchmarks::registry;
use probare_core::{Decider, ErrorKind, EvidenceKind, Field};
use probare_engine::Config;
use probare_engine::PlanError;
use serde_json::{Value as Json, json};

use super::print;
use crate::failure::CommandResult;

/// Print the JSON Schema of cases, of the configuration, of result lines, of the server (OpenAPI), or of a metric's options.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// case, config, result, lexicon (phrases of the care checkers), openapi (paths of the server), or the id of a metric
    #[arg(value_name = "WHAT", default_value = "config")]
    what: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let schema = match arguments.what.as_str() {
        "case" => case(),
        "config" => json!(schemars::schema_for!(Config)),
        "result" => result(),
        "openapi" => probare_server::openapi_document(),
        "lexicon" => json!(probare_metrics::care::Lexicon::schema()),
        metric => json!(registry().get(metric).map_err(PlanError::from)?.options()),
    };
    print(&format!("{schema:#}\n"))
}

/// A row of a data set, with all aliases.
fn case() -> Json {
    let text = || json!({"type": ["string", "number", "boolean", "null"]});
    let texts = || json!({"anyOf": [text(), {"type": "array", "items": text()}]});
    let passage = json!({"anyOf": [text(), {
        "type": "object",
        "properties": {"page_content": {"type": "string"}, "text": {"type": "string"}, "metadata": {"type": "object"}}
    }]});
    let citation =
        json!({"type": "object", "properties": {"source_index": {}, "quote": {}, "source": {"type": "string"}}});
    let mut properties = serde_json::Map::new();
    for name in ["id", "question_id", "sample_id"] {
        properties.insert(name.to_owned(), text());
    }
    for field in Field::ALL {
        let schema = match field {
            Field::Query | Field::Response => text(),
            Field::Context => json!({"anyOf": [text(), {"type": "array", "items": passage}]}),
            Field::Reference | Field::Retrieved | Field::Relevant | Field::Tags => texts(),
            Field::Citations => json!({"type": "array", "items": citation}),
            Field::Metadata => json!({"type": "object"}),
            // Any shape of another tool is read; what has none of them is kept as metadata.
            Field::Messages
            | Field::Tools
            | Field::ToolCalls
            | Field::ExpectedToolCalls
            | Field::ExpectedMessages
            | Field::Turns => json!({}),
        };
        for name in std::iter::once(&field.name()).chain(field.aliases()) {
            let mut schema = schema.clone();
            if *name != field.name() {
                schema["description"] = json!(format!("another name of `{field}`"));
            }
            properties.insert((*name).to_owned(), schema);
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Case",
        "description": "One row of a data set. Unknown fields are kept as metadata.",
        "type": "object",
        "properties": properties,
    })
}

/// A line of results.
fn result() -> Json {
    let place = json!({
        "field": {"enum": Field::ALL.map(Field::name)},
        "index": {"type": "integer", "minimum": 0},
        "path": {"type": "string"},
        "start": {"type": "integer", "minimum": 0},
        "end": {"type": "integer", "minimum": 0},
    });
    let mut evidence = json!({
        "kind": {"enum": EvidenceKind::ALL.map(EvidenceKind::name)},
        "text": {"type": "string"},
        "note": {"type": "string"},
        "cut": {"type": "boolean"},
        "support": {"type": "object", "properties": place, "required": ["field", "start", "end"]},
    });
    if let (Some(evidence), Some(place)) = (evidence.as_object_mut(), place.as_object()) {
        evidence.extend(place.clone());
    }
    let scored = json!({
        "type": "object",
        "properties": {
            "value": {"type": "number"},
            "label": {"type": "string"},
            "decided_by": {"enum": [Decider::Rule.name(), Decider::Judge.name()]},
            "parts": {"type": "object", "additionalProperties": {"type": "number"}},
            "evidence": {"type": "array", "items": {"type": "object", "properties": evidence, "required": ["kind", "text"]}},
        },
        "required": ["value"],
        "additionalProperties": false,
    });
    let not_applicable = json!({"type": "object", "properties": {"not_applicable": {"type": "string"}}, "required": ["not_applicable"], "additionalProperties": false});
    let error = json!({
        "type": "object",
        "properties": {"error": {"type": "string"}, "kind": {"enum": ErrorKind::ALL.map(ErrorKind::name)}},
        "required": ["error", "kind"],
        "additionalProperties": false,
    });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Result",
        "description": "One line of results of format 4: what every metric said about one case.",
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "model": {"type": "string"},
            "repeat": {"type": "integer", "minimum": 0},
            "scores": {"type": "object", "additionalProperties": {"oneOf": [scored, not_applicable, error]}},
        },
        "required": ["id", "scores"],
        "additionalProperties": false,
    })
}
