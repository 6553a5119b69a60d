//! What makes a mention of the reference doubtful: it is denied or corrected, its sentence has a word that turns things, its clause says
//! something else than what is asked.
//!
//! No rule here proves anything. On natural text nearly every mention is right; in pairs that differ in a word, few are. Each doubt
//! takes away a share of the value, fitted on both, and together they decide between `right` and `unsure`.

use std::ops::Range;

use probare_english::lexicon::{LexicalRole, lexical_roles};

use super::answer::AnswerText;
use super::lexicon::is_title;
use super::phrase::is_article;
use super::question::{OpenQuestion, is_content};
use super::words::WordGap;

/// Words on either side of a mention that are read.
const REACH: usize = 40;

/// Why a mention may not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MentionDoubt {
    /// `not X`, `nor X`.
    Denied,
    /// `X. Actually, …`
    Corrected,
    /// A word in its sentence denies, limits, compares or leaves open.
    Turned,
    /// `X bought MENTION`, where the question asks who bought X.
    Exchanged,
    /// A word in its sentence is the opposite of one of the question.
    Opposite,
    /// Its clause says something, and nothing of what was asked.
    OffTopic,
    /// The answer says more than the reference, and nothing of what was asked.
    Unasked,
    /// Its sentence takes up less than a third of the question.
    BarelyRestated,
    /// Its sentence takes up less than two thirds of the question.
    PartlyRestated,
    /// Another name stands behind it.
    OtherName,
    /// Another number or date stands in the answer.
    OtherNumber,
    /// A list has something else among its items.
    OtherItem,
}

impl MentionDoubt {
    /// The share of the value that it takes away.
    pub const fn share(self) -> f64 {
        match self {
            Self::Denied => 1.0,
            Self::Corrected | Self::Turned | Self::Opposite | Self::Exchanged => 0.5,
            Self::OtherNumber | Self::OtherItem => 0.4,
            Self::OffTopic | Self::PartlyRestated => 0.3,
            Self::BarelyRestated | Self::Unasked => 0.2,
            Self::OtherName => 0.15,
        }
    }

    /// How the evidence calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Corrected => "taken back later",
            Self::Turned => "a word that may turn the sentence",
            Self::Exchanged => "behind the verb of the question, and what is asked about before it",
            Self::Opposite => "the opposite of a word of the question",
            Self::OffTopic => "in a clause without a word of the question",
            Self::Unasked => "more than the reference, without a word of the question",
            Self::BarelyRestated => "the sentence has less than a third of the question",
            Self::PartlyRestated => "the sentence has less than two thirds of the question",
            Self::OtherName => "another name behind it",
            Self::OtherNumber => "another number beside it",
            Self::OtherItem => "something else in the list",
        }
    }
}

/// An answer with its question: what a mention is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerContext<'a> {
    pub answer: &'a AnswerText<'a>,
    pub question: &'a OpenQuestion,
}

impl AnswerContext<'_> {
    /// All doubts about a mention that has these parts, in order, each with the words that raise it.
    pub fn mention_doubts(&self, parts: &[Range<usize>], is_number: bool) -> Vec<(MentionDoubt, Range<usize>)> {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Vec::new() };
        let (answer, mut found) = (self.answer, Vec::new());
        if parts.iter().map(Range::len).sum::<usize>() == answer.words.len() {
            return found;
        }
        let envelope = first.start..last.end.max(first.end);
        let is_mine = |at: usize| parts.iter().any(|part| part.contains(&at));
        let is_new = |at: usize| answer.is_content(at) && !answer.is_in_question(at) && !is_mine(at);
        let is_asked = |at: usize| answer.is_in_question(at) && !is_mine(at);
        let before = answer.stretch_near(envelope.start, WordGap::Sentence, REACH);
        let after = answer.stretch_near(envelope.end - 1, WordGap::Sentence, REACH);
        let sentence = before.start..after.end;
        probare_cancellation::count_steps(4 * sentence.len());
        if let Some(at) = self.denial_before(envelope.start) {
            found.push((MentionDoubt::Denied, at..at + 1));
        }
        if let Some(at) = self.correction_behind(sentence.end) {
            found.push((MentionDoubt::Corrected, at..at + 1));
        }
        if let Some(at) = sentence.clone().find(|at| !is_mine(*at) && answer.is_turning(*at)) {
            found.push((MentionDoubt::Turned, at..at + 1));
        }
        if let Some(at) = self.exchanged_verb(envelope.start, sentence.start) {
            found.push((MentionDoubt::Exchanged, at..at + 1));
        }
        if let Some(at) = sentence.clone().find(|at| !is_mine(*at) && answer.is_opposite(*at)) {
            found.push((MentionDoubt::Opposite, at..at + 1));
        }
        let whole = 0..answer.words.len().min(2 * REACH).max(sentence.end);
        let Some(news) = whole.clone().find(|at| is_new(*at)) else { return found };
        let clause = self.clause(&envelope, &sentence);
        if let Some(at) = clause.clone().find(|at| is_new(*at))
            && !clause.clone().any(is_asked)
        {
            found.push((MentionDoubt::OffTopic, at..at + 1));
        }
        if !whole.clone().any(is_asked) {
            found.push((MentionDoubt::Unasked, news..news + 1));
        }
        let share = self.question.coverage(sentence.clone().filter(|at| is_asked(*at)).map(|at| answer.word(at)));
        if share < 0.67 {
            found.push((MentionDoubt::PartlyRestated, sentence.clone()));
        }
        if share < 0.34 {
            found.push((MentionDoubt::BarelyRestated, sentence.clone()));
        }
        if let Some(at) = (envelope.end..sentence.end)
            .find(|at| is_new(*at) && answer.words[*at].is_capitalised && !answer.is_turning(*at))
        {
            found.push((MentionDoubt::OtherName, at..at + 1));
        }
        let other = whole.clone().find(|at| is_number && is_new(*at) && answer.words[*at].starts_with_digit());
        if let Some(at) = other {
            found.push((MentionDoubt::OtherNumber, at..at + 1));
        }
        if let Some(at) = envelope.clone().find(|at| parts.len() > 1 && is_new(*at)) {
            found.push((MentionDoubt::OtherItem, at..at + 1));
        }
        found
    }

    /// The words around a mention up to a comma or a word that joins clauses.
    fn clause(&self, mention: &Range<usize>, sentence: &Range<usize>) -> Range<usize> {
        const JOINING: [&str; 11] =
            ["and", "but", "while", "whereas", "which", "who", "although", "though", "because", "when", "or"];
        let opens = |at: usize| self.answer.words[at].gap >= WordGap::Comma || JOINING.contains(&self.answer.word(at));
        let start = (sentence.start + 1..=mention.start).rev().find(|at| opens(*at)).unwrap_or(sentence.start);
        let end = (mention.end..sentence.end).find(|at| opens(*at)).unwrap_or(sentence.end);
        start..end
    }

    /// A denial right before the mention; articles, titles and prepositions may stand between.
    fn denial_before(&self, start: usize) -> Option<usize> {
        const LONGEST: usize = 4;
        let mut at = start;
        while at > 0 && start - at < LONGEST && self.answer.words[at].gap <= WordGap::Space {
            let word = self.answer.word(at - 1);
            let known = lexical_roles(word);
            let denies = known.has(LexicalRole::PhraseNegation)
                || known.has(LexicalRole::Contraction) && known.has(LexicalRole::Copula);
            if denies {
                return (!self.question.has_any(&[word])).then_some(at - 1);
            }
            let is_between = is_article(word) || is_title(word) || matches!(word, "by" | "in" | "from" | "at" | "on");
            if !is_between {
                return None;
            }
            at -= 1;
        }
        None
    }

    /// The verb of the question right before the mention, with a word before it that the question has behind that verb.
    fn exchanged_verb(&self, mention: usize, start: usize) -> Option<usize> {
        let before = mention.checked_sub(1)?;
        let verb = if is_article(self.answer.word(before)) { before.checked_sub(1)? } else { before };
        let question_words = &self.question.words;
        let place = question_words.iter().position(|word| word.text == self.answer.word(verb))?;
        let opens_phrase = place.checked_sub(1).is_none_or(|before| is_article(&question_words[before].text));
        let is_behind = |at: usize| {
            question_words[place + 1..].iter().any(|word| is_content(word) && word.text == self.answer.word(at))
        };
        let is_exchanged = is_content(&question_words[place]) && !opens_phrase && (start..verb).any(is_behind);
        is_exchanged.then_some(verb)
    }

    /// A sentence behind the mention that opens by taking back what was said.
    fn correction_behind(&self, end: usize) -> Option<usize> {
        let end = end.min(self.answer.words.len());
        (end..self.answer.words.len().min(end + REACH)).find(|at| {
            self.answer.words[*at].gap == WordGap::Sentence
                && lexical_roles(self.answer.word(*at)).has(LexicalRole::Correction)
        })
    }
}
