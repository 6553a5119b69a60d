//! Which interval suits which values: chosen by their kind and number, and named beside the result.

use serde::Serialize;

use crate::{
    Interval, Level, bca_mean, clopper_pearson, mcnemar, mean, mean_interval, paired_difference, paired_share_interval,
    proportion_interval,
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
pub enum Means {
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
}

impl Means {
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
        }
    }
}

/// Whether all values are 0 or 1, of which there is one at least.
pub fn is_yes_or_no(values: &[f64]) -> bool {
    !values.is_empty() && values.iter().all(|value| *value == 0.0 || *value == 1.0)
}

/// The interval of a share, and how it was computed: Clopper and Pearson's for few trials, Wilson's from
/// [`FEWEST_FOR_WILSON`] on. Nothing without trials, or with more successes than trials.
pub fn share_interval(successes: usize, trials: usize, level: Level) -> Option<(Interval, Means)> {
    if trials < FEWEST_FOR_WILSON {
        Some((clopper_pearson(successes, trials, level)?, Means::ClopperPearson))
    } else {
        Some((proportion_interval(successes, trials, level)?, Means::Wilson))
    }
}

/// The interval of a mean, and how it was computed: Clopper and Pearson's or Wilson's for yes and no, Student's t or the
/// `BCa` bootstrap for anything else. Never the normal one.
///
/// Nothing for fewer than two values that are not yes or no, for no values, and for one that is not finite.
pub fn chosen_interval(values: &[f64], level: Level, seed: u64) -> Option<(Interval, Means)> {
    if is_yes_or_no(values) {
        let ones = values.iter().filter(|value| **value == 1.0).count();
        return share_interval(ones, values.len(), level);
    }
    if (FEWEST_FOR_BOOTSTRAP..MOST_FOR_BOOTSTRAP).contains(&values.len()) {
        return Some((bca_mean(values, level, seed)?, Means::Bca));
    }
    let interval = mean_interval(values, level)?;
    (interval.low.is_finite() && interval.high.is_finite()).then_some((interval, Means::T))
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
    pub interval_by: Option<Means>,
    /// Two-sided p value of the hypothesis that the systems are alike.
    pub p_value: f64,
    /// How the p value was computed.
    pub p_value_by: Means,
}

/// Compares values of the same questions in the same order: `McNemar`'s exact test and the interval of Bonett and Price for
/// yes and no, the sign-flip permutation test and the interval of [`chosen_interval`] over the differences for anything
/// else.
///
/// Nothing where the lists are empty or of different length, or where a value is not finite.
pub fn contrast(first: &[f64], second: &[f64], level: Level, seed: u64) -> Option<Contrast> {
    if first.len() != second.len() || !first.iter().chain(second).all(|value| value.is_finite()) {
        return None;
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
    let (pairs, mean) = (differences.len(), mean(&differences)?);
    if is_yes_or_no(first) && is_yes_or_no(second) {
        let count = |wanted: f64| differences.iter().filter(|difference| **difference == wanted).count() as u64;
        let (only_first, only_second) = (count(1.0), count(-1.0));
        return Some(Contrast {
            pairs,
            mean,
            interval: paired_share_interval(only_first, only_second, pairs as u64, level),
            interval_by: Some(Means::BonettPrice),
            p_value: mcnemar(only_first, only_second),
            p_value_by: Means::McNemar,
        });
    }
    // Differences of 0 and 1 alone are no shares: -1 could have come as well.
    let interval = if (FEWEST_FOR_BOOTSTRAP..MOST_FOR_BOOTSTRAP).contains(&pairs) {
        bca_mean(&differences, level, seed).map(|interval| (interval, Means::Bca))
    } else {
        mean_interval(&differences, level).map(|interval| (interval, Means::T))
    };
    Some(Contrast {
        pairs,
        mean,
        interval: interval.map(|(interval, _)| interval),
        interval_by: interval.map(|(_, means)| means),
        p_value: paired_difference(first, second, level, seed)?.p_value,
        p_value_by: Means::SignFlip,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(values: &[f64]) -> Option<Means> {
        chosen_interval(values, Level::NINETY_FIVE, 1).map(|(_, means)| means)
    }

    #[test]
    fn kind_and_number_choose() {
        assert_eq!(by(&[1.0]), Some(Means::ClopperPearson));
        assert_eq!(by(&[1.0; 19]), Some(Means::ClopperPearson));
        assert_eq!(by(&[0.0; 20]), Some(Means::Wilson));
        assert_eq!(by(&[0.5; 29]), Some(Means::T));
        assert_eq!(by(&[0.5; 30]), Some(Means::Bca));
        assert_eq!(by(&vec![0.5; 5_000]), Some(Means::T));
        assert_eq!((by(&[]), by(&[0.5]), by(&[0.5, f64::NAN])), (None, None, None));
    }

    #[test]
    fn a_contrast_of_yes_and_no_is_exact() {
        let first = [1.0, 1.0, 1.0, 1.0, 0.0, 1.0];
        let second = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        let found = contrast(&first, &second, Level::NINETY_FIVE, 1).unwrap();
        assert_eq!((found.pairs, found.p_value_by), (6, Means::McNemar));
        assert!((found.p_value - 0.125).abs() < 1e-12);
        assert!((found.mean - 4.0 / 6.0).abs() < 1e-12);
        let grades = contrast(&[0.5, 0.7], &[0.1, 0.9], Level::NINETY_FIVE, 1).unwrap();
        assert_eq!((grades.interval_by, grades.p_value_by), (Some(Means::T), Means::SignFlip));
    }

    #[test]
    fn what_does_not_pair_is_not_compared() {
        assert_eq!(contrast(&[1.0], &[], Level::NINETY_FIVE, 1), None);
        assert_eq!(contrast(&[], &[], Level::NINETY_FIVE, 1), None);
        assert_eq!(contrast(&[f64::INFINITY], &[1.0], Level::NINETY_FIVE, 1), None);
        assert_eq!(contrast(&[0.5], &[0.1], Level::NINETY_FIVE, 1).unwrap().interval, None);
    }
}
