//! One divided by the position of the first relevant document.

use std::num::NonZeroUsize;

use probare_core::{Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ranking::{NOTHING_RELEVANT, Ranking};

/// Options of `reciprocal_rank`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReciprocalRank {
    /// How many places are looked at; all of them where it is not given.
    pub k: Option<NonZeroUsize>,
}

metric!(ReciprocalRank as Pure {
    summary: "One divided by the position of the first relevant document",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Retrieved, Relevant],
    whole: |parts| Some(parts.get("place").map_or(0.0, f64::recip)),
    since: "0.1",
    version: 1,
    page: "reciprocal_rank.md",
});

impl Metric for ReciprocalRank {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let Some(ranking) = Ranking::from_sample(sample, self.k.map(NonZeroUsize::get))? else {
            return Ok(Outcome::not_applicable(NOTHING_RELEVANT));
        };
        let score = match ranking.hits.first() {
            Some(place) => Score::ratio(1, *place)?.with_part("place", *place as f64)?,
            None => Score::from_number(0.0)?,
        };
        Ok(score.because(ranking.evidence()).into())
    }
}
