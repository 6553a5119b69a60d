//! The two published measures: how alike the order of actions is, and in how many steps the parameters fit.

use std::collections::{BTreeMap, BTreeSet};

use super::{ProtocolStep, Variables};

/// Actions past which pairs are not counted one by one.
const MANY: usize = 5_000;

/// How alike two sequences of actions are: 1 less the share of pairs that stand in opposite alphabetical order. Names are
/// compared by alphabet and never matched, so that strangers in the same pattern are alike; lists of different length are not
/// alike at all.
pub fn action_similarity(reference: &[ProtocolStep], predicted: &[ProtocolStep]) -> f64 {
    let count = reference.len();
    if count != predicted.len() {
        return 0.0;
    }
    if count <= 1 {
        return 1.0;
    }
    let names = |steps: &[ProtocolStep]| ranks(&steps.iter().map(|step| step.action.as_str()).collect::<Vec<_>>());
    let (left, right) = (names(reference), names(predicted));
    let pairs = count as f64 * (count - 1) as f64 / 2.0;
    1.0 - discordant(&left, &right) as f64 / pairs
}

/// The place of each text in the sorted list of different texts.
fn ranks(texts: &[&str]) -> Vec<usize> {
    let sorted: BTreeSet<&str> = texts.iter().copied().collect();
    let places: BTreeMap<&str, usize> = sorted.into_iter().enumerate().map(|(at, text)| (text, at)).collect();
    texts.iter().map(|text| places[text]).collect()
}

/// Pairs in strictly opposite order.
fn discordant(left: &[usize], right: &[usize]) -> u64 {
    if left.len() > MANY {
        return discordant_by_tree(left, right);
    }
    let mut count = 0;
    for at in 0..left.len() {
        for before in 0..at {
            probare_cancellation::count_steps(1);
            let (one, other) = (left[before].cmp(&left[at]), right[before].cmp(&right[at]));
            count += u64::from(one != other && one.is_ne() && other.is_ne());
        }
    }
    count
}

/// The same for long lists: ascending by the left rank, how many earlier right ranks are greater.
fn discordant_by_tree(left: &[usize], right: &[usize]) -> u64 {
    let mut order: Vec<usize> = (0..left.len()).collect();
    order.sort_by_key(|at| left[*at]);
    let mut tree = vec![0_u64; right.len() + 1];
    let mut added = 0_u64;
    let mut count = 0;
    let mut at = 0;
    while at < order.len() {
        probare_cancellation::count_steps(1);
        let group = order[at..].iter().take_while(|other| left[**other] == left[order[at]]).count();
        for item in &order[at..at + group] {
            let mut place = right[*item] + 1;
            let mut not_greater = 0;
            while place > 0 {
                probare_cancellation::count_steps(1);
                not_greater += tree[place];
                place &= place - 1;
            }
            count += added - not_greater;
        }
        for item in &order[at..at + group] {
            let mut place = right[*item] + 1;
            while place < tree.len() {
                probare_cancellation::count_steps(1);
                tree[place] += 1;
                place += place & place.wrapping_neg();
            }
            added += 1;
        }
        at += group;
    }
    count
}

/// Why a step does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepDifference {
    /// The reference has no such step.
    Surplus,
    /// The response has no such step.
    Absent,
    /// Another action.
    Action,
    /// Other names of parameters: those of the reference, those of the response.
    Names(Vec<String>, Vec<String>),
    /// A parameter takes another step's product, or one side takes a product and the other does not.
    Value(String),
}

impl StepDifference {
    /// In words.
    pub fn message(&self) -> String {
        match self {
            Self::Surplus => "the reference has no such step".to_owned(),
            Self::Absent => "the response has no such step".to_owned(),
            Self::Action => "another action".to_owned(),
            Self::Names(reference, response) => {
                format!("parameters {}, expected {}", response.join(", "), reference.join(", "))
            }
            Self::Value(name) => format!("`{name}` does not take the product of the same step"),
        }
    }
}

/// In which steps the parameters fit, walked side by side.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterFit {
    /// 1 less the share of steps with an error.
    pub accuracy: f64,
    /// For every step of the longer side what is wrong with it.
    pub steps: Vec<Option<StepDifference>>,
}

/// Compares the steps of the same number. An early mistake breaks all that depend on it, and literal values are free.
pub fn parameter_fit(reference: &[ProtocolStep], predicted: &[ProtocolStep]) -> ParameterFit {
    let longest = reference.len().max(predicted.len());
    if longest == 0 {
        return ParameterFit::default();
    }
    let made = Variables::from_steps(reference).generated;
    let made_here = Variables::from_steps(predicted).generated;
    let mut same: BTreeMap<&str, &str> = BTreeMap::new();
    let mut steps = Vec::with_capacity(longest);
    for (expected, got) in reference.iter().zip(predicted) {
        let difference = compare(expected, got, &made, &made_here, &same);
        if difference.is_none() {
            same.insert(&got.output, &expected.output);
        }
        steps.push(difference);
    }
    for at in steps.len()..longest {
        steps.push(Some(if at < reference.len() { StepDifference::Absent } else { StepDifference::Surplus }));
    }
    let errors = steps.iter().filter(|step| step.is_some()).count();
    ParameterFit { accuracy: 1.0 - errors as f64 / longest as f64, steps }
}

fn compare(
    expected: &ProtocolStep,
    got: &ProtocolStep,
    made: &BTreeSet<&str>,
    made_here: &BTreeSet<&str>,
    same: &BTreeMap<&str, &str>,
) -> Option<StepDifference> {
    if expected.action != got.action {
        return Some(StepDifference::Action);
    }
    let names = |step: &ProtocolStep| step.input.keys().cloned().collect::<Vec<String>>();
    let (expected_names, found) = (names(expected), names(got));
    if expected_names != found {
        return Some(StepDifference::Names(expected_names, found));
    }
    let is_wrong = |(name, value): &(&String, &String)| {
        let other = got.value(name).unwrap_or_default();
        match (made.contains(value.as_str()), made_here.contains(other)) {
            (true, true) => same.get(other).copied() != Some(value.as_str()),
            (false, false) => false,
            _ => true,
        }
    };
    expected.input.iter().find(is_wrong).map(|(name, _)| StepDifference::Value(name.clone()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn long_lists_count_as_short_ones(
            left in proptest::collection::vec(0_usize..6, 0..40), right in proptest::collection::vec(0_usize..6, 40),
        ) {
            let right = &right[..left.len()];
            let dense = |list: &[usize]| ranks(&list.iter().map(|item| ["a", "b", "c", "d", "e", "f"][*item]).collect::<Vec<_>>());
            let (left, right) = (dense(&left), dense(right));
            prop_assert_eq!(discordant_by_tree(&left, &right), discordant(&left, &right));
        }
    }
}
