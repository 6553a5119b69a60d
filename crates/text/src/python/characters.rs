//! Classes of characters, as Python's `str` methods and `re` see them.

use unicode_general_category::GeneralCategory::{
    ClosePunctuation, ConnectorPunctuation, Control, DashPunctuation, DecimalNumber, FinalPunctuation, Format,
    InitialPunctuation, LetterNumber, LineSeparator, LowercaseLetter, ModifierLetter, OpenPunctuation, OtherLetter,
    OtherNumber, OtherPunctuation, ParagraphSeparator, PrivateUse, SpaceSeparator, Surrogate, TitlecaseLetter,
    Unassigned, UppercaseLetter,
};
use unicode_general_category::{GeneralCategory, get_general_category};

use super::tables;

/// Whether `table` holds `character`, which is not ASCII.
pub(super) fn is_in(table: &[u32], character: char) -> bool {
    let code = u32::from(character);
    table.partition_point(|&boundary| boundary <= code) % 2 == 1
}

/// The general category as Unicode 14 has it, by which Python 3.11 goes.
fn category(character: char) -> GeneralCategory {
    if !character.is_ascii() && is_in(tables::LATER, character) { Unassigned } else { get_general_category(character) }
}

/// `str.isalpha` of one character: general category L.
#[inline]
pub fn is_alpha(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphabetic();
    }
    matches!(category(character), UppercaseLetter | LowercaseLetter | TitlecaseLetter | ModifierLetter | OtherLetter)
}

/// `str.isnumeric` of one character: digits, fractions, ideographs that stand for numbers.
#[inline]
pub fn is_numeric(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_digit() } else { is_in(tables::NUMERIC, character) }
}

/// `str.isdigit` of one character: decimals and digits such as `²`.
#[inline]
pub fn is_digit(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_digit() } else { is_in(tables::DIGIT, character) }
}

/// `str.isdecimal` of one character, and `\d`: general category Nd.
#[inline]
pub fn is_decimal(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_digit() } else { is_in(tables::DECIMAL, character) }
}

/// `str.isalnum` of one character: a letter or anything numeric. Combining marks are neither.
#[inline]
pub fn is_alnum(character: char) -> bool {
    // Decimals and digits are numeric too.
    is_alpha(character) || is_numeric(character)
}

/// `\w`: `str.isalnum` or the underscore.
#[inline]
pub fn is_word(character: char) -> bool {
    character == '_' || is_alnum(character)
}

/// `str.isspace` of one character, and `\s`: Unicode white space and U+001C to U+001F.
#[inline]
pub fn is_space(character: char) -> bool {
    if character.is_ascii() { matches!(character, '\t'..='\r' | '\x1c'..=' ') } else { is_in(tables::SPACE, character) }
}

/// `str.isupper` of one character.
#[inline]
pub fn is_upper(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_uppercase() } else { is_in(tables::UPPER_CASE, character) }
}

/// `str.islower` of one character.
#[inline]
pub fn is_lower(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_lowercase() } else { is_in(tables::LOWER_CASE, character) }
}

/// `str.isprintable` of one character: what `repr` leaves as it is.
#[inline]
pub fn is_printable(character: char) -> bool {
    if character.is_ascii() {
        return matches!(character, ' '..='~');
    }
    !matches!(
        category(character),
        Control | Format | Surrogate | PrivateUse | Unassigned | SpaceSeparator | LineSeparator | ParagraphSeparator
    )
}

/// General category P of `unicodedata.category`.
#[inline]
pub fn is_punctuation(character: char) -> bool {
    matches!(
        category(character),
        ConnectorPunctuation
            | DashPunctuation
            | OpenPunctuation
            | ClosePunctuation
            | InitialPunctuation
            | FinalPunctuation
            | OtherPunctuation
    )
}

/// General category N of `unicodedata.category`: unlike [`is_numeric`] without ideographs, which are letters.
#[inline]
pub fn is_number(character: char) -> bool {
    matches!(category(character), DecimalNumber | LetterNumber | OtherNumber)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_no_word_characters_and_fractions_are() {
        assert!(!is_word('\u{301}'));
        assert!(is_word('½') && is_word('²') && is_word('_') && is_word('é') && is_word('中'));
        assert!(!is_word('-') && !is_word('—') && !is_word(' '));
    }

    #[test]
    fn digits_come_in_three_widths() {
        assert!(is_decimal('٣') && is_digit('٣') && is_numeric('٣'));
        assert!(!is_decimal('²') && is_digit('²') && is_numeric('²'));
        assert!(!is_decimal('½') && !is_digit('½') && is_numeric('½'));
        assert!(is_numeric('三') && is_alpha('三') && !is_number('三'));
    }

    #[test]
    fn information_separators_are_space() {
        assert!(('\u{1c}'..='\u{1f}').all(is_space));
        assert!(is_space('\u{85}') && is_space('\u{a0}') && is_space('\u{3000}'));
        assert!(!is_space('\u{200b}') && !is_space('\u{1b}'));
    }

    #[test]
    fn symbols_are_no_punctuation() {
        let punctuation = ('\0'..='\x7f').filter(|&c| is_punctuation(c)).count();
        assert_eq!(punctuation, 23);
    }

    #[test]
    fn categories_are_those_of_python() {
        assert_eq!(unicode_general_category::UNICODE_VERSION, (16, 0, 0), "`LATER` goes up to this version");
        // What Python 3.11 counts over all characters.
        let count = |holds: fn(char) -> bool| ('\0'..=char::MAX).filter(|character| holds(*character)).count();
        let counts = [is_alpha, is_number, is_punctuation, is_printable].map(count);
        assert_eq!(counts, [131_756, 1_791, 819, 144_516]);
    }

    #[test]
    fn tables_are_sorted() {
        for table in [
            tables::LATER,
            tables::NUMERIC,
            tables::DIGIT,
            tables::DECIMAL,
            tables::SPACE,
            tables::UPPER_CASE,
            tables::LOWER_CASE,
            tables::CASED,
            tables::CASE_IGNORABLE,
        ] {
            assert!(table.is_sorted());
            assert_eq!(table.len() % 2, 0);
        }
    }
}
