//! Two normal forms of text, each with the way back to the original.
//!
//! [`normalise`] is for comparing answers with expected values: no case, no accents, no punctuation. [`verbatim`] is for
//! finding quotations: it forgives what copying changes (case, spaces, quotation marks, dashes) and keeps every letter.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

use crate::aligned_text::AlignedText;
use crate::python;

/// The form in which answers are compared: lower-case letters and digits of any script, single spaces.
///
/// Letters that do not decompose are spelled out (`ø` to `o`), apostrophes inside words and accents vanish, `&` and `%`
/// become words, thousands commas go, a dot stays between digits only, all else separates.
///
/// ```
/// use probare_text::normalise::normalise;
///
/// assert_eq!(normalise("Ærøskøbing's 1,250 m²: R&D, 3.5%"), "aeroskobings 1250 m2 r and d 3.5 percent");
/// ```
pub fn normalise(text: &str) -> String {
    probare_cancellation::count_steps(text.len());
    if text.is_ascii() { normalise_ascii(text.as_bytes()) } else { normalise_unicode(text) }
}

/// [`normalise`] with the way back to `text`.
pub fn normalise_aligned(text: &str) -> AlignedText {
    AlignedText::new(text)
        .replace(ascii_spelling)
        .replace_between(|before, character, after| {
            let is_inside_word =
                before.is_some_and(python::is_word) && after.chars().next().is_some_and(python::is_word);
            (is_apostrophe(character) && is_inside_word).then_some("")
        })
        .nfkd()
        .delete(is_nonspacing_mark)
        .lowercase()
        .replace(ascii_spelling)
        .replace_between(|before, character, after| match character {
            '&' => Some(" and "),
            '%' => Some(" percent "),
            ',' if before.is_some_and(python::is_decimal) && starts_with_three_digits(after) => Some(""),
            _ => None,
        })
        .replace_between(|before, character, after| {
            let is_kept = python::is_alnum(character)
                || (character == '.'
                    && before.is_some_and(python::is_decimal)
                    && after.chars().next().is_some_and(python::is_decimal));
            if is_kept { None } else { Some(" ") }
        })
        .collapse_whitespace()
}

/// The same steps for ASCII in one pass; most text is ASCII and needs no way back.
fn normalise_ascii(text: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut separated = false;
    for (at, &byte) in text.iter().enumerate() {
        let before = at.checked_sub(1).map(|index| text[index]);
        let after = text.get(at + 1).copied();
        let is_between = |test: fn(&u8) -> bool| before.is_some_and(|b| test(&b)) && after.is_some_and(|b| test(&b));
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {}
            b'.' if is_between(u8::is_ascii_digit) => {}
            b'\'' | b'`' if is_between(|b| b.is_ascii_alphanumeric() || *b == b'_') => continue,
            b',' if before.is_some_and(|b| b.is_ascii_digit()) && has_three_digits(&text[at + 1..]) => continue,
            b'&' | b'%' => {
                if !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(if byte == b'&' { "and" } else { "percent" });
                separated = true;
                continue;
            }
            _ => {
                separated = true;
                continue;
            }
        }
        if separated && !out.is_empty() {
            out.push(' ');
        }
        separated = false;
        out.push(char::from(byte.to_ascii_lowercase()));
    }
    out
}

/// The same steps without the way back.
fn normalise_unicode(text: &str) -> String {
    let mut spelled = String::with_capacity(text.len());
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let mut is_inside_word =
            || before.is_some_and(python::is_word) && characters.peek().is_some_and(|&next| python::is_word(next));
        match ascii_spelling(character) {
            Some(letters) => spelled.push_str(letters),
            None if is_apostrophe(character) && is_inside_word() => {}
            None => spelled.push(character),
        }
        // Neighbours are looked at after letters were spelled out, which leaves word characters what they are.
        before = Some(character);
    }
    let lowered = python::lower(&without_marks(&spelled));
    let mut out = String::with_capacity(lowered.len());
    let mut is_separated = false;
    let mut before = None;
    for (at, character) in lowered.char_indices() {
        let after = &lowered[at + character.len_utf8()..];
        let is_behind_digit = before.is_some_and(python::is_decimal);
        before = Some(character);
        let word = match character {
            '&' => "and",
            '%' => "percent",
            ',' if is_behind_digit && starts_with_three_digits(after) => continue,
            '.' if is_behind_digit && after.chars().next().is_some_and(python::is_decimal) => "",
            _ if python::is_alnum(character) => "",
            _ => {
                is_separated = true;
                continue;
            }
        };
        if (is_separated || !word.is_empty()) && !out.is_empty() {
            out.push(' ');
        }
        is_separated = !word.is_empty();
        match ascii_spelling(character) {
            Some(letters) => out.push_str(letters),
            None if word.is_empty() => out.push(character),
            None => out.push_str(word),
        }
    }
    out
}

/// The compatibility decomposition without the marks that take no space.
fn without_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        // ASCII stays as it is, and nothing is reordered across it.
        let ascii = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        plain.push_str(&rest[..ascii]);
        rest = &rest[ascii..];
        let other = rest.bytes().position(|byte| byte.is_ascii()).unwrap_or(rest.len());
        plain.extend(rest[..other].nfkd().filter(|&character| !is_nonspacing_mark(character)));
        rest = &rest[other..];
    }
    plain
}

fn is_nonspacing_mark(character: char) -> bool {
    character >= '\u{300}' && get_general_category(character) == GeneralCategory::NonspacingMark
}

fn has_three_digits(text: &[u8]) -> bool {
    text.len() >= 3 && text[..3].iter().all(u8::is_ascii_digit) && !text.get(3).is_some_and(u8::is_ascii_digit)
}

fn starts_with_three_digits(text: &str) -> bool {
    text.chars().take(4).take_while(|&character| python::is_decimal(character)).count() == 3
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’' | '‘' | 'ʼ' | '´' | '`')
}

/// Letters that have no decomposition in Unicode but a customary spelling in ASCII.
fn ascii_spelling(character: char) -> Option<&'static str> {
    Some(match character {
        'ø' | 'Ø' => "o",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ß' | 'ẞ' => "ss",
        'ł' | 'Ł' => "l",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'þ' | 'Þ' => "th",
        'ı' => "i",
        'ħ' | 'Ħ' => "h",
        _ => return None,
    })
}

/// A text in the form in which quotations are looked for, with the way back to its NFC form and to the text as given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerbatimText {
    composed: AlignedText,
    form: AlignedText,
}

impl VerbatimText {
    /// The normal form: NFC, no invisible characters, single spaces, ASCII quotes, dashes and ellipses, lower case.
    /// Diacritics are kept.
    pub fn text(&self) -> &str {
        self.form.text()
    }

    /// The text as given, in NFC.
    pub fn composed(&self) -> &str {
        self.composed.text()
    }

    /// The byte range of the NFC text that `range` of the normal form came from.
    pub fn composed_span(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.form.original_span(range)
    }

    /// The byte range of the text as given that `range` of the normal form came from.
    pub fn original_span(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.composed.original_span(self.form.original_span(range))
    }
}

/// The form in which quotations are looked for.
pub fn verbatim(text: &str) -> VerbatimText {
    let composed = AlignedText::new(text).nfc();
    let form = AlignedText::new(composed.text())
        .delete(is_invisible)
        .replace(ascii_punctuation)
        .collapse_whitespace()
        .lowercase();
    VerbatimText { composed, form }
}

/// A quotation in the same form as [`verbatim`], without the punctuation and spaces around it.
pub fn verbatim_quote(quote: &str) -> String {
    verbatim(quote).text().trim_matches(is_quote_margin).to_owned()
}

/// Punctuation that a quotation loses at both ends.
fn is_quote_margin(character: char) -> bool {
    matches!(character, ' ' | '"' | '\'' | '.' | ',' | ';' | ':' | '!' | '?' | '-' | '(' | ')' | '[' | ']')
}

/// The soft hyphen and characters without width.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

fn ascii_punctuation(character: char) -> Option<&'static str> {
    Some(match character {
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '〝' | '〞' | '＂' => "\"",
        '‘' | '’' | '‚' | '‛' | '‹' | '›' | 'ʼ' | '´' | '`' | '′' | '＇' => "'",
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '﹘' | '﹣' | '－' => "-",
        '…' => "...",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spans_lead_back_through_all_steps() {
        let text = "«Tromsø’s» 1,250 %";
        let aligned = normalise_aligned(text);
        assert_eq!(aligned.text(), "tromsos 1250 percent");
        assert_eq!(&text[aligned.original_span(0..7)], "Tromsø’s");
        assert_eq!(&text[aligned.original_span(8..12)], "1,250");
        assert_eq!(&text[aligned.original_span(13..20)], "%");
    }

    #[test]
    fn marks_between_letters_are_not_all_alike() {
        assert_eq!(normalise("हिन्दी"), "ह नद", "spacing marks separate, others vanish");
        assert_eq!(normalise("ΟΔΟΣ"), "οδος");
        assert_eq!(normalise("１，２３４．５"), "1234.5");
    }

    #[test]
    fn quotations_are_found_across_typography() {
        let content = verbatim("He said: “It’s  over”\u{200b} — cafe\u{301}…");
        assert_eq!(content.text(), "he said: \"it's over\" - café...");
        assert_eq!(verbatim_quote("“It's over” – Café…"), "it's over\" - café");
        let at = content.text().find("café").unwrap();
        assert_eq!(&content.composed()[content.composed_span(at..at + 5)], "café");
    }

    proptest! {
        #[test]
        fn the_short_way_for_ascii_agrees_with_the_long_one(text in "[ -~\n\t]{0,60}") {
            prop_assert_eq!(normalise_ascii(text.as_bytes()), normalise_aligned(&text).into_text());
        }

        #[test]
        fn the_way_without_spans_agrees_with_the_one_that_keeps_them(
            text in prop_oneof![any::<String>(), "[a-cø’ʼßİΣ&%,.0-9 é\u{301}½①]{0,30}"],
        ) {
            prop_assert_eq!(normalise_unicode(&text), normalise_aligned(&text).into_text());
        }

        #[test]
        fn normalising_twice_changes_nothing(text in any::<String>()) {
            let once = normalise(&text);
            prop_assert_eq!(normalise(&once), once.clone());
        }

        #[test]
        fn spans_of_both_forms_lie_inside(text in any::<String>(), start in 0usize..40, length in 0usize..40) {
            let aligned = normalise_aligned(&text);
            prop_assert!(text.get(aligned.original_span(start..start + length)).is_some());
            let quote = verbatim(&text);
            prop_assert!(text.get(quote.original_span(start..start + length)).is_some());
            prop_assert!(quote.composed().get(quote.composed_span(start..start + length)).is_some());
        }
    }
}
