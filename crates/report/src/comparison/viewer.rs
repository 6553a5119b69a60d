//! A comparison for pages that are drawn elsewhere: the words and digits of the terminal, and the numbers behind a picture.

use serde_json::{Value as Json, json};

use super::phrases::{
    adjusted_interval_text, detectable, evidence, interval, movements, p_value, pairing, result, signed, step,
};
use super::{ComparedRun, EvidenceByCase, MetricComparison, MetricDifference, RunComparison};
use crate::number::three_decimals;

/// Changed cases of a metric that are shown.
const CHANGES: usize = 50;

impl RunComparison {
    /// Everything that the terminal says, as JSON: numbers are written as they are there.
    pub fn to_viewer_json(&self, evidences: &EvidenceByCase) -> Json {
        let others: Vec<Json> =
            self.others.iter().enumerate().map(|(at, other)| run_to_json(other, evidences, at + 1)).collect();
        json!({
            "baseline": self.baseline,
            "by": self.by,
            "rule": self.rule,
            "notes": self.notes,
            "others": others,
        })
    }
}

fn run_to_json(other: &ComparedRun, evidences: &EvidenceByCase, run: usize) -> Json {
    let metrics: Vec<Json> = (other.metrics.iter())
        .map(|metric| {
            let slice = |slice: &super::Slice| {
                let mut told = difference_to_json(&slice.finding);
                told["slice"] = slice.slice.clone().into();
                told
            };
            json!({
                "metric": metric.metric,
                "better": metric.better,
                "width": Some(metric.info.range.1 - metric.info.range.0).filter(|width| width.is_finite()),
                "whole": metric.whole.as_ref().map(difference_to_json),
                "movements": movements(metric),
                "models": metric.models.iter().map(slice).collect::<Vec<_>>(),
                "slices": metric.slices.iter().map(slice).collect::<Vec<_>>(),
                "changes": changes(metric, evidences, run),
                "more": (metric.improved + metric.worsened).saturating_sub(CHANGES as u64),
            })
        })
        .collect();
    json!({"name": other.name, "pairing": pairing(other.pairing), "metrics": metrics})
}

fn difference_to_json(finding: &MetricDifference) -> Json {
    let ends = finding.contrast.interval;
    json!({
        "baseline": three_decimals(finding.baseline),
        "other": three_decimals(finding.other),
        "difference": signed(finding.contrast.mean),
        "interval": interval(finding),
        "p": p_value(finding.contrast.p_value),
        "adjusted": p_value(finding.adjusted),
        "adjusted_interval": adjusted_interval_text(finding),
        "detectable": detectable(finding),
        "pairs": finding.contrast.pairs,
        "verdict": finding.verdict(),
        // For a picture.
        "mean": finding.contrast.mean,
        "ends": ends.map(|ends| (ends.low, ends.high)),
    })
}

/// What got worse comes first, and of that what crossed the middle.
fn changes(metric: &MetricComparison, evidences: &EvidenceByCase, run: usize) -> Vec<Json> {
    let why = |change: &super::CaseChange, run: usize| {
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
