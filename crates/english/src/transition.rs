//! The arc-eager transition system (Nivre 2008), with the artificial root after the last word.
//!
//! A derivation of a sentence of n words takes exactly 2n moves: every word enters the stack once and leaves it once.
//! That makes hypotheses of one beam comparable at every step.

/// "No such word".
pub const NONE: u16 = u16::MAX;

/// Number of a relation in the model's list.
pub type LabelId = u8;

/// One move of the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Move {
    /// The next word enters the stack without a head.
    Shift,
    /// The top of the stack, which has its head, leaves.
    Reduce,
    /// The next word becomes the head of the top of the stack, which leaves.
    Left(LabelId),
    /// The top of the stack becomes the head of the next word, which enters.
    Right(LabelId),
}

/// Numbers the moves as classes of a linear model.
#[derive(Debug, Clone, Copy)]
pub struct MoveSet {
    /// How many relations there are.
    pub labels: usize,
}

impl MoveSet {
    /// How many moves there are.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks whether it is empty")]
    pub fn len(self) -> usize {
        2 + 2 * self.labels
    }

    /// The number of a move.
    pub fn class(self, step: Move) -> usize {
        match step {
            Move::Shift => 0,
            Move::Reduce => 1,
            Move::Left(label) => 2 + usize::from(label),
            Move::Right(label) => 2 + self.labels + usize::from(label),
        }
    }
}

/// What is known about one word so far.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    pub head: u16,
    pub label: LabelId,
    pub left_count: u8,
    pub right_count: u8,
    /// The outermost and the second outermost dependent on the left.
    pub left: [u16; 2],
    /// The outermost and the second outermost dependent on the right.
    pub right: [u16; 2],
    /// Which relations its left dependents have, one bit each (rare ones share the last bit).
    pub left_labels: u64,
    /// The same on the right.
    pub right_labels: u64,
}

const UNATTACHED: Node = Node {
    head: NONE,
    label: 0,
    left_count: 0,
    right_count: 0,
    left: [NONE; 2],
    right: [NONE; 2],
    left_labels: 0,
    right_labels: 0,
};

/// A configuration: stack, next word and the arcs built so far.
#[derive(Debug, Clone, Default)]
pub struct ParserState {
    /// All words and, last, the root.
    pub nodes: Vec<Node>,
    pub stack: Vec<u16>,
    /// The next word; equal to the number of words when only the root is left.
    pub next: u16,
}

impl ParserState {
    /// Back to the beginning of a sentence of so many words (fewer than 65,535).
    pub fn reset(&mut self, words: usize) {
        self.nodes.clear();
        self.nodes.resize(words + 1, UNATTACHED);
        self.stack.clear();
        self.next = 0;
    }

    /// Becomes a copy of another state without giving up its memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.nodes.clone_from(&other.nodes);
        self.stack.clone_from(&other.stack);
        self.next = other.next;
    }

    /// The index of the root.
    pub fn root(&self) -> u16 {
        u16::try_from(self.nodes.len().saturating_sub(1)).unwrap_or(NONE)
    }

    /// The top of the stack, or [`NONE`].
    pub fn top(&self) -> u16 {
        self.stack.last().copied().unwrap_or(NONE)
    }

    /// Whether all words have entered and left the stack.
    pub fn is_final(&self) -> bool {
        self.next == self.root() && self.stack.is_empty()
    }

    /// Whether a move is possible, whatever its label.
    pub fn allows(&self, step: Move) -> bool {
        let words_left = self.next < self.root();
        let has_head = |word: u16| self.nodes[usize::from(word)].head != NONE;
        let top = self.stack.last();
        match step {
            Move::Shift => words_left,
            Move::Reduce => top.is_some_and(|&top| has_head(top)),
            Move::Left(_) => top.is_some_and(|&top| !has_head(top)),
            Move::Right(_) => words_left && top.is_some(),
        }
    }

    /// Makes an allowed move; one that is not allowed changes nothing.
    pub fn apply(&mut self, step: Move) {
        if !self.allows(step) {
            return;
        }
        match step {
            Move::Shift => {
                self.stack.push(self.next);
                self.next += 1;
            }
            Move::Reduce => {
                self.stack.pop();
            }
            Move::Left(label) => {
                if let Some(top) = self.stack.pop() {
                    self.attach(top, self.next, label);
                }
            }
            Move::Right(label) => {
                self.attach(self.next, self.top(), label);
                self.stack.push(self.next);
                self.next += 1;
            }
        }
    }

    fn attach(&mut self, dependent: u16, head: u16, label: LabelId) {
        let node = &mut self.nodes[usize::from(dependent)];
        node.head = head;
        node.label = label;
        let bit = 1 << u32::from(label).min(63);
        let parent = &mut self.nodes[usize::from(head)];
        if dependent < head {
            parent.left = [dependent, parent.left[0]];
            parent.left_count = parent.left_count.saturating_add(1);
            parent.left_labels |= bit;
        } else {
            parent.right = [dependent, parent.right[0]];
            parent.right_count = parent.right_count.saturating_add(1);
            parent.right_labels |= bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_derivation_builds_its_tree() {
        // Dogs chase cats: 1 is the root, 0 its subject, 2 its object.
        let mut state = ParserState::default();
        state.reset(3);
        for step in [Move::Shift, Move::Left(1), Move::Shift, Move::Right(2), Move::Reduce, Move::Left(0)] {
            assert!(state.allows(step));
            assert!(!state.is_final());
            state.apply(step);
        }
        assert!(state.is_final());
        let heads: Vec<u16> = state.nodes[..3].iter().map(|node| node.head).collect();
        assert_eq!(heads, [1, 3, 1]);
        assert_eq!(state.nodes[1].right, [2, NONE]);
    }

    #[test]
    fn an_impossible_move_changes_nothing() {
        let mut state = ParserState::default();
        state.reset(1);
        state.apply(Move::Reduce);
        state.apply(Move::Left(0));
        assert_eq!((state.next, state.stack.len()), (0, 0));
        state.reset(0);
        assert!(state.is_final());
    }
}
