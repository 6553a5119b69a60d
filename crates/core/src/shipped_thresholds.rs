//! [`ShippedThresholds`]: the decision thresholds that come with a metric, and how often they were wrong on held-out text.

use serde_json::{Value as Json, json};

use crate::UNSURE;

/// Decision thresholds that are part of a metric's definition. Reports name them and print their held-out error, so that
/// nobody takes a label for more than was measured. Thresholds that a user calibrates are [`DecisionThresholds`](crate::DecisionThresholds).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShippedThresholds {
    /// Their name, such as `answers-2026-11`; a change of a threshold is a new name.
    pub name: &'static str,
    /// When they were calibrated, as year, month and day.
    pub date: &'static str,
    /// The text that they were calibrated on, in words. None of it is part of the held-out figures.
    pub calibrated_on: &'static str,
    /// The text that the figures come from, in words.
    pub held_out_on: &'static str,
    /// Cases of that text.
    pub held_out_cases: u32,
    /// The labels, the first that fits wins.
    pub labels: &'static [LabelThreshold],
}

/// From where on a value has a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelThreshold {
    /// The label.
    pub label: &'static str,
    /// Which values have it.
    pub when: ScaleCutoff,
    /// Held-out cases that got the label.
    pub decided: u32,
    /// Those of them where people agree.
    pub right: u32,
}

/// One end of a scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScaleCutoff {
    /// This value or less.
    AtMost(f64),
    /// This value or more.
    AtLeast(f64),
}

impl ScaleCutoff {
    fn includes(self, value: f64) -> bool {
        match self {
            Self::AtMost(end) => value <= end,
            Self::AtLeast(end) => value >= end,
        }
    }
}

impl ShippedThresholds {
    /// The label of a value: `unsure` where no threshold is reached.
    pub fn label(&self, value: f64) -> &'static str {
        self.labels.iter().find(|entry| entry.when.includes(value)).map_or(UNSURE, |entry| entry.label)
    }

    /// Share of the held-out cases that were decided.
    pub fn coverage(&self) -> f64 {
        let decided: u32 = self.labels.iter().map(|entry| entry.decided).sum();
        f64::from(decided) / f64::from(self.held_out_cases.max(1))
    }

    /// What manifests and reports say about them.
    pub fn to_json(&self) -> Json {
        let labels = self.labels.iter().map(|entry| {
            let (side, end) = match entry.when {
                ScaleCutoff::AtMost(end) => ("at_most", end),
                ScaleCutoff::AtLeast(end) => ("at_least", end),
            };
            json!({"label": entry.label, side: end, "decided": entry.decided, "right": entry.right})
        });
        json!({
            "name": self.name,
            "date": self.date,
            "calibrated_on": self.calibrated_on,
            "held_out": {"on": self.held_out_on, "cases": self.held_out_cases},
            "labels": labels.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THRESHOLDS: ShippedThresholds = ShippedThresholds {
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
    fn between_the_thresholds_the_label_is_unsure() {
        let labels = [0.0, 0.1, 0.5, 0.8, 1.0].map(|value| THRESHOLDS.label(value));
        assert_eq!(labels, ["wrong", "wrong", "unsure", "right", "right"]);
        assert_eq!(THRESHOLDS.coverage(), 0.75);
    }

    #[test]
    fn reports_get_every_threshold_with_its_figures() {
        let report = THRESHOLDS.to_json();
        assert_eq!(report["labels"][1], json!({"label": "wrong", "at_most": 0.1, "decided": 5, "right": 5}));
        assert_eq!(report["held_out"], json!({"on": "20 other cases", "cases": 20}));
    }
}
