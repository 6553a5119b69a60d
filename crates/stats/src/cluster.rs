//! The mean of values that come in clusters: questions about one text, turns of one conversation.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Interval, Level, mean, student_quantile};

/// A mean whose values hang together within clusters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ClusteredMean {
    /// The mean of all values.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// Clusters.
    pub clusters: usize,
    /// `mean ± t · error` with one degree of freedom less than there are clusters.
    pub interval: Interval,
}

/// The mean with its cluster-robust error (Liang and Zeger 1986, with the correction `G / (G - 1)` for few clusters).
///
/// Each value stands beside its cluster. Values of one cluster may depend on each other in any way; clusters may not.
/// Were each value a cluster of its own, the error would be the usual `s / √n`. Nothing for fewer than two clusters, or
/// where a value is not finite.
pub fn clustered_mean<K: Ord>(values: &[(K, f64)], level: Level) -> Option<ClusteredMean> {
    let centre = mean(&values.iter().map(|(_, value)| *value).collect::<Vec<f64>>())?;
    let mut residuals: BTreeMap<&K, f64> = BTreeMap::new();
    for (cluster, value) in values {
        *residuals.entry(cluster).or_default() += value - centre;
    }
    let clusters = residuals.len();
    if clusters < 2 || !centre.is_finite() {
        return None;
    }
    let (count, groups) = (values.len() as f64, clusters as f64);
    let squares: f64 = residuals.values().map(|sum| sum * sum).sum();
    let error = (groups / (groups - 1.0) * squares).sqrt() / count;
    let reach = student_quantile(level.upper_share(), groups - 1.0) * error;
    Some(ClusteredMean {
        mean: centre,
        error,
        clusters,
        interval: Interval { low: centre - reach, high: centre + reach },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mean_interval;

    #[test]
    fn clusters_of_one_are_the_usual_interval() {
        let values = [0.2, 0.9, 0.4, 0.7, 0.1];
        let rows: Vec<(usize, f64)> = values.into_iter().enumerate().collect();
        let clustered = clustered_mean(&rows, Level::NINETY_FIVE).unwrap().interval;
        let usual = mean_interval(&values, Level::NINETY_FIVE).unwrap();
        assert!((clustered.low - usual.low).abs() < 1e-12 && (clustered.high - usual.high).abs() < 1e-12);
    }

    #[test]
    fn copies_of_a_value_bring_no_confidence() {
        let rows: Vec<(u8, f64)> = [0.2, 0.9, 0.4, 0.7].iter().zip(0..).map(|(value, id)| (id, *value)).collect();
        let copied: Vec<(u8, f64)> = rows.iter().flat_map(|row| [*row; 10]).collect();
        let (once, often) = (clustered_mean(&rows, Level::NINETY_FIVE), clustered_mean(&copied, Level::NINETY_FIVE));
        assert!((once.unwrap().error - often.unwrap().error).abs() < 1e-12);
    }

    #[test]
    fn one_cluster_says_nothing_about_others() {
        assert_eq!(clustered_mean(&[("a", 1.0), ("a", 0.0)], Level::NINETY_FIVE), None);
        assert_eq!(clustered_mean::<u8>(&[], Level::NINETY_FIVE), None);
        assert_eq!(clustered_mean(&[("a", 1.0), ("b", f64::NAN)], Level::NINETY_FIVE), None);
    }
}
