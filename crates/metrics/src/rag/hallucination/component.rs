//! Subject and object of a claim, read for comparison.

use probare_text::anchors::{Anchor, find_anchors};
use probare_text::dates::{self, Date};
use probare_text::quantities::{self, Quantity};

use super::folding;

/// Words that stand for something named elsewhere.
const PRONOUNS: [&str; 11] = ["i", "you", "he", "she", "it", "we", "they", "this", "that", "these", "those"];

/// Subject or object of a claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClaimComponent {
    /// As the response has it.
    pub text: String,
    pub key: LookupKey,
}

/// How a component is looked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LookupKey {
    /// By its words, folded.
    Words(Vec<String>),
    /// By its value. Neither of the two where the number or date cannot be read; nothing bears that out.
    Amount { quantity: Option<Quantity>, date: Option<Date> },
}

impl ClaimComponent {
    /// A component of words.
    pub fn words(text: &str) -> Self {
        let folded = folding::folded_words(text).into_iter().map(|word| word.folded).collect();
        Self { text: text.to_owned(), key: LookupKey::Words(folded) }
    }

    /// A component that is a number or a date.
    pub fn amount(text: &str) -> Self {
        let key = LookupKey::Amount { quantity: quantities::parse(text), date: dates::parse(text) };
        Self { text: text.to_owned(), key }
    }

    /// A component of which nothing but its text is known.
    pub fn from_text(text: &str) -> Self {
        match find_anchors(text).as_slice() {
            [Anchor { span, .. }] if *span == (0..text.len()) => Self::amount(text),
            _ => Self::words(text),
        }
    }

    /// Whether it is a number or a date.
    pub fn is_amount(&self) -> bool {
        matches!(self.key, LookupKey::Amount { .. })
    }

    /// Whether it is a pronoun that stands for something named elsewhere.
    pub fn is_pronoun(&self) -> bool {
        matches!(&self.key, LookupKey::Words(words)
            if matches!(words.as_slice(), [word] if PRONOUNS.contains(&word.as_str())))
    }
}
