//! [`RunCosts`]: what the calls of a run took, by model, purpose and outcome. Every place that shows money shows this.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::Usage;

/// What a model was called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallPurpose {
    /// The output of a model under test.
    Answer,
    /// The verdict of a judge.
    Judge,
    /// Vectors of texts.
    Embedding,
}

impl CallPurpose {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answer => "answers",
            Self::Judge => "judges",
            Self::Embedding => "embeddings",
        }
    }
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// With a reply.
    Replied,
    /// The model, or a filter in front of it, declined.
    Refused,
    /// The reply was cut at its longest length.
    Truncated,
    /// Without a reply.
    Failed,
    /// It was sent, and the process ended before the reply came: nobody knows what it took.
    Interrupted,
}

impl CallOutcome {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replied => "replied",
            Self::Refused => "refused",
            Self::Truncated => "truncated",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// Calls of one model for one purpose that ended alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostLine {
    /// The model by its name in the project.
    pub model: String,
    /// What it was called for.
    pub purpose: CallPurpose,
    /// How the calls ended.
    pub outcome: CallOutcome,
    /// Calls that were sent, each attempt counted.
    pub calls: u64,
    /// Calls whose cost nobody stated: they are counted with the most that they can have cost.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bounded_calls: u64,
    /// Tokens, as far as they are known.
    pub usage: Usage,
    /// US dollars; absent where the model has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What the calls of a run took, over all processes that worked on it. Replies from the response cache are not among them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunCosts {
    /// US dollars for outputs of models under test.
    #[serde(default)]
    pub answers: f64,
    /// For judges.
    #[serde(default)]
    pub judges: f64,
    /// For vectors.
    #[serde(default)]
    pub embeddings: f64,
    /// For calls of all of them that failed or were interrupted.
    #[serde(default)]
    pub failures: f64,
    /// US dollars in all, as far as prices are known. An upper bound where calls were interrupted or not measured.
    #[serde(rename = "total")]
    pub total_usd: f64,
    /// Models whose price is not known: what they cost is not part of the total.
    #[serde(default)]
    pub unpriced: Vec<String>,
    /// By model, purpose and outcome.
    pub lines: Vec<CostLine>,
}

impl RunCosts {
    /// The sum of these lines.
    pub fn new(lines: Vec<CostLine>) -> Self {
        let unpriced: BTreeSet<&str> = lines
            .iter()
            .filter(|line| line.cost_usd.is_none() && line.calls > 0)
            .map(|line| line.model.as_str())
            .collect();
        let is_failure = |line: &CostLine| matches!(line.outcome, CallOutcome::Failed | CallOutcome::Interrupted);
        let sum = |is_meant: &dyn Fn(&CostLine) -> bool| -> f64 { usd(lines.iter().filter(|line| is_meant(line))) };
        let of = |purpose: CallPurpose| sum(&|line| line.purpose == purpose && !is_failure(line));
        Self {
            answers: of(CallPurpose::Answer),
            judges: of(CallPurpose::Judge),
            embeddings: of(CallPurpose::Embedding),
            failures: sum(&is_failure),
            total_usd: usd(&lines),
            unpriced: unpriced.into_iter().map(str::to_owned).collect(),
            lines,
        }
    }

    /// Calls that were sent.
    pub fn calls(&self) -> u64 {
        self.lines.iter().map(|line| line.calls).sum()
    }

    /// Tokens in all.
    pub fn usage(&self) -> Usage {
        self.lines.iter().fold(Usage::default(), |sum, line| sum.plus(line.usage))
    }

    /// The cost of one model's calls, for one purpose or for all; nothing where it has no price or was not called.
    pub fn model_cost(&self, model: &str, purpose: Option<CallPurpose>) -> Option<f64> {
        let is_meant = |line: &&CostLine| line.model == model && purpose.is_none_or(|purpose| line.purpose == purpose);
        let mut costs = self.lines.iter().filter(is_meant).filter_map(|line| line.cost_usd).peekable();
        costs.peek()?;
        Some(costs.sum())
    }

    /// US dollars of the lines with this outcome.
    pub fn outcome_cost(&self, outcome: CallOutcome) -> f64 {
        usd(self.lines.iter().filter(|line| line.outcome == outcome))
    }
}

/// US dollars of these lines. The sum of nothing is 0, where that of the standard library is -0.
fn usd<'a>(lines: impl IntoIterator<Item = &'a CostLine>) -> f64 {
    lines.into_iter().filter_map(|line| line.cost_usd).fold(0.0, |sum, cost| sum + cost)
}

/// The sum in words, the same wherever it is shown.
impl std::fmt::Display for RunCosts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:.6} US dollars", self.total_usd)?;
        let interrupted: u64 =
            self.lines.iter().filter(|line| line.outcome == CallOutcome::Interrupted).map(|line| line.calls).sum();
        if interrupted > 0 {
            let (most, calls) =
                (self.outcome_cost(CallOutcome::Interrupted), if interrupted == 1 { "call" } else { "calls" });
            write!(formatter, ", of which at most {most:.6} for {interrupted} {calls} whose reply has not come")?;
        }
        let bounded: u64 = self
            .lines
            .iter()
            .filter(|line| line.outcome != CallOutcome::Interrupted)
            .map(|line| line.bounded_calls)
            .sum();
        if bounded > 0 {
            let calls = if bounded == 1 { "call" } else { "calls" };
            write!(formatter, ", with {bounded} {calls} without usage counted at the upper bound")?;
        }
        if !self.unpriced.is_empty() {
            write!(formatter, "; no price is known for {}, whose cost is not included", self.unpriced.join(", "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(model: &str, purpose: CallPurpose, outcome: CallOutcome, cost_usd: Option<f64>) -> CostLine {
        CostLine {
            model: model.into(),
            purpose,
            outcome,
            calls: 2,
            bounded_calls: 0,
            usage: Usage::new(3, 4),
            cost_usd,
        }
    }

    #[test]
    fn the_sum_has_judges_and_failures_and_names_who_has_no_price() {
        let costs = RunCosts::new(vec![
            line("a", CallPurpose::Answer, CallOutcome::Replied, Some(0.5)),
            line("a", CallPurpose::Answer, CallOutcome::Failed, Some(0.25)),
            line("j", CallPurpose::Judge, CallOutcome::Refused, Some(0.125)),
            line("free", CallPurpose::Answer, CallOutcome::Replied, None),
            line("a", CallPurpose::Answer, CallOutcome::Interrupted, Some(0.0625)),
        ]);
        assert_eq!((costs.total_usd, costs.calls(), costs.usage()), (0.9375, 10, Usage::new(15, 20)));
        assert_eq!((costs.answers, costs.judges, costs.failures), (0.5, 0.125, 0.3125));
        assert!(RunCosts::new(Vec::new()).total_usd.is_sign_positive());
        assert_eq!(costs.unpriced, ["free"]);
        assert_eq!(costs.model_cost("a", Some(CallPurpose::Answer)), Some(0.8125));
        assert_eq!(costs.model_cost("free", None), None);
        assert_eq!(
            costs.to_string(),
            "0.937500 US dollars, of which at most 0.062500 for 2 calls whose reply has not come; no price is known for \
             free, whose cost is not included"
        );
        let again: RunCosts = serde_json::from_str(&serde_json::to_string(&costs).unwrap()).unwrap();
        assert_eq!(again, costs);
    }
}
