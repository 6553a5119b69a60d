//! The answer that is judged: its words, and where a reference was matched in it.

use std::cell::OnceCell;
use std::ops::Range;

use probare_english::lexicon::{LexicalRoles, lexical_roles};
use probare_english::text_analysis::{BoilerplateKind, TextAnalysis};

use super::question::{OpenQuestion, is_content};
use super::word_relation::WordRelation;
use super::words::{AnswerWord, WordGap, answer_words};

/// Most words of an answer that are read for anything but equal words.
pub(crate) const MOST_WORDS: usize = 1_500;

/// What a word is to the question.
#[expect(clippy::struct_excessive_bools, reason = "each is a property of its own")]
#[derive(Debug, Clone, Copy)]
struct Role {
    is_content: bool,
    is_in_question: bool,
    is_turning: bool,
    is_opposite: bool,
}

/// An answer as it was given, and its words.
#[derive(Debug)]
pub(crate) struct AnswerText<'a> {
    pub text: &'a str,
    pub words: Vec<AnswerWord>,
    question: &'a OpenQuestion,
    roles: OnceCell<Vec<Role>>,
}

impl<'a> AnswerText<'a> {
    /// Reads an answer to a question.
    pub fn new(text: &'a str, question: &'a OpenQuestion) -> Self {
        Self { text, words: answer_words(text), question, roles: OnceCell::new() }
    }

    fn role(&self, at: usize) -> Option<Role> {
        let roles = self.roles.get_or_init(|| {
            let role = |(at, word): (usize, &AnswerWord)| {
                probare_cancellation::count_steps(1);
                let is_content = is_content(word);
                let is_asked = is_content && self.question.contains_word(word);
                let turns =
                    lexical_roles(&word.text).has_any(LexicalRoles::TURNING) && !self.question.has_any(&[&word.text]);
                let is_opposite = self.question.opposites.opposite_length(|ahead| self.word(at + ahead)).is_some();
                Role { is_content: is_content && !turns, is_in_question: is_asked, is_turning: turns, is_opposite }
            };
            self.words.iter().enumerate().map(role).collect()
        });
        roles.get(at).copied()
    }

    /// Whether a word has content of its own.
    pub fn is_content(&self, at: usize) -> bool {
        self.role(at).is_some_and(|role| role.is_content)
    }

    /// Whether a word is one of the question, in any form.
    pub fn is_in_question(&self, at: usize) -> bool {
        self.role(at).is_some_and(|role| role.is_in_question)
    }

    /// Whether a word may turn what is said, and the question does not have it.
    pub fn is_turning(&self, at: usize) -> bool {
        self.role(at).is_some_and(|role| role.is_turning)
    }

    /// Whether a word is the opposite of one of the question.
    pub fn is_opposite(&self, at: usize) -> bool {
        self.role(at).is_some_and(|role| role.is_opposite)
    }

    /// Whether it says nothing, or that it does not answer.
    pub fn declines(&self) -> bool {
        self.words.is_empty()
            || TextAnalysis::new(self.text)
                .sentences
                .iter()
                .any(|sentence| sentence.boilerplate == Some(BoilerplateKind::Refusal))
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

    /// The words around `at` up to gaps as wide as `gap` or wider, at most `reach` words to either side.
    pub fn stretch_near(&self, at: usize, gap: WordGap, reach: usize) -> Range<usize> {
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

/// How a reference was matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchMethod {
    /// All its words in order.
    Exact,
    /// All or most of its words, the least alike of them in this way.
    Words(WordRelation),
    /// Its characters, run together with other words.
    RunTogether,
    /// Another name that WordNet knows.
    Alias,
    /// Its initials.
    Initials,
    /// A name by one of its parts.
    PartOfName,
    /// A number by its value.
    Number,
    /// A date by its fields.
    Date,
    /// The year or the month of a date.
    PartOfDate,
    /// Yes or no, in words for it.
    YesOrNo,
    /// Yes or no, by what a sentence states.
    Statement,
}

impl MatchMethod {
    /// How much a match of this kind is worth.
    pub const fn confidence(self) -> f64 {
        match self {
            Self::Exact | Self::Number | Self::Date | Self::YesOrNo => 1.0,
            Self::Words(likeness) => likeness.confidence(),
            Self::PartOfName | Self::RunTogether => 0.9,
            Self::Alias | Self::Initials => 0.85,
            Self::PartOfDate | Self::Statement => 0.5,
        }
    }

    /// How the evidence calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "the same words",
            Self::Words(likeness) => likeness.name(),
            Self::RunTogether => "the same characters, run together with other words",
            Self::Alias => "another name in WordNet",
            Self::Initials => "its initials",
            Self::PartOfName => "the usual part of the name",
            Self::Number => "the same number by value",
            Self::Date => "the same date by its fields",
            Self::PartOfDate => "a part of the date",
            Self::YesOrNo => "words for yes or no",
            Self::Statement => "what the sentence states",
        }
    }
}

/// A place where a reference, or enough of it, was matched.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Occurrence {
    /// Words of the answer.
    pub words: Range<usize>,
    /// How it was matched.
    pub method: MatchMethod,
    /// Share of the reference's weight that was matched.
    pub coverage: f64,
}
