//! [`TextAnalysis`]: tokens and sentences with what is known about them.

use crate::Span;
use crate::lexicon::{LexicalRole, LexicalRoles};

/// A word or a mark of punctuation.
#[derive(Debug, Clone)]
pub struct AnalysisToken {
    /// Its bytes in [`TextAnalysis::text`].
    pub at: Span,
    /// Its bytes in the text as given.
    pub origin: Span,
    /// What sort of word it is; nothing for punctuation.
    pub roles: LexicalRoles,
    /// Whether it is a word.
    pub is_word: bool,
    /// Whether it stands in a quotation or in code.
    pub is_quoted: bool,
    /// Whether it begins with a capital.
    pub is_capital: bool,
}

/// What part of a page a sentence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockKind {
    /// Running text.
    Prose,
    /// An item of a list; its bullet or numeral is no part of the sentence.
    Item,
    /// A heading.
    Heading,
    /// A row of a table.
    Row,
}

/// What a sentence does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    /// States something.
    Statement,
    /// Asks.
    Question,
    /// Tells the listener to do something.
    Order,
    /// Puts something forward that may be done: "you could", "maybe try", "have you thought of", "I would".
    Suggestion,
    /// Wishes: "I hope", "good luck", "take care".
    Wish,
}

/// What a sentence is when it says nothing of the matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoilerplateKind {
    /// About the answer itself: "Here is a summary:", "It is important to note the following."
    AboutAnswer,
    /// A formula of politeness: "Sure!", "I hope this helps.", "Let me know if you have questions."
    Courtesy,
    /// Declines to answer: "I couldn't find it", "the context does not say".
    Refusal,
}

/// A sentence, a heading, an item of a list or a row of a table.
#[derive(Debug, Clone)]
pub struct AnalysisSentence {
    pub tokens: Span,
    /// Its bytes in [`TextAnalysis::text`].
    pub at: Span,
    /// What part of the page it is.
    pub block: BlockKind,
    /// What it does.
    pub mood: Mood,
    /// Whether it says something else than what the text is about.
    pub boilerplate: Option<BoilerplateKind>,
    /// The token at which it begins to speak of its matter: what stands before, such as "Based on the passages,", is about
    /// the answer itself.
    pub content_start: usize,
}

impl AnalysisSentence {
    /// Whether it ends in a question mark.
    pub fn is_question(&self) -> bool {
        self.mood == Mood::Question
    }

    /// Whether it is an item of a list or a row of a table.
    pub fn is_item(&self) -> bool {
        matches!(self.block, BlockKind::Item | BlockKind::Row)
    }
}

/// A text that has been read.
#[derive(Debug, Clone, Default)]
pub struct TextAnalysis {
    /// The normalised text, one sentence a line.
    pub text: String,
    /// Words and marks, in order.
    pub tokens: Vec<AnalysisToken>,
    /// Sentences, in order; together they hold all tokens.
    pub sentences: Vec<AnalysisSentence>,
}

impl TextAnalysis {
    /// The word of a token, in its normalised form; the empty text past the end.
    #[inline]
    pub fn word(&self, token: usize) -> &str {
        self.tokens.get(token).map_or("", |token| &self.text[token.at.clone()])
    }

    /// Whether a token is of this sort.
    #[inline]
    pub fn has_role(&self, token: usize, sort: LexicalRole) -> bool {
        self.tokens.get(token).is_some_and(|token| token.roles.has(sort))
    }

    /// Whether a token is of any of these sorts.
    #[inline]
    pub fn has_any_role(&self, token: usize, sorts: LexicalRoles) -> bool {
        self.tokens.get(token).is_some_and(|token| token.roles.has_any(sorts))
    }

    /// The bytes of the original from one token to another, both included.
    pub fn original_span(&self, from: usize, to: usize) -> Span {
        match (self.tokens.get(from), self.tokens.get(to)) {
            (Some(first), Some(last)) => first.origin.start..last.origin.end.max(first.origin.start),
            _ => 0..0,
        }
    }

    /// The bytes of the original that a sentence takes.
    pub fn sentence_span(&self, sentence: &AnalysisSentence) -> Span {
        self.original_span(sentence.tokens.start, sentence.tokens.end.saturating_sub(1))
    }

    /// The token that holds or follows this byte of the normalised text.
    pub fn token_at(&self, byte: usize) -> usize {
        self.tokens.partition_point(|token| token.at.end <= byte)
    }

    /// Whether a word inside a sentence is written with a capital, as names are.
    pub fn is_capital_inside(&self, sentence: &AnalysisSentence, token: usize) -> bool {
        token > sentence.tokens.start && self.tokens[token].is_capital
    }
}
