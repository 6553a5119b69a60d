//! [`GateVerdict`]: what became of a gate.

use std::fmt;

use probare_core::UNSURE;
use serde::{Deserialize, Serialize};

use super::limit::{Gate, GateOrigin, LabelUnit};
use crate::number::{count, count_with_noun, percent, rounded_against, signed};

/// What became of one gate; its `Display` is one line for the reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateVerdict {
    pub gate: Gate,
    /// Where it was set, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<GateOrigin>,
    /// The group that was held against it; the whole run where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Whether it fails only if the interval excludes the limit.
    #[serde(rename = "significant", alias = "confident", default, skip_serializing_if = "std::ops::Not::not")]
    pub confident: bool,
    /// Whether the run is good enough in this respect.
    pub passed: bool,
    /// What was held against the limit: the mean; the share of cases beyond the limit of a quantile; the value of the worst
    /// case that fails; the share that passes; the number or share of cases with the label. Nothing where there is no such
    /// number.
    pub value: Option<f64>,
    /// Its interval at 95 %, where that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<(f64, f64)>,
    /// Cases that fail, pass, are beyond the limit, or have the label; nothing for a gate on the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<u64>,
    /// Cases that would fail a gate on single cases but are expected to.
    #[serde(rename = "expected_failures", alias = "excused", default, skip_serializing_if = "is_none_of_them")]
    pub excused: u64,
    /// Outputs with a value.
    pub scored: u64,
    /// Cases that these are of, where a case has several outputs: means and shares are over cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_cases: Option<u64>,
    /// Scored outputs about which the metric is unsure.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub unsure: u64,
    /// Whether the metric is unsure about more than half of them, and no gate limits that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub abstained: bool,
    /// Outputs to which the question did not apply.
    pub not_applicable: u64,
    /// Outputs that could not be scored.
    pub failed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_none_of_them(count: &u64) -> bool {
    *count == 0
}

impl GateVerdict {
    /// Whether the metric abstained in more than half of the cases.
    pub(super) const fn is_mostly_unsure(&self) -> bool {
        self.unsure * 2 > self.scored
    }

    /// What a reader should know although the gate passed or failed.
    pub fn warning(&self) -> Option<String> {
        let share = || percent(self.unsure as f64 / self.scored as f64);
        self.abstained
            .then(|| format!("{} abstained in {}, and no `max_unsure` limits that", self.gate.metric(), share()))
    }

    /// `20 scored cases`, or `200 scored outputs of 20 cases`.
    fn scored(&self) -> String {
        match self.of_cases {
            None => count_with_noun(self.scored, "scored case", "scored cases"),
            Some(cases) => {
                let outputs = count_with_noun(self.scored, "scored output", "scored outputs");
                format!("{outputs} of {}", count_with_noun(cases, "case", "cases"))
            }
        }
    }

    fn of_scored(&self) -> String {
        let cases = count(self.cases.unwrap_or(0));
        match &self.gate {
            // What is unsure is neither for nor against.
            Gate::Labels { label, .. } if self.unsure > 0 && label != UNSURE => {
                format!("in {cases} of {} that are decided", count(self.scored.saturating_sub(self.unsure)))
            }
            _ => format!("in {cases} of {}", self.scored()),
        }
    }

    /// What was seen.
    fn finding(&self) -> String {
        let metric = self.gate.metric();
        if self.scored == 0 {
            return format!("{metric} has no scored case");
        }
        match (&self.gate, self.value) {
            (Gate::Labels { .. }, None) if self.cases.is_some() => format!("{metric} is unsure about every case"),
            (Gate::Labels { .. }, None) => format!("{metric} gives no labels"),
            (Gate::Any { .. } | Gate::PassRate { .. } | Gate::Quantile { .. }, _) if self.cases.is_none() => {
                format!("{metric} was not counted for this gate")
            }
            (Gate::Mean { limit, .. }, Some(mean)) => {
                let mean = rounded_against(mean, *limit);
                let range = self.range(|end| rounded_against(end, *limit));
                format!("mean {metric} {mean}{range} over {}", self.scored())
            }
            (Gate::Any { relation, limit, .. }, worst) => {
                let worst =
                    worst.map(|worst| format!(", the worst {}", rounded_against(worst, *limit))).unwrap_or_default();
                format!("{metric} {} {limit} {}{worst}", relation.sign(), self.of_scored())
            }
            (Gate::PassRate { relation, limit, .. } | Gate::Quantile { relation, limit, .. }, Some(share)) => {
                let (share, range) = (percent(share), self.range(percent));
                format!("{metric} {} {limit} {}, {share}{range}", relation.sign(), self.of_scored())
            }
            (Gate::Labels { label, of, .. }, Some(amount)) => {
                let share = match of {
                    LabelUnit::Share => format!(", {}{}", percent(amount), self.range(percent)),
                    LabelUnit::Count => String::new(),
                };
                format!("{metric} is {label} {}{share}", self.of_scored())
            }
            (Gate::NotWorse { .. }, Some(gain)) => {
                let range = self.range(signed);
                format!("{metric} gains {}{range} over the baseline", signed(gain))
            }
            // What is scored and has no mean has labels alone.
            (Gate::Mean { .. } | Gate::PassRate { .. } | Gate::Quantile { .. }, None) => {
                format!(
                    "{metric} gives labels and no values: limit them with a gate on labels, such as `{metric}:FAIL>0`"
                )
            }
            (Gate::NotWorse { .. }, None) => format!("{metric} has no value"),
        }
    }

    /// The interval behind a number.
    fn range(&self, shown: impl Fn(f64) -> String) -> String {
        self.interval.map(|(low, high)| format!(" ({} to {})", shown(low), shown(high))).unwrap_or_default()
    }

    /// The limit, as the end of a sentence.
    fn limit(&self) -> String {
        let fails = if self.interval.is_some() { "fails if surely" } else { "fails if" };
        match &self.gate {
            Gate::Mean { relation, limit, .. } => format!("{fails} {} {limit}", relation.sign()),
            Gate::Quantile { quantile, .. } => format!("{fails} so is the {} quantile", percent(*quantile)),
            Gate::Any { .. } => "fails if in any".to_owned(),
            Gate::PassRate { share, .. } => format!("{fails} in less than {}", percent(*share)),
            Gate::Labels { of, relation, limit, .. } => format!("{fails} {} {}", relation.sign(), of.text(*limit)),
            Gate::NotWorse { margin, .. } => format!("fails if worse by more than {margin}"),
        }
    }
}

impl fmt::Display for GateVerdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.passed { "passed" } else { "failed" };
        write!(formatter, "{word}: ")?;
        if let Some(group) = &self.group {
            write!(formatter, "in group {group}: ")?;
        }
        write!(formatter, "{}", self.finding())?;
        let others = [
            (self.unsure, "unsure"),
            (self.excused, "expected to fail"),
            (self.not_applicable, "not applicable"),
            (self.failed, "failed"),
        ];
        let others: Vec<String> =
            others.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        if !others.is_empty() {
            write!(formatter, " ({})", others.join(", "))?;
        }
        write!(formatter, "; {}", self.limit())?;
        match &self.origin {
            // What is on the command line is before the reader's eyes.
            Some(origin @ (GateOrigin::Variable(_) | GateOrigin::Configuration(_))) => {
                write!(formatter, ", set in {origin}")?;
            }
            Some(GateOrigin::Flag(_)) | None => {}
        }
        match self.warning() {
            Some(warning) => write!(formatter, "; warning: {warning}"),
            None => Ok(()),
        }
    }
}

/// The verdicts that a reader wants to see, and how many groups kept a gate: those are counted, not listed.
pub fn listed_verdicts(verdicts: &[GateVerdict]) -> (impl Iterator<Item = &GateVerdict>, u64) {
    let is_quiet = |verdict: &GateVerdict| verdict.passed && verdict.group.is_some();
    let quiet = verdicts.iter().filter(|verdict| is_quiet(verdict)).count() as u64;
    (verdicts.iter().filter(move |verdict| !is_quiet(verdict)), quiet)
}
