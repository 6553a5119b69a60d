//! Whether each call names a tool that exists, with arguments that its schema allows.

use std::hash::{Hash, Hasher};

use probare_core::{
    ErrorKind, Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Sample, Score, ScoreError, Tool,
    escape_pointer_key, metric,
};
use probare_json_schema::SchemaChecker;
use rustc_hash::{FxHashMap, FxHasher};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::trace::{PlacedCall, require_trace};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `tool_schema`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolSchema {
    /// Whether calls of tools that are not offered count.
    pub unknown: UnknownTools,
    /// Whether an object schema without `additionalProperties` allows none.
    pub closed: bool,
    /// Whether formats (`date`, `email`) are checked.
    pub formats: bool,
}

/// What becomes of calls of tools that are not offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnknownTools {
    /// They are wrong.
    #[default]
    Counted,
    /// They are passed over.
    Ignored,
}

metric!(ToolSchema as Pure {
    summary: "Share of calls that a tool exists for and its schema allows",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Tools],
    since: "0.3",
    version: 1,
    page: "tool_schema.md",
});

/// A schema that was compiled, or why it cannot be.
struct CompiledSchema(Result<SchemaChecker, String>);

impl Metric for ToolSchema {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let trace = match require_trace(sample)? {
            Ok(trace) => trace,
            Err(outcome) => return Ok(outcome),
        };
        let tools = sample.case.tools.as_deref().unwrap_or_default();
        let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
        for (at, tool) in tools.iter().enumerate() {
            by_name.entry(&tool.name).or_insert(at);
        }
        let is_seen = |made: &&PlacedCall<'_>| {
            self.unknown == UnknownTools::Counted || by_name.contains_key(made.call.name.as_str())
        };
        let calls: Vec<&PlacedCall<'_>> = trace.calls.iter().filter(is_seen).collect();
        if calls.is_empty() {
            return Ok(Outcome::not_applicable(if trace.calls.is_empty() {
                "no call was made"
            } else {
                "no tool that is offered was called"
            }));
        }
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
            evidence.push(|| remark);
        }
        let (mut valid, mut unknown, mut unparseable, mut invalid) = (0_usize, 0_usize, 0_usize, 0_usize);
        for made in &calls {
            let Some(at) = by_name.get(made.call.name.as_str()).copied() else {
                unknown += 1;
                evidence
                    .push(|| made.name_evidence(EvidenceKind::Unsupported).with_note("there is no tool of this name"));
                continue;
            };
            let tool = &tools[at];
            if made.call.problem.is_some() {
                unparseable += 1;
                evidence
                    .push(|| made.unusable_evidence(EvidenceKind::Unsupported).with_support(tool_name_place(at, tool)));
                continue;
            }
            if self.check(sample, made, at, tool, &mut evidence)? {
                valid += 1;
            } else {
                invalid += 1;
            }
        }
        let score = Score::ratio(valid, calls.len())?
            .with_part("calls", calls.len() as f64)?
            .with_part("unknown", unknown as f64)?
            .with_part("unparseable", unparseable as f64)?
            .with_part("invalid", invalid as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

fn tool_name_place(at: usize, tool: &Tool) -> FieldSpan {
    FieldSpan::inside(Field::Tools, at, "/name", 0..tool.name.len())
}

impl ToolSchema {
    /// Whether the schema of a tool allows the arguments of a call.
    fn check(
        &self,
        sample: Sample<'_>,
        made: &PlacedCall<'_>,
        at: usize,
        tool: &Tool,
        evidence: &mut BoundedEvidence,
    ) -> Result<bool, ScoreError> {
        if tool.parameters.is_null() {
            return Ok(true);
        }
        let mut hasher = FxHasher::default();
        (tool.parameters.to_string(), self.closed, self.formats).hash(&mut hasher);
        let ready = sample.run_cached(hasher.finish(), || {
            let mut schema = tool.parameters.clone();
            if self.closed {
                close(&mut schema);
            }
            CompiledSchema(SchemaChecker::new(schema, Some(self.formats)))
        });
        let broken = |reason: &str| {
            ScoreError::other(ErrorKind::Failed, format!("the schema of the tool `{}` {reason}", tool.name))
        };
        let checker = ready.0.as_ref().map_err(|reason| broken(reason))?;
        let arguments = Json::Object(made.call.arguments().clone());
        let mut is_valid = true;
        for violation in checker.violations(&arguments).map_err(|reason| broken(&reason))? {
            is_valid = false;
            let pointer = violation.place().as_str();
            if let Some(name) = violation.missing_key() {
                evidence.push(|| {
                    let note = format!("`required` in the call of `{}`", made.call.name);
                    Evidence::missing(format!("{pointer}/{}", escape_pointer_key(name)))
                        .with_note(note)
                        .with_support(tool_name_place(at, tool))
                });
                continue;
            }
            let note = match (violation.keyword(), tool.parameters.pointer(violation.schema_pointer())) {
                ("type", Some(Json::String(type_name))) => format!("`type`: {type_name} wanted"),
                (keyword, _) => format!("`{keyword}`: {}", violation.message()),
            };
            let piece =
                if pointer.is_empty() { None } else { made.argument_evidence(EvidenceKind::Unsupported, pointer) };
            evidence.push(|| {
                let piece = piece.unwrap_or_else(|| made.name_evidence(EvidenceKind::Unsupported));
                piece.with_note(note).with_support(tool_name_place(at, tool))
            });
        }
        Ok(is_valid)
    }
}

/// Makes every object of a schema allow nothing beyond its properties, where it does not say.
fn close(schema: &mut Json) {
    match schema {
        Json::Object(object) => {
            if object.contains_key("properties") && !object.contains_key("additionalProperties") {
                object.insert("additionalProperties".to_owned(), Json::Bool(false));
            }
            for (key, inner) in object.iter_mut() {
                match (key.as_str(), inner) {
                    ("properties" | "$defs" | "definitions", Json::Object(parts)) => parts.values_mut().for_each(close),
                    ("items" | "anyOf" | "oneOf" | "allOf" | "prefixItems", inner) => close(inner),
                    _ => {}
                }
            }
        }
        Json::Array(parts) => parts.iter_mut().for_each(close),
        _ => {}
    }
}
