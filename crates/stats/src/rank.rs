//! Whether two lists put the same items into the same order: Kendall's and Spearman's coefficients, ties included.

use crate::mean;

/// Spearman's coefficient: Pearson's correlation of the ranks, tied values sharing the mean of theirs (Spearman 1904;
/// Kendall and Gibbons 1990, chapter 3).
///
/// Nothing for lists of different length, fewer than two items, a list in which all values are the same, or one that holds
/// something that is not a number.
pub fn spearman(first: &[f64], second: &[f64]) -> Option<f64> {
    if !can_be_ranked(first, second) {
        return None;
    }
    let (first, second) = (ranks(first), ranks(second));
    let (centre, other) = (mean(&first)?, mean(&second)?);
    let (mut product, mut squares, mut others) = (0.0, 0.0, 0.0);
    for (left, right) in first.iter().zip(&second) {
        product += (left - centre) * (right - other);
        squares += (left - centre).powi(2);
        others += (right - other).powi(2);
    }
    let size = squares.sqrt() * others.sqrt();
    (size > 0.0).then(|| (product / size).clamp(-1.0, 1.0))
}

/// Kendall's coefficient tau-b: pairs in the same order less pairs in the opposite one, with ties in the divisor (Kendall
/// 1945), counted in `n log n` steps (Knight 1966).
///
/// Nothing where [`spearman`] gives nothing.
pub fn kendall(first: &[f64], second: &[f64]) -> Option<f64> {
    if !can_be_ranked(first, second) {
        return None;
    }
    let mut pairs: Vec<(f64, f64)> = first.iter().copied().zip(second.iter().copied()).collect();
    pairs.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.total_cmp(&right.1)));
    let first_ties = tied_pairs(pairs.iter().map(|pair| pair.0));
    let both_ties = tied_pairs_by(&pairs, |left, right| left == right);
    let mut seconds: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    let swaps = sort_counting(&mut seconds);
    let second_ties = tied_pairs(seconds.iter().copied());
    let count = pairs.len() as u64;
    let all = count * (count - 1) / 2;
    let (untied, others) = (all - first_ties, all - second_ties);
    if untied == 0 || others == 0 {
        return None;
    }
    let same_less_opposite =
        all as f64 - first_ties as f64 - second_ties as f64 + both_ties as f64 - 2.0 * swaps as f64;
    Some((same_less_opposite / (untied as f64).sqrt() / (others as f64).sqrt()).clamp(-1.0, 1.0))
}

fn can_be_ranked(first: &[f64], second: &[f64]) -> bool {
    first.len() == second.len() && first.len() > 1 && first.iter().chain(second).all(|value| !value.is_nan())
}

/// Ranks from 1; tied values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|left, right| values[*left].total_cmp(&values[*right]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    for tied in order.chunk_by(|left, right| values[*left] == values[*right]) {
        let rank = (2 * start + tied.len() + 1) as f64 / 2.0;
        for at in tied {
            ranks[*at] = rank;
        }
        start += tied.len();
    }
    ranks
}

/// Pairs of equal neighbours and their equals in a sorted list.
fn tied_pairs(sorted: impl Iterator<Item = f64>) -> u64 {
    tied_pairs_by(&sorted.collect::<Vec<f64>>(), |left, right| left == right)
}

fn tied_pairs_by<T>(sorted: &[T], is_equal: impl Fn(&T, &T) -> bool) -> u64 {
    sorted.chunk_by(is_equal).map(|tied| (tied.len() as u64) * (tied.len() as u64 - 1) / 2).sum()
}

/// Sorts by merging and counts the pairs that stood in the wrong order.
fn sort_counting(values: &mut [f64]) -> u64 {
    let mut scratch = values.to_vec();
    let mut swaps = 0;
    let mut width = 1;
    while width < values.len() {
        for start in (0..values.len()).step_by(2 * width) {
            let (middle, end) = ((start + width).min(values.len()), (start + 2 * width).min(values.len()));
            let (mut left, mut right) = (start, middle);
            for place in &mut scratch[start..end] {
                if right >= end || (left < middle && values[left] <= values[right]) {
                    *place = values[left];
                    left += 1;
                } else {
                    *place = values[right];
                    right += 1;
                    swaps += (middle - left) as u64;
                }
            }
        }
        values.copy_from_slice(&scratch);
        width *= 2;
    }
    swaps
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        assert!((kendall(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0]).unwrap() - 4.0 / 6.0).abs() < 1e-12);
        assert!((spearman(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0]).unwrap() - 0.8).abs() < 1e-12);
        assert_eq!(kendall(&[1.0, 2.0], &[5.0, 4.0]), Some(-1.0));
        assert_eq!(ranks(&[0.5, 0.1, 0.5, 0.9]), [2.5, 1.0, 2.5, 4.0]);
    }

    #[test]
    fn what_has_no_order_has_no_coefficient() {
        for (first, second) in [
            (vec![], vec![]),
            (vec![1.0], vec![2.0]),
            (vec![1.0, 2.0], vec![1.0]),
            (vec![1.0, 1.0], vec![1.0, 2.0]),
            (vec![1.0, f64::NAN], vec![1.0, 2.0]),
        ] {
            assert_eq!((kendall(&first, &second), spearman(&first, &second)), (None, None));
        }
    }

    proptest! {
        #[test]
        fn counting_pair_by_pair_gives_the_same(rows in prop::collection::vec((0_u8..6, 0_u8..6), 2..40)) {
            let first: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
            let second: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let (mut sum, mut untied, mut others) = (0.0, 0.0, 0.0);
            for left in 0..rows.len() {
                for right in 0..left {
                    let sign = |list: &[f64]| (list[left] - list[right]).partial_cmp(&0.0).map_or(0.0, |order| f64::from(order as i8));
                    sum += sign(&first) * sign(&second);
                    untied += sign(&first).abs();
                    others += sign(&second).abs();
                }
            }
            let expected = (untied > 0.0 && others > 0.0).then(|| sum / f64::sqrt(untied * others));
            match (kendall(&first, &second), expected) {
                (Some(found), Some(expected)) => prop_assert!((found - expected).abs() < 1e-12),
                (found, expected) => prop_assert_eq!(found, expected),
            }
        }
    }
}
