//! Numbers and times in other shapes that mean the same: ranges, ordinals, hands of the clock, names of currencies.

use probare_text::dates::{Date, Fields, Meaning};
use probare_text::number_words::canonical;
use probare_text::quantities::{self, Kind, Quantity};

/// The quantities of a text; the first number of a range has the unit of the second: "18 to 21 °C".
pub(super) fn with_ranges(text: &str) -> Vec<Quantity> {
    let mut found = quantities::find(text);
    for index in 1..found.len() {
        probare_cancellation::steps(1);
        let (before, here) = (&found[index - 1], &found[index]);
        let between = text.get(before.span.end..here.span.start).unwrap_or_default();
        if before.kind == Kind::Cardinal && is_range(between) {
            found[index - 1].kind = here.kind;
        }
    }
    found
}

/// Whether two numbers with this between them are the ends of a range.
pub(super) fn is_range(between: &str) -> bool {
    matches!(between.trim(), "to" | "-" | "\u{2013}" | "/" | "and" | "or")
}

/// The number of an ordinal, of `3rd` and the like, and of a half or a quarter.
pub(super) fn ordinal(word: &str) -> Option<f64> {
    const ENDINGS: [&str; 4] = ["st", "nd", "rd", "th"];
    // Most words that end like an ordinal begin otherwise: *and*, *with*, *both*.
    let may_be = || {
        ENDINGS.iter().any(|ending| word.ends_with(ending))
            && word.starts_with(|first: char| first.is_ascii_digit() || "efnst".contains(first))
    };
    match word {
        "half" => return Some(0.5),
        "quarter" => return Some(4.0),
        _ if !may_be() => return None,
        _ => {}
    }
    let written = canonical(word);
    let digits = ENDINGS.iter().find_map(|ending| written.strip_suffix(ending))?;
    digits.parse().ok().filter(|_| digits.len() <= 3)
}

/// The time of day that a number with a point is: `15.30`.
pub(super) fn clock(text: &str) -> Option<Meaning> {
    let (hour, minute) = text.split_once('.')?;
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !(1..=2).contains(&hour.len()) || minute.len() != 2 || !is_number(hour) || !is_number(minute) {
        return None;
    }
    let (hour, minute) = (hour.parse::<u16>().ok()?, minute.parse::<u16>().ok()?);
    let fields = Fields { minute: Some(60 * hour + minute), ..Fields::default() };
    (hour <= 24 && minute < 60).then_some(Meaning::Calendar { fields, other: None })
}

/// The time of day, in minutes, of a date that says nothing else.
pub(super) fn minute(date: &Date) -> Option<u16> {
    match &date.meaning {
        Meaning::Calendar { fields, .. } if *fields == (Fields { minute: fields.minute, ..Fields::default() }) => {
            fields.minute
        }
        _ => None,
    }
}

/// Whether two dates are nothing but times with the same hands of the clock.
pub(super) fn is_same_clock(had: &Date, said: &Date) -> bool {
    minute(had).zip(minute(said)).is_some_and(|(had, said)| had % 720 == said % 720)
}

/// Whether money of the same value is named by a word that several currencies share: *francs*, *kr*.
pub(super) fn is_named_alike(currency: &str, found: &Quantity, value: f64) -> bool {
    let is_name = |currency: &str| currency.starts_with(|first: char| first.is_ascii_lowercase());
    matches!(found.kind, Kind::Money { currency: other } if is_name(other) || is_name(currency))
        && (found.value - value).abs() < 1e-9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_range_have_its_unit() {
        let found = with_ranges("Keep them at 18 to 21 °C, and water 3 times.");
        let kinds: Vec<Kind> = found.iter().map(|quantity| quantity.kind).collect();
        assert_eq!(kinds[0], kinds[1]);
        assert_eq!(kinds[2], Kind::Cardinal);
    }

    #[test]
    fn a_number_with_a_point_may_be_a_time() {
        assert!(clock("15.30").is_some() && clock("5.30").is_some());
        assert!(
            clock("15.3").is_none()
                && clock("15.75").is_none()
                && clock("1,5.30").is_none()
                && clock("25.30").is_none()
        );
    }

    #[test]
    fn ordinals_and_parts_have_numbers() {
        assert_eq!(
            ["second", "twelfth", "3rd", "21st", "half"].map(ordinal),
            [Some(2.0), Some(12.0), Some(3.0), Some(21.0), Some(0.5)]
        );
        assert_eq!(["month", "last", "and", "word"].map(ordinal), [None; 4]);
    }
}
