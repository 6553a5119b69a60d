//! [`Clause`]: a part of a sentence with a statement of its own, denied or not.

use super::analysis::{AnalysisSentence, TextAnalysis};
use super::denial::{denial, denies_by_meaning};
use crate::Span;
use crate::lexicon::LexicalRole;

/// A part of a sentence with a statement of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause {
    pub tokens: Span,
    /// Whether it is denied.
    pub is_denied: bool,
}

/// Words of a part that says something of its own; a shorter one belongs to the part before it, as an item of a list does.
const SHORTEST: usize = 3;

impl TextAnalysis {
    /// The clauses of a sentence, in order; together they hold its tokens from the opening on.
    ///
    /// ```
    /// use probare_english::text_analysis::TextAnalysis;
    ///
    /// let analysis = TextAnalysis::new("The pool was closed in May, but it may not open before autumn.");
    /// let clauses = analysis.clauses(&analysis.sentences[0]);
    /// assert_eq!([clauses[0].is_denied, clauses[1].is_denied], [false, true]);
    /// ```
    pub fn clauses(&self, sentence: &AnalysisSentence) -> Vec<Clause> {
        let mut spans: Vec<Span> = Vec::new();
        let mut start = sentence.content_start;
        for token in sentence.content_start..sentence.tokens.end {
            if token > start && self.opens_clause(token) {
                self.push(&mut spans, start..token);
                start = token;
            }
        }
        self.push(&mut spans, start..sentence.tokens.end);
        let clause = |tokens: Span| Clause { is_denied: self.denial_count(tokens.clone()) % 2 == 1, tokens };
        spans.into_iter().map(clause).collect()
    }

    /// Whether a token sets two clauses side by side: a mark, or a word as *and* and *because*.
    pub(super) fn joins_clauses(&self, token: usize) -> bool {
        self.has_role(token, LexicalRole::Joining) || matches!(self.word(token), "," | ";" | ":" | "-" | "(")
    }

    /// Whether a clause may begin with this token: a mark, or a word that joins clauses or makes one depend on the other.
    pub(super) fn opens_clause(&self, token: usize) -> bool {
        self.joins_clauses(token) || self.has_role(token, LexicalRole::Subordinating) || self.word(token) == ")"
    }

    fn push(&self, spans: &mut Vec<Span>, tokens: Span) {
        let words = tokens.clone().filter(|&token| self.tokens[token].is_word).count();
        match spans.last_mut() {
            Some(last) if words < SHORTEST => last.end = tokens.end,
            Some(last) if last.clone().filter(|&token| self.tokens[token].is_word).count() < SHORTEST => {
                last.end = tokens.end;
            }
            _ if tokens.is_empty() => {}
            _ => spans.push(tokens),
        }
    }

    /// How many words of a stretch deny.
    pub fn denial_count(&self, tokens: Span) -> usize {
        self.denied_words(tokens).len()
    }

    /// For each denial in some tokens the words that it denies, the next one of content and what is joined to it by *or*; none where
    /// it denies the clause at large.
    ///
    /// ```
    /// use probare_english::text_analysis::TextAnalysis;
    ///
    /// let analysis = TextAnalysis::new("The plan has not been approved, and no later than May it is due.");
    /// let denied = analysis.denied_words(analysis.sentences[0].tokens.clone());
    /// assert_eq!(denied, [[5]]);
    /// assert_eq!(analysis.word(5), "approved");
    /// ```
    pub fn denied_words(&self, tokens: Span) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        let mut at = tokens.start;
        while at < tokens.end {
            let length = match self.denial_length(at) {
                // "neither … nor" denies once, "no later than" and "without more pay" set a limit.
                Some(length) if self.word(at) != "nor" && !self.is_comparison(at) => length,
                None if denies_by_meaning(|ahead| self.near(at, ahead)) => 1,
                _ => {
                    at += 1;
                    continue;
                }
            };
            // "Nut-free" has in it what it denies.
            if self.word(at).ends_with("-free") {
                found.push(vec![at]);
                at += 1;
                continue;
            }
            at += length;
            let is_content =
                |token: &usize| self.tokens[*token].is_word && !self.has_role(*token, LexicalRole::Function);
            let mut denied = Vec::new();
            // "Without nuts or glass" denies both.
            let mut from = at;
            while let Some(word) = (from..tokens.end).find(is_content) {
                denied.push(word);
                if !matches!(self.word(word + 1), "or" | "nor") {
                    break;
                }
                from = word + 2;
            }
            found.push(denied);
        }
        found
    }

    /// Whether a denial belongs to a comparison, which sets a limit and denies nothing.
    fn is_comparison(&self, denial: usize) -> bool {
        self.word(denial + 2) == "than"
            || matches!(self.word(denial + 1), "more" | "less" | "extra" | "further" | "additional" | "other")
    }

    /// How many words make up the denial by form that stands here.
    pub fn denial_length(&self, token: usize) -> Option<usize> {
        denial(|ahead| self.near(token, ahead.cast_signed())).map(|(length, _)| length)
    }

    /// The word so many tokens from here; the empty text for a mark and past the ends.
    fn near(&self, token: usize, ahead: isize) -> &str {
        let at = token.wrapping_add_signed(ahead);
        if self.tokens.get(at).is_some_and(|token| token.is_word) { self.word(at) } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clauses(text: &str) -> (TextAnalysis, Vec<Clause>) {
        let analysis = TextAnalysis::new(text);
        let clauses = analysis.clauses(&analysis.sentences[0]);
        (analysis, clauses)
    }

    #[test]
    fn a_denial_has_its_words() {
        let denied = |text: &str| -> Vec<String> {
            let analysis = TextAnalysis::new(text);
            let tokens = analysis.denied_words(analysis.sentences[0].tokens.clone());
            tokens.into_iter().flatten().map(|token| analysis.word(token).to_owned()).collect()
        };
        assert_eq!(denied("The lunch comes without nuts or glass."), ["nuts", "glass"]);
        assert_eq!(denied("A nut-free lunch."), ["nut-free"]);
        assert_eq!(denied("He refused to paint leaders."), ["paint"]);
        assert_eq!(denied("The plan was dropped."), [""; 0]);
        assert_eq!(denied("They work longer without more pay."), [""; 0]);
        assert_eq!(denied("The workers dropped their demand."), [""; 0]);
    }

    #[test]
    fn clauses_are_cut_at_marks_and_joining_words() {
        let (analysis, found) =
            clauses("Based on the passages, the hall opened in 1911 and it has never closed, which cost a lot.");
        let texts: Vec<String> = found
            .iter()
            .map(|clause| clause.tokens.clone().map(|token| analysis.word(token)).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(texts, ["the hall opened in 1911", "and it has never closed ,", "which cost a lot ."]);
        assert_eq!(found.iter().map(|clause| clause.is_denied).collect::<Vec<_>>(), [false, true, false]);
    }

    #[test]
    fn items_of_a_list_are_no_clauses() {
        assert_eq!(clauses("They sell bread, milk and eggs on Mondays").1.len(), 2);
        assert_eq!(clauses("They sell bread, milk, eggs").1.len(), 1);
    }
}
