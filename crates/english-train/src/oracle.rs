//! The moves that build a known tree.

use probare_english::transition::{LabelId, Move, NONE, ParserState};

/// The tree to be built. Heads use the transition system's numbering: the root is the number of words.
#[derive(Debug, Clone)]
pub(crate) struct ReferenceTree {
    pub(crate) heads: Vec<u16>,
    pub(crate) labels: Vec<LabelId>,
}

impl ReferenceTree {
    /// Makes the tree projective by moving the lower end of a crossing arc up, the shortest arc first (Nivre and
    /// Nilsson 2005); the transition system builds no others.
    pub(crate) fn new(heads: &[Option<usize>], labels: Vec<LabelId>) -> Self {
        let root = heads.len();
        let mut heads: Vec<usize> = heads.iter().map(|head| head.unwrap_or(root)).collect();
        while let Some(dependent) = shortest_crossing(&heads) {
            heads[dependent] = heads[heads[dependent]];
        }
        let heads = heads.into_iter().map(|head| u16::try_from(head).unwrap_or(NONE)).collect();
        Self { heads, labels }
    }

    fn head(&self, word: u16) -> u16 {
        self.heads.get(usize::from(word)).copied().unwrap_or(NONE)
    }

    fn label(&self, word: u16) -> LabelId {
        self.labels.get(usize::from(word)).copied().unwrap_or(0)
    }

    /// How many arcs of this tree become unreachable by a move (Goldberg and Nivre 2012).
    fn cost(&self, state: &ParserState, step: Move) -> usize {
        let (top, next) = (state.top(), state.next);
        let headless = |word: u16| state.nodes[usize::from(word)].head == NONE;
        let waits_for_next = || state.stack.iter().filter(|&&word| self.head(word) == next && headless(word)).count();
        let dependents_ahead = || (next..state.root()).filter(|&word| self.head(word) == top).count();
        match step {
            Move::Shift => waits_for_next() + usize::from(state.stack.contains(&self.head(next))),
            Move::Reduce => dependents_ahead(),
            Move::Left(_) => {
                let head = self.head(top);
                dependents_ahead() + usize::from(head != next && head != NONE && head > next)
            }
            Move::Right(_) => {
                let head = self.head(next);
                let lost = head != top && head != NONE && (head > next || state.stack.contains(&head));
                let waiting = state.stack.iter().filter(|&&word| self.head(word) == next && headless(word)).count();
                usize::from(lost) + waiting
            }
        }
    }

    /// The one derivation that the learner aims at: attach as soon as possible, then reduce as soon as possible.
    pub(crate) fn derivation(&self) -> Vec<Move> {
        let mut state = ParserState::default();
        state.reset(self.heads.len());
        let mut moves = Vec::with_capacity(2 * self.heads.len());
        while !state.is_final() {
            let preferences =
                [Move::Left(self.label(state.top())), Move::Right(self.label(state.next)), Move::Reduce, Move::Shift];
            let step = preferences
                .into_iter()
                .filter(|step| state.allows(*step))
                .min_by_key(|step| self.cost(&state, *step))
                .expect("some move is possible until the state is final");
            state.apply(step);
            moves.push(step);
        }
        moves
    }
}

/// The dependent of the shortest arc that is crossed by another, if any. Arcs of the root cross nothing: it stands
/// outside.
fn shortest_crossing(heads: &[usize]) -> Option<usize> {
    let root = heads.len();
    let is_below = |mut word: usize, ancestor: usize| {
        for _ in 0..=heads.len() {
            if word == ancestor {
                return true;
            }
            if word == root {
                return false;
            }
            word = heads[word];
        }
        false
    };
    (0..heads.len())
        .filter(|&dependent| heads[dependent] != root)
        .filter(|&dependent| {
            let (start, end) = (dependent.min(heads[dependent]), dependent.max(heads[dependent]));
            (start + 1..end).any(|word| !is_below(word, heads[dependent]))
        })
        .min_by_key(|&dependent| dependent.abs_diff(heads[dependent]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rebuilt(heads: &[Option<usize>]) -> (Vec<u16>, Vec<u16>) {
        let labels = (0..heads.len()).map(|word| LabelId::try_from(word).unwrap()).collect();
        let tree = ReferenceTree::new(heads, labels);
        let mut state = ParserState::default();
        state.reset(heads.len());
        for step in tree.derivation() {
            state.apply(step);
        }
        assert!(state.is_final());
        for (word, node) in state.nodes[..heads.len()].iter().enumerate() {
            assert_eq!(usize::from(node.label), word);
        }
        (state.nodes[..heads.len()].iter().map(|node| node.head).collect(), tree.heads)
    }

    #[test]
    fn the_derivation_builds_the_tree() {
        let (built, gold) = rebuilt(&[Some(1), Some(4), Some(3), Some(1), None, Some(7), Some(7), Some(4), Some(4)]);
        assert_eq!(built, gold);
    }

    #[test]
    fn a_crossing_arc_is_lifted() {
        // "A hearing is scheduled on the issue today": `on the issue` belongs to `hearing`.
        let (built, gold) = rebuilt(&[Some(1), Some(3), Some(3), None, Some(6), Some(6), Some(1), Some(3)]);
        assert_eq!(built, gold);
        assert_eq!(built[6], 3);
    }
}
