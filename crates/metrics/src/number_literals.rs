//! Numbers written in digits, found in running text with their bytes.
//!
//! Only what a reader takes for a plain number counts: `1,234.5`, `-3`, `−$3.50`, `.5`, `6.02e23`. Digits inside a word
//! (`GPT4`), in versions and addresses (`2.3.1`) do not. Number words, fractions and units are not read.

use std::ops::Range;

/// A number and where it stands, its sign included.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NumberLiteral {
    pub value: f64,
    pub span: Range<usize>,
}

/// The numbers of a text, from left to right. A literal that no finite number holds is left out.
pub(crate) fn number_literals(text: &str) -> impl Iterator<Item = NumberLiteral> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            probare_cancellation::count_steps(1);
            let start = at + text.as_bytes().get(at..)?.iter().position(u8::is_ascii_digit)?;
            let (literal, next) = read(text, start, at);
            at = next;
            if literal.is_some() {
                return literal;
            }
        }
    })
}

/// Reads the number whose first digit stands at `digit`; nothing before `floor` belongs to it. Also says where to go on.
fn read(text: &str, digit: usize, floor: usize) -> (Option<NumberLiteral>, usize) {
    let bytes = text.as_bytes();
    let mut start = digit;
    if start > floor && bytes[start - 1] == b'.' {
        // A point that ends a word or an ellipsis is not part of the number.
        let point_before = text[floor..start - 1].chars().next_back();
        if point_before.is_none_or(|character| !character.is_alphanumeric() && character != '.') {
            start -= 1;
        }
    }
    let before = text[floor..start].chars().next_back();
    if before.is_some_and(|character| character.is_alphanumeric() || character == '_') {
        // Digits inside a word: the word is passed over as a whole.
        let rest = &text[digit..];
        let length = rest.find(|character: char| !character.is_alphanumeric() && character != '_');
        return (None, length.map_or(text.len(), |length| digit + length));
    }
    let mut end = digit;
    if start == digit {
        end = whole_part(bytes, digit);
    }
    if let Some(fraction) = fraction_end(bytes, if start == digit { end } else { start }) {
        end = fraction;
    }
    if fraction_end(bytes, end).is_some() {
        // A second point: a version, an address, a date.
        let run = bytes[end..].iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        return (None, end + run);
    }
    end = exponent_end(text, end).unwrap_or(end);
    let digits: String = text[start..end].chars().filter(|character| *character != ',').collect();
    let Some(value) = digits.parse::<f64>().ok().filter(|value| value.is_finite()) else {
        return (None, end);
    };
    let (sign_start, negative) = sign(text, floor, start);
    (Some(NumberLiteral { value: if negative { -value } else { value }, span: sign_start..end }), end)
}

/// End of the digits at `at`, commas between groups of three included.
fn whole_part(bytes: &[u8], at: usize) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let first = digits(at);
    let mut end = at + first;
    if first <= 3 {
        while bytes.get(end) == Some(&b',') && digits(end + 1) == 3 {
            probare_cancellation::count_steps(1);
            end += 4;
        }
    }
    end
}

/// End of a point and the digits after it, when that is what stands at `at`.
fn fraction_end(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'.') {
        return None;
    }
    let digits = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then_some(at + 1 + digits)
}

/// End of an exponent at `at`, when no word goes on after it.
fn exponent_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(at), Some(b'e' | b'E')) {
        return None;
    }
    let digits_at = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
    let digits = bytes.get(digits_at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let end = digits_at + digits;
    let goes_on = text[end..].chars().next().is_some_and(char::is_alphanumeric);
    (digits > 0 && !goes_on).then_some(end)
}

/// Start of the number with its sign, and whether it is negative. A currency sign may stand between; a dash after a
/// word or a number is a hyphen and no sign.
fn sign(text: &str, floor: usize, start: usize) -> (usize, bool) {
    let before = |end: usize| text[floor..end].chars().next_back();
    let mut at = start;
    if let Some(currency) = before(at).filter(|character| matches!(character, '$' | '€' | '£' | '¥')) {
        at -= currency.len_utf8();
    }
    let Some(sign) = before(at).filter(|character| matches!(character, '-' | '+' | '\u{2212}')) else {
        return (start, false);
    };
    let sign_at = at - sign.len_utf8();
    // What came before `floor` is a number or a word that was read already, so a dash right after it is a hyphen.
    let preceded = match before(sign_at) {
        Some(character) => character.is_alphanumeric() || matches!(character, ')' | ']' | '-' | '\u{2212}'),
        None => floor > 0,
    };
    if preceded { (start, false) } else { (sign_at, sign != '+') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<f64> {
        number_literals(text).map(|literal| literal.value).collect()
    }

    #[test]
    fn plain_numbers_are_read_with_sign_groups_fraction_and_exponent() {
        assert_eq!(values("42"), [42.0]);
        assert_eq!(values("about 1,234,567.5 of them, or -3"), [1_234_567.5, -3.0]);
        assert_eq!(values("−$3.50 and +2 and .5 and -.25"), [-3.5, 2.0, 0.5, -0.25]);
        assert_eq!(values("6.02e23, 1E-3, 2e"), [6.02e23, 1e-3, 2.0]);
        assert_eq!(values("5km, 3rd, 50%"), [5.0, 3.0, 50.0]);
    }

    #[test]
    fn a_comma_separates_unless_groups_of_three_follow() {
        assert_eq!(values("1,2,3"), [1.0, 2.0, 3.0]);
        assert_eq!(values("1234,567"), [1234.0, 567.0]);
        assert_eq!(values("12,3456"), [12.0, 3456.0]);
    }

    #[test]
    fn a_hyphen_is_no_sign() {
        assert_eq!(values("5-3"), [5.0, 3.0]);
        assert_eq!(values("2024-05-01"), [2024.0, 5.0, 1.0]);
        assert_eq!(values("x-3 (4)-5"), [3.0, 4.0, 5.0]);
    }

    #[test]
    fn a_point_after_a_word_or_an_ellipsis_is_not_part_of_the_number() {
        assert_eq!(values("Sec.5 and so...7"), [5.0, 7.0]);
    }

    #[test]
    fn words_versions_and_overflow_are_no_numbers() {
        assert_eq!(values("GPT4 covid19x a_1 é2"), [0.0; 0]);
        assert_eq!(values("version 2.3.1 at 10.0.0.1"), [0.0; 0]);
        assert_eq!(values("1e999 7"), [7.0]);
        assert_eq!(values(""), [0.0; 0]);
        assert_eq!(values("The end of 1990."), [1990.0]);
    }

    #[test]
    fn the_span_holds_the_number_as_written() {
        let text = "é: -1,000.5!";
        let literal = number_literals(text).next().unwrap();
        assert_eq!(&text[literal.span], "-1,000.5");
    }
}
