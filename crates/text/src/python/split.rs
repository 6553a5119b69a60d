//! `str.split()` without argument, and `str.strip()`.

use std::ops::Range;

use super::is_space;
use crate::runs::for_each_run;

/// Iterator of [`split`].
#[derive(Debug, Clone)]
pub struct Split<'t> {
    text: &'t str,
    at: usize,
}

impl Split<'_> {
    fn next_span(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        while start < bytes.len() {
            match space_length(self.text, start) {
                0 => break,
                length => start += length,
            }
        }
        let mut end = start;
        while end < bytes.len() && space_length(self.text, end) == 0 {
            end += character_length(bytes[end]);
        }
        self.at = end;
        (start < end).then_some(start..end)
    }
}

impl<'t> Iterator for Split<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let span = self.next_span()?;
        Some(&self.text[span])
    }
}

/// `str.split()`: the runs of characters that are not space.
pub fn split(text: &str) -> Split<'_> {
    Split { text, at: 0 }
}

/// Calls `found` with the byte ranges of what [`split`] gives, in order.
pub fn for_each_word(text: &str, mut found: impl FnMut(Range<usize>)) {
    if text.is_ascii() {
        for_each_run(text.as_bytes(), |byte| !is_ascii_space(byte), |start, end| found(start..end));
    } else {
        split_spans(text).for_each(found);
    }
}

const fn is_ascii_space(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | 0x1c..=b' ')
}

/// Byte ranges of what [`split`] gives.
pub fn split_spans(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut pieces = split(text);
    std::iter::from_fn(move || pieces.next_span())
}

/// `str.strip()`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// `str.lstrip()`.
pub fn strip_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// `str.rstrip()`.
pub fn strip_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// Bytes of the space character at `at`, 0 if it is none. `at` is the start of a character.
#[inline]
fn space_length(text: &str, at: usize) -> usize {
    let byte = text.as_bytes()[at];
    if byte < 0x80 {
        return usize::from(is_ascii_space(byte));
    }
    // Every space beyond ASCII starts with one of these bytes; most letters beyond ASCII do not.
    if !matches!(byte, 0xc2 | 0xe1 | 0xe2 | 0xe3) {
        return 0;
    }
    text[at..].chars().next().filter(|&character| is_space(character)).map_or(0, char::len_utf8)
}

/// Length in bytes of the character that starts with `first`.
#[inline]
fn character_length(first: u8) -> usize {
    match first {
        0..=0xbf => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xff => 4,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_space_gives_nothing() {
        assert_eq!(split(" \t\u{a0}\u{2003}\u{1e} ").count(), 0);
        assert_eq!(split("").count(), 0);
    }

    #[test]
    fn unicode_space_separates() {
        assert_eq!(split("a\u{3000}b\u{85}é\u{200b}c").collect::<Vec<_>>(), ["a", "b", "é\u{200b}c"]);
    }

    #[test]
    fn strip_takes_both_ends() {
        assert_eq!(strip("\u{1f} a b\u{2028}"), "a b");
        assert_eq!(strip_start("  a "), "a ");
        assert_eq!(strip_end("  a "), "  a");
    }

    proptest! {
        #[test]
        fn all_pieces_are_those_of_the_iterator(text in "[ab\\s\u{1c}]{0,150}é?") {
            let mut pieces = Vec::new();
            for_each_word(&text, |span| pieces.push(span));
            prop_assert_eq!(pieces, split_spans(&text).collect::<Vec<_>>());
        }

        #[test]
        fn equals_splitting_character_by_character(text in "[ab\\s\u{1c}\u{a0}é\u{2003}\u{3000}𐐀]{0,20}") {
            let expected: Vec<&str> = text.split(is_space).filter(|piece| !piece.is_empty()).collect();
            prop_assert_eq!(split(&text).collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(split_spans(&text).map(|span| &text[span]).collect::<Vec<_>>(), expected);
        }
    }
}
