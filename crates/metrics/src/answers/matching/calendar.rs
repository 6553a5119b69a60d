//! References that are dates: compared with the dates of the answer as stretches of years, months and days.

use std::ops::Range;

use probare_text::dates::{DateFields, DateMeaning, find};
use probare_text::quantities;

use super::question::QuestionKind;
use super::spans::SpanSet;

/// A date with the bytes it stands in.
#[derive(Debug, Clone)]
pub(crate) struct CalendarDate {
    pub fields: Vec<DateFields>,
    pub span: Range<usize>,
}

/// What the dates of an answer say about a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DateComparison {
    /// It is given, at these bytes.
    Given(Range<usize>),
    /// Only the year or the month of it is given.
    Coarser(Range<usize>),
    /// Another date is given in its place.
    Different(Range<usize>),
    /// No date is given, or none that can be compared.
    Nothing,
}

/// The calendar dates of a text. Where a time is asked for, a bare number may be a year.
pub(crate) fn calendar_dates(text: &str, question: QuestionKind) -> Vec<CalendarDate> {
    let dates = find(text);
    // The hours of a time of day are no year.
    let spans = SpanSet::new(dates.iter().map(|date| date.span.clone()));
    let mut days: Vec<CalendarDate> = dates
        .into_iter()
        .filter_map(|date| match date.meaning {
            DateMeaning::Calendar { fields, other } => {
                let is_calendar = fields.year.or(fields.decade).or(fields.century).is_some() || fields.month.is_some();
                let fields = std::iter::once(fields).chain(other).collect();
                is_calendar.then_some(CalendarDate { fields, span: date.span })
            }
            DateMeaning::Duration(_) => None,
        })
        .collect();
    if matches!(question, QuestionKind::Time { .. }) {
        // Quantities come in order; the first end of a range is listed twice, one after the other.
        let mut taken = 0;
        for quantity in quantities::find(text) {
            probare_cancellation::count_steps(1);
            let is_free = !spans.overlaps(&quantity.span) && quantity.span.start >= taken;
            let is_year =
                quantity.kind == quantities::QuantityKind::Cardinal && (1.0..2200.0).contains(&quantity.value);
            if is_free && is_year && quantity.value.fract() == 0.0 {
                #[expect(clippy::cast_possible_truncation, reason = "the value is whole and below 2200")]
                let year = Some(quantity.value as i32);
                taken = quantity.span.end;
                days.push(CalendarDate {
                    fields: vec![DateFields { year, ..DateFields::default() }],
                    span: quantity.span,
                });
            }
        }
        days.sort_by_key(|day| day.span.start);
    }
    days
}

/// Compares one date of a reference with the dates of an answer.
pub(crate) fn compare_dates(
    reference: &CalendarDate,
    answer: &[CalendarDate],
    question: QuestionKind,
) -> DateComparison {
    let (mut different, mut coarser) = (None, None);
    for day in answer {
        probare_cancellation::count_steps(1);
        let agrees = |is_enough: bool| {
            reference.fields.iter().any(|mine| {
                day.fields
                    .iter()
                    .any(|theirs| !conflicts(mine, theirs) && (!is_enough || is_precise_enough(mine, theirs, question)))
            })
        };
        if agrees(true) {
            return DateComparison::Given(day.span.clone());
        }
        let slot = if agrees(false) { &mut coarser } else { &mut different };
        // A small number is seldom a year: *17* of Apollo 17.
        if !is_small(day) || is_small(reference) {
            slot.get_or_insert_with(|| day.span.clone());
        }
    }
    coarser.map(DateComparison::Coarser).or(different.map(DateComparison::Different)).unwrap_or(DateComparison::Nothing)
}

fn is_small(day: &CalendarDate) -> bool {
    day.fields.iter().all(|fields| fields.month.is_none() && fields.year.is_some_and(|year| (0..100).contains(&year)))
}

/// The first and the last year of a date. The `2000s` are ten years or a hundred; the year 1900 is often counted with both centuries.
fn years(fields: &DateFields) -> Option<(i32, i32)> {
    let decade = |first: i32| (first, first + if first % 100 == 0 { 99 } else { 9 });
    let century = |number: i32| (100 * (number - 1), 100 * number - 1);
    let year = fields.year.map(|year| (year, year));
    year.or(fields.decade.map(decade)).or(fields.century.map(century))
}

/// Whether two dates cannot be the same.
fn conflicts(reference: &DateFields, given: &DateFields) -> bool {
    fn differ<T: PartialEq>(left: Option<T>, right: Option<T>) -> bool {
        matches!((left, right), (Some(left), Some(right)) if left != right)
    }
    let are_apart = match (years(reference), years(given)) {
        (Some(mine), Some(theirs)) => mine.1 < theirs.0 || theirs.1 < mine.0,
        _ => false,
    };
    are_apart || differ(reference.month, given.month) || differ(reference.day, given.day)
}

/// Whether the answer says as much as the question wants.
fn is_precise_enough(reference: &DateFields, given: &DateFields, question: QuestionKind) -> bool {
    let wants_day = matches!(question, QuestionKind::Time { day: true });
    let has_day = reference.day.is_none() || given.day.is_some();
    // `the 2010s` lie within the 2000s only where these are a hundred years.
    if let (Some(mine), Some(theirs)) = (reference.decade, given.decade)
        && mine != theirs
    {
        return false;
    }
    let length = |fields: &DateFields| years(fields).map(|(first, last)| last - first);
    match (length(reference), length(given)) {
        (Some(mine), Some(theirs)) => theirs <= mine && (has_day || !wants_day),
        // Month and day without the year name the date where the year is plain from the question.
        (Some(_), None) => given.day.is_some() && reference.day.is_some(),
        (None, _) => (reference.month.is_none() || given.month.is_some()) && (has_day || !wants_day),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHEN: QuestionKind = QuestionKind::Time { day: false };

    fn finding(reference: &str, answer: &str, question: QuestionKind) -> &'static str {
        match compare_dates(&calendar_dates(reference, question)[0], &calendar_dates(answer, question), question) {
            DateComparison::Given(_) => "given",
            DateComparison::Coarser(_) => "coarser",
            DateComparison::Different(_) => "different",
            DateComparison::Nothing => "nothing",
        }
    }

    #[test]
    fn dates_agree_field_by_field() {
        for (reference, answer, expected) in [
            ("14 December 1972 UTC", "It was December 14th, 1972.", "given"),
            ("14 December 1972", "in December 1972", "given"),
            ("14 December 1972", "in 1972", "given"),
            ("1972", "on 14 December 1972", "given"),
            ("6 August 1945", "August 9, 1945", "different"),
            ("15 April 1912", "April 15, 1913", "different"),
            ("25 April 1974", "25/04/1974", "given"),
            ("14th century", "It arrived in 1347.", "given"),
            ("14th century", "in the 1400s", "different"),
            ("2000s", "It came out in 2007.", "given"),
            ("2000s", "in 2000", "given"),
            ("2000s", "in 1999", "different"),
            ("2000s", "in the 2010s", "coarser"),
            ("1980s", "in the late 20th century", "coarser"),
            ("AD 79", "79 BC", "different"),
            ("79", "79 CE", "given"),
            ("22 January 1901", "at the end of the nineteenth century", "different"),
            ("1789", "no year at all", "nothing"),
        ] {
            assert_eq!(finding(reference, answer, WHEN), expected, "{reference}, {answer}");
        }
        assert_eq!(finding("9 November 1989", "in 1989", QuestionKind::Time { day: true }), "coarser");
    }
}
