//! [`PartialSummary`]: what a part of a run came to, as text that travels between machines and is put together again.
//!
//! The sums are exact, so that mean and interval do not depend on how the run was cut. Of reasons and labels, which are kept
//! up to a number, those stay that come first.

use serde::{Deserialize, Serialize};

use super::case_table::CaseCounts;
use super::histogram::HistogramBuilder;
use super::moments::Moments;
use super::{DecidedCounts, LabelCounts, MetricSummary, ReasonCounts, Summary};

/// A summary with everything that it takes to go on with it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartialSummary {
    cases: CaseCounts,
    outputs: u64,
    lost_rows: u64,
    warnings: u64,
    metrics: Vec<PartialMetric>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartialMetric {
    name: String,
    scored: u64,
    not_applicable: u64,
    failed: u64,
    min: Option<f64>,
    max: Option<f64>,
    not_applicable_reasons: ReasonCounts,
    failed_reasons: ReasonCounts,
    labels: LabelCounts,
    moments: Moments,
    filling: HistogramBuilder,
    unsure: u64,
    #[serde(default)]
    decided: DecidedCounts,
    #[serde(default)]
    out_of_range: u64,
    #[serde(default)]
    not_run: u64,
    #[serde(default)]
    over_limit: u64,
    #[serde(default)]
    labelled: u64,
}

impl Summary {
    /// This summary as a part of a larger one. Groups, gates and the words of remarks stay behind.
    pub fn partial(&self) -> PartialSummary {
        let piece = |metric: &MetricSummary| PartialMetric {
            name: metric.info.name.clone(),
            scored: metric.scored,
            not_applicable: metric.not_applicable,
            failed: metric.failed,
            min: metric.min,
            max: metric.max,
            not_applicable_reasons: metric.not_applicable_reasons.clone(),
            failed_reasons: metric.failed_reasons.clone(),
            labels: metric.labels.clone(),
            moments: metric.means.moments.clone(),
            filling: metric.filling.clone(),
            unsure: metric.unsure,
            decided: metric.decided,
            out_of_range: metric.out_of_range,
            labelled: metric.labelled,
            not_run: metric.not_run,
            over_limit: metric.over_limit,
        };
        PartialSummary {
            cases: self.table.counts(),
            outputs: self.outputs,
            lost_rows: self.lost_rows,
            warnings: self.warnings,
            metrics: self.metrics.iter().map(piece).collect(),
        }
    }

    /// Takes in a part. Nothing happens where its metrics are not those of this summary.
    pub fn merge(&mut self, part: &PartialSummary) -> Result<(), MetricMismatch> {
        let names = |summary: &Self| summary.metrics.iter().map(|metric| metric.info.name.clone()).collect::<Vec<_>>();
        let of_part: Vec<String> = part.metrics.iter().map(|piece| piece.name.clone()).collect();
        if names(self) != of_part {
            return Err(MetricMismatch { own: names(self), of_part });
        }
        self.table.absorb(&part.cases);
        self.cases = self.table.cases();
        self.outputs += part.outputs;
        self.lost_rows += part.lost_rows;
        self.warnings += part.warnings;
        for (metric, piece) in self.metrics.iter_mut().zip(&part.metrics) {
            metric.scored += piece.scored;
            metric.not_applicable += piece.not_applicable;
            metric.failed += piece.failed;
            metric.min = merge_optional(metric.min, piece.min, f64::min);
            metric.max = merge_optional(metric.max, piece.max, f64::max);
            metric.not_applicable_reasons.merge(&piece.not_applicable_reasons);
            metric.failed_reasons.merge(&piece.failed_reasons);
            metric.labels.merge(&piece.labels);
            metric.means.moments.merge(&piece.moments);
            metric.unsure += piece.unsure;
            metric.decided.merge(piece.decided);
            metric.out_of_range += piece.out_of_range;
            metric.labelled += piece.labelled;
            metric.not_run += piece.not_run;
            metric.over_limit += piece.over_limit;
            metric.filling.merge(&piece.filling);
        }
        self.settle();
        Ok(())
    }
}

fn merge_optional(left: Option<f64>, right: Option<f64>, of_both: fn(f64, f64) -> f64) -> Option<f64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(of_both(left, right)),
        (one, other) => one.or(other),
    }
}

/// A part has other metrics than the whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the part has the metrics {}, the whole has {}", of_part.join(", "), own.join(", "))]
pub struct MetricMismatch {
    own: Vec<String>,
    of_part: Vec<String>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::{metrics, result};

    fn of(values: &[f64]) -> Summary {
        let mut summary = Summary::default();
        summary.start("cases.jsonl", &metrics());
        for (number, value) in values.iter().enumerate() {
            summary.add(&result(&number.to_string(), *value));
        }
        summary
    }

    proptest! {
        #[test]
        fn parts_give_the_whole_however_it_was_cut(values in proptest::collection::vec(-1e6..1e6f64, 0..60), cut in 0..60usize) {
            let (left, right) = values.split_at(cut.min(values.len()));
            let mut together = of(&[]);
            for part in [right, left] {
                let text = serde_json::to_string(&of(part).partial()).unwrap();
                together.merge(&serde_json::from_str(&text).unwrap()).unwrap();
            }
            prop_assert_eq!(serde_json::to_string(&together).unwrap(), serde_json::to_string(&of(&values)).unwrap());
        }
    }

    #[test]
    fn repeats_that_were_cut_apart_have_no_interval() {
        let part = |repeat: u32| {
            let mut summary = of(&[]);
            for number in 0..4 {
                let mut output = result(&number.to_string(), 0.25 * f64::from(number));
                output.repeat = repeat;
                summary.add(&output);
            }
            summary.partial()
        };
        let mut together = of(&[]);
        together.merge(&part(0)).unwrap();
        assert!(together.metrics[0].interval().is_some());
        together.merge(&part(1)).unwrap();
        assert_eq!(together.metrics[0].interval(), None);
        assert!(together.no_intervals.is_some());
    }

    #[test]
    fn a_part_of_another_run_is_refused() {
        let mut one_less = Summary::default();
        one_less.start("cases.jsonl", &metrics()[..1]);
        let error = of(&[]).merge(&one_less.partial()).unwrap_err().to_string();
        assert!(error.starts_with("the part has the metrics relevance, the whole has relevance, "), "{error}");
    }
}
