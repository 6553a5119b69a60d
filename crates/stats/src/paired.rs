//! Two systems on the same questions: the mean of the differences, its interval, and whether chance explains it.

use serde::Serialize;

use crate::{ConfidenceLevel, Interval, Random, mean, mean_interval};

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
pub fn paired_difference(first: &[f64], second: &[f64], level: ConfidenceLevel, seed: u64) -> Option<PairedDifference> {
    if first.len() != second.len() {
        return None;
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(first, second)| first - second).collect();
    let mean = mean(&differences)?;
    Some(PairedDifference {
        pairs: differences.len(),
        mean,
        interval: mean_interval(&differences, level),
        p_value: if differences.len() <= MOST_EXACT {
            exact_p_value(&differences)
        } else {
            sampled_p_value(&differences, seed)
        },
    })
}

/// From where on a sum is as far from zero as the observed one, with room for the rounding of sums in another order.
fn extreme_sum(differences: &[f64]) -> f64 {
    let observed: f64 = differences.iter().sum();
    let scale: f64 = differences.iter().map(|difference| difference.abs()).sum();
    observed.abs() - 1e-12 * scale
}

fn exact_p_value(differences: &[f64]) -> f64 {
    let reach = extreme_sum(differences);
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

/// How many of [`SHUFFLES`] sums of drawn signs are as far from zero, with the observed one among them.
///
/// Signs come 64 at a time. The sums of eight values under all their signs stand in a table, so that a shuffle adds eight numbers
/// for 64 values; what differs from a sum in order by no more than its rounding is added up in order to be sure.
fn sampled_p_value(differences: &[f64], seed: u64) -> f64 {
    let reach = extreme_sum(differences);
    let words = differences.len().div_ceil(64) as u64;
    // Where nothing differs, signs change nothing; a shuffle takes its signs all the same.
    let is_live = |chunk: &&[f64]| chunk.iter().any(|value| *value != 0.0);
    let live: Vec<(u64, &[f64])> = (0..).zip(differences.chunks(64)).filter(|(_, chunk)| is_live(chunk)).collect();
    if live.is_empty() {
        return 1.0;
    }
    let mut sums = vec![0.0; SHUFFLES];
    for (word, chunk) in &live {
        let tables = signed_sum_tables(chunk);
        let mut random = Random::at_position(seed, *word);
        for sum in &mut sums {
            let signs = random.next_u64().to_le_bytes().map(usize::from);
            let of = |at: usize| tables[at][signs[at]];
            *sum += ((of(0) + of(1)) + (of(2) + of(3))) + ((of(4) + of(5)) + (of(6) + of(7)));
            random.skip(words - 1);
        }
    }
    // Twice what the order of so many additions can change, on both sides.
    let scale: f64 = differences.iter().map(|difference| difference.abs()).sum();
    let unsure = 4.0 * differences.len() as f64 * f64::EPSILON * scale;
    let is_far = |shuffle: usize, sum: f64| {
        let beyond = sum.abs() - reach;
        if beyond.abs() > unsure {
            beyond > 0.0
        } else {
            shuffled_sum(&live, seed, shuffle as u64 * words).abs() >= reach
        }
    };
    let far = sums.iter().enumerate().filter(|(shuffle, sum)| is_far(*shuffle, **sum)).count();
    (far + 1) as f64 / (SHUFFLES + 1) as f64
}

/// The sum of each eight of 64 values, by which of them have another sign.
fn signed_sum_tables(chunk: &[f64]) -> [[f64; 256]; 8] {
    let mut tables = [[0.0; 256]; 8];
    for (table, values) in tables.iter_mut().zip(chunk.chunks(8)) {
        for (at, value) in values.iter().enumerate() {
            let (plain, turned) = table.split_at_mut(1 << at);
            for (plain, turned) in plain.iter_mut().zip(turned) {
                *turned = *plain - value;
                *plain += value;
            }
        }
        // Signs of values that are not there change nothing.
        for at in values.len()..8 {
            table.copy_within(..1 << at, 1 << at);
        }
    }
    tables
}

/// The sum of a shuffle, one value after the other; `drawn` words of signs were taken before it.
fn shuffled_sum(live: &[(u64, &[f64])], seed: u64, drawn: u64) -> f64 {
    let of_chunk = |(word, chunk): &(u64, &[f64])| {
        let signs = Random::at_position(seed, drawn + word).next_u64();
        let signed = chunk.iter().enumerate();
        signed.map(|(at, value)| if signs >> at & 1 == 1 { -value } else { *value }).sum::<f64>()
    };
    live.iter().map(of_chunk).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(first: &[f64], second: &[f64]) -> PairedDifference {
        paired_difference(first, second, ConfidenceLevel::NINETY_FIVE, 1).unwrap()
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
        assert!((exact_p_value(&differences) - 1_726.0 / 32_768.0).abs() < 1e-12);
    }

    /// The definition: every shuffle one value after the other.
    fn drawn_plainly(differences: &[f64], seed: u64) -> f64 {
        let reach = extreme_sum(differences);
        let mut random = Random::new(seed);
        let mut shuffle = || -> f64 {
            let of_chunk = |chunk: &[f64], signs: u64| -> f64 {
                let signed = chunk.iter().enumerate();
                signed.map(|(at, value)| if signs >> at & 1 == 1 { -value } else { *value }).sum()
            };
            differences.chunks(64).map(|chunk| of_chunk(chunk, random.next_u64())).sum()
        };
        let far = (0..SHUFFLES).filter(|_| shuffle().abs() >= reach).count();
        (far + 1) as f64 / (SHUFFLES + 1) as f64
    }

    #[test]
    fn tables_of_sums_give_what_adding_in_order_gives() {
        let mut random = Random::new(11);
        let mut lists: Vec<Vec<f64>> = Vec::new();
        for count in [14, 64, 65, 127] {
            let mut number = |of: usize| random.below(of) as f64;
            // Grades with many ties, values of all sizes, few that differ, a lean to one side, and one that outweighs all.
            lists.push((0..count).map(|_| (number(5) - 2.0) / 2.0).collect());
            lists.push((0..count).map(|_| (number(2_001) - 1_000.0) / 7e3).collect());
            lists.push((0..count).map(|at| if at % 50 == 3 { 0.1 } else { 0.0 }).collect());
            lists.push((0..count).map(|_| number(100) / 1_000.0 - 0.045).collect());
            lists.push((0..count).map(|at| if at == 5 { 1e9 } else { number(3) * 1e-9 }).collect());
            lists.push((0..count).map(|at| if at % 2 == 0 { 1e308 } else { -1e308 }).collect());
            lists.push(vec![0.0; count]);
        }
        for list in lists {
            assert_eq!(sampled_p_value(&list, 5), drawn_plainly(&list, 5), "{list:?}");
        }
    }

    #[test]
    fn swapping_the_systems_turns_the_sign() {
        let (first, second) = ([0.9, 0.4, 0.8], [0.2, 0.5, 0.1]);
        let (there, back) = (compare(&first, &second), compare(&second, &first));
        assert_eq!((there.mean, there.p_value), (-back.mean, back.p_value));
    }

    #[test]
    fn lists_that_do_not_pair_are_not_compared() {
        assert_eq!(paired_difference(&[], &[], ConfidenceLevel::NINETY_FIVE, 1), None);
        assert_eq!(paired_difference(&[1.0], &[], ConfidenceLevel::NINETY_FIVE, 1), None);
    }
}
