//! What a number of pairs can show: the least difference that would be found.

use crate::beta::{incomplete_beta, ln_gamma};
use crate::normal::normal_cumulative;
use crate::{ConfidenceLevel, student_quantile};

/// The least mean difference that the t test of `pairs` differences with this standard deviation finds with the chance
/// `power` (Cohen 1988, chapter 2, by the noncentral t distribution).
///
/// A difference that was not found says little where this number is large. Nothing for fewer than two pairs, a deviation
/// that is not finite, or a power outside of the level's risk and 1.
pub fn minimum_detectable_effect(pairs: usize, deviation: f64, level: ConfidenceLevel, power: f64) -> Option<f64> {
    let risk = 1.0 - level.get();
    if pairs < 2 || !deviation.is_finite() || deviation < 0.0 || power.is_nan() || power <= risk || power >= 1.0 {
        return None;
    }
    let freedom = (pairs - 1) as f64;
    let limit = student_quantile(level.upper_share(), freedom);
    // The chance that the test speaks up, where the mean lies `shift` standard errors from zero.
    let chance =
        |shift: f64| 1.0 - noncentral_student(limit, freedom, shift) + noncentral_student(-limit, freedom, shift);
    let (mut low, mut high) = (0.0, 1.0);
    while chance(high) < power && high < 1e6 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if chance(middle) < power {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(high * deviation / (pairs as f64).sqrt())
}

/// More pairs than this are not searched for: nobody has them.
const MOST_PAIRS: usize = 10_000_000;

/// The fewest pairs whose t test finds a mean difference of `effect` with the chance `power`, where differences have this
/// standard deviation. Nothing where even ten million are too few, or where a number is none that can be asked.
pub fn pairs_needed(effect: f64, deviation: f64, level: ConfidenceLevel, power: f64) -> Option<usize> {
    if effect.is_nan() || effect <= 0.0 {
        return None;
    }
    let is_enough = |pairs: usize| Some(minimum_detectable_effect(pairs, deviation, level, power)? <= effect);
    let mut high = 2;
    while !is_enough(high)? {
        high = high.checked_mul(2).filter(|high| *high <= 2 * MOST_PAIRS)?;
    }
    let mut low = high / 2;
    while low + 1 < high {
        let middle = low.midpoint(high);
        if is_enough(middle)? { high = middle } else { low = middle }
    }
    (high <= MOST_PAIRS).then_some(high)
}

/// The share of the noncentral t distribution below `t`, by the series of algorithm AS 243 (Lenth 1989).
fn noncentral_student(t: f64, freedom: f64, shift: f64) -> f64 {
    if t < 0.0 {
        return 1.0 - noncentral_student(-t, freedom, -shift);
    }
    // Far out the series would start with a number that is no longer a double.
    let half = shift * shift / 2.0;
    if half > 700.0 {
        return if shift > t { 0.0 } else { 1.0 };
    }
    let square = t * t;
    let (x, complement) = (square / (square + freedom), freedom / (square + freedom));
    let mut sum = normal_cumulative(-shift);
    // Weights of a Poisson distribution, and of its neighbour at half steps.
    let mut even = (-half).exp() / 2.0;
    let mut odd = shift * (-half).exp() / (2.0 * (ln_gamma(1.5)).exp() * std::f64::consts::SQRT_2);
    let mut left = 1.0 - (-half).exp();
    for term in 0..10_000_u32 {
        let step = f64::from(term);
        sum += even * incomplete_beta(step + 0.5, freedom / 2.0, x, complement)
            + odd * incomplete_beta(step + 1.0, freedom / 2.0, x, complement);
        if left < 1e-15 {
            break;
        }
        even *= half / (step + 1.0);
        odd *= half / (step + 1.5);
        left -= 2.0 * even;
    }
    sum.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::student_cumulative;

    #[test]
    fn without_a_shift_it_is_students_distribution() {
        for t in [-2.0, -0.3, 0.0, 0.7, 3.0] {
            assert!((noncentral_student(t, 7.0, 0.0) - student_cumulative(t, 7.0)).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn more_pairs_and_less_spread_show_smaller_effects() {
        let effect =
            |pairs, deviation| minimum_detectable_effect(pairs, deviation, ConfidenceLevel::NINETY_FIVE, 0.8).unwrap();
        assert!(effect(100, 0.3) < effect(50, 0.3) && effect(50, 0.2) < effect(50, 0.3));
        // Of many pairs it is the normal one: (1.96 + 0.84) · s / √n.
        assert!((effect(100_000, 1.0) - 2.801_585 / 100_000.0_f64.sqrt()).abs() < 1e-6);
        assert_eq!(effect(50, 0.0), 0.0);
    }

    #[test]
    fn what_cannot_be_asked() {
        let ask =
            |pairs, deviation, power| minimum_detectable_effect(pairs, deviation, ConfidenceLevel::NINETY_FIVE, power);
        assert_eq!(ask(1, 0.3, 0.8), None);
        assert_eq!(ask(9, f64::NAN, 0.8), None);
        assert_eq!((ask(9, 0.3, 0.05), ask(9, 0.3, 1.0), ask(9, 0.3, f64::NAN)), (None, None, None));
    }

    #[test]
    fn pairs_needed_are_the_fewest_that_find_the_effect() {
        let level = ConfidenceLevel::NINETY_FIVE;
        // Cohen 1988, table 2.3.5 halved for pairs; G*Power 3.1, "difference between two dependent means": 34, 199, 15.
        assert_eq!(pairs_needed(0.5, 1.0, level, 0.8), Some(34));
        assert_eq!(pairs_needed(0.2, 1.0, level, 0.8), Some(199));
        assert_eq!(pairs_needed(0.8, 1.0, level, 0.8), Some(15));
        let needed = pairs_needed(0.03, 0.4, level, 0.9).unwrap();
        let effect = |pairs| minimum_detectable_effect(pairs, 0.4, level, 0.9).unwrap();
        assert!(effect(needed) <= 0.03 && effect(needed - 1) > 0.03, "{needed}");
        assert_eq!(pairs_needed(0.1, 0.0, level, 0.8), Some(2));
        assert_eq!((pairs_needed(0.0, 1.0, level, 0.8), pairs_needed(1e-9, 1.0, level, 0.8)), (None, None));
        assert_eq!((pairs_needed(0.1, f64::NAN, level, 0.8), pairs_needed(0.1, 1.0, level, 1.0)), (None, None));
    }
}
