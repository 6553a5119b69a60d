//! Overlap of the calls that were made with the expected ones, as sets: Ragas' tool call F1.

use probare_core::{Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use probare_text::python;
use rustc_hash::FxHashSet;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::trace::{EqualityKind, PlacedCall, canonical, trace_and_expected};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `tool_call_f1`: there are none.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolCallF1 {}

metric!(ToolCallF1 as Pure {
    summary: "F1 of the different calls that were made and expected (Ragas)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    since: "0.3",
    version: 1,
    page: "tool_call_f1.md",
});

impl Metric for ToolCallF1 {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let (trace, expected) = match trace_and_expected(sample, true)? {
            Ok(both) => both,
            Err(outcome) => return Ok(outcome),
        };
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
            evidence.push(|| remark);
        }
        let called: Vec<String> = trace.calls.iter().map(key).collect();
        let expected_keys: Vec<String> = expected.iter().map(key).collect();
        let called_set: FxHashSet<&str> = called.iter().map(String::as_str).collect();
        let wanted_set: FxHashSet<&str> = expected_keys.iter().map(String::as_str).collect();
        for (made, key) in trace.calls.iter().zip(&called) {
            let is_shared = wanted_set.contains(key.as_str());
            evidence
                .push(|| made.name_evidence(if is_shared { EvidenceKind::Matched } else { EvidenceKind::Unsupported }));
        }
        for (call, _) in expected.iter().zip(&expected_keys).filter(|(_, key)| !called_set.contains(key.as_str())) {
            evidence.push(|| Evidence::missing(&call.call.name).with_support(call.name_place()));
        }
        let shared = called_set.intersection(&wanted_set).count() as f64;
        let share = |whole: usize| if whole == 0 { 0.0 } else { shared / whole as f64 };
        let (precision, recall) = (share(called_set.len()), share(wanted_set.len()));
        let f1 = if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
        let score = Score::from_number(python::round(f1, 4))?.with_part("precision", precision)?;
        Ok(score.with_part("recall", recall)?.because(evidence.finish()).into())
    }
}

/// Name and arguments as one text, the same for calls that Python holds equal.
fn key(made: &PlacedCall<'_>) -> String {
    let mut key = Json::from(made.call.name.as_str()).to_string();
    canonical(&Json::Object(made.call.arguments().clone()), EqualityKind::Python, &mut key);
    key
}
