//! How much of its wording an answer shares with the expected summary.

use std::hash::Hash;

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, metric};
use probare_metrics::bounded_evidence::BoundedEvidence;
use probare_metrics::references::{best_reference, chosen_reference_note};
use probare_metrics::words::{Counterparts, push_overlap_evidence};
use schemars::JsonSchema;
use serde::Deserialize;

use super::improved::{ParsedAnswer, SentenceStatus, statement_overlap};
use super::inputs::{parsed_answer, response_words, store_measure};
use super::measures::{TokenOverlap, WordSequence};

/// Options of `answer_f1`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnswerF1 {
    /// Which definition: all tokens (`published`), or those of statements (`improved`).
    pub profile: Profile,
    /// Name in the metadata of the source texts, for `improved`: what is copied from them is no statement.
    pub sources: String,
}

impl Default for AnswerF1 {
    fn default() -> Self {
        Self { profile: Profile::Published, sources: "sources_verified".into() }
    }
}

metric!(AnswerF1 as Pure {
    summary: "Harmonic mean of the shares of tokens that a deep-search answer and the expected summary have in common",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    profiles: [Published, Improved],
    identity: true,
    whole: |parts| {
        let (precision, recall) = (parts.get("precision")?, parts.get("recall")?);
        Some(if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) })
    },
    since: "0.1",
    version: 1,
    page: "answer_f1.md",
});

impl Metric for AnswerF1 {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let answer = parsed_answer(sample, self.profile, &self.sources)?;
        let outcome = Self::score_parsed(sample, answer.as_deref())?;
        store_measure(sample, self.cache_key(), &outcome);
        Ok(outcome)
    }
}

impl AnswerF1 {
    /// What the value depends on beside the case.
    pub(super) fn cache_key(&self) -> impl Hash {
        (DEF.id, self.profile, &self.sources)
    }

    /// Scores a sample whose answer was read already, in the improved profile; in the other there is nothing to read.
    pub(super) fn score_parsed(sample: Sample<'_>, improved: Option<&ParsedAnswer<'_>>) -> Result<Outcome, ScoreError> {
        let (response, references) = (sample.response()?, sample.references()?);
        let read = response_words(sample)?;
        let mut vocabulary = read.vocabulary.borrow_mut();
        let stated = improved.map(|answer| vocabulary.intern_tokens(&answer.stated_tokens()));
        let words = stated.as_ref().unwrap_or(&read.words);
        let overlap = |reference: &str| {
            if let Some(answer) = improved {
                return statement_overlap(reference, answer);
            }
            let reference = vocabulary.read(reference);
            TokenOverlap::from_ids(&words.ids, &reference.ids, &mut vocabulary)
        };
        let compared = best_reference(references, overlap, TokenOverlap::f1);
        let Some((index, overlap)) = compared else { return Err(ScoreError::MissingField(Field::Reference)) };
        let score = Score::from_number(overlap.f1())?
            .with_part("precision", overlap.precision())?
            .with_part("recall", overlap.recall())?;
        let expected = vocabulary.read(&references[index]);
        let evidence = evidence((response, words), (&references[index], index, &expected));
        let remarks = improved.map(uncounted_sentences).unwrap_or_default();
        Ok(score.because(chosen_reference_note(references, index)).because(remarks).because(evidence).into())
    }
}

/// The sentences that do not count, and why; a few of many.
fn uncounted_sentences(answer: &ParsedAnswer<'_>) -> Vec<Evidence> {
    const MOST: usize = 9;
    let reason = |status: SentenceStatus| match status {
        SentenceStatus::Statement => None,
        SentenceStatus::Fragment => Some("states nothing: its words do not count".to_owned()),
        SentenceStatus::Copied(source) => Some(format!("copied from source {}: its words do not count", source + 1)),
    };
    let silent = answer.sentences.iter().filter_map(|sentence| Some((sentence, reason(sentence.status)?)));
    let pieces = silent.take(MOST).map(|(sentence, reason)| {
        Evidence::at(EvidenceKind::Unsupported, Field::Response, sentence.span.clone(), answer.text()).with_note(reason)
    });
    pieces.collect()
}

/// The shared stretches of the answer, the stretches of the reference that it lacks, and what only the answer has.
fn evidence(
    (response, answer): (&str, &WordSequence),
    (reference, index, expected): (&str, usize, &WordSequence),
) -> Vec<Evidence> {
    let found = Counterparts::pair(&answer.ids, &expected.ids);
    let mut evidence = BoundedEvidence::default();
    push_overlap_evidence(&mut evidence, (response, &answer.spans), (reference, index, &expected.spans), &found);
    evidence.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthlink::deep_search::measures::WordInterner;

    #[test]
    fn evidence_shows_runs_rather_than_words() {
        let (answer, reference) = ("The press made ink.", "The press made books cheap");
        let mut vocabulary = WordInterner::default();
        let [words, expected] = [answer, reference].map(|text| vocabulary.read(text));
        let found = evidence((answer, &words), (reference, 0, &expected));
        let shown: Vec<(EvidenceKind, &str)> = found.iter().map(|piece| (piece.kind, piece.text.as_str())).collect();
        let expected = [
            (EvidenceKind::Matched, "The press made"),
            (EvidenceKind::Missing, "books cheap"),
            (EvidenceKind::Unsupported, "ink"),
        ];
        assert_eq!(shown, expected);
    }
}
