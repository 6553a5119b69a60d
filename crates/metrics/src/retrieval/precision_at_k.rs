//! Share of the first `k` retrieved documents that are relevant.

use std::num::NonZeroUsize;

use probare_core::{Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ranking::{NOTHING_RELEVANT, Ranking};

/// Options of `precision_at_k`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PrecisionAtK {
    /// How many places are looked at.
    pub k: NonZeroUsize,
    /// What the hits are divided by.
    pub divide_by: Divisor,
}

/// What the hits are divided by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Divisor {
    /// `k`, so that a list shorter than `k` pays for its empty places.
    #[default]
    K,
    /// The places that are filled, where the list is shorter than `k`.
    Retrieved,
}

impl Default for PrecisionAtK {
    fn default() -> Self {
        Self { k: NonZeroUsize::new(5).expect("5 is not 0"), divide_by: Divisor::K }
    }
}

metric!(PrecisionAtK as Pure {
    summary: "Share of the first k retrieved documents that are relevant",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Retrieved, Relevant],
    whole: |parts| Some(parts.get("hits")? / parts.get("places")?),
    since: "0.1",
    version: 1,
    page: "precision_at_k.md",
});

impl Metric for PrecisionAtK {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let k = self.k.get();
        let Some(ranking) = Ranking::from_sample(sample, Some(k))? else {
            return Ok(Outcome::not_applicable(NOTHING_RELEVANT));
        };
        let places = match self.divide_by {
            Divisor::K => k,
            // An empty list has no place to divide by; its precision is that of one wrong document.
            Divisor::Retrieved => ranking.places.max(1),
        };
        let hits = ranking.hits.len();
        let score = Score::ratio(hits, places)?.with_part("hits", hits as f64)?.with_part("places", places as f64)?;
        Ok(score.because(ranking.evidence()).into())
    }
}
