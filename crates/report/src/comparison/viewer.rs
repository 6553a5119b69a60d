//! A comparison for pages that are drawn elsewhere: the words and digits of the terminal, and the numbers behind a picture.

use schemars::JsonSchema;
use serde::Serialize;

use super::phrases::{
    adjusted_interval_text, detectable, evidence, interval, movements, p_value, pairing, question, result, signed, step,
};
use super::{ComparedRun, EvidenceByCase, MetricComparison, MetricDifference, RunComparison};
use crate::escape::excerpt;
use crate::number::three_decimals;

/// Changed cases of a metric that are shown.
const CHANGES: usize = 50;

/// Characters of the question of a changed case.
const OPENING: usize = 200;

/// Everything that the terminal says of a comparison; numbers are written as they are there.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ComparisonView {
    /// What is compared with.
    pub baseline: String,
    /// What slices are made by.
    pub by: Option<String>,
    /// The rule that decides, in words.
    pub rule: String,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// What is compared.
    pub others: Vec<ComparedRunView>,
}

/// A run against the baseline.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ComparedRunView {
    /// Its name.
    pub name: String,
    /// Which cases are in both, in words.
    pub pairing: String,
    /// One for each metric.
    pub metrics: Vec<MetricComparisonView>,
}

/// A metric in both runs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MetricComparisonView {
    /// Its name.
    pub metric: String,
    /// `higher` or `lower`.
    pub better: &'static str,
    /// Width of its range, where it has two ends.
    pub width: Option<f64>,
    /// Over all cases; nothing where no pair was scored.
    pub whole: Option<DifferenceView>,
    /// How many got better and worse, in words.
    pub movements: String,
    /// Model by model.
    pub models: Vec<SliceView>,
    /// Slice by slice.
    pub slices: Vec<SliceView>,
    /// Cases that changed most.
    pub changes: Vec<CaseChangeView>,
    /// Changed cases that are not shown.
    pub more: u64,
}

/// A difference of means.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DifferenceView {
    /// Mean of the baseline.
    pub baseline: String,
    /// Mean of the other.
    pub other: String,
    /// The other minus the baseline.
    pub difference: String,
    /// Its interval.
    pub interval: String,
    /// Its p-value.
    pub p: String,
    /// The p-value, adjusted for all tests.
    pub adjusted: String,
    /// The interval, adjusted likewise.
    pub adjusted_interval: String,
    /// The minimum detectable effect.
    pub detectable: String,
    /// Cases that were scored in both.
    pub pairs: usize,
    /// The verdict, in words.
    pub verdict: &'static str,
    /// The difference as a number, for a picture.
    pub mean: f64,
    /// Ends of its interval, for a picture.
    pub ends: Option<(f64, f64)>,
}

/// The difference within a slice.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SliceView {
    /// Its name.
    pub slice: String,
    /// The difference.
    #[serde(flatten)]
    pub difference: DifferenceView,
}

/// A case whose value changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CaseChangeView {
    /// Its id.
    pub id: String,
    /// How its question begins, where it is known.
    pub query: Option<String>,
    /// How many cases of the same id come before it.
    pub occurrence: u32,
    /// Whose output it is.
    pub model: Option<String>,
    /// Whether it got better.
    pub improved: bool,
    /// Whether it crossed the middle.
    pub flipped: bool,
    /// From which value to which.
    pub step: String,
    /// The evidence in the baseline and in the other.
    pub why: [String; 2],
}

impl RunComparison {
    /// Everything that the terminal says, for a page.
    pub fn to_view(&self, evidences: &EvidenceByCase) -> ComparisonView {
        ComparisonView {
            baseline: self.baseline.clone(),
            by: self.by.clone(),
            rule: self.rule.clone(),
            notes: self.notes.clone(),
            others: (self.others.iter().enumerate())
                .map(|(at, other)| compared_run(other, evidences, at + 1))
                .collect(),
        }
    }
}

fn compared_run(other: &ComparedRun, evidences: &EvidenceByCase, run: usize) -> ComparedRunView {
    let slice = |slice: &super::Slice| SliceView { slice: slice.slice.clone(), difference: difference(&slice.finding) };
    let metrics = other.metrics.iter().map(|metric| MetricComparisonView {
        metric: metric.metric.clone(),
        better: metric.better,
        width: Some(metric.info.range.1 - metric.info.range.0).filter(|width| width.is_finite()),
        whole: metric.whole.as_ref().map(difference),
        movements: movements(metric),
        models: metric.models.iter().map(slice).collect(),
        slices: metric.slices.iter().map(slice).collect(),
        changes: changes(metric, evidences, run),
        more: (metric.improved + metric.worsened).saturating_sub(CHANGES as u64),
    });
    ComparedRunView { name: other.name.clone(), pairing: pairing(other.pairing), metrics: metrics.collect() }
}

fn difference(finding: &MetricDifference) -> DifferenceView {
    DifferenceView {
        baseline: three_decimals(finding.baseline),
        other: three_decimals(finding.other),
        difference: signed(finding.contrast.mean),
        interval: interval(finding),
        p: p_value(finding.contrast.p_value),
        adjusted: p_value(finding.adjusted),
        adjusted_interval: adjusted_interval_text(finding),
        detectable: detectable(finding),
        pairs: finding.contrast.pairs,
        verdict: finding.verdict(),
        mean: finding.contrast.mean,
        ends: finding.contrast.interval.map(|ends| (ends.low, ends.high)),
    }
}

/// What got worse comes first, and of that what crossed the middle.
fn changes(metric: &MetricComparison, evidences: &EvidenceByCase, run: usize) -> Vec<CaseChangeView> {
    let why = |change: &super::CaseChange, run: usize| {
        result(evidences, change, run, &metric.metric).map(evidence).unwrap_or_default()
    };
    (metric.changes.iter().take(CHANGES))
        .map(|change| CaseChangeView {
            id: change.case.id.clone(),
            query: question(evidences, change, run).map(|query| excerpt(query, OPENING)),
            occurrence: change.case.occurrence,
            model: change.case.model.clone(),
            improved: change.improved,
            flipped: change.flipped,
            step: step(change),
            why: [why(change, 0), why(change, run)],
        })
        .collect()
}
