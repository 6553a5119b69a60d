//! [`CaseMeans`]: the mean over cases of one number, and how far it may be off, in memory that does not grow.

use std::collections::BTreeMap;

use probare_core::MetricInfo;
use probare_stats::{ConfidenceLevel, StatisticalMethod, clustered_mean_of_sums};
use serde::Serialize;

use super::case_table::MeanUpdate;
use super::moments::{Moments, within};
use crate::number::three_decimals;

/// The interval of a mean, and how it came about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanInterval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// The share of samples whose interval holds the true mean.
    pub level: f64,
    /// How it was computed.
    pub method: StatisticalMethod,
}

impl MeanInterval {
    /// Its ends: `0.512 to 0.731`.
    pub fn words(&self) -> String {
        format!("{} to {}", three_decimals(self.low), three_decimals(self.high))
    }
}

/// Means of cases, each with the cluster that its case belongs to, where cases hang together.
#[derive(Debug, Clone, Default)]
pub(crate) struct CaseMeans {
    pub(super) moments: Moments,
    /// Sum and number of the means of each cluster.
    clusters: BTreeMap<u32, (f64, u64)>,
    is_clustered: bool,
    /// Whether a mean would say nothing, so that there is none.
    is_meaningless: bool,
}

impl CaseMeans {
    pub(crate) fn new(is_clustered: bool) -> Self {
        Self { is_clustered, ..Self::default() }
    }

    /// The means of a metric; one that only describes has none.
    pub(super) fn for_metric(info: &MetricInfo, is_clustered: bool) -> Self {
        Self { is_meaningless: info.is_descriptive, ..Self::new(is_clustered) }
    }

    /// Takes in that the mean of a case is another one now.
    pub(super) fn update(&mut self, moved: MeanUpdate, cluster: u32) {
        if self.is_meaningless || moved.before == Some(moved.after) {
            return;
        }
        if let Some(before) = moved.before {
            self.moments.remove(before);
        }
        self.moments.add(moved.after);
        if self.is_clustered {
            let (sum, count) = self.clusters.entry(cluster).or_default();
            *sum += moved.after - moved.before.unwrap_or(0.0);
            *count += u64::from(moved.before.is_none());
        }
    }

    /// Takes in the mean of a further case.
    pub(crate) fn add(&mut self, mean: f64) {
        self.moments.add(mean);
    }

    /// Cases with a mean.
    pub(crate) const fn cases(&self) -> u64 {
        self.moments.count()
    }

    /// The mean over cases, rounded once; nothing where no case has a value.
    pub(crate) fn mean(&self) -> Option<f64> {
        self.moments.mean()
    }

    /// The standard deviation of the means of cases; nothing below two.
    pub(crate) fn deviation(&self) -> Option<f64> {
        self.moments.deviation()
    }

    /// How far it may be off at 95 %, where values can only lie in this range; nothing below two cases, or clusters.
    pub(crate) fn interval(&self, range: (f64, f64)) -> Option<MeanInterval> {
        let level = ConfidenceLevel::NINETY_FIVE;
        let (interval, method) = if self.is_clustered {
            let found = clustered_mean_of_sums(self.mean()?, self.clusters.values().copied(), level)?;
            (within(found.interval, range), StatisticalMethod::Clustered)
        } else {
            self.moments.interval(range, level)?
        };
        Some(MeanInterval { low: interval.low, high: interval.high, level: level.get(), method })
    }
}
