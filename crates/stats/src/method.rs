//! Which interval suits which values: chosen by their kind and number, and named beside the result.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    ConfidenceLevel, Interval, bca_mean, clopper_pearson, clustered_mean, mcnemar, mean, mean_interval,
    paired_difference, paired_share_interval, proportion_interval,
};

/// Below this many values of yes and no the exact interval is taken, whose level is kept for every share; from here on
/// Wilson's, which keeps it on average and is narrower (Brown, Cai and `DasGupta` 2001).
pub const FEWEST_FOR_WILSON: usize = 20;

/// Below this many values the spread of the resamples is too small (Hesterberg 2015), and Student's t is taken.
pub const FEWEST_FOR_BOOTSTRAP: usize = 30;

/// From this many values on the mean of a skewed list is as good as normal, and t needs no resamples.
pub const MOST_FOR_BOOTSTRAP: usize = 5_000;

/// How an interval or a p value was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StatisticalMethod {
    /// Wilson's interval of a share.
    Wilson,
    /// The exact interval of a share.
    ClopperPearson,
    /// Student's t.
    T,
    /// The bias-corrected and accelerated bootstrap.
    Bca,
    /// The interval of a difference of paired shares.
    BonettPrice,
    /// The exact test of `McNemar`.
    McNemar,
    /// The sign-flip permutation test.
    SignFlip,
    /// Student's t with the error of clusters.
    Clustered,
}

impl StatisticalMethod {
    /// As readers know it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wilson => "Wilson",
            Self::ClopperPearson => "Clopper-Pearson",
            Self::T => "Student's t",
            Self::Bca => "BCa bootstrap",
            Self::BonettPrice => "Bonett-Price",
            Self::McNemar => "exact McNemar",
            Self::SignFlip => "sign-flip permutation",
            Self::Clustered => "cluster-robust t",
        }
    }
}

/// Whether all values are 0 or 1, of which there is one at least.
pub fn is_yes_or_no(values: &[f64]) -> bool {
    !values.is_empty() && values.iter().all(|value| *value == 0.0 || *value == 1.0)
}

/// The interval of a share, and how it was computed: Clopper and Pearson's for few trials, Wilson's from
/// [`FEWEST_FOR_WILSON`] on. Nothing without trials, or with more successes than trials.
pub fn share_interval(
    successes: usize,
    trials: usize,
    level: ConfidenceLevel,
) -> Option<(Interval, StatisticalMethod)> {
    if trials < FEWEST_FOR_WILSON {
        Some((clopper_pearson(successes, trials, level)?, StatisticalMethod::ClopperPearson))
    } else {
        Some((proportion_interval(successes, trials, level)?, StatisticalMethod::Wilson))
    }
}

/// The interval of a mean, and how it was computed: Clopper and Pearson's or Wilson's for yes and no, Student's t or the
/// `BCa` bootstrap for anything else. Never the normal one.
///
/// Nothing for fewer than two values that are not yes or no, for no values, and for one that is not finite.
pub fn chosen_interval(values: &[f64], level: ConfidenceLevel, seed: u64) -> Option<(Interval, StatisticalMethod)> {
    if is_yes_or_no(values) {
        let ones = values.iter().filter(|value| **value == 1.0).count();
        return share_interval(ones, values.len(), level);
    }
    if (FEWEST_FOR_BOOTSTRAP..MOST_FOR_BOOTSTRAP).contains(&values.len()) {
        return Some((bca_mean(values, level, seed)?, StatisticalMethod::Bca));
    }
    let interval = mean_interval(values, level)?;
    (interval.low.is_finite() && interval.high.is_finite()).then_some((interval, StatisticalMethod::T))
}

/// Two systems on the same questions, by the interval and the test that suit the values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Contrast {
    /// Questions that both answered.
    pub pairs: usize,
    /// Mean of first minus second.
    pub mean: f64,
    /// Its interval; none for a single pair that is not yes or no.
    pub interval: Option<Interval>,
    /// How the interval was computed.
    pub interval_by: Option<StatisticalMethod>,
    /// Two-sided p value of the hypothesis that the systems are alike.
    pub p_value: f64,
    /// How the p value was computed.
    pub p_value_by: StatisticalMethod,
}

/// Compares values of the same questions in the same order: `McNemar`'s exact test and the interval of Bonett and Price for
/// yes and no, the sign-flip permutation test and the interval of [`chosen_interval`] over the differences for anything
/// else.
///
/// Nothing where the lists are empty or of different length, or where a value is not finite.
pub fn contrast(first: &[f64], second: &[f64], level: ConfidenceLevel, seed: u64) -> Option<Contrast> {
    let differences = differences(first, second)?;
    let (pairs, mean) = (differences.len(), mean(&differences)?);
    let interval = contrast_interval(first, second, level, seed);
    let (p_value, p_value_by) = match discordant_counts(first, second) {
        Some((only_first, only_second)) => (mcnemar(only_first, only_second), StatisticalMethod::McNemar),
        None => (paired_difference(first, second, level, seed)?.p_value, StatisticalMethod::SignFlip),
    };
    Some(Contrast {
        pairs,
        mean,
        interval: interval.map(|(interval, _)| interval),
        interval_by: interval.map(|(_, means)| means),
        p_value,
        p_value_by,
    })
}

/// The interval of [`contrast`] alone, at any level.
pub fn contrast_interval(
    first: &[f64],
    second: &[f64],
    level: ConfidenceLevel,
    seed: u64,
) -> Option<(Interval, StatisticalMethod)> {
    let differences = differences(first, second)?;
    if let Some((only_first, only_second)) = discordant_counts(first, second) {
        let interval = paired_share_interval(only_first, only_second, differences.len() as u64, level)?;
        return Some((interval, StatisticalMethod::BonettPrice));
    }
    // Differences of 0 and 1 alone are no shares: -1 could have come as well.
    if (FEWEST_FOR_BOOTSTRAP..MOST_FOR_BOOTSTRAP).contains(&differences.len()) {
        return bca_mean(&differences, level, seed).map(|interval| (interval, StatisticalMethod::Bca));
    }
    mean_interval(&differences, level).map(|interval| (interval, StatisticalMethod::T))
}

/// The same where questions hang together in clusters, each named beside its question: the mean of the differences with its
/// cluster-robust error ([`clustered_mean`]) and the t test of it. Where every cluster has the same mean difference there
/// is no error; then whole clusters are flipped in the sign-flip permutation test.
///
/// Nothing where [`contrast`] has nothing, and for other than one cluster a question. Below two clusters there is no
/// interval, and the p value is 1: one cluster says nothing about others.
pub fn clustered_contrast<K: Ord>(
    first: &[f64],
    second: &[f64],
    clusters: &[K],
    level: ConfidenceLevel,
    seed: u64,
) -> Option<Contrast> {
    let differences = differences(first, second)?;
    let (pairs, mean) = (differences.len(), mean(&differences)?);
    if clusters.len() != pairs {
        return None;
    }
    let rows: Vec<(&K, f64)> = clusters.iter().zip(differences.iter().copied()).collect();
    let Some(found) = clustered_mean(&rows, level) else {
        let (interval, interval_by) = (None, None);
        return Some(Contrast {
            pairs,
            mean,
            interval,
            interval_by,
            p_value: 1.0,
            p_value_by: StatisticalMethod::Clustered,
        });
    };
    let (p_value, p_value_by) = if let Some(p_value) = found.p_value {
        (p_value, StatisticalMethod::Clustered)
    } else {
        let mut sums: BTreeMap<&K, f64> = BTreeMap::new();
        for (cluster, difference) in rows {
            *sums.entry(cluster).or_default() += difference;
        }
        let sums: Vec<f64> = sums.into_values().collect();
        (paired_difference(&sums, &vec![0.0; sums.len()], level, seed)?.p_value, StatisticalMethod::SignFlip)
    };
    let (interval, interval_by) = (Some(found.interval), Some(StatisticalMethod::Clustered));
    Some(Contrast { pairs, mean, interval, interval_by, p_value, p_value_by })
}

/// First minus second; nothing where the lists do not pair or a value is not finite.
fn differences(first: &[f64], second: &[f64]) -> Option<Vec<f64>> {
    let is_fit = first.len() == second.len() && first.iter().chain(second).all(|value| value.is_finite());
    is_fit.then(|| first.iter().zip(second).map(|(first, second)| first - second).collect())
}

/// Questions that only the first, and only the second, answered with yes; nothing where the values are not yes and no.
fn discordant_counts(first: &[f64], second: &[f64]) -> Option<(u64, u64)> {
    if !is_yes_or_no(first) || !is_yes_or_no(second) {
        return None;
    }
    let only = |yes: &[f64], no: &[f64]| yes.iter().zip(no).filter(|(yes, no)| yes > no).count() as u64;
    Some((only(first, second), only(second, first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(values: &[f64]) -> Option<StatisticalMethod> {
        chosen_interval(values, ConfidenceLevel::NINETY_FIVE, 1).map(|(_, means)| means)
    }

    #[test]
    fn kind_and_number_choose() {
        assert_eq!(by(&[1.0]), Some(StatisticalMethod::ClopperPearson));
        assert_eq!(by(&[1.0; 19]), Some(StatisticalMethod::ClopperPearson));
        assert_eq!(by(&[0.0; 20]), Some(StatisticalMethod::Wilson));
        assert_eq!(by(&[0.5; 29]), Some(StatisticalMethod::T));
        assert_eq!(by(&[0.5; 30]), Some(StatisticalMethod::Bca));
        assert_eq!(by(&vec![0.5; 5_000]), Some(StatisticalMethod::T));
        assert_eq!((by(&[]), by(&[0.5]), by(&[0.5, f64::NAN])), (None, None, None));
    }

    #[test]
    fn a_contrast_of_yes_and_no_is_exact() {
        let first = [1.0, 1.0, 1.0, 1.0, 0.0, 1.0];
        let second = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        let found = contrast(&first, &second, ConfidenceLevel::NINETY_FIVE, 1).unwrap();
        assert_eq!((found.pairs, found.p_value_by), (6, StatisticalMethod::McNemar));
        assert!((found.p_value - 0.125).abs() < 1e-12);
        assert!((found.mean - 4.0 / 6.0).abs() < 1e-12);
        let grades = contrast(&[0.5, 0.7], &[0.1, 0.9], ConfidenceLevel::NINETY_FIVE, 1).unwrap();
        assert_eq!((grades.interval_by, grades.p_value_by), (Some(StatisticalMethod::T), StatisticalMethod::SignFlip));
    }

    #[test]
    fn clusters_widen_the_interval_and_copies_bring_no_confidence() {
        let (first, second) = ([0.9, 0.5, 0.7, 0.2], [0.4, 0.6, 0.1, 0.2]);
        let copied = |values: [f64; 4]| values.iter().flat_map(|value| [*value; 5]).collect::<Vec<f64>>();
        let names: Vec<usize> = (0..20).map(|at| at / 5).collect();
        let level = ConfidenceLevel::NINETY_FIVE;
        let once = clustered_contrast(&first, &second, &[0, 1, 2, 3], level, 1).unwrap();
        let often = clustered_contrast(&copied(first), &copied(second), &names, level, 1).unwrap();
        assert_eq!((often.pairs, often.p_value_by), (20, StatisticalMethod::Clustered));
        assert!((once.p_value - often.p_value).abs() < 1e-12, "{once:?} {often:?}");
        let plain = contrast(&first, &second, level, 1).unwrap();
        assert!((once.interval.unwrap().low - plain.interval.unwrap().low).abs() < 1e-12);
        let alike = clustered_contrast(&[0.5, 0.7, 0.6], &[0.0, 0.2, 0.1], &["a", "b", "c"], level, 1).unwrap();
        assert_eq!((alike.p_value, alike.p_value_by), (0.25, StatisticalMethod::SignFlip));
        let one = clustered_contrast(&first, &second, &[0; 4], level, 1).unwrap();
        assert_eq!((one.interval, one.p_value), (None, 1.0));
        assert_eq!(clustered_contrast(&first, &second, &[0; 3], level, 1), None);
    }

    #[test]
    fn what_does_not_pair_is_not_compared() {
        assert_eq!(contrast(&[1.0], &[], ConfidenceLevel::NINETY_FIVE, 1), None);
        assert_eq!(contrast(&[], &[], ConfidenceLevel::NINETY_FIVE, 1), None);
        assert_eq!(contrast(&[f64::INFINITY], &[1.0], ConfidenceLevel::NINETY_FIVE, 1), None);
        assert_eq!(contrast(&[0.5], &[0.1], ConfidenceLevel::NINETY_FIVE, 1).unwrap().interval, None);
    }
}
