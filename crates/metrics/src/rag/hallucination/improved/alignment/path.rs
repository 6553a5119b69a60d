//! The cheapest way of a sentence through the words of a context: the next word costs nothing; what skips, goes back or changes the
//! sentence costs more; a word that is not met is left out at a price.

use rustc_hash::FxHashMap;

use super::super::sources::StemId;
use super::sentence_units::{AlignmentUnit, UnitKind};

/// Price of a word that is not met.
pub(super) const NEW_WORD_COST: f64 = 1.2;

/// The same for a word of logic.
pub(super) const NEW_LOGIC_COST: f64 = 0.9;

/// Price of going back.
pub(super) const BACKWARD_COST: f64 = 0.75;

/// Words of the context that a word may meet, at most.
const MOST_CANDIDATES: usize = 16;

/// Words of the context that are tried for it, at most.
const MOST_TRIED: usize = 128;

/// Ways that are followed at the same time, at most.
const MOST_STATES: usize = 32;

/// A way through the context.
pub(super) struct AlignmentPath {
    /// For each unit of the sentence the one of the context that it meets.
    pub matches: Vec<Option<usize>>,
    pub cost: f64,
}

/// What a unit costs that is not met.
pub(super) fn unmatched_cost(unit: &AlignmentUnit<'_>) -> f64 {
    if unit.logic().is_some() { NEW_LOGIC_COST } else { NEW_WORD_COST }
}

/// Price of going from one unit of the context to another.
fn step(from: &AlignmentUnit<'_>, to: &AlignmentUnit<'_>, distance: isize) -> f64 {
    if from.sentence != to.sentence {
        return if from.sentence.abs_diff(to.sentence) == 1 { 1.0 } else { 1.3 };
    }
    match distance {
        0 => 0.9,
        1..=6 => 0.08 * (distance - 1) as f64,
        7.. => 0.6,
        _ => BACKWARD_COST,
    }
}

#[derive(Clone, Copy)]
struct State {
    at: Option<usize>,
    cost: f64,
    /// The state before it.
    back: usize,
    /// Whether the last unit was met.
    is_met: bool,
}

/// The cheapest way; of equals the first.
pub(super) fn cheapest_path(units: &[AlignmentUnit<'_>], had: &[&AlignmentUnit<'_>]) -> AlignmentPath {
    let mut by_stem: FxHashMap<StemId, Vec<usize>> = FxHashMap::default();
    let (mut values, mut logic): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for (index, unit) in had.iter().enumerate() {
        match unit.kind {
            UnitKind::Word | UnitKind::Name => {
                if let Some(stem) = unit.stem {
                    by_stem.entry(stem).or_default().push(index);
                }
            }
            UnitKind::Value(_) => values.push(index),
            UnitKind::Logic(_) => logic.push(index),
        }
    }
    let mut layers: Vec<Vec<State>> = vec![vec![State { at: None, cost: 0.0, back: 0, is_met: false }]];
    for unit in units {
        let candidates = match unit.kind {
            UnitKind::Word | UnitKind::Name => {
                unit.stem.and_then(|stem| by_stem.get(&stem)).map_or(&[][..], Vec::as_slice)
            }
            UnitKind::Value(_) => &values,
            UnitKind::Logic(_) => &logic,
        };
        let before = layers.last().map_or(&[][..], Vec::as_slice);
        let skipped = before.iter().enumerate();
        let mut next: Vec<State> = skipped
            .map(|(back, state)| State { cost: state.cost + unmatched_cost(unit), back, is_met: false, ..*state })
            .collect();
        let tried = candidates.iter().take(MOST_TRIED);
        let met = tried.filter(|&&index| unit.matches(had[index])).take(MOST_CANDIDATES);
        for &index in met {
            probare_cancellation::count_steps(1);
            let mut best: Option<State> = None;
            for (back, state) in before.iter().enumerate() {
                let cost = state.cost
                    + state.at.map_or(0.1, |at| step(had[at], had[index], index.cast_signed() - at.cast_signed()));
                if best.is_none_or(|best| cost < best.cost) {
                    best = Some(State { at: Some(index), cost, back, is_met: true });
                }
            }
            let Some(best) = best else { continue };
            match next.iter_mut().find(|state| state.at == best.at) {
                Some(state) if best.cost < state.cost => *state = best,
                Some(_) => {}
                None => next.push(best),
            }
        }
        next.sort_by(|left, right| left.cost.total_cmp(&right.cost).then(left.at.cmp(&right.at)));
        next.truncate(MOST_STATES);
        layers.push(next);
    }
    let mut met = vec![None; units.len()];
    let cost = layers.last().and_then(|last| last.first()).map_or(0.0, |state| state.cost);
    let mut at = 0;
    for index in (0..units.len()).rev() {
        let state = layers[index + 1][at];
        met[index] = state.at.filter(|_| state.is_met);
        at = state.back;
    }
    AlignmentPath { matches: met, cost }
}
