//! [`Summary`]: a run in a few numbers, in memory that does not grow with it.
//!
//! Every mean stands beside its denominator: how many cases were scored, to how many the question did not apply, and how
//! many could not be scored; and beside how far it may be off, as an interval at 95 %.

mod abstention;
mod case_means;
mod case_table;
mod cluster;
mod decided;
mod exact_sum;
mod groups;
mod histogram;
mod labels;
mod metric_summary;
mod moments;
mod partial;
mod reasons;
mod repeats;
mod watched_gate;

use std::io;

use probare_core::{CaseResult, Event, MetricInfo, Problem, RunEnd, Sink, Stop};
use serde::Serialize;

pub use self::abstention::{LabelRemark, describe_thresholds};
pub(crate) use self::case_means::CaseMeans;
pub use self::case_means::MeanInterval;
pub use self::cluster::{Cluster, Clusters};
pub use self::decided::DecidedCounts;
pub use self::groups::{Group, GroupBy, Groups, MOST_GROUPS};
pub use self::histogram::Histogram;
pub use self::labels::{LabelCount, LabelCounts};
pub use self::metric_summary::MetricSummary;
pub use self::partial::{MetricMismatch, PartialSummary};
pub use self::reasons::{ReasonCount, ReasonCounts};
pub use self::repeats::{PassAt, Repeats};

use self::case_table::CaseTable;
use self::watched_gate::{WatchedGate, take_in};
use crate::gate::GateCounts;
use crate::number::count_with_noun;
use crate::status::score;
use crate::{Gate, GateVerdict, Gates, RendererOptions};

/// Remarks about the input that are kept word by word; all are counted.
const PROBLEMS_KEPT: usize = 20;

/// Counts, means and distributions of a run. It is a [`Sink`]: give it the events and read it at the end.
///
/// A run computes it once and hands it to all who report it with the end of the run: see [`Summary::of`].
#[derive(Debug, Clone, Default, Serialize)]
pub struct Summary {
    /// Where the cases came from, as given.
    pub source: String,
    /// How the run ended; nothing while it goes on.
    pub stop: Option<Stop>,
    /// Cases that were looked at.
    pub cases: u64,
    /// Outputs of them: several of a case where several models, or one of them several times, answered.
    pub outputs: u64,
    /// Rows that could not be read.
    pub lost_rows: u64,
    /// Remarks about rows that were kept.
    pub warnings: u64,
    /// One summary per metric, in the order of the run.
    pub metrics: Vec<MetricSummary>,
    /// The first remarks about the input.
    pub problems: Vec<Problem>,
    /// Which cases hang together, where that was said.
    #[serde(rename = "cluster", skip_serializing_if = "Option::is_none")]
    pub clusters: Option<Clusters>,
    /// Why means have no interval, where that is so for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_intervals: Option<String>,
    /// Means apart for each group, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Groups>,
    /// What became of the gates, once the run has ended.
    #[serde(skip)]
    pub verdicts: Vec<GateVerdict>,
    #[serde(skip)]
    gates: Gates,
    /// Why there are to be no intervals.
    #[serde(skip)]
    withheld: Option<&'static str>,
    /// What the gates count.
    #[serde(skip)]
    watched: Vec<WatchedGate>,
    #[serde(skip)]
    tallies: Vec<GateCounts>,
    #[serde(skip)]
    table: CaseTable,
}

impl Summary {
    /// A summary that counts what these options need: gates that look at single cases, groups, and clusters.
    pub fn new(options: &RendererOptions) -> Self {
        Self {
            groups: options.by.clone().map(Groups::new),
            clusters: options.cluster.clone().map(Clusters::new),
            gates: options.gates.clone(),
            table: CaseTable::default().over_outputs(options.is_over_outputs),
            ..Self::default()
        }
    }

    /// The summary that a run ends with; nothing where whoever ended it made none.
    pub fn of(finish: &RunEnd) -> Option<&Self> {
        finish.summary.as_ref()?.get()
    }

    /// The same for whoever cannot report a run without it.
    pub(crate) fn required(finish: &RunEnd) -> io::Result<&Self> {
        Self::of(finish).ok_or_else(|| io::Error::other("the run ended without its summary, which is a bug"))
    }

    /// What was counted for a gate; nothing where the summary was not made for it.
    pub(crate) fn tally(&self, gate: &Gate) -> Option<&GateCounts> {
        let at = self.watched.iter().position(|watched| watched.gate == *gate)?;
        self.tallies.get(at)
    }

    /// What was counted for a gate in a group.
    pub(crate) fn group_tally<'a>(&self, gate: &Gate, group: &'a Group) -> Option<&'a GateCounts> {
        group.tally(self.gates.group_gates().position(|watched| watched.gate == *gate)?)
    }

    fn start(&mut self, source: &str, metrics: &[MetricInfo]) {
        let is_clustered = self.clusters.is_some();
        let is_over_outputs = self.table.is_over_outputs();
        let watched: Vec<WatchedGate> = self.gates.iter().map(|gate| WatchedGate::new(gate, metrics)).collect();
        if let Some(groups) = &mut self.groups {
            let gates: Vec<Gate> = self.gates.group_gates().map(|limit| limit.gate.clone()).collect();
            groups.start(metrics, &gates, is_clustered, is_over_outputs);
        }
        if let Some(clusters) = &mut self.clusters {
            clusters.restart();
        }
        *self = Self {
            source: source.to_owned(),
            metrics: metrics.iter().cloned().map(|info| MetricSummary::new(info, is_clustered)).collect(),
            groups: self.groups.take(),
            clusters: self.clusters.take(),
            gates: std::mem::take(&mut self.gates),
            tallies: vec![GateCounts::new(is_clustered); watched.len()],
            table: CaseTable::new(metrics.len() + watched.len()).over_outputs(is_over_outputs),
            watched,
            ..Self::default()
        };
    }

    /// Takes in one output.
    pub fn add(&mut self, result: &CaseResult) {
        self.outputs += 1;
        let source = result.source_name();
        for (metric, named) in self.metrics.iter_mut().zip(&result.results) {
            metric.add(named);
            if let Some(score) = score(named) {
                metric.repeats.add(&result.case.id, source.as_deref(), result.repeat, score.value.get());
            }
        }
        let clusters = &mut self.clusters;
        let number = || clusters.as_mut().map_or(0, |clusters| clusters.number(&result.case));
        let means = self.metrics.iter_mut().map(|metric| &mut metric.means);
        let gates = self.watched.iter().zip(&mut self.tallies);
        let cluster = take_in(&mut self.table, result, number, means, gates);
        self.cases = self.table.cases();
        if let Some(groups) = &mut self.groups {
            groups.add(result, cluster);
        }
    }

    /// There are no intervals, for this reason.
    pub fn withhold_intervals(&mut self, reason: &'static str) {
        self.withheld = Some(reason);
    }

    /// Ends the run: holds it against the gates, unless it was interrupted, since a part is no verdict on the whole, and
    /// forgets its single cases.
    pub fn conclude(&mut self, stop: Stop) {
        self.stop = Some(stop);
        self.table.close();
        self.settle();
        // Numbers of a part are no verdict on the whole.
        self.verdicts = if stop == Stop::Interrupted { Vec::new() } else { self.gates.clone().verdicts(self) };
    }

    /// Says why there are no intervals, where that is so.
    fn settle(&mut self) {
        let withheld = self.withheld.map(str::to_owned);
        self.no_intervals = withheld.or_else(|| self.clusters.as_ref().and_then(Clusters::problem)).or_else(|| {
            let words = if self.table.is_over_outputs() {
                "several outputs of a case count one by one, and they are not independent of each other"
            } else {
                "outputs of the same case stand too far apart to be averaged within it"
            };
            self.table.is_scattered().then(|| words.to_owned())
        });
        if self.no_intervals.is_some() {
            self.metrics.iter_mut().for_each(|metric| metric.is_unsettled = true);
            self.groups.iter_mut().for_each(Groups::unsettle);
        }
    }

    /// The summary of the metric of this name.
    pub fn metric(&self, name: &str) -> Option<&MetricSummary> {
        self.metrics.iter().find(|metric| metric.info.name == name)
    }

    /// Results that could not be computed, over all metrics.
    pub fn failed(&self) -> u64 {
        self.metrics.iter().map(|metric| metric.failed).sum()
    }

    /// Those of them that were not run, because this program cannot or may not run them.
    pub fn not_run(&self) -> u64 {
        self.metrics.iter().map(|metric| metric.not_run).sum()
    }

    /// Those of them in which an agent used up its steps, tokens or money.
    pub fn over_limit(&self) -> u64 {
        self.metrics.iter().map(|metric| metric.over_limit).sum()
    }

    /// How the run ended, in words, if not all cases were looked at.
    pub fn incomplete(&self) -> Option<&'static str> {
        match self.stop {
            Some(Stop::Complete) => None,
            Some(Stop::Strict) => Some("the run ended at the first row that could not be read"),
            Some(Stop::Interrupted) => Some("the run was interrupted"),
            None => Some("the run has not ended"),
        }
    }
}

impl Summary {
    /// Metrics whose mean is missing because every case failed, in words: whatever contains one of them is incomplete.
    pub fn lacking(&self) -> impl Iterator<Item = String> {
        let lacks = |metric: &&MetricSummary| metric.scored == 0 && metric.failed > 0;
        let (one, many) = if self.has_repeats() { ("output", "outputs") } else { ("case", "cases") };
        self.metrics.iter().filter(lacks).map(move |metric| {
            let failed = count_with_noun(metric.failed, one, many);
            format!("{} has no mean: none of {failed} could be scored", metric.info.name)
        })
    }

    /// Whether a case has several outputs.
    pub const fn has_repeats(&self) -> bool {
        self.outputs > self.cases
    }

    /// `20 cases`, and how many outputs of them there are where a case has several.
    pub fn amount(&self) -> String {
        let cases = count_with_noun(self.cases, "case", "cases");
        if self.has_repeats() {
            format!("{cases} with {}", count_with_noun(self.outputs, "output", "outputs"))
        } else {
            cases
        }
    }
}

impl Sink for Summary {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { source, metrics, .. } => {
                self.start(source, metrics);
            }
            Event::Scored(result) => self.add(result),
            Event::Problem(problem) => {
                if problem.lost {
                    self.lost_rows += 1;
                } else {
                    self.warnings += 1;
                }
                if self.problems.len() < PROBLEMS_KEPT {
                    self.problems.push((*problem).clone());
                }
            }
            Event::Finished(finish) => self.conclude(finish.stop),
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{events, metrics, result};

    use super::*;

    #[test]
    fn every_mean_has_its_denominator() {
        let mut summary = Summary::default();
        events(&mut summary, &metrics(), &[result("a", 0.25), result("b", 0.75)]);
        assert_eq!(summary.cases, 2);
        assert_eq!(summary.lost_rows, 1);
        assert_eq!(summary.warnings, 1);
        let relevance = summary.metric("relevance").unwrap();
        assert_eq!((relevance.mean(), relevance.scored), (Some(0.5), 2));
        assert_eq!((relevance.min, relevance.max), (Some(0.25), Some(0.75)));
        let pivot = summary.metric("topic_pivot").unwrap();
        assert_eq!((pivot.mean(), pivot.scored, pivot.not_applicable), (None, 0, 2));
        let failing = summary.metric("hallucination").unwrap();
        assert_eq!((failing.mean(), failing.failed), (None, 2));
        assert_eq!(summary.failed(), 2);
    }

    #[test]
    fn a_run_that_did_not_look_at_all_cases_says_so() {
        let mut summary = Summary::default();
        assert!(summary.incomplete().is_some());
        summary.event(&Event::Finished(&RunEnd::with_stop(Stop::Interrupted))).unwrap();
        assert_eq!(summary.incomplete(), Some("the run was interrupted"));
        summary.event(&Event::Finished(&RunEnd::with_stop(Stop::Complete))).unwrap();
        assert_eq!(summary.incomplete(), None);
    }

    #[test]
    fn a_summary_is_plain_json() {
        let mut summary = Summary::default();
        events(&mut summary, &metrics()[..1], &[result("a", 0.25)]);
        insta::assert_snapshot!(serde_json::to_string(&summary).unwrap(), @r#"{"source":"cases.jsonl","stop":"complete","cases":1,"outputs":1,"lost_rows":1,"warnings":1,"metrics":[{"name":"relevance","mean":0.25,"interval":null,"cases":1,"scored":1,"not_applicable":0,"failed":0,"min":0.25,"max":0.25,"histogram":{"from":0.0,"to":1.0,"counts":[0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]},"not_applicable_reasons":{"kept":[],"others":0},"failed_reasons":{"kept":[],"others":0}}],"problems":[{"file":"cases.jsonl","line":3,"column":null,"reason":"expected `,` or `}`","hint":null,"lost":true},{"file":"cases.jsonl","line":3,"column":null,"reason":"expected `,` or `}`","hint":null,"lost":false}]}"#);
    }

    fn repeated(id: &str, value: f64, repeat: u32) -> CaseResult {
        CaseResult { repeat, ..result(id, value) }
    }

    #[test]
    fn repeats_are_averaged_within_their_case_first() {
        let value = |case: u32| f64::from(case * case % 11) / 11.0;
        let once: Vec<CaseResult> = (0..20).map(|case| result(&case.to_string(), value(case))).collect();
        let often: Vec<CaseResult> =
            (0..200).map(|at| repeated(&(at / 10).to_string(), value(at / 10), at % 10)).collect();
        let scattered: Vec<CaseResult> =
            (0..200).map(|at| repeated(&(at % 20).to_string(), value(at % 20), at / 20)).collect();
        let of = |results: &[CaseResult]| {
            let mut summary = Summary::default();
            events(&mut summary, &metrics()[..1], results);
            (summary.cases, summary.outputs, summary.metrics[0].mean(), summary.metrics[0].interval())
        };
        let (cases, outputs, mean, interval) = of(&once);
        assert_eq!((cases, outputs), (20, 20));
        assert!(interval.is_some());
        assert_eq!(of(&often), (20, 200, mean, interval));
        assert_eq!(of(&scattered), (20, 200, mean, interval));
    }

    #[test]
    fn outputs_of_several_models_are_one_case() {
        let of_model = |id: &str, model: &str, value| CaseResult { model: Some(model.into()), ..result(id, value) };
        let results =
            [of_model("a", "m", 0.0), of_model("a", "n", 0.5), of_model("b", "m", 1.0), of_model("b", "n", 1.0)];
        let mut summary = Summary::new(&RendererOptions { by: Some(GroupBy::Model), ..RendererOptions::default() });
        events(&mut summary, &metrics()[..1], &results);
        assert_eq!((summary.cases, summary.outputs, summary.metrics[0].mean()), (2, 4, Some(0.625)));
        assert_eq!(summary.metrics[0].denominator(), "2 cases, 4 outputs");
        let groups = summary.groups.as_ref().unwrap();
        let seen: Vec<_> = groups.with_names().map(|(name, group)| (name, group.cases(), group.mean(0))).collect();
        assert_eq!(seen, [("m", 2, Some(0.5)), ("n", 2, Some(0.75))]);
    }

    #[test]
    fn clusters_widen_the_interval_and_a_column_that_nobody_has_leaves_none() {
        let from = |at: u32, source: &str| {
            let mut result = result(&at.to_string(), f64::from(at % 4) / 4.0);
            result.case.metadata.insert("source".into(), source.into());
            result
        };
        let results: Vec<CaseResult> = (0..12).map(|at| from(at, ["x", "y", "z", "w"][at as usize % 4])).collect();
        let of = |cluster: Option<&str>| {
            let cluster = cluster.map(|column| column.parse().unwrap());
            let mut summary = Summary::new(&RendererOptions { cluster, ..RendererOptions::default() });
            events(&mut summary, &metrics()[..1], &results);
            summary
        };
        let wide = |summary: &Summary| summary.metrics[0].interval().map(|ends| ends.high - ends.low).unwrap();
        let (plain, clustered) = (of(None), of(Some("source")));
        assert!(wide(&clustered) > 1.5 * wide(&plain));
        assert_eq!(clustered.metrics[0].interval().unwrap().method, probare_stats::StatisticalMethod::Clustered);
        assert_eq!(clustered.clusters.as_ref().map(|clusters| (clusters.count(), clusters.without)), Some((4, 0)));
        let nobody = of(Some("metadata.author"));
        assert_eq!(nobody.metrics[0].interval(), None);
        assert_eq!(nobody.no_intervals.as_deref(), Some("no case has a column `author`"));
        let options = RendererOptions {
            by: Some(GroupBy::Tags),
            cluster: Some("author".parse().unwrap()),
            ..RendererOptions::default()
        };
        let mut grouped = Summary::new(&options);
        events(&mut grouped, &metrics()[..1], &results);
        let groups = grouped.groups.as_ref().unwrap();
        assert!(groups.with_names().all(|(_, group)| group.interval(0, &metrics()[0]).is_none()));
    }

    #[test]
    fn a_mean_of_nothing_is_absent_and_said() {
        let mut summary = Summary::default();
        events(&mut summary, &metrics(), &[result("a", 0.25)]);
        let json = serde_json::to_value(&summary).unwrap();
        assert!(json["metrics"][2]["mean"].is_null());
        let lacking: Vec<String> = summary.lacking().collect();
        assert_eq!(lacking, ["hallucination has no mean: none of 1 case could be scored"]);
    }

    /// The outputs of a file of golden vectors as a run, in any order: a case has several of them.
    fn run_of(case: &serde_json::Value, scattered: bool, options: &RendererOptions) -> Result<Summary, String> {
        let lists = probare_testing::list(case, "values")?;
        let mut outputs = Vec::new();
        for (number, values) in lists.iter().enumerate() {
            for (repeat, value) in values.as_array().ok_or("no list")?.iter().enumerate() {
                let value = value.as_f64().ok_or("no number")?;
                let mut output =
                    repeated(&number.to_string(), value, u32::try_from(repeat).map_err(|error| error.to_string())?);
                if let Some(cluster) = case["clusters"].get(number) {
                    output.case.metadata.insert("source".into(), cluster.clone());
                }
                outputs.push(output);
            }
        }
        if scattered {
            outputs.sort_by_key(|output| output.repeat);
        }
        let mut summary = Summary::new(options);
        events(&mut summary, &metrics()[..1], &outputs);
        Ok(summary)
    }

    fn golden_run(case: &serde_json::Value, options: &RendererOptions) -> Result<(), String> {
        use probare_testing::{close, number};
        for scattered in [false, true] {
            let summary = run_of(case, scattered, options)?;
            let metric = &summary.metrics[0];
            let tolerance = number(case, "tolerance")?;
            let interval = metric.interval().ok_or("there is an interval")?;
            // A value of the metric lies between 0 and 1, which the package does not know.
            close("cases", probare_testing::list(case, "values")?.len() as f64, metric.cases() as f64, 0.0)?;
            close("mean", number(case, "mean")?, metric.mean().ok_or("a mean")?, tolerance)?;
            close("low", number(case, "low")?.max(0.0), interval.low, tolerance)?;
            close("high", number(case, "high")?.min(1.0), interval.high, tolerance)?;
        }
        Ok(())
    }

    #[test]
    fn golden_repeats() {
        probare_testing::golden("stats", "repeats.jsonl", |case| golden_run(case, &RendererOptions::default()));
    }

    #[test]
    fn golden_repeats_in_clusters() {
        let options = RendererOptions { cluster: Some("source".parse().unwrap()), ..RendererOptions::default() };
        probare_testing::golden("stats", "repeats_in_clusters.jsonl", |case| golden_run(case, &options));
    }
}
