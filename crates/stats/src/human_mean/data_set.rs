//! The human mean of a data set, from labels of cases drawn at random.

use super::{NO_SPREAD, cross_sum, effective_corrections, mean_of, symmetric_interval};
use crate::sequential::{Observation, Sampling, anytime_interval};
use crate::{Interval, student_quantile};

/// Fewer labels are refused.
pub const FEWEST_LABELS: usize = 5;

/// Labels from which on a normal interval is printed.
const FEWEST_FOR_NORMAL: usize = 30;

/// Corrections of the judge from which on a normal interval is printed: with fewer it covers too seldom.
const FEWEST_CORRECTIONS: f64 = 8.0;

/// Whether an interval by Student's t may be printed: with fewer labels, or fewer corrections of the judge among them, it
/// covers too seldom.
pub fn is_normal_enough(labels: usize, corrections: f64) -> bool {
    labels >= FEWEST_FOR_NORMAL && corrections >= FEWEST_CORRECTIONS
}

/// What people would say on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DataSetEstimate {
    /// The estimate.
    pub mean: f64,
    /// How far the judge is followed: 0 is labels alone.
    pub lambda: f64,
    /// Corrections of the judge among the labels, as a number of equal ones.
    pub corrections: f64,
    /// The interval by Student's t, which needs enough labels and corrections.
    pub normal: Interval,
    /// The interval that holds for any judge and any number of labels.
    pub exact: Interval,
    /// Whether the normal interval may be printed.
    pub is_normal: bool,
    /// Labels alone that would give as short an interval, where the normal one is printed.
    pub worth_labels: Option<f64>,
}

impl DataSetEstimate {
    /// The interval to print.
    pub const fn interval(&self) -> Interval {
        if self.is_normal { self.normal } else { self.exact }
    }
}

/// An estimate is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataSetEstimateError {
    /// Fewer labels than [`FEWEST_LABELS`].
    TooFewLabels,
    /// As many scores as labels are needed, at most as many as there are cases.
    UnequalLengths,
    /// A label or a score outside of the scale.
    OutOfRange,
}

/// The mean that people would give `cases` cases, of which some have labels, all from 0 to 1. `judge` are the judge's scores
/// of the labelled cases, in the same order, and `judge_mean` is its mean over all cases.
pub fn estimate_data_set(
    labels: &[f64],
    judge: &[f64],
    cases: usize,
    judge_mean: f64,
    alpha: f64,
) -> Result<DataSetEstimate, DataSetEstimateError> {
    estimate_data_set_on_scale((0.0, 1.0), labels, judge, cases, judge_mean, alpha)
}

/// The same on another scale: -1 to 1 for differences between two models.
pub fn estimate_data_set_on_scale(
    (least, greatest): (f64, f64),
    labels: &[f64],
    judge: &[f64],
    cases: usize,
    judge_mean: f64,
    alpha: f64,
) -> Result<DataSetEstimate, DataSetEstimateError> {
    let count = labels.len();
    if count < FEWEST_LABELS {
        return Err(DataSetEstimateError::TooFewLabels);
    }
    if judge.len() != count || count > cases {
        return Err(DataSetEstimateError::UnequalLengths);
    }
    if !labels.iter().chain(judge).all(|value| (least..=greatest).contains(value)) {
        return Err(DataSetEstimateError::OutOfRange);
    }
    let spread = cross_sum(judge, judge);
    let lambda = if spread <= NO_SPREAD { 0.0 } else { (cross_sum(judge, labels) / spread).clamp(0.0, 1.0) };
    let (label_mean, labelled_judge_mean) = (mean_of(labels), mean_of(judge));
    let mean = label_mean + lambda * (judge_mean - labelled_judge_mean);
    let residuals: Vec<f64> = labels
        .iter()
        .zip(judge)
        .map(|(label, score)| (label - label_mean) - lambda * (score - labelled_judge_mean))
        .collect();
    let number = count as f64;
    let unlabelled = 1.0 - number / cases as f64;
    let half_width = |squares: f64, freedom: f64| {
        let quantile = student_quantile(1.0 - alpha / 2.0, freedom);
        quantile * (unlabelled * squares / freedom / number).sqrt()
    };
    let half = half_width(residuals.iter().map(|residual| residual * residual).sum(), number - 2.0);
    let labels_alone = half_width(cross_sum(labels, labels), number - 1.0);
    let corrections = effective_corrections(&residuals);
    let is_normal = is_normal_enough(count, corrections);
    // A residual lies on a scale of twice the width; here it is moved to 0 to 1, where the bounds are.
    let width = 2.0 * (greatest - least);
    let moved = |(label, score): (&f64, &f64)| Observation::Value((label - score) / width + 0.5);
    let observations: Vec<Observation> = labels.iter().zip(judge).map(moved).collect();
    let bounds = anytime_interval(&observations, Sampling::DataSet { cases }, alpha);
    let back = |bound: f64| (judge_mean + (bound - 0.5) * width).clamp(least, greatest);
    Ok(DataSetEstimate {
        mean,
        lambda,
        corrections,
        normal: symmetric_interval(mean, half),
        exact: Interval { low: back(bounds.low), high: back(bounds.high) },
        is_normal,
        worth_labels: is_normal.then(|| number * (labels_alone / half).powi(2)),
    })
}
