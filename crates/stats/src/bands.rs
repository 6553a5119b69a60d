//! [`bands`]: the ends of a metric's scale at which its verdict is wrong at most so often, promised with a confidence.
//!
//! This is "learn then test" (Angelopoulos, Bates, Candès, Jordan and Lei 2021) with a fixed sequence: from each end of the
//! scale thresholds are tried in order, the strictest first, by an exact binomial test of "wrong more often than promised".
//! The first that cannot be rejected ends the sequence, so nothing has to be paid for trying many. Where labels allow it there
//! are up to three sequences, which begin at twice and four times the fewest cases, too: a single mistake among the best values
//! need not end it all. Each end has half of the doubt, and its sequences share that. The promise holds for labelled cases that are drawn like those it is used on. It is exact where verdicts grow no
//! better away from the end of the scale, and `docs/judgement.md` shows by simulation how often it holds.

use crate::beta::{beta_quantile, binomial_cumulative};

/// What is promised: wrong at most so often, with that confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// Largest share of wrong verdicts among those that are made.
    pub error: f64,
    /// Share of calibrations for which it holds.
    pub confidence: f64,
}

/// A labelled case: the value of a metric, where larger is better, and whether people pass it.
pub type Labelled = (f64, bool);

/// The values from one end of the scale on to `at`, which are decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// The last value that is decided.
    pub at: f64,
    /// Labelled cases in it.
    pub cases: usize,
    /// Those that people decide otherwise.
    pub wrong: usize,
    /// The share of wrong verdicts lies below this, with the confidence of one end.
    pub bound: f64,
}

/// The threshold at which the sequence ended, and what it would take to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Next {
    /// Labelled cases up to it.
    pub cases: usize,
    /// Those that would be wrong.
    pub wrong: usize,
    /// Further labelled cases of the same kind, over the whole scale, with which it would pass if as large a share is wrong;
    /// nothing where too large a share is wrong.
    pub more: Option<usize>,
}

/// Cases beyond which nobody counts.
const MOST_CASES: usize = 1_000_000;

/// Most sequences of one end.
const STARTS: u32 = 3;

/// One end of the scale.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct End {
    /// What is decided there, if anything.
    pub band: Option<Band>,
    /// Where it stopped; nothing where it went through to the other end.
    pub next: Option<Next>,
}

/// Both ends.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bands {
    /// Values from `at` on upwards pass.
    pub pass: End,
    /// Values up to `at` fail.
    pub fail: End,
}

impl Promise {
    /// Fewest cases at one end that can show anything: all of them right.
    pub fn fewest(self) -> usize {
        self.test(1).fewest()
    }

    /// The test of one of several sequences of an end: half of the doubt is of the end, and they share it.
    fn test(self, starts: u32) -> Test {
        Test { error: self.error, doubt: (1.0 - self.confidence) / 2.0 / f64::from(starts) }
    }
}

/// The test of a threshold.
#[derive(Clone, Copy)]
struct Test {
    error: f64,
    doubt: f64,
}

impl Test {
    fn fewest(self) -> usize {
        let (mut fewest, mut chance) = (1, 1.0 - self.error);
        while chance > self.doubt && fewest < MOST_CASES {
            chance *= 1.0 - self.error;
            fewest += 1;
        }
        fewest
    }

    /// Whether so many wrong ones among so many cases reject that more than the promised share is wrong.
    fn holds(self, wrong: usize, cases: usize) -> bool {
        binomial_cumulative(wrong as u64, cases as u64, self.error) <= self.doubt
    }

    /// The upper end of the exact interval of the share of wrong ones (Clopper and Pearson 1934), one-sided.
    fn bound(self, wrong: usize, cases: usize) -> f64 {
        if wrong >= cases {
            return 1.0;
        }
        1.0 - beta_quantile(self.doubt, (cases - wrong) as f64, wrong as f64 + 1.0)
    }

    /// Cases at which a share of wrong ones would pass; nothing where none would within a million.
    fn needed(self, wrong: usize, cases: usize) -> Option<usize> {
        if wrong as f64 / cases.max(1) as f64 >= self.error {
            return None;
        }
        let holds = |more: usize| self.holds((wrong * more).div_ceil(cases.max(1)), more);
        let (mut low, mut high) = (cases, cases.max(1));
        while !holds(high) {
            if high > MOST_CASES {
                return None;
            }
            (low, high) = (high, high * 2);
        }
        // Rounding up lets the test waver by a case or two, which does not matter here.
        while high - low > 1 {
            let middle = low.midpoint(high);
            if holds(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }
}

/// The bands of a metric. Values that are no numbers are left out.
pub fn bands(labelled: &[Labelled], promise: Promise) -> Bands {
    let all: Vec<Labelled> = labelled.iter().copied().filter(|(value, _)| value.is_finite()).collect();
    let mirrored: Vec<Labelled> = all.iter().map(|(value, passes)| (-value, !passes)).collect();
    let (passing, failing) = (Sequence::of(&all, promise), Sequence::of(&mirrored, promise));
    let (pass, fail) = apart(&passing.bands, &failing.bands);
    let mirror = |band: Band| Band { at: -band.at, ..band };
    Bands { pass: End { band: pass, next: passing.next }, fail: End { band: fail.map(mirror), next: failing.next } }
}

/// The thresholds of one end that passed, the strictest first, and where it stopped.
struct Sequence {
    bands: Vec<Band>,
    next: Option<Next>,
}

impl Sequence {
    /// Goes down from the largest value; a case that people do not pass is wrong there.
    fn of(cases: &[Labelled], promise: Promise) -> Self {
        let thresholds = thresholds(cases);
        // How many sequences there are depends on the number of cases alone.
        let fits = |starts: &u32| promise.test(*starts).fewest() << (starts - 1) <= cases.len();
        let starts = (1..=STARTS).rev().find(fits).unwrap_or(1);
        let test = promise.test(starts);
        let (mut passed, mut failed) = (vec![false; thresholds.len()], Vec::new());
        for start in 0..starts {
            let fewest = test.fewest() << start;
            let tried = thresholds.iter().enumerate().filter(|(_, (_, count, _))| *count >= fewest);
            for (place, (_, count, wrong)) in tried {
                if !test.holds(*wrong, *count) {
                    failed.push(place);
                    break;
                }
                passed[place] = true;
            }
        }
        let band = |(at, cases, wrong): &(f64, usize, usize)| Band {
            at: *at,
            cases: *cases,
            wrong: *wrong,
            bound: test.bound(*wrong, *cases),
        };
        let bands: Vec<Band> = thresholds
            .iter()
            .zip(&passed)
            .filter(|(_, passed)| **passed)
            .map(|(threshold, _)| band(threshold))
            .collect();
        let last = passed.iter().rposition(|passed| *passed);
        let next = failed.into_iter().filter(|place| last.is_none_or(|last| *place > last)).min().map(|place| {
            let (_, count, wrong) = thresholds[place];
            let more = test.needed(wrong, count).map(|needed| ((needed - count) * cases.len()).div_ceil(count));
            Next { cases: count, wrong, more }
        });
        Self { bands, next }
    }
}

/// The values from the largest on, each with the cases from there up and those of them that are wrong. Equal values are
/// decided alike.
fn thresholds(cases: &[Labelled]) -> Vec<(f64, usize, usize)> {
    let mut sorted = cases.to_vec();
    sorted.sort_by(|first, second| second.0.total_cmp(&first.0));
    let mut wrong = 0;
    let mut found = Vec::new();
    for (place, (value, passes)) in sorted.iter().enumerate() {
        wrong += usize::from(!passes);
        if sorted.get(place + 1).is_none_or(|(following, _)| following < value) {
            found.push((*value, place + 1, wrong));
        }
    }
    found
}

/// The two bands that decide most without a value that both would decide: every threshold that passed may be taken, since the
/// promise is about all of them at once. `failing` is mirrored.
fn apart(passing: &[Band], failing: &[Band]) -> (Option<Band>, Option<Band>) {
    let (Some(pass), Some(fail)) = (passing.last(), failing.last()) else {
        return (passing.last().copied(), failing.last().copied());
    };
    let mut best: Option<(usize, usize, Band, Band)> = None;
    for pass in passing {
        // The laxest that ends below; thresholds of the mirrored end fall, too.
        let Some(fail) = failing.iter().rev().find(|fail| -fail.at < pass.at) else { continue };
        let (cases, wrong) = (pass.cases + fail.cases, pass.wrong + fail.wrong);
        if best.is_none_or(|(most, least, ..)| cases > most || (cases == most && wrong < least)) {
            best = Some((cases, wrong, *pass, *fail));
        }
    }
    match best {
        Some((_, _, pass, fail)) => (Some(pass), Some(fail)),
        None if pass.cases >= fail.cases => (Some(*pass), None),
        None => (None, Some(*fail)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    const USUAL: Promise = Promise { error: 0.05, confidence: 0.95 };

    fn share(random: &mut Random) -> f64 {
        (random.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[test]
    fn too_few_cases_show_nothing_and_enough_that_are_right_do() {
        // 0.95^n <= 0.025.
        assert_eq!(USUAL.fewest(), 72);
        let right = |count: usize| -> Vec<Labelled> { (0..count).map(|at| (at as f64, true)).collect() };
        assert_eq!(bands(&right(71), USUAL), Bands::default());
        let found = bands(&right(72), USUAL);
        let band = found.pass.band.unwrap();
        assert_eq!((band.at, band.cases, band.wrong), (0.0, 72, 0));
        assert!((band.bound - (1.0 - 0.025_f64.powf(1.0 / 72.0))).abs() < 1e-9);
        assert!(band.bound <= 0.05);
        // At the other end every case is wrong.
        assert_eq!(found.fail.band, None);
        assert_eq!(found.fail.next, Some(Next { cases: 72, wrong: 72, more: None }));
    }

    #[test]
    fn a_band_ends_where_the_verdict_becomes_wrong_too_often() {
        // Right above 100, a coin below.
        let labelled: Vec<Labelled> = (0..200).map(|at| (f64::from(at), at >= 100 || at % 2 == 0)).collect();
        let Bands { pass, fail } = bands(&labelled, USUAL);
        let band = pass.band.unwrap();
        assert!((99.0..=101.0).contains(&band.at), "{band:?}");
        let next = pass.next.unwrap();
        assert!(next.cases > band.cases && !USUAL.test(1).holds(next.wrong, next.cases));
        // With as large a share of wrong ones among more cases it would have gone on.
        assert!(next.more.is_some_and(|more| more > 0));
        assert_eq!(fail.band, None);
    }

    #[test]
    fn a_single_mistake_at_the_very_end_does_not_end_it_all() {
        let labelled: Vec<Labelled> = (0..600).map(|at| (f64::from(at), at >= 200 && at != 599)).collect();
        let band = bands(&labelled, USUAL).pass.band.unwrap();
        assert!(band.at < 210.0 && band.wrong >= 1, "{band:?}");
    }

    #[test]
    fn equal_values_are_decided_alike_and_no_value_is_decided_twice() {
        let mut labelled: Vec<Labelled> = Vec::new();
        labelled.extend((0..300).map(|at| (1.0, at >= 2)));
        labelled.extend((0..300).map(|at| (0.0, at < 2)));
        let Bands { pass, fail } = bands(&labelled, USUAL);
        let (pass, fail) = (pass.band.unwrap(), fail.band.unwrap());
        assert_eq!((pass.at, pass.cases, pass.wrong), (1.0, 300, 2));
        assert_eq!((fail.at, fail.cases, fail.wrong), (0.0, 300, 2));
    }

    #[test]
    fn a_metric_that_is_always_right_decides_all_cases_once() {
        let labelled: Vec<Labelled> = (0..1_000).map(|at| (f64::from(at), at >= 500)).collect();
        let Bands { pass, fail } = bands(&labelled, USUAL);
        let (pass, fail) = (pass.band.unwrap(), fail.band.unwrap());
        assert!(fail.at < pass.at);
        assert_eq!(pass.cases + fail.cases, 1_000);
    }

    /// Whatever the metric is worth, the promise is kept in at least the share of calibrations that was promised: among 2,000
    /// calibrations of each kind, with what chance may add.
    #[test]
    fn the_promise_is_kept_as_often_as_it_says() {
        // The share of cases that people pass at a value between 0 and 1.
        type Passes = fn(f64) -> f64;
        let kinds: [(&str, Passes); 4] = [
            ("useless", |_| 0.5),
            ("a little worse than promised", |_| 0.945),
            ("straight", |value| value),
            ("steep", |value| 1.0 / (1.0 + (-20.0 * (value - 0.5)).exp())),
        ];
        for (kind, passes) in kinds {
            let rounds = 2_000;
            let mut broken = 0;
            for round in 0..rounds {
                let mut random = Random::numbered(7, round);
                let mut draw = || {
                    let value = share(&mut random);
                    (value, share(&mut random) < passes(value))
                };
                let labelled: Vec<Labelled> = (0..300).map(|_| draw()).collect();
                let Bands { pass, fail } = bands(&labelled, USUAL);
                // The true share of wrong verdicts, by a fine sum over the scale.
                let wrong = |from: f64, to: f64, wrong: &dyn Fn(f64) -> f64| -> f64 {
                    let step = (to - from) / 500.0;
                    (0..500).map(|at| wrong(from + (f64::from(at) + 0.5) * step)).sum::<f64>() / 500.0
                };
                let is_broken =
                    pass.band.is_some_and(|band| wrong(band.at, 1.0, &|value| 1.0 - passes(value)) > 0.05 + 1e-9)
                        || fail.band.is_some_and(|band| wrong(0.0, band.at, &passes) > 0.05 + 1e-9);
                broken += u32::from(is_broken);
            }
            println!("{kind}: broken in {broken} of {rounds}");
            // 5 % of 2,000 and three standard deviations.
            assert!(broken <= 100 + 29, "{kind}: the promise was broken in {broken} of {rounds}");
        }
    }
}
