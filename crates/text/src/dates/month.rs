//! Dates that name their month.

use super::fields::DateFields;
use super::reader::{DateMatch, DateReader};
use super::year;
use crate::number_words::{NumberRank, NumberWord};
use crate::terms::{TermSequence, WordClass};

/// Words before a month that show that it is one.
const BEFORE_MONTH: &str = "in since until till by during of from to through before after between early late mid last next this \
    every each for around throughout past";

/// A month name and the term behind it.
#[derive(Clone, Copy)]
struct Month {
    number: u8,
    is_short: bool,
    end: usize,
}

/// Reads `15 March 2016`, `15th of March`, `15-Mar-2016`, `15–17 March`, `fifteenth of March`.
pub(super) fn read_day_first(reader: &DateReader<'_, '_>, at: usize, floor: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    let (day, mut next, is_ordinal) = day_at(terms, at)?;
    let mut last_day = None;
    if terms.is_dash(next)
        && let Some((further, end, _)) = day_at(terms, next + 1)
    {
        last_day = Some(further);
        next = end;
    }
    let has_of = terms.is_word(next, "of");
    next += usize::from(has_of);
    let is_tied = terms.is_tying_hyphen(next);
    next += usize::from(is_tied);
    let month = month_at(terms, next)?;
    // `10 may` is far more often a verb than a date.
    let is_plain =
        terms.is_capitalised(next) || has_of || is_ordinal || !(month.is_short || is_also_verb(month.number));
    if !is_plain || (!is_tied && terms.is_glued(next)) {
        return None;
    }
    let (year, end) = year_behind(terms, month.end);
    let (fields, other) =
        with_days(DateFields { year, month: Some(month.number), ..DateFields::default() }, day, last_day)?;
    let first = if reader.is_alone { reader.with_article(at, floor) } else { at };
    Some(DateMatch { fields, other, first, end })
}

/// Reads `March 15, 2016`, `March 2016`, `March`.
pub(super) fn read_month_first(reader: &DateReader<'_, '_>, at: usize, floor: usize) -> Option<DateMatch> {
    let terms = reader.terms;
    let month = month_at(terms, at)?;
    let fields = DateFields { month: Some(month.number), ..DateFields::default() };
    let first = reader.with_modifier(at, floor);
    let is_capitalised = terms.is_capitalised(at);
    let is_led = at > 0 && terms.is_any_word(at - 1, BEFORE_MONTH);
    let is_name_like = month.is_short || is_also_verb(month.number);
    if (is_capitalised || is_led || !is_name_like || reader.is_alone)
        && let Some((day, mut next, _)) = day_at(terms, month.end)
        && terms.numeral(month.end).is_some()
        && !is_more_than_day(terms, next)
    {
        let mut last_day = None;
        if terms.is_dash(next)
            && let Some((further, end, _)) = day_at(terms, next + 1)
        {
            last_day = Some(further);
            next = end;
        }
        let (year, end) = year_behind(terms, next);
        let (fields, other) = with_days(DateFields { year, ..fields }, day, last_day)?;
        return Some(DateMatch { fields, other, first, end });
    }
    let (year, end) = year_behind(terms, month.end);
    if year.is_some() && (is_capitalised || is_led || !is_name_like || reader.is_alone) {
        return Some(DateMatch::new(DateFields { year, ..fields }, first, end));
    }
    if reader.is_alone || is_month_meant(terms, at, month, is_led) {
        return Some(DateMatch::new(fields, first, at + 1));
    }
    None
}

fn with_days(fields: DateFields, day: u8, last_day: Option<u8>) -> Option<(DateFields, Option<DateFields>)> {
    let longest = month_length(fields.year, fields.month);
    let other = last_day.filter(|&day| day <= longest).map(|day| DateFields { day: Some(day), ..fields.clone() });
    (day <= longest).then_some((DateFields { day: Some(day), ..fields }, other))
}

/// Days of a month; without a year February may have 29.
pub(super) fn month_length(year: Option<i32>, month: Option<u8>) -> u8 {
    match month {
        Some(4 | 6 | 9 | 11) => 30,
        Some(2) => {
            let is_leap = year.is_none_or(|year| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
            if is_leap { 29 } else { 28 }
        }
        _ => 31,
    }
}

/// `May` and `March` are verbs too, `August` is an adjective.
fn is_also_verb(month: u8) -> bool {
    matches!(month, 3 | 5 | 8)
}

/// First names and surnames among the months.
fn is_also_name(month: u8) -> bool {
    matches!(month, 3..=6 | 8)
}

/// Whether a month with neither day nor year is a month here.
fn is_month_meant(terms: &TermSequence<'_>, at: usize, month: Month, is_led: bool) -> bool {
    if month.is_short {
        return is_led && terms.is_capitalised(at);
    }
    if is_led {
        return true;
    }
    let is_capitalised = terms.is_capitalised(at);
    if is_also_verb(month.number) && (!is_capitalised || terms.starts_sentence(at)) {
        return false;
    }
    // `Theresa May`, `June Brown`: a capitalised word before, or a first name that opens the sentence.
    let is_behind_name = at > 0
        && terms.word(at - 1) == Some(WordClass::Other)
        && terms.is_capitalised(at - 1)
        && terms.is_spaced(at)
        && !terms.is_any_word(at - 1, "on the when but then while as both either");
    !(is_capitalised && is_behind_name && is_also_name(month.number))
}

/// A month name at `at`, with the dot of a short form when a number follows it.
fn month_at(terms: &TermSequence<'_>, at: usize) -> Option<Month> {
    let WordClass::Month { number, is_short } = terms.word(at)? else { return None };
    let has_dot = is_short
        && terms.symbol(at + 1) == Some('.')
        && terms.is_glued(at + 1)
        && terms.numeral(at + 2).is_some()
        && terms.is_spaced(at + 2);
    Some(Month { number, is_short, end: at + 1 + usize::from(has_dot) })
}

/// A day of the month at `at`: digits, digits with an ending, or an ordinal in words. The last field tells the latter two.
fn day_at(terms: &TermSequence<'_>, at: usize) -> Option<(u8, usize, bool)> {
    let (day, end, is_ordinal) = match terms.plain_digits(at) {
        Some((day, digits)) if digits <= 2 => {
            let is_ordinal = is_ordinal_ending(terms, at + 1);
            (day, at + 1 + usize::from(is_ordinal), is_ordinal)
        }
        Some(_) => return None,
        None => ordinal_words(terms, at).map(|(day, end)| (u64::from(day), end, true))?,
    };
    let day = u8::try_from(day).ok().filter(|day| (1..=31).contains(day))?;
    Some((day, end, is_ordinal))
}

pub(super) fn is_ordinal_ending(terms: &TermSequence<'_>, at: usize) -> bool {
    terms.is_glued(at) && terms.is_any_word(at, "st nd rd th")
}

/// An ordinal below a hundred in words, and the term behind it: `fifth`, `twenty-first`.
pub(super) fn ordinal_words(terms: &TermSequence<'_>, at: usize) -> Option<(u8, usize)> {
    let WordClass::Number(first) = terms.word(at)? else { return None };
    match first {
        NumberWord {
            rank: NumberRank::Unit(value) | NumberRank::Teen(value) | NumberRank::Ten(value),
            is_ordinal: true,
        } => Some((value, at + 1)),
        NumberWord { rank: NumberRank::Ten(tens), is_ordinal: false } => {
            let next = at + 1 + usize::from(terms.is_tying_hyphen(at + 1));
            match terms.word(next)? {
                WordClass::Number(NumberWord { rank: NumberRank::Unit(unit), is_ordinal: true }) => {
                    Some((tens + unit, next + 1))
                }
                _ => None,
            }
        }
        NumberWord { .. } => None,
    }
}

/// Whether what follows a day shows that it is none: a clock time, a percentage, a unit that touches it.
fn is_more_than_day(terms: &TermSequence<'_>, at: usize) -> bool {
    terms.is_glued(at) && (matches!(terms.symbol(at), Some(':' | '%' | '/')) || terms.word(at).is_some())
}

/// The year behind a month or day, after a comma, `of` or hyphen, and the term behind all of it.
fn year_behind(terms: &TermSequence<'_>, at: usize) -> (Option<i32>, usize) {
    let is_joint = terms.symbol(at) == Some(',') || terms.is_word(at, "of") || terms.is_tying_hyphen(at);
    let year_at = at + usize::from(is_joint);
    match year::value(terms, year_at) {
        // A word or sign that touches makes it another thing: `March 2000s`, `May 1990%`.
        Some(year) if !year::is_continued(terms, year_at + 1) => (Some(year), year_at + 1),
        _ => (None, at),
    }
}
