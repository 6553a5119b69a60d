//! [`MetricSummary`]: what one metric said about all cases of a run.

use probare_core::{Decider, DecisionThresholds, ErrorKind, MetricInfo, MetricResult, Outcome, UNSURE};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::case_means::{CaseMeans, MeanInterval};
use super::decided::DecidedCounts;
use super::histogram::{Histogram, HistogramBuilder};
use super::labels::LabelCounts;
use super::reasons::ReasonCounts;
use super::repeats::Repeats;
use crate::number::{count, count_with_noun};

/// What one metric said about all cases.
#[derive(Debug, Clone)]
pub struct MetricSummary {
    /// The metric.
    pub info: MetricInfo,
    /// Outputs with a value; see [`MetricSummary::cases`] for the denominator of the mean.
    pub scored: u64,
    /// Those of them that have a label and no value.
    pub labelled: u64,
    /// Those of them about which the metric is unsure.
    pub unsure: u64,
    /// Those of them whose value lies outside of what the user's decision thresholds were calibrated on.
    pub out_of_range: u64,
    /// Those of them that the metric decided itself, and those that a judge did in its place; none of either where it could
    /// not have handed them on.
    pub decided: DecidedCounts,
    /// Outputs to which the question does not apply.
    pub not_applicable: u64,
    /// Outputs that could not be scored.
    pub failed: u64,
    /// Those of them that were not run, because this program cannot or may not run them.
    pub not_run: u64,
    /// Those of them in which an agent used up its steps, tokens or money.
    pub over_limit: u64,
    /// Least value.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
    /// Why the question did not apply.
    pub not_applicable_reasons: ReasonCounts,
    /// Why cases could not be scored.
    pub failed_reasons: ReasonCounts,
    /// The words that the metric gave.
    pub labels: LabelCounts,
    /// Outputs per case, for metrics that say yes or no.
    pub repeats: Repeats,
    pub(super) means: CaseMeans,
    /// Whether nothing can be said about cases.
    pub(super) is_unsettled: bool,
    pub(super) filling: HistogramBuilder,
    calibrated: Option<(f64, f64)>,
}

impl MetricSummary {
    /// No case yet.
    pub(super) fn new(info: MetricInfo, is_clustered: bool) -> Self {
        let (filling, calibrated) = (HistogramBuilder::new(info.range), calibrated_range(&info));
        let means = CaseMeans::for_metric(&info, is_clustered);
        Self {
            info,
            scored: 0,
            labelled: 0,
            unsure: 0,
            out_of_range: 0,
            decided: DecidedCounts::default(),
            not_applicable: 0,
            failed: 0,
            not_run: 0,
            over_limit: 0,
            min: None,
            max: None,
            not_applicable_reasons: ReasonCounts::default(),
            failed_reasons: ReasonCounts::default(),
            labels: LabelCounts::default(),
            repeats: Repeats::default(),
            means,
            is_unsettled: false,
            filling,
            calibrated,
        }
    }

    /// Takes in the result of one output.
    pub(super) fn add(&mut self, result: &MetricResult) {
        match result {
            Ok(Outcome::Scored(score)) => {
                let value = score.value.get();
                self.scored += 1;
                self.min = Some(self.min.map_or(value, |least| least.min(value)));
                self.max = Some(self.max.map_or(value, |greatest| greatest.max(value)));
                self.unsure += u64::from(score.is_unsure());
                let is_outside = |(least, greatest): (f64, f64)| value < least || value > greatest;
                // Thresholds are about values of the metric's own rules; a judge's have another scale.
                let is_by_rule = score.by != Some(Decider::Judge);
                self.out_of_range += u64::from(is_by_rule && self.calibrated.is_some_and(is_outside));
                self.decided.add(score.by);
                if let Some(label) = &score.label {
                    self.labels.add(label);
                }
                self.filling.add(value);
            }
            Ok(Outcome::Labelled(label)) => {
                self.scored += 1;
                self.labelled += 1;
                self.unsure += u64::from(label.label == UNSURE);
                self.decided.add(label.by);
                self.labels.add(&label.label);
            }
            Ok(Outcome::NotApplicable { reason }) => {
                self.not_applicable += 1;
                self.not_applicable_reasons.add(reason);
            }
            Err(error) => {
                self.failed += 1;
                self.not_run += u64::from(error.kind() == ErrorKind::NotRun);
                self.over_limit += u64::from(error.kind().is_limit());
                self.failed_reasons.add(&error.to_string());
            }
        }
    }

    /// Cases with a value: the denominator of the mean.
    pub const fn cases(&self) -> u64 {
        self.means.cases()
    }

    /// The mean over cases, correctly rounded, several outputs of a case being averaged within it; nothing where no case
    /// was scored.
    pub fn mean(&self) -> Option<f64> {
        self.means.mean()
    }

    /// The standard deviation of the values of cases, several outputs of a case being averaged within it; nothing below two.
    pub fn deviation(&self) -> Option<f64> {
        self.means.deviation()
    }

    /// How far the mean may be off, at 95 %; nothing below two scored cases.
    pub fn interval(&self) -> Option<MeanInterval> {
        self.means.interval(self.info.range).filter(|_| !self.is_unsettled)
    }

    /// The denominator of the mean, and what else counts: `20`, `20 cases, 200 outputs`, `20 (3 unsure)`,
    /// `600 (412 by rule, 188 by judge)`.
    pub fn denominator(&self) -> String {
        let mut text = count(self.cases());
        if self.labelled > 0 {
            // They have no part in a mean, so it has no denominator.
            text = format!("{} labelled", count(self.labelled));
        } else if self.scored != self.cases() {
            text = format!(
                "{}, {}",
                count_with_noun(self.cases(), "case", "cases"),
                count_with_noun(self.scored, "output", "outputs")
            );
        }
        let parts: Vec<String> =
            [(self.decided.rule, "by rule"), (self.decided.judge, "by judge"), (self.unsure, "unsure")]
                .into_iter()
                .filter(|(number, _)| *number > 0)
                .map(|(number, what)| format!("{} {what}", count(number)))
                .collect();
        if !parts.is_empty() {
            text.push_str(&format!(" ({})", parts.join(", ")));
        }
        text
    }

    /// How the values are distributed; nothing where no case was scored.
    pub fn histogram(&self) -> Option<Histogram> {
        self.filling.histogram()
    }
}

impl Serialize for MetricSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("MetricSummary", 19)?;
        map.serialize_field("name", &self.info.name)?;
        map.serialize_field("mean", &self.mean())?;
        map.serialize_field("interval", &self.interval())?;
        map.serialize_field("cases", &self.cases())?;
        map.serialize_field("scored", &self.scored)?;
        if self.labelled > 0 {
            map.serialize_field("labelled", &self.labelled)?;
        }
        if self.unsure > 0 {
            map.serialize_field("unsure", &self.unsure)?;
        }
        if let Some(coverage) = self.coverage() {
            map.serialize_field("coverage", &coverage)?;
        }
        if self.out_of_range > 0 {
            map.serialize_field("out_of_calibrated_range", &self.out_of_range)?;
        }
        if self.decided != DecidedCounts::default() {
            map.serialize_field("decided", &self.decided)?;
        }
        map.serialize_field("not_applicable", &self.not_applicable)?;
        map.serialize_field("failed", &self.failed)?;
        if self.not_run > 0 {
            map.serialize_field("not_run", &self.not_run)?;
        }
        map.serialize_field("min", &self.min)?;
        map.serialize_field("max", &self.max)?;
        map.serialize_field("histogram", &self.histogram())?;
        if !self.labels.is_empty() {
            map.serialize_field("labels", &self.labels)?;
        }
        if !self.repeats.is_empty() {
            map.serialize_field("pass_at", &self.repeats)?;
            map.serialize_field("pass_all", &self.repeats.pass_all_by_name())?;
        }
        map.serialize_field("not_applicable_reasons", &self.not_applicable_reasons)?;
        map.serialize_field("failed_reasons", &self.failed_reasons)?;
        map.end()
    }
}

/// The least and the greatest value that a user's decision thresholds were calibrated on.
pub(super) fn calibrated_range(info: &MetricInfo) -> Option<(f64, f64)> {
    DecisionThresholds::take_from_options(&mut info.options.clone()).ok().flatten()?.range
}
