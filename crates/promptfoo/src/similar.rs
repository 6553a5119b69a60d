//! `similar`: the vectors of an answer and of what is expected. Who makes the vectors is not decided here.

use serde_json::Value;

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, Verdict, error};

/// Threshold where none is given.
const DEFAULT_THRESHOLD: f64 = 0.75;

/// How far a number may be beyond its threshold.
const SLACK: f64 = f64::EPSILON;

/// How two vectors compare.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    Cosine,
    Dot,
    Euclidean,
}

/// What one expected text says.
#[derive(Clone, Copy)]
struct Comparison {
    pass: bool,
    score: f64,
}

/// The texts that a `similar` assertion expects; nothing where its value is something else.
pub fn expected_texts(assertion: &Assertion) -> Option<Vec<&str>> {
    match &assertion.value {
        Some(Value::String(text)) => Some(vec![text]),
        Some(Value::Array(items)) if !items.is_empty() => items.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

pub(crate) fn judge(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let measure = match assertion.kind.as_str() {
        "similar:dot" => Measure::Dot,
        "similar:euclidean" => Measure::Euclidean,
        _ => Measure::Cosine,
    };
    let Some(texts) = expected_texts(assertion) else {
        return error(format!("`{}` needs a text, or a list of texts", assertion.name()));
    };
    let Some(vectors) = answer.embeddings else {
        return Err(Fault::NotRun(format!("`{}` needs vectors of an embedding model", assertion.name())));
    };
    let vector =
        |text: &str| -> Option<Vec<f64>> { vectors.get(text)?.as_array()?.iter().map(Value::as_f64).collect() };
    let threshold = assertion.threshold().unwrap_or(DEFAULT_THRESHOLD);
    let mut found = Vec::new();
    for text in texts {
        let (Some(left), Some(right)) = (vector(&answer.text), vector(text)) else {
            return error("a text has no vector");
        };
        if left.len() != right.len() {
            return error("two vectors differ in length");
        }
        found.push(compare(measure, &left, &right, threshold, assertion.negated));
    }
    // The first that passes counts, else the best; behind `not-` all have to pass, and the lowest counts.
    let first = found.iter().find(|comparison| comparison.pass).copied();
    let comparison = if assertion.negated {
        let score = found.iter().map(|comparison| comparison.score).fold(f64::INFINITY, f64::min);
        Comparison { pass: found.iter().all(|comparison| comparison.pass), score }
    } else {
        first.unwrap_or(Comparison {
            pass: false,
            score: found.iter().map(|comparison| comparison.score).fold(f64::NEG_INFINITY, f64::max),
        })
    };
    Ok(Verdict::scored(comparison.pass, comparison.score))
}

fn compare(measure: Measure, left: &[f64], right: &[f64], threshold: f64, negated: bool) -> Comparison {
    let dot = |left: &[f64], right: &[f64]| left.iter().zip(right).map(|(left, right)| left * right).sum::<f64>();
    if measure == Measure::Euclidean {
        let distance = left.iter().zip(right).map(|(left, right)| (left - right).powi(2)).sum::<f64>().sqrt();
        let similarity = 1.0 / (1.0 + distance);
        return if negated {
            Comparison { pass: distance >= threshold - SLACK, score: 1.0 - similarity }
        } else {
            Comparison { pass: distance <= threshold + SLACK, score: similarity }
        };
    }
    let mut similarity = dot(left, right);
    if measure == Measure::Cosine {
        let length = dot(left, left).sqrt() * dot(right, right).sqrt();
        similarity = if length == 0.0 { 0.0 } else { similarity / length };
    }
    if negated {
        Comparison { pass: similarity <= threshold + SLACK, score: 1.0 - similarity }
    } else {
        Comparison { pass: similarity >= threshold - SLACK, score: similarity }
    }
}
