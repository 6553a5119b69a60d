//! Tokens of the SynthLink scorer: lower-case alphanumeric words, possessives dropped, apostrophes deleted.
//!
//! `Kodak’s` gives `kodak`, `workers’` gives `workers`, `don't` gives `dont`, `8-hour` gives `8` and `hour`.

use std::borrow::Cow;
use std::ops::Range;

use crate::python::{self, LowercaseText};

use super::Tokens;

/// The straight apostrophe and the letters that are typed for it.
const APOSTROPHES: [char; 4] = ['\'', '\u{2018}', '\u{2019}', '\u{2bc}'];

const STOP_WORDS: [&str; 53] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does", "eg", "etc", "for",
    "from", "had", "has", "have", "how", "ie", "in", "into", "is", "it", "its", "may", "might", "of", "on", "or", "s",
    "such", "that", "the", "their", "them", "these", "this", "those", "to", "was", "were", "what", "which", "while",
    "who", "why", "will", "with", "would",
];

/// The tokens of `text`, stop words included.
pub fn tokens(text: &str) -> Tokens {
    let mut tokens = Tokens { buffer: String::with_capacity(text.len()), entries: Vec::with_capacity(text.len() / 6) };
    for_each_token(text, |token, span| tokens.push(token, span));
    tokens
}

/// Calls `take` with every token of a text, in order, and the bytes it came from.
pub fn for_each_token(text: &str, mut take: impl FnMut(&str, Range<usize>)) {
    probare_cancellation::count_steps(text.len());
    let lowered = LowercaseText::new(text);
    let (mut token, mut at) = (String::new(), 0);
    while let Some(found) = LetterRun::next(lowered.text(), at) {
        at = found.end;
        found.write_token(lowered.text(), &mut token);
        take(&token, lowered.original_span(found.start..found.end));
    }
}

/// What a character does in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Alphanumeric,
    Apostrophe,
    Other,
}

/// The class of the character at `at`, and its length in bytes; nothing at the end.
fn class(text: &str, at: usize) -> Option<(Class, usize)> {
    let character = text[at..].chars().next()?;
    let class = match character {
        _ if APOSTROPHES.contains(&character) => Class::Apostrophe,
        _ if python::is_alnum(character) => Class::Alphanumeric,
        _ => Class::Other,
    };
    Some((class, character.len_utf8()))
}

/// A word, from its first to its last letter or digit.
struct LetterRun {
    start: usize,
    end: usize,
    has_apostrophe: bool,
}

impl LetterRun {
    /// The first word at `at` or behind it, read character by character.
    fn next(text: &str, at: usize) -> Option<Self> {
        let mut start = at;
        loop {
            match class(text, start)? {
                (Class::Alphanumeric, _) => break,
                (_, length) => start += length,
            }
        }
        let mut word = Self { start, end: start, has_apostrophe: false };
        let (mut at, mut pending) = (start, false);
        while let Some((class, length)) = class(text, at) {
            at += length;
            match class {
                Class::Alphanumeric => {
                    word.end = at;
                    word.has_apostrophe |= pending;
                }
                // It belongs to the word only if more of the word follows.
                Class::Apostrophe => pending = true,
                Class::Other => break,
            }
        }
        Some(word)
    }

    /// Fills `token` with the word in lower case, without its possessive ending and its apostrophes.
    fn write_token(&self, text: &str, token: &mut String) {
        let whole = &text[self.start..self.end];
        token.clear();
        if self.has_apostrophe {
            let possessive = whole.strip_suffix(['s', 'S']).and_then(|head| head.strip_suffix(APOSTROPHES));
            token.extend(possessive.unwrap_or(whole).split(APOSTROPHES));
        } else {
            token.push_str(whole);
        }
        // What lies beyond ASCII is in lower case already, or has no case.
        token.make_ascii_lowercase();
    }
}

/// Whether `token` says nothing about the content.
pub fn is_stop_word(token: &str) -> bool {
    STOP_WORDS.binary_search(&token).is_ok()
}

/// The token without a plural ending.
pub fn stem(token: &str) -> Cow<'_, str> {
    let Some(bare) = token.strip_suffix('s') else { return token.into() };
    let length = token.chars().count();
    if length > 4
        && let Some(stem) = token.strip_suffix("ies")
    {
        return format!("{stem}y").into();
    }
    // What is left of `ss`, `us` and `is` without the last letter.
    if length > 3 && !bare.ends_with(['s', 'u', 'i']) { bare.into() } else { token.into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition word by word, without spans.
    fn plain_tokens(text: &str) -> Vec<String> {
        let straight: String = python::lower(text)
            .chars()
            .map(|character| if APOSTROPHES.contains(&character) { '\'' } else { character })
            .collect();
        straight
            .split(|character: char| !python::is_alnum(character) && character != '\'')
            .map(|run| run.trim_matches('\''))
            .map(|word| word.strip_suffix("'s").unwrap_or(word).replace('\'', ""))
            .filter(|token| !token.is_empty())
            .collect()
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_the_definition(text in "[a-cA-C0s'\u{2019}\u{2bc}\u{212a}İΣé².\u{301} \u{2013}-]{0,24}") {
            let found = tokens(&text);
            prop_assert_eq!(found.texts().collect::<Vec<_>>(), plain_tokens(&text));
            for token in found.iter() {
                prop_assert!(text.get(token.span).is_some_and(|piece| !piece.is_empty()));
            }
        }
    }

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("etc") && is_stop_word("a") && !is_stop_word("press"));
    }

    #[test]
    fn possessives_and_apostrophes_go() {
        let text = "Kodak’s workers’ don't 'n' 8-hour U.S. 2019–20";
        let tokens = tokens(text);
        assert_eq!(
            tokens.texts().collect::<Vec<_>>(),
            ["kodak", "workers", "dont", "n", "8", "hour", "u", "s", "2019", "20"]
        );
        assert_eq!(&text[tokens.get(1).unwrap().span], "workers");
    }

    #[test]
    fn plurals_are_folded() {
        for (token, expected) in [
            ("cities", "city"),
            ("ties", "tie"),
            ("gas", "gas"),
            ("cats", "cat"),
            ("glass", "glass"),
            ("virus", "virus"),
            ("basis", "basis"),
            ("press", "press"),
        ] {
            assert_eq!(stem(token), expected);
        }
    }
}
