//! Times of the day.

use super::fields::DateFields;
use super::reader::{DateMatch, DateReader};
use crate::number_words::{NumberRank, NumberWord};
use crate::terms::{NumeralShape, TermSequence, WordClass};

const HOUR: u64 = 60;

/// Reads `9:15`, `9.15 a.m.`, `10 am`, `10 o'clock`, `12 noon`.
pub(super) fn read_digits(reader: &DateReader<'_, '_>, at: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    let numeral = terms.numeral(at)?;
    if numeral.shape == NumeralShape::Decimal {
        return read_dotted(terms, at);
    }
    if let Some(found) = read_minutes(terms, at) {
        return Some(found);
    }
    let (hour, digits) = terms.plain_digits(at).filter(|&(_, digits)| digits <= 2)?;
    if terms.symbol(at + 1) == Some(':') && terms.is_glued(at + 1) && terms.is_glued(at + 2) {
        let (minute, _) = terms.plain_digits(at + 2).filter(|&(minute, digits)| digits == 2 && minute < HOUR)?;
        let mut end = at + 3;
        let has_seconds = terms.symbol(end) == Some(':')
            && terms.is_glued(end)
            && terms.plain_digits(end + 1).is_some_and(|(second, digits)| digits == 2 && second < 60);
        if has_seconds {
            end += 2;
        }
        return match meridiem(terms, end) {
            Some((is_afternoon, behind)) => time_match(twelve_hours(hour, minute, is_afternoon), at, behind),
            None => time_match(twenty_four_hours(hour, minute), at, end),
        };
    }
    if let Some((is_afternoon, end)) = meridiem(terms, at + 1) {
        return time_match(twelve_hours(hour, 0, is_afternoon).filter(|_| hour <= 12), at, end);
    }
    if let Some(end) = o_clock(terms, at + 1) {
        return time_match(twenty_four_hours(hour, 0), at, end);
    }
    match terms.word(at + 1) {
        Some(WordClass::ClockWord(minute)) if hour == 12 && digits == 2 => time_match(Some(minute), at, at + 2),
        _ => None,
    }
}

/// `9.15 a.m.`: a point separates hours and minutes only when morning or afternoon is said.
fn read_dotted(terms: &TermSequence<'_>, at: usize) -> Option<DateMatch> {
    let (is_afternoon, end) = meridiem(terms, at + 1)?;
    let (hour, minute) = terms.text(at).split_once('.')?;
    let minute = Some(minute).filter(|minute| minute.len() == 2)?.parse().ok().filter(|&minute| minute < HOUR)?;
    time_match(twelve_hours(hour.parse().ok()?, minute, is_afternoon), at, end)
}

/// Reads `ten o'clock`, `nine am` and `five past two`.
pub(super) fn read_words(reader: &DateReader<'_, '_>, at: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    if let Some(found) = read_minutes(terms, at) {
        return Some(found);
    }
    let hour = hour_word(terms, at)?;
    if let Some((is_afternoon, end)) = meridiem(terms, at + 1) {
        return time_match(twelve_hours(hour, 0, is_afternoon), at, end);
    }
    time_match(twenty_four_hours(hour, 0), at, o_clock(terms, at + 1)?)
}

/// Reads `half past nine` and `quarter to five`.
pub(super) fn read_past(reader: &DateReader<'_, '_>, at: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    let is_past = terms.is_word(at + 1, "past");
    let minute = match terms.word(at)? {
        WordClass::Half if is_past => 30,
        WordClass::QuarterWord if is_past => 15,
        WordClass::QuarterWord if terms.is_word(at + 1, "to") => 45,
        _ => return None,
    };
    let hour = whole_hour(terms, at + 2)?;
    let hour = if minute == 45 { hour.checked_sub(1)? } else { hour };
    match meridiem(terms, at + 3) {
        Some((is_afternoon, end)) => time_match(twelve_hours(hour, minute, is_afternoon), at, end),
        None => time_match(twenty_four_hours(hour, minute), at, at + 3),
    }
}

/// Reads `five past two`, `twenty-five minutes past 6` and, where it cannot be a range or a result, `ten to nine`.
fn read_minutes(terms: &TermSequence<'_>, at: usize) -> Option<DateMatch> {
    // A published definition does not know them.
    let (minute, behind) = if terms.is_improved() { minute_count(terms, at)? } else { return None };
    let has_unit = terms.is_any_word(behind, "minute minutes");
    let link = behind + usize::from(has_unit);
    let hour = whole_hour(terms, link + 1).filter(|hour| (1..=12).contains(hour))?;
    let half_of_day = meridiem(terms, link + 2);
    let clock = o_clock(terms, link + 2);
    let end = half_of_day.map(|(_, end)| end).or(clock).unwrap_or(link + 2);
    let (hour, minute) = if terms.is_word(link, "past") || has_unit && terms.is_word(link, "after") {
        (hour, minute)
    } else if terms.is_word(link, "to") && minute % 5 == 0 {
        let tells_half = terms.is_word(end, "in") && terms.is_word(end + 1, "the")
            || terms.is_word(end, "at") && terms.is_word(end + 1, "night");
        let opens = at.checked_sub(1).is_some_and(|before| terms.is_any_word(before, "at since till until"));
        let closes = end == terms.len() || terms.symbol(end).is_some();
        (half_of_day.is_some() || clock.is_some() || tells_half || opens && closes).then_some(())?;
        (hour.checked_sub(1).map(|hour| if hour == 0 { 12 } else { hour })?, HOUR - minute)
    } else {
        return None;
    };
    let time = match half_of_day {
        Some((is_afternoon, _)) => twelve_hours(hour, minute, is_afternoon),
        None => twenty_four_hours(hour, minute),
    };
    time_match(time, at, end)
}

/// Minutes before or past an hour, and the term behind them.
fn minute_count(terms: &TermSequence<'_>, at: usize) -> Option<(u64, usize)> {
    let cardinal = |at: usize| match terms.word(at)? {
        WordClass::Number(NumberWord { rank, is_ordinal: false }) => Some(rank),
        _ => None,
    };
    let (minute, behind) = match terms.plain_digits(at) {
        Some((minute, _)) => (minute, at + 1),
        None => match cardinal(at)? {
            NumberRank::Unit(count) | NumberRank::Teen(count) => (u64::from(count), at + 1),
            NumberRank::Ten(tens) => {
                let next = at + 1 + usize::from(terms.is_tying_hyphen(at + 1));
                match cardinal(next) {
                    Some(NumberRank::Unit(count)) => (u64::from(tens) + u64::from(count), next + 1),
                    _ => (u64::from(tens), at + 1),
                }
            }
            _ => return None,
        },
    };
    (1..30).contains(&minute).then_some((minute, behind))
}

/// An hour in words or digits.
fn whole_hour(terms: &TermSequence<'_>, at: usize) -> Option<u64> {
    hour_word(terms, at).or_else(|| terms.plain_digits(at).map(|(hour, _)| hour))
}

/// The time, when it is one.
fn time_match(minute: Option<u16>, first: usize, end: usize) -> Option<DateMatch> {
    minute.map(|minute| DateMatch::new(DateFields { minute: Some(minute), ..DateFields::default() }, first, end))
}

fn twenty_four_hours(hour: u64, minute: u64) -> Option<u16> {
    // 24:00 is the midnight that ends the day.
    (hour < 24 || (hour == 24 && minute == 0)).then(|| (hour % 24) * HOUR + minute).and_then(|m| u16::try_from(m).ok())
}

fn twelve_hours(hour: u64, minute: u64, is_afternoon: bool) -> Option<u16> {
    if (13..24).contains(&hour) && is_afternoon {
        // `17:45 pm` says the same twice.
        return twenty_four_hours(hour, minute);
    }
    (1..=12).contains(&hour).then_some(())?;
    twenty_four_hours(hour % 12 + if is_afternoon { 12 } else { 0 }, minute)
}

/// Reads `am`, `p.m.` and the like: whether it is the afternoon, and the term behind.
fn meridiem(terms: &TermSequence<'_>, at: usize) -> Option<(bool, usize)> {
    terms.word(at)?;
    match terms.text(at) {
        "am" | "AM" | "Am" => return Some((false, at + 1)),
        "pm" | "PM" | "Pm" => return Some((true, at + 1)),
        "a" | "A" | "p" | "P" => {}
        _ => return None,
    }
    let is_dotted = terms.symbol(at + 1) == Some('.')
        && terms.is_glued(at + 1)
        && terms.is_glued(at + 2)
        && matches!(terms.text(at + 2), "m" | "M");
    if !is_dotted {
        return None;
    }
    let dot = usize::from(terms.symbol(at + 3) == Some('.') && terms.is_glued(at + 3));
    Some((terms.text(at).eq_ignore_ascii_case("p"), at + 3 + dot))
}

/// The term behind `o'clock`.
fn o_clock(terms: &TermSequence<'_>, at: usize) -> Option<usize> {
    if terms.is_word(at, "oclock") {
        return Some(at + 1);
    }
    let is_written =
        terms.is_word(at, "o") && matches!(terms.symbol(at + 1), Some('\'' | '’')) && terms.is_word(at + 2, "clock");
    is_written.then_some(at + 3)
}

/// An hour in words.
fn hour_word(terms: &TermSequence<'_>, at: usize) -> Option<u64> {
    match terms.word(at)? {
        WordClass::Number(NumberWord {
            rank: NumberRank::Unit(hour) | NumberRank::Teen(hour @ 10..=12),
            is_ordinal: false,
        }) => Some(u64::from(hour)),
        _ => None,
    }
}
