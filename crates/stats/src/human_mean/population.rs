//! The human mean of the population that cases come from (PPI and PPI++, as `ppi-python` computes them).

use super::{NO_SPREAD, cross_sum, effective_corrections, mean_of, symmetric_interval};
use crate::{Interval, normal_quantile, student_quantile};

/// An estimate of a mean of the population.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationEstimate {
    /// How far the judge is followed.
    pub lambda: f64,
    /// The estimate.
    pub mean: f64,
    /// Corrections of the judge among the labels, as a number of equal ones.
    pub corrections: f64,
    pub interval: Interval,
}

/// The mean that people would give cases like these: from `labels` with the judge's scores of the same cases, and its scores
/// of further cases. `lambda` says how far the judge is followed; without it the value that makes the interval shortest.
///
/// This is the published interval, by the normal distribution. With few labels it is too short:
/// [`estimate_population_small`] covers as it says from 30 labels on.
pub fn estimate_population(
    labels: &[f64],
    judge: &[f64],
    judge_rest: &[f64],
    lambda: Option<f64>,
    alpha: f64,
) -> PopulationEstimate {
    let count = labels.len() as f64;
    let lambda = lambda.unwrap_or_else(|| shortest_lambda(labels, judge, judge_rest));
    estimate_with(labels, judge, judge_rest, lambda, (normal_quantile(1.0 - alpha / 2.0), count))
}

/// The same with Student's t and the degrees of freedom that are left: two fewer than there are labels. Nothing for fewer than
/// three labels, or without further cases.
pub fn estimate_population_small(
    labels: &[f64],
    judge: &[f64],
    judge_rest: &[f64],
    alpha: f64,
) -> Option<PopulationEstimate> {
    if labels.len() < 3 || judge_rest.is_empty() {
        return None;
    }
    let freedom = labels.len() as f64 - 2.0;
    let lambda = shortest_lambda(labels, judge, judge_rest);
    Some(estimate_with(labels, judge, judge_rest, lambda, (student_quantile(1.0 - alpha / 2.0, freedom), freedom)))
}

fn shortest_lambda(labels: &[f64], judge: &[f64], judge_rest: &[f64]) -> f64 {
    let (count, rest) = (labels.len() as f64, judge_rest.len() as f64);
    let all: Vec<f64> = judge.iter().chain(judge_rest).copied().collect();
    let variance = cross_sum(&all, &all) / (all.len() as f64 - 1.0);
    let covariance = cross_sum(labels, judge) / count;
    if variance <= NO_SPREAD { 0.0 } else { (covariance / ((1.0 + count / rest) * variance)).clamp(0.0, 1.0) }
}

/// `freedom` divides the squares of the corrected labels.
fn estimate_with(
    labels: &[f64],
    judge: &[f64],
    judge_rest: &[f64],
    lambda: f64,
    (quantile, freedom): (f64, f64),
) -> PopulationEstimate {
    let (count, rest) = (labels.len() as f64, judge_rest.len() as f64);
    let corrected: Vec<f64> = labels.iter().zip(judge).map(|(label, score)| label - lambda * score).collect();
    let mean = lambda * mean_of(judge_rest) + mean_of(&corrected);
    let judge_part = lambda * lambda * cross_sum(judge_rest, judge_rest) / rest / rest;
    let label_part = cross_sum(&corrected, &corrected) / freedom / count;
    let half = quantile * (judge_part + label_part).sqrt();
    PopulationEstimate {
        lambda,
        mean,
        corrections: corrections(labels, judge),
        interval: symmetric_interval(mean, half),
    }
}

/// What the labels correct of the judge where it is followed as far as the labels allow: `lambda` of the estimate is smaller,
/// and what it leaves of every label would look like many corrections.
fn corrections(labels: &[f64], judge: &[f64]) -> f64 {
    let spread = cross_sum(judge, judge);
    let slope = if spread <= NO_SPREAD { 0.0 } else { (cross_sum(judge, labels) / spread).clamp(0.0, 1.0) };
    let (label_mean, judge_mean) = (mean_of(labels), mean_of(judge));
    let residual = |(label, score): (&f64, &f64)| (label - label_mean) - slope * (score - judge_mean);
    effective_corrections(&labels.iter().zip(judge).map(residual).collect::<Vec<f64>>())
}
