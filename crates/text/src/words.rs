//! Words of running text in any script, for showing where two texts differ.
//!
//! No published definition is followed here: what counts is that a reader takes a piece for one thing. A number is whole
//! with its separators, sign, currency and per cent; an apostrophe inside a word belongs to it; scripts that are written
//! without spaces give a piece for each character; every other mark is a piece of its own.
//!
//! ```
//! use probare_text::words::words;
//!
//! let text = "Don't pay €1,998.50 (−3%)!";
//! let pieces: Vec<&str> = words(text).into_iter().map(|span| &text[span]).collect();
//! assert_eq!(pieces, ["Don't", "pay", "€1,998.50", "(", "−3%", ")", "!"]);
//! ```

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

use unicode_general_category::{GeneralCategory, get_general_category};

use crate::python::{is_alnum, is_decimal};

/// The spans of the words of a text, in order. What lies between them is white space.
pub fn words(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        probare_cancellation::count_steps(1);
        if character.is_whitespace() {
            continue;
        }
        let is_apart = spans.last().is_none_or(|last| last.end < start || !ends_in_word(&text[last.clone()]));
        let leads_number =
            is_apart && is_before_number(character) && starts_with_digit(&text[start + character.len_utf8()..]);
        if is_inside(character) || leads_number {
            read_word(text, character, &mut characters);
        } else {
            skip_marks(&mut characters);
        }
        let end = characters.peek().map_or(text.len(), |(at, _)| *at);
        spans.push(start..end);
    }
    spans
}

/// Whether a piece that [`words`] found is a word or a number rather than a mark.
pub fn is_word(piece: &str) -> bool {
    piece.chars().any(is_alnum)
}

/// Reads on behind the first character of a word or number.
fn read_word(text: &str, first: char, characters: &mut Peekable<CharIndices<'_>>) {
    let mut last = first;
    if is_single(first) {
        skip_marks(characters);
        return;
    }
    while let Some(&(at, character)) = characters.peek() {
        probare_cancellation::count_steps(1);
        let rest = &text[at + character.len_utf8()..];
        let goes_on = (is_inside(character) && !is_single(character))
            || is_mark(character)
            || (is_decimal(last) && matches!(character, '.' | ',' | ':' | '/' | '\'' | '’') && starts_with_digit(rest))
            || (is_alnum(last) && is_apostrophe(character) && rest.chars().next().is_some_and(is_alnum))
            || (is_decimal(last) && matches!(character, '%' | '‰' | '€' | '$' | '£' | '°'));
        if !goes_on {
            return;
        }
        last = character;
        characters.next();
    }
}

fn skip_marks(characters: &mut Peekable<CharIndices<'_>>) {
    while characters.next_if(|(_, character)| is_mark(*character)).is_some() {}
}

fn ends_in_word(piece: &str) -> bool {
    piece.chars().next_back().is_some_and(is_inside)
}

fn is_inside(character: char) -> bool {
    is_alnum(character) || character == '_'
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’' | 'ʼ')
}

fn is_before_number(character: char) -> bool {
    matches!(character, '-' | '−' | '+' | '±') || get_general_category(character) == GeneralCategory::CurrencySymbol
}

fn starts_with_digit(text: &str) -> bool {
    text.chars().next().is_some_and(is_decimal)
}

/// Accents and other marks that belong to the character before them.
fn is_mark(character: char) -> bool {
    use GeneralCategory::{EnclosingMark, Format, NonspacingMark, SpacingMark};
    matches!(get_general_category(character), NonspacingMark | SpacingMark | EnclosingMark | Format)
}

/// Characters of scripts without spaces between words: Thai to Myanmar, Khmer, kana, Han.
fn is_single(character: char) -> bool {
    matches!(u32::from(character),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
            | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        words(text).into_iter().map(|span| &text[span]).collect()
    }

    #[test]
    fn numbers_are_whole() {
        assert_eq!(pieces("in 1998/99, at 7:30, 3.5 km"), ["in", "1998/99", ",", "at", "7:30", ",", "3.5", "km"]);
        assert_eq!(pieces("1990-1995 and -5°"), ["1990", "-", "1995", "and", "-5°"]);
        assert_eq!(pieces("12’000 $4 10%."), ["12’000", "$4", "10%", "."]);
    }

    #[test]
    fn words_keep_their_marks() {
        assert_eq!(pieces("l’été, e\u{301}te\u{301}"), ["l’été", ",", "e\u{301}te\u{301}"]);
        assert_eq!(pieces("well-known 'tis"), ["well", "-", "known", "'", "tis"]);
        assert_eq!(pieces("हिन्दी में"), ["हिन्दी", "में"]);
    }

    #[test]
    fn scripts_without_spaces_give_characters() {
        assert_eq!(pieces("東京に行く"), ["東", "京", "に", "行", "く"]);
        assert_eq!(pieces("A株"), ["A", "株"]);
    }

    proptest! {
        #[test]
        fn nothing_but_space_is_left_out(text in "\\PC{0,60}") {
            let mut end = 0;
            for span in words(&text) {
                prop_assert!(span.start >= end && span.end > span.start);
                prop_assert!(text[end..span.start].chars().all(char::is_whitespace));
                end = span.end;
            }
            prop_assert!(text[end..].chars().all(char::is_whitespace));
        }
    }
}
