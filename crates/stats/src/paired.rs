//! Two systems on the same questions: the mean of the differences, its interval, and whether chance explains it.

use serde::Serialize;

use crate::{Interval, Level, Random, mean, mean_interval};

/// Sign patterns that are drawn where there are too many to try all.
pub const SHUFFLES: usize = 10_000;

/// Pairs up to which every sign pattern is tried.
const MOST_EXACT: usize = 13;

/// How much the first of two systems is ahead.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairedDifference {
    /// Questions that both answered.
    pub pairs: usize,
    /// Mean of first minus second.
    pub mean: f64,
    /// Interval of that mean by Student's t; none for a single pair.
    pub interval: Option<Interval>,
    /// Two-sided p value of the sign-flip permutation test: the share of sign patterns whose mean is at least as far from
    /// zero.
    pub p_value: f64,
}

/// Compares values of the same questions in the same order; nothing where the lists are empty or of different length.
///
/// The test (Fisher 1935) needs no shape of the distribution: were the systems alike, each difference could as well have
/// the other sign. Up to thirteen pairs all patterns are tried; beyond, [`SHUFFLES`] are drawn from `seed` and the
/// pattern that was seen counts as one of them, so that the p value is never zero.
pub fn paired_difference(first: &[f64], second: &[f64], level: Level, seed: u64) -> Option<PairedDifference> {
    if first.len() != second.len() {
        return None;
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
    let mean = mean(&differences)?;
    Some(PairedDifference {
        pairs: differences.len(),
        mean,
        interval: mean_interval(&differences, level),
        p_value: if differences.len() <= MOST_EXACT { exact(&differences) } else { drawn(&differences, seed) },
    })
}

/// From where on a sum is as far from zero as the observed one, with room for the rounding of sums in another order.
fn reach(differences: &[f64]) -> f64 {
    let observed: f64 = differences.iter().sum();
    let scale: f64 = differences.iter().map(|difference| difference.abs()).sum();
    observed.abs() - 1e-12 * scale
}

fn exact(differences: &[f64]) -> f64 {
    let reach = reach(differences);
    let patterns = 1_u32 << differences.len();
    let far = (0..patterns)
        .filter(|pattern| {
            let signed = differences.iter().enumerate();
            let sum: f64 = signed.map(|(at, value)| if pattern >> at & 1 == 1 { -value } else { *value }).sum();
            sum.abs() >= reach
        })
        .count();
    far as f64 / f64::from(patterns)
}

fn drawn(differences: &[f64], seed: u64) -> f64 {
    let reach = reach(differences);
    let mut random = Random::new(seed);
    let far = (0..SHUFFLES)
        .filter(|_| {
            let sum: f64 = differences
                .chunks(64)
                .map(|chunk| {
                    let signs = random.bits();
                    let signed = chunk.iter().enumerate();
                    signed.map(|(at, value)| if signs >> at & 1 == 1 { -value } else { *value }).sum::<f64>()
                })
                .sum();
            sum.abs() >= reach
        })
        .count();
    (far + 1) as f64 / (SHUFFLES + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(first: &[f64], second: &[f64]) -> PairedDifference {
        paired_difference(first, second, Level::NINETY_FIVE, 1).unwrap()
    }

    #[test]
    fn all_patterns_of_a_few_pairs() {
        // Only the pattern seen and its mirror are as far: 2 of 2^4.
        assert_eq!(compare(&[1.0, 2.0, 3.0, 4.0], &[0.0; 4]).p_value, 0.125);
        // Of 8 patterns of 1, 1, -1 all have a sum of at least 1 in size.
        assert_eq!(compare(&[1.0, 1.0, 0.0], &[0.0, 0.0, 1.0]).p_value, 1.0);
        assert_eq!(compare(&[0.5], &[0.5]).p_value, 1.0);
        assert_eq!(compare(&[0.5], &[0.5]).interval, None);
    }

    #[test]
    fn darwins_maize() {
        // Fisher 1935, The Design of Experiments, section 21: 863 of 32,768 patterns one-sided, so 5.27 % on two sides.
        let differences = [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0];
        let found = compare(&differences, &[0.0; 15]);
        assert!((found.p_value - 0.0527).abs() < 0.006, "{}", found.p_value);
        assert!((found.mean - 314.0 / 15.0).abs() < 1e-12);
        assert!((exact(&differences) - 1_726.0 / 32_768.0).abs() < 1e-12);
    }

    #[test]
    fn swapping_the_systems_turns_the_sign() {
        let (first, second) = ([0.9, 0.4, 0.8], [0.2, 0.5, 0.1]);
        let (there, back) = (compare(&first, &second), compare(&second, &first));
        assert_eq!((there.mean, there.p_value), (-back.mean, back.p_value));
    }

    #[test]
    fn lists_that_do_not_pair_are_not_compared() {
        assert_eq!(paired_difference(&[], &[], Level::NINETY_FIVE, 1), None);
        assert_eq!(paired_difference(&[1.0], &[], Level::NINETY_FIVE, 1), None);
    }
}
