//! A gold that is denied in one clause while another answer is asserted in the next: `X did not write it; Y did`.
//!
//! Two signs are asked for together. The clause of the mention says that what is asked for does not hold of it, and some
//! other clause, which is not denied itself, names another candidate. One sign alone is frequent in right answers: they
//! add what the gold did not do, and they name others.

use std::ops::Range;

use probare_nlp::lexicon::{Sort, sorts};

use super::objections::Scene;
use super::question::is_content;
use super::words::Gap;

/// Words after the denial in which the other answer is looked for.
const REACH: usize = 30;

/// Words on either side up to which a clause is read.
const LONGEST_CLAUSE: usize = 60;

/// Words between the start of a clause and a mention that is governed by a denial at that start.
const GOVERNED: usize = 8;

impl Scene<'_> {
    /// The words that deny the mention, where another candidate is asserted elsewhere.
    pub(super) fn denial_for_another(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let denial = self.denied_predicate(mention).or_else(|| self.denied_before(mention))?;
        self.asserts_another(mention, &denial).then_some(denial)
    }

    /// `X did not write it`, `X never held the office`, `X, however, was not`: the mention is the subject of a denied clause
    /// that is about what the question asks.
    fn denied_predicate(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let clause = self.clause(mention.end.checked_sub(1)?);
        let mut at = mention.end;
        let skipped = |word: &str| {
            matches!(word, "however" | "though" | "himself" | "herself" | "itself" | "themselves" | "in" | "fact")
                || (word.len() > 4 && word.ends_with("ly"))
        };
        while at < clause.end && at < mention.end + 3 && skipped(self.word(at)) {
            at += 1;
        }
        let end = self.negation(at).filter(|end| *end <= clause.end)?;
        if matches!(self.word(end), "only" | "just" | "merely" | "until" | "even" | "alone") {
            return None;
        }
        self.is_about_the_question(end..clause.end).then_some(at..end)
    }

    /// `neither X nor Z`, `it cannot have been X`, `nobody thinks that X …`, `it is not true that X …`.
    fn denied_before(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let start = self.with_modifiers(mention);
        if let Some(at) = self.reads_before(start, &["neither"]) {
            return Some(at..start);
        }
        let opening = self.clause(mention.start).start.max(start.saturating_sub(GOVERNED));
        let governs = |at: usize| {
            let end = self.negation(at).filter(|end| *end <= start)?;
            let between = end..start;
            // `cannot have been X`, `was not written by X`: nothing but the predicate stands between.
            let is_predicate = between.clone().all(|at| {
                matches!(
                    self.word(at),
                    "be" | "been" | "have" | "really" | "actually" | "in" | "fact" | "by" | "the" | "work"
                ) || (is_content(&self.words()[at]) && !self.words()[at].is_capitalised && self.question_verb(at))
            });
            let is_reported = between.clone().any(|at| self.word(at) == "that")
                && between.clone().any(|at| matches!(self.word(at), "true" | "so" | "correct" | "case" | "right"));
            (is_predicate || is_reported).then_some(at..end)
        };
        let plain = (opening..start).find_map(governs);
        let doubted = |at: usize| {
            let is_doubt = matches!(self.word(at), "false" | "untrue" | "doubt" | "doubtful" | "unlikely" | "nobody")
                || (self.word(at) == "no" && self.word(at + 1) == "one");
            (is_doubt && at + 1 < start).then_some(at..at + 1)
        };
        plain.or_else(|| {
            (opening..start)
                .find_map(doubted)
                .filter(|_| self.is_about_the_question(mention.end..self.clause(mention.start).end))
        })
    }

    /// Where a negated verb at `at` ends: `did not`, `never`, `wasnt`, `could not have`.
    fn negation(&self, at: usize) -> Option<usize> {
        match self.word(at) {
            "never" => Some(at + 1),
            // Folding has taken the apostrophe: `didnt`.
            word if sorts(word).has(Sort::Contraction) => Some(at + 1),
            word if sorts(word).has(Sort::Helping) && matches!(self.word(at + 1), "not" | "never") => Some(at + 2),
            _ => None,
        }
    }

    /// Whether the rest of a denied clause says what the question asks: it repeats it, points at it, or leaves it out.
    fn is_about_the_question(&self, rest: Range<usize>) -> bool {
        rest.is_empty()
            || rest.clone().any(|at| {
                matches!(self.word(at), "it" | "this" | "that" | "so" | "one" | "answer" | "correct" | "right")
                    || self.question_verb(at)
            })
    }

    /// Whether a word is a content word of the question, or a form of its verb.
    fn question_verb(&self, at: usize) -> bool {
        let Some(word) = self.words().get(at) else { return false };
        is_content(word)
            && (self.question.holds(word)
                || self.question.subject_verb_forms().is_some_and(|verb| verb.is_form(&word.text)))
    }

    /// Whether another clause, not denied itself, names a candidate: behind the denial, or before it in the same sentence.
    fn asserts_another(&self, mention: &Range<usize>, denial: &Range<usize>) -> bool {
        let own = self.clause(mention.start);
        let sentence = self.answer.stretch_near(mention.start, Gap::Sentence, LONGEST_CLAUSE);
        let from = denial.end.max(mention.end);
        let places = (sentence.start.max(own.start.saturating_sub(REACH))..own.start)
            .chain(from..self.words().len().min(from + REACH));
        let is_mine = |at: usize| mention.clone().any(|mine| self.word(mine) == self.word(at));
        places.into_iter().filter(|at| !mention.contains(at) && !is_mine(*at)).any(|at| {
            let clause = self.clause(at);
            let is_other_clause = clause != own || matches!(self.word(at.wrapping_sub(1)), "but" | "by" | "rather");
            let is_denied = clause.clone().any(|at| self.negation(at).is_some());
            // `…; hydrogen did.`, `…; oxygen is absorbed.` answer without a capital.
            let is_plain = is_content(&self.words()[at])
                && matches!(self.word(at + 1), "did" | "does" | "do" | "was" | "is" | "were" | "are" | "has")
                && !self.question.holds(&self.words()[at])
                && (at + 2..clause.end).all(|at| !is_content(&self.words()[at]) || self.question_verb(at));
            is_other_clause && !(is_denied && clause != own) && (self.is_candidate(at) || is_plain)
        })
    }

    /// The words around `at` up to a semicolon, a colon, a sentence's end, or a comma with `but`, `while` or `and` behind it.
    fn clause(&self, at: usize) -> Range<usize> {
        let whole = self.answer.stretch_near(at, Gap::Clause, LONGEST_CLAUSE);
        let opens = |at: usize| {
            matches!(self.word(at), "but" | "while" | "whereas" | "rather" | "instead" | "because" | "since")
                || (self.words()[at].gap == Gap::Comma
                    && (matches!(self.word(at), "and" | "it" | "that" | "so") || self.is_candidate(at)))
        };
        let start = (whole.start + 1..=at.min(whole.end)).rev().find(|at| opens(*at)).unwrap_or(whole.start);
        let end = (at + 1..whole.end).find(|at| opens(*at)).unwrap_or(whole.end);
        start..end
    }
}
