//! Beam search over derivations of the arc-eager system.
//!
//! The score of a hypothesis is the sum of the scores of its moves. All memory is reused from sentence to sentence.

use probare_cancellation::count_steps;

use crate::templates::ParserInput;
use crate::transition::{LabelId, Move, MoveSet, NONE, ParserState};
use crate::weights::{ClassScores, FeatureScorer, MOST_CLASSES};

/// One link of a derivation: the move made and where the moves before it are found.
#[derive(Debug, Clone, Copy)]
struct Link {
    previous: u32,
    step: Move,
}

/// The beginning of every derivation.
const START: u32 = u32::MAX;

#[derive(Debug, Clone, Default)]
struct Hypothesis {
    state: ParserState,
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
pub struct Grammar {
    /// The numbering of moves.
    pub moves: MoveSet,
    /// The number of the relation `root`, which is given to dependents of the root and to nothing else.
    pub root_label: LabelId,
}

impl Grammar {
    /// Calls `visit` with every move that the state allows.
    pub fn each_move(self, state: &ParserState, mut visit: impl FnMut(Move)) {
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

/// How many hypotheses are followed.
#[derive(Debug, Clone, Copy)]
pub struct BeamLimits {
    /// At most so many (at least one).
    pub width: usize,
    /// One that is further behind the best than this is given up: it hardly ever catches up, and most steps of most
    /// sentences have no second hypothesis worth the time.
    pub lag: i32,
}

impl BeamLimits {
    /// The least score that is not too far behind the first of some candidates.
    fn near(self, candidates: &[Candidate]) -> i32 {
        candidates.first().map_or(i32::MIN, |best| best.score.saturating_sub(self.lag))
    }
}

/// The search and its memory.
#[derive(Debug)]
pub struct BeamSearch {
    grammar: Grammar,
    limits: BeamLimits,
    beam: Vec<Hypothesis>,
    next: Vec<Hypothesis>,
    candidates: Vec<Candidate>,
    links: Vec<Link>,
    features: Vec<u32>,
    words: WordScores,
    trees: TreeScores,
}

impl BeamSearch {
    /// A search that has not begun.
    pub fn new(grammar: Grammar, limits: BeamLimits) -> Self {
        Self {
            grammar,
            limits: BeamLimits { width: limits.width.max(1), lag: limits.lag.max(0) },
            beam: Vec::new(),
            next: Vec::new(),
            candidates: Vec::new(),
            links: Vec::new(),
            features: Vec::with_capacity(64),
            words: WordScores::default(),
            trees: TreeScores::default(),
        }
    }

    /// Begins a sentence.
    pub fn start(&mut self, words: usize) {
        self.links.clear();
        self.words.clear();
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
    pub fn advance(&mut self, input: &ParserInput, scorer: &impl FeatureScorer) {
        self.candidates.clear();
        self.trees.clear();
        // What a candidate must reach.
        let mut least = i32::MIN;
        for (hypothesis, parent) in self.beam.iter().zip(0..) {
            if hypothesis.state.is_final() {
                return;
            }
            let mut scores = *self.words.scores(&hypothesis.state, input, scorer, &mut self.features);
            add(&mut scores, self.trees.scores(&hypothesis.state, input, scorer));
            let (moves, limits, candidates) = (self.grammar.moves, self.limits, &mut self.candidates);
            let mut needed = least.saturating_sub(hypothesis.score);
            self.grammar.each_move(&hypothesis.state, |step| {
                let gain = scores[moves.class(step) & MOST_CLASSES];
                if gain >= needed {
                    let score = hypothesis.score.saturating_add(gain);
                    least = offer(candidates, limits, Candidate { score, parent, step });
                    needed = least.saturating_sub(hypothesis.score);
                }
            });
        }
        let near = self.limits.near(&self.candidates);
        self.candidates.truncate(self.candidates.partition_point(|candidate| candidate.score >= near));
        self.next.resize_with(self.candidates.len(), Hypothesis::default);
        for (position, (candidate, successor)) in self.candidates.iter().zip(&mut self.next).enumerate() {
            let parent = &mut self.beam[candidate.parent as usize];
            let is_needed_again = self.candidates[position + 1..].iter().any(|other| other.parent == candidate.parent);
            if is_needed_again {
                successor.state.copy_from(&parent.state);
            } else {
                std::mem::swap(&mut successor.state, &mut parent.state);
            }
            successor.state.apply(candidate.step);
            successor.score = candidate.score;
            successor.link = u32::try_from(self.links.len()).unwrap_or(START);
            self.links.push(Link { previous: parent.link, step: candidate.step });
        }
        std::mem::swap(&mut self.beam, &mut self.next);
    }

    /// The best hypothesis: its configuration.
    pub fn best(&self) -> &ParserState {
        &self.beam[0].state
    }

    /// The score of the best hypothesis.
    pub fn best_score(&self) -> i32 {
        self.beam[0].score
    }

    /// The moves of the best hypothesis, in order.
    pub fn best_moves(&self) -> Vec<Move> {
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
    pub fn run(&mut self, input: &ParserInput, scorer: &impl FeatureScorer) {
        self.start(input.len());
        for _ in 0..2 * input.len() {
            count_steps(8);
            self.advance(input, scorer);
        }
    }
}

/// Adds scores class by class.
#[inline]
fn add(sums: &mut ClassScores, scores: &ClassScores) {
    for (sum, score) in sums.iter_mut().zip(scores) {
        *sum += score;
    }
}

/// Scores remembered within a sentence by the words they follow from.
#[derive(Debug)]
struct ScoreCache {
    entries: Vec<((u16, u16), ClassScores)>,
}

impl Default for ScoreCache {
    fn default() -> Self {
        Self { entries: vec![(NOTHING, NO_SCORES); 64] }
    }
}

/// No scores follow from this: the next word is never missing.
const NOTHING: (u16, u16) = (NONE, NONE);

const NO_SCORES: ClassScores = [0; MOST_CLASSES + 1];

impl ScoreCache {
    /// Forgets everything.
    fn clear(&mut self) {
        for entry in &mut self.entries {
            entry.0 = NOTHING;
        }
    }

    /// The scores that follow from some words, computed by `compute`, which gets zeros, unless remembered.
    #[inline]
    fn get_or_compute(&mut self, words: (u16, u16), compute: impl FnOnce(&mut ClassScores)) -> &ClassScores {
        // Neighbours fall on different places; older words at the same place give way.
        let place = usize::from(words.0.wrapping_mul(7).wrapping_add(words.1)) % self.entries.len();
        let entry = &mut self.entries[place];
        if entry.0 != words {
            entry.0 = words;
            entry.1 = NO_SCORES;
            compute(&mut entry.1);
        }
        &entry.1
    }
}

/// The part of a score that follows from the top of the stack and the next word, whatever the tree. Hypotheses of one
/// beam mostly share the two, and one of the two mostly stays from step to step.
#[derive(Debug, Default)]
struct WordScores {
    tops: ScoreCache,
    nexts: ScoreCache,
    pairs: ScoreCache,
}

impl WordScores {
    fn clear(&mut self) {
        self.tops.clear();
        self.nexts.clear();
        self.pairs.clear();
    }

    /// The scores for the two words of a state. `features` is working memory.
    fn scores(
        &mut self,
        state: &ParserState,
        input: &ParserInput,
        scorer: &impl FeatureScorer,
        features: &mut Vec<u32>,
    ) -> &ClassScores {
        let (top, next) = (state.top(), state.next);
        let Self { tops, nexts, pairs } = self;
        pairs.get_or_compute((top, next), |scores| {
            add(scores, tops.get_or_compute((top, 0), |scores| scorer.add(input.top_features(top, features), scores)));
            add(
                scores,
                nexts.get_or_compute((0, next), |scores| scorer.add(input.next_features(next, features), scores)),
            );
            scorer.add(input.pair_features(top, next, features), scores);
        })
    }
}

/// The part of a score that follows from the rest of the stack and the tree. Hypotheses that part over something far
/// behind look the same from here, and are scored once.
#[derive(Debug, Default)]
struct TreeScores {
    seen: Vec<(Vec<u32>, ClassScores)>,
    used: usize,
}

impl TreeScores {
    fn clear(&mut self) {
        self.used = 0;
    }

    fn scores(&mut self, state: &ParserState, input: &ParserInput, scorer: &impl FeatureScorer) -> &ClassScores {
        if self.used == self.seen.len() {
            self.seen.push((Vec::with_capacity(128), NO_SCORES));
        }
        let (before, rest) = self.seen.split_at_mut(self.used);
        let (features, scores) = &mut rest[0];
        input.tree_features(state, features);
        if let Some(same) = before.iter().position(|(other, _)| other == features) {
            return &before[same].1;
        }
        *scores = NO_SCORES;
        scorer.add(features, scores);
        self.used += 1;
        scores
    }
}

/// Takes a candidate among the best, which stand best first, if it is one of them, and returns the score that the next
/// one must reach. Of equals the one offered first is the better: nothing may depend on how a sorting routine breaks
/// ties.
fn offer(best: &mut Vec<Candidate>, limits: BeamLimits, candidate: Candidate) -> i32 {
    let place = best.iter().rposition(|other| other.score >= candidate.score).map_or(0, |place| place + 1);
    if place < limits.width {
        best.truncate(limits.width - 1);
        best.insert(place, candidate);
    }
    let near = limits.near(best);
    match best.last() {
        Some(worst) if best.len() == limits.width => near.max(worst.score.saturating_add(1)),
        _ => near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_candidates_wins() {
        let mut best = Vec::new();
        for (&score, parent) in [3, 9, 9, 1, 9, 7].iter().zip(0..) {
            offer(&mut best, BeamLimits { width: 4, lag: 100 }, Candidate { score, parent, step: Move::Shift });
        }
        let ranking: Vec<(i32, u32)> = best.iter().map(|candidate| (candidate.score, candidate.parent)).collect();
        assert_eq!(ranking, [(9, 1), (9, 2), (9, 4), (7, 5)]);
    }
}
