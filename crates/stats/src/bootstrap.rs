//! The percentile bootstrap: of a mean, and of any other statistic.

use crate::{ConfidenceLevel, Interval, Random};

/// Resamples that are drawn: enough for two steady decimals of a 95 % interval.
pub const RESAMPLES: usize = 2_000;

/// The interval of the mean from [`RESAMPLES`] resamples with replacement (Efron 1979, percentile method).
///
/// It assumes no shape of the distribution, so it suits scores that pile up at 0 and 1, and never leaves the range of the
/// values. Its ends are order statistics of the resampled means. Nothing for fewer than two values.
pub fn bootstrap_mean(values: &[f64], level: ConfidenceLevel, seed: u64) -> Option<Interval> {
    let rows: Vec<[f64; 1]> = values.iter().map(|value| [*value]).collect();
    let [interval] = bootstrap_means(&rows, level, seed);
    interval
}

/// The same for several measures of the same rows. A resample draws rows, so each interval is what [`bootstrap_mean`] gives
/// for its measure alone.
pub fn bootstrap_means<const N: usize>(rows: &[[f64; N]], level: ConfidenceLevel, seed: u64) -> [Option<Interval>; N] {
    if rows.len() < 2 {
        return [None; N];
    }
    let mut random = Random::new(seed);
    let mut resample = || {
        let mut sums = [0.0; N];
        for _ in 0..rows.len() {
            let row = &rows[random.below(rows.len())];
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += value;
            }
        }
        sums.map(|sum| sum / rows.len() as f64)
    };
    let means: Vec<[f64; N]> = (0..RESAMPLES).map(|_| resample()).collect();
    std::array::from_fn(|measure| {
        if rows.iter().any(|row| row[measure].is_nan()) {
            return None;
        }
        let mut means: Vec<f64> = means.iter().map(|means| means[measure]).collect();
        Some(percentile_interval(&mut means, level))
    })
}

/// The interval of any statistic of `count` items, from [`RESAMPLES`] resamples of them (Efron 1979, percentile method). The
/// statistic is given the places of the items that were drawn.
///
/// A resample for which there is no statistic is passed over; nothing where that is so for more than half of them, and for
/// fewer than two items.
pub fn bootstrap_statistic(
    count: usize,
    level: ConfidenceLevel,
    seed: u64,
    mut statistic: impl FnMut(&[usize]) -> Option<f64>,
) -> Option<Interval> {
    if count < 2 {
        return None;
    }
    let mut random = Random::new(seed);
    let mut drawn = vec![0; count];
    let mut found = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        drawn.fill_with(|| random.below(count));
        found.extend(statistic(&drawn).filter(|value| !value.is_nan()));
    }
    if found.len() * 2 < RESAMPLES {
        return None;
    }
    Some(percentile_interval(&mut found, level))
}

/// The middle share of what resamples gave, of which there is at least one.
fn percentile_interval(found: &mut [f64], level: ConfidenceLevel) -> Interval {
    found.sort_by(f64::total_cmp);
    let last = found.len() - 1;
    let place = |share: f64| {
        // Shares are between 0 and 1, so the place is inside the list.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the last place")]
        let place = (share * last as f64).round() as usize;
        place.min(last)
    };
    let upper = level.upper_share();
    Interval { low: found[place(1.0 - upper)], high: found[place(upper)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mean_interval;

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let values = [0.1, 0.4, 0.4, 0.9, 1.0, 0.0, 0.3];
        let first = bootstrap_mean(&values, ConfidenceLevel::NINETY_FIVE, 1).unwrap();
        assert_eq!(bootstrap_mean(&values, ConfidenceLevel::NINETY_FIVE, 1), Some(first));
        assert_ne!(bootstrap_mean(&values, ConfidenceLevel::NINETY_FIVE, 2), Some(first));
        assert!(first.low >= 0.0 && first.high <= 1.0);
    }

    #[test]
    fn several_measures_of_the_same_rows_are_drawn_at_once() {
        let rows = [[0.1, 1.0], [0.4, f64::NAN], [0.9, 0.0]];
        let values = rows.map(|[value, _]| value);
        let [alone, drawn] = [
            bootstrap_mean(&values, ConfidenceLevel::NINETY_FIVE, 4),
            bootstrap_means(&rows, ConfidenceLevel::NINETY_FIVE, 4)[0],
        ];
        assert_eq!(alone, drawn);
        assert!(drawn.is_some());
        assert_eq!(bootstrap_means(&rows, ConfidenceLevel::NINETY_FIVE, 4)[1], None);
    }

    #[test]
    fn a_large_sample_agrees_with_students_t() {
        let mut random = Random::new(3);
        let values: Vec<f64> = (0..400).map(|_| random.below(1_000) as f64 / 1_000.0).collect();
        let (drawn, computed) = (
            bootstrap_mean(&values, ConfidenceLevel::NINETY_FIVE, 1).unwrap(),
            mean_interval(&values, ConfidenceLevel::NINETY_FIVE).unwrap(),
        );
        assert!((drawn.low - computed.low).abs() < 0.003 && (drawn.high - computed.high).abs() < 0.003);
    }

    #[test]
    fn equal_values_leave_no_doubt_and_one_value_no_interval() {
        assert_eq!(bootstrap_mean(&[0.5; 9], ConfidenceLevel::NINETY_FIVE, 1), Some(Interval { low: 0.5, high: 0.5 }));
        assert_eq!(bootstrap_mean(&[0.5], ConfidenceLevel::NINETY_FIVE, 1), None);
        assert_eq!(bootstrap_mean(&[], ConfidenceLevel::NINETY_FIVE, 1), None);
        assert_eq!(bootstrap_mean(&[f64::NAN, 1.0], ConfidenceLevel::NINETY_FIVE, 1), None);
    }
}
