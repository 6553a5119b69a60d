//! [`Summary`]: a run in a few numbers, in memory that does not grow with it.
//!
//! Every mean stands beside its denominator: how many cases were scored, to how many the question did not apply, and how
//! many could not be scored; and beside how far it may be off, as an interval at 95 %.

mod exact_sum;
mod groups;
mod histogram;
mod labels;
mod moments;
mod partial;
mod reasons;
mod repeats;

use std::io;

use probare_core::{CaseResult, Event, MetricInfo, Named, Outcome, Problem, Sink, Stop};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

pub use self::groups::{By, Group, Groups, MOST_GROUPS};
pub use self::histogram::{BINS, Histogram};
pub use self::labels::{Label, Labels};
pub use self::moments::MeanInterval;
pub use self::partial::{DifferentMetrics, Partial};
pub use self::reasons::{Reason, Reasons};
pub use self::repeats::{PassAt, Repeats};

use self::histogram::Filling;
use self::moments::Moments;
use crate::gate::Tally;
use crate::status::score;
use crate::{Gate, Options};

/// Remarks about the input that are kept word by word; all are counted.
const PROBLEMS_KEPT: usize = 20;

/// Counts, means and distributions of a run. It is a [`Sink`]: give it the events and read it at the end.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Summary {
    /// Where the cases came from, as given.
    pub source: String,
    /// How the run ended; nothing while it goes on.
    pub stop: Option<Stop>,
    /// Cases that were looked at.
    pub cases: u64,
    /// Rows that could not be read.
    pub lost_rows: u64,
    /// Remarks about rows that were kept.
    pub warnings: u64,
    /// One summary per metric, in the order of the run.
    pub metrics: Vec<MetricSummary>,
    /// The first remarks about the input.
    pub problems: Vec<Problem>,
    /// Means apart for each group, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Groups>,
    /// What the gates count.
    #[serde(skip)]
    watched: Vec<Watched>,
    /// What the gates count in each group; the numbers are in the groups.
    #[serde(skip)]
    watched_groups: Vec<Gate>,
}

/// A gate, where its metric stands in the run, and what was counted for it.
#[derive(Debug, Clone)]
struct Watched {
    gate: Gate,
    metric: Option<usize>,
    tally: Tally,
}

impl Summary {
    /// A summary that counts what these options need: gates that look at single cases, and groups.
    pub fn new(options: &Options) -> Self {
        let watched = |gate: &Gate| Watched { gate: gate.clone(), metric: None, tally: Tally::default() };
        Self {
            groups: options.by.clone().map(Groups::new),
            watched: options.gates.iter().map(watched).collect(),
            watched_groups: options.gates.of_groups().map(|(gate, _)| gate.clone()).collect(),
            ..Self::default()
        }
    }

    /// What was counted for a gate; nothing where the summary was not made for it.
    pub(crate) fn tally(&self, gate: &Gate) -> Option<&Tally> {
        self.watched.iter().find(|watched| watched.gate == *gate).map(|watched| &watched.tally)
    }

    /// What was counted for a gate in a group.
    pub(crate) fn group_tally<'a>(&self, gate: &Gate, group: &'a Group) -> Option<&'a Tally> {
        group.tally(self.watched_groups.iter().position(|watched| watched == gate)?)
    }

    fn start(&mut self, source: &str, metrics: &[MetricInfo]) {
        let place = |name: &str| metrics.iter().position(|metric| metric.name == name);
        for watched in &mut self.watched {
            watched.metric = place(watched.gate.metric());
            watched.tally = Tally::default();
        }
        if let Some(groups) = &mut self.groups {
            groups.start(metrics, &self.watched_groups);
        }
        *self = Self {
            source: source.to_owned(),
            metrics: metrics.iter().cloned().map(MetricSummary::new).collect(),
            groups: self.groups.take(),
            watched: std::mem::take(&mut self.watched),
            watched_groups: std::mem::take(&mut self.watched_groups),
            ..Self::default()
        };
    }

    /// Takes in one case.
    pub fn add(&mut self, result: &CaseResult) {
        self.cases += 1;
        for (metric, named) in self.metrics.iter_mut().zip(&result.results) {
            metric.add(named);
            if let Some(score) = score(named) {
                metric.repeats.add(&result.case.id, result.model.as_deref(), score.value.get());
            }
        }
        for Watched { gate, metric, tally } in &mut self.watched {
            if let Some(score) = metric.and_then(|at| result.results.get(at)).and_then(score) {
                tally.add(gate, score, result.excused.is_some());
            }
        }
        if let Some(groups) = &mut self.groups {
            groups.add(result);
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

impl Sink for Summary {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { source, metrics } => {
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
            Event::Finished(finish) => self.stop = Some(finish.stop),
            _ => {}
        }
        Ok(())
    }
}

/// What one metric said about all cases.
#[derive(Debug, Clone)]
pub struct MetricSummary {
    /// The metric.
    pub info: MetricInfo,
    /// Cases with a value: the denominator of the mean.
    pub scored: u64,
    /// Cases to which the question does not apply.
    pub not_applicable: u64,
    /// Cases that could not be scored.
    pub failed: u64,
    /// Least value.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
    /// Why the question did not apply.
    pub not_applicable_reasons: Reasons,
    /// Why cases could not be scored.
    pub failed_reasons: Reasons,
    /// The words that the metric gave.
    pub labels: Labels,
    /// Outputs per case, for metrics that say yes or no.
    pub repeats: Repeats,
    moments: Moments,
    filling: Filling,
}

impl MetricSummary {
    /// No case yet.
    pub fn new(info: MetricInfo) -> Self {
        let filling = Filling::new(info.range);
        Self {
            info,
            scored: 0,
            not_applicable: 0,
            failed: 0,
            min: None,
            max: None,
            not_applicable_reasons: Reasons::default(),
            failed_reasons: Reasons::default(),
            labels: Labels::default(),
            repeats: Repeats::default(),
            moments: Moments::default(),
            filling,
        }
    }

    /// Takes in the result of one case.
    pub fn add(&mut self, result: &Named) {
        match result {
            Ok(Outcome::Scored(score)) => {
                let value = score.value.get();
                self.scored += 1;
                self.min = Some(self.min.map_or(value, |least| least.min(value)));
                self.max = Some(self.max.map_or(value, |greatest| greatest.max(value)));
                self.moments.add(value);
                if let Some(label) = &score.label {
                    self.labels.add(label);
                }
                self.filling.add(value);
            }
            Ok(Outcome::NotApplicable { reason }) => {
                self.not_applicable += 1;
                self.not_applicable_reasons.add(reason);
            }
            Err(error) => {
                self.failed += 1;
                self.failed_reasons.add(&error.to_string());
            }
        }
    }

    /// The mean of all values, correctly rounded; nothing where no case was scored.
    pub fn mean(&self) -> Option<f64> {
        self.moments.mean()
    }

    /// How far the mean may be off, at 95 %; nothing below two scored cases.
    pub fn interval(&self) -> Option<MeanInterval> {
        self.moments.interval(&self.info)
    }

    /// How the values are distributed; nothing where no case was scored.
    pub fn histogram(&self) -> Option<Histogram> {
        self.filling.histogram()
    }
}

impl Serialize for MetricSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("MetricSummary", 13)?;
        map.serialize_field("name", &self.info.name)?;
        map.serialize_field("mean", &self.mean())?;
        map.serialize_field("interval", &self.interval())?;
        map.serialize_field("scored", &self.scored)?;
        map.serialize_field("not_applicable", &self.not_applicable)?;
        map.serialize_field("failed", &self.failed)?;
        map.serialize_field("min", &self.min)?;
        map.serialize_field("max", &self.max)?;
        map.serialize_field("histogram", &self.histogram())?;
        if !self.labels.is_empty() {
            map.serialize_field("labels", &self.labels)?;
        }
        if !self.repeats.is_empty() {
            map.serialize_field("pass_at", &self.repeats)?;
        }
        map.serialize_field("not_applicable_reasons", &self.not_applicable_reasons)?;
        map.serialize_field("failed_reasons", &self.failed_reasons)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use probare_core::Finish;

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
        summary.event(&Event::Finished(&Finish::by(Stop::Interrupted))).unwrap();
        assert_eq!(summary.incomplete(), Some("the run was interrupted"));
        summary.event(&Event::Finished(&Finish::by(Stop::Complete))).unwrap();
        assert_eq!(summary.incomplete(), None);
    }

    #[test]
    fn a_summary_is_plain_json() {
        let mut summary = Summary::default();
        events(&mut summary, &metrics()[..1], &[result("a", 0.25)]);
        insta::assert_snapshot!(serde_json::to_string(&summary).unwrap(), @r#"{"source":"cases.jsonl","stop":"complete","cases":1,"lost_rows":1,"warnings":1,"metrics":[{"name":"relevance","mean":0.25,"interval":null,"scored":1,"not_applicable":0,"failed":0,"min":0.25,"max":0.25,"histogram":{"from":0.0,"to":1.0,"counts":[0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]},"not_applicable_reasons":{"kept":[],"others":0},"failed_reasons":{"kept":[],"others":0}}],"problems":[{"file":"cases.jsonl","line":3,"column":null,"reason":"expected `,` or `}`","hint":null,"lost":true},{"file":"cases.jsonl","line":3,"column":null,"reason":"expected `,` or `}`","hint":null,"lost":false}]}"#);
    }
}
