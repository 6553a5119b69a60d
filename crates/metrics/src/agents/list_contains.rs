//! How well the items of two lists match: autoevals' list contains.

use probare_core::{ErrorKind, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::distance::similarity;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::trace::{assignment, json_answer, python_str, value_excerpt};

/// Options of `list_contains`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ListContains {
    /// Whether further items cost nothing.
    pub allow_extra_entities: bool,
    /// JSON Pointer to the list in place of the response: `/metadata/…`, `/tool_calls/0/arguments/…`.
    pub at_path: Option<String>,
    /// The expected list in place of the reference.
    pub expected: Option<Vec<Json>>,
}

metric!(ListContains as Pure {
    summary: "How well the items of two lists match (autoevals)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    since: "0.3",
    version: 1,
    page: "list_contains.md",
});

/// Items of a list that are compared with those of another.
const MOST_ITEMS: usize = 500;

/// Parts of a likeness that are told apart when items are paired.
const FINE: f64 = 1e12;

impl Metric for ListContains {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let answer = match json_answer(sample, self.at_path.as_deref())? {
            Ok(answer) => answer,
            Err(outcome) => return Ok(outcome),
        };
        let expected: Vec<Json> = match (&self.expected, sample.case.reference.as_deref()) {
            (Some(list), _) => list.clone(),
            (None, Some([text])) => match serde_json::from_str(text) {
                Ok(Json::Array(list)) => list,
                _ => vec![Json::from(text.as_str())],
            },
            (None, Some(texts)) => texts.iter().map(|text| Json::from(text.as_str())).collect(),
            (None, None) => {
                return Ok(Outcome::not_applicable("there is neither a `reference` nor the option `expected`"));
            }
        };
        let Json::Array(output) = &*answer.value else {
            return Err(ScoreError::other(ErrorKind::Unparseable, "the answer is not a list"));
        };
        let value = list_likeness(output, &expected, self.allow_extra_entities)?;
        let note = format!("expected {}", value_excerpt(&Json::Array(expected)));
        Ok(Score::from_number(value)?.because([answer.evidence(EvidenceKind::Compared).with_note(note)]).into())
    }
}

/// The greatest sum of likenesses of a one-to-one pairing, over the longer list or over the expected one.
pub fn list_likeness(output: &[Json], expected: &[Json], allow_extra: bool) -> Result<f64, ScoreError> {
    if output.is_empty() || expected.is_empty() {
        return Ok(f64::from(u8::from(output.is_empty() && expected.is_empty())));
    }
    if expected.iter().any(Json::is_null) {
        return Err(ScoreError::other(ErrorKind::Failed, "the expected list holds null"));
    }
    if output.len().max(expected.len()) > MOST_ITEMS {
        let reason = format!("lists of more than {MOST_ITEMS} items are not compared");
        return Err(ScoreError::other(ErrorKind::Failed, reason));
    }
    let given: Vec<String> = output.iter().map(python_str).collect();
    let expected_texts: Vec<String> = expected.iter().map(python_str).collect();
    let alike: Vec<f64> =
        given.iter().flat_map(|one| expected_texts.iter().map(move |other| similarity(one, other))).collect();
    let likeness = |row: usize, column: usize| alike[row * expected_texts.len() + column];
    #[expect(clippy::cast_possible_truncation, reason = "a likeness is at most 1")]
    let weight = |row: usize, column: usize| (likeness(row, column) * FINE) as i64;
    let pairs = assignment(given.len(), expected_texts.len(), weight);
    let paired = pairs.into_iter().enumerate().filter_map(|(row, column)| Some(likeness(row, column?)));
    let sum: f64 = paired.fold(0.0, |sum, likeness| sum + likeness);
    let whole = if allow_extra { expected_texts.len() } else { given.len().max(expected_texts.len()) };
    Ok((sum / whole as f64).clamp(0.0, 1.0))
}
