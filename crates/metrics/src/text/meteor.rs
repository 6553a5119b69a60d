//! METEOR: matches of words, stems and synonyms, less a penalty for broken order.

use probare_core::{BuildError, Evidence, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `meteor`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Meteor {
    /// Weight of precision against recall, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub alpha: f64,
    /// How fast the penalty grows with the number of chunks.
    #[schemars(range(min = 0))]
    pub beta: f64,
    /// The greatest penalty, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub gamma: f64,
}

impl Default for Meteor {
    fn default() -> Self {
        Self { alpha: 0.9, beta: 3.0, gamma: 0.5 }
    }
}

metric!(Meteor as Pure {
    summary: "METEOR: matches of words, stems and synonyms, less a penalty for broken order",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    prepare: prepare,
    since: "0.4",
    version: 1,
    page: "meteor.md",
});

fn prepare(options: Meteor) -> Result<Meteor, BuildError> {
    let is_share = |number: f64| (0.0..=1.0).contains(&number);
    if !is_share(options.alpha) || !is_share(options.gamma) || !(0.0..=1000.0).contains(&options.beta) {
        return Err(BuildError::Options(
            "`alpha` and `gamma` are numbers from 0 to 1, `beta` is one from 0 to 1000".into(),
        ));
    }
    Ok(options)
}

impl Metric for Meteor {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references: Vec<&str> = sample.references()?.iter().map(String::as_str).collect();
        let value = probare_promptfoo::meteor(response, &references, self.alpha, self.beta, self.gamma);
        let value = value.ok_or_else(|| ScoreError::BadField {
            field: probare_core::Field::Response,
            reason: "is too long, together with a reference, for METEOR".to_owned(),
        })?;
        let note = format!("the best of {} references", references.len());
        Ok(Score::from_number(value.clamp(0.0, 1.0))?.because([Evidence::note(note)]).into())
    }
}
