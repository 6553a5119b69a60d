//! Mean of the precisions at the places of the relevant documents.

use std::num::NonZeroUsize;

use probare_core::{Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ranking::{NOTHING_RELEVANT, Ranking};

/// Options of `average_precision`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AveragePrecision {
    /// How many places are looked at; all of them where it is not given.
    pub k: Option<NonZeroUsize>,
    /// What the sum of precisions is divided by.
    pub divide_by: Divisor,
}

/// What the sum of precisions is divided by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Divisor {
    /// The number of relevant documents.
    #[default]
    Relevant,
    /// The number of relevant documents that `k` places can hold.
    Reachable,
}

metric!(AveragePrecision as Pure {
    summary: "Mean of the precisions at the places of the relevant documents",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Retrieved, Relevant],
    whole: |parts| Some(parts.get("precisions")? / parts.get("divisor")?),
    since: "0.1",
    version: 1,
    page: "average_precision.md",
});

impl Metric for AveragePrecision {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let k = self.k.map(NonZeroUsize::get);
        let Some(ranking) = Ranking::from_sample(sample, k)? else {
            return Ok(Outcome::not_applicable(NOTHING_RELEVANT));
        };
        let precisions: f64 =
            ranking.hits.iter().enumerate().map(|(before, place)| (before + 1) as f64 / *place as f64).sum();
        let divisor = match (self.divide_by, k) {
            (Divisor::Reachable, Some(k)) => k.min(ranking.relevant),
            _ => ranking.relevant,
        } as f64;
        let score = Score::from_number(precisions / divisor)?
            .with_part("precisions", precisions)?
            .with_part("divisor", divisor)?;
        Ok(score.because(ranking.evidence()).into())
    }
}
