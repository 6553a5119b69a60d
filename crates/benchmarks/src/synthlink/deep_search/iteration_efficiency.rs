//! How early in a search a right answer appeared.

use std::collections::BTreeMap;
use std::hash::Hash;

use probare_core::{BuildError, Evidence, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, metric};
use probare_metrics::bounded_evidence::truncate_for_note;
use probare_metrics::references::{best_reference, chosen_reference_note};
use probare_metrics::source_texts::SourceTexts;
use schemars::JsonSchema;
use serde::Deserialize;

use super::improved::{ParsedAnswer, statement_overlap};
use super::inputs::{iterations, parsed_answer, store_measure, vocabulary};
use super::measures::{F1_THRESHOLD, FirstCorrect, TokenOverlap, first_correct};

/// Options of `iteration_efficiency`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IterationEfficiency {
    /// Which definition of `answer_f1` decides: `published` or `improved`.
    pub profile: Profile,
    /// Name in the metadata of the iterations, each with its `answers`.
    pub iterations: String,
    /// F1 against the summary from which an answer counts as right.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f64,
    /// Name in the metadata of the source texts, for `improved`: what is copied from them is no statement.
    pub sources: String,
}

impl Default for IterationEfficiency {
    fn default() -> Self {
        Self {
            profile: Profile::Published,
            iterations: "iterations".into(),
            threshold: F1_THRESHOLD,
            sources: "sources_verified".into(),
        }
    }
}

metric!(IterationEfficiency as Pure {
    summary: "One over the number of the first iteration whose answer was right",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Reference, Metadata],
    profiles: [Published, Improved],
    prepare: IterationEfficiency::validate,
    since: "0.1",
    version: 1,
    page: "iteration_efficiency.md",
});

impl IterationEfficiency {
    fn validate(self) -> Result<Self, BuildError> {
        if (0.0..=1.0).contains(&self.threshold) {
            return Ok(self);
        }
        Err(BuildError::Options(format!("`threshold` is {}; it must be between 0 and 1", self.threshold)))
    }
}

impl Metric for IterationEfficiency {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        // The last iteration often holds the answer itself, which other measures have read too.
        let has_answer = self.profile == Profile::Improved && sample.output().is_some();
        let answer = if has_answer { parsed_answer(sample, self.profile, &self.sources)? } else { None };
        let outcome = self.score_parsed(sample, answer.as_deref())?;
        store_measure(sample, self.cache_key(), &outcome);
        Ok(outcome)
    }
}

impl IterationEfficiency {
    /// What the value depends on beside the case.
    pub(super) fn cache_key(&self) -> impl Hash {
        (DEF.id, self.profile, &self.iterations, self.threshold.to_bits(), &self.sources)
    }

    /// Scores a sample whose answer may have been read already, in the improved profile: the last iteration often holds
    /// that answer.
    pub(super) fn score_parsed(
        &self,
        sample: Sample<'_>,
        improved: Option<&ParsedAnswer<'_>>,
    ) -> Result<Outcome, ScoreError> {
        let references = sample.references()?;
        let iterations = iterations(sample, &self.iterations)?;
        let sources = SourceTexts::from_sample_or_empty(sample, &self.sources);
        // Each answer is read once, however many references it is held against.
        let mut read: BTreeMap<&str, ParsedAnswer<'_>> = BTreeMap::new();
        let mut improved_f1 = |text, reference: &str| {
            let known = improved.filter(|answer| answer.text() == text);
            let answer =
                known.unwrap_or_else(|| read.entry(text).or_insert_with(|| ParsedAnswer::new(text, &sources.texts)));
            statement_overlap(reference, answer).f1()
        };
        let vocabulary = vocabulary(sample);
        let first = |reference: &str| {
            let lists = iterations.iter().map(|answers| answers.iter().copied());
            first_correct(lists, self.threshold, |answer| match self.profile {
                Profile::Published => TokenOverlap::from_texts(answer, reference, &mut vocabulary.borrow_mut()).f1(),
                Profile::Improved => improved_f1(answer, reference),
            })
        };
        let value = |first: &Option<FirstCorrect>| first.as_ref().map_or(0.0, FirstCorrect::efficiency);
        let Some((index, found)) = best_reference(references, first, value) else {
            return Err(ScoreError::MissingField(Field::Reference));
        };
        let score = Score::from_number(value(&found))?;
        let count = iterations.len();
        let (score, note) = if let Some(FirstCorrect { iteration, answer, f1 }) = found {
            let (number, text) = (iteration + 1, truncate_for_note(iterations[iteration][answer]));
            let note = format!("iteration {number} of {count}: `{text}` has an F1 of {f1:.3}");
            (score.with_part("iteration", number as f64)?, note)
        } else {
            (score, format!("no answer of {count} iterations reaches an F1 of {}", self.threshold))
        };
        Ok(score.because(chosen_reference_note(references, index)).because([Evidence::note(note)]).into())
    }
}
