//! The human mean from labels of cases that were drawn with chances of their own (active statistical inference; Zrnic and
//! Candès, 2024).

use super::label_plan::judge_uncertainty;
use super::{effective_corrections, symmetric_interval};
use crate::{Interval, normal_quantile};

/// An estimate from labels with chances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WeightedEstimate {
    /// The estimate.
    pub mean: f64,
    pub variance: f64,
    /// Corrections of the judge among the labels, as a number of equal ones.
    pub corrections: f64,
    /// Its interval, by the normal distribution.
    pub interval: Interval,
}

/// The chance of each case to be labelled, so that about `budget` are: half even, half by how doubtful the judge is.
pub fn label_chances(judge: &[f64], budget: usize) -> Vec<f64> {
    let cases = judge.len() as f64;
    let doubts: Vec<f64> = judge.iter().map(|score| judge_uncertainty(*score)).collect();
    let whole: f64 = doubts.iter().sum();
    let by_doubt = |doubt: f64| if whole > 0.0 { doubt / whole } else { 1.0 / cases };
    let chance = |doubt: &f64| (budget as f64 * f64::midpoint(1.0 / cases, by_doubt(*doubt))).min(1.0);
    doubts.iter().map(chance).collect()
}

/// The mean that people would give all cases: `drawn` are the labelled ones by their place, with label and chance.
pub fn estimate_weighted(judge: &[f64], drawn: &[(usize, f64, f64)], alpha: f64) -> Option<WeightedEstimate> {
    let cases = judge.len() as f64;
    let (mut correction, mut variance) = (0.0, 0.0);
    let mut corrections = Vec::with_capacity(drawn.len());
    for (at, label, chance) in drawn {
        let residual = label - judge.get(*at)?;
        correction += residual / chance;
        corrections.push(residual / chance);
        variance += (1.0 - chance) / (chance * chance) * residual * residual;
    }
    let mean = judge.iter().sum::<f64>() / cases + correction / cases;
    let variance = variance / (cases * cases);
    let half = normal_quantile(1.0 - alpha / 2.0) * variance.sqrt();
    let corrections = effective_corrections(&corrections);
    Some(WeightedEstimate { mean, variance, corrections, interval: symmetric_interval(mean, half) })
}
