//! How near two numbers are, by their size: autoevals' numeric diff.

use probare_core::{ErrorKind, Metric, Outcome, Sample, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::trace::{score_best_expected, two_values, whole_number};

two_values! {
    /// Options of `numeric_diff`.
    NumericDiff {}
}

metric!(NumericDiff as Pure {
    summary: "Nearness of two numbers, by their size (autoevals)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    since: "0.3",
    version: 1,
    page: "numeric_diff.md",
});

impl Metric for NumericDiff {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        score_best_expected(sample, self.at_path.as_deref(), self.expected.as_ref(), numeric_similarity)
    }
}

/// A number as Python holds it.
#[derive(Clone, Copy)]
enum PythonNumber {
    Whole(i128),
    Float(f64),
}

impl PythonNumber {
    fn float(self) -> f64 {
        match self {
            Self::Whole(whole) => whole as f64,
            Self::Float(float) => float,
        }
    }
}

fn python_number(value: &Json) -> Option<PythonNumber> {
    match value {
        Json::Bool(yes) => Some(PythonNumber::Whole(i128::from(*yes))),
        Json::Number(number) => {
            whole_number(number).map(PythonNumber::Whole).or_else(|| number.as_f64().map(PythonNumber::Float))
        }
        _ => None,
    }
}

/// 1 less the distance over the sum of the sizes; two zeros are alike. Truth values are 1 and 0.
pub fn numeric_similarity(output: &Json, expected: &Json) -> Result<f64, ScoreError> {
    let no_number = |what: &str, kind: ErrorKind| ScoreError::other(kind, format!("{what} is not a number"));
    let given = python_number(output).ok_or_else(|| no_number("the answer", ErrorKind::Unparseable))?;
    let expected_number = python_number(expected).ok_or_else(|| no_number("the expected value", ErrorKind::Failed))?;
    if given.float() == 0.0 && expected_number.float() == 0.0 {
        return Ok(1.0);
    }
    let (distance, size) = match (given, expected_number) {
        (PythonNumber::Whole(given), PythonNumber::Whole(expected_number)) => (
            (expected_number - given).unsigned_abs() as f64,
            (expected_number.unsigned_abs() + given.unsigned_abs()) as f64,
        ),
        _ => ((expected_number.float() - given.float()).abs(), expected_number.float().abs() + given.float().abs()),
    };
    let nearness = 1.0 - distance / size;
    if nearness.is_finite() {
        Ok(nearness)
    } else {
        Err(ScoreError::other(ErrorKind::Failed, "the two numbers are too large to be compared"))
    }
}
