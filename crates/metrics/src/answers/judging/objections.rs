//! What speaks against a gold answer that stands in the answer: it is denied, corrected, held by others only, one of
//! several candidates, put second to another or in the wrong role (`roles.rs`); it is taken out, has ended or goes with the opposite
//! (`turned.rs`); or it is denied while another is asserted (`denials.rs`).
//!
//! Most answers that contain the gold are right, so each rule asks for a plain sign and leaves the rest alone.

use std::ops::Range;

use probare_nlp::lexicon::{Sort, Sorts, sorts};

use super::answer::Answer;
use super::lexicon::{is_concession, is_title};
use super::phrase::is_article;
use super::question::{Asked, Question, is_content};
use super::words::{AnswerWord, Gap};

/// Why a mention does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    /// `not X`, `instead of X`, `X is wrong`.
    Denied,
    /// `Everyone but X`, `all except X`.
    Excepted,
    /// Asked who won: `X lost`.
    Opposite,
    /// `X. Actually no, it is Y.`
    Corrected,
    /// `Some say X, but it is Y.`
    HeldByOthers,
    /// Asked for who is, told who was: `Until May it was X.`
    Ended,
    /// `Y, followed by X`; `Y is longer than X`.
    PutSecond,
    /// `Y did it, while X did something else`.
    Contrasted,
    /// Asked for the killer, told who was killed.
    OtherRole,
    /// `Either X or Y`.
    Undecided,
    /// `I could not find whether X …`
    Declined,
}

impl Reason {
    /// How the evidence calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Excepted => "taken out by an exception",
            Self::Opposite => "with the opposite of what is asked",
            Self::Corrected => "corrected later",
            Self::HeldByOthers => "only reported as the opinion of others",
            Self::Ended => "a state that has ended",
            Self::PutSecond => "put second to another candidate",
            Self::Contrasted => "set against another candidate",
            Self::OtherRole => "in another role than the one asked for",
            Self::Undecided => "one of several candidates without a decision",
            Self::Declined => "named where the answer declines to give one",
        }
    }
}

/// An answer with its question: what a mention is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub answer: &'a Answer<'a>,
    pub question: &'a Question,
}

/// Finds the words that speak against a mention.
type Rule<'a> = fn(&Scene<'a>, &Range<usize>) -> Option<Range<usize>>;

impl<'a> Scene<'a> {
    /// The first thing that speaks against a mention of the gold, and the words that say so.
    ///
    /// Numbers and dates are compared, preceded and followed in right answers as well: for them only what is denied,
    /// corrected or left open counts.
    pub fn objection(&self, mention: &Range<usize>, is_amount: bool) -> Option<(Reason, Range<usize>)> {
        if self.answer.words.len() == mention.len() {
            return None;
        }
        let common: [(Reason, Rule<'a>); 8] = [
            (Reason::Declined, Self::declined),
            (Reason::Corrected, Self::correction),
            (Reason::Excepted, Self::exception),
            (Reason::Denied, Self::denial),
            (Reason::Ended, Self::ended),
            (Reason::Opposite, Self::opposite),
            (Reason::HeldByOthers, Self::concession),
            (Reason::Undecided, Self::alternative),
        ];
        let roles: [(Reason, Rule<'a>); 3] = [
            (Reason::PutSecond, Self::second_place),
            (Reason::Contrasted, Self::contrast),
            (Reason::OtherRole, Self::other_role),
        ];
        let roles = if is_amount { &roles[..0] } else { &roles[..] };
        common.iter().chain(roles).find_map(|(reason, rule)| rule(self, mention).map(|cue| (*reason, cue)))
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.answer.word(at)
    }

    pub(super) fn words(&self) -> &[AnswerWord] {
        &self.answer.words
    }

    /// Whether these words stand before `end`, one after the other; where they start.
    pub(super) fn reads_before(&self, end: usize, wanted: &[&str]) -> Option<usize> {
        let start = end.checked_sub(wanted.len())?;
        wanted.iter().enumerate().all(|(offset, word)| self.word(start + offset) == *word).then_some(start)
    }

    /// Where the mention starts with the articles, titles, possessives and plain prepositions in front of it.
    pub(super) fn with_modifiers(&self, mention: &Range<usize>) -> usize {
        let mut start = mention.start;
        while start > 0 && self.words()[start].gap <= Gap::Space {
            probare_cancellation::steps(1);
            let before = self.word(start - 1);
            let is_modifier = is_article(before)
                || is_title(before)
                || matches!(
                    before,
                    "his" | "her" | "its" | "their" | "some" | "by" | "in" | "from" | "of" | "at" | "on"
                );
            // `ahead of X` and `the father of X` keep their prepositions.
            let is_bound =
                matches!(before, "of" | "by" | "from") && start >= 2 && binds_preposition(self.word(start - 2));
            if !is_modifier || is_bound {
                break;
            }
            start -= 1;
        }
        start
    }

    fn denial(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        if self.question.is_negative() {
            return None;
        }
        let start = self.with_modifiers(mention);
        // `nor X`, `without X`, `no X`; `No. 5` is a name.
        let is_close = self.words()[mention.start].gap <= Gap::Space;
        if let Some(at) = start.checked_sub(1).filter(|_| is_close) {
            let denies = match self.word(at) {
                "nor" | "without" => true,
                "no" => self.words()[at].gap < Gap::Sentence && !self.words()[mention.start].starts_with_digit(),
                _ => false,
            };
            if denies {
                return Some(at..start);
            }
        }
        // A description may stand between: `not his assistant X`.
        let is_described = start
            .checked_sub(2)
            .is_some_and(|at| is_article(self.word(at)) || matches!(self.word(at), "his" | "her" | "its" | "their"));
        let places = [start.checked_sub(1), start.checked_sub(3).filter(|_| is_described)];
        for at in places.into_iter().flatten() {
            probare_cancellation::steps(1);
            let known = sorts(self.word(at));
            let is_negation =
                matches!(self.word(at), "not" | "never") || known.has(Sort::Contraction) && known.has(Sort::Copula);
            let is_close = (at + 1..=mention.start).all(|index| self.words()[index].gap <= Gap::Space);
            if is_negation && is_close {
                return Some(at..at + 1);
            }
        }
        self.denial_behind(mention).or_else(|| self.denial_for_another(mention))
    }

    /// `X does not qualify`, `X is not the answer`, `X is wrong`, `X only published it`.
    fn denial_behind(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let end = mention.end;
        let next = self.words().get(end)?;
        // `X? No, it is Y.`
        if next.text == "no" && next.gap == Gap::Sentence && (end..end + 12).any(|at| self.is_candidate(at)) {
            return Some(end..end + 1);
        }
        if next.gap > Gap::Comma {
            return None;
        }
        if let Some(length) = self.reads(end, Sort::Rejection) {
            return Some(end..end + length);
        }
        // `only` belittles where another candidate was named before.
        let verb = usize::from(matches!(self.word(end), "is" | "was"));
        let is_belittled = matches!(self.word(end + verb), "only" | "merely");
        (is_belittled && self.candidate_before(mention).is_some()).then_some(end..end + verb + 1)
    }

    /// The mention itself, where the answer declines to give one; a mention that denies something may be the answer.
    fn declined(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let denies = |at: usize| sorts(self.word(at)).has_any(Sorts::DENYING) || self.word(at) == "unknown";
        (self.answer.is_declined(mention) && !mention.clone().any(denies)).then(|| mention.clone())
    }

    /// Words that take back what was said before them; the mention is lost where it stands only before.
    fn correction(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        const REACH: usize = 60;
        for at in mention.end..self.words().len().min(mention.end + REACH) {
            probare_cancellation::steps(1);
            if let Some(length) = self.reads(at, Sort::Correction) {
                let is_new = |word: &AnswerWord| is_content(word) && !self.question.holds(word);
                let is_replaced = self.words().iter().skip(at + length).any(is_new);
                return is_replaced.then_some(at..at + length);
            }
        }
        None
    }

    /// `Some say X, but …`, `Although credited to X, …`, `Often attributed to X; in fact it was …`
    fn concession(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let sentence = self.answer.sentence(mention.start);
        let after = mention.end..self.words().len().min(sentence.end + 12);
        let is_turn = |at: usize| match self.word(at) {
            "but" | "yet" | "however" | "actually" | "really" => {
                self.words()[at].gap >= Gap::Comma || at >= sentence.end
            }
            "fact" | "reality" | "truth" => self.word(at.saturating_sub(1)) == "in",
            _ => false,
        };
        let turn = after.clone().find(|at| is_turn(*at));
        let opens = matches!(self.word(sentence.start), "although" | "though" | "despite" | "while" | "contrary");
        let comma = (mention.end..sentence.end).find(|at| self.words()[*at].gap == Gap::Comma).filter(|_| opens);
        let clause_end = turn.or(comma)?;
        let mut clause = sentence.start..clause_end.min(sentence.end);
        let cue = clause.find(|at| !mention.contains(at) && is_concession(self.word(*at)))?;
        // What follows has to give an answer of its own: `it was Y`, not `others also took part`.
        let rest = clause_end..after.end.min(clause_end + 12);
        let is_stated = rest.clone().any(|at| matches!(self.word(at), "is" | "was" | "were"));
        let is_replaced = rest.clone().any(|at| self.is_candidate(at));
        (is_stated && is_replaced).then_some(cue..cue + 1)
    }

    /// `either X or Y`, `it could be X, Y or Z`, a short `Y or X`, `X, Y and Z are all …`.
    fn alternative(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        const SHORT: usize = 8;
        let sentence = self.answer.sentence(mention.start);
        if let Some(list) = self.bare_list(mention, &sentence) {
            return Some(list);
        }
        let is_hedge = |at: usize| self.word(at) == "either" || sorts(self.word(at)).has(Sort::Doubt);
        let whole = 0..self.words().len().min(40);
        let has_candidate = || whole.clone().any(|at| !mention.contains(&at) && self.is_candidate(at));
        let is_guess = (mention.start.saturating_sub(4)..mention.start).any(is_hedge);
        if is_guess && whole.clone().filter(|at| is_hedge(*at)).count() >= 2 && has_candidate() {
            return whole.clone().find(|at| is_hedge(*at)).map(|at| at..at + 1);
        }
        let or = sentence.clone().find(|at| self.word(*at) == "or" && !mention.contains(at))?;
        let is_short = self.words().len() <= SHORT;
        let is_near = or.abs_diff(mention.start).min(or.abs_diff(mention.end)) <= 6;
        let is_hedged = sentence.clone().any(is_hedge);
        let touches = or + 1 == self.with_modifiers(mention) || or == mention.end;
        let is_plain = touches && is_short && self.words()[or].gap <= Gap::Space;
        let is_other = |at: usize| {
            !mention.contains(&at)
                && self.words().get(at).is_some_and(|word| is_content(word) && !self.question.holds(word))
        };
        let has_other = (or.saturating_sub(3)..or + 4).any(is_other);
        (is_near && has_other && (is_hedged || is_plain)).then_some(or..or + 1)
    }

    /// Three or more short items joined by `or` and nothing else, or said of `all`, where one is asked for.
    fn bare_list(&self, mention: &Range<usize>, sentence: &Range<usize>) -> Option<Range<usize>> {
        if self.question.asks_for_several() {
            return None;
        }
        let mut items = 1_usize;
        let mut length = 0_usize;
        let mut end = sentence.start;
        for at in sentence.clone() {
            probare_cancellation::steps(1);
            let word = &self.words()[at];
            let is_joint = matches!(word.text.as_str(), "and" | "or");
            if at > sentence.start && (word.gap == Gap::Comma || is_joint) {
                // `, and` opens one item.
                items += usize::from(length > 0);
                length = 0;
            }
            let is_verb = matches!(word.text.as_str(), "is" | "are" | "was" | "were" | "has" | "have" | "had");
            if is_verb || (word.gap == Gap::Clause && at > sentence.start) {
                break;
            }
            length += usize::from(!is_joint && is_content(word));
            if length > 3 {
                return None;
            }
            end = at + 1;
        }
        let is_said_of_all = matches!(self.word(end), "are" | "were" | "have") && self.word(end + 1) == "all";
        let is_choice = end == self.words().len() && sentence.clone().any(|at| self.word(at) == "or");
        let is_listed = mention.end <= end && mention.len() < end - sentence.start;
        (items >= 3 && is_listed && (is_said_of_all || is_choice)).then_some(sentence.start..end)
    }

    /// The first run of words before the mention, in its sentence, that could be another answer.
    pub(super) fn candidate_before(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let sentence = self.answer.sentence(mention.start);
        let first = (sentence.start..mention.start).find(|at| self.is_candidate(*at))?;
        let mut end = first + 1;
        while end < mention.start && self.is_candidate(end) && self.words()[end].gap <= Gap::Space {
            probare_cancellation::steps(1);
            end += 1;
        }
        Some(first..end)
    }

    /// Whether a word could be part of another answer: a capital, content of its own, and not from the question.
    pub(super) fn is_candidate(&self, at: usize) -> bool {
        let Some(word) = self.words().get(at) else { return false };
        let is_proper = word.is_capitalised && is_content(word) && !self.question.holds(word);
        is_proper && !matches!(self.question.asked, Asked::Number)
    }
}

/// Words whose preposition belongs to them: `ahead of`, `followed by`, `father of`.
fn binds_preposition(word: &str) -> bool {
    matches!(word, "ahead" | "followed" | "instead" | "preceded" | "apart") || super::roles::is_relation(word)
}
