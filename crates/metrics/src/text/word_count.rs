//! How many words the response has, and whether that is within limits.

use probare_core::{BuildError, Evidence, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `word_count`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WordCount {
    /// Fewest words.
    pub min: Option<u64>,
    /// Most words.
    pub max: Option<u64>,
}

metric!(WordCount as Pure {
    summary: "Whether the number of words of the response is within limits",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    whole: |parts| {
        let words = parts.get("words")?;
        let is_within = parts.get("min").is_none_or(|min| words >= min) && parts.get("max").is_none_or(|max| words <= max);
        Some(f64::from(is_within))
    },
    prepare: prepare,
    since: "0.4",
    version: 1,
    page: "word_count.md",
});

fn prepare(options: WordCount) -> Result<WordCount, BuildError> {
    match (options.min, options.max) {
        (None, None) => Err(BuildError::Options("`word_count` needs `min` or `max`".into())),
        (Some(min), Some(max)) if min > max => {
            Err(BuildError::Options(format!("`min` is {min} and above `max`, which is {max}")))
        }
        _ => Ok(options),
    }
}

impl Metric for WordCount {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let words = sample.response()?.split_whitespace().count() as u64;
        let is_within = self.min.is_none_or(|min| words >= min) && self.max.is_none_or(|max| words <= max);
        let mut score = Score::from_bool(is_within).with_part("words", words as f64)?;
        if let Some(min) = self.min {
            score = score.with_part("min", min as f64)?;
        }
        if let Some(max) = self.max {
            score = score.with_part("max", max as f64)?;
        }
        Ok(score.because([Evidence::note(format!("{words} words"))]).into())
    }
}
