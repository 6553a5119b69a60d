//! Gold answers that are dates: held against the dates of the answer field by field.

use std::ops::Range;

use probare_text::dates::{Fields, Meaning, find};
use probare_text::quantities;

use super::question::Asked;
use super::spans::Spans;

/// A date with the bytes it stands in.
#[derive(Debug, Clone)]
pub(crate) struct Day {
    pub fields: Vec<Fields>,
    pub span: Range<usize>,
}

/// What the dates of an answer say about a date.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    /// It is given, at these bytes.
    Given(Range<usize>),
    /// Another date is given in its place.
    Different(Range<usize>),
    /// No date is given, or none that can be compared.
    Nothing,
}

/// The calendar dates of a text. Where a time is asked for, a bare number may be a year.
pub(crate) fn days(text: &str, asked: Asked) -> Vec<Day> {
    let mut days: Vec<Day> = find(text)
        .into_iter()
        .filter_map(|date| match date.meaning {
            Meaning::Calendar { fields, other } => {
                let is_calendar = fields.year.or(fields.decade).or(fields.century).is_some() || fields.month.is_some();
                let fields = std::iter::once(fields).chain(other).map(with_century).collect();
                is_calendar.then_some(Day { fields, span: date.span })
            }
            Meaning::Duration(_) => None,
        })
        .collect();
    if matches!(asked, Asked::Time { .. }) {
        let spans = Spans::new(days.iter().map(|day| day.span.clone()));
        // Quantities come in order; the first end of a range is listed twice, one after the other.
        let mut taken = 0;
        for quantity in quantities::find(text) {
            probare_cancellation::steps(1);
            let is_free = !spans.meet(&quantity.span) && quantity.span.start >= taken;
            let is_year = quantity.kind == quantities::Kind::Cardinal && (1.0..2200.0).contains(&quantity.value);
            if is_free && is_year && quantity.value.fract() == 0.0 {
                #[expect(clippy::cast_possible_truncation, reason = "the value is whole and below 2200")]
                let year = Some(quantity.value as i32);
                taken = quantity.span.end;
                days.push(Day { fields: vec![Fields { year, ..Fields::default() }], span: quantity.span });
            }
        }
        days.sort_by_key(|day| day.span.start);
    }
    days
}

/// The `1400s` are a decade in form and a century in use.
fn with_century(mut fields: Fields) -> Fields {
    if let Some(decade) = fields.decade
        && decade % 100 == 0
        && fields.century.is_none()
    {
        fields.century = Some(decade / 100 + 1);
    }
    fields
}

/// Holds one gold date against the dates of an answer.
pub(crate) fn compare(gold: &Day, answer: &[Day], asked: Asked) -> Finding {
    let mut different = None;
    for day in answer {
        probare_cancellation::steps(1);
        if gold.fields.iter().all(|mine| day.fields.iter().all(|theirs| conflicts(mine, theirs))) {
            different = different.or(Some(day.span.clone()));
        }
    }
    for day in answer {
        probare_cancellation::steps(1);
        let is_given = gold.fields.iter().any(|mine| {
            day.fields.iter().any(|theirs| !conflicts(mine, theirs) && is_precise_enough(mine, theirs, asked))
        });
        if is_given {
            return Finding::Given(day.span.clone());
        }
    }
    match different {
        Some(span) => Finding::Different(span),
        None => Finding::Nothing,
    }
}

/// Whether two dates cannot be the same.
fn conflicts(gold: &Fields, given: &Fields) -> bool {
    fn differ<T: PartialEq>(left: Option<T>, right: Option<T>) -> bool {
        matches!((left, right), (Some(left), Some(right)) if left != right)
    }
    let decade = |fields: &Fields| fields.year.map(|year| year - year.rem_euclid(10)).or(fields.decade);
    let century = |fields: &Fields| {
        fields
            .century
            .or_else(|| fields.year.or(fields.decade).filter(|year| *year > 0).map(|year| (year - 1) / 100 + 1))
    };
    let uses_century = gold.century.is_some() || given.century.is_some();
    let uses_decade = gold.decade.is_some() || given.decade.is_some();
    differ(gold.year, given.year)
        || differ(gold.month, given.month)
        || differ(gold.day, given.day)
        || differ(gold.decade, given.decade)
        || (uses_century && differ(century(gold), century(given)))
        || (uses_decade && !uses_century && differ(decade(gold), decade(given)))
}

/// Whether the answer says as much as the question wants.
fn is_precise_enough(gold: &Fields, given: &Fields, asked: Asked) -> bool {
    let wants_day = matches!(asked, Asked::Time { day: true });
    let day_is_there = gold.day.is_none() || given.day.is_some();
    let is_long = gold.century.is_some() || gold.decade.is_some();
    if is_long {
        return given.year.is_some() || given.decade.is_some() || given.century.is_some();
    }
    if gold.year.is_some() {
        // Month and day without the year name the date where the year is plain from the question.
        return (given.year.is_some() && (day_is_there || !wants_day)) || (given.day.is_some() && gold.day.is_some());
    }
    (gold.month.is_none() || given.month.is_some()) && (day_is_there || !wants_day)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHEN: Asked = Asked::Time { day: false };

    fn finding(gold: &str, answer: &str, asked: Asked) -> &'static str {
        match compare(&days(gold, asked)[0], &days(answer, asked), asked) {
            Finding::Given(_) => "given",
            Finding::Different(_) => "different",
            Finding::Nothing => "nothing",
        }
    }

    #[test]
    fn dates_agree_field_by_field() {
        for (gold, answer, expected) in [
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
            ("AD 79", "79 BC", "different"),
            ("79", "79 CE", "given"),
            ("22 January 1901", "at the end of the nineteenth century", "different"),
            ("1789", "no year at all", "nothing"),
        ] {
            assert_eq!(finding(gold, answer, WHEN), expected, "{gold}, {answer}");
        }
        assert_eq!(finding("9 November 1989", "in 1989", Asked::Time { day: true }), "nothing");
    }
}
