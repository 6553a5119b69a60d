//! [`terms`]: the words of a text as BM25 compares them, and the same as a tokenizer of the index.
//!
//! A text is brought into the form in which answers are compared (small letters, no accents, no marks), cut at spaces, and each
//! word of Latin letters is reduced to its stem.

use probare_text::normalise::normalise;
use probare_text::porter;
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Bytes of the longest term; the rest of a longer one is left out.
const LONGEST: usize = 200;

/// The terms of a text, in order, with repetitions.
///
/// ```
/// assert_eq!(probare_retrieval::terms("The ferries’ departures, Løgstør"), ["the", "ferri", "departur", "logstor"]);
/// ```
pub fn terms(text: &str) -> Vec<String> {
    normalise(text).split(' ').filter(|word| !word.is_empty()).map(term).collect()
}

fn term(word: &str) -> String {
    if word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return porter::stem(word);
    }
    let mut end = word.len().min(LONGEST);
    while !word.is_char_boundary(end) {
        end -= 1;
    }
    word[..end].to_owned()
}

/// [`terms`] for the index.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermTokenizer;

pub(crate) struct TermStream {
    rest: std::vec::IntoIter<String>,
    token: Token,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream {
        TermStream { rest: terms(text).into_iter(), token: Token::default() }
    }
}

impl TokenStream for TermStream {
    fn advance(&mut self) -> bool {
        let Some(text) = self.rest.next() else { return false };
        self.token.text = text;
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
