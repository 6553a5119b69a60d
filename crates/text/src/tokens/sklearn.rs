//! Tokens of scikit-learn's text vectorizers: the lower-cased text cut by `(?u)\b\w\w+\b`.
//!
//! A token is a maximal run of at least two word characters in Python's sense, so `don't` gives `don`, `C` nothing, and
//! `snake_case` stays whole.

use crate::python::{LowercaseText, is_word};
use crate::runs::for_each_run;
use crate::stopwords;

use super::{TokenEntry, Tokens};

/// All tokens of `text`.
pub fn tokens(text: &str) -> Tokens {
    let lowered = LowercaseText::new(text);
    let mut entries = Vec::with_capacity(text.len() / 6);
    each_word(lowered.text(), |start, end| {
        entries.push(TokenEntry { buffer: start..end, span: lowered.original_span(start..end) });
    });
    Tokens { buffer: lowered.into_text(), entries }
}

/// The tokens that `stop_words="english"` leaves.
pub fn terms(text: &str) -> Tokens {
    let mut tokens = tokens(text);
    let stop_words = stopwords::sklearn();
    tokens.retain(|token| !stop_words.contains(token));
    tokens
}

/// Calls `found` with the start and end of each run of two or more word characters.
fn each_word(text: &str, mut found: impl FnMut(usize, usize)) {
    let bytes = text.as_bytes();
    if bytes.is_ascii() {
        return for_each_run(bytes, is_ascii_word, |start, end| {
            if end - start >= 2 {
                found(start, end);
            }
        });
    }
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut characters = 0;
        while at < bytes.len() {
            let byte = bytes[at];
            if byte < 0x80 {
                if !is_ascii_word(byte) {
                    break;
                }
                at += 1;
            } else {
                match text[at..].chars().next() {
                    Some(character) if is_word(character) => at += character.len_utf8(),
                    _ => break,
                }
            }
            characters += 1;
        }
        if characters >= 2 {
            found(start, at);
        }
        // Past the character that ended the run.
        at += text[at..].chars().next().map_or(1, char::len_utf8);
    }
}

const fn is_ascii_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<String> {
        tokens(text).texts().map(str::to_owned).collect()
    }

    #[test]
    fn one_letter_words_vanish() {
        assert_eq!(texts("C and a 2019's don't snake_case"), ["and", "2019", "don", "snake_case"]);
    }

    #[test]
    fn marks_cut_and_fractions_do_not() {
        assert_eq!(texts("e\u{301}te\u{301} m²x ½½"), ["te", "m²x", "½½"]);
    }

    #[test]
    fn stop_words_are_dropped_from_terms() {
        assert_eq!(terms("The system is down, Mary").texts().collect::<Vec<_>>(), ["mary"]);
    }

    proptest! {
        #[test]
        fn ascii_texts_are_cut_like_all_others(text in "[a-c_ .,'0A]{0,150}") {
            let mut expected = texts(&format!("{text} éé"));
            expected.pop();
            prop_assert_eq!(texts(&text), expected);
        }

        #[test]
        fn spans_cover_what_lowers_to_the_token(text in "\\PC{0,40}") {
            for token in tokens(&text).iter() {
                let source = crate::python::lower(&text[token.span]);
                prop_assert!(source.contains(token.text) || text.contains('Σ'));
            }
        }
    }
}
