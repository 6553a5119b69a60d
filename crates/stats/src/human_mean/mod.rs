//! The mean that people would give, from a few of their labels and a judge's score on everything.
//!
//! The judge is not trusted: its scores only reduce the variance, and the labels correct whatever it gets wrong
//! (prediction-powered inference; Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, 2023, and the regression estimator of
//! survey sampling).
//!
//! ```
//! use probare_stats::human_mean::estimate_data_set;
//!
//! // Forty labels on 400 cases, of a judge that is a little too kind.
//! let labels: Vec<f64> = (0..40).map(|at| f64::from(u8::from(at % 3 != 0))).collect();
//! let judge: Vec<f64> = (0..40).map(|at| if at % 3 == 0 { 0.3 } else { 0.9 - 0.01 * f64::from(at % 7) }).collect();
//! let estimate = estimate_data_set(&labels, &judge, 400, 0.72, 0.05).expect("forty labels are enough");
//! assert!(estimate.normal.low < estimate.mean && estimate.mean < estimate.normal.high);
//! ```

mod data_set;
mod label_plan;
mod population;
mod strata;
mod weighted;

pub use data_set::{
    DataSetEstimate, DataSetEstimateError, FEWEST_LABELS, estimate_data_set, estimate_data_set_on_scale,
    is_normal_enough,
};
pub use label_plan::{LabelPlan, allocate, plan_labels};
pub use population::{PopulationEstimate, estimate_population, estimate_population_small};
pub use strata::{StratifiedEstimate, Stratum, estimate_strata, exact_strata_interval};
pub use weighted::{WeightedEstimate, estimate_weighted, label_chances};

use crate::Interval;

/// A spread below which a judge's scores are all the same.
const NO_SPREAD: f64 = 1e-12;

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of products of what two lists differ from their means.
fn cross_sum(first: &[f64], second: &[f64]) -> f64 {
    let (first_mean, second_mean) = (mean_of(first), mean_of(second));
    first.iter().zip(second).map(|(a, b)| (a - first_mean) * (b - second_mean)).sum()
}

/// How many corrections of equal size the residuals amount to: small where few labels differ from the judge.
fn effective_corrections(residuals: &[f64]) -> f64 {
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let fourth: f64 = residuals.iter().map(|residual| residual.powi(4)).sum();
    if fourth <= 1e-24 { 0.0 } else { squares * squares / fourth }
}

const fn symmetric_interval(center: f64, half: f64) -> Interval {
    Interval { low: center - half, high: center + half }
}
