//! Tokens of the SynthLink scorer: lower-case alphanumeric words, possessives dropped, apostrophes deleted.
//!
//! `Kodak’s` gives `kodak`, `workers’` gives `workers`, `don't` gives `dont`, `8-hour` gives `8` and `hour`.

use std::borrow::Cow;
use std::ops::Range;

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
    let mut entries = Vec::with_capacity(text.len() / 6);
    let mut buffer = String::with_capacity(text.len());
    visit(text, &mut String::new(), |token, span| {
        let start = buffer.len();
        buffer.push_str(token);
        entries.push(Entry { buffer: start..buffer.len(), span });
    });
    Tokens { buffer, entries }
}

/// Calls `take` with every token and the bytes of `text` it came from, in order. `lowered` is room for the lower-cased
/// text, which later calls can use again.
pub fn visit(text: &str, lowered: &mut String, mut take: impl FnMut(&str, Range<usize>)) {
    lowered.clear();
    if is_plain(text.as_bytes()) {
        lowered.push_str(text);
        lowered.make_ascii_lowercase();
        words(lowered, |word| emit(lowered, &word, word.start..word.end, &mut take));
    } else {
        let changed = Lowered::new(text);
        lowered.push_str(changed.text());
        words(lowered, |word| emit(lowered, &word, changed.original(word.start..word.end), &mut take));
    }
}

/// Whether the text is ASCII but for quotation marks, dashes and the like (U+2000 to U+203F), none of which is a letter: then
/// lower-casing changes ASCII letters only and moves nothing.
fn is_plain(bytes: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| !byte.is_ascii()) {
        at += found;
        if bytes[at..].starts_with(&[0xe2, 0x80]) {
            at += 3;
        } else {
            return false;
        }
    }
    true
}

/// What a character does in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    /// The first apostrophe inside the word.
    apostrophe: Option<usize>,
}

/// Calls `take` with every word of the lower-cased text.
fn words(lowered: &str, mut take: impl FnMut(Word)) {
    let bytes = lowered.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let (first, length) = class(lowered, at);
        let start = at;
        at += length;
        if first != Class::Alphanumeric {
            continue;
        }
        let mut word = Word { start, end: at, apostrophe: None };
        let mut pending = None;
        while at < bytes.len() {
            // Most characters of most words; the general case is below.
            if bytes[at].is_ascii_lowercase() {
                at += 1;
                word.end = at;
                word.apostrophe = word.apostrophe.or(pending);
                continue;
            }
            let (class, length) = class(lowered, at);
            match class {
                Class::Alphanumeric => {
                    word.end = at + length;
                    word.apostrophe = word.apostrophe.or(pending);
                }
                // It belongs to the word only if more of the word follows.
                Class::Apostrophe => pending = pending.or(Some(at)),
                Class::Other => break,
            }
            at += length;
        }
        take(word);
    }
}

/// Hands over the word without its possessive ending and its apostrophes.
fn emit(lowered: &str, word: &Word, span: Range<usize>, take: &mut impl FnMut(&str, Range<usize>)) {
    let text = &lowered[word.start..word.end];
    let Some(apostrophe) = word.apostrophe else {
        take(text, span);
        return;
    };
    let possessive = text.strip_suffix('s').and_then(|head| head.strip_suffix(APOSTROPHES));
    let bare = possessive.unwrap_or(text);
    if word.start + bare.len() <= apostrophe {
        take(bare, span);
    } else {
        take(&bare.replace(APOSTROPHES, ""), span);
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

        #[test]
        fn plain_texts_are_cut_like_all_others(text in "[a-cA-C0s'\u{2019}\u{201c}\u{2013}. -]{0,24}") {
            // The letter at the end sends the text the other way, as a token of its own.
            let (plain, other) = (tokens(&text), tokens(&format!("{text} é")));
            prop_assert!(is_plain(text.as_bytes()));
            prop_assert_eq!(plain.iter().collect::<Vec<_>>(), other.iter().take(plain.len()).collect::<Vec<_>>());
            prop_assert_eq!(other.len(), plain.len() + 1);
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
