//! GLEU: matches of sequences of one to four words, divided by the greater of both totals.

use probare_core::{Evidence, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `gleu`; there are none.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gleu {}

metric!(Gleu as Pure {
    summary: "GLEU: the smaller of precision and recall over sequences of one to four words",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    since: "0.4",
    version: 1,
    page: "gleu.md",
});

impl Metric for Gleu {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references: Vec<&str> = sample.references()?.iter().map(String::as_str).collect();
        if references.contains(&response) {
            return Ok(Score::from_bool(true).because([Evidence::note("the same text")]).into());
        }
        let value = probare_promptfoo::gleu(response, &references);
        let note = format!("the best of {} references", references.len());
        Ok(Score::from_number(value)?.because([Evidence::note(note)]).into())
    }
}
