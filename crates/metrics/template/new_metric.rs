//! Whether the response holds anything: what `cargo x new-metric` writes, to begin with.

use probare_core::{Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `new_metric`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NewMetric {}

metric!(NewMetric as Pure {
    summary: "Whether the response holds anything",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    since: "0.0",
    version: 1,
    page: "new_metric.md",
});

impl Metric for NewMetric {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        Ok(Score::from_bool(!response.is_empty()).into())
    }
}
