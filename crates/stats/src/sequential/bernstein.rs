//! The empirical Bernstein interval that holds at any stop (Waudby-Smith and Ramdas, 2024, theorem 2).

use crate::Interval;

/// The largest bet.
const MAX_BET: f64 = 0.5;

/// The interval of this moment, and the part that the intervals of all moments share.
pub fn empirical_bernstein(values: &[f64], alpha: f64) -> (Interval, Interval) {
    let scale = 2.0 * (2.0 / alpha).ln();
    let (mut sum, mut squares, mut variance, mut guess) = (0.0, 0.0, 0.25, 0.5);
    let (mut bets, mut weighted, mut loss) = (0.0, 0.0, 0.0);
    let whole = Interval { low: 0.0, high: 1.0 };
    let (mut now, mut running) = (whole, whole);
    for (at, value) in values.iter().enumerate() {
        let number = (at + 1) as f64;
        let bet = (scale / (variance * number * number.ln_1p())).sqrt().min(MAX_BET);
        bets += bet;
        weighted += bet * value;
        loss += (value - guess) * (value - guess) * (-(-bet).ln_1p() - bet);
        let half = ((2.0 / alpha).ln() + loss) / bets;
        let center = weighted / bets;
        now = Interval { low: (center - half).max(0.0), high: (center + half).min(1.0) };
        running = running.intersection(now);
        sum += value;
        guess = (0.5 + sum) / (number + 1.0);
        squares += (value - guess) * (value - guess);
        variance = (0.25 + squares) / (number + 1.0);
    }
    (now, running)
}
