//! The bias-corrected and accelerated bootstrap (Efron 1987).

use crate::normal::normal_cumulative;
use crate::{ConfidenceLevel, Interval, RESAMPLES, Random, mean, normal_quantile};

/// The interval of a mean from [`RESAMPLES`] resamples, corrected for bias and skewness (Efron 1987).
///
/// Each resample has a stream of its own, from the seed and its number. Nothing for fewer than two values, or where one is
/// not finite; no width where all values are the same.
pub fn bca_mean(values: &[f64], level: ConfidenceLevel, seed: u64) -> Option<Interval> {
    let observed = mean(values).filter(|mean| mean.is_finite())?;
    if values.len() < 2 {
        return None;
    }
    let count = values.len() as f64;
    let drawn: Vec<f64> = (0..RESAMPLES as u64)
        .map(|number| {
            let mut random = Random::substream(seed, number);
            (0..values.len()).map(|_| values[random.below(values.len())]).sum::<f64>() / count
        })
        .collect();
    // The mean without one value is known without adding the others again.
    let left_out: Vec<f64> = values.iter().map(|value| (observed * count - value) / (count - 1.0)).collect();
    bca(observed, drawn, &left_out, level)
}

/// The interval of any statistic: from its value, its values in resamples, and its values with one item left out in turn.
///
/// Nothing without resamples or items, or where a value is not a number. Where a correction has no finite value (all
/// resamples lie on one side) the ends are those of the percentile method.
pub fn bca(observed: f64, mut resampled: Vec<f64>, left_out: &[f64], level: ConfidenceLevel) -> Option<Interval> {
    if resampled.is_empty() || !observed.is_finite() || resampled.iter().any(|value| !value.is_finite()) {
        return None;
    }
    resampled.sort_by(f64::total_cmp);
    let below = resampled.partition_point(|value| *value < observed);
    let at_most = resampled.partition_point(|value| *value <= observed);
    // Ties count half: a mean of yes and no has many.
    let bias = normal_quantile((below + at_most) as f64 / (2 * resampled.len()) as f64);
    let acceleration = acceleration(left_out)?;
    let upper = level.upper_share();
    let share = |share: f64| {
        let reach = bias + normal_quantile(share);
        let corrected = normal_cumulative(bias + reach / (1.0 - acceleration * reach));
        if bias.is_finite() && corrected.is_finite() { corrected } else { share }
    };
    Some(Interval {
        low: interpolated_quantile(&resampled, share(1.0 - upper)),
        high: interpolated_quantile(&resampled, share(upper)),
    })
}

/// A sixth of the skewness of the jackknife (Efron and Tibshirani 1993, equation 14.15); 0 where nothing varies.
fn acceleration(left_out: &[f64]) -> Option<f64> {
    let centre = mean(left_out)?;
    let (mut squares, mut cubes) = (0.0, 0.0);
    for value in left_out {
        let distance = centre - value;
        squares += distance.powi(2);
        cubes += distance.powi(3);
    }
    let acceleration = cubes / (6.0 * squares.powf(1.5));
    Some(if acceleration.is_finite() { acceleration } else { 0.0 })
}

/// The value at a share of a sorted list, between two neighbours in proportion.
pub(crate) fn interpolated_quantile(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = share.clamp(0.0, 1.0) * last as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the last place")]
    let at = (place.floor() as usize).min(last);
    let (low, high) = (sorted[at], sorted[(at + 1).min(last)]);
    low + (high - low) * (place - at as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mean_interval;

    #[test]
    fn a_large_sample_agrees_with_students_t() {
        let mut random = Random::new(3);
        let values: Vec<f64> = (0..400).map(|_| random.below(1_000) as f64 / 1_000.0).collect();
        let drawn = bca_mean(&values, ConfidenceLevel::NINETY_FIVE, 1).unwrap();
        let computed = mean_interval(&values, ConfidenceLevel::NINETY_FIVE).unwrap();
        assert!((drawn.low - computed.low).abs() < 0.004 && (drawn.high - computed.high).abs() < 0.004);
    }

    #[test]
    fn a_skewed_sample_has_a_longer_arm_on_the_side_of_its_tail() {
        let values = [0.0, 0.0, 0.0, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.9, 1.0, 0.0, 0.1, 0.2, 0.0];
        let interval = bca_mean(&values, ConfidenceLevel::NINETY_FIVE, 1).unwrap();
        let centre = mean(&values).unwrap();
        assert!(interval.high - centre > 1.2 * (centre - interval.low), "{interval:?} around {centre}");
    }

    #[test]
    fn equal_values_leave_no_doubt_and_one_value_no_interval() {
        assert_eq!(bca_mean(&[0.5; 9], ConfidenceLevel::NINETY_FIVE, 1), Some(Interval { low: 0.5, high: 0.5 }));
        assert_eq!(bca_mean(&[0.5], ConfidenceLevel::NINETY_FIVE, 1), None);
        assert_eq!(bca_mean(&[0.5, f64::NAN], ConfidenceLevel::NINETY_FIVE, 1), None);
        assert_eq!(bca(0.5, Vec::new(), &[0.5], ConfidenceLevel::NINETY_FIVE), None);
    }

    #[test]
    fn resamples_on_one_side_fall_back_to_the_percentile_method() {
        let resampled: Vec<f64> = (0..=100).map(f64::from).collect();
        let interval = bca(-5.0, resampled, &[1.0, 2.0, 3.0], ConfidenceLevel::NINETY_FIVE).unwrap();
        assert!((interval.low - 2.5).abs() < 1e-9 && (interval.high - 97.5).abs() < 1e-9);
    }
}
