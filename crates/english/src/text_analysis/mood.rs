//! What a sentence does, by its words alone: it states, asks, orders, suggests or wishes.

use super::analysis::{AnalysisSentence, Mood, TextAnalysis};
use crate::lexicon::LexicalRole;

/// The mood of a sentence whose matter begins at `opening`.
pub(super) fn mood(analysis: &TextAnalysis, sentence: &AnalysisSentence, opening: usize) -> Mood {
    let text = analysis.text[sentence.at.clone()].trim_end_matches(['"', '\'', ')', ' ']);
    let first = (opening..sentence.tokens.end).find(|&token| analysis.tokens[token].is_word).unwrap_or(opening);
    // "They sang \"Who are you?\"" asks nothing.
    let last = sentence.tokens.clone().rev().find(|&token| analysis.word(token) == "?");
    let is_quoted = last.is_some_and(|last| analysis.tokens[last].is_quoted && !analysis.tokens[first].is_quoted);
    if text.ends_with('?') && !is_quoted || asks(analysis, first) {
        return Mood::Question;
    }
    if analysis.is_wish(first) {
        return Mood::Wish;
    }
    let words = [first, first + 1, first + 2, first + 3].map(|token| analysis.word(token));
    match words {
        ["you", "could" | "might" | "may" | "can", ..]
        | ["it", "might" | "may" | "could", ..]
        | ["maybe" | "perhaps" | "let's" | "consider", ..]
        | ["have", "you", "tried" | "thought" | "considered", ..]
        | ["i'd" | "i", "would" | "suggest" | "recommend", ..]
        | ["what" | "how", "about" | "if", ..]
        | ["why", "not", ..]
        | ["one", "option" | "idea" | "thing", ..] => Mood::Suggestion,
        _ if is_order(analysis, first) => Mood::Order,
        _ => Mood::Statement,
    }
}

impl TextAnalysis {
    /// Whether a clause that begins at the token `first` wishes something: "I hope", "good luck", "have a nice day", "take care".
    pub fn is_wish(&self, first: usize) -> bool {
        let words = [first, first + 1, first + 2].map(|token| self.word(token));
        match words {
            ["i" | "we", "hope" | "wish" | "pray", _]
            | ["hope" | "wishing" | "hoping" | "may", _, _]
            | ["good" | "best", "luck" | "wishes" | "of", _]
            | ["all", "the", "best"]
            | ["take", "care", _]
            | ["hang", "in" | "on", _]
            | ["sleep" | "rest" | "travel", "well" | "tight" | "safely", _]
            | ["talk" | "speak", "soon" | "later" | "tomorrow", _]
            | ["see", "you" | "ya", _]
            | ["stay" | "be" | "remain" | "keep", "safe" | "well" | "strong" | "healthy" | "blessed", _]
            | ["enjoy", "your" | "the", _]
            | ["eat" | "drink", "something", _] => true,
            ["have", "a" | "yourself" | "an", _] => {
                (first + 2..first + 9).any(|token| self.has_role(token, LexicalRole::Wished))
            }
            _ => false,
        }
    }
}

/// Whether a sentence that begins here has the order of a question: "do you have an idea", "when was the last time".
fn asks(analysis: &TextAnalysis, first: usize) -> bool {
    // "Had you asked" and "should you need it" put a condition, "may you be well" wishes.
    let is_helper = |token: usize| {
        analysis.has_role(token, LexicalRole::Helping)
            && !matches!(analysis.word(token), "had" | "should" | "may" | "might" | "must" | "shall" | "am")
    };
    let is_subject = |word: &str| matches!(word, "you" | "i" | "he" | "she" | "they" | "we" | "it" | "there" | "your");
    let words = [first, first + 1, first + 2].map(|token| analysis.word(token));
    let is_asking = |word: &str| matches!(word, "how" | "what" | "when" | "where" | "who" | "why" | "which");
    // "Do the dishes" orders and "have a nice day" wishes; "does the shop open" asks.
    let is_plain = |word: &str| matches!(word, "do" | "have");
    let is_article = |word: &str| matches!(word, "the" | "a" | "an" | "my" | "this" | "that" | "anyone" | "someone");
    // Nothing but a question opens with "does".
    words[0] == "does"
        || is_helper(first)
            && (is_subject(words[1]) && !(is_plain(words[0]) && words[1] == "your")
                || is_article(words[1]) && !is_plain(words[0]))
        || is_asking(words[0]) && is_helper(first + 1) && (is_subject(words[2]) || words[2] == "the")
}

/// Whether a sentence opens with an order by its form alone: a plain denial of the listener's doing, or "please".
fn is_order(analysis: &TextAnalysis, first: usize) -> bool {
    match (analysis.word(first), analysis.word(first + 1)) {
        ("please" | "don't" | "never", next) => {
            !analysis.has_role(first + 1, LexicalRole::Function) && !next.is_empty()
        }
        ("do", "not") => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moods_are_told_apart_by_their_openings() {
        let mood = |text: &str| TextAnalysis::new(text).sentences[0].mood;
        assert_eq!(mood("Have you tried walking?"), Mood::Question);
        assert_eq!(mood("Maybe try a walk."), Mood::Suggestion);
        assert_eq!(mood("You could ask her."), Mood::Suggestion);
        assert_eq!(mood("I hope you feel better."), Mood::Wish);
        assert_eq!(mood("Have a lovely evening!"), Mood::Wish);
        assert_eq!(mood("Have a word with him."), Mood::Statement);
        assert_eq!(mood("do you have an idea"), Mood::Question);
        assert_eq!(mood("does the pharmacy need my id"), Mood::Question);
        assert_ne!(mood("do the dishes"), Mood::Question);
        assert_ne!(mood("do your duty"), Mood::Question);
        assert_eq!(mood("does vinegar kill mould"), Mood::Question);
        assert_eq!(mood("Sleep well, talk tomorrow!"), Mood::Wish);
        assert_ne!(mood("Had you asked, I would have come."), Mood::Question);
        assert_eq!(mood("They sang “Who are you?”."), Mood::Statement);
        assert_eq!(mood("“Who are you?”"), Mood::Question);
        assert_eq!(mood("What doesn't kill you makes you stronger."), Mood::Statement);
        assert_eq!(mood("Don't call him."), Mood::Order);
        assert_eq!(mood("The office opens at nine."), Mood::Statement);
    }
}
