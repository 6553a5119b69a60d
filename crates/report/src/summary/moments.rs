//! [`Moments`]: how many values, their mean and how far it may be off, in memory that does not grow.

use probare_stats::{ConfidenceLevel, Interval, StatisticalMethod, interval_of_mean, share_interval};
use serde::{Deserialize, Serialize};

use super::exact_sum::ExactSum;

/// Values beyond this have squares beyond the largest number: their mean has no interval.
const LARGEST: f64 = 1e150;

/// Count, exact sum and exact sum of squares of finite values.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Moments {
    count: u64,
    ones: u64,
    /// Values that are neither 0 nor 1.
    between: u64,
    /// Values beyond [`LARGEST`].
    too_large: u64,
    sum: ExactSum,
    squares: ExactSum,
}

impl Moments {
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        if value == 0.0 {
            return;
        }
        self.sum.add(value);
        if value == 1.0 {
            self.ones += 1;
            self.squares.add(1.0);
            return;
        }
        self.between += 1;
        if value.abs() > LARGEST {
            self.too_large += 1;
        } else {
            self.squares.add_product(value, value);
        }
    }

    /// Takes a value out that was added before. Sums are exact, so nothing of it stays behind.
    pub(super) fn remove(&mut self, value: f64) {
        self.count = self.count.saturating_sub(1);
        if value == 0.0 {
            return;
        }
        self.sum.add(-value);
        if value == 1.0 {
            self.ones = self.ones.saturating_sub(1);
            self.squares.add(-1.0);
            return;
        }
        self.between = self.between.saturating_sub(1);
        if value.abs() > LARGEST {
            self.too_large = self.too_large.saturating_sub(1);
        } else {
            self.squares.add_product(-value, value);
        }
    }

    /// Takes in what another has seen.
    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.ones += other.ones;
        self.between += other.between;
        self.too_large += other.too_large;
        self.sum.merge(&other.sum);
        self.squares.merge(&other.squares);
    }

    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// The mean, rounded once.
    pub(super) fn mean(&self) -> Option<f64> {
        self.sum.mean(self.count)
    }

    /// The standard deviation, with one less than the number of values below: nothing below two values.
    pub(super) fn deviation(&self) -> Option<f64> {
        if self.count < 2 || self.too_large > 0 {
            return None;
        }
        let squares = self.squares.squares_around(self.mean()?, &self.sum, self.count);
        Some((squares / (self.count - 1) as f64).sqrt())
    }

    /// The interval of the mean where values can only lie in this range: nothing below two values.
    pub(super) fn interval(&self, range: (f64, f64), level: ConfidenceLevel) -> Option<(Interval, StatisticalMethod)> {
        if self.count < 2 || self.too_large > 0 {
            return None;
        }
        // Zeros and ones are yes and no where the metric has no values beyond them.
        if self.between == 0 && range == (0.0, 1.0) {
            let (ones, count) = (usize::try_from(self.ones).ok()?, usize::try_from(self.count).ok()?);
            return share_interval(ones, count, level);
        }
        let interval = interval_of_mean(self.mean()?, self.deviation()?, self.count, level)?;
        Some((within(interval, range), StatisticalMethod::T))
    }
}

/// An interval cut to a range, where that is one.
pub(super) fn within(interval: Interval, (low, high): (f64, f64)) -> Interval {
    if low <= high { interval.clamp(low, high) } else { interval }
}

#[cfg(test)]
mod tests {
    use probare_stats::mean_interval;
    use proptest::prelude::*;

    use super::*;

    const SHARE: (f64, f64) = (0.0, 1.0);
    const UNBOUNDED: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
    const LEVEL: ConfidenceLevel = ConfidenceLevel::NINETY_FIVE;

    fn moments(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        for value in values {
            moments.add(*value);
        }
        moments
    }

    #[test]
    fn shares_have_the_interval_of_a_share_and_other_values_students() {
        let mut values = vec![0.0; 182];
        values.extend([1.0; 81]);
        let (share, method) = moments(&values).interval(SHARE, LEVEL).unwrap();
        assert!((share.low - 0.2553).abs() < 1e-4 && (share.high - 0.3662).abs() < 1e-4, "{share:?}");
        assert_eq!(method, StatisticalMethod::Wilson);
        // Few of them have the exact interval, as everywhere: two of three after Clopper and Pearson 1934.
        let (few, method) = moments(&[0.0, 1.0, 1.0]).interval(SHARE, LEVEL).unwrap();
        assert!((few.low - 0.0943).abs() < 1e-4 && (few.high - 0.9916).abs() < 1e-4, "{few:?}");
        assert_eq!(method, StatisticalMethod::ClopperPearson);
        let (textbook, method) = moments(&[1.0, 2.0, 3.0, 4.0, 5.0]).interval(UNBOUNDED, LEVEL).unwrap();
        assert!((textbook.high - 3.0 - 2.776_445_105 * 0.5_f64.sqrt()).abs() < 1e-8);
        assert_eq!(method, StatisticalMethod::T);
        let deviation = moments(&[1.0, 2.0, 3.0, 4.0, 5.0]).deviation().unwrap();
        assert!((deviation - 2.5_f64.sqrt()).abs() < 1e-12 && moments(&[1.0]).deviation().is_none());
        // Zeros and ones of a metric that may have other values are no shares.
        assert_eq!(moments(&[0.0, 1.0, 1.0]).interval(UNBOUNDED, LEVEL).unwrap().1, StatisticalMethod::T);
    }

    #[test]
    fn an_interval_stays_in_the_range_and_few_values_have_none() {
        let (wide, _) = moments(&[0.1, 0.9]).interval(SHARE, LEVEL).unwrap();
        assert_eq!((wide.low, wide.high), (0.0, 1.0));
        assert_eq!(moments(&[]).interval(SHARE, LEVEL), None);
        assert_eq!(moments(&[0.5]).interval(SHARE, LEVEL), None);
        assert_eq!(moments(&[f64::MAX, f64::MAX]).interval(UNBOUNDED, LEVEL), None);
        let (equal, _) = moments(&[0.3; 7]).interval(SHARE, LEVEL).unwrap();
        assert!((equal.low - 0.3).abs() < 1e-15 && (equal.high - 0.3).abs() < 1e-15);
    }

    #[test]
    fn nothing_cancels_out_far_from_zero() {
        let values = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0];
        let (far, _) = moments(&values).interval(UNBOUNDED, LEVEL).unwrap();
        // s² = 30, t(0.975, 3) = 3.182446305.
        let reach = 3.182_446_305 * (30.0_f64 / 4.0).sqrt();
        assert!((far.high - far.low - 2.0 * reach).abs() < 1e-6, "{far:?}");
        let beside_an_outlier = moments(&[0.0, 1e8, 1e8 + 1.0, 1e8 - 1.0]).interval(UNBOUNDED, LEVEL);
        assert!(beside_an_outlier.is_some());
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_plain_formula_in_any_order(mut values in proptest::collection::vec(-1e3..1e3f64, 2..60)) {
            let (found, _) = moments(&values).interval(UNBOUNDED, LEVEL).unwrap();
            let plain = mean_interval(&values, LEVEL).unwrap();
            let width = (plain.high - plain.low).abs().max(1e-9);
            prop_assert!((found.low - plain.low).abs() < 1e-8 * width.max(1.0));
            prop_assert!((found.high - plain.high).abs() < 1e-8 * width.max(1.0));
            values.reverse();
            prop_assert_eq!(moments(&values).interval(UNBOUNDED, LEVEL).map(|(interval, _)| interval), Some(found));
        }

        #[test]
        fn what_is_taken_out_leaves_nothing_behind(values in proptest::collection::vec(-1e9..1e9f64, 2..40), passing in proptest::collection::vec(-1e12..1e12f64, 0..40)) {
            let mut found = moments(&values);
            for value in &passing {
                found.add(*value);
            }
            for value in passing.iter().rev() {
                found.remove(*value);
            }
            prop_assert_eq!(found.mean(), moments(&values).mean());
            prop_assert_eq!(found.interval(UNBOUNDED, LEVEL), moments(&values).interval(UNBOUNDED, LEVEL));
        }
    }
}
