//! Dates of any precision in running text: days, months, years, decades, centuries, quarters, weekdays, clock times,
//! relative days and periods, lengths of time.
//!
//! A date is read into [`DateFields`]. A date of a source bears out a date of an answer when it has all the fields of the
//! answer with equal values: the source may say more, never less.
//!
//! ```
//! use probare_text::dates::{find, parse, supports};
//!
//! let text = "Founded on 15 March 2016, open from 9:15.";
//! let found = find(text);
//! assert_eq!(&text[found[0].span.clone()], "15 March 2016");
//! assert!(supports(&found[0], &parse("03/15/2016").unwrap()));
//! assert!(supports(&found[0], &parse("March 2016").unwrap()));
//! assert!(!supports(&found[0], &parse("15 March 2017").unwrap()));
//! assert!(supports(&found[1], &parse("9.15 a.m.").unwrap()));
//! ```

mod calendar;
mod clock;
pub(crate) mod date;
mod fields;
mod kinds;
mod month;
mod period;
pub(crate) mod reader;
mod relative;
pub(crate) mod year;

pub use date::{Date, DateMeaning};
pub use fields::DateFields;

use crate::anchor_scan::scan;
use crate::quantities::{self, QuantityKind};
use crate::terms::TermSequence;
use reader::DateReader;

/// All dates of a text, in order; lengths of time are among them.
pub fn find(text: &str) -> Vec<Date> {
    scan(text).dates
}

/// The date that the whole text is, or `None`: `15 mars` is none.
pub fn parse(text: &str) -> Option<Date> {
    let terms = TermSequence::new(text);
    let reader = DateReader::for_whole_text(&terms);
    // The first terms may be an article or a word such as `early`, which the date behind them takes in.
    for at in 0..terms.len().min(4) {
        if let Some(found) = reader.read(at, 0).filter(|found| found.first == 0 && found.end == terms.len()) {
            return Some(Date::new(&terms, found));
        }
    }
    quantities::parse(text)
        .filter(|quantity| matches!(quantity.kind, QuantityKind::Duration { .. }))
        .map(Date::duration)
}

/// Whether `context`, a date of a source, bears out `anchor`, a date of an answer.
pub fn supports(context: &Date, anchor: &Date) -> bool {
    match (&context.meaning, &anchor.meaning) {
        (DateMeaning::Duration(context), DateMeaning::Duration(anchor)) => quantities::supports(context, anchor),
        (
            DateMeaning::Calendar { fields, other },
            DateMeaning::Calendar { fields: asked_fields, other: asked_other },
        ) => {
            let readings = || std::iter::once(fields).chain(other);
            std::iter::once(asked_fields)
                .chain(asked_other)
                .any(|stated_fields| readings().any(|had| had.has_all_of(stated_fields)))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|date| &text[date.span]).collect()
    }

    fn fields(text: &str) -> DateFields {
        match parse(text).unwrap_or_else(|| panic!("`{text}` parses")).meaning {
            DateMeaning::Calendar { fields, .. } => fields,
            DateMeaning::Duration(_) => panic!("`{text}` is a length of time"),
        }
    }

    fn day(year: i32, month: u8, day: u8) -> DateFields {
        DateFields { year: Some(year), month: Some(month), day: Some(day), ..DateFields::default() }
    }

    #[test]
    fn full_dates_in_many_forms() {
        for text in [
            "15 March 2016",
            "March 15, 2016",
            "March 15th, 2016",
            "15th of March, 2016",
            "Mar. 15, 2016",
            "15 Mar 2016",
            "2016-03-15",
            "2016/03/15",
            "15/03/2016",
            "15.03.2016",
            "15-03-2016",
            "15-Mar-2016",
            "15/3/16",
            "the 15th of March 2016",
            "fifteenth of March 2016",
            "15 MARCH 2016",
        ] {
            assert_eq!(fields(text), day(2016, 3, 15), "{text}");
        }
        let expected = DateFields { weekday: Some(5), ..day(2016, 3, 18) };
        assert_eq!(fields("Friday, 18 March 2016"), expected);
        assert_eq!(fields("Fri 18 Mar 2016"), expected);
    }

    #[test]
    fn both_readings_of_slashes_count_when_valid() {
        let supported = |context: &str, anchor: &str| supports(&parse(context).unwrap(), &parse(anchor).unwrap());
        assert!(supported("3 April 2016", "03/04/2016") && supported("4 March 2016", "03/04/2016"));
        assert!(supported("03/15/2016", "15 March 2016") && !supported("03/15/2016", "3 December 2016"));
        assert_eq!(parse("32/13/2016"), None);
        assert_eq!(parse("30.02.2016"), None);
    }

    #[test]
    fn clock_times_have_minutes() {
        for (text, minute) in [
            ("9:15", 555),
            ("9:15 am", 555),
            ("9.15 a.m.", 555),
            ("5:45 pm", 1065),
            ("17:45", 1065),
            ("10 am", 600),
            ("10am", 600),
            ("12 am", 0),
            ("12 pm", 720),
            ("noon", 720),
            ("midnight", 0),
            ("ten o'clock", 600),
            ("half past nine", 570),
            ("quarter to five", 285),
            ("5 p.m.", 1020),
            ("17:45:30", 1065),
            ("nine am", 540),
        ] {
            assert_eq!(fields(text), DateFields { minute: Some(minute), ..DateFields::default() }, "{text}");
        }
    }

    #[test]
    fn longer_stretches_have_their_fields() {
        let of = |text| fields(text);
        assert_eq!(of("the 1990s").decade, Some(1990));
        assert_eq!(of("the early 1990s").decade, Some(1990));
        assert_eq!(of("the '90s").decade, Some(1990));
        assert_eq!(of("the nineties").decade, Some(1990));
        assert_eq!(of("the 19th century").century, Some(19));
        assert_eq!(of("nineteenth century").century, Some(19));
        let quarter = DateFields { quarter: Some(3), year: Some(2021), ..DateFields::default() };
        for text in [
            "Q3 2021",
            "the third quarter of 2021",
            "third quarter 2021",
            "2021 Q3",
            "Q3 of 2021",
            "3rd quarter of 2021",
        ] {
            assert_eq!(of(text), quarter, "{text}");
        }
        assert_eq!(of("44 BC").year, Some(-44));
        assert_eq!(of("AD 79").year, Some(79));
        assert_eq!(of("mid-2015").year, Some(2015));
        assert_eq!(of("FY2021").year, Some(2021));
        assert_eq!(of("last year").relative.as_deref(), Some("last year"));
        assert_eq!(of("2012-10"), DateFields { year: Some(2012), month: Some(10), ..DateFields::default() });
    }

    #[test]
    fn dates_in_running_text() {
        assert_eq!(texts("The bus leaves at 5:45 pm on Friday."), ["5:45 pm", "Friday"]);
        assert_eq!(texts("On February 29, 2020, 95 pages were scanned."), ["February 29, 2020"]);
        assert_eq!(texts("In 1903 and again in 1911, since May."), ["1903", "1911", "May"]);
        assert_eq!(texts("The school joined in the 1990s; it closed last year."), ["the 1990s", "last year"]);
        assert_eq!(texts("It lasts two hours, yesterday as today"), ["two hours", "yesterday", "today"]);
        assert_eq!(texts("From 1990 to 1995, 2001-2005 and 2015/16"), ["1990", "1995", "2001", "2005", "2015/16"]);
        assert_eq!(texts("Closed Mondays and on Sunday."), ["Mondays", "Sunday"]);
        assert_eq!(texts("April or May"), ["April", "May"]);
        assert_eq!(texts("the 2016 election"), ["2016"]);
    }

    #[test]
    fn words_that_only_look_like_months_or_years() {
        for text in [
            "Kelp may be harvested",
            "They march on",
            "May I ask",
            "Theresa May said so",
            "The sun sat low",
            "1250 members",
            "1800 members",
            "an annual fee, 300 euros a year",
            "per day",
            "a second chance",
            "the last person",
            "this one",
            "about 2000 people",
            "1,990",
            "$1990",
            "1990 km",
            "the Mars rover",
        ] {
            assert_eq!(texts(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn what_is_no_single_date_does_not_parse() {
        for text in ["", "15 mars", "soon", "5", "12,50", "15 March 2016 and more", "25:00", "13 pm", "Q5 2021"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
