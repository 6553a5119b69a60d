//! The value of a grader of OpenAI Evals: a string check, a text similarity, or a formula over several of them.

use probare_core::{BuildError, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::grading::{Grade, GraderDefinition};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `openai_grader`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OpenaiGrader {
    /// The entry of `testing_criteria` as it stands in the eval: `type` and the fields of that type.
    pub grader: Json,
}

metric!(OpenaiGrader as Pure {
    summary: "A string check, text similarity or multi grader of OpenAI Evals",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    prepare: ReadyGrader::new,
    since: "0.4",
    version: 1,
    page: "openai_grader.md",
});

struct ReadyGrader(GraderDefinition);

impl ReadyGrader {
    fn new(options: OpenaiGrader) -> Result<Self, BuildError> {
        let OpenaiGrader { grader } = options;
        if grader.is_null() {
            let reason = "`grader` is missing: the entry of `testing_criteria`; `probare import` of an eval writes it";
            return Err(BuildError::Options(reason.to_owned()));
        }
        GraderDefinition::from_json(&grader).map(Self)
    }
}

impl Metric for ReadyGrader {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let Grade { value, is_passed, evidence, parts } = self.0.grade(sample)?;
        let mut bounded = BoundedEvidence::default();
        for piece in evidence {
            bounded.push(|| piece);
        }
        let mut score = Score::from_number(value)?.because(bounded.finish());
        for (key, part) in parts {
            score = score.with_part(key, part)?;
        }
        Ok(match is_passed {
            Some(is_passed) => score.labelled(if is_passed { "pass" } else { "fail" }),
            None => score,
        }
        .into())
    }
}
