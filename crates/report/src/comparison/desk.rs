//! A comparison for pages that are drawn elsewhere: the words and digits of the terminal, and the numbers behind a picture.

use serde_json::{Value as Json, json};

use super::told::{
    detectable, evidence, interval, interval_adjusted, movements, p_value, pairing, result, signed, step,
};
use super::{Comparison, Evidences, Finding, Measured, Other};
use crate::number::column;

/// Changed cases of a metric that are shown.
const CHANGES: usize = 50;

impl Comparison {
    /// Everything that the terminal says, as JSON: numbers are written as they are there.
    pub fn to_desk(&self, evidences: &Evidences) -> Json {
        let others: Vec<Json> =
            self.others.iter().enumerate().map(|(at, other)| of_other(other, evidences, at + 1)).collect();
        json!({
            "baseline": self.baseline,
            "by": self.by,
            "rule": self.rule,
            "notes": self.notes,
            "others": others,
        })
    }
}

fn of_other(other: &Other, evidences: &Evidences, run: usize) -> Json {
    let metrics: Vec<Json> = (other.metrics.iter())
        .map(|metric| {
            let slice = |slice: &super::Slice| {
                let mut told = of_finding(&slice.finding);
                told["slice"] = slice.slice.clone().into();
                told
            };
            json!({
                "metric": metric.metric,
                "better": metric.better,
                "width": Some(metric.info.range.1 - metric.info.range.0).filter(|width| width.is_finite()),
                "whole": metric.whole.as_ref().map(of_finding),
                "movements": movements(metric),
                "slices": metric.slices.iter().map(slice).collect::<Vec<_>>(),
                "changes": changes(metric, evidences, run),
                "more": (metric.improved + metric.worsened).saturating_sub(CHANGES as u64),
            })
        })
        .collect();
    json!({"name": other.name, "pairing": pairing(other.pairing), "metrics": metrics})
}

fn of_finding(finding: &Finding) -> Json {
    let ends = finding.contrast.interval;
    json!({
        "baseline": column(finding.baseline),
        "other": column(finding.other),
        "difference": signed(finding.contrast.mean),
        "interval": interval(finding),
        "p": p_value(finding.contrast.p_value),
        "adjusted": p_value(finding.adjusted),
        "adjusted_interval": interval_adjusted(finding),
        "detectable": detectable(finding),
        "pairs": finding.contrast.pairs,
        "verdict": finding.verdict(),
        // For a picture.
        "mean": finding.contrast.mean,
        "ends": ends.map(|ends| (ends.low, ends.high)),
    })
}

/// What got worse comes first, and of that what crossed the middle.
fn changes(metric: &Measured, evidences: &Evidences, run: usize) -> Vec<Json> {
    let why = |change: &super::Change, run: usize| {
        result(evidences, change, run, &metric.metric).map(evidence).unwrap_or_default()
    };
    (metric.changes.iter().take(CHANGES))
        .map(|change| {
            json!({
                "id": change.case.id,
                "occurrence": change.case.occurrence,
                "model": change.case.model,
                "improved": change.improved,
                "flipped": change.flipped,
                "step": step(change),
                "why": [why(change, 0), why(change, run)],
            })
        })
        .collect()
}
