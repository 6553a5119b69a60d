//! Bets that follow the variance seen so far (Waudby-Smith and Ramdas, 2024, "hedged capital").

use super::mixture::{Sampling, log_mean_exp};

/// The largest share of what can be lost that is bet.
const MAX_BET_SHARE: f64 = 0.5;

/// How far a mean may miss the end of the scale by rounding.
const ROUNDING: f64 = 1e-9;

/// Natural logarithms of the evidence after a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HedgedCapital {
    /// That the mean is above.
    pub log_above: f64,
    /// That the mean is below.
    pub log_below: f64,
    /// That it is another one: both sides, with half of `alpha` each.
    pub log_two_sided: f64,
}

/// One pair of bets, sized for a level.
struct BetPair {
    /// `2 ln(1/a)` of the level `a`.
    scale: f64,
    above: f64,
    below: f64,
}

impl BetPair {
    fn new(level: f64) -> Self {
        Self { scale: -2.0 * level.ln(), above: 0.0, below: 0.0 }
    }

    fn push(&mut self, value: f64, expected: f64, spread: f64) {
        let bet = (self.scale / spread).sqrt();
        self.above += (bet.min(MAX_BET_SHARE / expected) * (value - expected)).ln_1p();
        self.below += (-bet.min(MAX_BET_SHARE / (1.0 - expected)) * (value - expected)).ln_1p();
    }
}

/// Evidence about the mean `mean` after each value.
pub fn hedged_capital(values: &[f64], mean: f64, sampling: Sampling, alpha: f64) -> Vec<HedgedCapital> {
    let (mut one_sided, mut two_sided) = (BetPair::new(alpha), BetPair::new(alpha / 2.0));
    let (mut sum, mut squares, mut variance) = (0.0, 0.0, 0.25);
    let (mut is_above, mut is_below) = (false, false);
    let infinite = |log: f64, is_infinite: bool| if is_infinite { f64::INFINITY } else { log };
    let mut evidence = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        let number = (at + 1) as f64;
        let expected = match sampling {
            Sampling::Population => mean,
            Sampling::DataSet { cases } => (cases as f64 * mean - sum) / cases.saturating_sub(at).max(1) as f64,
        };
        // Known from the next case on, as the published code has it: the mean of what is left would have to leave the scale.
        is_above |= expected < -ROUNDING;
        is_below |= expected > 1.0 + ROUNDING;
        if expected > 0.0 && expected < 1.0 {
            let spread = variance * number * number.ln_1p();
            one_sided.push(*value, expected, spread);
            two_sided.push(*value, expected, spread);
        }
        sum += value;
        let guess = (0.5 + sum) / (number + 1.0);
        squares += (value - guess) * (value - guess);
        variance = (0.25 + squares) / (number + 1.0);
        let both = [infinite(two_sided.above, is_above), infinite(two_sided.below, is_below)];
        evidence.push(HedgedCapital {
            log_above: infinite(one_sided.above, is_above),
            log_below: infinite(one_sided.below, is_below),
            log_two_sided: log_mean_exp(&both),
        });
    }
    evidence
}
