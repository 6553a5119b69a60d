//! What the database consists of: meanings, lemmas, the words of a meaning, and pointers between meanings.

use super::SynsetRelation;
use super::letter_case::LetterCase;

/// A meaning: a set of words that can stand for each other. A handle into the [`WordNet`](super::WordNet) it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Synset(pub(super) u32);

/// A lower-case lemma, by its place in alphabetical order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Lemma(pub(super) u32);

/// One meaning of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sense {
    /// The meaning.
    pub synset: Synset,
    /// How often WordNet's authors met the word in this meaning in their tagged texts.
    pub count: u32,
}

/// A word of a synset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DictionaryWord {
    pub(super) lemma: Lemma,
    pub(super) case: LetterCase,
}

/// A pointer from a synset, or one of its words, to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// How the two are related.
    pub relation: SynsetRelation,
    /// Where it leads.
    pub target: Synset,
    /// For a pointer between words their places in [`WordNet::words`](super::WordNet::words), here and there.
    pub words: Option<(usize, usize)>,
}
