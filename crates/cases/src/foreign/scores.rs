//! What another tool said about a sample, as a result of ours: a value, no value, or an error; never a failure as a number.

use std::borrow::Cow;

use probare_core::{Better, ErrorKind, Evidence, Outcome, Score, ScoreError, Told};
use serde_json::{Map, Value as Json};

/// Where a lower value is better, by the names that the tools give.
const LOWER: [&str; 9] = [
    "perplexity",
    "word_perplexity",
    "byte_perplexity",
    "bits_per_byte",
    "brier_score",
    "ter",
    "latency",
    "cost",
    "levenshtein",
];

/// Which direction of a score is better; the files do not say it.
pub(super) fn better(name: &str) -> Better {
    if LOWER.contains(&name) { Better::Lower } else { Better::Higher }
}

/// Adds a result; a second one of the same name gets a number.
pub(super) fn add(scores: &mut Map<String, Json>, name: &str, told: Result<Outcome, ScoreError>) {
    let mut free = name.to_owned();
    let mut number = 2;
    while scores.contains_key(&free) {
        free = format!("{name}#{number}");
        number += 1;
    }
    // A result always has a JSON form.
    scores.insert(free, serde_json::to_value(Told(told)).unwrap_or_default());
}

/// A value, with the words that came with it.
pub(super) fn value(value: f64, label: Option<&str>, reason: Option<&str>) -> Result<Outcome, ScoreError> {
    let mut score = Score::from_number(value)?;
    score.label = label.map(|label| Cow::Owned(label.to_owned()));
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    Ok(score.because(reason.map(|reason| Evidence::note(reason.to_owned()))).into())
}

/// Something failed in the other tool.
pub(super) fn failed(reason: impl Into<String>) -> Result<Outcome, ScoreError> {
    Err(ScoreError::other(ErrorKind::Failed, reason))
}

/// What an evaluation said of a span in the words of OpenTelemetry: an error, a value, or that it has none.
pub(crate) fn told(
    scores: &mut Map<String, Json>,
    name: &str,
    number: Option<f64>,
    label: Option<&str>,
    reason: Option<&str>,
    error: Option<&str>,
) {
    let outcome = match (error, number) {
        (Some(error), _) => failed(reason.map_or_else(|| error.to_owned(), |reason| format!("{error}: {reason}"))),
        (None, Some(number)) => value(number, label, reason),
        (None, None) => Ok(Outcome::not_applicable(reason.or(label).unwrap_or("no value was given").to_owned())),
    };
    add(scores, name, outcome);
}

/// A number or truth value as a number.
pub(super) fn number(value: &Json) -> Option<f64> {
    match value {
        Json::Bool(yes) => Some(f64::from(u8::from(*yes))),
        other => other.as_f64(),
    }
}
