//! What an answer cost: tokens, money, time.

use probare_core::{Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

/// Options of `usage`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Usage {
    /// What is counted.
    pub count: UsageUnit,
}

/// What is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageUnit {
    /// Tokens sent and received.
    #[default]
    Tokens,
    /// US dollars.
    CostUsd,
    /// Milliseconds from asking to the answer: all calls of models and tools, one after the other.
    LatencyMs,
}

metric!(Usage as Pure {
    summary: "What an answer cost: tokens, US dollars, milliseconds",
    range: (0.0, f64::INFINITY),
    better: Lower,
    needs: [],
    per_turn: false,
    since: "0.4",
    version: 1,
    page: "usage.md",
});

impl Metric for Usage {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let case = sample.case;
        // A run knows it; a file of outputs that a run wrote says it, and so does a trace.
        let given = |key: &str, (member, inner): (&str, &str)| {
            let in_trace = || case.metadata.get(member)?.get(inner);
            case.metadata.get(key).or_else(in_trace).and_then(Json::as_f64)
        };
        let [input, output, cost, latency] = match &case.spent {
            Some(spent) => [
                Some(spent.usage.input_tokens as f64),
                Some(spent.usage.output_tokens as f64),
                spent.cost_usd,
                spent.latency_ms.map(|latency| latency as f64),
            ],
            None => [
                given("input_tokens", ("tokens", "input")),
                given("output_tokens", ("tokens", "output")),
                given("cost_usd", ("trace", "cost_usd")),
                given("latency_ms", ("trace", "latency_ms")),
            ],
        };
        let (value, what) = match self.count {
            UsageUnit::Tokens => (input.zip(output).map(|(input, output)| input + output), "how many tokens it took"),
            UsageUnit::CostUsd => (cost, "what it cost"),
            UsageUnit::LatencyMs => (latency, "how long it took"),
        };
        let Some(value) = value else {
            return Ok(Outcome::not_applicable(format!("it is not known {what}")));
        };
        let mut score = Score::from_number(value)?;
        let parts = [("input_tokens", input), ("output_tokens", output), ("cost_usd", cost), ("latency_ms", latency)];
        for (name, part) in parts {
            if let Some(part) = part {
                score = score.with_part(name, part)?;
            }
        }
        Ok(score.into())
    }
}
