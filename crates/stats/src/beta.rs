//! The incomplete beta function, from which Student's t follows.

/// `ln Γ(x)` for positive `x`: Stirling's series (Abramowitz and Stegun 6.1.41) after moving `x` above 10.
pub fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0
        - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0))))
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

/// The regularised incomplete beta function `I_x(a, b)` for positive `a`, `b` and `x` between 0 and 1.
///
/// By the continued fraction 26.5.8 of Abramowitz and Stegun, evaluated after Lentz; the symmetry
/// `I_x(a, b) = 1 - I_{1-x}(b, a)` keeps it in the region where it converges fast. `complement` is `1 - x`, given apart
/// because near 1 the difference would lose its digits.
pub fn incomplete_beta(a: f64, b: f64, x: f64, complement: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if complement <= 0.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * complement.ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, complement) / b
    }
}

/// The value that a share `probability` of the beta distribution lies below, for positive `a`, `b` and a share between 0
/// and 1.
///
/// Found by halving, right to the digits that [`incomplete_beta`] gives. Values near 0 keep their digits; those near 1 are
/// better taken as `1 - beta_quantile(1 - probability, b, a)`.
pub fn beta_quantile(probability: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..1_100 {
        let middle = f64::midpoint(low, high);
        // The ends are neighbours: nothing lies between them.
        if middle <= low || middle >= high {
            break;
        }
        if incomplete_beta(a, b, middle, 1.0 - middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The share of a binomial distribution at `successes` or below.
pub fn binomial_cumulative(successes: u64, trials: u64, share: f64) -> f64 {
    if successes >= trials {
        return 1.0;
    }
    // DLMF 8.17.5: the upper tail is an incomplete beta function, so the lower one is its mirror.
    incomplete_beta((trials - successes) as f64, (successes + 1) as f64, 1.0 - share, share)
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const LEAST: f64 = 1e-300;
    const MOST_TERMS: u32 = 10_000;
    let away_from_zero = |value: f64| if value.abs() < LEAST { LEAST } else { value };
    let mut numerator = 1.0;
    let mut denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = denominator;
    for term in 1..MOST_TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for coefficient in [even, odd] {
            denominator = 1.0 / away_from_zero(1.0 + coefficient * denominator);
            numerator = away_from_zero(1.0 + coefficient / numerator);
            change = denominator * numerator;
            value *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_of_gamma_at_known_points() {
        assert!((ln_gamma(1.0)).abs() < 1e-12);
        assert!((ln_gamma(5.0) - 24.0_f64.ln()).abs() < 1e-12);
        assert!((ln_gamma(0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-12);
        assert!((ln_gamma(101.0) - 363.739_375_555_563_5).abs() < 1e-9);
    }

    #[test]
    fn closed_forms_of_the_incomplete_beta_function() {
        for x in [0.0, 0.1, 0.5, 0.77, 1.0] {
            let rest = 1.0 - x;
            assert!((incomplete_beta(1.0, 1.0, x, rest) - x).abs() < 1e-13);
            assert!((incomplete_beta(2.0, 1.0, x, rest) - x * x).abs() < 1e-13);
            assert!((incomplete_beta(1.0, 3.0, x, rest) - (1.0 - rest.powi(3))).abs() < 1e-13);
            let arcsine = 2.0 / std::f64::consts::PI * x.sqrt().asin();
            assert!((incomplete_beta(0.5, 0.5, x, rest) - arcsine).abs() < 1e-12);
        }
    }
}
