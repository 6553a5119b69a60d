//! Tokens of the SynthLink scorer: lower-case alphanumeric words, possessives dropped, apostrophes deleted.
//!
//! `Kodak’s` gives `kodak`, `workers’` gives `workers`, `don't` gives `dont`, `8-hour` gives `8` and `hour`.

use std::borrow::Cow;
use std::ops::Range;

use crate::python::{self, Lowered};

use super::Tokens;
use plain::{Folded, Plain};

mod packed;
mod plain;

pub use packed::Packed;

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
    let mut room = Room::default();
    let (mut numbers, mut spans) = (Vec::new(), Vec::new());
    // No token has a number, so all come with their texts.
    room.read(text, |_| UNKNOWN, &mut numbers, |_, start, end| spans.push(start..end));
    for ((_, token), span) in room.unknown().iter().zip(spans) {
        tokens.push(token, span);
    }
    tokens
}

/// Stands for a number that is not known.
pub const UNKNOWN: u32 = u32::MAX;

/// Reads tokens as numbers, with room for a text on the way. Whoever reads many texts uses the same room for all.
#[derive(Debug, Default)]
pub struct Room {
    plain: Plain,
    /// The tokens of the last text that have no number.
    unknown: Vec<(usize, Box<str>)>,
    /// A token that is no run of the plain text.
    word: String,
}

impl Room {
    /// Adds the number of every token of `text` to `numbers`, in order: for a short one, as most are, what `number` says,
    /// and for others [`UNKNOWN`]. `place` is called with the index of each token, and the start and the end of what it came
    /// from.
    #[inline]
    pub fn read(
        &mut self,
        text: &str,
        number: impl Fn(Packed) -> u32,
        numbers: &mut Vec<u32>,
        place: impl FnMut(usize, usize, usize),
    ) {
        let first = numbers.len();
        // Two tokens have something between them.
        numbers.resize(first + text.len().div_ceil(2), UNKNOWN);
        let count = self.pass(text, number, &mut numbers[first..], place);
        numbers.truncate(first + count);
    }

    /// The tokens of the last text that have no number, with their indices, in order.
    pub fn unknown(&self) -> &[(usize, Box<str>)] {
        &self.unknown
    }

    /// Puts the numbers of all tokens into `numbers`, calls `place` with the index of each token and its bytes, and tells
    /// how many there are.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "there is a loop for each way to number, and its values stay in registers"
    )]
    fn pass(
        &mut self,
        text: &str,
        number: impl Fn(Packed) -> u32,
        numbers: &mut [u32],
        mut place: impl FnMut(usize, usize, usize),
    ) -> usize {
        probare_cancellation::steps(text.len());
        self.unknown.clear();
        if !self.plain.fold(text) {
            let mut count = 0;
            for_each_other(text, &mut self.word, |token, span| {
                numbers[count] = Packed::new(token).map_or(UNKNOWN, &number);
                place(count, span.start, span.end);
                if numbers[count] == UNKNOWN {
                    note(token, count, &mut self.unknown);
                }
                count += 1;
            });
            return count;
        }
        let folded = self.plain.folded();
        let (mut at, mut count) = (0, 0);
        self.plain.each_run(|start, end| {
            // Letters behind an apostrophe belong to the token before it.
            if start < at {
                return;
            }
            let Some(found) = numbers.get_mut(count) else { return };
            if let Some(packed) = folded.usual(start, end) {
                *found = number(packed);
                place(count, start, end);
                if *found == UNKNOWN {
                    note(folded.text(start, end), count, &mut self.unknown);
                }
            } else {
                let (token, end) = unusual(text, folded, start, end, &mut self.word);
                at = end;
                *found = Packed::new(token).map_or(UNKNOWN, &number);
                place(count, start, end);
                if *found == UNKNOWN {
                    note(token, count, &mut self.unknown);
                }
            }
            count += 1;
        });
        count
    }
}

/// Calls `take` with every token of a text that is not plain, and the bytes it came from.
fn for_each_other(text: &str, word: &mut String, mut take: impl FnMut(&str, Range<usize>)) {
    let lowered = Lowered::new(text);
    let mut at = 0;
    while let Some(found) = Word::next(lowered.text(), at) {
        at = found.end;
        found.write_token(lowered.text(), word);
        take(word, lowered.original(found.start..found.end));
    }
}

/// Keeps a token that has no number.
#[cold]
fn note(token: &str, index: usize, unknown: &mut Vec<(usize, Box<str>)>) {
    unknown.push((index, token.into()));
}

/// The token of a run that is long or has a mark behind it, and the end of its word.
#[cold]
fn unusual<'r>(text: &str, folded: Folded<'r>, start: usize, end: usize, word: &'r mut String) -> (&'r str, usize) {
    let behind = if folded.is_at_mark(end) { end_at_mark(&text.as_bytes()[end..]) } else { Some(0) };
    if let Some(length) = behind {
        return (folded.text(start, end), end + length);
    }
    let end = write_word(text, start, word);
    (word, end)
}

/// Writes the token of the word that starts at `start`, and tells where the word ends.
fn write_word(text: &str, start: usize, token: &mut String) -> usize {
    Word::next(text, start).map_or(text.len(), |word| {
        word.write_token(text, token);
        word.end
    })
}

/// Where a word of a plain text ends before a mark, if its token has no letters behind that: there, or behind a possessive
/// `'s`. Counted from the mark.
fn end_at_mark(rest: &[u8]) -> Option<usize> {
    let length = match rest {
        [b'\'', ..] => 1,
        [0xe2, 0x80, 0x98 | 0x99, ..] => 3,
        // Other marks end a word.
        _ => return Some(0),
    };
    let is_inside =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | 0x80..));
    match rest.get(length) {
        Some(b's' | b'S') if !is_inside(rest.get(length + 1)) => Some(length + 1),
        next if !is_inside(next) => Some(0),
        _ => None,
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
struct Word {
    start: usize,
    end: usize,
    has_apostrophe: bool,
}

impl Word {
    /// The first word at `at` or behind it, read character by character.
    #[cold]
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

        #[test]
        fn plain_texts_are_cut_like_all_others(text in "[a-cA-C0s'\u{2019}\u{201c}\u{2013}. -]{0,24}") {
            // The letter at the end sends the text the other way, as a token of its own.
            let (plain, other) = (tokens(&text), tokens(&format!("{text} é")));
            prop_assert!(Plain::default().fold(&text));
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
