//! Whether the expected tools were called: DeepEval's tool correctness, as far as it asks no model.

use std::borrow::Cow;

use probare_core::{BuildError, ErrorKind, Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::trace::{LEGACY_CALL, PlacedCall, python_equal, trace_and_expected};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `tool_correctness`, by the names of the original.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolCorrectness {
    /// What is compared beyond names and kinds: `input_parameters`, `output`.
    pub evaluation_params: Vec<EvaluationParam>,
    /// Whether the calls must be the expected ones, one by one.
    pub should_exact_match: bool,
    /// Whether the order of calls counts.
    pub should_consider_ordering: bool,
    /// Whether a value below 1 becomes 0, with a threshold of 1.
    pub strict_mode: bool,
    /// The value from which on `success` is 1.
    pub threshold: f64,
    /// Asks a model in the original; not available here.
    pub available_tools: Option<Json>,
}

impl Default for ToolCorrectness {
    fn default() -> Self {
        Self {
            evaluation_params: Vec::new(),
            should_exact_match: false,
            should_consider_ordering: false,
            strict_mode: false,
            threshold: 0.5,
            available_tools: None,
        }
    }
}

/// What may be compared of two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvaluationParam {
    /// The arguments.
    InputParameters,
    /// What came of the call.
    Output,
}

metric!(ToolCorrectness as Pure {
    summary: "Share of the expected tools that were called (DeepEval)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    prepare: validate,
    since: "0.3",
    version: 1,
    page: "tool_correctness.md",
});

fn validate(options: ToolCorrectness) -> Result<ToolCorrectness, BuildError> {
    if options.available_tools.is_some() {
        let reason = "`available_tools` asks a model in the original and is not available; leave it out";
        return Err(BuildError::Options(reason.to_owned()));
    }
    if !options.threshold.is_finite() {
        return Err(BuildError::Options("`threshold` must be a number".to_owned()));
    }
    Ok(options)
}

/// A call as this metric sees it.
struct ComparedCall<'a> {
    placed: &'a PlacedCall<'a>,
    kind: &'a str,
    parameters: Option<&'a Map<String, Json>>,
    output: Cow<'a, Json>,
}

fn compared_call<'a>(placed: &'a PlacedCall<'a>) -> ComparedCall<'a> {
    let output = match (&placed.call.output, &placed.result) {
        (Some(output), _) => Cow::Borrowed(output),
        (None, Some(result)) => Cow::Owned(Json::from(&*result.text)),
        (None, None) => Cow::Owned(Json::Null),
    };
    let kind = placed.call.kind.as_deref().filter(|kind| *kind != LEGACY_CALL).unwrap_or("FUNCTION");
    ComparedCall { placed, kind, parameters: placed.call.arguments.as_ref(), output }
}

impl ComparedCall<'_> {
    fn is_same_tool(&self, other: &Self) -> bool {
        self.placed.call.name == other.placed.call.name && self.kind == other.kind
    }

    fn has_same_parameters(&self, other: &Self) -> bool {
        match (self.parameters, other.parameters) {
            (None, None) => true,
            (Some(one), Some(other)) => objects_equal(one, other),
            _ => false,
        }
    }

    /// Equal by name, parameters and output: what the original takes for the same call.
    fn equals(&self, other: &Self) -> bool {
        self.placed.call.name == other.placed.call.name
            && self.has_same_parameters(other)
            && python_equal(&self.output, &other.output)
    }
}

fn objects_equal(one: &Map<String, Json>, other: &Map<String, Json>) -> bool {
    one.len() == other.len()
        && one.iter().all(|(key, value)| other.get(key).is_some_and(|known| python_equal(value, known)))
}

/// How alike two objects of parameters are.
fn parameter_similarity(expected: &Map<String, Json>, called: &Map<String, Json>) -> f64 {
    if objects_equal(expected, called) {
        return 1.0;
    }
    let all = expected.len() + called.keys().filter(|key| !expected.contains_key(*key)).count();
    let mut sum = 0.0;
    for (key, value) in expected {
        let Some(given) = called.get(key) else { continue };
        if python_equal(value, given) {
            sum += 1.0 / all as f64;
        } else if let (Json::Object(value), Json::Object(given)) = (value, given) {
            sum += parameter_similarity(value, given) / all as f64;
        }
    }
    sum
}

impl ToolCorrectness {
    fn weight(&self, expected: &ComparedCall<'_>, called: &ComparedCall<'_>) -> Result<f64, ScoreError> {
        if !expected.is_same_tool(called) {
            return Ok(0.0);
        }
        let mut weight = 1.0;
        if self.evaluation_params.contains(&EvaluationParam::InputParameters) {
            weight *= match (expected.parameters, called.parameters) {
                (None, None) => 1.0,
                (Some(expected), Some(called)) => parameter_similarity(expected, called),
                _ => {
                    let name = &expected.placed.call.name;
                    let reason =
                        format!("one call of `{name}` has parameters and the other has none, not even an empty object");
                    return Err(ScoreError::other(ErrorKind::Failed, reason));
                }
            };
        }
        let has_output = self.evaluation_params.contains(&EvaluationParam::Output);
        Ok(if has_output && !python_equal(&expected.output, &called.output) { 0.0 } else { weight })
    }

    fn exact(&self, expected: &[ComparedCall<'_>], called: &[ComparedCall<'_>], evidence: &mut BoundedEvidence) -> f64 {
        if expected.len() != called.len() {
            let reason = format!("{} calls where {} are expected", called.len(), expected.len());
            evidence.push(|| Evidence::note(reason));
            return 0.0;
        }
        for (expected_call, made) in expected.iter().zip(called) {
            probare_cancellation::count_steps(1);
            let is_equal = expected_call.is_same_tool(made)
                && (!self.evaluation_params.contains(&EvaluationParam::InputParameters)
                    || expected_call.has_same_parameters(made))
                && (!self.evaluation_params.contains(&EvaluationParam::Output)
                    || python_equal(&expected_call.output, &made.output));
            if !is_equal {
                evidence.push(|| {
                    let piece = made.placed.name_evidence(EvidenceKind::Compared);
                    piece.with_note("differs from the expected call").with_support(expected_call.placed.name_place())
                });
                return 0.0;
            }
            evidence.push(|| match_evidence(made, expected_call));
        }
        1.0
    }

    fn ordered(
        &self,
        expected: &[ComparedCall<'_>],
        called: &[ComparedCall<'_>],
        evidence: &mut BoundedEvidence,
    ) -> Result<f64, ScoreError> {
        let width = called.len() + 1;
        let mut best = vec![0.0_f64; (expected.len() + 1) * width];
        for (row, expected_call) in expected.iter().enumerate() {
            for (column, made) in called.iter().enumerate() {
                probare_cancellation::count_steps(1);
                let at = (row + 1) * width + column + 1;
                let weight = self.weight(expected_call, made)?;
                best[at] = best[at - width].max(best[at - 1]);
                if weight > 0.0 {
                    best[at] = best[at].max(best[at - width - 1] + weight);
                }
            }
        }
        let (mut row, mut column, mut total) = (expected.len(), called.len(), 0.0);
        let mut pairs = Vec::new();
        while row > 0 && column > 0 {
            let at = row * width + column;
            if best[at] == best[at - width] {
                row -= 1;
            } else if best[at] == best[at - 1] {
                column -= 1;
            } else {
                total += best[at] - best[at - width - 1];
                row -= 1;
                column -= 1;
                pairs.push((row, column));
            }
        }
        for (row, column) in pairs.into_iter().rev() {
            evidence.push(|| match_evidence(&called[column], &expected[row]));
        }
        Ok(total / expected.len() as f64)
    }

    fn unordered_score(
        &self,
        expected: &[ComparedCall<'_>],
        called: &[ComparedCall<'_>],
        evidence: &mut BoundedEvidence,
    ) -> Result<f64, ScoreError> {
        // Whoever is taken is taken with all that are equal to it.
        let mut is_taken = vec![false; called.len()];
        let mut sum = 0.0;
        for expected_call in expected {
            let mut best: Option<(usize, f64)> = None;
            for (at, made) in called.iter().enumerate() {
                probare_cancellation::count_steps(1);
                if is_taken[at] {
                    continue;
                }
                let weight = self.weight(expected_call, made)?;
                if weight > best.map_or(0.0, |(_, most)| most) {
                    best = Some((at, weight));
                }
            }
            match best {
                Some((at, weight)) => {
                    for (is_taken, other) in is_taken.iter_mut().zip(called) {
                        *is_taken = *is_taken || called[at].equals(other);
                    }
                    sum += weight;
                    evidence.push(|| match_evidence(&called[at], expected_call));
                }
                None => evidence.push(|| {
                    Evidence::missing(&expected_call.placed.call.name).with_support(expected_call.placed.name_place())
                }),
            }
        }
        Ok(sum / expected.len() as f64)
    }
}

fn match_evidence(made: &ComparedCall<'_>, expected_call: &ComparedCall<'_>) -> Evidence {
    made.placed.name_evidence(EvidenceKind::Matched).with_support(expected_call.placed.name_place())
}

/// Cells of the table of an ordered comparison, and pairs of a plain one, that are computed.
const MOST_PAIRS: usize = 25_000_000;

impl Metric for ToolCorrectness {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let compares_arguments =
            self.should_exact_match || self.evaluation_params.contains(&EvaluationParam::InputParameters);
        let (trace, expected) = match trace_and_expected(sample, compares_arguments)? {
            Ok(both) => both,
            Err(outcome) => return Ok(outcome),
        };
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
            evidence.push(|| remark);
        }
        let called: Vec<ComparedCall<'_>> = trace.calls.iter().map(compared_call).collect();
        let expected_calls: Vec<ComparedCall<'_>> = expected.iter().map(compared_call).collect();
        if called.len().saturating_mul(expected_calls.len()) > MOST_PAIRS {
            let reason = format!("{} calls against {} are too many to compare", called.len(), expected_calls.len());
            return Err(ScoreError::other(ErrorKind::Failed, reason));
        }
        let mut value = if self.should_exact_match {
            self.exact(&expected_calls, &called, &mut evidence)
        } else if expected_calls.is_empty() {
            f64::from(u8::from(called.is_empty()))
        } else if self.should_consider_ordering {
            self.ordered(&expected_calls, &called, &mut evidence)?
        } else {
            self.unordered_score(&expected_calls, &called, &mut evidence)?
        };
        let threshold = if self.strict_mode { 1.0 } else { self.threshold };
        if self.strict_mode && value < threshold {
            value = 0.0;
        }
        let score = Score::from_number(value)?.with_part("success", f64::from(u8::from(value >= threshold)))?;
        Ok(score.because(evidence.finish()).into())
    }
}
