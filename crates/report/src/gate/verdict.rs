//! [`Verdict`]: what became of a gate.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Amount, Gate};
use crate::number::{beside, count, counted, percent};
use crate::{MetricSummary, Summary};

/// What became of one gate; its `Display` is one line for the reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The gate.
    pub gate: Gate,
    /// Whether the run is good enough in this respect.
    pub passed: bool,
    /// What was held against the limit: the mean; the value of the worst case that fails; the share that passes; the
    /// number or share of cases with the label. Nothing where there is no such number.
    pub value: Option<f64>,
    /// Cases that fail, pass, or have the label; nothing for a gate on the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cases: Option<u64>,
    /// Cases that would fail a gate on single cases but are excused.
    #[serde(default, skip_serializing_if = "is_none_of_them")]
    pub excused: u64,
    /// Cases with a value.
    pub scored: u64,
    /// Cases to which the question did not apply.
    pub not_applicable: u64,
    /// Cases that could not be scored.
    pub failed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_none_of_them(count: &u64) -> bool {
    *count == 0
}

impl Verdict {
    /// Holds a run against one gate.
    pub(super) fn of(gate: &Gate, summary: &Summary) -> Self {
        let metric = summary.metric(gate.metric());
        let (scored, not_applicable, failed) =
            metric.map_or((0, 0, 0), |metric| (metric.scored, metric.not_applicable, metric.failed));
        let mut verdict = Self {
            gate: gate.clone(),
            passed: false,
            value: None,
            cases: None,
            excused: 0,
            scored,
            not_applicable,
            failed,
        };
        if scored > 0 {
            verdict.judge(metric, summary);
        }
        verdict
    }

    fn judge(&mut self, metric: Option<&MetricSummary>, summary: &Summary) {
        let share = |cases: u64, scored: u64| cases as f64 / scored as f64;
        if let Gate::Mean { relation, limit, .. } = &self.gate {
            self.value = metric.and_then(MetricSummary::mean);
            self.passed = self.value.is_some_and(|mean| !relation.holds(mean, *limit));
            return;
        }
        // A summary that did not count for this gate cannot say that it was kept, nor can a metric without labels.
        let Some(tally) = summary.tally(&self.gate) else { return };
        if matches!(self.gate, Gate::Labels { .. }) && metric.is_none_or(|metric| metric.labels.is_empty()) {
            return;
        }
        self.cases = Some(tally.cases);
        match &self.gate {
            Gate::Mean { .. } => {}
            Gate::Any { .. } => {
                self.excused = tally.excused;
                self.value = tally.worst;
                self.passed = tally.cases == 0;
            }
            Gate::PassRate { share: least, .. } => {
                let share = share(tally.cases, self.scored);
                self.value = Some(share);
                self.passed = share >= *least;
            }
            Gate::Labels { of, relation, limit, .. } => {
                let amount = match of {
                    Amount::Count => tally.cases as f64,
                    Amount::Share => share(tally.cases, self.scored),
                };
                self.value = Some(amount);
                self.passed = !relation.holds(amount, *limit);
            }
        }
    }

    fn of_scored(&self) -> String {
        format!("in {} of {}", count(self.cases.unwrap_or(0)), counted(self.scored, "scored case", "scored cases"))
    }

    /// What was seen.
    fn finding(&self) -> String {
        let metric = self.gate.metric();
        if self.scored == 0 {
            return format!("{metric} has no scored case");
        }
        match (&self.gate, self.value) {
            (Gate::Labels { .. }, None) => format!("{metric} gives no labels"),
            (Gate::Any { .. } | Gate::PassRate { .. }, _) if self.cases.is_none() => {
                format!("{metric} was not counted for this gate")
            }
            (Gate::Mean { limit, .. }, Some(mean)) => {
                let mean = beside(mean, *limit);
                format!("mean {metric} {mean} over {}", counted(self.scored, "scored case", "scored cases"))
            }
            (Gate::Any { relation, limit, .. }, worst) => {
                let worst = worst.map(|worst| format!(", the worst {}", beside(worst, *limit))).unwrap_or_default();
                format!("{metric} {} {limit} {}{worst}", relation.sign(), self.of_scored())
            }
            (Gate::PassRate { relation, limit, .. }, Some(share)) => {
                format!("{metric} {} {limit} {}, {}", relation.sign(), self.of_scored(), percent(share))
            }
            (Gate::Labels { label, of, .. }, Some(amount)) => {
                let share = if *of == Amount::Share { format!(", {}", percent(amount)) } else { String::new() };
                format!("{metric} is {label} {}{share}", self.of_scored())
            }
            (Gate::Mean { .. } | Gate::PassRate { .. }, None) => format!("{metric} has no value"),
        }
    }

    /// The limit, as the end of a sentence.
    fn limit(&self) -> String {
        match &self.gate {
            Gate::Mean { relation, limit, .. } => format!("fails if {} {limit}", relation.sign()),
            Gate::Any { .. } => "fails if in any".to_owned(),
            Gate::PassRate { share, .. } => format!("fails if in less than {}", percent(*share)),
            Gate::Labels { of, relation, limit, .. } => format!("fails if {} {}", relation.sign(), of.text(*limit)),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.passed { "passed" } else { "missed" };
        write!(formatter, "{word}: {}", self.finding())?;
        let others: Vec<String> =
            [(self.excused, "excused"), (self.not_applicable, "not applicable"), (self.failed, "failed")]
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, what)| format!("{count} {what}"))
                .collect();
        if !others.is_empty() {
            write!(formatter, " ({})", others.join(", "))?;
        }
        write!(formatter, "; {}", self.limit())
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{CaseResult, Outcome};

    use crate::testing::{events, metrics, result};
    use crate::{Gates, Options};

    use super::*;

    fn lines(gates: Vec<Gate>, results: &[CaseResult]) -> String {
        let options = Options { gates: Gates::new(gates), ..Options::default() };
        let mut summary = Summary::new(&options);
        events(&mut summary, &metrics(), results);
        let verdicts = options.gates.verdicts(&summary);
        let json = serde_json::to_string(&verdicts).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Verdict>>(&json).unwrap(), verdicts, "read back");
        let lines: Vec<String> = verdicts.iter().map(|verdict| format!("{verdict}\n")).collect();
        lines.concat()
    }

    fn labelled(id: &str, value: f64, label: &'static str) -> CaseResult {
        let mut result = result(id, value);
        if let Ok(Outcome::Scored(score)) = &mut result.results[0] {
            score.label = Some(label.into());
        }
        result
    }

    #[test]
    fn a_metric_without_a_score_misses_its_gate() {
        let gates = vec![
            Gate::fail_under("relevance=0.6").unwrap(),
            Gate::fail_under("relevance=0.600001").unwrap(),
            Gate::fail_if("topic_pivot>0.2").unwrap(),
            Gate::fail_if_any("hallucination>0.2").unwrap(),
            Gate::fail_pass_rate("topic_pivot>0.2:10%").unwrap(),
            Gate::fail_labels("topic_pivot:FAIL>0").unwrap(),
            Gate::fail_if("other>0.2").unwrap(),
        ];
        insta::assert_snapshot!(lines(gates, &[result("a", 0.5), result("b", 0.7)]), @r#"
        passed: mean relevance 0.6 over 2 scored cases; fails if < 0.6
        missed: mean relevance 0.6 over 2 scored cases; fails if < 0.600001
        missed: topic_pivot has no scored case (2 not applicable); fails if > 0.2
        missed: hallucination has no scored case (2 failed); fails if in any
        missed: topic_pivot has no scored case (2 not applicable); fails if in less than 10 %
        missed: topic_pivot has no scored case (2 not applicable); fails if > 0
        missed: other has no scored case; fails if > 0.2
        "#);
    }

    #[test]
    fn single_cases_are_counted_and_excused_ones_fail_nothing() {
        let mut excused = result("c", 0.1);
        excused.excused = Some("meant to be bad".into());
        let results = [result("a", 0.5), result("b", 0.3), excused, result("d", 0.9)];
        let gates = vec![
            Gate::fail_if_any("relevance<0.5").unwrap(),
            Gate::fail_if_any("relevance<=0.1").unwrap(),
            Gate::fail_if_any("relevance>0.95").unwrap(),
            Gate::fail_pass_rate("relevance>=0.5:0.5").unwrap(),
            Gate::fail_pass_rate("relevance>=0.5:50.1%").unwrap(),
        ];
        insta::assert_snapshot!(lines(gates, &results), @r#"
        missed: relevance < 0.5 in 1 of 4 scored cases, the worst 0.3 (1 excused); fails if in any
        passed: relevance <= 0.1 in 0 of 4 scored cases (1 excused); fails if in any
        passed: relevance > 0.95 in 0 of 4 scored cases; fails if in any
        passed: relevance >= 0.5 in 2 of 4 scored cases, 50 %; fails if in less than 50 %
        missed: relevance >= 0.5 in 2 of 4 scored cases, 50 %; fails if in less than 50.1 %
        "#);
    }

    #[test]
    fn labels_are_counted_or_measured_as_a_share() {
        let results = [labelled("a", 1.0, "PASS"), labelled("b", 0.0, "FAIL"), labelled("c", 1.0, "PASS")];
        let gates = vec![
            Gate::fail_labels("relevance:FAIL>0").unwrap(),
            Gate::fail_labels("relevance:FAIL>1").unwrap(),
            Gate::fail_labels("relevance:FAIL>=34%").unwrap(),
            Gate::fail_labels("relevance:WARN>0").unwrap(),
        ];
        insta::assert_snapshot!(lines(gates, &results), @r#"
        missed: relevance is FAIL in 1 of 3 scored cases; fails if > 0
        passed: relevance is FAIL in 1 of 3 scored cases; fails if > 1
        passed: relevance is FAIL in 1 of 3 scored cases, 33.33 %; fails if >= 34 %
        passed: relevance is WARN in 0 of 3 scored cases; fails if > 0
        "#);
        let unlabelled = lines(vec![Gate::fail_labels("relevance:FAIL>0").unwrap()], &[result("a", 0.5)]);
        assert_eq!(unlabelled, "missed: relevance gives no labels; fails if > 0\n");
    }

    #[test]
    fn a_summary_that_did_not_count_keeps_no_gate() {
        let mut summary = Summary::default();
        events(&mut summary, &metrics(), &[result("a", 0.5)]);
        let verdicts = Gates::new(vec![Gate::fail_if_any("relevance<0.1").unwrap()]).verdicts(&summary);
        assert_eq!(verdicts[0].to_string(), "missed: relevance was not counted for this gate; fails if in any");
    }
}
