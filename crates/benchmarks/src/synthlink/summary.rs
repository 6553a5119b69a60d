//! [`SynthLinkSummary`]: means per category and overall, with how far they may be off.

use std::collections::BTreeMap;

use probare_stats::{ConfidenceLevel, Interval, bootstrap_means, mean};

use super::{Catalogue, QuestionScores, SystemScores};

/// Means of the five measures and of the aggregate over some questions.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryMeans {
    /// The category; nothing for all questions.
    pub category: Option<String>,
    /// Rows that the means cover.
    pub rows: usize,
    /// Of these, rows with a prediction.
    pub answered: usize,
    /// Questions of the category in the catalogue.
    pub total: usize,
    /// In the order of the measures, the aggregate last; nothing without rows.
    pub means: Option<[f64; 6]>,
    /// 95 % intervals of the means by the bootstrap; none for fewer than two rows.
    pub intervals: [Option<Interval>; 6],
}

/// The means of one file of predictions.
#[derive(Debug, Clone, PartialEq)]
pub struct SynthLinkSummary {
    /// Categories that have rows, by name.
    pub categories: Vec<CategoryMeans>,
    /// All rows. Its mean is over questions, not over categories.
    pub overall: CategoryMeans,
}

/// Seed of the intervals where the user gives none.
pub const DEFAULT_SEED: u64 = 1;

impl SynthLinkSummary {
    /// Means and intervals of the rows; `seed` draws the resamples.
    pub fn new(catalogue: &Catalogue, scores: &SystemScores, seed: u64) -> Self {
        let category = |row: &QuestionScores| catalogue.questions()[row.question].category.as_str();
        let mut rows: BTreeMap<&str, Vec<&QuestionScores>> = BTreeMap::new();
        for row in &scores.rows {
            rows.entry(category(row)).or_default().push(row);
        }
        let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
        for question in catalogue.questions() {
            *totals.entry(question.category.as_str()).or_default() += 1;
        }
        let categories =
            rows.iter().map(|(name, rows)| CategoryMeans::new(Some(*name), rows, totals[name], seed)).collect();
        let all: Vec<&QuestionScores> = scores.rows.iter().collect();
        Self { categories, overall: CategoryMeans::new(None, &all, scores.total, seed) }
    }
}

/// The mean of a group as pandas 2 takes it, whose grouping the published files come from: the sum carries what was rounded
/// away to the next value (Kahan). The mean of all rows is summed plainly there.
fn group_mean(values: &[f64]) -> Option<f64> {
    let (mut sum, mut lost) = (0.0, 0.0);
    for value in values {
        let next = value - lost;
        let total = sum + next;
        lost = (total - sum) - next;
        sum = total;
    }
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

impl CategoryMeans {
    fn new(category: Option<&str>, rows: &[&QuestionScores], total: usize, seed: u64) -> Self {
        let measured: Vec<[f64; 6]> = rows.iter().map(|row| row.with_aggregate()).collect();
        let column = |at: usize| -> Vec<f64> { measured.iter().map(|row| row[at]).collect() };
        let mean = |at: usize| if category.is_some() { group_mean(&column(at)) } else { mean(&column(at)) };
        let means: Vec<f64> = (0..6).filter_map(mean).collect();
        Self {
            category: category.map(str::to_owned),
            rows: rows.len(),
            answered: rows.iter().filter(|row| row.is_answered).count(),
            total,
            means: means.try_into().ok(),
            intervals: bootstrap_means(&measured, ConfidenceLevel::NINETY_FIVE, seed),
        }
    }

    /// The mean of a measure, by its number; nothing without rows.
    pub fn mean(&self, at: usize) -> Option<f64> {
        self.means.map(|means| means[at])
    }

    /// The mean of the aggregate; nothing without rows.
    pub fn aggregate(&self) -> Option<f64> {
        self.mean(5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::unreadable_literal, reason = "numbers as another program printed them")]
    fn groups_are_summed_as_pandas_sums_them() {
        // Means of `groupby` in pandas 2.2.3.
        let cases: [(&[f64], f64); 6] = [
            (&[0.16, 0.3333333333333333, 0.1344502639136831], 0.20926119908233884),
            (&[0.6, 0.6, 0.6, 0.5, 0.6666666666666666, 0.1162740271123863, 0.6666666666666666], 0.5356581943493886),
            (&[0.3333333333333333, 0.6666666666666666, 0.01], 0.3366666666666666),
            (
                &[0.27, 0.0, 0.1, 0.3333333333333333, 0.63, 0.35, 0.7, 0.6666666666666666, 0.6, 0.3333333333333333],
                0.3983333333333333,
            ),
            (
                &[
                    0.6666666666666666,
                    0.2212134033411122,
                    0.3333333333333333,
                    0.8,
                    0.4,
                    0.6,
                    0.7970828219521486,
                    0.6,
                    0.76,
                    0.3333333333333333,
                ],
                0.5511629558626594,
            ),
            (&[0.1, 0.6, 0.4, 0.1, 0.99, 0.07, 0.3333333333333333], 0.37047619047619046),
        ];
        for (values, expected) in cases {
            assert_eq!(group_mean(values).map(f64::to_bits), Some(expected.to_bits()), "{values:?}");
            assert!(mean(values) != Some(expected), "a plain sum would do: {values:?}");
        }
        assert_eq!(group_mean(&[]), None);
    }
}
