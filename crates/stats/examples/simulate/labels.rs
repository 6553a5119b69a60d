//! How often the interval of `probare estimate` holds the mean that people would give, for good, bad and useless judges.

use probare_stats::human_mean::{
    Stratum, estimate_data_set, estimate_strata, exact_strata_interval, is_normal_enough, plan_labels,
};
use probare_stats::{ConfidenceLevel, Interval, Random, mean_interval};

/// Cases of the data set.
pub const CASES: usize = 2000;

/// A judge.
#[derive(Debug, Clone, Copy)]
pub enum Judge {
    /// Says what people say in this share of the cases and guesses kindly in the rest, a little blurred.
    Follows(f64),
    /// Says the opposite of what people say in this share of the cases and guesses kindly in the rest, a little blurred.
    Opposes(f64),
    /// Yes or no, wrong in this share of the cases.
    Errs(f64),
    /// The same score for everybody.
    Constant,
}

impl Judge {
    fn score(self, label: f64, random: &mut Random) -> f64 {
        let mut blurred = |share: f64, meant: f64| {
            let guess = f64::from(u8::from(uniform(random) < KIND_GUESS));
            let said = if uniform(random) < share { meant } else { guess };
            0.9 * said + 0.1 * uniform(random)
        };
        match self {
            Self::Follows(share) => blurred(share, label),
            Self::Opposes(share) => blurred(share, 1.0 - label),
            Self::Errs(share) if uniform(random) < share => 1.0 - label,
            Self::Errs(_) => label,
            Self::Constant => 0.9,
        }
    }
}

/// How often a judge that guesses passes a case.
const KIND_GUESS: f64 = 0.85;

/// Share of cases that people pass.
const RATE: f64 = 0.7;

fn uniform(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// What came of many draws.
#[derive(Debug, Clone, Copy, Default)]
pub struct Coverage {
    /// Draws.
    pub runs: usize,
    /// Those whose printed interval holds the mean.
    pub printed: usize,
    /// The same if the normal interval were always printed.
    pub normal: usize,
    /// The same of labels alone, by Student's t.
    pub labels_alone: usize,
    /// Sum of the widths of the printed intervals.
    pub width: f64,
    /// Sum of the widths of labels alone.
    pub width_alone: f64,
    /// Draws whose printed interval is the exact one.
    pub exact: usize,
}

impl Coverage {
    /// A count of draws in percent.
    pub fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.runs as f64
    }
}

/// A data set that people and a judge have seen.
struct Judged {
    labels: Vec<f64>,
    scores: Vec<f64>,
}

impl Judged {
    fn new(judge: Judge, random: &mut Random) -> Self {
        let labels: Vec<f64> = (0..CASES).map(|_| f64::from(u8::from(uniform(random) < RATE))).collect();
        let scores = labels.iter().map(|label| judge.score(*label, random)).collect();
        Self { labels, scores }
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }
}

fn shuffled(places: &mut [usize], random: &mut Random) {
    for at in 0..places.len() {
        let other = at + random.below(places.len() - at);
        places.swap(at, other);
    }
}

fn holds(interval: Interval, mean: f64) -> usize {
    usize::from(interval.low - 1e-9 <= mean && mean <= interval.high + 1e-9)
}

/// Draws labels in a random order and estimates.
pub fn coverage(judge: Judge, labels: usize, runs: usize, seed: u64) -> Coverage {
    let mut found = Coverage { runs, ..Coverage::default() };
    for run in 0..runs {
        let mut random = Random::substream(seed, run as u64);
        let data = Judged::new(judge, &mut random);
        let truth = Judged::mean(&data.labels);
        let mut places: Vec<usize> = (0..CASES).collect();
        shuffled(&mut places, &mut random);
        let drawn = &places[..labels];
        let own: Vec<f64> = drawn.iter().map(|place| data.labels[*place]).collect();
        let scores: Vec<f64> = drawn.iter().map(|place| data.scores[*place]).collect();
        let estimate = estimate_data_set(&own, &scores, CASES, Judged::mean(&data.scores), 0.05)
            .expect("labels of a data set within its scale");
        let interval = estimate.interval();
        found.printed += holds(interval, truth);
        found.normal += holds(estimate.normal, truth);
        found.width += interval.high - interval.low;
        found.exact += usize::from(!estimate.is_normal);
        // All labels the same: a t interval is a point then.
        let alone = mean_interval(&own, ConfidenceLevel::NINETY_FIVE).expect("two labels or more");
        found.labels_alone += holds(alone, truth);
        found.width_alone += alone.high - alone.low;
    }
    found
}

/// Draws labels by strata of the judge's scores, as `--next` does, and estimates.
pub fn strata_coverage(judge: Judge, labels: usize, runs: usize, seed: u64) -> Coverage {
    let mut found = Coverage { runs, ..Coverage::default() };
    for run in 0..runs {
        let mut random = Random::substream(seed, run as u64);
        let data = Judged::new(judge, &mut random);
        let truth = Judged::mean(&data.labels);
        let plan = plan_labels(&data.scores, labels);
        let planned = plan.labels.expect("a budget of five for each stratum");
        let mut strata = Vec::new();
        for (number, wanted) in planned.iter().enumerate() {
            let mut places: Vec<usize> = (0..CASES).filter(|place| plan.stratum_of[*place] == number).collect();
            shuffled(&mut places, &mut random);
            let of = |places: &[usize], values: &[f64]| places.iter().map(|place| values[*place]).collect::<Vec<f64>>();
            strata.push(Stratum {
                cases: places.len(),
                judge_mean: Judged::mean(&of(&places, &data.scores)),
                labels: of(&places[..*wanted], &data.labels),
                judge: of(&places[..*wanted], &data.scores),
            });
        }
        let estimate = estimate_strata(&strata, 0.05).expect("five labels in each stratum");
        found.normal += holds(estimate.interval, truth);
        let interval = if is_normal_enough(labels, estimate.corrections) {
            estimate.interval
        } else {
            found.exact += 1;
            exact_strata_interval(&strata, 0.05)
        };
        found.printed += holds(interval, truth);
        found.width += interval.high - interval.low;
    }
    found
}
