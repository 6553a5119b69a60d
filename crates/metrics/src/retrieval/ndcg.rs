//! Discounted gain of a ranking, divided by that of the best possible one.

use std::num::NonZeroUsize;

use probare_core::{Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::ranking::{NOTHING_RELEVANT, Ranking};

/// Options of `ndcg`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ndcg {
    /// How many places are looked at; all of them where it is not given.
    pub k: Option<NonZeroUsize>,
}

metric!(Ndcg as Pure {
    summary: "Discounted cumulative gain of the ranking, divided by that of the best ranking",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Retrieved, Relevant],
    whole: |parts| Some(parts.get("gain")? / parts.get("ideal")?),
    since: "0.1",
    version: 1,
    page: "ndcg.md",
});

impl Metric for Ndcg {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let k = self.k.map(NonZeroUsize::get);
        let Some(ranking) = Ranking::from_sample(sample, k)? else {
            return Ok(Outcome::not_applicable(NOTHING_RELEVANT));
        };
        let gain = gain(ranking.hits.iter().copied());
        let ideal = self::gain(1..=k.map_or(ranking.relevant, |k| k.min(ranking.relevant)));
        let score = Score::from_number(gain / ideal)?.with_part("gain", gain)?.with_part("ideal", ideal)?;
        Ok(score.because(ranking.evidence()).into())
    }
}

/// Discounted gain of hits at these places, each relevant document being worth 1 (Järvelin and Kekäläinen 2002, with
/// the discount of the logarithm to base 2 of the place plus one). Summed from the first place on.
fn gain(places: impl Iterator<Item = usize>) -> f64 {
    places.map(|place| ((place + 1) as f64).log2().recip()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_is_worth_one_and_the_third_half() {
        assert_eq!(gain([1].into_iter()), 1.0);
        assert_eq!(gain([3].into_iter()), 0.5);
        assert_eq!(gain(std::iter::empty()), 0.0);
    }
}
