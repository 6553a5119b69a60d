//! Distinct words that the response and the reference share, divided by all their distinct words.

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::sets::SetOverlap;
use probare_text::tokens::{Tokens, sklearn, squad, whitespace};
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::BoundedEvidence;
use crate::references::{best_reference, chosen_reference_note};

/// Options of `jaccard`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Jaccard {
    /// How texts are cut into words.
    pub tokens: TokenDefinition,
}

/// How texts are cut into words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenDefinition {
    /// Lower-cased, between white space, without ASCII punctuation and articles.
    #[default]
    Squad,
    /// Lower-cased runs of at least two word characters.
    Sklearn,
    /// Lower-cased, between white space, punctuation attached.
    Whitespace,
}

impl TokenDefinition {
    fn tokens(self, text: &str) -> Tokens {
        match self {
            Self::Squad => squad::tokens(text),
            Self::Sklearn => sklearn::tokens(text),
            Self::Whitespace => whitespace::lower_words(text),
        }
    }
}

metric!(Jaccard as Pure {
    summary: "Distinct words that the response and the reference share, of all they have",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    whole: |parts| {
        let (shared, all) = (parts.get("shared")?, parts.get("all")?);
        Some(if all == 0.0 { 1.0 } else { shared / all })
    },
    since: "0.1",
    version: 1,
    page: "jaccard.md",
});

impl Metric for Jaccard {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.references()?;
        let response_tokens = self.tokens.tokens(response);
        let compare = |reference: &str| {
            let tokens = self.tokens.tokens(reference);
            let overlap = SetOverlap::new(response_tokens.texts(), tokens.texts());
            (overlap, tokens)
        };
        let Some((index, (overlap, reference_tokens))) =
            best_reference(references, compare, |(overlap, _)| value(*overlap))
        else {
            return Err(ScoreError::MissingField(Field::Reference));
        };
        let all = overlap.left + overlap.right - overlap.shared;
        let mut evidence = BoundedEvidence::for_sample(&sample);
        let reference_set: FxHashSet<&str> = reference_tokens.texts().collect();
        let mut seen = FxHashSet::default();
        for token in response_tokens.iter().filter(|token| seen.insert(token.text)) {
            probare_cancellation::count_steps(1);
            let kind =
                if reference_set.contains(token.text) { EvidenceKind::Matched } else { EvidenceKind::Unsupported };
            evidence.push(|| Evidence::at(kind, Field::Response, token.span, response));
        }
        // Marked as seen by now is every word of the response.
        for token in reference_tokens.iter().filter(|token| seen.insert(token.text)) {
            probare_cancellation::count_steps(1);
            evidence.push(|| {
                Evidence::at(EvidenceKind::Missing, Field::Reference, token.span, &references[index]).in_item(index)
            });
        }
        let score = Score::from_number(value(overlap))?
            .with_part("shared", overlap.shared as f64)?
            .with_part("all", all as f64)?;
        Ok(score.because(chosen_reference_note(references, index)).because(evidence.finish()).into())
    }
}

/// Two texts without words are alike.
fn value(overlap: SetOverlap) -> f64 {
    if overlap.left + overlap.right == 0 { 1.0 } else { overlap.jaccard() }
}
