//! How often a gate that is looked at after every case is decided wrongly, and how many cases it needs.

use probare_stats::sequential::{GateTest, GateVerdict, Observation, ReleaseTest, Sampling};
use probare_stats::{ConfidenceLevel, Interval, Random, proportion_interval, student_quantile};

/// Chance of a wrong verdict that is allowed.
pub const ALPHA: f64 = 0.05;

/// From which case on somebody who peeks looks at an interval.
const FIRST_LOOK: usize = 10;

/// A data set with a threshold beside its mean.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// What it stands for.
    pub name: &'static str,
    /// The values of its cases.
    pub values: Vec<f64>,
    /// The gate is `mean >= threshold`.
    pub threshold: f64,
}

impl DataSet {
    /// So many cases of each value.
    pub fn new(name: &'static str, counts: &[(f64, usize)], threshold: f64) -> Self {
        let values = counts.iter().flat_map(|(value, count)| vec![*value; *count]).collect();
        Self { name, values, threshold }
    }

    /// The mean of its values.
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    fn should_pass(&self) -> bool {
        self.mean() >= self.threshold - 1e-9
    }

    fn is_rate(&self) -> bool {
        self.values.iter().all(|value| *value == 0.0 || *value == 1.0)
    }
}

/// Who decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The mixture of bets about the cases of the data set.
    DataSet,
    /// The same about the population that they come from: cases are drawn with replacement.
    Population,
    /// An ordinary 95 % interval after every case, as if it were the only one.
    Peeking,
}

/// What came of many orders.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Orders.
    pub orders: usize,
    /// Those with a wrong verdict.
    pub wrong: usize,
    /// Those without a verdict after the last case.
    pub undecided: usize,
    /// Cases that were looked at until the verdict, of all orders.
    pub cases: usize,
    /// Cases that there were.
    pub of: usize,
}

impl Tally {
    /// Wrong verdicts in percent.
    pub fn wrong_percent(&self) -> f64 {
        100.0 * self.wrong as f64 / self.orders as f64
    }

    /// Share of the cases that were needed, in percent.
    pub fn needed_percent(&self) -> f64 {
        100.0 * self.cases as f64 / self.of as f64
    }
}

/// Decides a gate in `orders` orders of the cases.
pub fn decide(data: &DataSet, method: Method, orders: usize, seed: u64) -> Tally {
    let count = data.values.len();
    let mut tally = Tally { orders, of: orders * count, ..Tally::default() };
    let quantiles: Vec<f64> = match method {
        Method::Peeking => (0..count).map(|freedom| student_quantile(0.975, freedom.max(1) as f64)).collect(),
        Method::DataSet | Method::Population => Vec::new(),
    };
    for order in 0..orders {
        let mut random = Random::substream(seed, order as u64);
        let mut draw = CaseOrder::new(count);
        let mut next = || match method {
            Method::Population => data.values[random.below(count)],
            Method::DataSet | Method::Peeking => data.values[draw.next(&mut random)],
        };
        let (verdict, seen) = match method {
            Method::DataSet => gate(data.threshold, Sampling::DataSet { cases: count }, count, next),
            Method::Population => gate(data.threshold, Sampling::Population, count, next),
            Method::Peeking => peek(data, &quantiles, &mut next),
        };
        tally.cases += seen;
        match verdict {
            GateVerdict::Open => tally.undecided += 1,
            GateVerdict::Pass => tally.wrong += usize::from(!data.should_pass()),
            GateVerdict::Fail => tally.wrong += usize::from(data.should_pass()),
        }
    }
    tally
}

fn gate(threshold: f64, sampling: Sampling, count: usize, mut next: impl FnMut() -> f64) -> (GateVerdict, usize) {
    let mut gate = GateTest::new(threshold, ALPHA, sampling);
    while gate.verdict() == GateVerdict::Open && gate.case_count() < count {
        gate.push(Observation::Value(next()));
    }
    (gate.verdict(), gate.case_count())
}

/// Stops at the first case after which an interval lies on one side of the threshold: Wilson's for rates, Student's for the
/// rest. After the last case the mean decides. `quantiles` are Student's, by degrees of freedom.
fn peek(data: &DataSet, quantiles: &[f64], next: &mut impl FnMut() -> f64) -> (GateVerdict, usize) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for seen in 1..=data.values.len() {
        let value = next();
        sum += value;
        squares += value * value;
        if seen < FIRST_LOOK {
            continue;
        }
        let mean = sum / seen as f64;
        let interval: Option<Interval> = if data.is_rate() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a sum of zeros and ones")]
            let successes = sum as usize;
            proportion_interval(successes, seen, ConfidenceLevel::NINETY_FIVE)
        } else {
            let variance = (squares - sum * mean).max(0.0) / (seen as f64 - 1.0);
            let reach = quantiles[seen - 1] * (variance / seen as f64).sqrt();
            Some(Interval { low: mean - reach, high: mean + reach })
        };
        match interval {
            Some(interval) if interval.low >= data.threshold => return (GateVerdict::Pass, seen),
            Some(interval) if interval.high < data.threshold => return (GateVerdict::Fail, seen),
            _ => {}
        }
    }
    let passes = sum / data.values.len() as f64 >= data.threshold - 1e-9;
    (if passes { GateVerdict::Pass } else { GateVerdict::Fail }, data.values.len())
}

/// Decides several gates of one release together: how often a release that should pass is blocked, or the other way round.
pub fn decide_release(gates: &[DataSet], orders: usize, seed: u64) -> Tally {
    let count = gates[0].values.len();
    let thresholds: Vec<f64> = gates.iter().map(|gate| gate.threshold).collect();
    let should_pass = gates.iter().all(DataSet::should_pass);
    let mut tally = Tally { orders, of: orders * count, ..Tally::default() };
    for order in 0..orders {
        let mut random = Random::substream(seed, order as u64);
        // Values of different gates have nothing to do with each other.
        let mut draws: Vec<CaseOrder> = gates.iter().map(|_| CaseOrder::new(count)).collect();
        let mut release = ReleaseTest::new(&thresholds, ALPHA, Sampling::DataSet { cases: count });
        let mut verdict = GateVerdict::Open;
        let mut seen = 0;
        while verdict == GateVerdict::Open && seen < count {
            let observe =
                |(gate, draw): (&DataSet, &mut CaseOrder)| Observation::Value(gate.values[draw.next(&mut random)]);
            let observations: Vec<Observation> = gates.iter().zip(&mut draws).map(observe).collect();
            verdict = release.push(&observations);
            seen += 1;
        }
        tally.cases += seen;
        match verdict {
            GateVerdict::Open => tally.undecided += 1,
            GateVerdict::Pass => tally.wrong += usize::from(!should_pass),
            GateVerdict::Fail => tally.wrong += usize::from(should_pass),
        }
    }
    tally
}

/// A random order of cases, drawn as far as it is needed.
struct CaseOrder {
    places: Vec<usize>,
    drawn: usize,
}

impl CaseOrder {
    fn new(count: usize) -> Self {
        Self { places: (0..count).collect(), drawn: 0 }
    }

    fn next(&mut self, random: &mut Random) -> usize {
        let other = self.drawn + random.below(self.places.len() - self.drawn);
        self.places.swap(self.drawn, other);
        self.drawn += 1;
        self.places[self.drawn - 1]
    }
}

/// Data sets of so many cases, a multiple of 200, whose mean is the threshold, or the least step below it.
pub fn beside_the_threshold(cases: usize) -> Vec<DataSet> {
    let unit = cases / 20;
    let rate = |name, good: usize, threshold| DataSet::new(name, &[(1.0, good), (0.0, cases - good)], threshold);
    let levels = |name, best: usize| {
        let counts = [(1.0, best), (0.75, 15 * unit - best), (0.5, 2 * unit), (0.25, unit), (0.0, 2 * unit)];
        DataSet::new(name, &counts, 0.7125)
    };
    let pairs = |name, better: usize| {
        let counts = [(1.0, better), (0.5, 17 * unit - better), (0.0, 3 * unit)];
        DataSet::new(name, &counts, 0.5)
    };
    vec![
        rate("rate, at 0.8", 16 * unit, 0.8),
        rate("rate, just below 0.8", 16 * unit - 1, 0.8),
        rate("rate, at 0.5", 10 * unit, 0.5),
        rate("rate, just below 0.5", 10 * unit - 1, 0.5),
        rate("rate, at 0.95", 19 * unit, 0.95),
        rate("rate, just below 0.95", 19 * unit - 1, 0.95),
        levels("five levels, at the threshold", 7 * unit),
        levels("five levels, just below it", 7 * unit - 1),
        pairs("paired difference, at the threshold", 3 * unit),
        pairs("paired difference, just below it", 3 * unit - 1),
    ]
}

/// A data set of so many cases whose mean lies `gap` above or below the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Yes or no around a threshold of 0.75.
    Rates,
    /// Five levels around 0.6.
    Scores,
    /// Yes or no of two models on the same cases, of which three in ten differ.
    Pairs,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Rates, Self::Scores, Self::Pairs];

    /// What the table calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rates => "rates",
            Self::Scores => "scores of five levels",
            Self::Pairs => "pairs",
        }
    }

    /// The data set.
    pub fn at_gap(self, cases: usize, gap: f64) -> DataSet {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the cases")]
        let share = |share: f64| (share * cases as f64).round() as usize;
        match self {
            Self::Rates => {
                let good = share(0.75 + gap);
                DataSet::new(self.name(), &[(1.0, good), (0.0, cases - good)], 0.75)
            }
            Self::Scores => {
                // Cases move half of the scale up or down, twice as many as the mean moves.
                let moved = share(2.0 * gap.abs());
                let (at_half, at_three_quarters) = (share(0.45), share(0.45));
                let rest = cases - at_half - at_three_quarters;
                let counts = if gap > 0.0 {
                    [(0.5, at_half - moved), (1.0, moved), (0.75, at_three_quarters), (0.25, rest)]
                } else {
                    [(0.5, at_half), (0.75, at_three_quarters - moved), (0.25, rest + moved), (0.0, 0)]
                };
                let unmoved = DataSet::new("", &[(0.5, at_half), (0.75, at_three_quarters), (0.25, rest)], 0.0);
                DataSet::new(self.name(), &counts, unmoved.mean())
            }
            Self::Pairs => {
                // The gap is one of the difference; on the scale of the gate it is half as large.
                let (better, worse) = (share(0.15 + gap / 2.0), share(0.15 - gap / 2.0));
                let counts = [(1.0, better), (0.0, worse), (0.5, cases - better - worse)];
                DataSet::new(self.name(), &counts, 0.5)
            }
        }
    }
}
