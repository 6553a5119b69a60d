//! The human mean of the population that cases come from (PPI and PPI++, as `ppi-python` computes them).

use super::{NO_SPREAD, cross_sum, mean_of, symmetric_interval};
use crate::{Interval, normal_quantile};

/// An estimate of a mean of the population.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PopulationEstimate {
    /// How far the judge is followed.
    pub lambda: f64,
    /// The estimate.
    pub mean: f64,
    /// Its interval, by the normal distribution.
    pub interval: Interval,
}

/// The mean that people would give cases like these: from `labels` with the judge's scores of the same cases, and its scores
/// of further cases. `lambda` says how far the judge is followed; without it the value that makes the interval shortest.
pub fn estimate_population(
    labels: &[f64],
    judge: &[f64],
    judge_rest: &[f64],
    lambda: Option<f64>,
    alpha: f64,
) -> PopulationEstimate {
    let (count, rest) = (labels.len() as f64, judge_rest.len() as f64);
    let lambda = lambda.unwrap_or_else(|| {
        let all: Vec<f64> = judge.iter().chain(judge_rest).copied().collect();
        let variance = cross_sum(&all, &all) / (all.len() as f64 - 1.0);
        let covariance = cross_sum(labels, judge) / count;
        if variance <= NO_SPREAD { 0.0 } else { (covariance / ((1.0 + count / rest) * variance)).clamp(0.0, 1.0) }
    });
    let corrected: Vec<f64> = labels.iter().zip(judge).map(|(label, score)| label - lambda * score).collect();
    let mean = lambda * mean_of(judge_rest) + mean_of(&corrected);
    let judge_part = lambda * lambda * cross_sum(judge_rest, judge_rest) / rest / rest;
    let label_part = cross_sum(&corrected, &corrected) / count / count;
    let half = normal_quantile(1.0 - alpha / 2.0) * (judge_part + label_part).sqrt();
    PopulationEstimate { lambda, mean, interval: symmetric_interval(mean, half) }
}
