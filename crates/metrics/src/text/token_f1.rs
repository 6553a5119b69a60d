//! Words that the response and the reference share, as the harmonic mean of precision and recall.

use probare_core::{Metric, Outcome, Sample, Score, ScoreError, ScoreParts, metric};
use probare_text::tokens::squad;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::BoundedEvidence;
use crate::references::{best_reference, chosen_reference_note, is_nothing_for_something, wordless_note};
use crate::words::{Counterparts, SpannedWords, push_overlap_evidence, shared_count};

/// Options of `token_f1`: none.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TokenF1 {}

metric!(TokenF1 as Pure {
    summary: "Words that the response and the reference share, as F1 (SQuAD)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    whole: whole,
    since: "0.1",
    version: 2,
    page: "token_f1.md",
});

/// Harmonic mean of the parts `precision` and `recall`.
pub(crate) fn whole(parts: &ScoreParts) -> Option<f64> {
    Some(harmonic_mean(parts.get("precision")?, parts.get("recall")?))
}

/// 2 p r / (p + r), in the order of operations of the published scripts; 0 where both are 0.
pub(crate) fn harmonic_mean(precision: f64, recall: f64) -> f64 {
    if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
}

impl Metric for TokenF1 {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.references()?;
        let response_tokens = squad::tokens(response);
        let response_words = SpannedWords::new(&response_tokens, |span| span);
        let compare = |reference: &str| {
            let tokens = squad::tokens(reference);
            let texts: Vec<&str> = tokens.texts().collect();
            let shared = shared_count(&response_words.texts, &texts);
            let (precision, recall) = if is_nothing_for_something(response, reference) {
                (0.0, 0.0)
            } else {
                precision_and_recall(shared, response_words.texts.len(), texts.len())
            };
            (precision, recall, tokens)
        };
        let Some((index, (precision, recall, reference_tokens))) =
            best_reference(references, compare, |(precision, recall, _)| harmonic_mean(*precision, *recall))
        else {
            return Err(ScoreError::MissingField(probare_core::Field::Reference));
        };
        let reference = &references[index];
        let mut evidence = BoundedEvidence::for_sample(&sample);
        if evidence.is_wanted() {
            let reference_words = SpannedWords::new(&reference_tokens, |span| span);
            let found = Counterparts::pair(&response_words.texts, &reference_words.texts);
            push_overlap_evidence(
                &mut evidence,
                (response, &response_words.spans),
                (reference, index, &reference_words.spans),
                &found,
            );
        }
        let score = Score::from_number(harmonic_mean(precision, recall))?
            .with_part("precision", precision)?
            .with_part("recall", recall)?;
        let wordless = wordless_note(response, &response_tokens, reference, &reference_tokens);
        Ok(score.because(chosen_reference_note(references, index)).because(wordless).because(evidence.finish()).into())
    }
}

/// Shares of both texts. Where a text has no words, both are 1 if the other has none either, and else 0: so says the
/// SQuAD 2.0 script.
fn precision_and_recall(shared: usize, response: usize, reference: usize) -> (f64, f64) {
    match (response, reference) {
        (0, 0) => (1.0, 1.0),
        (0, _) | (_, 0) => (0.0, 0.0),
        _ => (shared as f64 / response as f64, shared as f64 / reference as f64),
    }
}
