//! `str.lower`, and the way back from the lower-cased text to the text as given.
//!
//! Lower-casing can change how many bytes a character takes (`İ` grows, the Kelvin sign shrinks), so a span found in the
//! lower-cased text is not a span of the original. [`LowercaseText`] keeps the places where the two drift apart.

use std::ops::Range;

use super::characters::is_in;
use super::tables;

/// A lower-cased text that knows where each of its bytes came from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LowercaseText {
    text: String,
    /// Characters whose length in bytes changed, in order. Between them both texts run in step.
    resized: Vec<ResizedChar>,
}

/// One character whose lower case takes another number of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ResizedChar {
    lowered: Range<usize>,
    original: Range<usize>,
}

impl LowercaseText {
    /// Lower-cases `text` as Python does.
    pub fn new(text: &str) -> Self {
        probare_cancellation::count_steps(text.len());
        if text.is_ascii() {
            return Self { text: text.to_ascii_lowercase(), resized: Vec::new() };
        }
        let mut lowered = String::with_capacity(text.len() + 8);
        let mut resized = Vec::new();
        for (start, character) in text.char_indices() {
            let before = lowered.len();
            match character {
                'İ' => lowered.push_str("i\u{307}"),
                'Σ' => lowered.push(if is_final_sigma(text, start) { 'ς' } else { 'σ' }),
                _ => lowered.push(lower_character(character)),
            }
            if lowered.len() - before != character.len_utf8() {
                resized.push(ResizedChar {
                    lowered: before..lowered.len(),
                    original: start..start + character.len_utf8(),
                });
            }
        }
        Self { text: lowered, resized }
    }

    /// Keeps `text` as it is, for code that works on lower-cased and on untouched text alike.
    pub fn unchanged(text: &str) -> Self {
        Self { text: text.to_owned(), resized: Vec::new() }
    }

    /// The lower-cased text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lower-cased text, without the way back.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Bytes of the original that `span` of the lower-cased text came from: all characters it touches, whole.
    pub fn original_span(&self, span: Range<usize>) -> Range<usize> {
        if self.resized.is_empty() {
            return span;
        }
        self.original_start(span.start)..self.original_end(span.end)
    }

    fn original_start(&self, at: usize) -> usize {
        match self.last_resized_before(at + 1) {
            Some(change) if at < change.lowered.end => change.original.start,
            Some(change) => change.original.end + (at - change.lowered.end),
            None => at,
        }
    }

    fn original_end(&self, at: usize) -> usize {
        match self.last_resized_before(at) {
            Some(change) if at < change.lowered.end => change.original.end,
            Some(change) => change.original.end + (at - change.lowered.end),
            None => at,
        }
    }

    /// The last resized character that starts before `at` in the lower-cased text.
    fn last_resized_before(&self, at: usize) -> Option<&ResizedChar> {
        let after = self.resized.partition_point(|change| change.lowered.start < at);
        after.checked_sub(1).map(|index| &self.resized[index])
    }
}

/// `str.lower`: full lower-casing with the final sigma.
pub fn lower(text: &str) -> String {
    LowercaseText::new(text).into_text()
}

/// Lower case of one character on its own; the two that depend on more (`İ`, `Σ`) are the caller's.
fn lower_character(character: char) -> char {
    if character.is_ascii() {
        return character.to_ascii_lowercase();
    }
    let code = u32::from(character);
    let after = tables::TO_LOWER_CASE.partition_point(|&(first, ..)| first <= code);
    let Some(&(first, last, step, difference)) =
        after.checked_sub(1).and_then(|index| tables::TO_LOWER_CASE.get(index))
    else {
        return character;
    };
    if code > last || (code - first) % step != 0 {
        return character;
    }
    code.checked_add_signed(difference).and_then(char::from_u32).unwrap_or(character)
}

/// Whether the capital sigma at byte `at` ends a word: a cased letter before it and none after, marks apart.
fn is_final_sigma(text: &str, at: usize) -> bool {
    let before = text[..at].chars().rev().find(|&character| !is_case_ignorable(character));
    let after = text[at + 'Σ'.len_utf8()..].chars().find(|&character| !is_case_ignorable(character));
    before.is_some_and(is_cased) && !after.is_some_and(is_cased)
}

fn is_cased(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_alphabetic() } else { is_in(tables::CASED, character) }
}

fn is_case_ignorable(character: char) -> bool {
    if character.is_ascii() {
        matches!(character, '\'' | '.' | ':' | '^' | '`')
    } else {
        is_in(tables::CASE_IGNORABLE, character)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sigma_is_final_at_the_end_of_a_word_only() {
        assert_eq!(lower("ΟΔΟΣ ΣΑΣ Σ"), "οδος σας σ");
        assert_eq!(lower("ΑΣ' ΑΣ'Α Σ"), "ας' ασ'α σ");
    }

    #[test]
    fn dotted_capital_i_grows_and_the_span_leads_back() {
        let lowered = LowercaseText::new("aİb \u{212a} z");
        assert_eq!(lowered.text(), "ai\u{307}b k z");
        assert_eq!(lowered.original_span(0..1), 0..1);
        assert_eq!(lowered.original_span(1..2), 1..3);
        assert_eq!(lowered.original_span(2..5), 1..4);
        assert_eq!(lowered.original_span(4..5), 3..4);
        assert_eq!(lowered.original_span(6..7), 5..8);
        assert_eq!(lowered.original_span(8..9), 9..10);
    }

    #[test]
    fn scripts_with_cases_are_lowered() {
        assert_eq!(lower("ÀÉß ЖЯ Ա Ⴀ Ꭰ ᲀ Ⅷ Ⓐ Ａ 𐐀 ẞ"), "àéß жя ա ⴀ ꭰ ᲀ ⅷ ⓐ ａ 𐐨 ß");
    }

    proptest! {
        #[test]
        fn spans_of_characters_lead_back_to_what_lowers_to_them(text in "[a-zA-Zİ\u{212a}Σß é]{0,20}") {
            let lowered = LowercaseText::new(&text);
            for (start, character) in lowered.text().char_indices() {
                let span = lowered.original_span(start..start + character.len_utf8());
                let source = &text[span];
                prop_assert_eq!(source.chars().count(), 1);
                prop_assert!(lower(source).contains(character) || source == "Σ");
            }
        }

        #[test]
        fn agrees_with_rust_on_common_scripts(text in "[\u{0}-\u{24f}\u{370}-\u{4ff}]{0,30}") {
            prop_assert_eq!(lower(&text), text.to_lowercase());
        }
    }
}
