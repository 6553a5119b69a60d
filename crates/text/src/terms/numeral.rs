//! Numbers written in digits.

/// How a numeral is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumeralShape {
    /// Digits only: `1250`.
    Whole,
    /// With commas between groups of three: `1,250`.
    Grouped,
    /// With a decimal point: `2.5`, `1,250.5`, or a fraction character.
    Decimal,
    /// More than one dot: `2.0.1`, `15.03.2016`.
    Dotted,
    /// Commas that do not group by three: `12,50`.
    Malformed,
}

/// A number in digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Numeral {
    pub(crate) value: f64,
    pub(crate) shape: NumeralShape,
    /// How many digits stand before the point.
    digits: u8,
}

impl Numeral {
    /// A fraction character on its own.
    pub(super) fn fraction(value: f64) -> Self {
        Self { value, shape: NumeralShape::Decimal, digits: 1 }
    }

    /// The value and the number of digits, when that many can be exact.
    pub(crate) fn plain_digits(&self) -> Option<(u64, u8)> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most fifteen digits")]
        (self.digits <= 15).then_some((self.value as u64, self.digits))
    }

    /// Reads the numeral that starts at byte `start` of `text`, which is a digit, and returns it with its end.
    pub(super) fn scan(text: &str, start: usize) -> (Self, usize) {
        let bytes = text.as_bytes();
        let mut at = start;
        let (mut commas, mut dots) = (0usize, 0usize);
        let mut is_grouped_well = true;
        let mut run = 0usize;
        let mut first_run = 0usize;
        loop {
            while at < bytes.len() && bytes[at].is_ascii_digit() {
                at += 1;
                run += 1;
            }
            if commas + dots == 0 {
                first_run = run;
            }
            // A group that was opened by a comma has three digits.
            if commas > 0 && dots == 0 {
                is_grouped_well &= run == 3;
            }
            let (separator, width) = separator_at(text, at);
            let goes_on = bytes.get(at + width).is_some_and(u8::is_ascii_digit);
            match separator {
                Some(Separator::Dot) if goes_on => dots += 1,
                Some(Separator::Comma) if goes_on => {
                    // A comma behind the decimal point, or behind more than three digits, groups nothing.
                    is_grouped_well &= dots == 0 && (commas > 0 || run <= 3);
                    commas += 1;
                }
                Some(Separator::Narrow) if goes_on && dots == 0 && is_narrow_group(bytes, at + width) && run <= 3 => {
                    commas += 1;
                }
                _ => break,
            }
            at += width;
            run = 0;
        }
        let shape = match (commas, dots) {
            (0, 0) => NumeralShape::Whole,
            (_, 2..) if commas == 0 => NumeralShape::Dotted,
            (_, 2..) => NumeralShape::Malformed,
            _ if !is_grouped_well => NumeralShape::Malformed,
            (_, 0) => NumeralShape::Grouped,
            _ => NumeralShape::Decimal,
        };
        let mut numeral =
            Self { value: value(&text[start..at], shape), shape, digits: u8::try_from(first_run).unwrap_or(u8::MAX) };
        if shape == NumeralShape::Whole
            && let Some(character) = text[at..].chars().next()
            && let Some(fraction) = vulgar_fraction(character)
        {
            numeral = Self { value: numeral.value + fraction, shape: NumeralShape::Decimal, ..numeral };
            at += character.len_utf8();
        }
        (numeral, at)
    }
}

enum Separator {
    Dot,
    Comma,
    /// A no-break or thin space, with which some style guides group digits.
    Narrow,
}

fn separator_at(text: &str, at: usize) -> (Option<Separator>, usize) {
    match text[at..].chars().next() {
        Some('.') => (Some(Separator::Dot), 1),
        Some(',') => (Some(Separator::Comma), 1),
        Some(narrow @ ('\u{a0}' | '\u{2009}' | '\u{202f}')) => (Some(Separator::Narrow), narrow.len_utf8()),
        _ => (None, 0),
    }
}

/// Whether exactly three digits start here.
fn is_narrow_group(bytes: &[u8], at: usize) -> bool {
    bytes.len() >= at + 3
        && bytes[at..at + 3].iter().all(u8::is_ascii_digit)
        && !bytes.get(at + 3).is_some_and(u8::is_ascii_digit)
}

fn value(text: &str, shape: NumeralShape) -> f64 {
    match shape {
        NumeralShape::Whole if text.len() <= 15 => {
            text.bytes().fold(0u64, |value, byte| value * 10 + u64::from(byte - b'0')) as f64
        }
        NumeralShape::Whole | NumeralShape::Decimal | NumeralShape::Grouped => {
            let plain: String =
                text.chars().filter(|character| character.is_ascii_digit() || *character == '.').collect();
            plain.parse().unwrap_or(f64::MAX)
        }
        NumeralShape::Dotted | NumeralShape::Malformed => 0.0,
    }
}

/// The value of a character such as `½`.
pub(super) fn vulgar_fraction(character: char) -> Option<f64> {
    Some(match character {
        '½' => 1.0 / 2.0,
        '¼' => 1.0 / 4.0,
        '¾' => 3.0 / 4.0,
        '⅓' => 1.0 / 3.0,
        '⅔' => 2.0 / 3.0,
        '⅕' => 1.0 / 5.0,
        '⅖' => 2.0 / 5.0,
        '⅗' => 3.0 / 5.0,
        '⅘' => 4.0 / 5.0,
        '⅙' => 1.0 / 6.0,
        '⅚' => 5.0 / 6.0,
        '⅛' => 1.0 / 8.0,
        '⅜' => 3.0 / 8.0,
        '⅝' => 5.0 / 8.0,
        '⅞' => 7.0 / 8.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_group_by_three_or_not_at_all() {
        for (text, shape, value) in [
            ("1250", NumeralShape::Whole, 1250.0),
            ("1,250", NumeralShape::Grouped, 1250.0),
            ("1,234,567.5", NumeralShape::Decimal, 1_234_567.5),
            ("12,50", NumeralShape::Malformed, 0.0),
            ("1,2345", NumeralShape::Malformed, 0.0),
            ("1234,567", NumeralShape::Malformed, 0.0),
            ("1.234,56", NumeralShape::Malformed, 0.0),
            ("2.0.1", NumeralShape::Dotted, 0.0),
            ("1\u{202f}250", NumeralShape::Grouped, 1250.0),
            ("2½", NumeralShape::Decimal, 2.5),
            ("3.", NumeralShape::Whole, 3.0),
            ("5,", NumeralShape::Whole, 5.0),
        ] {
            let (numeral, _) = Numeral::scan(text, 0);
            assert_eq!((numeral.shape, numeral.value), (shape, value), "{text}");
        }
    }

    #[test]
    fn very_long_numbers_stay_finite() {
        let (numeral, end) = Numeral::scan(&"9".repeat(400), 0);
        assert!(end == 400 && numeral.plain_digits().is_none());
    }
}
