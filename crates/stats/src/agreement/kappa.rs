//! The kappas of Cohen and Fleiss.

use std::collections::BTreeMap;

use crate::{ConfidenceLevel, normal_quantile};

/// How much a disagreement weighs, by the distance between two ordered categories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum KappaWeights {
    /// Every disagreement weighs the same: categories without an order.
    #[default]
    Equal,
    /// By the distance.
    Linear,
    /// By the square of the distance.
    Quadratic,
}

impl KappaWeights {
    fn weight(self, first: usize, second: usize) -> f64 {
        let distance = first.abs_diff(second) as f64;
        match self {
            Self::Equal => f64::from(first != second),
            Self::Linear => distance,
            Self::Quadratic => distance * distance,
        }
    }
}

/// Agreement of two raters beyond chance (Cohen 1960; weighted: Cohen 1968). A pair is what both said about one item, as
/// categories counted from 0 in their order.
///
/// `1 - Σ w·observed / Σ w·expected`, expected from the marginals of both. Nothing for no pairs, and where both raters use
/// one and the same category only.
pub fn cohen_kappa(pairs: &[(usize, usize)], weights: KappaWeights) -> Option<f64> {
    let categories = pairs.iter().map(|(first, second)| first.max(second) + 1).max()?;
    let (mut firsts, mut seconds) = (vec![0.0; categories], vec![0.0; categories]);
    let mut observed = 0.0;
    for (first, second) in pairs {
        firsts[*first] += 1.0;
        seconds[*second] += 1.0;
        observed += weights.weight(*first, *second);
    }
    let mut expected = 0.0;
    for (first, count) in firsts.iter().enumerate() {
        for (second, other) in seconds.iter().enumerate() {
            expected += weights.weight(first, second) * count * other;
        }
    }
    expected /= pairs.len() as f64;
    (expected > 0.0).then(|| 1.0 - observed / expected)
}

/// How many pairs are needed in all until the interval of [`cohen_kappa`] reaches at most `reach` to each side, if raters go on as
/// in these pairs.
///
/// From the large-sample standard error of Cohen 1960, `√(p(1-p) / n) / (1-e)` with the share `p` of pairs that are the same and `e`
/// what chance gives. One pair that is the same and one that is not are added to `p`, so that a few pairs without a disagreement
/// do not look like certainty. Nothing where there is no kappa.
pub fn cohen_kappa_pairs(pairs: &[(usize, usize)], level: ConfidenceLevel, reach: f64) -> Option<usize> {
    cohen_kappa(pairs, KappaWeights::Equal)?;
    let count = pairs.len() as f64;
    let same = pairs.iter().filter(|(first, second)| first == second).count() as f64;
    let (mut firsts, mut seconds) = (BTreeMap::new(), BTreeMap::new());
    for (first, second) in pairs {
        *firsts.entry(first).or_insert(0.0) += 1.0;
        *seconds.entry(second).or_insert(0.0) += 1.0;
    }
    let by_chance: f64 =
        firsts.iter().filter_map(|(category, first)| Some(first * seconds.get(category)?)).sum::<f64>() / count / count;
    let share = (same + 1.0) / (count + 2.0);
    let width = normal_quantile(level.upper_share()) / (reach * (1.0 - by_chance));
    let needed = (share * (1.0 - share) * width * width).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; beyond all lists it is cut")]
    needed.is_finite().then_some(needed as usize)
}

/// Agreement of several raters beyond chance (Fleiss 1971). A row says how many raters put one item into each category;
/// all items have the same number of ratings, at least two.
///
/// Nothing where a row has another number of ratings, for no rows, and where all ratings are one category.
pub fn fleiss_kappa(table: &[Vec<u64>]) -> Option<f64> {
    let raters: u64 = table.first()?.iter().sum();
    let categories = table.first()?.len();
    let is_even = |row: &Vec<u64>| row.len() == categories && row.iter().sum::<u64>() == raters;
    if raters < 2 || !table.iter().all(is_even) {
        return None;
    }
    let (items, raters) = (table.len() as f64, raters as f64);
    let mut shares = vec![0.0; categories];
    let mut agreement = 0.0;
    for row in table {
        let mut squares = 0.0;
        for (share, count) in shares.iter_mut().zip(row) {
            *share += *count as f64;
            squares += (*count as f64).powi(2);
        }
        agreement += (squares - raters) / (raters * (raters - 1.0));
    }
    let chance: f64 = shares.iter().map(|share| (share / (items * raters)).powi(2)).sum();
    (chance < 1.0).then(|| (agreement / items - chance) / (1.0 - chance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_agreement_is_one_and_the_opposite_is_minus_one() {
        let same = [(0, 0), (1, 1), (2, 2)];
        let opposite = [(0, 1), (1, 0)];
        for weights in [KappaWeights::Equal, KappaWeights::Linear, KappaWeights::Quadratic] {
            assert_eq!(cohen_kappa(&same, weights), Some(1.0));
            assert_eq!(cohen_kappa(&opposite, weights), Some(-1.0));
        }
        assert_eq!(fleiss_kappa(&[vec![3, 0], vec![0, 3]]), Some(1.0));
    }

    #[test]
    fn the_published_example_of_fleiss() {
        // Fleiss 1971 as retold in many textbooks: 10 items, 14 raters, 5 categories, kappa 0.210.
        let table: Vec<Vec<u64>> = [
            [0, 0, 0, 0, 14],
            [0, 2, 6, 4, 2],
            [0, 0, 3, 5, 6],
            [0, 3, 9, 2, 0],
            [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0],
            [3, 2, 6, 3, 0],
            [2, 5, 3, 2, 2],
            [6, 5, 2, 1, 0],
            [0, 2, 2, 3, 7],
        ]
        .iter()
        .map(|row| row.to_vec())
        .collect();
        assert!((fleiss_kappa(&table).unwrap() - 0.210).abs() < 5e-4);
    }

    #[test]
    fn how_many_pairs_an_interval_needs() {
        let level = ConfidenceLevel::NINETY_FIVE;
        // 40 pairs, 20 of each kind for both raters, 36 the same: p is 37/42, chance is 1/2, so 4·1.96²·100·p(1-p) = 161.1.
        let pairs: Vec<(usize, usize)> = [((0, 0), 18), ((1, 1), 18), ((0, 1), 2), ((1, 0), 2)]
            .into_iter()
            .flat_map(|(pair, times)| vec![pair; times])
            .collect();
        assert_eq!(cohen_kappa_pairs(&pairs, level, 0.1), Some(162));
        // A quarter of the reach, sixteen times the pairs.
        assert!(cohen_kappa_pairs(&pairs, level, 0.025).is_some_and(|needed| (2_560..=2_592).contains(&needed)));
        // No disagreement yet, and still not sure.
        let few = [(0, 0), (1, 1), (0, 0), (1, 1)];
        assert!(cohen_kappa_pairs(&few, level, 0.1).is_some_and(|needed| needed > 100));
        assert_eq!(cohen_kappa_pairs(&[(1, 1)], level, 0.1), None);
        assert_eq!(cohen_kappa_pairs(&[], level, 0.1), None);
    }

    #[test]
    fn without_a_choice_there_is_no_number() {
        assert_eq!(cohen_kappa(&[], KappaWeights::Equal), None);
        assert_eq!(cohen_kappa(&[(1, 1), (1, 1)], KappaWeights::Equal), None);
        assert_eq!(fleiss_kappa(&[]), None);
        assert_eq!(fleiss_kappa(&[vec![2, 0], vec![2, 0]]), None);
        assert_eq!(fleiss_kappa(&[vec![2, 0], vec![1, 0]]), None);
        assert_eq!(fleiss_kappa(&[vec![1, 0]]), None);
    }
}
