//! Normalisation and tokens of the SQuAD evaluation script (v1.1): lower case, no punctuation, no articles.
//!
//! Punctuation (Python's `string.punctuation`, which is ASCII) is deleted, not replaced: `U.S.` becomes `us`. Articles
//! are dropped as whole words afterwards. Punctuation beyond ASCII stays, but ends a word.

use crate::python::{self, LowercaseText};

use super::{TokenEntry, Tokens};

/// The normalised text: its tokens with one space between them.
pub fn normalise(text: &str) -> String {
    let tokens = tokens(text);
    let mut normalised = String::with_capacity(text.len());
    for token in tokens.texts() {
        if !normalised.is_empty() {
            normalised.push(' ');
        }
        normalised.push_str(token);
    }
    normalised
}

/// The words of the normalised text. A span reaches from the first to the last character that was kept.
pub fn tokens(text: &str) -> Tokens {
    let lowered = LowercaseText::new(text);
    let mut builder = Builder { lowered: &lowered, tokens: Tokens::default(), token: None, run: None };
    builder.tokens.buffer.reserve(text.len());
    for (at, character) in lowered.text().char_indices() {
        if character.is_ascii_punctuation() {
            continue;
        }
        if python::is_space(character) {
            builder.end_run();
            builder.end_token();
        } else if python::is_word(character) {
            builder.push(at, character, true);
        } else {
            builder.end_run();
            builder.push(at, character, false);
        }
    }
    builder.end_run();
    builder.end_token();
    builder.tokens
}

/// Where something started and ended: in the buffer the start only, in the lower-cased text both.
#[derive(Clone)]
struct OpenSpan {
    buffer: usize,
    start: usize,
    end: usize,
}

struct Builder<'t> {
    lowered: &'t LowercaseText,
    tokens: Tokens,
    /// The token being written.
    token: Option<OpenSpan>,
    /// The run of word characters at its end, and what the token was before it.
    run: Option<(OpenSpan, Option<OpenSpan>)>,
}

impl Builder<'_> {
    fn push(&mut self, at: usize, character: char, is_word: bool) {
        let open = OpenSpan { buffer: self.tokens.buffer.len(), start: at, end: at };
        if is_word && self.run.is_none() {
            self.run = Some((open.clone(), self.token.clone()));
        }
        self.tokens.buffer.push(character);
        self.token.get_or_insert(open).end = at + character.len_utf8();
    }

    /// Ends a run of word characters; an article is taken back and ends the token before it.
    fn end_run(&mut self) {
        let Some((run, before)) = self.run.take() else { return };
        if matches!(&self.tokens.buffer[run.buffer..], "a" | "an" | "the") {
            self.tokens.buffer.truncate(run.buffer);
            self.token = before;
            self.end_token();
        }
    }

    fn end_token(&mut self) {
        if let Some(token) = self.token.take() {
            self.tokens.entries.push(TokenEntry {
                buffer: token.buffer..self.tokens.buffer.len(),
                span: self.lowered.original_span(token.start..token.end),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn punctuation_is_deleted_before_articles_are_dropped() {
        assert_eq!(normalise("The U.S.  Army's an-them, a."), "us armys anthem");
        assert_eq!(normalise("t-h-e end"), "end");
    }

    #[test]
    fn a_dash_beyond_ascii_ends_an_article() {
        assert_eq!(normalise("the—cat a—the—b"), "—cat — —b");
    }

    #[test]
    fn spans_lead_back() {
        let text = "\"The İ.B.M.\" co.";
        let tokens = tokens(text);
        let found: Vec<(&str, &str)> = tokens.iter().map(|token| (token.text, &text[token.span])).collect();
        assert_eq!(found, [("i\u{307}bm", "İ.B.M"), ("co", "co")]);
    }

    proptest! {
        #[test]
        fn normalising_leaves_no_article_and_no_punctuation(text in "[aAnthe .,—é-]{0,40}") {
            let normalised = normalise(&text);
            prop_assert!(!normalised.chars().any(|c| c.is_ascii_punctuation()));
            prop_assert!(!normalised.split(|c| !python::is_word(c)).any(|word| matches!(word, "a" | "an" | "the")));
        }
    }
}
