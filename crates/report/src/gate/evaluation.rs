//! Holds a run, and each group of it, against its gates.

use probare_core::UNSURE;

use super::counts::GateCounts;
use super::gates::{GateWithOrigin, Gates};
use super::limit::{Gate, LabelUnit, Relation};
use super::verdict::GateVerdict;
use crate::{Group, Groups, MeanInterval, MetricSummary, Summary};

impl Gates {
    /// Holds a run against all gates, and then its groups. The summary has to be one that counts for them, see
    /// [`Summary::new`].
    pub fn verdicts(&self, summary: &Summary) -> Vec<GateVerdict> {
        // Nobody has said how often the metric may abstain.
        let is_open = |gate: &Gate| !self.iter().any(|other| other.limits_unsure() && other.metric() == gate.metric());
        let of = |limit: &GateWithOrigin, seen: &GateStatistics<'_>| {
            let verdict = GateVerdict::evaluate(limit, seen, self.confident);
            GateVerdict { abstained: verdict.is_mostly_unsure() && is_open(&limit.gate), ..verdict }
        };
        let whole = self.list.iter().map(|limit| of(limit, &GateStatistics::of_run(&limit.gate, summary)));
        let groups = summary.groups.iter().flat_map(|groups| groups.with_names().map(move |named| (groups, named)));
        let apart = groups.flat_map(|(groups, (name, group))| {
            self.group_gates().filter_map(move |limit| {
                let seen = GateStatistics::of_group(&limit.gate, summary, groups, group)?;
                Some(GateVerdict { group: Some(name.to_owned()), ..of(limit, &seen) })
            })
        });
        whole.chain(apart).collect()
    }
}

/// What a gate looks at: the run, or one group of it.
struct GateStatistics<'a> {
    scored: u64,
    cases: u64,
    unsure: u64,
    not_applicable: u64,
    failed: u64,
    mean: Option<f64>,
    interval: Option<(f64, f64)>,
    /// Whether the metric gives labels at all.
    is_labelled: bool,
    /// Nothing where the summary did not count for the gate.
    tally: Option<&'a GateCounts>,
    /// Whether anything can be said about cases.
    is_settled: bool,
}

fn ends(interval: Option<MeanInterval>) -> Option<(f64, f64)> {
    interval.map(|interval| (interval.low, interval.high))
}

impl<'a> GateStatistics<'a> {
    /// The whole run.
    fn of_run(gate: &Gate, summary: &'a Summary) -> Self {
        let metric = summary.metric(gate.metric());
        Self {
            scored: metric.map_or(0, |metric| metric.scored),
            cases: metric.map_or(0, MetricSummary::cases),
            unsure: metric.map_or(0, |metric| metric.unsure),
            not_applicable: metric.map_or(0, |metric| metric.not_applicable),
            failed: metric.map_or(0, |metric| metric.failed),
            mean: metric.and_then(MetricSummary::mean),
            interval: ends(metric.and_then(MetricSummary::interval)),
            is_labelled: metric.is_some_and(|metric| !metric.labels.is_empty()),
            tally: summary.tally(gate),
            is_settled: summary.no_intervals.is_none(),
        }
    }

    /// One group; nothing where the question of the metric applies to no case of it.
    fn of_group(gate: &Gate, summary: &'a Summary, groups: &'a Groups, group: &'a Group) -> Option<Self> {
        let at = groups.metrics().iter().position(|metric| metric.name == gate.metric())?;
        let (scored, not_applicable, failed) = (group.scored(at), group.not_applicable(at), group.failed(at));
        if scored + failed == 0 {
            return None;
        }
        Some(Self {
            scored,
            cases: group.cases_scored(at),
            unsure: group.unsure(at),
            not_applicable,
            failed,
            mean: group.mean(at),
            interval: ends(group.interval(at, &groups.metrics()[at])),
            is_labelled: summary.metric(gate.metric()).is_some_and(|metric| !metric.labels.is_empty()),
            tally: summary.group_tally(gate, group),
            is_settled: summary.no_intervals.is_none(),
        })
    }
}

impl GateVerdict {
    /// Holds what was seen against one gate.
    fn evaluate(limit: &GateWithOrigin, seen: &GateStatistics<'_>, confident: bool) -> Self {
        let mut verdict = Self {
            gate: limit.gate.clone(),
            origin: limit.origin.clone(),
            group: None,
            confident,
            passed: false,
            value: None,
            interval: None,
            cases: None,
            excused: 0,
            scored: seen.scored,
            of_cases: (seen.cases != seen.scored).then_some(seen.cases),
            unsure: seen.unsure,
            abstained: false,
            not_applicable: seen.not_applicable,
            failed: seen.failed,
        };
        if seen.scored > 0 {
            verdict.judge(seen);
        }
        verdict
    }

    fn judge(&mut self, seen: &GateStatistics<'_>) {
        if let Gate::Mean { relation, limit, .. } = self.gate {
            self.value = seen.mean;
            self.interval = seen.interval.filter(|_| self.confident);
            self.passed = seen.mean.is_some_and(|mean| !self.surely(relation, mean, limit));
            return;
        }
        // A summary that did not count for this gate cannot say that it was kept, nor can a metric without labels.
        let Some(tally) = seen.tally else { return };
        if matches!(self.gate, Gate::Labels { .. }) && !seen.is_labelled {
            return;
        }
        self.cases = Some(tally.cases);
        let cases = tally.shares.cases();
        if let Gate::Labels { label, .. } = &self.gate
            && (seen.cases == 0 || seen.cases < cases)
        {
            // Labels without values have cases and no mean. Of those that are unsure the share knows nothing.
            let is_share_of_all = seen.unsure == 0 || label == UNSURE;
            self.of_cases = (is_share_of_all && cases != self.scored).then_some(cases);
        }
        let share = tally.shares.mean();
        let ends = ends(tally.shares.interval((0.0, 1.0))).filter(|_| self.confident && seen.is_settled);
        match self.gate {
            // What is decided case by case is told by whoever decides it.
            Gate::Mean { .. } | Gate::NotWorse { .. } => {}
            Gate::Any { .. } => {
                self.excused = tally.excused;
                self.value = tally.worst;
                self.passed = tally.cases == 0;
            }
            Gate::Quantile { quantile, relation, .. } => {
                (self.value, self.interval) = (share, ends);
                self.passed = !self.is_quantile_beyond(quantile, relation);
            }
            Gate::PassRate { share: least, .. } => {
                (self.value, self.interval) = (share, ends);
                self.passed = share.is_some_and(|share| !self.surely(Relation::Under, share, least));
            }
            Gate::Labels { of: LabelUnit::Count, relation, limit, .. } => {
                let count = tally.cases as f64;
                self.value = Some(count);
                self.passed = !relation.holds(count, limit);
            }
            Gate::Labels { of: LabelUnit::Share, relation, limit, .. } => {
                (self.value, self.interval) = (share, ends);
                self.passed = share.is_some_and(|share| !self.surely(relation, share, limit));
            }
        }
    }

    /// Whether the value stands so to the limit; where there is an interval to go by, whether all of it does.
    fn surely(&self, relation: Relation, value: f64, limit: f64) -> bool {
        match (self.interval, relation) {
            (None, _) => relation.holds(value, limit),
            (Some((_, high)), Relation::Under | Relation::AtMost) => relation.holds(high, limit),
            (Some((low, _)), Relation::Over | Relation::AtLeast) => relation.holds(low, limit),
        }
    }

    /// Whether enough of the cases are on the wrong side for the quantile to be there.
    fn is_quantile_beyond(&self, quantile: f64, relation: Relation) -> bool {
        let is_under = matches!(relation, Relation::Under | Relation::AtMost);
        if let Some((low, _)) = self.interval {
            return if is_under { low >= quantile } else { low > 1.0 - quantile };
        }
        let (cases, scored) = (self.cases.unwrap_or(0) as f64, self.scored as f64);
        // The rank of the quantile; what multiplying leaves behind the point is no case.
        let rank = (quantile * scored - 1e-9).ceil().max(1.0);
        if is_under { cases >= rank } else { cases > scored - rank }
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{CaseResult, LabelOnly, Outcome, ScoreParts};

    use crate::testing::{events, metrics, result};
    use crate::{GateOrigin, RendererOptions};

    use super::*;

    fn lines(gates: Vec<Gate>, results: &[CaseResult]) -> String {
        lines_by(&RendererOptions { gates: Gates::new(gates), ..RendererOptions::default() }, results)
    }

    fn lines_by(options: &RendererOptions, results: &[CaseResult]) -> String {
        let mut summary = Summary::new(options);
        events(&mut summary, &metrics(), results);
        let verdicts = options.gates.verdicts(&summary);
        let json = serde_json::to_string(&verdicts).unwrap();
        assert_eq!(serde_json::from_str::<Vec<GateVerdict>>(&json).unwrap(), verdicts, "read back");
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
        failed: mean relevance 0.6 over 2 scored cases; fails if < 0.600001
        failed: topic_pivot has no scored case (2 not applicable); fails if > 0.2
        failed: hallucination has no scored case (2 failed); fails if in any
        failed: topic_pivot has no scored case (2 not applicable); fails if in less than 10 %
        failed: topic_pivot has no scored case (2 not applicable); fails if > 0
        failed: other has no scored case; fails if > 0.2
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
        failed: relevance < 0.5 in 1 of 4 scored cases, the worst 0.3 (1 expected to fail); fails if in any
        passed: relevance <= 0.1 in 0 of 4 scored cases (1 expected to fail); fails if in any
        passed: relevance > 0.95 in 0 of 4 scored cases; fails if in any
        passed: relevance >= 0.5 in 2 of 4 scored cases, 50 %; fails if in less than 50 %
        failed: relevance >= 0.5 in 2 of 4 scored cases, 50 %; fails if in less than 50.1 %
        "#);
    }

    #[test]
    fn a_quantile_is_where_enough_cases_are() {
        let results: Vec<CaseResult> = (1..=10_u32).map(|tenth| result("a", f64::from(tenth) / 10.0)).collect();
        // The ten values are their own quantiles: 0.2 is the 20 % quantile, 0.3 that of anything above.
        let gates = [
            ("relevance@20%<0.2", true),
            ("relevance@20%<=0.2", false),
            ("relevance@20%<0.21", false),
            ("relevance@20.1%<0.3", true),
            ("relevance@0<=0.1", false),
            ("relevance@100%>=1", false),
            ("relevance@100%>1", true),
            ("relevance@0.9>0.9", true),
            ("relevance@0.9>=0.9", false),
            ("relevance@0.91>0.9", false),
        ];
        for (gate, passed) in gates {
            let line = lines(vec![Gate::fail_quantile(gate).unwrap()], &results);
            assert_eq!(line.starts_with("passed"), passed, "{gate}: {line}");
        }
        insta::assert_snapshot!(lines(vec![Gate::fail_quantile("relevance@20%<=0.2").unwrap()], &results), @"failed: relevance <= 0.2 in 2 of 10 scored cases, 20 %; fails if so is the 20 % quantile");
    }

    #[test]
    fn who_wants_to_be_sure_fails_only_where_the_interval_excludes_the_limit() {
        let results: Vec<CaseResult> = (0..20_u32).map(|at| labelled("a", f64::from(at % 2), "odd")).collect();
        let gates = vec![
            Gate::fail_under("relevance=0.6").unwrap(),
            Gate::fail_under("relevance=0.8").unwrap(),
            Gate::fail_if("relevance>0.2").unwrap(),
            Gate::fail_pass_rate("relevance>=1:60%").unwrap(),
            Gate::fail_pass_rate("relevance>=1:80%").unwrap(),
            Gate::fail_quantile("relevance@40%<1").unwrap(),
            Gate::fail_quantile("relevance@20%<1").unwrap(),
            Gate::fail_quantile("relevance@80%>0").unwrap(),
            Gate::fail_labels("relevance:odd<100%").unwrap(),
            Gate::fail_labels("relevance:odd>=20").unwrap(),
        ];
        let options = RendererOptions { gates: Gates::new(gates).confident(true), ..RendererOptions::default() };
        insta::assert_snapshot!(lines_by(&options, &results), @r#"
        passed: mean relevance 0.5 (0.2993 to 0.7007) over 20 scored cases; fails if surely < 0.6
        failed: mean relevance 0.5 (0.2993 to 0.7007) over 20 scored cases; fails if surely < 0.8
        failed: mean relevance 0.5 (0.2993 to 0.7007) over 20 scored cases; fails if surely > 0.2
        passed: relevance >= 1 in 10 of 20 scored cases, 50 % (29.93 % to 70.07 %); fails if surely in less than 60 %
        failed: relevance >= 1 in 10 of 20 scored cases, 50 % (29.93 % to 70.07 %); fails if surely in less than 80 %
        passed: relevance < 1 in 10 of 20 scored cases, 50 % (29.93 % to 70.07 %); fails if surely so is the 40 % quantile
        failed: relevance < 1 in 10 of 20 scored cases, 50 % (29.93 % to 70.07 %); fails if surely so is the 20 % quantile
        failed: relevance > 0 in 10 of 20 scored cases, 50 % (29.93 % to 70.07 %); fails if surely so is the 80 % quantile
        passed: relevance is odd in 20 of 20 scored cases, 100 % (83.89 % to 100 %); fails if surely < 100 %
        failed: relevance is odd in 20 of 20 scored cases; fails if >= 20
        "#);
        let options = RendererOptions {
            gates: Gates::new(vec![Gate::fail_under("relevance=0.6").unwrap()]).confident(true),
            ..RendererOptions::default()
        };
        let alone = lines_by(&options, &[result("a", 0.5)]);
        assert_eq!(
            alone, "failed: mean relevance 0.5 over 1 scored case; fails if < 0.6\n",
            "one case has no interval"
        );
    }

    #[test]
    fn each_group_is_held_against_the_gates() {
        let tagged = |value: f64, tag: &str| {
            let mut result = result("a", value);
            result.case.tags = vec![tag.to_owned()];
            result
        };
        let results = [tagged(0.9, "en"), tagged(0.8, "en"), tagged(0.2, "de"), tagged(0.7, "de")];
        let gates = vec![
            Gate::fail_under("relevance=0.6").unwrap(),
            Gate::fail_if_any("relevance<0.1").unwrap(),
            Gate::fail_pass_rate("relevance>=0.7:75%").unwrap(),
            Gate::fail_if("topic_pivot>1").unwrap(),
            Gate::fail_if("hallucination>1").unwrap(),
        ];
        let gates = Gates::new(gates).in_each_group(true);
        let options = RendererOptions { gates, by: Some("tags".parse().unwrap()), ..RendererOptions::default() };
        // To no case does `topic_pivot` apply, so no group is asked; `hallucination` failed, and that is not kept anywhere.
        insta::assert_snapshot!(lines_by(&options, &results), @r#"
        passed: mean relevance 0.65 over 4 scored cases; fails if < 0.6
        passed: relevance < 0.1 in 0 of 4 scored cases; fails if in any
        passed: relevance >= 0.7 in 3 of 4 scored cases, 75 %; fails if in less than 75 %
        failed: topic_pivot has no scored case (4 not applicable); fails if > 1
        failed: hallucination has no scored case (4 failed); fails if > 1
        failed: in group de: mean relevance 0.45 over 2 scored cases; fails if < 0.6
        failed: in group de: relevance >= 0.7 in 1 of 2 scored cases, 50 %; fails if in less than 75 %
        failed: in group de: hallucination has no scored case (2 failed); fails if > 1
        passed: in group en: mean relevance 0.85 over 2 scored cases; fails if < 0.6
        passed: in group en: relevance >= 0.7 in 2 of 2 scored cases, 100 %; fails if in less than 75 %
        failed: in group en: hallucination has no scored case (2 failed); fails if > 1
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
        failed: relevance is FAIL in 1 of 3 scored cases; fails if > 0
        passed: relevance is FAIL in 1 of 3 scored cases; fails if > 1
        passed: relevance is FAIL in 1 of 3 scored cases, 33.33 %; fails if >= 34 %
        passed: relevance is WARN in 0 of 3 scored cases; fails if > 0
        "#);
        let unlabelled = lines(vec![Gate::fail_labels("relevance:FAIL>0").unwrap()], &[result("a", 0.5)]);
        assert_eq!(unlabelled, "failed: relevance gives no labels; fails if > 0\n");
    }

    #[test]
    fn labels_without_values_are_of_cases_too() {
        let alone = |id: &str, repeat: u32, label: &'static str| {
            let mut result = CaseResult { repeat, ..result(id, 0.0) };
            let (parts, evidence) = (ScoreParts::EMPTY, Vec::new());
            result.results[0] = Ok(Outcome::Labelled(LabelOnly { label: label.into(), by: None, parts, evidence }));
            result
        };
        let found = |labels: [(&str, u32, &'static str); 4], gate: &str| {
            lines(vec![Gate::fail_labels(gate).unwrap()], &labels.map(|(id, repeat, label)| alone(id, repeat, label)))
        };
        let single = [("a", 0, "casual"), ("b", 0, "casual"), ("c", 0, "formal"), ("d", 0, "casual")];
        let repeated = [("a", 0, "casual"), ("a", 1, "casual"), ("b", 0, "formal"), ("b", 1, "casual")];
        let unsure = [("a", 0, "unsure"), ("b", 0, "unsure"), ("c", 0, "unsure"), ("d", 0, "unsure")];
        for (labels, gate, line) in [
            (single, "relevance:casual>90%", "relevance is casual in 3 of 4 scored cases, 75 %; fails if > 90 %"),
            (
                repeated,
                "relevance:casual>90%",
                "relevance is casual in 3 of 4 scored outputs of 2 cases, 75 %; fails if > 90 %",
            ),
            (unsure, "relevance:unsure>3", "relevance is unsure in 4 of 4 scored cases (4 unsure); fails if > 3"),
        ] {
            assert!(found(labels, gate).contains(line), "{}", found(labels, gate));
        }
        // Its mean can be no gate.
        let results = single.map(|(id, repeat, label)| alone(id, repeat, label));
        assert_eq!(
            lines(vec![Gate::fail_under("relevance=0.5").unwrap()], &results),
            "failed: relevance gives labels and no values: limit them with a gate on labels, such as `relevance:FAIL>0`; fails if < 0.5\n"
        );
    }

    #[test]
    fn repeats_bring_no_confidence_and_a_gate_says_where_it_was_set() {
        let results: Vec<CaseResult> = (0..40_u32)
            .flat_map(|at| {
                let id = (at % 4).to_string();
                (0..1).map(move |_| CaseResult { repeat: at / 4, ..result(&id, f64::from(at % 4 % 2)) })
            })
            .collect();
        let gates = vec![Gate::fail_under("relevance=0.9").unwrap(), Gate::fail_pass_rate("relevance>=1:90%").unwrap()];
        let set =
            Gates::new(gates).confident(true).set_by(vec![Some(GateOrigin::Configuration("probare.yaml".into())); 2]);
        insta::assert_snapshot!(lines_by(&RendererOptions { gates: set, ..RendererOptions::default() }, &results), @r#"
        passed: mean relevance 0.5 (0.0676 to 0.9324) over 40 scored outputs of 4 cases; fails if surely < 0.9, set in probare.yaml
        passed: relevance >= 1 in 20 of 40 scored outputs of 4 cases, 50 % (6.76 % to 93.24 %); fails if surely in less than 90 %, set in probare.yaml
        "#);
    }

    #[test]
    fn what_is_unsure_is_counted_apart() {
        let results = [
            labelled("a", 1.0, "supported"),
            labelled("b", 0.5, "unsure"),
            labelled("c", 0.0, "contradicted"),
            labelled("d", 0.5, "unsure"),
        ];
        let gates = vec![
            Gate::fail_labels("relevance:contradicted>=50%").unwrap(),
            Gate::fail_labels("relevance:unsure>=50%").unwrap(),
            Gate::fail_labels("relevance:supported<1").unwrap(),
        ];
        insta::assert_snapshot!(lines(gates.clone(), &results), @r#"
        failed: relevance is contradicted in 1 of 2 that are decided, 50 % (2 unsure); fails if >= 50 %
        failed: relevance is unsure in 2 of 4 scored cases, 50 % (2 unsure); fails if >= 50 %
        passed: relevance is supported in 1 of 2 that are decided (2 unsure); fails if < 1
        "#);
        let alone = lines(gates[..1].to_vec(), &results[1..2]);
        assert!(
            alone.starts_with("failed: relevance is unsure about every case (1 unsure); fails if >= 50 %"),
            "{alone}"
        );
    }

    /// Review 0.3, V5: gates over a metric that abstained passed silently.
    #[test]
    fn a_gate_over_a_metric_that_mostly_abstains_says_so() {
        let results: Vec<CaseResult> =
            (0..15).map(|at| labelled(&at.to_string(), 0.9, if at < 12 { "unsure" } else { "PASS" })).collect();
        let gates = vec![Gate::fail_under("relevance=0.5").unwrap(), Gate::fail_labels("relevance:FAIL>0").unwrap()];
        insta::assert_snapshot!(lines(gates.clone(), &results), @r#"
        passed: mean relevance 0.9 over 15 scored cases (12 unsure); fails if < 0.5; warning: relevance abstained in 80 %, and no `max_unsure` limits that
        passed: relevance is FAIL in 0 of 3 that are decided (12 unsure); fails if > 0; warning: relevance abstained in 80 %, and no `max_unsure` limits that
        "#);
        let limited = [gates, vec![Gate::max_unsure("relevance=20%").unwrap()]].concat();
        insta::assert_snapshot!(lines(limited, &results), @r#"
        passed: mean relevance 0.9 over 15 scored cases (12 unsure); fails if < 0.5
        passed: relevance is FAIL in 0 of 3 that are decided (12 unsure); fails if > 0
        failed: relevance is unsure in 12 of 15 scored cases, 80 % (12 unsure); fails if > 20 %
        "#);
        let enough = lines(vec![Gate::max_unsure("relevance=80%").unwrap()], &results);
        assert!(enough.starts_with("passed: "), "{enough}");
        let never = lines(vec![Gate::max_unsure("relevance=20%").unwrap()], &[result("a", 0.5)]);
        assert_eq!(never, "failed: relevance gives no labels; fails if > 20 %\n");
    }

    #[test]
    fn a_summary_that_did_not_count_keeps_no_gate() {
        let mut summary = Summary::default();
        events(&mut summary, &metrics(), &[result("a", 0.5)]);
        let verdicts = Gates::new(vec![Gate::fail_if_any("relevance<0.1").unwrap()]).verdicts(&summary);
        assert_eq!(verdicts[0].to_string(), "failed: relevance was not counted for this gate; fails if in any");
    }
}
