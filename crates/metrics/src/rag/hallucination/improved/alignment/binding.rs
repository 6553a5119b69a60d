//! Values of one kind that a sentence of the context gives to different things: "5 mg for children and 10 mg for adults". A sentence of
//! the response that has one of them has to keep its words, wherever it puts them.

use rustc_hash::FxHashSet;

use super::super::sources::StemId;
use super::edits::{AlignmentEdit, SentenceAlignment, SuspectEdit};
use super::sentence_units::AlignmentUnit;

/// The words of one value of several in a sentence.
struct ValueWords {
    value: usize,
    /// Stems of its own words and of those that all share.
    stems: FxHashSet<StemId>,
}

/// The values of one kind in a sentence, each with its words: those of its own limb, between marks and joining words. What stands before
/// the first value is shared where later ones open their limbs ("the dose is 5 mg for … and 10 mg for …"); what stands between two values
/// of one limb belongs to neither for certain.
fn value_words(units: &[&AlignmentUnit<'_>], kind: &AlignmentUnit<'_>) -> Vec<ValueWords> {
    let values = rivals(units, kind);
    let between = |from: Option<usize>, to: usize| from.map_or(0, |from| from + 1)..to;
    let opens = |number: usize| {
        number > 0
            && between(Some(values[number - 1]), values[number]).all(|at| units[at].limb != units[values[number]].limb)
    };
    let is_head_shared = (1..values.len()).all(opens);
    let own = |number: usize| {
        let at = values[number];
        let before = between(number.checked_sub(1).map(|before| values[before]), at);
        let behind = at + 1..values.get(number + 1).copied().unwrap_or(units.len());
        let is_apart = |other: usize| units[other].limb != units[at].limb;
        let left =
            before.filter(|&index| number == 0 || units[index].limb == units[at].limb && is_apart(values[number - 1]));
        let is_last = number + 1 == values.len();
        let right =
            behind.filter(|&index| is_last || units[index].limb == units[at].limb && is_apart(values[number + 1]));
        let head = 0..if is_head_shared { values[0] } else { 0 };
        let stems = left.chain(right).chain(head).filter_map(|index| units[index].stem).collect();
        ValueWords { value: at, stems }
    };
    (0..values.len()).map(own).collect()
}

/// The values of a kind in a sentence, and those behind them that leave out its unit.
fn rivals(units: &[&AlignmentUnit<'_>], kind: &AlignmentUnit<'_>) -> Vec<usize> {
    let mut values: Vec<usize> = Vec::new();
    for (at, unit) in units.iter().enumerate() {
        if unit.is_rival(kind) || values.last().is_some_and(|&before| unit.is_elliptical(units[before])) {
            values.push(at);
        }
    }
    values
}

/// Units of the longest sentence whose values are given to their words. In a longer one every value counts as misplaced: who is to tell.
const LONGEST: usize = 96;

impl SentenceAlignment<'_> {
    /// Values whose words the context gives to another value of their kind.
    pub(super) fn misplaced(&self, suspects: &mut Vec<SuspectEdit>) {
        let units: Vec<&AlignmentUnit<'_>> = self.response_units.iter().collect();
        for (index, at) in self.path.matches.iter().enumerate() {
            let Some(there) = at.map(|at| self.context_units[at]) else { continue };
            let unit = units[index];
            if unit.value().is_none() {
                continue;
            }
            probare_cancellation::count_steps(1);
            let from = self.context_units.partition_point(|other| other.sentence < there.sentence);
            let to = self.context_units.partition_point(|other| other.sentence <= there.sentence);
            let sentence = &self.context_units[from..to];
            if units.len().max(sentence.len()) > LONGEST || !is_kept(&units, index, sentence) {
                suspects.push(SuspectEdit {
                    edit: AlignmentEdit::Moved,
                    response_unit: Some(index),
                    context_unit: None,
                });
            }
        }
    }
}

/// Whether a value keeps the words that it has in a sentence of the context. Words that the context does not have there do not matter.
fn is_kept(units: &[&AlignmentUnit<'_>], index: usize, sentence: &[&AlignmentUnit<'_>]) -> bool {
    let unit = units[index];
    if rivals(sentence, unit).into_iter().all(|at| unit.matches(sentence[at])) {
        return true;
    }
    let Some(here) = value_words(units, unit).into_iter().find(|owned| owned.value == index) else { return true };
    let known: FxHashSet<StemId> = sentence.iter().filter_map(|other| other.stem).collect();
    let mut fitting = value_words(sentence, unit).into_iter().filter(|there| unit.matches(sentence[there.value]));
    fitting.any(|there| here.stems.iter().all(|stem| there.stems.contains(stem) || !known.contains(stem)))
}
