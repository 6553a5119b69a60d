//! Tokens of the SynthLink scorer: lower-case alphanumeric words, possessives dropped, apostrophes deleted.
//!
//! `Kodak’s` gives `kodak`, `workers’` gives `workers`, `don't` gives `dont`, `8-hour` gives `8` and `hour`.

use crate::python::{self, Lowered};

use super::Tokens;

const STOP_WORDS: [&str; 53] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "did", "do", "does", "eg", "etc", "for",
    "from", "had", "has", "have", "how", "ie", "in", "into", "is", "it", "its", "may", "might", "of", "on", "or", "s",
    "such", "that", "the", "their", "them", "these", "this", "those", "to", "was", "were", "what", "which", "while",
    "who", "why", "will", "with", "would",
];

/// The tokens of `text`, stop words included.
pub fn tokens(text: &str) -> Tokens {
    let lowered = Lowered::new(text);
    let mut tokens = Tokens::default();
    let mut word = String::new();
    let mut start = 0;
    let mut end = 0;
    for (at, character) in lowered.text().char_indices() {
        let character = if matches!(character, '\u{2018}' | '\u{2019}' | '\u{2bc}') { '\'' } else { character };
        let inside = python::is_alnum(character) || (character == '\'' && !word.is_empty());
        if inside {
            if word.is_empty() {
                start = at;
            }
            word.push(character);
            if character != '\'' {
                end = at + character.len_utf8();
            }
        } else if !word.is_empty() {
            push(&mut tokens, &mut word, lowered.original(start..end));
        }
    }
    push(&mut tokens, &mut word, lowered.original(start..end));
    tokens
}

/// Adds the word without its possessive ending and apostrophes, and clears it.
fn push(tokens: &mut Tokens, word: &mut String, span: std::ops::Range<usize>) {
    let bare = word.trim_end_matches('\'');
    let bare = bare.strip_suffix("'s").unwrap_or(bare).replace('\'', "");
    if !bare.is_empty() {
        tokens.push(&bare, span);
    }
    word.clear();
}

/// Whether `token` says nothing about the content.
pub fn is_stop_word(token: &str) -> bool {
    STOP_WORDS.binary_search(&token).is_ok()
}

/// The token without a plural ending.
pub fn stem(token: &str) -> String {
    let length = token.chars().count();
    if length > 4
        && let Some(stem) = token.strip_suffix("ies")
    {
        return format!("{stem}y");
    }
    let keeps = ["ss", "us", "is"].iter().any(|ending| token.ends_with(ending));
    match token.strip_suffix('s') {
        Some(stem) if length > 3 && !keeps => stem.to_owned(),
        _ => token.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
