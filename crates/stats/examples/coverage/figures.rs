//! Coverage: the share of samples whose interval holds the true value.

use probare_stats::{ConfidenceLevel, Interval, Random, paired_share_interval};

/// Coverage over a range of true values.
#[derive(Debug, Clone, Copy)]
pub struct Coverage {
    /// The mean over the range.
    pub average: f64,
    /// The smallest.
    pub least: f64,
}

fn summarize(found: &[f64]) -> Coverage {
    let least = found.iter().copied().fold(f64::INFINITY, f64::min);
    Coverage { average: found.iter().sum::<f64>() / found.len() as f64, least }
}

/// The chances of all numbers of successes.
fn binomial(trials: usize, share: f64) -> Vec<f64> {
    // From the smaller side: the first chance of the other one may be too small for a double.
    if share > 0.5 {
        return binomial(trials, 1.0 - share).into_iter().rev().collect();
    }
    let mut chance = (1.0 - share).powi(i32::try_from(trials).unwrap_or(i32::MAX));
    let mut chances = vec![chance];
    for hits in 1..=trials {
        chance *= (trials - hits + 1) as f64 / hits as f64 * share / (1.0 - share);
        chances.push(chance);
    }
    chances
}

/// The coverage of an interval of a share: exact, over `steps` true shares between 0 and 1.
pub fn shares(trials: usize, steps: u32, interval: fn(usize, usize, ConfidenceLevel) -> Option<Interval>) -> Coverage {
    let intervals: Vec<Option<Interval>> =
        (0..=trials).map(|hits| interval(hits, trials, ConfidenceLevel::NINETY_FIVE)).collect();
    let found: Vec<f64> = (0..steps)
        .map(|step| {
            let share = (f64::from(step) + 0.5) / f64::from(steps);
            let pairs = binomial(trials, share).into_iter().zip(&intervals);
            pairs.filter(|(_, interval)| interval.is_some_and(|it| it.contains(share))).map(|(chance, _)| chance).sum()
        })
        .collect();
    summarize(&found)
}

/// The coverage of the interval of paired shares: exact, over true shares of questions that only the first, or only the
/// second system answers, in steps of a `steps`-th with both together at most one half.
pub fn paired(pairs: usize, steps: u32) -> Coverage {
    let mut found = Vec::new();
    for first in 0..=steps / 2 {
        for second in 0..=steps / 2 - first {
            let (first, second) = (f64::from(first) / f64::from(steps), f64::from(second) / f64::from(steps));
            let differ = first + second;
            let truth = first - second;
            let mut held = 0.0;
            for (discordant, chance) in binomial(pairs, differ).into_iter().enumerate() {
                let share = if differ > 0.0 { first / differ } else { 0.0 };
                for (firsts, split) in binomial(discordant, share).into_iter().enumerate() {
                    let seconds = (discordant - firsts) as u64;
                    let found =
                        paired_share_interval(firsts as u64, seconds, pairs as u64, ConfidenceLevel::NINETY_FIVE);
                    if found.is_some_and(|interval| interval.contains(truth)) {
                        held += chance * split;
                    }
                }
            }
            found.push(held);
        }
    }
    summarize(&found)
}

/// What values are drawn from.
#[derive(Debug, Clone, Copy)]
pub enum Population {
    /// Anything between 0 and 1, mean one half.
    Even,
    /// The sixth power of that: most near 0, mean one seventh.
    Skewed,
    /// 0 in half of the cases, 1 in a fifth, anything between in the rest: scores as many metrics give them.
    Piled,
}

impl Population {
    fn mean(self) -> f64 {
        match self {
            Self::Even => 0.5,
            Self::Skewed => 1.0 / 7.0,
            Self::Piled => 0.2 + 0.3 * 0.5,
        }
    }

    fn draw(self, random: &mut Random) -> f64 {
        let mut share = || random.below(1 << 30) as f64 / f64::from(1 << 30);
        match self {
            Self::Even => share(),
            Self::Skewed => share().powi(6),
            Self::Piled => match share() {
                low if low < 0.5 => 0.0,
                high if high >= 0.8 => 1.0,
                _ => share(),
            },
        }
    }
}

/// The share of `samples` of `count` values whose interval holds the true mean. The interval is given a seed.
pub fn simulated_coverage(
    count: usize,
    samples: u64,
    population: Population,
    interval: impl Fn(&[f64], u64) -> Option<Interval>,
) -> f64 {
    let held = (0..samples).filter(|number| {
        let mut random = Random::substream(20_260_303, *number);
        let values: Vec<f64> = (0..count).map(|_| population.draw(&mut random)).collect();
        interval(&values, *number).is_some_and(|interval| interval.contains(population.mean()))
    });
    held.count() as f64 / samples as f64
}
