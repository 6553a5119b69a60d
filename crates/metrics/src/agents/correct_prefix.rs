//! How far an agent gets before its first wrong step.

use probare_core::{Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, json_to_text, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::trace::{
    ArgumentRules, FULL_SHARE, NameFit, PlacedCall, argument_share, expected_calls, name_fit, no_expectation,
    require_trace, required,
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
        let trace = match require_trace(sample)? {
            Ok(trace) => trace,
            Err(outcome) => return Ok(outcome),
        };
        let Some(expected) = expected_calls(sample.case)? else { return Ok(no_expectation()) };
        let rules = ArgumentRules::default();
        let is_right = |made: &PlacedCall<'_>, expected_call: &PlacedCall<'_>| {
            expected_call.call.alternatives().any(|expected_call| {
                name_fit(made.call, &expected_call.name) > NameFit::None
                    && (self.names_only || argument_share(made.call, expected_call, &rules) == FULL_SHARE)
            })
        };
        // How many calls are right, and which expected one comes next; optional ones that were not made are skipped.
        let (mut right, mut next) = (0, 0);
        for made in &trace.calls {
            let is_decisive = |at: &usize| is_right(made, &expected[*at]) || !expected[*at].call.is_optional();
            match (next..expected.len()).find(is_decisive) {
                Some(at) if is_right(made, &expected[at]) => (right, next) = (right + 1, at + 1),
                _ => break,
            }
        }
        let most = trace.calls.len().max(right + required(&expected[next..]));
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
            let expected_call =
                expected[next..].iter().find(|expected_call| !expected_call.call.is_optional()).map(|expected_call| {
                    let arguments = Json::Object(expected_call.call.arguments().clone());
                    format!("`{}` with {}", expected_call.call.name, json_to_text(&arguments))
                });
            let expected_call = expected_call.unwrap_or_else(|| "no further call".to_owned());
            match trace.calls.get(right) {
                Some(made) => evidence.push(|| {
                    let mut piece = made.name_evidence(EvidenceKind::Note);
                    piece.note =
                        Some(format!("step {}, the first wrong one: expected is {expected_call}", right + 1).into());
                    piece
                }),
                None => {
                    evidence
                        .push(|| Evidence::note(format!("step {} is missing: expected is {expected_call}", right + 1)));
                }
            }
        }
        Ok(score.because(evidence.finish()).into())
    }
}

#[cfg(test)]
mod tests {
    use probare_core::Profile;
    use serde_json::json;

    use super::*;
    use crate::agents::trace::case;

    #[test]
    fn what_an_expectation_leaves_open_is_no_wrong_step() {
        let first_wrong = |called: Json, expected: Json| {
            let definition = crate::registry().get("correct_prefix").unwrap();
            let metric = definition.build(json!({}), Profile::Improved).unwrap();
            let case = case(&json!({"id": "a", "tool_calls": called, "expected_tool_calls": expected}).to_string());
            let outcome = metric.score(Sample::from_case(&case)).unwrap();
            let score = outcome.score().unwrap();
            let wrong = score.parts.iter().find(|(name, _)| *name == "first_wrong_step").map(|(_, value)| value);
            (score.value.get(), wrong)
        };
        let call = |name: &str| json!({"name": name, "arguments": {}});
        let optional = json!({"name": "log", "arguments": {}, "optional": [""]});
        let either = json!({"name": "find", "arguments": {}, "one_of": [call("search")]});
        assert_eq!(first_wrong(json!([call("search")]), json!([optional, either])), (1.0, None));
        assert_eq!(first_wrong(json!([call("log"), call("find")]), json!([optional, either])), (1.0, None));
        assert_eq!(first_wrong(json!([call("log"), call("buy")]), json!([optional, either])), (0.5, Some(2.0)));
        assert_eq!(first_wrong(json!([]), json!([optional, either])), (0.0, Some(1.0)));
        assert_eq!(first_wrong(json!([call("mcp__shop__find")]), json!([call("find"), optional])), (1.0, None));
    }
}
