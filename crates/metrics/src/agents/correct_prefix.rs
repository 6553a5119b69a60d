//! How far an agent gets before its first wrong step.

use probare_core::{Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, json_to_text, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::trace::{
    ArgumentRules, FULL_SHARE, PlacedCall, argument_share, expected_calls, no_expectation, require_trace,
};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `correct_prefix`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CorrectPrefix {
    /// Whether only the names of calls count, and not their arguments.
    pub names_only: bool,
}

metric!(CorrectPrefix as Pure {
    summary: "Share of the calls before the first wrong one, against the expected calls",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    since: "0.4",
    version: 1,
    page: "correct_prefix.md",
});

impl Metric for CorrectPrefix {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let trace = match require_trace(sample) {
            Ok(trace) => trace,
            Err(outcome) => return Ok(outcome),
        };
        let Some(expected) = expected_calls(sample.case) else { return Ok(no_expectation()) };
        let rules = ArgumentRules::default();
        let is_right = |(made, wanted): &(&PlacedCall<'_>, &PlacedCall<'_>)| {
            made.call.name == wanted.call.name
                && (self.names_only || argument_share(made.call, wanted.call, &rules) == FULL_SHARE)
        };
        let right = trace.calls.iter().zip(&expected).take_while(is_right).count();
        let most = trace.calls.len().max(expected.len());
        let value = if most == 0 { 1.0 } else { right as f64 / most as f64 };
        let mut score = Score::from_number(value)?
            .with_part("right", right as f64)?
            .with_part("called", trace.calls.len() as f64)?
            .with_part("expected", expected.len() as f64)?;
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
            evidence.push(|| remark);
        }
        if right < most {
            score = score.with_part("first_wrong_step", right as f64 + 1.0)?;
            let wanted = expected.get(right).map(|wanted| {
                let arguments = Json::Object(wanted.call.arguments().clone());
                format!("`{}` with {}", wanted.call.name, json_to_text(&arguments))
            });
            let wanted = wanted.unwrap_or_else(|| "no further call".to_owned());
            match trace.calls.get(right) {
                Some(made) => evidence.push(|| {
                    let mut piece = made.name_evidence(EvidenceKind::Note);
                    piece.note = Some(format!("step {}, the first wrong one: expected is {wanted}", right + 1).into());
                    piece
                }),
                None => {
                    evidence.push(|| Evidence::note(format!("step {} is missing: expected is {wanted}", right + 1)))
                }
            }
        }
        Ok(score.because(evidence.finish()).into())
    }
}
