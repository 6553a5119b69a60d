//! [`decision_thresholds`]: the ends of a metric's scale at which its decision is wrong at most so often, guaranteed with a confidence.
//!
//! This is "learn then test" (Angelopoulos, Bates, Candès, Jordan and Lei 2021) with a fixed sequence: from each end of the
//! scale thresholds are tried in order, the strictest first, by an exact binomial test of "wrong more often than guaranteed".
//! The first that cannot be rejected ends the sequence, so nothing has to be paid for trying many. Where labels allow it there
//! are up to three sequences, which begin at twice and four times the fewest cases, too: a single mistake among the best values
//! need not end it all. α, one minus the confidence, is split between both ends, and the sequences of an end share its half. The guarantee
//! holds for cases that are drawn like the labelled ones. It is exact where decisions grow no better away from the end of the
//! scale, and `docs/judgement.md` shows by simulation how often it holds.

use crate::beta::{beta_quantile, binomial_cumulative};

/// What is guaranteed: wrong at most so often, with that confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guarantee {
    /// Largest share of wrong decisions.
    pub error: f64,
    /// Share of calibrations for which it holds.
    pub confidence: f64,
}

/// A labelled case: the value of a metric, where larger is better, and whether people pass it.
pub type LabelledValue = (f64, bool);

/// The values from one end of the scale on to `at`, which are decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibratedThreshold {
    /// The last value that is decided.
    pub at: f64,
    /// Labelled cases in it.
    pub cases: usize,
    /// Those that people decide otherwise.
    pub wrong: usize,
    /// The share of wrong decisions lies below this, with the confidence of one end.
    pub bound: f64,
}

/// Cases beyond which nobody counts.
const MOST_CASES: usize = 1_000_000;

/// Most sequences of one end.
const MAX_SEQUENCES: u32 = 3;

/// Both ends of the scale; nothing is decided at an end without a threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CalibratedThresholds {
    /// Values from `at` on upwards pass.
    pub pass: Option<CalibratedThreshold>,
    /// Values up to `at` fail.
    pub fail: Option<CalibratedThreshold>,
}

impl CalibratedThresholds {
    /// Labelled cases that are decided.
    pub fn decided(&self) -> usize {
        [self.pass, self.fail].into_iter().flatten().map(|threshold| threshold.cases).sum()
    }
}

/// What it would take to decide more at one end, if further labels are like those that there are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NextThreshold {
    /// The last value that would be decided.
    pub at: f64,
    /// Labelled cases up to it today.
    pub cases: usize,
    /// Those of them that would be wrong.
    pub wrong: usize,
    /// Further labelled cases that are needed at this end.
    pub more_here: usize,
    /// Further labelled cases over the whole scale that bring as many.
    pub more: usize,
}

/// How much would be decided with more labels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoverageStep {
    /// Further labelled cases.
    pub more: usize,
    /// The share of cases that would be decided.
    pub coverage: f64,
}

/// What further labels would bring, if they are like those that there are: as large a share at each value, and as large a
/// share of them wrong.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelOutlook {
    /// Where cases pass; nothing where no number of labels would widen it.
    pub pass: Option<NextThreshold>,
    /// Where cases fail.
    pub fail: Option<NextThreshold>,
    /// How many labels for which coverage, the fewest first.
    pub steps: Vec<CoverageStep>,
}

impl Guarantee {
    /// Fewest cases at one end that can show anything: all of them right.
    pub fn min_cases(self) -> usize {
        self.threshold_test(1).min_cases()
    }

    /// Whether so many wrong decisions about a group of cases are more than the guaranteed error explains, at a level of 5 % for
    /// all groups together (Bonferroni).
    pub fn is_exceeded(self, wrong: usize, decided: usize, groups: usize) -> bool {
        const LEVEL: f64 = 0.05;
        let at_least = |wrong: usize| 1.0 - binomial_cumulative(wrong as u64 - 1, decided as u64, self.error);
        wrong > 0 && at_least(wrong) * groups as f64 <= LEVEL
    }

    /// The test of one of several sequences of an end: half of α belongs to the end, and they share it.
    fn threshold_test(self, starts: u32) -> ThresholdTest {
        ThresholdTest { error: self.error, alpha: (1.0 - self.confidence) / 2.0 / f64::from(starts) }
    }

    /// How many sequences an end has, which depends on the number of cases alone.
    fn sequence_count(self, total: usize) -> u32 {
        let fits = |starts: &u32| self.threshold_test(*starts).min_cases() << (starts - 1) <= total;
        (1..=MAX_SEQUENCES).rev().find(fits).unwrap_or(1)
    }

    /// The candidates of one end that pass the test, the strictest first.
    fn passing_candidates(self, candidates: &[Candidate], total: usize) -> Vec<Candidate> {
        let starts = self.sequence_count(total);
        let test = self.threshold_test(starts);
        let mut passed = vec![false; candidates.len()];
        for start in 0..starts {
            let fewest = test.min_cases() << start;
            let tried = candidates.iter().zip(&mut passed).filter(|(candidate, _)| candidate.cases >= fewest);
            for (Candidate { cases, wrong, .. }, passed) in tried {
                if !test.rejects(*wrong, *cases) {
                    break;
                }
                *passed = true;
            }
        }
        candidates.iter().zip(passed).filter(|(_, passed)| *passed).map(|(candidate, _)| *candidate).collect()
    }
}

/// The test of a threshold.
#[derive(Clone, Copy)]
struct ThresholdTest {
    error: f64,
    alpha: f64,
}

impl ThresholdTest {
    fn min_cases(self) -> usize {
        let (mut fewest, mut chance) = (1, 1.0 - self.error);
        while chance > self.alpha && fewest < MOST_CASES {
            chance *= 1.0 - self.error;
            fewest += 1;
        }
        fewest
    }

    /// Whether so many wrong ones among so many cases reject that more than the guaranteed share is wrong.
    fn rejects(self, wrong: usize, cases: usize) -> bool {
        binomial_cumulative(wrong as u64, cases as u64, self.error) <= self.alpha
    }

    /// The upper end of the exact interval of the share of wrong ones (Clopper and Pearson 1934), one-sided.
    fn error_upper_bound(self, wrong: usize, cases: usize) -> f64 {
        if wrong >= cases {
            return 1.0;
        }
        1.0 - beta_quantile(self.alpha, (cases - wrong) as f64, wrong as f64 + 1.0)
    }
}

/// The decision thresholds of a metric. Values that are no numbers are skipped.
pub fn decision_thresholds(labelled: &[LabelledValue], guarantee: Guarantee) -> CalibratedThresholds {
    ScaleEnds::new(labelled).calibrate(guarantee)
}

/// What further labels would bring.
pub fn label_outlook(labelled: &[LabelledValue], guarantee: Guarantee) -> LabelOutlook {
    let ends = ScaleEnds::new(labelled).thin();
    if ends.total == 0 {
        return LabelOutlook::default();
    }
    let now = ends.calibrate(guarantee);
    let coverage = |thresholds: &CalibratedThresholds, total: usize| thresholds.decided() as f64 / total as f64;
    let today = |end: &[Candidate]| guarantee.passing_candidates(end, ends.total).last().map(|candidate| candidate.at);
    let (pass_today, fail_today) = (today(&ends.passing), today(&ends.failing));
    let mut outlook = LabelOutlook::default();
    let mut reached = coverage(&now, ends.total);
    for total in larger_totals(ends.total) {
        let larger = ends.rescale(total);
        let next = |today: Option<f64>, end: &[Candidate], scaled: &[Candidate]| {
            let found = guarantee.passing_candidates(scaled, total).last().copied()?;
            let place = end.iter().position(|candidate| candidate.at == found.at)?;
            let Candidate { at, cases, wrong } = end[place];
            let is_wider = today.is_none_or(|today| at < today);
            let (more_here, more) = (found.cases.saturating_sub(cases), total - ends.total);
            is_wider.then_some(NextThreshold { at, cases, wrong, more_here, more })
        };
        outlook.pass = outlook.pass.or_else(|| next(pass_today, &ends.passing, &larger.passing));
        outlook.fail = outlook.fail.or_else(|| next(fail_today, &ends.failing, &larger.failing));
        let then = coverage(&larger.calibrate(guarantee), total);
        if then >= reached + MIN_COVERAGE_GAIN {
            reached = then;
            outlook.steps.push(CoverageStep { more: total - ends.total, coverage: then });
        }
    }
    outlook.fail = outlook.fail.map(|next| NextThreshold { at: -next.at, ..next });
    outlook
}

/// Coverage that has to be gained to be worth a line.
const MIN_COVERAGE_GAIN: f64 = 0.05;

/// Labelled cases that one might have: a few more one by one, then ever larger steps up to twenty times as many.
fn larger_totals(total: usize) -> impl Iterator<Item = usize> {
    const ONE_BY_ONE: usize = 100;
    let most = (total * 20).clamp(2_000, MOST_CASES);
    std::iter::successors(Some(total + 1), move |last| {
        let step = if *last < total + ONE_BY_ONE { 1 } else { (*last / 20).max(1) };
        Some(last + step).filter(|next| *next <= most)
    })
}

/// A value that may become a threshold, with the cases from the end of the scale up to it and those of them that are wrong.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    at: f64,
    cases: usize,
    wrong: usize,
}

/// The candidates of both ends, the strictest first. Those of the failing end are mirrored.
struct ScaleEnds {
    passing: Vec<Candidate>,
    failing: Vec<Candidate>,
    total: usize,
}

impl ScaleEnds {
    fn new(labelled: &[LabelledValue]) -> Self {
        let all: Vec<LabelledValue> = labelled.iter().copied().filter(|(value, _)| value.is_finite()).collect();
        let mirrored: Vec<LabelledValue> = all.iter().map(|(value, passes)| (-value, !passes)).collect();
        Self { passing: candidates(&all), failing: candidates(&mirrored), total: all.len() }
    }

    /// The same with another number of cases in the same proportions.
    fn rescale(&self, total: usize) -> Self {
        let scale = |candidate: &Candidate| Candidate {
            cases: candidate.cases * total / self.total,
            wrong: (2 * candidate.wrong * total + self.total) / (2 * self.total),
            ..*candidate
        };
        let all = |end: &[Candidate]| end.iter().map(scale).collect();
        Self { passing: all(&self.passing), failing: all(&self.failing), total }
    }

    /// Enough candidates to see what more labels would bring.
    fn thin(self) -> Self {
        const ENOUGH: usize = 400;
        let thin = |end: Vec<Candidate>| {
            let (step, last) = (end.len().div_ceil(ENOUGH).max(1), end.len().saturating_sub(1));
            let kept = end.into_iter().enumerate().filter(|(at, _)| (last - at).is_multiple_of(step));
            kept.map(|(_, candidate)| candidate).collect()
        };
        Self { passing: thin(self.passing), failing: thin(self.failing), ..self }
    }

    fn calibrate(&self, guarantee: Guarantee) -> CalibratedThresholds {
        let of = |end: &[Candidate]| guarantee.passing_candidates(end, self.total);
        let (pass, fail) = disjoint_thresholds(&of(&self.passing), &of(&self.failing));
        let test = guarantee.threshold_test(guarantee.sequence_count(self.total));
        let threshold = |Candidate { at, cases, wrong }: Candidate, sign: f64| CalibratedThreshold {
            at: sign * at,
            cases,
            wrong,
            bound: test.error_upper_bound(wrong, cases),
        };
        CalibratedThresholds {
            pass: pass.map(|pass| threshold(pass, 1.0)),
            fail: fail.map(|fail| threshold(fail, -1.0)),
        }
    }
}

/// The values from the largest on, each with the cases from there up and those of them that are wrong. Equal values are
/// decided alike.
fn candidates(cases: &[LabelledValue]) -> Vec<Candidate> {
    let mut sorted = cases.to_vec();
    sorted.sort_by(|first, second| second.0.total_cmp(&first.0));
    let mut wrong = 0;
    let mut found = Vec::new();
    for (place, (value, passes)) in sorted.iter().enumerate() {
        wrong += usize::from(!passes);
        if sorted.get(place + 1).is_none_or(|(following, _)| following < value) {
            found.push(Candidate { at: *value, cases: place + 1, wrong });
        }
    }
    found
}

/// The two thresholds that decide most without a value that both would decide: every threshold that passed may be taken, since the
/// guarantee is about all of them at once. `failing` is mirrored.
fn disjoint_thresholds(passing: &[Candidate], failing: &[Candidate]) -> (Option<Candidate>, Option<Candidate>) {
    let (Some(pass), Some(fail)) = (passing.last(), failing.last()) else {
        return (passing.last().copied(), failing.last().copied());
    };
    let mut best: Option<(usize, usize, Candidate, Candidate)> = None;
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

    const USUAL: Guarantee = Guarantee { error: 0.05, confidence: 0.95 };

    fn share(random: &mut Random) -> f64 {
        (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    #[test]
    fn too_few_cases_show_nothing_and_enough_that_are_right_do() {
        // 0.95^n <= 0.025.
        assert_eq!(USUAL.min_cases(), 72);
        let right = |count: usize| -> Vec<LabelledValue> { (0..count).map(|at| (at as f64, true)).collect() };
        assert_eq!(decision_thresholds(&right(71), USUAL), CalibratedThresholds::default());
        let found = decision_thresholds(&right(72), USUAL);
        let threshold = found.pass.unwrap();
        assert_eq!((threshold.at, threshold.cases, threshold.wrong), (0.0, 72, 0));
        assert!((threshold.bound - (1.0 - 0.025_f64.powf(1.0 / 72.0))).abs() < 1e-9);
        assert!(threshold.bound <= 0.05);
        // At the other end every case is wrong.
        assert_eq!(found.fail, None);
        assert_eq!(label_outlook(&right(72), USUAL).fail, None, "no label would change that");
        // One is missing.
        let outlook = label_outlook(&right(71), USUAL);
        assert_eq!(outlook.pass.map(|next| (next.cases, next.wrong, next.more_here, next.more)), Some((71, 0, 1, 1)));
        assert_eq!(outlook.steps, [CoverageStep { more: 1, coverage: 1.0 }]);
    }

    #[test]
    fn a_threshold_ends_where_the_verdict_becomes_wrong_too_often() {
        // Right above 100, a coin below.
        let labelled: Vec<LabelledValue> = (0..200).map(|at| (f64::from(at), at >= 100 || at % 2 == 0)).collect();
        let CalibratedThresholds { pass, fail } = decision_thresholds(&labelled, USUAL);
        let threshold = pass.unwrap();
        assert!((99.0..=101.0).contains(&threshold.at), "{threshold:?}");
        // With as large a share of wrong ones among more cases it would have gone on.
        let next = label_outlook(&labelled, USUAL).pass.unwrap();
        assert!(next.cases > threshold.cases && next.at < threshold.at && next.more > 0, "{next:?}");
        assert_eq!(fail, None);
    }

    #[test]
    fn a_single_mistake_at_the_very_end_does_not_end_it_all() {
        let labelled: Vec<LabelledValue> = (0..600).map(|at| (f64::from(at), at >= 200 && at != 599)).collect();
        let threshold = decision_thresholds(&labelled, USUAL).pass.unwrap();
        assert!(threshold.at < 210.0 && threshold.wrong >= 1, "{threshold:?}");
    }

    #[test]
    fn equal_values_are_decided_alike_and_no_value_is_decided_twice() {
        let mut labelled: Vec<LabelledValue> = Vec::new();
        labelled.extend((0..300).map(|at| (1.0, at >= 2)));
        labelled.extend((0..300).map(|at| (0.0, at < 2)));
        let CalibratedThresholds { pass, fail } = decision_thresholds(&labelled, USUAL);
        let (pass, fail) = (pass.unwrap(), fail.unwrap());
        assert_eq!((pass.at, pass.cases, pass.wrong), (1.0, 300, 2));
        assert_eq!((fail.at, fail.cases, fail.wrong), (0.0, 300, 2));
    }

    #[test]
    fn a_metric_that_is_always_right_decides_all_cases_once() {
        let labelled: Vec<LabelledValue> = (0..1_000).map(|at| (f64::from(at), at >= 500)).collect();
        let CalibratedThresholds { pass, fail } = decision_thresholds(&labelled, USUAL);
        let (pass, fail) = (pass.unwrap(), fail.unwrap());
        assert!(fail.at < pass.at);
        assert_eq!(pass.cases + fail.cases, 1_000);
    }

    /// Review 0.3, V25: a metric that separates well and has two values alone, 71 right ones at the top.
    #[test]
    fn the_labels_that_are_missing_are_counted() {
        let labelled: Vec<LabelledValue> =
            (0..105).map(|at| if at < 71 { (1.0, true) } else { (0.0, false) }).collect();
        // 0.95^71 > 0.025 >= 0.95^72.
        assert_eq!(decision_thresholds(&labelled, USUAL), CalibratedThresholds::default());
        let outlook = label_outlook(&labelled, USUAL);
        let told = |next: Option<NextThreshold>| next.map(|next| (next.at, next.cases, next.more_here, next.more));
        assert_eq!(told(outlook.pass), Some((1.0, 71, 1, 2)), "two more of all are one more at the top");
        let fail = outlook.fail.unwrap();
        assert_eq!((fail.at, fail.cases, fail.wrong), (0.0, 34, 0));
        for next in [outlook.pass.unwrap(), fail] {
            let scaled = ScaleEnds::new(&labelled).rescale(105 + next.more).calibrate(USUAL);
            let with = if next.at == 1.0 { scaled.pass } else { scaled.fail };
            assert_eq!(with.map(|with| with.cases), Some(next.cases + next.more_here));
        }
        assert!(outlook.steps.last().unwrap().coverage > 0.99, "{outlook:?}");
        // The same labels with less to guarantee: the top is decided, and the other end takes a few more.
        let less = Guarantee { error: 0.1, confidence: 0.9 };
        let found = decision_thresholds(&labelled, less);
        assert_eq!((found.pass.map(|pass| pass.cases), found.fail), (Some(71), None));
        let outlook = label_outlook(&labelled, less);
        assert_eq!((outlook.pass, outlook.fail.map(|next| (next.more_here, next.more))), (None, Some((2, 7))));
        assert_eq!(outlook.steps.first().map(|step| step.more), Some(7));
    }

    /// Whatever the metric is worth, the guarantee is kept in at least the share of calibrations that was guaranteed: among 2,000
    /// calibrations of each kind, with what chance may add.
    #[test]
    fn the_guarantee_is_kept_as_often_as_it_says() {
        // The share of cases that people pass at a value between 0 and 1.
        type Passes = fn(f64) -> f64;
        let kinds: [(&str, Passes); 4] = [
            ("useless", |_| 0.5),
            ("a little worse than guaranteed", |_| 0.945),
            ("straight", |value| value),
            ("steep", |value| 1.0 / (1.0 + (-20.0 * (value - 0.5)).exp())),
        ];
        for (kind, passes) in kinds {
            let rounds = 2_000;
            let mut broken = 0;
            for round in 0..rounds {
                let mut random = Random::substream(7, round);
                let mut draw = || {
                    let value = share(&mut random);
                    (value, share(&mut random) < passes(value))
                };
                let labelled: Vec<LabelledValue> = (0..300).map(|_| draw()).collect();
                let CalibratedThresholds { pass, fail } = decision_thresholds(&labelled, USUAL);
                // The true share of wrong decisions, by a fine sum over the scale.
                let wrong = |from: f64, to: f64, wrong: &dyn Fn(f64) -> f64| -> f64 {
                    let step = (to - from) / 500.0;
                    (0..500).map(|at| wrong(from + (f64::from(at) + 0.5) * step)).sum::<f64>() / 500.0
                };
                let is_broken = pass
                    .is_some_and(|threshold| wrong(threshold.at, 1.0, &|value| 1.0 - passes(value)) > 0.05 + 1e-9)
                    || fail.is_some_and(|threshold| wrong(0.0, threshold.at, &passes) > 0.05 + 1e-9);
                broken += u32::from(is_broken);
            }
            println!("{kind}: broken in {broken} of {rounds}");
            // 5 % of 2,000 and three standard deviations.
            assert!(broken <= 100 + 29, "{kind}: the guarantee was broken in {broken} of {rounds}");
        }
    }
}
