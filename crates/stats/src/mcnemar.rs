//! Yes and no on the same questions: `McNemar`'s test, and the interval of the difference of two shares.

use crate::beta::binomial_cumulative;
use crate::{ConfidenceLevel, Interval, normal_quantile};

/// The two-sided p value of the exact test of `McNemar` (1947): only questions count on which the two systems differ, and
/// were the systems alike, each of those could have gone either way.
///
/// 1 where they differ nowhere.
pub fn mcnemar(only_first: u64, only_second: u64) -> f64 {
    let fewer = only_first.min(only_second);
    (2.0 * binomial_cumulative(fewer, only_first.saturating_add(only_second), 0.5)).min(1.0)
}

/// The interval of the share of the first minus that of the second, over `pairs` questions (Bonett and Price 2012: the
/// large-sample interval after one question more has been counted on each side).
///
/// Its coverage is close to its level from about twenty pairs on, where the textbook interval is too narrow, and it has a
/// width where the two differ nowhere. Nothing without pairs, or with more differences than pairs.
pub fn paired_share_interval(
    only_first: u64,
    only_second: u64,
    pairs: u64,
    level: ConfidenceLevel,
) -> Option<Interval> {
    if pairs == 0 || only_first.checked_add(only_second)? > pairs {
        return None;
    }
    let count = pairs as f64 + 2.0;
    let (first, second) = ((only_first as f64 + 1.0) / count, (only_second as f64 + 1.0) / count);
    let centre = first - second;
    let reach = normal_quantile(level.upper_share()) * ((first + second - centre * centre) / count).sqrt();
    Some(Interval { low: centre - reach, high: centre + reach }.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // One against five of six: 2 · (1 + 6) / 64.
        assert!((mcnemar(1, 5) - 14.0 / 64.0).abs() < 1e-12);
        assert_eq!(mcnemar(1, 5), mcnemar(5, 1));
        assert_eq!(mcnemar(0, 0), 1.0);
        assert_eq!(mcnemar(4, 4), 1.0);
        assert!((mcnemar(0, 8) - 2.0 / 256.0).abs() < 1e-12);
    }

    #[test]
    fn the_interval_of_the_difference() {
        // Counted by hand: (7 - 3) / 52 around, √((10/52 - (4/52)²) / 52) times 1.96 to each side.
        let found = paired_share_interval(6, 2, 50, ConfidenceLevel::NINETY_FIVE).unwrap();
        assert!((f64::midpoint(found.low, found.high) - 4.0 / 52.0).abs() < 1e-12);
        assert!((found.high - found.low - 2.0 * 1.959_963_985 * 0.059_870_8).abs() < 1e-5, "{found:?}");
        assert_eq!(paired_share_interval(0, 0, 0, ConfidenceLevel::NINETY_FIVE), None);
        assert_eq!(paired_share_interval(3, 3, 5, ConfidenceLevel::NINETY_FIVE), None);
        assert!(paired_share_interval(0, 0, 20, ConfidenceLevel::NINETY_FIVE).unwrap().high > 0.1);
    }
}
