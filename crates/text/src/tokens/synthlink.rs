//! Tokens of the SynthLink scorer: lower-case alphanumeric words, possessives dropped, apostrophes deleted.
//!
//! `Kodak’s` gives `kodak`, `workers’` gives `workers`, `don't` gives `dont`, `8-hour` gives `8` and `hour`.

use std::borrow::Cow;

use crate::python::{self, Lowered};

use super::{Entry, Tokens};

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
    let lowered = Lowered::new(text);
    let mut words =
        Words { lowered: lowered.text(), entries: Vec::with_capacity(text.len() / 6), rewritten: String::new() };
    let mut open: Option<Word> = None;
    let mut at = 0;
    while at < words.lowered.len() {
        let (class, length) = class(words.lowered, at);
        let next = at + length;
        match (class, &mut open) {
            (Class::Alphanumeric, Some(word)) => word.end = next,
            (Class::Alphanumeric, None) => open = Some(Word { start: at, end: next, apostrophe: None }),
            // An apostrophe after the last letter is remembered in case that more of the word follows.
            (Class::Apostrophe, Some(word)) => word.apostrophe = word.apostrophe.or(Some(at)),
            (Class::Apostrophe | Class::Other, None) => {}
            (Class::Other, Some(_)) => words.close(&mut open, &lowered),
        }
        at = next;
    }
    words.close(&mut open, &lowered);
    let Words { entries, rewritten, .. } = words;
    let mut buffer = lowered.into_text();
    buffer.push_str(&rewritten);
    Tokens { buffer, entries }
}

/// What a character does in a word.
enum Class {
    Alphanumeric,
    Apostrophe,
    Other,
}

/// The class of the character at `at`, and its length in bytes.
fn class(text: &str, at: usize) -> (Class, usize) {
    match text.as_bytes()[at] {
        b'a'..=b'z' | b'0'..=b'9' => (Class::Alphanumeric, 1),
        b'\'' => (Class::Apostrophe, 1),
        0..0x80 => (Class::Other, 1),
        _ => {
            let character = text[at..].chars().next().unwrap_or_default();
            let class = match character {
                '\u{2018}' | '\u{2019}' | '\u{2bc}' => Class::Apostrophe,
                _ if python::is_alnum(character) => Class::Alphanumeric,
                _ => Class::Other,
            };
            (class, character.len_utf8())
        }
    }
}

/// A word of the lower-cased text, from its first to its last letter or digit.
struct Word {
    start: usize,
    end: usize,
    /// The first apostrophe after the start, inside the word or behind it.
    apostrophe: Option<usize>,
}

struct Words<'t> {
    lowered: &'t str,
    entries: Vec<Entry>,
    /// Tokens that lost an apostrophe from their middle; they follow the lower-cased text in the buffer.
    rewritten: String,
}

impl Words<'_> {
    /// Adds the word without its possessive ending and its apostrophes.
    fn close(&mut self, open: &mut Option<Word>, lowered: &Lowered) {
        let Some(word) = open.take() else { return };
        let span = lowered.original(word.start..word.end);
        let Some(apostrophe) = word.apostrophe.filter(|at| *at < word.end) else {
            self.entries.push(Entry { buffer: word.start..word.end, span });
            return;
        };
        let text = &self.lowered[word.start..word.end];
        let possessive = text.strip_suffix('s').and_then(|head| head.strip_suffix(APOSTROPHES));
        let bare = possessive.unwrap_or(text);
        let buffer = if word.start + bare.len() <= apostrophe {
            word.start..word.start + bare.len()
        } else {
            let start = self.lowered.len() + self.rewritten.len();
            self.rewritten.extend(bare.chars().filter(|character| !APOSTROPHES.contains(character)));
            start..self.lowered.len() + self.rewritten.len()
        };
        self.entries.push(Entry { buffer, span });
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
        fn tokens_are_those_of_the_definition(text in "[a-cA-C0s'\u{2019}\u{2bc}\u{212a}İΣé².\u{301} -]{0,24}") {
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
