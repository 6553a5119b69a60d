//! [`SoftScore`]: the soft score of the official scripts of 2026: steps are aligned by their actions first, and a mistake does not spread.

use std::collections::{BTreeMap, BTreeSet};

use probare_text::python::{lower, split};

use super::{ProtocolStep, Variables};

/// Cells of the largest table that is filled: protocols of two thousand steps on either side.
const MOST_CELLS: usize = 4_000_000;

/// Two steps of the same action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftPair {
    /// Number in the reference, from 0.
    pub reference: usize,
    /// Number in the response, from 0.
    pub predicted: usize,
    /// How alike the names of their parameters are.
    pub key_score: f64,
    /// Share of the common parameters that take the product of the same step, or of none.
    pub value_score: f64,
}

/// How two protocols fit by the soft score.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SoftScore {
    /// Steps of the same action, ascending on both sides.
    pub pairs: Vec<SoftPair>,
    /// Steps of the reference.
    pub reference_steps: usize,
    /// Steps of the response.
    pub predicted_steps: usize,
}

impl SoftScore {
    /// Compares two protocols; nothing where they are too long for it.
    pub fn new(reference: &[ProtocolStep], predicted: &[ProtocolStep]) -> Option<Self> {
        let pairs = common_actions(reference, predicted)?;
        let made = Variables::from_steps(reference).generated;
        let made_here = Variables::from_steps(predicted).generated;
        let mut same: BTreeMap<&str, &str> = BTreeMap::new();
        let pairs = pairs
            .into_iter()
            .map(|(at, other)| {
                let (expected, got) = (&reference[at], &predicted[other]);
                let is_right = |name: &&String| match (expected.value(name), got.value(name)) {
                    (Some(partner), Some(found)) => match (made.contains(partner), made_here.contains(found)) {
                        (true, true) => same.get(found).copied() == Some(partner),
                        (false, false) => true,
                        _ => false,
                    },
                    _ => false,
                };
                let common: Vec<&String> = expected.input.keys().filter(|name| got.input.contains_key(*name)).collect();
                let names = expected.input.len() + got.input.len();
                let (key_score, value_score) = match (names, common.len()) {
                    (0, _) => (1.0, 1.0),
                    (_, 0) => (0.0, 0.0),
                    (names, count) => {
                        let right = common.iter().copied().filter(is_right).count();
                        (2.0 * count as f64 / names as f64, right as f64 / count as f64)
                    }
                };
                // Whatever its parameters are: a mistake stays where it is.
                same.insert(&got.output, &expected.output);
                SoftPair { reference: at, predicted: other, key_score, value_score }
            })
            .collect();
        Some(Self { pairs, reference_steps: reference.len(), predicted_steps: predicted.len() })
    }

    /// Of two sides without a step all is 1, of one all is 0.
    fn share(&self, sum: f64, steps: usize) -> f64 {
        match (self.reference_steps, self.predicted_steps) {
            (0, 0) => 1.0,
            (0, _) | (_, 0) => 0.0,
            _ => sum / steps as f64,
        }
    }

    fn parameter_sum(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.key_score * pair.value_score).sum()
    }

    /// The parts of a score, by their published names.
    pub fn parts(&self) -> [(&'static str, f64); 13] {
        let (reference, predicted) = (self.reference_steps, self.predicted_steps);
        let (matched, sum) = (self.pairs.len() as f64, self.parameter_sum());
        let (action_recall, action_precision) = (self.share(matched, reference), self.share(matched, predicted));
        let (parameter_recall, parameter_precision) = (self.share(sum, reference), self.share(sum, predicted));
        let actions = action_recall * action_precision;
        let parameters = parameter_recall * parameter_precision;
        [
            ("soft_action_sequence_similarity", actions),
            ("soft_parameter_accuracy", parameters),
            ("soft_final_score", f64::midpoint(actions, parameters)),
            ("gt_step_count", reference as f64),
            ("pred_step_count", predicted as f64),
            ("soft_matched_action_count", matched),
            ("soft_missing_action_count", reference as f64 - matched),
            ("soft_extra_action_count", predicted as f64 - matched),
            ("soft_length_gap", reference.abs_diff(predicted) as f64),
            ("soft_action_recall", action_recall),
            ("soft_action_precision", action_precision),
            ("soft_parameter_recall", parameter_recall),
            ("soft_parameter_precision", parameter_precision),
        ]
    }
}

/// The action in lower case with single spaces.
fn action_key(step: &ProtocolStep) -> String {
    lower(&split(&step.action).collect::<Vec<_>>().join(" "))
}

/// The longest common sequence of actions, as the published walk from the end finds it.
fn common_actions(reference: &[ProtocolStep], predicted: &[ProtocolStep]) -> Option<Vec<(usize, usize)>> {
    let keys = |steps: &[ProtocolStep]| steps.iter().map(action_key).collect::<Vec<_>>();
    let (left, right) = (keys(reference), keys(predicted));
    let width = right.len() + 1;
    let cells = (left.len() + 1).checked_mul(width).filter(|cells| *cells <= MOST_CELLS)?;
    // Equal texts have equal numbers, so that a cell costs the same whatever the lengths of the names.
    let names: BTreeSet<&String> = left.iter().chain(&right).collect();
    let numbers: BTreeMap<&String, usize> = names.into_iter().zip(0..).collect();
    let (left, right): (Vec<usize>, Vec<usize>) =
        (left.iter().map(|key| numbers[key]).collect(), right.iter().map(|key| numbers[key]).collect());
    let mut length = vec![0_u32; cells];
    for row in 1..=left.len() {
        probare_cancellation::count_steps(width);
        for column in 1..width {
            length[row * width + column] = if left[row - 1] == right[column - 1] {
                length[(row - 1) * width + column - 1] + 1
            } else {
                length[(row - 1) * width + column].max(length[row * width + column - 1])
            };
        }
    }
    let (mut row, mut column) = (left.len(), right.len());
    let mut pairs = Vec::new();
    while row > 0 && column > 0 {
        if left[row - 1] == right[column - 1] {
            pairs.push((row - 1, column - 1));
            row -= 1;
            column -= 1;
        } else if length[(row - 1) * width + column] >= length[row * width + column - 1] {
            row -= 1;
        } else {
            column -= 1;
        }
    }
    pairs.reverse();
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgi::metrics::protocol::scan_protocol;

    #[test]
    fn protocols_that_are_too_long_are_not_compared() {
        let step = |number: usize| ProtocolStep { action: format!("Act {number}"), ..ProtocolStep::default() };
        let long: Vec<ProtocolStep> = (0..2_000).map(step).collect();
        assert!(SoftScore::new(&long, &long).is_none());
        assert_eq!(SoftScore::new(&long, &long[..10]).map(|score| score.pairs.len()), Some(10));
    }

    #[test]
    fn a_mistake_stays_where_it_is() {
        let reference = scan_protocol("a = <Lyse>(\n  x=1\n)\nb = <Spin>(\n  s=a\n)\nc = <Read>(\n  s=b\n)");
        let response = scan_protocol("a = <Lyse>(\n  y=1\n)\nb = <SPIN>(\n  s=a\n)\nc = <Read>(\n  s=b\n)");
        let score = SoftScore::new(&reference, &response).unwrap();
        let wrong: Vec<f64> = score.pairs.iter().map(|pair| pair.key_score * pair.value_score).collect();
        assert_eq!(wrong, [0.0, 1.0, 1.0]);
    }
}
