//! Whether the response declines to answer, by how it begins and by phrases.

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `refusal`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Refusal {
    /// Whether declining is what is expected: the value is then 1 where the response declines.
    pub expected: bool,
}

metric!(Refusal as Pure {
    summary: "Whether the response answers rather than declines, by phrases",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    since: "0.4",
    version: 1,
    page: "refusal.md",
});

impl Metric for Refusal {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        if response.trim().is_empty() {
            return Ok(Outcome::not_applicable("the response is blank, which is neither an answer nor a refusal"));
        }
        let found = probare_promptfoo::find_refusal(response);
        let label = if found.is_some() { "refusal" } else { "answer" };
        let evidence = match &found {
            Some(span) => Evidence::at(EvidenceKind::Matched, Field::Response, span.clone(), response),
            None => Evidence::note("no phrase of a refusal"),
        };
        let mut score = Score::from_bool(found.is_some() == self.expected).because([evidence]);
        score.label = Some(label.into());
        Ok(score.into())
    }
}
