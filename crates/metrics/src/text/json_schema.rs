//! Whether the response is JSON that follows a schema.

mod cost;

use std::thread;

use jsonschema::paths::LocationSegment;
use jsonschema::{PatternOptions, Validator};
use probare_core::{BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema as DeriveJsonSchema;
use serde::Deserialize;
use serde_json::Value;

use self::cost::{MOST_REFERENCES, SchemaCost};
use super::json_valid::malformed_evidence;
use crate::bounded_evidence::BoundedEvidence;
use crate::json_text::{JsonScope, PathStep, find_json, locate_value};

/// Steps that a pattern of the schema may go back at one string: enough for any honest pattern, and an end to the rest.
const BACKTRACK_LIMIT: usize = 100_000;

/// Bytes of a compiled pattern of the schema.
const LARGEST_PATTERN: usize = 1 << 20;

/// Bytes of the stack on which a schema is compiled.
const BUILD_STACK: usize = 64 << 20;

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

/// A schema, ready to check values, and what it would cost to do so.
pub(crate) struct SchemaChecker {
    validator: Validator,
    cost: SchemaCost,
}

impl SchemaChecker {
    /// Compiles a schema; the reason where it is none that can be used. Formats are checked as its draft says, unless
    /// `formats` says otherwise.
    pub(crate) fn new(schema: Value, formats: Option<bool>) -> Result<Self, String> {
        let cost = SchemaCost::new(schema);
        if cost.references() > MOST_REFERENCES {
            return Err(format!("has more than {MOST_REFERENCES} references"));
        }
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT).size_limit(LARGEST_PATTERN);
        let build = || {
            let mut options = jsonschema::options().with_pattern_options(patterns);
            if let Some(formats) = formats {
                options = options.should_validate_formats(formats);
            }
            options.build(cost.schema()).map_err(|error| error.to_string())
        };
        // References are followed within each other, deeper than a thread of a pool has room for.
        let built = thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(BUILD_STACK).spawn_scoped(scope, build);
            thread.map_or_else(
                |error| Err(error.to_string()),
                |thread| thread.join().unwrap_or_else(|_| Err("it cannot be compiled".to_owned())),
            )
        });
        let validator = built.map_err(|error| format!("is no usable JSON Schema: {error}"))?;
        Ok(Self { validator, cost })
    }

    /// What is wrong with a value; the reason where it would take too much to find out.
    pub(crate) fn errors<'a>(
        &'a self,
        value: &'a Value,
    ) -> Result<impl Iterator<Item = jsonschema::ValidationError<'a>>, String> {
        self.cost.check(value).map_err(cost::CostError::reason)?;
        Ok(self.validator.iter_errors(value))
    }
}

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
        let errors =
            self.checker.errors(&value).map_err(|reason| ScoreError::BadField { field: Field::Response, reason })?;
        let mut evidence = BoundedEvidence::default();
        let mut violations = 0_usize;
        for error in errors {
            violations += 1;
            evidence.push(|| {
                let path: Vec<PathStep> = error
                    .instance_path()
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
                    pointer(error.instance_path().as_str()),
                    error.masked()
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
