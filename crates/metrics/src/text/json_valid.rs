//! Whether the response is well-formed JSON.

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::json_text::{JsonScope, MalformedJson, find_json};

/// Bytes shown at the place where a response stops being JSON.
const SHOWN: usize = 40;

/// Options of `json_valid`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JsonValid {
    /// Where in the response the JSON is looked for.
    pub within: JsonScope,
    /// What the value must be.
    pub root: JsonRoot,
}

/// What the JSON value must be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JsonRoot {
    /// Anything.
    #[default]
    Any,
    /// An object.
    Object,
    /// An array.
    Array,
}

metric!(JsonValid as Pure {
    summary: "Whether the response is well-formed JSON",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    since: "0.1",
    version: 1,
    page: "json_valid.md",
});

impl Metric for JsonValid {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let (valid, evidence) = match find_json(response, self.within) {
            Ok(span) => {
                let root = match self.root {
                    JsonRoot::Any => None,
                    JsonRoot::Object => Some(("{", "the value is not an object")),
                    JsonRoot::Array => Some(("[", "the value is no array")),
                };
                match root {
                    Some((bracket, complaint)) if !response[span.clone()].starts_with(bracket) => (
                        false,
                        Evidence::at(EvidenceKind::Compared, Field::Response, span, response).with_note(complaint),
                    ),
                    _ => (true, Evidence::at(EvidenceKind::Matched, Field::Response, span, response)),
                }
            }
            Err(problem) => (false, malformed_evidence(response, &problem)),
        };
        Ok(Score::from_bool(valid).because([evidence]).into())
    }
}

/// Shows what stands where the response stops being JSON.
pub(crate) fn malformed_evidence(response: &str, problem: &MalformedJson) -> Evidence {
    let end = response.floor_char_boundary(problem.at + SHOWN).max(problem.at);
    Evidence::at(EvidenceKind::Note, Field::Response, problem.at..end, response)
        .with_note(format!("not JSON from here on: {}", problem.reason))
}
