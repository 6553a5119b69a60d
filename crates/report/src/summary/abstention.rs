//! What a reader has to know of a metric that may abstain: its coverage, the thresholds that its labels rest on, whether they fit
//! this run, and what to do about what is unsure.

use probare_core::DecisionThresholds;
use serde_json::Value as Json;

use super::Summary;
use super::metric_summary::{MetricSummary, calibrated_range};
use crate::number::{count, percent, rounded};

/// A sentence about the labels of a run, and what kind it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelRemark {
    /// Which thresholds labels rest on.
    Thresholds(String),
    /// Labels may not be what they seem.
    Warning(String),
    /// What to do next.
    Next(String),
}

impl LabelRemark {
    /// One word for what it is, and the sentence.
    pub fn parts(&self) -> (&'static str, &str) {
        match self {
            Self::Thresholds(words) => ("thresholds", words),
            Self::Warning(words) => ("warning", words),
            Self::Next(words) => ("next", words),
        }
    }
}

/// Shipped thresholds in one line: name, date, coverage, and how often each label was correct on held-out cases.
pub fn describe_thresholds(thresholds: &Json) -> Option<String> {
    let text = |pointer: &str| thresholds.pointer(pointer).and_then(Json::as_str);
    let cases = thresholds.pointer("/held_out/cases").and_then(Json::as_u64)?;
    let labels = thresholds.get("labels")?.as_array()?;
    let number = |label: &Json, name: &str| label.get(name).and_then(Json::as_u64).unwrap_or_default();
    let decided: u64 = labels.iter().map(|label| number(label, "decided")).sum();
    let right: Vec<String> = labels
        .iter()
        .filter_map(|label| {
            let (right, decided) = (number(label, "right"), number(label, "decided"));
            Some(format!("`{}` was correct in {} of {}", label.get("label")?.as_str()?, count(right), count(decided)))
        })
        .collect();
    Some(format!(
        "{} of {}. Of {} held-out cases ({}), {} were decided: {}",
        text("/name")?,
        text("/date")?,
        count(cases),
        text("/held_out/on")?,
        percent(decided as f64 / cases.max(1) as f64),
        right.join(", "),
    ))
}

impl MetricSummary {
    /// The share of the scored outputs that is decided; nothing where the metric has no labels, or never abstains.
    pub fn coverage(&self) -> Option<f64> {
        let may_abstain = self.unsure > 0
            || self.info.decision_thresholds.is_some()
            || DecisionThresholds::OPTION_NAMES.iter().any(|name| self.info.options.get(name).is_some());
        (may_abstain && self.scored > 0 && !self.labels.is_empty())
            .then(|| (self.scored - self.unsure) as f64 / self.scored as f64)
    }

    /// `PASS 9, WARN 2`, and where the metric may abstain `coverage 20 % (3 of 15 decided): unsure 12, PASS 3`.
    pub fn label_words(&self) -> String {
        match self.coverage() {
            None => self.labels.words(),
            Some(coverage) => format!(
                "coverage {} ({} of {} decided): {}",
                percent(coverage),
                count(self.scored - self.unsure),
                count(self.scored),
                self.labels.words()
            ),
        }
    }
}

impl Summary {
    /// What a reader has to know of labels: which thresholds they rest on, where these do not fit, and what to do next.
    pub fn label_remarks(&self) -> Vec<LabelRemark> {
        let mut remarks = Vec::new();
        for metric in &self.metrics {
            let name = &metric.info.name;
            if let Some(words) = metric.info.decision_thresholds.as_ref().and_then(describe_thresholds) {
                remarks.push(LabelRemark::Thresholds(format!("{name}: shipped with it: {words}")));
            }
            if let (Some((least, greatest)), 1..) = (calibrated_range(&metric.info), metric.out_of_range) {
                remarks.push(LabelRemark::Warning(format!(
                    "{name}: {} of {} values lie outside of those that its decision thresholds were calibrated on ({} to {}), so the guarantee may not hold; calibrate again with such cases",
                    count(metric.out_of_range),
                    count(metric.scored),
                    rounded(least),
                    rounded(greatest),
                )));
            }
        }
        let unsure = |metric: &&MetricSummary| metric.unsure > 0 && !metric.labels.is_empty();
        let names: Vec<&str> = self.metrics.iter().filter(unsure).map(|metric| metric.info.name.as_str()).collect();
        if !names.is_empty() {
            remarks.push(LabelRemark::Next(format!(
                "to decide more of what {} left unsure, calibrate on labels of your own (`probare calibrate`) or let a judge decide the rest (`judge: when_unsure`, where the metric takes it)",
                names.join(", ")
            )));
        }
        remarks
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{CaseResult, LabelThreshold, Outcome, ScaleCutoff, ShippedThresholds};
    use serde_json::json;

    use super::*;
    use crate::testing::{events, metrics, result};

    fn labelled(id: &str, value: f64, label: &'static str) -> CaseResult {
        let mut result = result(id, value);
        result.results.truncate(1);
        if let Ok(Outcome::Scored(score)) = &mut result.results[0] {
            score.label = Some(label.into());
        }
        result
    }

    const SHIPPED: ShippedThresholds = ShippedThresholds {
        name: "example-2026-11",
        date: "2026-11-18",
        calibrated_on: "40 written cases",
        held_out_on: "20 other cases",
        held_out_cases: 20,
        labels: &[
            LabelThreshold { label: "right", when: ScaleCutoff::AtLeast(0.8), decided: 10, right: 9 },
            LabelThreshold { label: "wrong", when: ScaleCutoff::AtMost(0.1), decided: 5, right: 5 },
        ],
    };

    #[test]
    fn coverage_stands_beside_the_labels_of_a_metric_that_abstains() {
        let results = [labelled("a", 1.0, "right"), labelled("b", 0.5, "unsure"), labelled("c", 0.5, "unsure")];
        let mut summary = Summary::default();
        events(&mut summary, &metrics()[..1], &results);
        let metric = &summary.metrics[0];
        assert_eq!(metric.label_words(), "coverage 33.33 % (1 of 3 decided): unsure 2, right 1");
        assert_eq!(serde_json::to_value(metric).unwrap()["coverage"], json!(1.0 / 3.0));
        let remarks = summary.label_remarks();
        assert!(matches!(&remarks[..], [LabelRemark::Next(words)] if words.contains("left unsure")), "{remarks:?}");

        let mut decided = Summary::default();
        events(&mut decided, &metrics()[..1], &results[..1]);
        assert_eq!((decided.metrics[0].coverage(), decided.label_remarks()), (None, Vec::new()));
    }

    #[test]
    fn shipped_thresholds_are_named_with_their_error() {
        let mut infos = metrics()[..1].to_vec();
        infos[0].decision_thresholds = Some(SHIPPED.to_json());
        let mut summary = Summary::default();
        events(&mut summary, &infos, &[labelled("a", 1.0, "right")]);
        assert_eq!(summary.metrics[0].coverage(), Some(1.0), "it may abstain, though it did not");
        insta::assert_snapshot!(summary.label_remarks()[0].parts().1, @"relevance: shipped with it: example-2026-11 of 2026-11-18. Of 20 held-out cases (20 other cases), 75 % were decided: `right` was correct in 9 of 10, `wrong` was correct in 5 of 5");
    }

    #[test]
    fn values_beyond_the_calibration_are_counted() {
        let mut infos = metrics()[..1].to_vec();
        infos[0].options = json!({"decision_thresholds": {"pass": 0.8, "fail": null, "error": 0.05, "confidence": 0.95, "range": [0.2, 0.9]}});
        let mut summary = Summary::default();
        let results = [labelled("a", 0.9, "pass"), labelled("b", 1.0, "pass"), labelled("c", 0.1, "unsure")];
        events(&mut summary, &infos, &results);
        assert_eq!(summary.metrics[0].out_of_range, 2);
        let remarks = summary.label_remarks();
        let (word, words) = remarks[0].parts();
        assert_eq!(word, "warning");
        assert!(words.starts_with("relevance: 2 of 3 values lie outside of those"), "{words}");
    }
}
