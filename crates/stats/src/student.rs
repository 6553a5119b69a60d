//! Student's t distribution.

use crate::beta::incomplete_beta;

/// The share of the distribution with `freedom` degrees of freedom that lies below `t`.
pub fn student_cumulative(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return if t > 0.0 { 1.0 } else { 0.0 };
    }
    let square = t * t;
    let whole = freedom + square;
    let tail = 0.5 * incomplete_beta(freedom / 2.0, 0.5, freedom / whole, square / whole);
    if t > 0.0 { 1.0 - tail } else { tail }
}

/// The value that a share `probability` of the distribution lies below: infinite at 0 and 1, NaN outside.
///
/// Found by halving: slow beside a series, and right to the last digits that the distribution function gives.
pub fn student_quantile(probability: f64, freedom: f64) -> f64 {
    if !(0.0..=1.0).contains(&probability) || freedom.is_nan() || freedom <= 0.0 {
        return f64::NAN;
    }
    if probability == 0.0 || probability == 1.0 {
        return if probability == 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // The upper half is searched, where the tail is small and keeps its digits.
    let tail = probability.min(1.0 - probability);
    let (mut low, mut high) = (0.0, 1.0);
    while student_cumulative(-high, freedom) > tail && high < 1e300 {
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        // The ends are neighbours: nothing lies between them.
        if middle <= low || middle >= high {
            break;
        }
        if student_cumulative(-middle, freedom) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    if tail == 0.5 {
        0.0
    } else if probability > 0.5 {
        high
    } else {
        -high
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quantiles_of_the_printed_tables() {
        for (freedom, probability, expected) in [
            (1.0, 0.975, 12.706_204_736),
            (2.0, 0.975, 4.302_652_730),
            (4.0, 0.975, 2.776_445_105),
            (9.0, 0.95, 1.833_112_933),
            (9.0, 0.995, 3.249_835_542),
            (30.0, 0.975, 2.042_272_456),
            (59.0, 0.975, 2.000_995_378),
            (120.0, 0.975, 1.979_930_405),
        ] {
            let found = student_quantile(probability, freedom);
            assert!((found - expected).abs() < 1e-7, "{freedom} {probability}: {found}");
        }
    }

    #[test]
    fn one_degree_of_freedom_is_cauchys_distribution() {
        for t in [-3.0, -0.5, 0.0, 0.5, 10.0_f64] {
            let expected = 0.5 + t.atan() / std::f64::consts::PI;
            assert!((student_cumulative(t, 1.0) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn the_edges() {
        assert_eq!(student_quantile(0.5, 3.0), 0.0);
        assert_eq!(student_quantile(1.0, 3.0), f64::INFINITY);
        assert!(student_quantile(1.5, 3.0).is_nan() && student_quantile(0.5, 0.0).is_nan());
        assert_eq!(student_cumulative(f64::INFINITY, 3.0), 1.0);
    }

    proptest! {
        #[test]
        fn the_quantile_undoes_the_distribution(probability in 0.001..0.999, freedom in 1.0..500.0) {
            let back = student_cumulative(student_quantile(probability, freedom), freedom);
            prop_assert!((back - probability).abs() < 1e-9);
        }
    }
}
