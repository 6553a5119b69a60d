//! Cosine of the term weights of the response and the reference.

use probare_core::{Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::tfidf::TermPair;
use probare_text::tokens::{Tokens, sklearn};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::BoundedEvidence;
use crate::references::{best_reference, chosen_reference_note};

/// Options of `tfidf_cosine`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TfidfCosine {
    /// Words that do not count.
    pub stop_words: StopWords,
}

/// Words that do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopWords {
    /// The 318 frequent English words of scikit-learn's list.
    #[default]
    English,
    /// All words count.
    None,
}

impl StopWords {
    fn terms(self, text: &str) -> Tokens {
        match self {
            Self::English => sklearn::terms(text),
            Self::None => sklearn::tokens(text),
        }
    }
}

metric!(TfidfCosine as Pure {
    summary: "Cosine of the tf-idf term weights of response and reference",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    since: "0.1",
    version: 1,
    page: "tfidf_cosine.md",
});

impl Metric for TfidfCosine {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.references()?;
        let compare = |reference: &str| {
            let pair = TermPair::from_tokens(self.stop_words.terms(response), self.stop_words.terms(reference));
            // Rounding can carry the cosine of equal directions past 1.
            (pair.cosine().map(|cosine| cosine.min(1.0)), pair)
        };
        let value = |(cosine, _): &(Option<f64>, TermPair)| cosine.unwrap_or(-1.0);
        let Some((index, (cosine, pair))) = best_reference(references, compare, value) else {
            return Err(ScoreError::MissingField(Field::Reference));
        };
        let Some(cosine) = cosine else {
            return Ok(Outcome::not_applicable("neither the response nor the reference has a term to compare"));
        };
        let mut terms: Vec<_> = pair.terms().collect();
        // The heaviest first; the order of the texts among equals, since the sort is stable.
        terms.sort_by(|left, right| right.contribution().total_cmp(&left.contribution()));
        let mut evidence = BoundedEvidence::for_sample(&sample);
        for term in terms {
            probare_cancellation::count_steps(1);
            evidence.push(|| match (&term.left_span, &term.right_span) {
                (Some(span), Some(counterpart)) => {
                    let place = FieldSpan::in_item(Field::Reference, index, counterpart.clone());
                    Evidence::at(EvidenceKind::Matched, Field::Response, span.clone(), response)
                        .with_note(format!("adds {:.4}", term.contribution()))
                        .with_support(place)
                }
                (Some(span), None) => Evidence::at(EvidenceKind::Unsupported, Field::Response, span.clone(), response),
                (None, span) => {
                    let span = span.clone().unwrap_or(0..0);
                    Evidence::at(EvidenceKind::Missing, Field::Reference, span, &references[index]).in_item(index)
                }
            });
        }
        Ok(Score::from_number(cosine)?
            .because(chosen_reference_note(references, index))
            .because(evidence.finish())
            .into())
    }
}
