//! Dates in digits (`2016-03-15`, `15/03/2016`), and weekdays.

use super::fields::DateFields;
use super::reader::{DateMatch, DateReader};
use super::{clock, month};
use crate::terms::{NumeralShape, WordClass};

/// Reads a date in digits that starts at term `at`.
pub(super) fn read_digits(reader: &DateReader<'_, '_>, at: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    if terms.numeral(at)?.shape == NumeralShape::Dotted {
        return read_dotted(reader, at);
    }
    let (first, first_digits) = terms.plain_digits(at)?;
    let separator = terms.symbol(at + 1).filter(|symbol| matches!(symbol, '-' | '/' | '‐' | '‑'))?;
    if !terms.is_glued(at + 1) || !terms.is_glued(at + 2) {
        return None;
    }
    let (second, second_digits) = terms.plain_digits(at + 2)?;
    let has_third = terms.symbol(at + 3) == Some(separator) && terms.is_glued(at + 3) && terms.is_glued(at + 4);
    let Some((third, third_digits)) = terms.plain_digits(at + 4).filter(|_| has_third) else {
        let fields = (!has_third && separator != '/' && first_digits == 4 && second_digits == 2)
            .then(|| year_month(first, second))
            .flatten()?;
        return Some(DateMatch::new(fields, at, at + 3));
    };
    let parts = [(first, first_digits), (second, second_digits), (third, third_digits)];
    let (fields, other) = three_parts(parts)?;
    Some(with_time(reader, DateMatch { fields, other, first: at, end: at + 5 }))
}

/// `15.03.2016`, one numeral.
fn read_dotted(reader: &DateReader<'_, '_>, at: usize) -> Option<DateMatch> {
    let mut parts = [(0, 0); 3];
    let mut texts = reader.terms.text(at).split('.');
    for part in &mut parts {
        let text = texts.next()?;
        *part = (text.parse().ok()?, u8::try_from(text.len()).ok()?);
    }
    // A version may look like a date with a short year: both other parts must have two digits then.
    let is_version = parts[2].1 == 2 && (parts[0].1 != 2 || parts[1].1 != 2);
    if texts.next().is_some() || is_version {
        return None;
    }
    let (fields, other) = three_parts(parts)?;
    Some(DateMatch { fields, other, first: at, end: at + 1 })
}

/// Year first, or day and month in both orders before the year.
fn three_parts(parts: [(u64, u8); 3]) -> Option<(DateFields, Option<DateFields>)> {
    let [(first, first_digits), (second, second_digits), (third, third_digits)] = parts;
    if first_digits == 4 && second_digits <= 2 && third_digits <= 2 {
        return Some((year_month_day(first, second, third)?, None));
    }
    if first_digits > 2 || second_digits > 2 || !matches!(third_digits, 2 | 4) {
        return None;
    }
    let year = match third_digits {
        4 => third,
        // Two digits name the years from 1970 to 2069.
        _ if third < 70 => 2000 + third,
        _ => 1900 + third,
    };
    let day_first = year_month_day(year, second, first);
    let month_first = year_month_day(year, first, second).filter(|_| first != second);
    match (day_first, month_first) {
        (Some(fields), other) => Some((fields, other)),
        (None, other) => other.map(|fields| (fields, None)),
    }
}

fn year_month(year: u64, month: u64) -> Option<DateFields> {
    let is_valid = (1000..=2199).contains(&year) && (1..=12).contains(&month);
    is_valid.then_some(())?;
    Some(DateFields { year: i32::try_from(year).ok(), month: u8::try_from(month).ok(), ..DateFields::default() })
}

fn year_month_day(year: u64, month: u64, day: u64) -> Option<DateFields> {
    let fields = year_month(year, month)?;
    let day =
        u8::try_from(day).ok().filter(|&day| day >= 1 && day <= month::month_length(fields.year, fields.month))?;
    Some(DateFields { day: Some(day), ..fields })
}

/// Adds the time of `2012-10-26T10:00`.
fn with_time(reader: &DateReader<'_, '_>, found: DateMatch) -> DateMatch {
    let terms = reader.terms;
    if terms.text(found.end) != "T" || !terms.is_glued(found.end) || found.other.is_some() {
        return found;
    }
    match clock::read_digits(reader, found.end + 1) {
        Some(time) => {
            let zone = usize::from(terms.text(time.end) == "Z" && terms.is_glued(time.end));
            DateMatch {
                fields: DateFields { minute: time.fields.minute, ..found.fields },
                end: time.end + zone,
                ..found
            }
        }
        None => found,
    }
}

/// Reads a weekday, with the date behind it when there is one: `Friday, 18 March 2016`.
pub(super) fn read_weekday(reader: &DateReader<'_, '_>, at: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    let WordClass::Weekday { number, is_short } = terms.word(at)? else { return None };
    let weekday = Some(number);
    let dot = usize::from(is_short && terms.symbol(at + 1) == Some('.') && terms.is_glued(at + 1));
    let comma = usize::from(terms.symbol(at + 1 + dot) == Some(','));
    let next = at + 1 + dot + comma;
    let further = month::read_day_first(reader, next, next).or_else(|| match terms.word(next) {
        Some(WordClass::Month { .. }) => month::read_month_first(reader, next, next),
        _ => read_digits(reader, next),
    });
    // A month alone is another date: `on Friday, May ...`.
    if let Some(date) = further.filter(|date| date.first == next && date.fields.day.is_some()) {
        let other = date.other.map(|other| DateFields { weekday, ..other });
        return Some(DateMatch { fields: DateFields { weekday, ..date.fields }, other, first: at, end: date.end });
    }
    if is_short && !reader.is_alone && !is_short_weekday_meant(reader, at) {
        return None;
    }
    Some(DateMatch::new(DateFields { weekday, ..DateFields::default() }, at, at + 1))
}

/// Whether `Sat` or `Sun` is a day: capitalised and behind `on`, or next to another weekday.
fn is_short_weekday_meant(reader: &DateReader<'_, '_>, at: usize) -> bool {
    let terms = reader.terms;
    if !terms.is_capitalised(at) {
        return false;
    }
    let is_weekday = |at: usize| matches!(terms.word(at), Some(WordClass::Weekday { .. }));
    let is_joint = |at: usize| terms.is_dash(at) || terms.is_any_word(at, "to and or through");
    let is_led = at.checked_sub(1).is_some_and(|before| terms.is_any_word(before, "on every each by until"));
    is_led || (is_joint(at + 1) && is_weekday(at + 2)) || (at >= 2 && is_joint(at - 1) && is_weekday(at - 2))
}
