//! Whether the response is JSON that follows a schema.

use probare_core::{BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_json_schema::{LocationSegment, SchemaChecker};
use schemars::JsonSchema as DeriveJsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::json_valid::malformed_evidence;
use crate::bounded_evidence::BoundedEvidence;
use crate::json_text::{JsonScope, PathStep, find_json, locate_value};

/// Options of `json_schema`.
#[derive(Debug, Clone, Deserialize, DeriveJsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JsonSchema {
    /// The JSON Schema itself, draft 4 to 2020-12 as its `$schema` says.
    pub schema: Value,
    /// Where in the response the JSON is looked for.
    #[serde(default)]
    pub within: JsonScope,
}

metric!(JsonSchema as Pure {
    summary: "Whether the response is JSON that follows a schema",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    whole: |parts| Some(f64::from(parts.get("violations")? == 0.0)),
    prepare: JsonSchemaMetric::new,
    since: "0.1",
    version: 1,
    page: "json_schema.md",
});

/// The schema with where to look.
struct JsonSchemaMetric {
    checker: SchemaChecker,
    within: JsonScope,
}

impl JsonSchemaMetric {
    fn new(JsonSchema { schema, within }: JsonSchema) -> Result<Self, BuildError> {
        let checker =
            SchemaChecker::new(schema, None).map_err(|reason| BuildError::Options(format!("`schema` {reason}")))?;
        Ok(Self { checker, within })
    }
}

impl Metric for JsonSchemaMetric {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let span = match find_json(response, self.within) {
            Ok(span) => span,
            Err(problem) => {
                let score = Score::from_bool(false).with_part("violations", 1.0)?;
                return Ok(score.because([malformed_evidence(response, &problem)]).into());
            }
        };
        let json = &response[span.clone()];
        // Well formed and yet unreadable: nested deeper than the reader follows. That is no fault of the answer.
        let value: Value = serde_json::from_str(json).map_err(|error| ScoreError::BadField {
            field: Field::Response,
            reason: format!("cannot be read: {error}"),
        })?;
        let found = self
            .checker
            .violations(&value)
            .map_err(|reason| ScoreError::BadField { field: Field::Response, reason })?;
        let mut evidence = BoundedEvidence::default();
        let mut violations = 0_usize;
        for violation in found {
            violations += 1;
            evidence.push(|| {
                let path: Vec<PathStep> = violation
                    .place()
                    .iter()
                    .map(|segment| match segment {
                        LocationSegment::Property(key) => PathStep::Key(key.into_owned()),
                        LocationSegment::Index(index) => PathStep::Item(index),
                    })
                    .collect();
                let place = locate_value(json, &path).unwrap_or(0..json.len());
                let place = span.start + place.start..span.start + place.end;
                Evidence::at(EvidenceKind::Compared, Field::Response, place, response).with_note(format!(
                    "{}: {}",
                    pointer(violation.place().as_str()),
                    violation.message()
                ))
            });
        }
        if violations == 0 {
            evidence.push(|| Evidence::note("the value follows the schema"));
        }
        let score = Score::from_bool(violations == 0).with_part("violations", violations as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

/// A JSON pointer for readers: the empty one is the root.
fn pointer(path: &str) -> &str {
    if path.is_empty() { "the root" } else { path }
}
