//! Beam search over derivations of the arc-eager system.
//!
//! The score of a hypothesis is the sum of the scores of its moves. All memory is reused from sentence to sentence.

use crate::templates::ParserInput;
use crate::transition::{LabelId, Move, MoveSet, State};
use crate::weights::{MOST_CLASSES, Scorer, Scores};

/// One link of a derivation: the move made and where the moves before it are found.
#[cfg_attr(not(feature = "train"), expect(dead_code, reason = "only learning follows a derivation back"))]
#[derive(Debug, Clone, Copy)]
struct Link {
    previous: u32,
    step: Move,
}

/// The beginning of every derivation.
const START: u32 = u32::MAX;

#[derive(Debug, Clone, Default)]
struct Hypothesis {
    state: State,
    score: i32,
    link: u32,
}

#[derive(Debug, Clone, Copy)]
struct Candidate {
    score: i32,
    parent: u32,
    step: Move,
}

/// What the search needs to know about the moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grammar {
    /// The numbering of moves.
    pub(crate) moves: MoveSet,
    /// The number of the relation `root`, which is given to dependents of the root and to nothing else.
    pub(crate) root_label: LabelId,
}

impl Grammar {
    /// Calls `visit` with every move that the state allows.
    pub(crate) fn each_move(self, state: &State, mut visit: impl FnMut(Move)) {
        for step in [Move::Shift, Move::Reduce] {
            if state.allows(step) {
                visit(step);
            }
        }
        let labels = LabelId::try_from(self.moves.labels).unwrap_or(LabelId::MAX);
        if state.allows(Move::Left(0)) {
            if state.next == state.root() {
                visit(Move::Left(self.root_label));
            } else {
                (0..labels).filter(|label| *label != self.root_label).for_each(|label| visit(Move::Left(label)));
            }
        }
        if state.allows(Move::Right(0)) {
            (0..labels).filter(|label| *label != self.root_label).for_each(|label| visit(Move::Right(label)));
        }
    }
}

/// The search and its memory.
#[derive(Debug)]
pub(crate) struct Search {
    grammar: Grammar,
    width: usize,
    beam: Vec<Hypothesis>,
    next: Vec<Hypothesis>,
    candidates: Vec<Candidate>,
    links: Vec<Link>,
    features: Vec<u32>,
    pairs: PairScores,
}

impl Search {
    /// A search that keeps so many hypotheses (at least one).
    pub(crate) fn new(grammar: Grammar, width: usize) -> Self {
        Self {
            grammar,
            width: width.max(1),
            beam: Vec::new(),
            next: Vec::new(),
            candidates: Vec::new(),
            links: Vec::new(),
            features: Vec::with_capacity(256),
            pairs: PairScores::default(),
        }
    }

    /// Begins a sentence.
    pub(crate) fn start(&mut self, words: usize) {
        self.links.clear();
        self.pairs.forget();
        self.beam.truncate(1);
        if self.beam.is_empty() {
            self.beam.push(Hypothesis::default());
        }
        let first = &mut self.beam[0];
        first.state.reset(words);
        first.score = 0;
        first.link = START;
    }

    /// Makes one move in every hypothesis and keeps the best. Does nothing when the sentence is finished.
    pub(crate) fn advance(&mut self, input: &ParserInput, scorer: &impl Scorer) {
        self.candidates.clear();
        for (hypothesis, parent) in self.beam.iter().zip(0..) {
            if hypothesis.state.is_final() {
                return;
            }
            let mut scores = *self.pairs.of(&hypothesis.state, input, scorer, &mut self.features);
            self.features.clear();
            input.tree_features(&hypothesis.state, &mut self.features);
            scorer.add(&self.features, &mut scores);
            let (moves, candidates) = (self.grammar.moves, &mut self.candidates);
            self.grammar.each_move(&hypothesis.state, |step| {
                let score = hypothesis.score.saturating_add(scores[moves.class(step) & MOST_CLASSES]);
                candidates.push(Candidate { score, parent, step });
            });
        }
        keep_best(&mut self.candidates, self.width);
        self.next.resize_with(self.candidates.len(), Hypothesis::default);
        for (candidate, successor) in self.candidates.iter().zip(&mut self.next) {
            let parent = &self.beam[candidate.parent as usize];
            successor.state.copy_from(&parent.state);
            successor.state.apply(candidate.step);
            successor.score = candidate.score;
            successor.link = u32::try_from(self.links.len()).unwrap_or(START);
            self.links.push(Link { previous: parent.link, step: candidate.step });
        }
        std::mem::swap(&mut self.beam, &mut self.next);
    }

    /// The best hypothesis: its configuration.
    pub(crate) fn best(&self) -> &State {
        &self.beam[0].state
    }

    /// The score of the best hypothesis.
    #[cfg(feature = "train")]
    pub(crate) fn best_score(&self) -> i32 {
        self.beam[0].score
    }

    /// The moves of the best hypothesis, in order.
    #[cfg(feature = "train")]
    pub(crate) fn best_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut link = self.beam[0].link;
        while let Some(step) = self.links.get(link as usize) {
            moves.push(step.step);
            link = step.previous;
        }
        moves.reverse();
        moves
    }

    /// Parses a whole sentence and leaves the result in [`best`](Self::best).
    pub(crate) fn run(&mut self, input: &ParserInput, scorer: &impl Scorer) {
        self.start(input.len());
        for _ in 0..2 * input.len() {
            self.advance(input, scorer);
        }
    }
}

/// The part of a score that follows from the top of the stack and the next word, remembered within a sentence.
#[derive(Debug)]
struct PairScores {
    entries: Vec<((u16, u16), Scores)>,
}

impl Default for PairScores {
    fn default() -> Self {
        Self { entries: vec![(NO_PAIR, [0; MOST_CLASSES + 1]); 64] }
    }
}

/// No state has this pair: the next word is never missing.
const NO_PAIR: (u16, u16) = (u16::MAX, u16::MAX);

impl PairScores {
    /// Forgets everything.
    fn forget(&mut self) {
        for entry in &mut self.entries {
            entry.0 = NO_PAIR;
        }
    }

    /// The scores of a state's pair, computed unless remembered. `features` is working memory.
    fn of(&mut self, state: &State, input: &ParserInput, scorer: &impl Scorer, features: &mut Vec<u32>) -> &Scores {
        let pair = (state.top(), state.next);
        // Neighbouring pairs fall on different places; an older pair at the same place gives way.
        let place = (usize::from(pair.0.wrapping_mul(7)) + usize::from(pair.1)) % self.entries.len();
        let entry = &mut self.entries[place];
        if entry.0 != pair {
            entry.0 = pair;
            entry.1 = [0; MOST_CLASSES + 1];
            features.clear();
            input.pair_features(pair.0, pair.1, features);
            scorer.add(features, &mut entry.1);
        }
        &entry.1
    }
}

/// Leaves the `width` best candidates, best first. Of equals the one found first is the better: nothing may depend on
/// how a sorting routine breaks ties.
fn keep_best(candidates: &mut Vec<Candidate>, width: usize) {
    let mut kept = 0;
    for position in 0..candidates.len() {
        let candidate = candidates[position];
        if kept == width && candidate.score <= candidates[kept - 1].score {
            continue;
        }
        let mut place = kept.min(width - 1);
        while place > 0 && candidates[place - 1].score < candidate.score {
            candidates[place] = candidates[place - 1];
            place -= 1;
        }
        candidates[place] = candidate;
        kept = (kept + 1).min(width);
    }
    candidates.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_candidates_wins() {
        let scores = [3, 9, 9, 1, 9, 7];
        let candidate = |(&score, parent)| Candidate { score, parent, step: Move::Shift };
        let mut candidates: Vec<Candidate> = scores.iter().zip(0..).map(candidate).collect();
        keep_best(&mut candidates, 4);
        let kept: Vec<(i32, u32)> = candidates.iter().map(|candidate| (candidate.score, candidate.parent)).collect();
        assert_eq!(kept, [(9, 1), (9, 2), (9, 4), (7, 5)]);
        keep_best(&mut candidates, 2);
        assert_eq!(candidates.len(), 2);
    }
}
