//! What another tool said about a sample, as a result of ours: a value, no value, or an error; never a failure as a number.

use std::borrow::Cow;

use probare_core::{Better, ErrorKind, Evidence, Outcome, Score, ScoreError, SerializedResult};
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
    let free = free_name(name, |name| scores.contains_key(name));
    // A result always has a JSON form.
    scores.insert(free, serde_json::to_value(SerializedResult(told)).unwrap_or_default());
}

/// The name, or with the first number behind it that nobody has: `name#2`. Numbers are given one after the other, so the first
/// that is free is found by halves; where one was left out, it may be a later one.
fn free_name(name: &str, mut is_taken: impl FnMut(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    let numbered = |number: u64| format!("{name}#{number}");
    let (mut taken, mut free) = (1, 2);
    while is_taken(&numbered(free)) {
        (taken, free) = (free, free * 2);
    }
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        if is_taken(&numbered(middle)) {
            taken = middle;
        } else {
            free = middle;
        }
    }
    numbered(free)
}

/// A value, with the words that came with it.
pub(super) fn value(value: f64, label: Option<&str>, reason: Option<&str>) -> Result<Outcome, ScoreError> {
    let mut score = Score::from_number(value)?;
    score.label = label.map(|label| Cow::Owned(label.to_owned()));
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    Ok(score.because(reason.map(|reason| Evidence::note(reason.to_owned()))).into())
}

/// What a value is called that only says whether something passed.
pub(super) const fn pass_label(passed: bool) -> &'static str {
    if passed { "pass" } else { "fail" }
}

/// Whether something passed, as a value.
pub(super) fn passed(passed: bool, reason: Option<&str>) -> Result<Outcome, ScoreError> {
    value(f64::from(u8::from(passed)), Some(pass_label(passed)), reason)
}

/// A value, or whether something passed in its place; nothing where neither is there.
pub(super) fn graded(
    score: Option<f64>,
    passed: Option<bool>,
    reason: Option<&str>,
) -> Option<Result<Outcome, ScoreError>> {
    let number = score.or_else(|| passed.map(|passed| f64::from(u8::from(passed))));
    number.map(|number| value(number, passed.map(pass_label), reason))
}

/// Something failed in the other tool.
pub(super) fn failed(reason: impl Into<String>) -> Result<Outcome, ScoreError> {
    Err(ScoreError::other(ErrorKind::Failed, reason))
}

/// What an evaluation said of a span in the words of OpenTelemetry: an error, a value, or that it has none.
pub(crate) fn add_evaluation(
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_numbered_in_order_with_few_looks() {
        let (mut names, mut looks) = (BTreeSet::new(), 0_u64);
        for number in 1..=10_000 {
            let name = free_name("x", |name| {
                looks += 1;
                names.contains(name)
            });
            assert_eq!(name, if number == 1 { "x".to_owned() } else { format!("x#{number}") });
            names.insert(name);
        }
        assert!(looks < 10_000 * 30, "{looks}");
        assert!(!names.contains(&free_name("x", |name| names.contains(name))));
    }
}
