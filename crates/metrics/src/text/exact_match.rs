//! Whether the response equals the reference.

use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::python::{LowercaseText, strip, strip_start};
use probare_text::tokens::{Tokens, squad};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::truncate_for_note;
use crate::difference::{ComparedText, first_difference};
use crate::references::{is_nothing_for_something, wordless_note};

/// Options of `exact_match`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExactMatch {
    /// What is done to both texts before they are compared.
    pub normalise: Normalise,
    /// Whether upper and lower case are the same.
    pub ignore_case: bool,
}

/// What is done to both texts before they are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Normalise {
    /// Nothing.
    #[default]
    None,
    /// White space at both ends is dropped.
    Trim,
    /// The normalisation of the SQuAD script: lower case, no ASCII punctuation, no articles, single spaces.
    Squad,
}

metric!(ExactMatch as Pure {
    summary: "Whether the response equals the reference",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    since: "0.1",
    version: 2,
    page: "exact_match.md",
});

impl Metric for ExactMatch {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.references()?;
        let (met, difference) = if self.normalise == Normalise::Squad {
            squad_comparison(response, references)
        } else {
            self.comparison(response, references)
        };
        let mut evidence = Vec::new();
        match met {
            Some(index) => {
                let many = references.len() > 1;
                let which =
                    if many { format!("equal to `reference[{index}]`") } else { "equal to the reference".into() };
                evidence.push(Evidence::note(which));
            }
            None => evidence.extend(difference),
        }
        let compared = references.get(met.unwrap_or_default()).filter(|_| self.normalise == Normalise::Squad);
        evidence.extend(compared.and_then(|reference| {
            wordless_note(response, &squad::tokens(response), reference, &squad::tokens(reference))
        }));
        Ok(Score::from_bool(met.is_some()).because(evidence).into())
    }
}

impl ExactMatch {
    /// The first reference that is met; else the first difference to the first reference.
    fn comparison(&self, response: &str, references: &[String]) -> (Option<usize>, Option<Evidence>) {
        let response_view = ComparisonView::new(self, response);
        let met =
            references.iter().position(|reference| ComparisonView::new(self, reference).text() == response_view.text());
        if met.is_some() {
            return (met, None);
        }
        let difference = references.first().and_then(|reference| {
            let reference_view = ComparisonView::new(self, reference);
            let response_original = |span| response_view.original(span);
            let reference_original = |span| reference_view.original(span);
            first_difference(
                &ComparedText { whole: response, text: response_view.text(), original: &response_original },
                &ComparedText { whole: reference, text: reference_view.text(), original: &reference_original },
                0,
            )
        });
        (None, difference)
    }
}

/// A text as it is compared.
struct ComparisonView<'a> {
    trimmed: &'a str,
    /// Bytes that were trimmed at the start.
    offset: usize,
    lowered: Option<LowercaseText>,
}

impl<'a> ComparisonView<'a> {
    fn new(options: &ExactMatch, text: &'a str) -> Self {
        let (trimmed, offset) = match options.normalise {
            Normalise::Trim => (strip(text), text.len() - strip_start(text).len()),
            Normalise::None | Normalise::Squad => (text, 0),
        };
        Self { trimmed, offset, lowered: options.ignore_case.then(|| LowercaseText::new(trimmed)) }
    }

    fn text(&self) -> &str {
        self.lowered.as_ref().map_or(self.trimmed, LowercaseText::text)
    }

    fn original(&self, span: Range<usize>) -> Range<usize> {
        let span = self.lowered.as_ref().map_or(span.clone(), |lowered| lowered.original_span(span));
        span.start + self.offset..span.end + self.offset
    }
}

/// Compares word by word, which is the same as comparing the normalised texts, and keeps the spans.
fn squad_comparison(response: &str, references: &[String]) -> (Option<usize>, Option<Evidence>) {
    let response_tokens = squad::tokens(response);
    let is_met = |reference: &String| {
        squad::tokens(reference).texts().eq(response_tokens.texts()) && !is_nothing_for_something(response, reference)
    };
    let met = references.iter().position(is_met);
    if met.is_some() {
        return (met, None);
    }
    (None, references.first().map(|reference| first_word(response, &response_tokens, reference)))
}

/// The first word that differs.
fn first_word(response: &str, response_tokens: &Tokens, reference: &str) -> Evidence {
    let reference_tokens = squad::tokens(reference);
    let at = response_tokens.texts().zip(reference_tokens.texts()).take_while(|(left, right)| left == right).count();
    let span = |tokens: &Tokens, end: usize| tokens.get(at).map_or(end..end, |token| token.span);
    let (got, expected_span) = (span(response_tokens, response.len()), span(&reference_tokens, reference.len()));
    let note = match reference_tokens.get(at) {
        Some(_) => {
            format!(
                "the first difference: the reference goes on with `{}`",
                truncate_for_note(&reference[expected_span.clone()])
            )
        }
        None => "the first difference: the reference has ended here".to_owned(),
    };
    let place = FieldSpan::in_item(Field::Reference, 0, expected_span);
    Evidence::at(EvidenceKind::Compared, Field::Response, got, response).with_note(note).with_support(place)
}
