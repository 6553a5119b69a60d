//! The mean and its interval by Student's t.

use crate::{ConfidenceLevel, Interval, student_quantile};

/// The arithmetic mean, added in order; nothing for an empty list.
pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() { None } else { Some(values.iter().sum::<f64>() / values.len() as f64) }
}

/// The mean of `count` values, of which `value` is the last and `mean` that of the others. Values that are equal keep their
/// mean to the last digit, which a sum would not.
pub fn updated_mean(mean: f64, value: f64, count: u32) -> f64 {
    // Divided before they are subtracted, since a difference may lie beyond the largest number.
    let times = f64::from(count.max(1));
    mean + (value / times - mean / times)
}

/// The standard deviation with `n - 1` in the divisor; nothing for fewer than two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / freedom as f64).sqrt())
}

/// The interval of the mean: `mean ± t · s / √n` with `n - 1` degrees of freedom.
///
/// Nothing for fewer than two values, since one value says nothing about its spread.
pub fn mean_interval(values: &[f64], level: ConfidenceLevel) -> Option<Interval> {
    interval_of_mean(mean(values)?, standard_deviation(values)?, values.len() as u64, level)
}

/// The interval of the mean of `count` values of which only the mean and the standard deviation are known.
///
/// Nothing for fewer than two values, or where a number is not finite.
pub fn interval_of_mean(mean: f64, deviation: f64, count: u64, level: ConfidenceLevel) -> Option<Interval> {
    if count < 2 || !mean.is_finite() || !deviation.is_finite() {
        return None;
    }
    let count = count as f64;
    let reach = student_quantile(level.upper_share(), count - 1.0) * deviation / count.sqrt();
    Some(Interval { low: mean - reach, high: mean + reach })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_textbook_sample() {
        // n = 5, mean 3, s = √2.5; t(0.975, 4) = 2.776445.
        let interval = mean_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], ConfidenceLevel::NINETY_FIVE).unwrap();
        let reach = 2.776_445_105 * 2.5_f64.sqrt() / 5.0_f64.sqrt();
        assert!((interval.low - (3.0 - reach)).abs() < 1e-8);
        assert!((interval.high - (3.0 + reach)).abs() < 1e-8);
    }

    #[test]
    fn equal_values_keep_their_mean() {
        let ten = (1..=10).fold(0.0, |mean, count| updated_mean(mean, 0.1, count));
        assert_eq!(ten, 0.1);
        assert_eq!(updated_mean(0.25, 0.75, 2), 0.5);
        assert!(updated_mean(f64::MAX, -f64::MAX, 2).abs() < 1e300);
    }

    #[test]
    fn few_and_equal_values() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean_interval(&[], ConfidenceLevel::NINETY_FIVE), None);
        assert_eq!(mean_interval(&[0.5], ConfidenceLevel::NINETY_FIVE), None);
        assert_eq!(mean_interval(&[0.5, 0.5], ConfidenceLevel::NINETY_FIVE), Some(Interval { low: 0.5, high: 0.5 }));
        assert_eq!(standard_deviation(&[1.0, 3.0]), Some(2.0_f64.sqrt()));
    }
}
