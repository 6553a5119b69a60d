//! Who says it, and is it said at all? Negation, possibility, condition, question and reported speech around a place in a
//! sentence.

use super::analysis::{AnalysisSentence, TextAnalysis};
use crate::lexicon::{LexicalRole, LexicalRoles};

/// A place in a sentence.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    analysis: &'a TextAnalysis,
    sentence: &'a AnalysisSentence,
    at: usize,
}

impl<'a> Scope<'a> {
    /// The place of a token.
    pub const fn new(analysis: &'a TextAnalysis, sentence: &'a AnalysisSentence, at: usize) -> Self {
        Self { analysis, sentence, at }
    }

    /// First token of the clause that the place stands in: after the last comma, semicolon, colon, dash or joining word.
    pub fn clause_start(&self) -> usize {
        (self.sentence.tokens.start..self.at)
            .rev()
            .find(|&token| self.analysis.joins_clauses(token))
            .map_or(self.sentence.tokens.start, |token| token + 1)
    }

    /// Whether it is said as true: neither supposed nor asked about, nor somebody else's words, nor taken back.
    pub fn is_asserted(&self) -> bool {
        !(self.is_hedged()
            || self.is_dependent()
            || self.is_conditional()
            || self.is_reported()
            || self.is_disclaimed())
    }

    /// Whether something in the clause before the place denies it.
    pub fn is_denied(&self) -> bool {
        let from = self.clause_start().max(self.at.saturating_sub(7));
        (from..self.at).any(|token| self.analysis.has_any_role(token, LexicalRoles::DENYING))
    }

    /// Whether knowing, saying or promising it is denied: "I can't promise that …", "no one can say whether …".
    pub fn is_disclaimed(&self) -> bool {
        let mut denied = None;
        for token in self.sentence.tokens.start..self.at {
            if self.analysis.has_any_role(token, LexicalRoles::DENYING) {
                denied = Some(token);
            }
            let near = denied.is_some_and(|denial| token - denial <= 4);
            if near
                && (self.analysis.has_role(token, LexicalRole::Saying)
                    || matches!(
                        self.analysis.word(token),
                        "sure" | "certain" | "see" | "way" | "idea" | "line" | "rule"
                    )
                    // "No one can tell", and not "without exception, and one day".
                    || self.analysis.word(token) == "one" && denied == token.checked_sub(1))
            {
                return true;
            }
        }
        false
    }

    /// Whether somebody else is reported to say or think it.
    pub fn is_reported(&self) -> bool {
        (self.sentence.tokens.start..self.at).any(|token| {
            self.analysis.has_role(token, LexicalRole::Saying)
                && !matches!(
                    self.analysis.word(token.wrapping_sub(1)),
                    "i" | "me" | "i'd" | "i'll" | "let" | "to" | "can" | "must"
                )
                && !matches!(self.analysis.word(token), "know" | "think" | "mean" | "judge" | "believe" | "read")
                && token > self.sentence.tokens.start
                // "That said, …" goes on.
                && !(self.analysis.word(token) == "said" && self.analysis.word(token - 1) == "that")
        })
    }

    /// Whether the speaker puts it as a view of their own: "I think you …", "in my opinion …".
    pub fn is_opinion(&self) -> bool {
        let analysis = self.analysis;
        (self.sentence.tokens.start..self.at).any(|token| {
            analysis.has_role(token, LexicalRole::Opining)
                && (1..=3).any(|back| matches!(analysis.word(token.wrapping_sub(back)), "i" | "i'd" | "we"))
                || matches!(analysis.word(token), "opinion" | "view" | "imo" | "imho")
        })
    }

    /// Whether the speaker softens it in the words before: as a view of their own, or with "maybe" and the like.
    pub fn is_softened(&self) -> bool {
        let softens =
            |token: usize| self.analysis.has_any_role(token, LexicalRoles::SOFTENING) && !self.is_month(token);
        self.is_opinion() || (self.clause_start()..self.at).any(softens)
    }

    /// Whether the clause makes it a possibility up to so many tokens behind the place.
    pub fn is_hedged_up_to(&self, end: usize) -> bool {
        (self.clause_start()..end.min(self.sentence.tokens.end))
            .any(|token| self.analysis.has_any_role(token, LexicalRoles::HEDGING) && !self.is_month(token))
    }

    fn is_month(&self, token: usize) -> bool {
        self.analysis.word(token) == "may" && self.analysis.is_capital_inside(self.sentence, token)
    }

    /// Whether the clause opens with a word such as `if`, `whether`, `what` or `how`.
    pub fn is_dependent(&self) -> bool {
        (self.clause_start()..self.at).any(|token| self.analysis.has_role(token, LexicalRole::ClauseOpener))
    }

    /// Whether the sentence holds a condition.
    pub fn is_conditional(&self) -> bool {
        self.sentence.tokens.clone().any(|token| match self.analysis.word(token) {
            // "Even if" and "as if" put no condition.
            "if" => !matches!(self.analysis.word(token.wrapping_sub(1)), "even" | "as"),
            word => matches!(word, "unless" | "whether"),
        })
    }

    /// Whether the clause around the place, to both sides, makes it a possibility.
    pub fn is_hedged(&self) -> bool {
        let end = (self.at..self.sentence.tokens.end)
            .find(|&token| matches!(self.analysis.word(token), ";" | ":" | "-" | ","))
            .unwrap_or(self.sentence.tokens.end);
        self.is_hedged_up_to(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether what stands at the last word of the text is asserted.
    fn asserted(text: &str) -> bool {
        let analysis = TextAnalysis::new(text);
        let sentence = analysis.sentences.last().unwrap();
        Scope::new(&analysis, sentence, sentence.tokens.end - 1).is_asserted()
    }

    #[test]
    fn what_is_supposed_reported_or_taken_back_is_not_asserted() {
        assert!(asserted("She will forgive you"));
        assert!(!asserted("Maybe she will forgive you"));
        assert!(!asserted("I can't promise that she will forgive you"));
        assert!(!asserted("Your sister said that she will forgive you"));
        assert!(!asserted("I don't know whether she will forgive you"));
        assert!(!asserted("If you ask her she will forgive you"));
        assert!(asserted("In May she will forgive you"));
        assert!(asserted("Go home as if nothing happened, she will forgive you"));
        assert!(asserted("She helps without exception, and one day she will forgive you"));
        assert!(!asserted("No one can tell whether she will forgive you"));
    }

    #[test]
    fn a_denial_reaches_to_the_end_of_its_clause() {
        let analysis = TextAnalysis::new("You don't have to cheer up, so cheer up");
        let at = |number: usize| {
            (0..analysis.tokens.len()).filter(|&token| analysis.word(token) == "cheer").nth(number).unwrap()
        };
        assert!(Scope::new(&analysis, &analysis.sentences[0], at(0)).is_denied());
        assert!(!Scope::new(&analysis, &analysis.sentences[0], at(1)).is_denied());
    }
}
