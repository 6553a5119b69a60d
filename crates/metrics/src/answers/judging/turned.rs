//! Mentions of the gold in a statement that turns what is asked round: it is taken out of all that is named, it was so and is no
//! more, or the opposite is said of it.
//!
//! The words are those of the lexicon: exceptions, states that ended, opposites. WordNet adds opposites of its own.

use std::ops::Range;

use probare_nlp::lexicon::{Sort, expression, sorts};
use probare_text::wordnet::{PartOfSpeech, WordNet};

use super::objections::Scene;
use super::words::Gap;

/// Words on either side in which a state is told to have ended.
const REACH: usize = 12;

/// Words of the longest expression that takes out what follows.
const LONGEST_CUE: usize = 4;

impl Scene<'_> {
    /// `instead of X`, `all except X`, `everyone but X`; but not `nobody except X`, which says that X did.
    pub(super) fn exception(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        let start = self.with_modifiers(mention);
        let takes_out = |at: &usize| {
            [Sort::Exception, Sort::Omission].iter().any(|sort| self.reads(*at, *sort) == Some(start - at))
                || at + 1 == start && self.word(*at) == "but" && self.names_all(*at)
        };
        let cue = (start.saturating_sub(LONGEST_CUE)..start).find(takes_out)?;
        let is_nobody = (cue.saturating_sub(LONGEST_CUE)..cue)
            .any(|at| matches!(self.word(at), "nobody" | "none" | "nothing" | "no" | "not" | "never"));
        (!is_nobody && !self.question.is_negative()).then_some(cue..start)
    }

    /// Whether everything is named right before a word: `everyone but`, `all provinces but`, `each of them but`.
    fn names_all(&self, at: usize) -> bool {
        let is_close = |from: usize| (from + 1..=at).all(|at| self.words()[at].gap <= Gap::Space);
        (at.saturating_sub(LONGEST_CUE)..at).any(|from| {
            let word = self.word(from);
            (sorts(word).has(Sort::Universal) || matches!(word, "everybody" | "each" | "any")) && is_close(from)
        })
    }

    /// `Until May it was X`, `X is the former capital`, `they gave up X`, `X stepped down`, where the present is asked for.
    pub(super) fn ended(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        if !self.question.is_about_the_present() {
            return None;
        }
        let part = self.part(mention);
        let start = self.with_modifiers(mention);
        let outside = || part.clone().filter(|at| !mention.contains(at));
        let former = outside().find_map(|at| {
            if let Some(length) = self.reads(at, Sort::FormerNoun) {
                let noun = at + length..(at + length + 2).min(part.end);
                return noun.clone().any(|at| self.question.holds(&self.words()[at])).then_some(at..noun.end);
            }
            let length = self.reads(at, Sort::Former)?;
            // A time that the mention gives is no end of it: "open until X".
            let is_bound = at + length == start && matches!(self.word(at), "until" | "till");
            let is_present = part.clone().any(|at| matches!(self.word(at), "will" | "is" | "are" | "remains"));
            let is_denied = matches!(self.word(at), "no" | "any" | "anymore");
            let is_past = part.clone().any(|at| is_past(self.word(at)));
            (!is_bound && (is_denied || is_past && !is_present)).then_some(at..at + length)
        });
        former.or_else(|| {
            let ends_it = |at: usize| {
                let length = self.reads(at, Sort::Ending)?;
                let behind = (at + length..=start).all(|at| self.words()[at].gap <= Gap::Space) && at + length == start;
                let helped = (mention.end..at)
                    .all(|at| matches!(self.word(at), "has" | "had" | "have" | "then" | "himself" | "herself"));
                let before = mention.end <= at && helped;
                (behind || before).then_some(at..at + length)
            };
            outside().find_map(ends_it)
        })
    }

    /// `X lost` where it is asked who won; `it closes at X` where it is asked when it opens. What is said to, from or than somebody is
    /// said of somebody else: `Y lost to X`.
    pub(super) fn opposite(&self, mention: &Range<usize>) -> Option<Range<usize>> {
        if self.question.is_negative() {
            return None;
        }
        let part = self.segment(mention);
        if part.len() == mention.len() {
            return None;
        }
        let opposites = self.question.opposites();
        part.clone().filter(|at| !mention.contains(at)).find_map(|at| {
            let length = opposites.at(|ahead| if part.contains(&(at + ahead)) { self.word(at + ahead) } else { "" })?;
            let is_passive = length > 1 && sorts(self.word(at)).has(Sort::Copula);
            let turns = |word: &str| {
                matches!(word, "to" | "from" | "than" | "under" | "against" | "until" | "till" | "before" | "for")
                    || word == "by" && is_passive
            };
            let between =
                if at < mention.start { (at + length).min(mention.start)..mention.start } else { mention.end..at };
            let is_turned = at < mention.start && between.clone().any(|at| turns(self.word(at)));
            // `Y lost X …`: it is said of Y.
            let is_of_another = at < mention.start && (part.start..at).any(|at| self.is_candidate(at));
            let is_denied =
                (part.start..at).any(|at| probare_nlp::reading::denial(|ahead| self.word(at + ahead)).is_some());
            (!is_turned && !is_of_another && !is_denied).then_some(at..at + length)
        })
    }

    /// The words around a mention up to a comma on either side; commas in the mention do not matter.
    pub(super) fn part(&self, mention: &Range<usize>) -> Range<usize> {
        let start = self.answer.stretch_near(mention.start, Gap::Comma, REACH).start;
        start..self.answer.stretch_near(mention.end.max(1) - 1, Gap::Comma, REACH).end
    }

    /// The words around a mention that say one thing: up to a comma, or to a word that joins or turns.
    pub(super) fn segment(&self, mention: &Range<usize>) -> Range<usize> {
        let part = self.part(mention);
        let parts = |at: usize| {
            matches!(
                self.word(at),
                "and" | "but" | "while" | "whereas" | "after" | "when" | "because" | "which" | "who" | "that" | "or"
            )
        };
        let start = (part.start..mention.start).rev().find(|at| parts(*at)).map_or(part.start, |at| at + 1);
        let end = (mention.end..part.end).find(|at| parts(*at)).unwrap_or(part.end);
        start..end.max(mention.end)
    }

    /// Length of the expression of a sort that stands at `at`.
    pub(super) fn reads(&self, at: usize, sort: Sort) -> Option<usize> {
        expression(sort, |ahead| self.word(at + ahead))
    }
}

/// Whether a word tells of the past: `was`, `held`, `ruled`.
fn is_past(word: &str) -> bool {
    if matches!(word, "was" | "were" | "been" | "used" | "had" | "did") {
        return true;
    }
    let is_other = word.ends_with('s') || word.ends_with("ing") || word.len() < 3;
    !is_other && WordNet::embedded().base_forms(word, PartOfSpeech::Verb).first().is_some_and(|base| base != word)
}
