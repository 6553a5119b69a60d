//! The human mean from labels that were drawn stratum by stratum (stratified PPI with one lambda).

use super::{cross_sum, effective_corrections, mean_of, symmetric_interval};
use crate::sequential::{Observation, Sampling, anytime_interval};
use crate::{Interval, student_quantile};

/// Cases with similar scores of the judge, and the labels of some of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Stratum {
    /// Cases in it.
    pub cases: usize,
    /// The judge's mean over all of them.
    pub judge_mean: f64,
    /// Labels of those that were drawn: two or more.
    pub labels: Vec<f64>,
    /// The judge's scores of the same cases.
    pub judge: Vec<f64>,
}

/// An estimate from strata.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StratifiedEstimate {
    /// How far the judge is followed.
    pub lambda: f64,
    /// The estimate.
    pub mean: f64,
    /// Degrees of freedom of the interval (Satterthwaite).
    pub freedom: f64,
    /// Corrections of the judge among the labels, as a number of equal ones.
    pub corrections: f64,
    pub interval: Interval,
}

/// The mean that people would give all cases of the strata. Nothing where a stratum has fewer than two labels.
pub fn estimate_strata(strata: &[Stratum], alpha: f64) -> Option<StratifiedEstimate> {
    if strata.is_empty() || strata.iter().any(|stratum| stratum.labels.len() < 2) {
        return None;
    }
    let cases: usize = strata.iter().map(|stratum| stratum.cases).sum();
    let share = |stratum: &Stratum| stratum.cases as f64 / cases as f64;
    let weight = |stratum: &Stratum| {
        let labels = stratum.labels.len() as f64;
        share(stratum).powi(2) * (1.0 - labels / stratum.cases as f64) / labels
    };
    let freedom = |stratum: &Stratum| stratum.labels.len() as f64 - 1.0;
    let weighted = |spread: fn(&Stratum) -> f64| -> f64 {
        strata.iter().map(|stratum| weight(stratum) * spread(stratum) / freedom(stratum)).sum()
    };
    let covariance = weighted(|stratum| cross_sum(&stratum.labels, &stratum.judge));
    let variance = weighted(|stratum| cross_sum(&stratum.judge, &stratum.judge));
    let lambda = if variance <= 1e-12 { 0.0 } else { (covariance / variance).clamp(0.0, 1.0) };
    let mean: f64 = strata
        .iter()
        .map(|stratum| {
            let correction = lambda * (stratum.judge_mean - mean_of(&stratum.judge));
            share(stratum) * (mean_of(&stratum.labels) + correction)
        })
        .sum();
    let parts: Vec<(f64, f64)> = strata
        .iter()
        .map(|stratum| {
            let residuals: Vec<f64> =
                stratum.labels.iter().zip(&stratum.judge).map(|(label, score)| label - lambda * score).collect();
            (weight(stratum) * cross_sum(&residuals, &residuals) / freedom(stratum), freedom(stratum))
        })
        .collect();
    let residuals: Vec<f64> = strata
        .iter()
        .flat_map(|stratum| {
            let center = mean_of(&stratum.labels) - lambda * mean_of(&stratum.judge);
            stratum.labels.iter().zip(&stratum.judge).map(move |(label, score)| label - lambda * score - center)
        })
        .collect();
    let corrections = effective_corrections(&residuals);
    let variance: f64 = parts.iter().map(|(part, _)| part).sum();
    let spread: f64 = parts.iter().map(|(part, freedom)| part * part / freedom).sum();
    let freedom = if spread > 0.0 { variance * variance / spread } else { 0.0 };
    let half = if freedom > 0.0 { student_quantile(1.0 - alpha / 2.0, freedom) * variance.sqrt() } else { 0.0 };
    Some(StratifiedEstimate { lambda, mean, freedom, corrections, interval: symmetric_interval(mean, half) })
}

/// The interval that holds for any judge and any number of labels: bounds of each stratum, added up. Labels of a stratum stand
/// in the order in which they were drawn.
pub fn exact_strata_interval(strata: &[Stratum], alpha: f64) -> Interval {
    let cases: usize = strata.iter().map(|stratum| stratum.cases).sum();
    // Every stratum may be wrong at either side with a part of the chance.
    let alpha = alpha / strata.len().max(1) as f64;
    let (mut low, mut high) = (0.0, 0.0);
    for stratum in strata {
        let corrected = |(label, score): (&f64, &f64)| Observation::Value(f64::midpoint(label - score, 1.0));
        let observations: Vec<Observation> = stratum.labels.iter().zip(&stratum.judge).map(corrected).collect();
        let bounds = anytime_interval(&observations, Sampling::DataSet { cases: stratum.cases }, alpha);
        let share = stratum.cases as f64 / cases as f64;
        low += share * (stratum.judge_mean + 2.0 * bounds.low - 1.0).clamp(0.0, 1.0);
        high += share * (stratum.judge_mean + 2.0 * bounds.high - 1.0).clamp(0.0, 1.0);
    }
    Interval { low, high }
}
