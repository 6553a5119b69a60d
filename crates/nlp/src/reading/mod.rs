//! One reading of English for all who ask: sentences of words in lower case, each leading back to its bytes, with what a
//! reader takes in without thinking about it.
//!
//! [`Reading::of`] cuts Markdown, lists, headings and tables before it cuts sentences, writes out chat spellings, and sets
//! quotations and code apart. Each sentence knows its [`Block`], its [`Mood`] and its [`Aside`]: talk about the answer itself, a
//! formula of politeness, or a word of declining. A [`Scope`] tells what is said at a place from what is denied, supposed,
//! asked, reported or taken back there. The words that decide are those of the [`lexicon`](crate::lexicon).
//!
//! Reading needs neither tags nor trees and takes time in proportion to the text.
//!
//! ```
//! use probare_nlp::reading::{Aside, Mood, Reading};
//!
//! let reading = Reading::of("Based on the passages, it opened in 1911.\n\n- Maybe ask the office?\n\nI hope this helps!");
//! let [first, second, third] = &reading.sentences[..] else { panic!() };
//! assert_eq!(reading.word(first.opening), "it");
//! assert_eq!((second.mood, second.is_item()), (Mood::Question, true));
//! assert_eq!(third.aside, Some(Aside::Courtesy));
//! ```

mod apart;
mod aside;
mod clause;
mod denial;
mod mood;
mod reader;
mod scope;
mod yes_no;

pub use aside::Aside;
pub use clause::Clause;
pub use denial::{Denial, denial, denies_by_meaning};
pub use mood::Mood;
pub use scope::Scope;
pub use yes_no::YesNo;

use crate::Span;
use crate::lexicon::{Sort, Sorts};

/// A word or a mark of punctuation.
#[derive(Debug, Clone)]
pub struct Token {
    /// Its bytes in [`Reading::text`].
    pub at: Span,
    /// Its bytes in the text as given.
    pub origin: Span,
    /// What sort of word it is; nothing for punctuation.
    pub sorts: Sorts,
    /// Whether it is a word.
    pub is_word: bool,
    /// Whether it stands in a quotation or in code.
    pub apart: bool,
    /// Whether it begins with a capital.
    pub is_capital: bool,
}

/// What part of a page a sentence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// Running text.
    Prose,
    /// An item of a list; its bullet or numeral is no part of the sentence.
    Item,
    /// A heading.
    Heading,
    /// A row of a table.
    Row,
}

/// A sentence, a heading, an item of a list or a row of a table.
#[derive(Debug, Clone)]
pub struct Sentence {
    /// Its tokens.
    pub tokens: Span,
    /// Its bytes in [`Reading::text`].
    pub at: Span,
    /// What part of the page it is.
    pub block: Block,
    /// What it does.
    pub mood: Mood,
    /// Whether it says something else than what the text is about.
    pub aside: Option<Aside>,
    /// The token at which it begins to speak of its matter: what stands before, such as "Based on the passages,", is about
    /// the answer itself.
    pub opening: usize,
}

impl Sentence {
    /// Whether it ends in a question mark.
    pub fn is_question(&self) -> bool {
        self.mood == Mood::Question
    }

    /// Whether it is an item of a list or a row of a table.
    pub fn is_item(&self) -> bool {
        matches!(self.block, Block::Item | Block::Row)
    }
}

/// A text that has been read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The normalised text, one sentence a line.
    pub text: String,
    /// Words and marks, in order.
    pub tokens: Vec<Token>,
    /// Sentences, in order; together they hold all tokens.
    pub sentences: Vec<Sentence>,
}

impl Reading {
    /// Reads a text.
    pub fn of(original: &str) -> Self {
        reader::read(original)
    }

    /// The word of a token, in its normalised form; the empty text past the end.
    #[inline]
    pub fn word(&self, token: usize) -> &str {
        self.tokens.get(token).map_or("", |token| &self.text[token.at.clone()])
    }

    /// Whether a token is of this sort.
    #[inline]
    pub fn is_sort(&self, token: usize, sort: Sort) -> bool {
        self.tokens.get(token).is_some_and(|token| token.sorts.has(sort))
    }

    /// Whether a token is of any of these sorts.
    #[inline]
    pub fn is_any(&self, token: usize, sorts: Sorts) -> bool {
        self.tokens.get(token).is_some_and(|token| token.sorts.has_any(sorts))
    }

    /// The bytes of the original from one token to another, both included.
    pub fn origin(&self, from: usize, to: usize) -> Span {
        match (self.tokens.get(from), self.tokens.get(to)) {
            (Some(first), Some(last)) => first.origin.start..last.origin.end.max(first.origin.start),
            _ => 0..0,
        }
    }

    /// The bytes of the original that a sentence takes.
    pub fn place(&self, sentence: &Sentence) -> Span {
        self.origin(sentence.tokens.start, sentence.tokens.end.saturating_sub(1))
    }

    /// The token that holds or follows this byte of the normalised text.
    pub fn token_at(&self, byte: usize) -> usize {
        self.tokens.partition_point(|token| token.at.end <= byte)
    }

    /// Whether a word inside a sentence is written with a capital, as names are.
    pub fn is_capital_inside(&self, sentence: &Sentence, token: usize) -> bool {
        token > sentence.tokens.start && self.tokens[token].is_capital
    }

    /// Whether a clause that begins at a token wishes something: "have a nice day", "good luck", "take care".
    pub fn is_wish(&self, token: usize) -> bool {
        mood::is_wish(self, token)
    }

    /// The token from which a sentence declines to answer.
    pub fn declined_from(&self, sentence: &Sentence) -> Option<usize> {
        aside::declining(self, sentence)
    }

    /// Whether the text declines to answer: a sentence does, and all others are asides or say what is missing.
    pub fn declines(&self) -> bool {
        let mut declined = false;
        self.sentences.iter().all(|sentence| {
            declined |= sentence.aside == Some(Aside::Declining);
            sentence.aside.is_some() || sentence.is_question()
        }) && declined
    }
}
