//! English stop words, as the libraries that made them known list them.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// A fixed set of words.
#[derive(Debug)]
pub struct WordSet {
    words: FxHashSet<&'static str>,
    /// For each first byte the lengths that words with it have, as bits: most other words need no search.
    lengths: [u32; 256],
}

impl WordSet {
    /// The words of `list`, which are separated by white space.
    fn new(list: &'static str) -> Self {
        let words: FxHashSet<&str> = list.split_ascii_whitespace().collect();
        let mut lengths = [0; 256];
        for word in &words {
            lengths[usize::from(word.as_bytes()[0])] |= 1_u32 << word.len().min(31);
        }
        Self { words, lengths }
    }

    /// Whether `word`, in lower case, is in the set.
    #[inline]
    pub fn contains(&self, word: &str) -> bool {
        let Some(&first) = word.as_bytes().first() else { return false };
        self.lengths[usize::from(first)] >> word.len().min(31) & 1 == 1 && self.words.contains(word)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

static SKLEARN: LazyLock<WordSet> =
    LazyLock::new(|| WordSet::new(include_str!("../data/stopwords_sklearn_english.txt")));
static NLTK: LazyLock<WordSet> = LazyLock::new(|| WordSet::new(include_str!("../data/stopwords_nltk_english.txt")));

/// The 318 words of scikit-learn's `ENGLISH_STOP_WORDS`.
pub fn sklearn() -> &'static WordSet {
    &SKLEARN
}

/// The 198 words of NLTK's English list. Older data has 179; the others all hold an apostrophe.
pub fn nltk() -> &'static WordSet {
    &NLTK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_complete() {
        assert_eq!(sklearn().len(), 318);
        assert_eq!(nltk().len(), 198);
        assert!(!sklearn().is_empty() && !nltk().is_empty());
    }

    #[test]
    fn contractions_leave_residue_in_one_list_only() {
        assert!(nltk().contains("don") && !sklearn().contains("don"));
        assert!(sklearn().contains("fifty") && !nltk().contains("fifty"));
    }
}
