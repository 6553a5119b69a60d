//! Tokens, one published definition per file.
//!
//! All of them give the same [`Tokens`]: the text of each token as the definition has it (lower-cased, stemmed, quotes
//! rewritten), and the bytes of the given text it came from.
//!
//! ```
//! use probare_text::tokens::{nltk, sklearn};
//!
//! let text = "It's the State-of-the-art.";
//! assert_eq!(sklearn::tokens(text).texts().collect::<Vec<_>>(), ["it", "the", "state", "of", "the", "art"]);
//! let words = nltk::lower_words(text);
//! assert_eq!(words.texts().collect::<Vec<_>>(), ["it", "'s", "the", "state-of-the-art", "."]);
//! assert_eq!(&text[words.get(3).unwrap().span], "State-of-the-art");
//! ```

use std::ops::Range;

pub mod nltk;
mod rewrite_buffer;
pub mod rouge;
pub mod sacrebleu;
pub mod sklearn;
pub mod squad;
pub mod synthlink;
pub mod whitespace;

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'t> {
    /// The token as its definition has it.
    pub text: &'t str,
    /// Bytes of the given text it came from.
    pub span: Range<usize>,
}

/// The tokens of one text, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The normalised text, which most tokens are pieces of: no allocation per token.
    buffer: String,
    entries: Vec<TokenEntry>,
}

/// Where one token stands in the buffer and in the given text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TokenEntry {
    buffer: Range<usize>,
    span: Range<usize>,
}

impl Tokens {
    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The token at `index`.
    pub fn get(&self, index: usize) -> Option<Token<'_>> {
        self.entries.get(index).map(|entry| self.token(entry))
    }

    /// All tokens.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Token<'_>> + DoubleEndedIterator {
        self.entries.iter().map(|entry| self.token(entry))
    }

    /// The texts of all tokens.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.entries.iter().map(|entry| &self.buffer[entry.buffer.clone()])
    }

    /// Keeps the tokens for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        let buffer = &self.buffer;
        self.entries.retain(|entry| keep(&buffer[entry.buffer.clone()]));
    }

    /// Keeps the first of equal tokens.
    pub fn dedup(&mut self) {
        let mut seen = rustc_hash::FxHashSet::with_capacity_and_hasher(self.entries.len(), rustc_hash::FxBuildHasher);
        let buffer = &self.buffer;
        self.entries.retain(|entry| seen.insert(&buffer[entry.buffer.clone()]));
    }

    fn token(&self, entry: &TokenEntry) -> Token<'_> {
        Token { text: &self.buffer[entry.buffer.clone()], span: entry.span.clone() }
    }

    /// Adds a token whose text is not a piece of the buffer yet.
    fn push(&mut self, text: &str, span: Range<usize>) {
        let start = self.buffer.len();
        self.buffer.push_str(text);
        self.entries.push(TokenEntry { buffer: start..self.buffer.len(), span });
    }
}
