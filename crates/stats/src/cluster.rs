//! The mean of values that come in clusters: questions about one text, turns of one conversation.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{ConfidenceLevel, Interval, mean, student_cumulative, student_quantile};

/// A mean whose values hang together within clusters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClusteredMean {
    /// The mean of all values.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    pub clusters: usize,
    /// `mean ± t · error` with one degree of freedom less than there are clusters.
    pub interval: Interval,
    /// Two-sided p value of the hypothesis that the mean is zero, by the same t. Nothing where all clusters agree to the
    /// last digit, so that there is no error to hold the mean against.
    pub p_value: Option<f64>,
}

/// The mean with its cluster-robust error (Liang and Zeger 1986, with the correction `G / (G - 1)` for few clusters).
///
/// Each value stands beside its cluster. Values of one cluster may depend on each other in any way; clusters may not.
/// Were each value a cluster of its own, the error would be the usual `s / √n`. Nothing for fewer than two clusters, or
/// where a value is not finite.
pub fn clustered_mean<K: Ord>(values: &[(K, f64)], level: ConfidenceLevel) -> Option<ClusteredMean> {
    let centre = mean(&values.iter().map(|(_, value)| *value).collect::<Vec<f64>>())?;
    let mut residuals: BTreeMap<&K, f64> = BTreeMap::new();
    for (cluster, value) in values {
        *residuals.entry(cluster).or_default() += value - centre;
    }
    from_residuals(centre, values.len() as u64, residuals.into_values(), level)
}

/// The same from the sum and the number of the values of each cluster, and the mean of all values: what is kept of a run
/// whose values are not.
pub fn clustered_mean_of_sums(
    mean: f64,
    clusters: impl IntoIterator<Item = (f64, u64)>,
    level: ConfidenceLevel,
) -> Option<ClusteredMean> {
    let mut count = 0;
    let residuals: Vec<f64> = (clusters.into_iter().filter(|(_, values)| *values > 0))
        .map(|(sum, values)| {
            count += values;
            (-mean).mul_add(values as f64, sum)
        })
        .collect();
    from_residuals(mean, count, residuals.into_iter(), level)
}

fn from_residuals(
    mean: f64,
    count: u64,
    residuals: impl ExactSizeIterator<Item = f64>,
    level: ConfidenceLevel,
) -> Option<ClusteredMean> {
    let clusters = residuals.len();
    let squares: f64 = residuals.map(|sum| sum * sum).sum();
    if clusters < 2 || !mean.is_finite() || !squares.is_finite() {
        return None;
    }
    let groups = clusters as f64;
    let error = (groups / (groups - 1.0) * squares).sqrt() / count as f64;
    let freedom = groups - 1.0;
    let reach = student_quantile(level.upper_share(), freedom) * error;
    // Below this a mean and its error differ by the rounding of sums alone.
    let is_sure = error > 1e-14 * mean.abs();
    let p_value = is_sure.then(|| (2.0 * student_cumulative(-(mean / error).abs(), freedom)).min(1.0));
    Some(ClusteredMean { mean, error, clusters, interval: Interval { low: mean - reach, high: mean + reach }, p_value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mean_interval;

    #[test]
    fn clusters_of_one_are_the_usual_interval() {
        let values = [0.2, 0.9, 0.4, 0.7, 0.1];
        let rows: Vec<(usize, f64)> = values.into_iter().enumerate().collect();
        let clustered = clustered_mean(&rows, ConfidenceLevel::NINETY_FIVE).unwrap().interval;
        let usual = mean_interval(&values, ConfidenceLevel::NINETY_FIVE).unwrap();
        assert!((clustered.low - usual.low).abs() < 1e-12 && (clustered.high - usual.high).abs() < 1e-12);
    }

    #[test]
    fn copies_of_a_value_bring_no_confidence() {
        let rows: Vec<(u8, f64)> = [0.2, 0.9, 0.4, 0.7].iter().zip(0..).map(|(value, id)| (id, *value)).collect();
        let copied: Vec<(u8, f64)> = rows.iter().flat_map(|row| [*row; 10]).collect();
        let (once, often) = (
            clustered_mean(&rows, ConfidenceLevel::NINETY_FIVE),
            clustered_mean(&copied, ConfidenceLevel::NINETY_FIVE),
        );
        assert!((once.unwrap().error - often.unwrap().error).abs() < 1e-12);
    }

    #[test]
    fn sums_of_clusters_say_the_same_as_their_values() {
        let rows = [("a", 0.2), ("b", 0.9), ("a", 0.4), ("c", 0.7), ("b", 0.1), ("a", 0.5)];
        let whole = clustered_mean(&rows, ConfidenceLevel::NINETY_FIVE).unwrap();
        let sums = [(1.1, 3), (1.0, 2), (0.0, 0), (0.7, 1)];
        let again = clustered_mean_of_sums(whole.mean, sums, ConfidenceLevel::NINETY_FIVE).unwrap();
        assert_eq!(again.clusters, 3);
        assert!((again.error - whole.error).abs() < 1e-15);
        assert!((again.p_value.unwrap() - whole.p_value.unwrap()).abs() < 1e-12);
    }

    #[test]
    fn one_cluster_says_nothing_about_others() {
        assert_eq!(clustered_mean(&[("a", 1.0), ("a", 0.0)], ConfidenceLevel::NINETY_FIVE), None);
        assert_eq!(clustered_mean::<u8>(&[], ConfidenceLevel::NINETY_FIVE), None);
        assert_eq!(clustered_mean(&[("a", 1.0), ("b", f64::NAN)], ConfidenceLevel::NINETY_FIVE), None);
    }
}
