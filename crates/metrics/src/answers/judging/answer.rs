//! The answer under judgement: its words, and where one gold answer was met in it.

use std::cell::OnceCell;
use std::ops::Range;

use probare_nlp::lexicon::Sorts;
use probare_nlp::reading::{Aside, Reading};

use super::likeness::Likeness;
use super::words::{AnswerWord, Gap, words};

/// Most words of an answer that are looked at for anything but equal words.
pub(crate) const MOST_WORDS: usize = 1_500;

/// An answer as it was given, and its words.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    /// The text.
    pub text: &'a str,
    /// Its words.
    pub words: Vec<AnswerWord>,
    /// Bytes in which it declines to answer: from the words that do so to where the sentence turns or ends.
    declined: OnceCell<Vec<Range<usize>>>,
}

impl<'a> Answer<'a> {
    /// Reads an answer.
    pub fn new(text: &'a str) -> Self {
        Self { text, words: words(text), declined: OnceCell::new() }
    }

    /// Whether a range of words stands where the answer declines to give one.
    pub fn is_declined(&self, range: &Range<usize>) -> bool {
        let bytes = self.bytes(range);
        self.declined.get_or_init(|| declined(self.text)).iter().any(|declined| declined.contains(&bytes.start))
    }

    /// The folded text of a word; empty outside.
    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.text.as_str())
    }

    /// The bytes of a range of words.
    pub fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        match (self.words.get(range.start), self.words.get(range.end.wrapping_sub(1))) {
            (Some(first), Some(last)) if first.span.start < last.span.end => first.span.start..last.span.end,
            _ => 0..0,
        }
    }

    /// Whether a word carries a possessive ending, which its folded form has lost.
    pub fn is_possessive(&self, at: usize) -> bool {
        let rest = self.words.get(at).and_then(|word| self.text.get(word.span.end..)).unwrap_or_default();
        rest.starts_with("'s") || rest.starts_with("’s")
    }

    /// The words of the sentence that a word stands in.
    pub fn sentence(&self, at: usize) -> Range<usize> {
        self.stretch(at, Gap::Sentence)
    }

    /// The words around `at` up to gaps as wide as `gap` or wider.
    pub fn stretch(&self, at: usize, gap: Gap) -> Range<usize> {
        let at = at.min(self.words.len().saturating_sub(1));
        let start = (1..=at).rev().find(|&index| self.words[index].gap >= gap).unwrap_or(0);
        let end = (at + 1..self.words.len()).find(|&index| self.words[index].gap >= gap).unwrap_or(self.words.len());
        start..end
    }

    /// The same, at most `reach` words to either side.
    pub fn stretch_near(&self, at: usize, gap: Gap, reach: usize) -> Range<usize> {
        let at = at.min(self.words.len().saturating_sub(1));
        let (first, last) = (at.saturating_sub(reach), self.words.len().min(at + reach));
        let start = (first + 1..=at).rev().find(|&index| self.words[index].gap >= gap).unwrap_or(first);
        let end = (at + 1..last).find(|&index| self.words[index].gap >= gap).unwrap_or(last);
        start..end
    }

    /// The words whose bytes lie in a byte range.
    pub fn words_in(&self, bytes: &Range<usize>) -> Range<usize> {
        let start = self.words.partition_point(|word| word.span.end <= bytes.start);
        let end = self.words.partition_point(|word| word.span.start < bytes.end);
        start..end.max(start)
    }
}

/// Where a text declines to answer. What follows a "but" is an answer after all.
fn declined(text: &str) -> Vec<Range<usize>> {
    let reading = Reading::of(text);
    let mut declined = Vec::new();
    for sentence in reading.sentences.iter().filter(|sentence| sentence.aside == Some(Aside::Declining)) {
        probare_cancellation::steps(1);
        let Some(from) = reading.declined_from(sentence) else { continue };
        let turns = |&token: &usize| matches!(reading.word(token), "but" | "however" | "though" | "although" | ";");
        // "I'm sorry, but I couldn't find it" turns before it declines.
        let denies = |&token: &usize| reading.is_any(token, Sorts::DENYING) || reading.word(token) == "unable";
        let denial = (from..sentence.tokens.end).find(denies).unwrap_or(from);
        let end = (denial + 1..sentence.tokens.end).find(turns).unwrap_or(sentence.tokens.end);
        declined.push(reading.origin(from, end - 1));
    }
    declined
}

/// How a gold answer was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// All its words in order.
    Exact,
    /// All or most of its words, the least alike of them in this way.
    Words(Likeness),
    /// Another name that WordNet knows.
    Alias,
    /// Its initials, or the words that they stand for.
    Initials,
    /// A name by one of its parts.
    PartOfName,
    /// A number by its value.
    Number,
    /// A date by its fields.
    Date,
    /// Yes or no, by the sense of the sentence.
    Sense,
}

impl Way {
    /// How the evidence calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "the same words",
            Self::Words(likeness) => likeness.name(),
            Self::Alias => "another name in WordNet",
            Self::Initials => "its initials",
            Self::PartOfName => "the usual part of the name",
            Self::Number => "the same number by value",
            Self::Date => "the same date by its fields",
            Self::Sense => "the sense of the sentence",
        }
    }
}

/// A place where a gold answer, or enough of it, was met.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Occurrence {
    /// Words of the answer.
    pub words: Range<usize>,
    /// How it was met.
    pub way: Way,
    /// Share of the gold's weight that was met.
    pub coverage: f64,
}
