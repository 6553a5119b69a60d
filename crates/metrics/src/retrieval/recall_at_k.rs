//! Share of the relevant documents that stand among the first `k` retrieved ones.

use std::num::NonZeroUsize;

use probare_core::{Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ranking::{NOTHING_RELEVANT, Ranking};

/// Options of `recall_at_k`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RecallAtK {
    /// How many places are looked at.
    pub k: NonZeroUsize,
}

impl Default for RecallAtK {
    fn default() -> Self {
        Self { k: NonZeroUsize::new(5).expect("5 is not 0") }
    }
}

metric!(RecallAtK as Pure {
    summary: "Share of the relevant documents among the first k retrieved ones",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Retrieved, Relevant],
    whole: |parts| Some(parts.get("hits")? / parts.get("relevant")?),
    since: "0.1",
    version: 1,
    page: "recall_at_k.md",
});

impl Metric for RecallAtK {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let Some(ranking) = Ranking::from_sample(sample, Some(self.k.get()))? else {
            return Ok(Outcome::not_applicable(NOTHING_RELEVANT));
        };
        let hits = ranking.hits.len();
        let score = Score::ratio(hits, ranking.relevant)?
            .with_part("hits", hits as f64)?
            .with_part("relevant", ranking.relevant as f64)?;
        Ok(score.because(ranking.evidence()).into())
    }
}
