//! How much of its wording an answer shares with the expected summary.

use std::hash::Hash;

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Profile, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use super::careful::{Answer, Standing, overlap_of_statements};
use super::inputs::{careful_answer, keep, response_words};
use super::measures::{Overlap, Words};
use crate::bounded::{Bounded, excerpt};
use crate::references::{best, chosen};
use crate::words::{Counterparts, show};

/// Options of `answer_f1`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnswerF1 {
    /// Which reading: all tokens (`reference`), or those of statements (`careful`).
    pub profile: Profile,
    /// Name in the metadata of the source texts, for `careful`: what is copied from them is no statement.
    pub sources: String,
}

impl Default for AnswerF1 {
    fn default() -> Self {
        Self { profile: Profile::Reference, sources: "sources_verified".into() }
    }
}

metric!(AnswerF1 as Pure {
    summary: "Harmonic mean of the shares of tokens that a deep-search answer and the expected summary have in common",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    profiles: [Reference, Careful],
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
        let answer = careful_answer(sample, self.profile, &self.sources)?;
        let outcome = Self::score_read(sample, answer.as_deref())?;
        keep(sample, self.asked(), &outcome);
        Ok(outcome)
    }
}

impl AnswerF1 {
    /// What the value depends on beside the case.
    pub(super) fn asked(&self) -> impl Hash {
        (DEF.id, self.profile, &self.sources)
    }

    /// Scores a sample whose answer was read already, in the careful profile; in the other there is nothing to read.
    pub(super) fn score_read(sample: Sample<'_>, careful: Option<&Answer<'_>>) -> Result<Outcome, ScoreError> {
        let (response, references) = (sample.response()?, sample.references()?);
        let read = response_words(sample)?;
        let mut vocabulary = read.vocabulary.borrow_mut();
        let stated = careful.map(|answer| vocabulary.take(&answer.stated_tokens()));
        let words = stated.as_ref().unwrap_or(&read.words);
        let overlap = |reference: &str| {
            if let Some(answer) = careful {
                return overlap_of_statements(reference, answer);
            }
            let reference = vocabulary.read(reference);
            Overlap::of(&words.ids, &reference.ids, &mut vocabulary)
        };
        let compared = best(references, overlap, Overlap::f1);
        let Some((index, overlap)) = compared else { return Err(ScoreError::MissingField(Field::Reference)) };
        let score = Score::from_number(overlap.f1())?
            .with_part("precision", overlap.precision())?
            .with_part("recall", overlap.recall())?;
        let expected = vocabulary.read(&references[index]);
        let evidence = evidence((response, words), (&references[index], index, &expected));
        let remarks = careful.map(standings).unwrap_or_default();
        Ok(score.because(chosen(references, index)).because(remarks).because(evidence).into())
    }
}

/// The sentences that do not count, and why; a few of many.
fn standings(answer: &Answer<'_>) -> Vec<Evidence> {
    const MOST: usize = 9;
    let reason = |standing: Standing| match standing {
        Standing::Statement => None,
        Standing::Fragment => Some("states nothing: its words do not count".to_owned()),
        Standing::Copied(source) => Some(format!("copied from source {}: its words do not count", source + 1)),
    };
    let silent = answer.sentences.iter().filter_map(|sentence| Some((sentence, reason(sentence.standing)?)));
    let pieces = silent.take(MOST).map(|(sentence, reason)| {
        excerpt(EvidenceKind::Unsupported, Field::Response, sentence.span.clone(), answer.text()).with_note(reason)
    });
    pieces.collect()
}

/// The shared stretches of the answer, the stretches of the reference that it lacks, and what only the answer has.
fn evidence((response, answer): (&str, &Words), (reference, index, expected): (&str, usize, &Words)) -> Vec<Evidence> {
    let found = Counterparts::of(&answer.ids, &expected.ids);
    let mut evidence = Bounded::default();
    show(&mut evidence, (response, &answer.spans), (reference, index, &expected.spans), &found);
    evidence.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deep_search::measures::Vocabulary;

    #[test]
    fn evidence_shows_runs_rather_than_words() {
        let (answer, reference) = ("The press made ink.", "The press made books cheap");
        let mut vocabulary = Vocabulary::default();
        let [words, expected] = [answer, reference].map(|text| vocabulary.read(text));
        let found = evidence((answer, &words), (reference, 0, &expected));
        let shown: Vec<(EvidenceKind, &str)> = found.iter().map(|piece| (piece.kind, piece.text.as_str())).collect();
        let expected = [
            (EvidenceKind::Found, "The press made"),
            (EvidenceKind::Missing, "books cheap"),
            (EvidenceKind::Unsupported, "ink"),
        ];
        assert_eq!(shown, expected);
    }
}
