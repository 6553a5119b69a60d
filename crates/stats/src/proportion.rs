//! The interval of a share, after Wilson and after Clopper and Pearson.

use crate::beta::beta_quantile;
use crate::{ConfidenceLevel, Interval, normal_quantile};

/// The interval of `successes` among `trials` (Wilson 1927, without continuity correction).
///
/// It stays inside 0 and 1 and is sensible for shares of 0 and 1, where the textbook interval has no width. Nothing
/// without trials, or with more successes than trials.
pub fn proportion_interval(successes: usize, trials: usize, level: ConfidenceLevel) -> Option<Interval> {
    if trials == 0 || successes > trials {
        return None;
    }
    let z = normal_quantile(level.upper_share());
    let (count, share) = (trials as f64, successes as f64 / trials as f64);
    let shrink = 1.0 + z * z / count;
    let centre = (share + z * z / (2.0 * count)) / shrink;
    let reach = z * (share * (1.0 - share) / count + z * z / (4.0 * count * count)).sqrt() / shrink;
    Some(Interval { low: centre - reach, high: centre + reach }.clamp(0.0, 1.0))
}

/// The exact interval of `successes` among `trials` (Clopper and Pearson 1934).
///
/// It holds the true share in at least the share of samples that the level asks for, whatever the true share is, and is
/// wider than Wilson's for that. Its ends are quantiles of beta distributions. Nothing without trials, or with more
/// successes than trials.
pub fn clopper_pearson(successes: usize, trials: usize, level: ConfidenceLevel) -> Option<Interval> {
    if trials == 0 || successes > trials {
        return None;
    }
    let tail = 1.0 - level.upper_share();
    let (hits, misses) = (successes as f64, (trials - successes) as f64);
    let low = if successes == 0 { 0.0 } else { beta_quantile(tail, hits, misses + 1.0) };
    let high = if successes == trials { 1.0 } else { 1.0 - beta_quantile(tail, misses, hits + 1.0) };
    Some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: Option<Interval>, low: f64, high: f64) {
        let found = found.unwrap();
        assert!((found.low - low).abs() < 1e-4 && (found.high - high).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn intervals_of_the_literature() {
        // Newcombe 1998, table I, method 3.
        close(proportion_interval(81, 263, ConfidenceLevel::NINETY_FIVE), 0.2553, 0.3662);
        close(proportion_interval(15, 148, ConfidenceLevel::NINETY_FIVE), 0.0624, 0.1605);
        close(proportion_interval(0, 20, ConfidenceLevel::NINETY_FIVE), 0.0, 0.1611);
        close(proportion_interval(1, 29, ConfidenceLevel::NINETY_FIVE), 0.0061, 0.1718);
        close(proportion_interval(29, 29, ConfidenceLevel::NINETY_FIVE), 0.8830, 1.0);
    }

    #[test]
    fn the_exact_interval_has_closed_forms_at_its_ends() {
        // No success among n: the upper end is 1 - (α/2)^(1/n).
        let end = 1.0 - 0.025_f64.powf(1.0 / 20.0);
        close(clopper_pearson(0, 20, ConfidenceLevel::NINETY_FIVE), 0.0, end);
        close(clopper_pearson(20, 20, ConfidenceLevel::NINETY_FIVE), 1.0 - end, 1.0);
        // Newcombe 1998, table I, method 5.
        close(clopper_pearson(81, 263, ConfidenceLevel::NINETY_FIVE), 0.2527, 0.3676);
        assert_eq!(clopper_pearson(0, 0, ConfidenceLevel::NINETY_FIVE), None);
        assert_eq!(clopper_pearson(3, 2, ConfidenceLevel::NINETY_FIVE), None);
    }

    #[test]
    fn no_trials_have_no_interval() {
        assert_eq!(proportion_interval(0, 0, ConfidenceLevel::NINETY_FIVE), None);
        assert_eq!(proportion_interval(2, 1, ConfidenceLevel::NINETY_FIVE), None);
    }
}
