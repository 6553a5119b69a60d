//! The standard normal distribution.

/// The share of the distribution that lies above `x`, for `x` of at least 0.
///
/// By the series 26.2.11 of Abramowitz and Stegun near zero, and by the continued fraction 26.2.14 further out, where the
/// series would subtract nearly equal numbers.
fn upper_tail(x: f64) -> f64 {
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if x < 2.5 {
        let mut term = x;
        let mut sum = x;
        let mut odd = 1.0;
        while term > sum * 1e-17 {
            odd += 2.0;
            term *= x * x / odd;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    let terms = (1..=200).rev().map(f64::from);
    density / terms.fold(x, |rest, term| x + term / rest)
}

/// The share of the standard normal distribution that lies below `x`.
pub fn normal_cumulative(x: f64) -> f64 {
    if x.is_nan() {
        return f64::NAN;
    }
    // Beyond 40 nothing is left that a double could hold.
    let tail = upper_tail(x.abs().min(40.0));
    if x > 0.0 { 1.0 - tail } else { tail }
}

/// The value that a share `probability` of the standard normal distribution lies below: infinite at 0 and 1, NaN outside.
///
/// Found by halving, right to the digits that the distribution function gives.
pub fn normal_quantile(probability: f64) -> f64 {
    if !(0.0..=1.0).contains(&probability) {
        return f64::NAN;
    }
    let tail = probability.min(1.0 - probability);
    let sign = if probability < 0.5 { -1.0 } else { 1.0 };
    if tail == 0.0 {
        return sign * f64::INFINITY;
    }
    if tail == 0.5 {
        return 0.0;
    }
    // No double but 0 lies below the tail beyond 40.
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if upper_tail(middle) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    sign * high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_the_printed_tables() {
        for (probability, expected) in [
            (0.5, 0.0),
            (0.9, 1.281_551_565_545),
            (0.95, 1.644_853_626_951),
            (0.975, 1.959_963_984_540),
            (0.995, 2.575_829_303_549),
            (0.9995, 3.290_526_731_492),
        ] {
            let found = normal_quantile(probability);
            assert!((found - expected).abs() < 1e-9, "{probability}: {found}");
            assert!((normal_quantile(1.0 - probability) + expected).abs() < 1e-9);
        }
    }

    #[test]
    fn both_ways_to_the_tail_meet() {
        assert!((upper_tail(2.5 - 1e-12) - upper_tail(2.5)).abs() < 1e-12);
        assert!((upper_tail(1.0) - 0.158_655_253_931).abs() < 1e-11);
        assert!((upper_tail(5.0) - 2.866_515_719e-7).abs() < 1e-15);
        assert_eq!(upper_tail(0.0), 0.5);
    }

    #[test]
    fn the_edges() {
        assert_eq!(normal_quantile(1.0), f64::INFINITY);
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert!(normal_quantile(1.1).is_nan() && normal_quantile(f64::NAN).is_nan());
    }
}
