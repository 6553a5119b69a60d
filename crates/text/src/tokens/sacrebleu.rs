//! Tokenizers of sacreBLEU (2.6): `13a`, `intl` and `char`.
//!
//! They define what BLEU counts, so they keep the case and the effects of the original's rules, quirks included.

use std::ops::Range;

use unicode_general_category::{GeneralCategory, get_general_category};

use crate::python;

use super::rewrite_buffer::{Glyph, RewriteBuffer, pad, push, starts_with};
use super::{TokenEntry, Tokens};

/// `13a`: the tokenizer of the WMT evaluations, the default of BLEU.
///
/// Symbols are cut off, and full stops and commas unless they stand between digits, and the dash behind a digit.
pub fn tokens_13a(text: &str) -> Tokens {
    probare_cancellation::count_steps(text.len());
    // Entities and line ends are rare, and the only characters that do not stand for themselves.
    if memchr::memchr3(b'&', b'<', b'\n', text.as_bytes()).is_some() {
        let mut line = RewriteBuffer::default();
        line.start(text, 0..text.len());
        undo_markup(&mut line);
        let mut tokens = Tokens::default();
        for word in line.words() {
            cut_13a(word.len(), |index| word[index].character, |piece| push(&mut tokens, &word[piece]));
        }
        return tokens;
    }
    let mut entries = Vec::with_capacity(text.len() / 5);
    for span in python::split_spans(text) {
        let chunk = &text.as_bytes()[span.clone()];
        cut_13a(
            chunk.len(),
            |index| char::from(chunk[index]),
            |piece| {
                let span = span.start + piece.start..span.start + piece.end;
                entries.push(TokenEntry { buffer: span.clone(), span });
            },
        );
    }
    Tokens { buffer: text.to_owned(), entries }
}

/// Cuts a word without white space, of which only ASCII characters matter; `at` gives them.
///
/// The original does it in four substitutions, each of which uses up a mark and a neighbour. What that comes to for a
/// run of full stops and commas: all are cut off, but the last one stays with the digit behind it if the substitutions
/// used up its neighbours in pairs before they reached it.
fn cut_13a(length: usize, at: impl Fn(usize) -> char, mut found: impl FnMut(Range<usize>)) {
    let is_digit = |index: usize| index < length && at(index).is_ascii_digit();
    let is_point = |index: usize| index < length && matches!(at(index), '.' | ',');
    let mut start = 0;
    let mut index = 0;
    while index < length {
        match at(index) {
            '.' | ',' => {
                let run = (index..length).take_while(|&index| is_point(index)).count();
                let after_digit = index > 0 && is_digit(index - 1);
                let stays = is_digit(index + run) && (run % 2 == 1) == after_digit;
                if !(stays && run == 1) && start < index {
                    found(start..index);
                    start = index;
                }
                let cut = if stays { run - 1 } else { run };
                for point in index..index + cut {
                    found(point..point + 1);
                    start = point + 1;
                }
                index += run;
                continue;
            }
            ' '..='&' | '('..='+' | '/' | ':'..='@' | '['..='`' | '{'..='~' => {}
            '-' if index > 0 && is_digit(index - 1) => {}
            _ => {
                index += 1;
                continue;
            }
        }
        if start < index {
            found(start..index);
        }
        found(index..index + 1);
        index += 1;
        start = index;
    }
    if start < length {
        found(start..length);
    }
}

/// `intl`: punctuation is cut off unless it stands between digits, symbols always.
///
/// sacreBLEU asks the package `regex`, which has tables of its own and newer ones than Python: Unicode 16.0 here.
pub fn tokens_international(text: &str) -> Tokens {
    probare_cancellation::count_steps(text.len());
    let mut line = RewriteBuffer::default();
    line.start(text, 0..text.len());
    cut_after(&mut line, |before, mark| !is_number(before) && is_punctuation(mark));
    cut_before(&mut line, |mark, after| is_punctuation(mark) && !is_number(after));
    line.substitute(
        |glyphs, at, output| {
            if is_symbol(glyphs[at].character) { pad(&glyphs[at..=at], output) } else { 0 }
        },
    );
    line.tokens()
}

/// Category P.
fn is_punctuation(character: char) -> bool {
    matches!(
        get_general_category(character),
        GeneralCategory::ConnectorPunctuation
            | GeneralCategory::DashPunctuation
            | GeneralCategory::OpenPunctuation
            | GeneralCategory::ClosePunctuation
            | GeneralCategory::InitialPunctuation
            | GeneralCategory::FinalPunctuation
            | GeneralCategory::OtherPunctuation
    )
}

/// Category N.
fn is_number(character: char) -> bool {
    matches!(
        get_general_category(character),
        GeneralCategory::DecimalNumber | GeneralCategory::LetterNumber | GeneralCategory::OtherNumber
    )
}

/// Category S.
fn is_symbol(character: char) -> bool {
    matches!(
        get_general_category(character),
        GeneralCategory::MathSymbol
            | GeneralCategory::CurrencySymbol
            | GeneralCategory::ModifierSymbol
            | GeneralCategory::OtherSymbol
    )
}

/// `char`: every character but white space.
pub fn characters(text: &str) -> Tokens {
    probare_cancellation::count_steps(text.len());
    let mut tokens = Tokens::default();
    let mut buffer = [0; 4];
    for (start, character) in text.char_indices().filter(|&(_, character)| !python::is_space(character)) {
        tokens.push(character.encode_utf8(&mut buffer), start..start + character.len_utf8());
    }
    tokens
}

/// Drops what stands for nothing, joins words that were cut at the end of a line, and reads the four entities.
fn undo_markup(line: &mut RewriteBuffer) {
    replace(line, "<skipped>", None);
    replace(line, "-\n", None);
    replace(line, "\n", Some(' '));
    if line.contains_any(&['&']) {
        replace(line, "&quot;", Some('"'));
        replace(line, "&amp;", Some('&'));
        replace(line, "&lt;", Some('<'));
        replace(line, "&gt;", Some('>'));
    }
}

/// Replaces every `pattern`, which is ASCII.
fn replace(line: &mut RewriteBuffer, pattern: &str, replacement: Option<char>) {
    line.substitute(|glyphs, at, output| {
        if !starts_with(&glyphs[at..], pattern) {
            return 0;
        }
        let last = at + pattern.len() - 1;
        output.extend(replacement.map(|character| Glyph::replacing(character, glyphs[at], glyphs[last])));
        pattern.len()
    });
}

/// Puts spaces around the second of two neighbours for which `holds`; both are then used up.
fn cut_after(line: &mut RewriteBuffer, holds: impl Fn(char, char) -> bool) {
    line.substitute(|glyphs, at, output| match glyphs.get(at + 1) {
        Some(&mark) if holds(glyphs[at].character, mark.character) => {
            output.extend([glyphs[at], Glyph::SPACE, mark, Glyph::SPACE]);
            2
        }
        _ => 0,
    });
}

/// Puts spaces around the first of two neighbours for which `holds`; both are then used up.
fn cut_before(line: &mut RewriteBuffer, holds: impl Fn(char, char) -> bool) {
    line.substitute(|glyphs, at, output| match glyphs.get(at + 1) {
        Some(&after) if holds(glyphs[at].character, after.character) => {
            output.extend([Glyph::SPACE, glyphs[at], Glyph::SPACE, after]);
            2
        }
        _ => 0,
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(tokens: &Tokens) -> Vec<&str> {
        tokens.texts().collect()
    }

    #[test]
    fn numbers_keep_their_points() {
        let tokens = tokens_13a("It cost $1,850.50, i.e. 3-4% \"more\".");
        assert_eq!(
            texts(&tokens),
            ["It", "cost", "$", "1,850.50", ",", "i", ".", "e", ".", "3", "-", "4", "%", "\"", "more", "\"", "."]
        );
    }

    #[test]
    fn entities_lead_back_to_their_source() {
        let text = "a &quot;b&quot;";
        let tokens = tokens_13a(text);
        assert_eq!(texts(&tokens), ["a", "\"", "b", "\""]);
        assert_eq!(tokens.get(1).unwrap().span, 2..8);
    }

    #[test]
    fn a_year_keeps_its_full_stop_in_the_international_one() {
        assert_eq!(texts(&tokens_international("in 2019.")), ["in", "2019."]);
        assert_eq!(texts(&tokens_international("«no» 5€")), ["«", "no", "»", "5", "€"]);
    }

    #[test]
    fn symbols_of_newer_unicode_are_known_to_the_international_one() {
        // The heart is of Unicode 15, which Python 3.11 does not know and the package `regex` does.
        assert_eq!(texts(&tokens_international("love🩵you")), ["love", "🩵", "you"]);
    }

    #[test]
    fn characters_leave_out_space() {
        assert_eq!(texts(&characters("a é\t中")), ["a", "é", "中"]);
    }

    proptest! {
        #[test]
        fn spans_are_in_order(text in "[a-z0-9 .,&;<>\n“é中-]{0,40}") {
            for tokens in [tokens_13a(&text), tokens_international(&text), characters(&text)] {
                let mut end = 0;
                for token in tokens.iter() {
                    prop_assert!(token.span.start >= end);
                    prop_assert!(text.get(token.span.clone()).is_some());
                    end = token.span.end;
                }
            }
        }
    }
}
