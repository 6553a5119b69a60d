//! Similarity by edit distance: one minus the least number of edits as a share of the longer text.

use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field, FieldSpan, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::distance::{Edit, EditKind, edits, edits_of_items, levenshtein, levenshtein_items};
use probare_text::python::{LowercaseText, split_spans};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded_evidence::{BoundedEvidence, truncate_for_note};
use crate::difference::{ComparedText, first_difference, widen_to_tokens};
use crate::references::{LONGEST, best_reference, check_length, chosen_reference_note};

/// Cells of the table up to which all edits are shown; past it the first difference has to do, since the edits cost
/// thirty times what the distance does.
const MOST_CELLS: usize = 1 << 14;

/// Options of `levenshtein`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Levenshtein {
    /// What is inserted, deleted and replaced.
    pub unit: EditUnit,
    /// Whether upper and lower case are the same.
    pub ignore_case: bool,
    /// Length, in units, up to which two texts that differ are compared: the work grows with the product of both lengths.
    pub longest: usize,
}

impl Default for Levenshtein {
    fn default() -> Self {
        Self { unit: EditUnit::Characters, ignore_case: false, longest: LONGEST }
    }
}

/// What is inserted, deleted and replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditUnit {
    /// Characters (Unicode scalar values).
    #[default]
    Characters,
    /// Words between white space.
    Words,
}

metric!(Levenshtein as Pure {
    summary: "One minus the edit distance as a share of the longer text",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response, Reference],
    identity: true,
    whole: |parts| Some(similarity(parts.get("distance")?, parts.get("length")?)),
    since: "0.1",
    version: 2,
    page: "levenshtein.md",
});

/// Two empty texts are alike.
fn similarity(distance: f64, length: f64) -> f64 {
    if length == 0.0 { 1.0 } else { 1.0 - distance / length }
}

/// A text as it is compared, and its units.
struct Text {
    lowered: LowercaseText,
    words: Vec<Range<usize>>,
    length: usize,
}

impl Text {
    fn new(options: &Levenshtein, text: &str) -> Self {
        let lowered = if options.ignore_case { LowercaseText::new(text) } else { LowercaseText::unchanged(text) };
        let (words, length) = match options.unit {
            EditUnit::Characters => (Vec::new(), lowered.text().chars().count()),
            EditUnit::Words => {
                let words: Vec<Range<usize>> = split_spans(lowered.text()).collect();
                let length = words.len();
                (words, length)
            }
        };
        Self { lowered, words, length }
    }

    fn items(&self) -> Vec<&str> {
        self.words.iter().map(|span| &self.lowered.text()[span.clone()]).collect()
    }

    /// Bytes of the compared text that the words of these indices take; where there is none, the place between.
    fn bytes(&self, words: &Range<usize>) -> Range<usize> {
        match (self.words.get(words.start), words.end.checked_sub(1).and_then(|last| self.words.get(last))) {
            (Some(first), Some(last)) if !words.is_empty() => first.start..last.end,
            (Some(next), _) => next.start..next.start,
            _ => self.lowered.text().len()..self.lowered.text().len(),
        }
    }
}

impl Metric for Levenshtein {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let references = sample.references()?;
        let left = Text::new(self, response);
        let other: usize = references
            .iter()
            .filter(|reference| *reference != response)
            .map(|reference| Text::new(self, reference).length)
            .sum();
        let unit = if self.unit == EditUnit::Words { "words" } else { "characters" };
        check_length((left.length, other), self.longest, unit, "`token_f1` and `rouge_l` take longer texts")?;
        let compare = |reference: &str| {
            let right = Text::new(self, reference);
            let distance = match self.unit {
                EditUnit::Characters => levenshtein(left.lowered.text(), right.lowered.text()),
                EditUnit::Words => levenshtein_items(&left.items(), &right.items()),
            };
            let length = left.length.max(right.length);
            (distance as f64, length as f64, right)
        };
        let Some((index, (distance, length, right))) =
            best_reference(references, compare, |(distance, length, _)| similarity(*distance, *length))
        else {
            return Err(ScoreError::MissingField(Field::Reference));
        };
        let mut evidence = BoundedEvidence::for_sample(&sample);
        if distance > 0.0 && evidence.is_wanted() {
            self.show(&mut evidence, (response, &left), (&references[index], index, &right));
        }
        let score = Score::from_number(similarity(distance, length))?
            .with_part("distance", distance)?
            .with_part("length", length)?;
        Ok(score.because(chosen_reference_note(references, index)).because(evidence.finish()).into())
    }
}

impl Levenshtein {
    /// Shows what would have to be changed.
    fn show(
        &self,
        evidence: &mut BoundedEvidence,
        (response, left): (&str, &Text),
        (reference, index, right): (&str, usize, &Text),
    ) {
        let response_original = |span| left.lowered.original_span(span);
        let reference_original = |span| right.lowered.original_span(span);
        if left.length.saturating_mul(right.length) > MOST_CELLS {
            let response_side =
                ComparedText { whole: response, text: left.lowered.text(), original: &response_original };
            let reference_side =
                ComparedText { whole: reference, text: right.lowered.text(), original: &reference_original };
            if let Some(difference) = first_difference(&response_side, &reference_side, index) {
                evidence.push(|| difference);
            }
            return;
        }
        let script = match self.unit {
            EditUnit::Characters => {
                let (left, right) = (left.lowered.text(), right.lowered.text());
                widen_to_tokens(&edits(left, right), left, right)
            }
            EditUnit::Words => {
                let mut script = edits_of_items(&left.items(), &right.items());
                script.retain(|edit| edit.kind != EditKind::Keep);
                script
            }
        };
        for Edit { kind, left: got, right: expected } in script {
            probare_cancellation::count_steps(1);
            let (got, expected) = match self.unit {
                EditUnit::Characters => (got, expected),
                EditUnit::Words => (left.bytes(&got), right.bytes(&expected)),
            };
            let (got, expected) = (response_original(got), reference_original(expected));
            evidence.push(|| edit(kind, (response, got), (reference, index, expected)));
        }
    }
}

/// One edit that would turn the response into the reference.
fn edit(
    kind: EditKind,
    (response, got): (&str, Range<usize>),
    (reference, index, expected): (&str, usize, Range<usize>),
) -> Evidence {
    match kind {
        EditKind::Insert => Evidence::at(EvidenceKind::Missing, Field::Reference, expected, reference).in_item(index),
        EditKind::Delete => Evidence::at(EvidenceKind::Unsupported, Field::Response, got, response),
        EditKind::Replace | EditKind::Keep => {
            let note = format!("the reference has `{}`", truncate_for_note(&reference[expected.clone()]));
            let place = FieldSpan::in_item(Field::Reference, index, expected);
            Evidence::at(EvidenceKind::Compared, Field::Response, got, response).with_note(note).with_support(place)
        }
    }
}
