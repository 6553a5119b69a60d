//! [`ComparisonRequest`]: what is asked of a comparison.

use serde::Serialize;

use crate::{Cluster, GroupBy};

/// The chance of finding a difference of the size that is told as the least detectable one.
pub const POWER: f64 = 0.8;

/// What is asked of a comparison.
#[derive(Debug, Clone, Default)]
pub struct ComparisonRequest {
    /// Only these metrics; all that the runs share where it is empty.
    pub metrics: Vec<String>,
    /// By what the differences are told apart.
    pub by: Option<GroupBy>,
    /// The column that says which cases hang together.
    pub cluster: Option<Cluster>,
    /// What the other runs must not be worse in.
    pub not_worse: Vec<NonInferiorityGate>,
    /// Where random numbers start.
    pub seed: u64,
}

/// The other run must not be worse than the baseline by more than a margin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NonInferiorityGate {
    /// Name of the metric.
    pub metric: String,
    /// How much worse is still accepted, in units of the metric.
    pub margin: f64,
    /// Whether only a run that is significantly worse fails. Otherwise the interval has to show that it is not worse.
    #[serde(rename = "significant")]
    pub confident: bool,
}
