//! [`align`]: which steps of two protocols belong together, by the longest common sequence of actions.
//!
//! A step that is missing or too much costs itself and nothing else, unrelated actions never match, and a mistake in one step
//! does not break those that take its product.

use std::collections::{BTreeMap, BTreeSet};

use probare_text::subsequence::CommonSubsequence;

use super::{ProtocolStep, Variables};

/// Cells of the largest table in which parameters decide between alignments of the same length.
const MOST_CELLS: usize = 1_000_000;

/// Two steps that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct AlignedStep {
    /// Number in the reference.
    pub reference: usize,
    /// Number in the response.
    pub predicted: usize,
    /// Share of the parameters of both that agree; 1 where there are none.
    pub share: f64,
    /// Names of parameters that do not agree.
    pub wrong: Vec<String>,
}

/// How two protocols fit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Alignment {
    /// The steps that belong together, ascending on both sides.
    pub pairs: Vec<AlignedStep>,
    /// Twice the number of pairs by the number of steps on both sides.
    pub order: f64,
    /// Sum of the shares by the number of steps of the longer side.
    pub parameters: f64,
}

impl Alignment {
    /// The mean of both.
    pub const fn value(&self) -> f64 {
        f64::midpoint(self.order, self.parameters)
    }
}

/// Aligns two protocols.
pub fn align(reference: &[ProtocolStep], predicted: &[ProtocolStep]) -> Alignment {
    let names = |steps: &[ProtocolStep]| steps.iter().map(|step| normalized_text(&step.action)).collect::<Vec<_>>();
    let (left, right) = (names(reference), names(predicted));
    let pairs = pairs(reference, predicted, &left, &right);
    // What steps that belong together make is the same thing, whatever it is called.
    let same: BTreeMap<&str, &str> =
        pairs.iter().map(|(at, other)| (predicted[*other].output.as_str(), reference[*at].output.as_str())).collect();
    let (made, made_here) = (Variables::from_steps(reference).generated, Variables::from_steps(predicted).generated);
    let pairs: Vec<AlignedStep> = pairs
        .into_iter()
        .map(|(at, other)| {
            let (share, wrong) = agreement(&reference[at], &predicted[other], &made, &made_here, &same);
            AlignedStep { reference: at, predicted: other, share, wrong }
        })
        .collect();
    let both = reference.len() + predicted.len();
    let longest = reference.len().max(predicted.len());
    if both == 0 {
        return Alignment::default();
    }
    let order = 2.0 * pairs.len() as f64 / both as f64;
    let parameters = pairs.iter().map(|pair| pair.share).sum::<f64>() / longest as f64;
    Alignment { pairs, order, parameters }
}

/// The numbers of the steps that belong together: as many as possible, and of equally many those whose parameters have the
/// most names in common.
fn pairs(
    reference: &[ProtocolStep],
    predicted: &[ProtocolStep],
    left: &[String],
    right: &[String],
) -> Vec<(usize, usize)> {
    let (rows, columns) = (left.len(), right.len());
    if rows.saturating_mul(columns) > MOST_CELLS {
        return CommonSubsequence::longest(left, right).pairs.unwrap_or_else(|| {
            (0..rows.min(columns)).filter(|at| left[*at] == right[*at]).map(|at| (at, at)).collect()
        });
    }
    let width = columns + 1;
    // From the end, so that the walk goes forward: pairs first, names in common second.
    let mut best = vec![(0_u32, 0_u32); (rows + 1) * width];
    let gain = |row: usize, column: usize| {
        let names = reference[row].input.keys().filter(|name| predicted[column].value(name).is_some()).count();
        u32::try_from(names).unwrap_or(u32::MAX)
    };
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            probare_cancellation::count_steps(1);
            let mut here = best[(row + 1) * width + column].max(best[row * width + column + 1]);
            if left[row] == right[column] {
                let (count, names) = best[(row + 1) * width + column + 1];
                here = here.max((count + 1, names.saturating_add(gain(row, column))));
            }
            best[row * width + column] = here;
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while row < rows && column < columns {
        let here = best[row * width + column];
        let (count, names) = best[(row + 1) * width + column + 1];
        if left[row] == right[column] && here == (count + 1, names.saturating_add(gain(row, column))) {
            pairs.push((row, column));
            row += 1;
            column += 1;
        } else if here == best[(row + 1) * width + column] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// Share of the parameters of both steps that agree, and the names of those that do not.
fn agreement(
    expected: &ProtocolStep,
    got: &ProtocolStep,
    made: &BTreeSet<&str>,
    made_here: &BTreeSet<&str>,
    same: &BTreeMap<&str, &str>,
) -> (f64, Vec<String>) {
    let names: BTreeSet<&str> = expected.input.keys().chain(got.input.keys()).map(String::as_str).collect();
    if names.is_empty() {
        return (1.0, Vec::new());
    }
    let agrees = |name: &&str| match (expected.value(name), got.value(name)) {
        (Some(partner), Some(found)) => match (made.contains(partner), made_here.contains(found)) {
            (true, true) => same.get(found).copied() == Some(partner),
            (false, false) => normalized_text(partner) == normalized_text(found),
            _ => false,
        },
        _ => false,
    };
    let (good, wrong): (Vec<&str>, Vec<&str>) = names.iter().copied().partition(agrees);
    (good.len() as f64 / names.len() as f64, wrong.into_iter().map(str::to_owned).collect())
}

/// A text without quotes around it, in lower case, with single spaces; numbers by their value.
fn normalized_text(text: &str) -> String {
    let bare = probare_text::python::strip(text).trim_matches(['"', '\'']);
    let words = probare_text::python::split(bare).map(|word| match word.parse::<f64>() {
        Ok(number) if number.is_finite() => number.to_string(),
        _ => probare_text::python::lower(word),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgi::metrics::protocol::scan_protocol_tolerant;

    fn fit(reference: &str, predicted: &str) -> Alignment {
        align(&scan_protocol_tolerant(reference), &scan_protocol_tolerant(predicted))
    }

    #[test]
    fn a_missing_first_step_costs_itself_and_what_it_feeds() {
        let reference = "a = <Lyse>(x=1)\nb = <Spin>(s=a)\nc = <Read>(s=b)";
        let whole = fit(reference, reference);
        assert_eq!((whole.order, whole.parameters), (1.0, 1.0));
        let short = fit(reference, "b = <Spin>(s=a)\nc = <Read>(s=b)");
        assert_eq!(
            short.pairs.iter().map(|pair| (pair.reference, pair.predicted)).collect::<Vec<_>>(),
            [(1, 0), (2, 1)]
        );
        assert!((short.order - 0.8).abs() < 1e-12 && (short.parameters - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn strangers_in_alphabetical_order_do_not_match() {
        let strangers = fit("a = <Add>(x=1)\nb = <Boil>(x=a)", "a = <Age>(x=1)\nb = <Burn>(x=a)");
        assert_eq!(strangers.value(), 0.0);
    }

    #[test]
    fn names_of_variables_and_spellings_of_numbers_are_free_and_other_amounts_are_not() {
        let reference = "a = <Mix>(v=1.0, w=\"10 min\")\nb = <Spin>(s=a)";
        assert_eq!(fit(reference, "x = <mix>(v=1, w='10  MIN')\ny = <Spin>(s=x)").value(), 1.0);
        assert_eq!(fit(reference, "x = <Mix>(v=1, w='20 min')\ny = <Spin>(s=x)").parameters, 0.75);
    }

    #[test]
    fn of_repeated_actions_the_ones_with_the_same_parameters_are_aligned() {
        let aligned = fit("a = <Wash>(buffer=\"x\")", "p = <Wash>(time=5)\nq = <Wash>(buffer=\"x\")");
        assert_eq!(aligned.pairs[0].predicted, 1);
    }
}
