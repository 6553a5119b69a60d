//! [`fit_threshold`]: from which value on a judge's score means what people call a pass, and how often it is then right.

use crate::{ConfidenceLevel, Interval, proportion_interval};

/// Parts into which cases are cut to see how a threshold does on cases that did not choose it.
const FOLDS: usize = 10;

/// A value from which on a case passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// A case passes at this value or above.
    pub at: f64,
    /// Cases in all.
    pub cases: usize,
    /// Cases in which the judge and people agree on pass or fail.
    pub right: usize,
    /// The judge passes what people fail.
    pub false_passes: usize,
    /// The judge fails what people pass.
    pub false_failures: usize,
    /// Cases that people pass.
    pub passes: usize,
    /// Cases of a tenth that are right by a threshold from the other nine; nothing for fewer than twenty cases.
    pub right_elsewhere: Option<usize>,
}

impl Threshold {
    /// Share of cases that are right, with its interval.
    pub fn accuracy(&self, level: ConfidenceLevel) -> (f64, Option<Interval>) {
        (self.right as f64 / self.cases.max(1) as f64, proportion_interval(self.right, self.cases, level))
    }
}

/// The threshold with the best mean of both rates, right passes and right failures (Youden 1950); of equally good ones the
/// lowest. A pair is the value of the judge and whether people pass the case.
///
/// Nothing where people pass all cases or none, since every threshold would do.
pub fn fit_threshold(pairs: &[(f64, bool)]) -> Option<Threshold> {
    let at = best_youden_threshold(pairs.iter().copied())?;
    let mut found = evaluate_threshold(pairs, at);
    if pairs.len() >= FOLDS * 2 {
        let fold = |fold: usize| {
            let others = pairs.iter().enumerate().filter(|(place, _)| place % FOLDS != fold).map(|(_, pair)| *pair);
            let at = best_youden_threshold(others)?;
            let own: Vec<(f64, bool)> = pairs.iter().skip(fold).step_by(FOLDS).copied().collect();
            Some(evaluate_threshold(&own, at).right)
        };
        found.right_elsewhere = (0..FOLDS).map(fold).sum();
    }
    Some(found)
}

fn evaluate_threshold(pairs: &[(f64, bool)], at: f64) -> Threshold {
    let count = |passes: bool, is_passed: bool| {
        pairs.iter().filter(|(value, people)| (*value >= at) == passes && *people == is_passed).count()
    };
    Threshold {
        at,
        cases: pairs.len(),
        right: count(true, true) + count(false, false),
        false_passes: count(true, false),
        false_failures: count(false, true),
        passes: count(true, true) + count(false, true),
        right_elsewhere: None,
    }
}

/// Goes through the values once, from the lowest on.
fn best_youden_threshold(pairs: impl Iterator<Item = (f64, bool)>) -> Option<f64> {
    let mut sorted: Vec<(f64, bool)> = pairs.collect();
    if sorted.iter().any(|(value, _)| !value.is_finite()) {
        return None;
    }
    sorted.sort_by(|first, second| first.0.total_cmp(&second.0));
    let passes = sorted.iter().filter(|(_, passed)| *passed).count();
    let failures = sorted.len() - passes;
    if passes == 0 || failures == 0 {
        return None;
    }
    let mut best: Option<(f64, f64)> = None;
    let (mut lost, mut caught) = (0_usize, 0_usize);
    for (place, (value, passed)) in sorted.iter().enumerate() {
        let is_first = place == 0 || sorted[place - 1].0 != *value;
        if is_first {
            // With the threshold here, everything below fails.
            let rate = (passes - lost) as f64 / passes as f64 + caught as f64 / failures as f64;
            if best.is_none_or(|(_, known)| rate > known) {
                best = Some((*value, rate));
            }
        }
        if *passed {
            lost += 1;
        } else {
            caught += 1;
        }
    }
    best.map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_cut_is_found_and_counted() {
        let pairs = [(0.0, false), (0.25, false), (0.5, false), (0.5, true), (0.75, true), (1.0, true)];
        let found = fit_threshold(&pairs).unwrap();
        assert_eq!((found.at, found.right, found.false_passes, found.false_failures), (0.5, 5, 1, 0));
        assert_eq!((found.cases, found.passes, found.right_elsewhere), (6, 3, None));
    }

    #[test]
    fn cases_that_did_not_choose_it_are_counted_apart() {
        let pairs: Vec<(f64, bool)> = (0..40).map(|number| (f64::from(number) / 40.0, number >= 20)).collect();
        let found = fit_threshold(&pairs).unwrap();
        assert_eq!((found.at, found.right), (0.5, 40));
        // Without the case at 0.5 the cut moves up by one, and that case is lost.
        assert_eq!(found.right_elsewhere, Some(39));
        let noise: Vec<(f64, bool)> = (0..40).map(|number| (f64::from(number * 7 % 40), number % 2 == 0)).collect();
        let found = fit_threshold(&noise).unwrap();
        assert!(found.right_elsewhere.unwrap() < found.right, "chance looks better where it was chosen: {found:?}");
    }

    #[test]
    fn where_people_always_say_the_same_there_is_no_threshold() {
        assert_eq!(fit_threshold(&[]), None);
        assert_eq!(fit_threshold(&[(0.1, true), (0.9, true)]), None);
        assert_eq!(fit_threshold(&[(f64::NAN, true), (0.9, false)]), None);
    }
}
