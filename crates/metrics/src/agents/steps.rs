//! How much it took: calls, messages, turns, results.

use probare_core::{Evidence, Metric, Outcome, Role, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use super::trace::{PlacedCall, expected_calls, matches_glob, require_trace, required, turn_numbers};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `steps`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Steps {
    /// What is counted.
    pub count: StepUnit,
    /// The calls and results of this tool alone, by name or glob.
    pub of: Option<String>,
}

/// What is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepUnit {
    /// Calls of tools.
    #[default]
    Calls,
    /// Messages of the assistant.
    Messages,
    /// Turns of the conversation.
    Turns,
    /// Results of calls.
    Results,
}

metric!(Steps as Pure {
    summary: "Number of calls, messages, turns or results",
    range: (0.0, f64::INFINITY),
    better: Lower,
    needs: [],
    since: "0.3",
    version: 1,
    page: "steps.md",
});

/// Tools that have a part of their own.
const MOST_TOOLS: usize = 50;

impl Metric for Steps {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let trace = match require_trace(sample)? {
            Ok(trace) => trace,
            Err(outcome) => return Ok(outcome),
        };
        let is_counted =
            |made: &PlacedCall<'_>| self.of.as_ref().is_none_or(|tool| matches_glob(tool, &made.call.name));
        let calls: Vec<&PlacedCall<'_>> = trace.calls.iter().filter(|made| is_counted(made)).collect();
        let messages = sample.case.messages.as_deref().unwrap_or_default();
        let message_count = messages.iter().filter(|message| message.has_role(Role::Assistant)).count();
        let turn_count = turn_numbers(messages).last().copied().flatten().map_or(0, |last| last + 1);
        let results = calls.iter().filter(|made| made.result.is_some()).count();
        // In the order of their first call.
        let mut tools: Vec<(&PlacedCall<'_>, usize)> = Vec::new();
        let mut place: rustc_hash::FxHashMap<&str, usize> = rustc_hash::FxHashMap::default();
        for made in &calls {
            let at = *place.entry(&made.call.name).or_insert_with(|| {
                tools.push((*made, 0));
                tools.len() - 1
            });
            tools[at].1 += 1;
        }
        let value = match self.count {
            StepUnit::Calls => calls.len(),
            StepUnit::Messages => message_count,
            StepUnit::Turns => turn_count,
            StepUnit::Results => results,
        };
        let mut score = Score::from_number(value as f64)?
            .with_part("calls", calls.len() as f64)?
            .with_part("assistant_messages", message_count as f64)?
            .with_part("turns", turn_count as f64)?
            .with_part("results", results as f64)?
            .with_part("tools", tools.len() as f64)?;
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
            evidence.push(|| remark);
        }
        for (made, count) in &tools {
            let name = &made.call.name;
            if score.parts.iter().count() < MOST_TOOLS {
                score = score.with_part(format!("calls.{name}"), *count as f64)?;
            }
            evidence.push(|| {
                let times = if *count == 1 { "once".to_owned() } else { format!("{count} times") };
                let mut piece = made.name_evidence(probare_core::EvidenceKind::Note);
                piece.note = Some(format!("called {times}; here first").into());
                piece
            });
        }
        if let Some(expected) =
            expected_calls(sample.case)?.map(|calls| required(&calls)).filter(|required| *required > 0)
        {
            score = score.with_part("ratio", calls.len() as f64 / expected as f64)?;
        }
        if tools.is_empty() {
            evidence.push(|| Evidence::note("no tool was called"));
        }
        Ok(score.because(evidence.finish()).into())
    }
}
