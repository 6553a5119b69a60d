//! What the parser looks at before a move: words, lemmas and tags around the top of the stack and the next word, their
//! nearest relatives in the tree built so far, distance, valency and label sets (after Zhang and Nivre 2011).

use crate::hash;
use crate::labels::Upos;
use crate::transition::{NONE, Node, ParserState};

/// A word as the parser sees it.
#[derive(Debug, Clone, Copy)]
pub struct Atoms {
    /// The word in small letters.
    pub word: u64,
    pub lemma: u64,
    /// Its joint tag.
    pub tag: u64,
    /// Its universal tag.
    pub upos: u64,
    /// Word and tag together.
    pub both: u64,
}

impl Atoms {
    /// Joins what the tagger and the lemmatiser found.
    pub fn new(word: u64, lemma: u64, tag: u8, upos: Upos) -> Self {
        let tag = u64::from(tag) + 16;
        Self { word, lemma, tag, upos: upos as u64 + 16, both: hash::mix(word, tag) }
    }

    /// A place where no word is; `kind` tells such places apart.
    const fn placeholder(kind: u64) -> Self {
        Self { word: kind, lemma: kind, tag: kind, upos: kind, both: kind }
    }
}

/// How many words of some kinds come before each position, so that a range is counted in constant time.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    punctuation: u16,
    verbs: u16,
    conjunctions: u16,
}

/// The features of one set, whose templates are numbered in the order in which they come.
struct Templates {
    number: u64,
    keys: [u32; MOST_TEMPLATES],
    count: usize,
}

/// Templates of one set at most.
const MOST_TEMPLATES: usize = 80;

impl Templates {
    /// Starts a set whose templates have the numbers from `first` on.
    #[inline]
    fn begin(first: u64) -> Self {
        Self { number: first, keys: [0; MOST_TEMPLATES], count: 0 }
    }

    /// Leaves the features in place of what is there.
    #[inline]
    fn finish(self, features: &mut Vec<u32>) -> &[u32] {
        features.clear();
        features.extend_from_slice(&self.keys[..self.count]);
        features
    }
}

/// Where the numbers of each set begin, far from the others.
const TOP: u64 = 0;
const NEXT: u64 = 1000;
const PAIR: u64 = 2000;
const TREE: u64 = 3000;

/// Adds the feature that joins some atoms.
macro_rules! feature {
    ($template:ident, $($atom:expr),*) => {{
        $template.number += 1;
        let state = $template.number;
        $( let state = hash::mix(state, $atom); )*
        $template.keys[$template.count] = hash::key(state);
        $template.count += 1;
    }};
}

/// A sentence as the parser sees it.
#[derive(Debug, Clone, Default)]
pub struct ParserInput {
    /// The words, the root, and a last entry that stands for "no word".
    atoms: Vec<Atoms>,
    counts: Vec<Counts>,
}

impl ParserInput {
    /// Prepares a sentence.
    pub fn new(words: impl IntoIterator<Item = (Atoms, Upos)>) -> Self {
        let mut input = Self::default();
        let mut counts = Counts::default();
        for (atoms, upos) in words {
            input.atoms.push(atoms);
            input.counts.push(counts);
            match upos {
                Upos::Punct => counts.punctuation += 1,
                Upos::Verb => counts.verbs += 1,
                Upos::Cconj => counts.conjunctions += 1,
                _ => {}
            }
        }
        input.counts.push(counts);
        input.atoms.extend([Atoms::placeholder(1), Atoms::placeholder(2)]);
        input
    }

    /// Number of words.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks whether it is empty")]
    pub fn len(&self) -> usize {
        self.atoms.len().saturating_sub(2)
    }

    /// The words, root or nothing at a place of a state.
    fn atoms_at(&self, place: u16) -> &Atoms {
        self.atoms.get(usize::from(place)).unwrap_or(&self.atoms[self.atoms.len() - 1])
    }

    /// All features of a state.
    pub fn features(&self, state: &ParserState, features: &mut Vec<u32>) {
        let mut part = Vec::new();
        self.tree_features(state, features);
        features.extend_from_slice(self.top_features(state.top(), &mut part));
        features.extend_from_slice(self.next_features(state.next, &mut part));
        features.extend_from_slice(self.pair_features(state.top(), state.next, &mut part));
    }

    /// The features that follow from the top of the stack alone.
    pub fn top_features<'f>(&self, top: u16, features: &'f mut Vec<u32>) -> &'f [u32] {
        let s0 = self.atoms_at(top);
        let mut feature = Templates::begin(TOP);
        feature!(feature, s0.both);
        feature!(feature, s0.word);
        feature!(feature, s0.tag);
        feature!(feature, s0.upos);
        feature!(feature, s0.lemma, s0.upos);
        feature.finish(features)
    }

    /// The features that follow from the next word and those behind it.
    pub fn next_features<'f>(&self, next: u16, features: &'f mut Vec<u32>) -> &'f [u32] {
        let ahead = |steps: u16| self.atoms_at(next.saturating_add(steps));
        let (n0, n1, n2, n3) = (self.atoms_at(next), ahead(1), ahead(2), ahead(3));
        let mut feature = Templates::begin(NEXT);
        feature!(feature, n0.both);
        feature!(feature, n0.tag);
        feature!(feature, n0.upos);
        feature!(feature, n1.both);
        feature!(feature, n1.word);
        feature!(feature, n1.upos);
        feature!(feature, n1.lemma, n1.upos);
        feature!(feature, n2.tag);
        feature!(feature, n2.lemma, n2.upos);
        feature!(feature, n3.tag);
        feature!(feature, n0.both, n1.tag);
        feature!(feature, n0.word, n1.word);
        feature.finish(features)
    }

    /// The features that need both the top of the stack and the next word, but nothing of the tree.
    pub fn pair_features<'f>(&self, top: u16, next: u16, features: &'f mut Vec<u32>) -> &'f [u32] {
        let ahead = |steps: u16| self.atoms_at(next.saturating_add(steps));
        let (s0, n0, n1, n2) = (self.atoms_at(top), self.atoms_at(next), ahead(1), ahead(2));
        let before_next = self.atoms_at(next.wrapping_sub(1));
        let after_top = self.atoms_at(if top == NONE { NONE } else { top + 1 });
        let before_top = self.atoms_at(if top == NONE { NONE } else { top.wrapping_sub(1) });
        let distance = if top == NONE { 0 } else { distance_class(next.saturating_sub(top)) };
        let (punctuation, verbs, conjunctions) = self.counts_between(top, next);
        let mut feature = Templates::begin(PAIR);

        feature!(feature, s0.both, n0.both);
        feature!(feature, s0.both, n0.tag);
        feature!(feature, s0.word, n0.word);
        feature!(feature, s0.lemma, n0.lemma);
        feature!(feature, s0.lemma, n0.tag);
        feature!(feature, s0.tag, n0.tag);

        // What comes next.
        feature!(feature, s0.tag, n0.tag, n1.tag);
        feature!(feature, s0.tag, n0.tag, n1.tag, n2.tag);
        feature!(feature, s0.upos, n0.upos, n1.upos, n2.upos);
        feature!(feature, s0.lemma, n0.upos, n1.upos, n2.upos);
        feature!(feature, s0.word, n1.word);
        feature!(feature, s0.lemma, n1.lemma, n0.upos);
        feature!(feature, s0.tag, n1.tag);
        feature!(feature, s0.both, n1.tag);

        // Distance, and what stands between the two.
        feature!(feature, s0.word, distance);
        feature!(feature, s0.tag, distance);
        feature!(feature, n0.tag, distance);
        feature!(feature, s0.tag, n0.tag, distance);
        feature!(feature, before_next.tag, n0.tag, s0.tag);
        feature!(feature, s0.tag, after_top.tag, before_next.tag, n0.tag);
        feature!(feature, before_top.tag, s0.tag, n0.tag);
        feature!(feature, before_top.tag, s0.tag, after_top.tag, before_next.tag, n0.tag);
        feature!(feature, s0.tag, n0.tag, punctuation, verbs);
        feature!(feature, s0.tag, n0.tag, conjunctions, punctuation);
        feature!(feature, s0.lemma, n0.upos, punctuation, verbs);
        feature.finish(features)
    }

    /// The features that need the rest of the stack or the tree built so far.
    pub fn tree_features(&self, state: &ParserState, features: &mut Vec<u32>) {
        let node = |place: u16| state.nodes.get(usize::from(place));
        let child = |place: u16, pick: fn(&Node) -> u16| node(place).map_or(NONE, pick);
        let label = |place: u16| match node(place) {
            Some(node) if node.head != NONE => u64::from(node.label),
            _ => 99,
        };
        let below = |depth: usize| {
            state.stack.len().checked_sub(depth + 1).and_then(|place| state.stack.get(place)).copied().unwrap_or(NONE)
        };
        let (top, second, third) = (below(0), below(1), below(2));
        let next = state.next;
        let head = child(top, |node| node.head);
        let grandparent = child(head, |node| node.head);
        let top_left = child(top, |node| node.left[0]);
        let top_left_second = child(top, |node| node.left[1]);
        let top_right = child(top, |node| node.right[0]);
        let top_right_second = child(top, |node| node.right[1]);
        let next_left = child(next, |node| node.left[0]);
        let next_left_second = child(next, |node| node.left[1]);
        let second_right = child(second, |node| node.right[0]);

        let (s0, s1, s2) = (self.atoms_at(top), self.atoms_at(second), self.atoms_at(third));
        let (n0, n1) = (self.atoms_at(next), self.atoms_at(next.saturating_add(1)));
        let (h, g) = (self.atoms_at(head), self.atoms_at(grandparent));
        let (sl, sl2) = (self.atoms_at(top_left), self.atoms_at(top_left_second));
        let (sr, sr2) = (self.atoms_at(top_right), self.atoms_at(top_right_second));
        let (nl, nl2) = (self.atoms_at(next_left), self.atoms_at(next_left_second));
        let s1r = self.atoms_at(second_right);

        let has_head = u64::from(head != NONE);
        let (right_count, left_labels, right_labels) = node(top)
            .map_or((9, 0, 0), |node| (u64::from(node.right_count.min(6)), node.left_labels, node.right_labels));
        let (next_count, next_labels) =
            node(next).map_or((9, 0), |node| (u64::from(node.left_count.min(6)), node.left_labels));
        let (top_label, second_label) = (label(top), label(second));

        let mut feature = Templates::begin(TREE);
        feature!(feature, has_head);
        feature!(feature, s0.tag, n0.tag, has_head);

        // Deeper in the stack.
        feature!(feature, s1.both);
        feature!(feature, s1.tag);
        feature!(feature, s2.tag);
        feature!(feature, s1.tag, s0.tag, n0.tag);
        feature!(feature, s1.tag, s0.tag, n0.word);
        feature!(feature, s1.tag, s0.word, n0.tag);
        feature!(feature, s1.word, s0.tag, n0.tag);
        feature!(feature, s1.lemma, n0.lemma);
        feature!(feature, s1.tag, n0.tag);
        feature!(feature, s1.word, n0.tag);
        feature!(feature, s1.tag, n0.word);
        feature!(feature, s1.word, s0.word);
        feature!(feature, s2.tag, s1.tag, s0.tag, n0.tag);
        feature!(feature, s1.tag, s0.tag, n0.tag, n1.tag);
        feature!(feature, s1.upos, second_label, n0.tag);
        feature!(feature, s1.tag, s1r.tag, n0.tag);
        feature!(feature, s1.lemma, s1r.lemma, n0.tag);

        // Valency.
        feature!(feature, s0.tag, right_count);
        feature!(feature, n0.word, next_count);

        // Relatives in the tree.
        feature!(feature, h.word);
        feature!(feature, h.tag);
        feature!(feature, h.tag, label(head), s0.tag, n0.tag);
        feature!(feature, h.word, label(head), n0.tag);
        feature!(feature, g.tag, label(grandparent), s0.tag, n0.tag);
        feature!(feature, g.word, label(grandparent), n0.tag);
        feature!(feature, label(top_left));
        feature!(feature, sl.tag, label(top_left), s0.tag, n0.tag);
        feature!(feature, sl2.word, label(top_left_second), n0.tag);
        feature!(feature, sr.tag, label(top_right), s0.tag, n0.tag);
        feature!(feature, sr.word, label(top_right), n0.tag);
        feature!(feature, label(top_right_second));
        feature!(feature, sr2.tag, label(top_right_second), s0.tag, n0.tag);
        feature!(feature, sr2.word, label(top_right_second), n0.tag);
        feature!(feature, nl.word);
        feature!(feature, nl.tag);
        feature!(feature, label(next_left));
        feature!(feature, nl.word, label(next_left), n0.tag);
        feature!(feature, nl2.word);
        feature!(feature, nl2.tag);
        feature!(feature, label(next_left_second));
        feature!(feature, h.tag, s0.tag, n0.tag);
        feature!(feature, s0.tag, sl.tag, n0.tag);
        feature!(feature, top_label);
        feature!(feature, top_label, s0.tag, n0.tag);
        feature!(feature, top_label, n0.word);
        feature!(feature, top_label, h.lemma, n0.tag);
        feature!(feature, top_label, h.tag, s0.tag, n0.tag);
        feature!(feature, s0.tag, h.tag, g.tag);
        feature!(feature, s0.lemma, sr.lemma, n0.tag);
        feature!(feature, h.word, n0.word);
        feature!(feature, h.lemma, n0.lemma, top_label);
        feature!(feature, h.lemma, s0.tag, n0.tag);
        feature!(feature, sl.word, s0.word, n0.tag);
        feature!(feature, nl.word, n0.word, s0.tag);
        feature!(feature, nl.lemma, s0.lemma, n0.tag);

        // Which relations are already there.
        feature!(feature, s0.tag, right_labels);
        feature!(feature, n0.word, next_labels);
        feature!(feature, n0.tag, next_labels);
        feature!(feature, s0.tag, left_labels, n0.tag);
        feature!(feature, s0.lemma, right_labels, n0.tag);
        feature!(feature, s0.lemma, n0.tag, next_labels);
        feature!(feature, s0.upos, left_labels, right_labels, n0.upos);
        feature.finish(features);
    }

    /// How much punctuation, how many verbs and conjunctions stand between two words, each capped at three.
    fn counts_between(&self, top: u16, next: u16) -> (u64, u64, u64) {
        let Some(start) = (top != NONE).then(|| self.counts.get(usize::from(top) + 1)).flatten() else {
            return (9, 9, 9);
        };
        let end = self.counts.get(usize::from(next)).copied().unwrap_or_default();
        let count = |from: u16, to: u16| u64::from(to.saturating_sub(from).min(3));
        (
            count(start.punctuation, end.punctuation),
            count(start.verbs, end.verbs),
            count(start.conjunctions, end.conjunctions),
        )
    }
}

/// Distances up to ten count one by one, then only roughly.
fn distance_class(distance: u16) -> u64 {
    match distance {
        0..=10 => u64::from(distance),
        11..=15 => 11,
        _ => 12,
    }
}
