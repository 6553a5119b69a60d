//! Whether the calls are the expected ones, with how many of their arguments: Ragas' tool call accuracy.

use probare_core::{Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use super::trace::{PlacedCall, python_str, trace_and_expected};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `tool_call_accuracy`, by the names of the original.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolCallAccuracy {
    /// Whether the calls must come in the expected order.
    pub strict_order: bool,
}

impl Default for ToolCallAccuracy {
    fn default() -> Self {
        Self { strict_order: true }
    }
}

metric!(ToolCallAccuracy as Pure {
    summary: "Share of expected arguments that calls of the expected names have (Ragas)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    since: "0.3",
    version: 1,
    page: "tool_call_accuracy.md",
});

impl Metric for ToolCallAccuracy {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let (trace, mut expected) = match trace_and_expected(sample, true)? {
            Ok(both) => both,
            Err(outcome) => return Ok(outcome),
        };
        let remark = trace.mismatch_note();
        let mut called = trace.calls;
        if !self.strict_order {
            called.sort_by_cached_key(sorting);
            expected.sort_by_cached_key(sorting);
        }
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = remark {
            evidence.push(|| remark);
        }
        let names = |calls: &[PlacedCall<'_>]| calls.iter().map(|made| made.call.name.clone()).collect::<Vec<_>>();
        if names(&called) != names(&expected) {
            let at = called
                .iter()
                .zip(&expected)
                .position(|(made, expected_call)| made.call.name != expected_call.call.name);
            if let Some(at) = at {
                evidence.push(|| {
                    let note = format!("`{}` is expected here", expected[at].call.name);
                    called[at]
                        .name_evidence(EvidenceKind::Compared)
                        .with_note(note)
                        .with_support(expected[at].name_place())
                });
            } else {
                let reason = format!("{} calls where {} are expected", called.len(), expected.len());
                evidence.push(|| Evidence::note(reason));
            }
            return Ok(Score::from_bool(false).because(evidence.finish()).into());
        }
        if expected.is_empty() {
            return Ok(Score::from_bool(true).because(evidence.finish()).into());
        }
        let mut sum = 0.0;
        for (made, expected_call) in called.iter().zip(&expected) {
            sum += share(made, expected_call, &mut evidence);
        }
        let score = Score::from_number(sum / expected.len() as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

/// The texts that calls are sorted by.
fn sorting(made: &PlacedCall<'_>) -> Vec<String> {
    let mut arguments: Vec<_> = made.call.arguments().iter().collect();
    arguments.sort_by_key(|(key, _)| key.as_str());
    let texts = arguments.into_iter().flat_map(|(key, value)| [key.clone(), python_str(value)]);
    std::iter::once(made.call.name.clone()).chain(texts).collect()
}

/// The share of expected arguments that are there with the same text. Further arguments cost nothing.
fn share(made: &PlacedCall<'_>, expected_call: &PlacedCall<'_>, evidence: &mut BoundedEvidence) -> f64 {
    let (called, expected) = (made.call.arguments(), expected_call.call.arguments());
    if expected.is_empty() {
        if !called.is_empty() {
            evidence.push(|| made.name_evidence(EvidenceKind::Unsupported).with_note("no arguments are expected"));
        }
        return if called.is_empty() { 1.0 } else { 0.0 };
    }
    let mut right = 0_usize;
    for (key, value) in expected {
        let pointer = format!("/{}", probare_core::escape_pointer_key(key));
        match called.get(key) {
            Some(given) if python_str(given) == python_str(value) => right += 1,
            Some(_) => {
                if let Some(piece) = made.argument_evidence(EvidenceKind::Compared, &pointer) {
                    let note = format!("expected {}", super::trace::value_excerpt(value));
                    let support = expected_call.argument_place(&pointer);
                    evidence.push(|| {
                        let piece = piece.with_note(note);
                        support.map_or(piece.clone(), |place| piece.with_support(place))
                    });
                }
            }
            None => evidence.push(|| {
                let piece = Evidence::missing(&pointer).with_note(format!("in the call of `{}`", made.call.name));
                expected_call.argument_place(&pointer).map_or(piece.clone(), |place| piece.with_support(place))
            }),
        }
    }
    right as f64 / expected.len() as f64
}
