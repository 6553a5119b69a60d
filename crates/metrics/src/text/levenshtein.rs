//! Similarity by edit distance: one minus the least number of edits as a share of the longer text.

use std::ops::Range;

use probare_core::{Evidence, EvidenceKind, Field, Metric, Outcome, Place, Sample, Score, ScoreError, metric};
use probare_text::distance::{Edit, EditKind, edits, edits_of_items, levenshtein, levenshtein_items};
use probare_text::python::{Lowered, split_spans};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bounded::{Bounded, beginning};
use crate::difference::{Side, first_difference, whole_tokens};
use crate::references::{LONGEST, best, check_length, chosen};

/// Cells of the table up to which all edits are shown; past it the first difference has to do, since the edits cost
/// thirty times what the distance does.
const MOST_CELLS: usize = 1 << 14;

/// Options of `levenshtein`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Levenshtein {
    /// What is inserted, deleted and replaced.
    pub unit: Unit,
    /// Whether upper and lower case are the same.
    pub ignore_case: bool,
    /// Length, in units, up to which two texts that differ are compared: the work grows with the product of both lengths.
    pub longest: usize,
}

impl Default for Levenshtein {
    fn default() -> Self {
        Self { unit: Unit::Characters, ignore_case: false, longest: LONGEST }
    }
}

/// What is inserted, deleted and replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
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
    lowered: Lowered,
    words: Vec<Range<usize>>,
    length: usize,
}

impl Text {
    fn new(options: &Levenshtein, text: &str) -> Self {
        let lowered = if options.ignore_case { Lowered::new(text) } else { Lowered::unchanged(text) };
        let (words, length) = match options.unit {
            Unit::Characters => (Vec::new(), lowered.text().chars().count()),
            Unit::Words => {
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
        let unit = if self.unit == Unit::Words { "words" } else { "characters" };
        check_length((left.length, other), self.longest, unit, "`token_f1` and `rouge_l` take longer texts")?;
        let compare = |reference: &str| {
            let right = Text::new(self, reference);
            let distance = match self.unit {
                Unit::Characters => levenshtein(left.lowered.text(), right.lowered.text()),
                Unit::Words => levenshtein_items(&left.items(), &right.items()),
            };
            let length = left.length.max(right.length);
            (distance as f64, length as f64, right)
        };
        let Some((index, (distance, length, right))) =
            best(references, compare, |(distance, length, _)| similarity(*distance, *length))
        else {
            return Err(ScoreError::MissingField(Field::Reference));
        };
        let mut evidence = Bounded::default();
        if distance > 0.0 {
            self.show(&mut evidence, (response, &left), (&references[index], index, &right));
        }
        let score = Score::from_number(similarity(distance, length))?
            .with_part("distance", distance)?
            .with_part("length", length)?;
        Ok(score.because(chosen(references, index)).because(evidence.finish()).into())
    }
}

impl Levenshtein {
    /// Shows what would have to be changed.
    fn show(
        &self,
        evidence: &mut Bounded,
        (response, left): (&str, &Text),
        (reference, index, right): (&str, usize, &Text),
    ) {
        let response_original = |span| left.lowered.original(span);
        let reference_original = |span| right.lowered.original(span);
        if left.length.saturating_mul(right.length) > MOST_CELLS {
            let response_side = Side { whole: response, text: left.lowered.text(), original: &response_original };
            let reference_side = Side { whole: reference, text: right.lowered.text(), original: &reference_original };
            if let Some(difference) = first_difference(&response_side, &reference_side, index) {
                evidence.push(|| difference);
            }
            return;
        }
        let script = match self.unit {
            Unit::Characters => {
                let (left, right) = (left.lowered.text(), right.lowered.text());
                whole_tokens(&edits(left, right), left, right)
            }
            Unit::Words => {
                let mut script = edits_of_items(&left.items(), &right.items());
                script.retain(|edit| edit.kind != EditKind::Keep);
                script
            }
        };
        for Edit { kind, left: got, right: wanted } in script {
            probare_cancellation::steps(1);
            let (got, wanted) = match self.unit {
                Unit::Characters => (got, wanted),
                Unit::Words => (left.bytes(&got), right.bytes(&wanted)),
            };
            let (got, wanted) = (response_original(got), reference_original(wanted));
            evidence.push(|| edit(kind, (response, got), (reference, index, wanted)));
        }
    }
}

/// One edit that would turn the response into the reference.
fn edit(
    kind: EditKind,
    (response, got): (&str, Range<usize>),
    (reference, index, wanted): (&str, usize, Range<usize>),
) -> Evidence {
    match kind {
        EditKind::Insert => Evidence::at(EvidenceKind::Missing, Field::Reference, wanted, reference).in_item(index),
        EditKind::Delete => Evidence::at(EvidenceKind::Unsupported, Field::Response, got, response),
        EditKind::Replace | EditKind::Keep => {
            let note = format!("the reference has `{}`", beginning(&reference[wanted.clone()]));
            let place = Place::in_item(Field::Reference, index, wanted);
            Evidence::at(EvidenceKind::Compared, Field::Response, got, response).with_note(note).with_support(place)
        }
    }
}
