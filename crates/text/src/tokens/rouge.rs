//! The default tokenizer of `rouge_score` (0.1.2): lower case, runs of `[a-z0-9]`, optionally stemmed.
//!
//! Letters beyond ASCII separate words, so `café` gives `caf`.

use crate::porter;
use crate::python::LowercaseText;

use super::{TokenEntry, Tokens};

/// Words of at least this many letters are stemmed.
const SHORTEST_STEMMED: usize = 4;

/// The tokens of `text`; with `stemmed`, those of more than three letters go through the Porter stemmer.
pub fn tokens(text: &str, stemmed: bool) -> Tokens {
    let lowered = LowercaseText::new(text);
    let bytes = lowered.text().as_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let mut entries = Vec::with_capacity(bytes.len() / 5);
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_letter(byte)).count();
        if length > 0 {
            entries.push(TokenEntry { buffer: at..at + length, span: lowered.original_span(at..at + length) });
        }
        at += length + 1;
    }
    let mut tokens = Tokens { buffer: lowered.into_text(), entries };
    if stemmed {
        stem(&mut tokens);
    }
    tokens
}

fn stem(tokens: &mut Tokens) {
    let words = std::mem::take(tokens);
    for word in words.iter() {
        if word.text.len() >= SHORTEST_STEMMED {
            tokens.push(&porter::stem(word.text), word.span);
        } else {
            tokens.push(word.text, word.span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_beyond_ascii_separate() {
        assert_eq!(tokens("Café No. 5—it's", false).texts().collect::<Vec<_>>(), ["caf", "no", "5", "it", "s"]);
    }

    #[test]
    fn short_words_are_not_stemmed() {
        assert_eq!(tokens("Was running dies", true).texts().collect::<Vec<_>>(), ["was", "run", "die"]);
    }
}
