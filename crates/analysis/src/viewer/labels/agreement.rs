//! How far people agree with a metric and with each other, about the outputs that both decided.

use std::collections::{BTreeSet, HashMap};

use super::super::contract::Agreement;
use super::next::{LabelCandidate, LabelCandidates};
use crate::labels::{DEFER, LatestLabel};
use probare_core::Better;
use probare_stats::agreement::{KappaWeights, cohen_kappa, cohen_kappa_pairs};
use probare_stats::{ConfidenceLevel, bootstrap_statistic};

/// How far the interval of kappa may reach to each side.
const REACH: f64 = 0.1;

/// The seed of intervals, which is that of `probare judge calibrate`.
const SEED: u64 = 1;

/// What people said about the outputs of a run: by output, then by person.
#[derive(Default)]
pub(super) struct LabelsByOutput<'a> {
    of: HashMap<usize, Vec<&'a LatestLabel>>,
    /// The outputs as they were first labelled, which is the order of `probare judge calibrate`: the same labels have the same interval.
    pub order: Vec<usize>,
}

impl<'a> LabelsByOutput<'a> {
    pub fn add(&mut self, at: usize, decision: &'a LatestLabel) {
        let all = self.of.entry(at).or_default();
        if all.is_empty() {
            self.order.push(at);
        }
        all.push(decision);
    }

    pub fn for_output(&self, at: usize) -> &[&'a LatestLabel] {
        self.of.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn by_person(&self, at: usize, name: &str) -> Option<&'a LatestLabel> {
        self.for_output(at).iter().find(|one| one.label.by == name).copied()
    }

    pub fn people(&self) -> BTreeSet<&'a str> {
        self.of.values().flatten().map(|one| one.label.by.as_str()).collect()
    }
}

impl LabelCandidates {
    /// What the metric says of an output, as a category; nothing where it is unsure.
    fn verdict(&self, candidate: &LabelCandidate, threshold: f64) -> Option<usize> {
        if candidate.is_unsure {
            return None;
        }
        if let Some(level) = self.levels.nearest(candidate.value) {
            return Some(level);
        }
        let passes = match self.info.better {
            Better::Higher => candidate.value >= threshold,
            Better::Lower => candidate.value <= threshold,
        };
        Some(usize::from(passes))
    }

    /// What a person said, as a category; nothing where they deferred.
    fn category(&self, label: &str) -> Option<usize> {
        let value = self.levels.word_value(label).filter(|_| label != DEFER)?;
        Some(self.levels.nearest(value).unwrap_or_else(|| usize::from(value >= 0.5)))
    }

    /// Everybody with the metric, and the person with everybody else.
    pub(super) fn agreements(&self, by: &str, threshold: f64, said: &LabelsByOutput<'_>) -> Vec<Agreement> {
        let people = said.people();
        let of = |at: usize, name: &str| self.category(&said.by_person(at, name)?.label.label);
        let agreement = |who: &str, with: &str, is_metric: bool, pairs: Vec<(usize, usize)>| {
            let kappa = |pairs: &[(usize, usize)]| cohen_kappa(pairs, KappaWeights::Equal);
            let interval = bootstrap_statistic(pairs.len(), ConfidenceLevel::NINETY_FIVE, SEED, |drawn| {
                kappa(&drawn.iter().map(|at| pairs[*at]).collect::<Vec<_>>())
            });
            let needed = cohen_kappa_pairs(&pairs, ConfidenceLevel::NINETY_FIVE, REACH);
            let words = kappa(&pairs).map(|kappa| match interval {
                Some(ends) => format!("{kappa:.2} ({:.2} … {:.2})", ends.low, ends.high),
                None => format!("{kappa:.2}"),
            });
            Agreement {
                who: who.to_owned(),
                with: with.to_owned(),
                is_metric,
                cases: pairs.len(),
                same: pairs.iter().filter(|(first, second)| first == second).count(),
                kappa: kappa(&pairs),
                interval: interval.map(|ends| (ends.low, ends.high)),
                words,
                more: needed.map(|needed| needed.saturating_sub(pairs.len())),
            }
        };
        let mut all = Vec::new();
        for name in &people {
            let pair = |at: &usize| Some((self.verdict(&self.list[*at], threshold)?, of(*at, name)?));
            all.push(agreement(name, &self.info.name, true, said.order.iter().filter_map(pair).collect()));
        }
        for name in people.iter().filter(|name| **name != by && people.contains(by)) {
            let pair = |at: &usize| Some((of(*at, by)?, of(*at, name)?));
            all.push(agreement(by, name, false, said.order.iter().filter_map(pair).collect()));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::next::tests::{candidates, decision};
    use serde_json::Value as Json;

    use super::*;
    use crate::labels::Levels;

    #[test]
    fn agreement_is_of_what_both_decided() {
        let values: Vec<(f64, f64)> = (0..40).map(|at| (if at % 2 == 0 { 1.0 } else { 0.0 }, 0.5)).collect();
        let candidates = candidates(&values, &[0]);
        let (yes, no, off) = (decision("pass", "Ada"), decision("fail", "Ada"), decision("defer", "Ada"));
        let other = decision("fail", "Ben");
        let mut said = LabelsByOutput::default();
        for at in 0..39 {
            // The metric passes the even ones. Ada agrees but for two of each kind.
            let passes = (at % 2 == 0) != (at < 4);
            said.add(at, if passes { &yes } else { &no });
        }
        said.add(39, &off);
        said.add(39, &other);
        let told = candidates.agreements("Ada", 0.5, &said);
        let named: Vec<(&str, &str)> = told.iter().map(|one| (one.who.as_str(), one.with.as_str())).collect();
        assert_eq!(named, [("Ada", "own"), ("Ben", "own"), ("Ada", "Ben")]);
        // One is unsure, one was put off.
        assert_eq!((told[0].cases, told[0].same), (38, 35));
        let kappa = told[0].kappa.unwrap();
        assert!((kappa - 0.842).abs() < 2e-3, "{kappa}");
        let (low, high) = told[0].interval.unwrap();
        assert!(low < kappa && kappa < high && high <= 1.0);
        assert!(told[0].more.is_some_and(|more| (80..160).contains(&more)), "{:?}", told[0]);
        assert_eq!((told[2].cases, told[2].kappa), (0, None));
    }

    #[test]
    fn a_lower_value_passes_where_lower_is_better_and_levels_are_categories() {
        let mut candidates = candidates(&[(0.2, 0.5), (0.9, 0.5)], &[]);
        candidates.info.better = Better::Lower;
        let verdicts = |candidates: &LabelCandidates| {
            candidates.list.iter().map(|one| candidates.verdict(one, 0.5)).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(&candidates), [Some(1), Some(0)]);
        assert_eq!((candidates.category("pass"), candidates.category("defer")), (Some(1), None));
        candidates.levels = Levels::for_metric("judge_rubric", &Json::Null);
        assert_eq!(verdicts(&candidates), [Some(0), Some(2)]);
        assert_eq!((candidates.category("fair"), candidates.category("pass")), (Some(1), Some(2)));
    }
}
