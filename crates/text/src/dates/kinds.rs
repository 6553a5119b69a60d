//! Finds out which kind of date, if any, a term begins.

use super::date::Date;
use super::fields::DateFields;
use super::reader::{DateMatch, DateReader};
use super::year::YearSense;
use super::{calendar, clock, month, period, relative, year};
use crate::terms::{TermKind, WordClass};

impl DateReader<'_, '_> {
    /// The date that term `at` begins, which may take in an article or modifier before it but no term before `floor`.
    ///
    /// A lone year in running text is not read here: whether it is one depends on its neighbours, see
    /// [`lone_year`](Self::lone_year).
    pub(crate) fn read(&self, at: usize, floor: usize) -> Option<DateMatch> {
        probare_cancellation::count_steps(1);
        match self.terms.get(at)?.kind {
            TermKind::Numeral(_) => {
                // Digits that touch letters before them are part of a name.
                if self.terms.is_glued(at) && at > floor && self.terms.word(at - 1).is_some() {
                    return None;
                }
                calendar::read_digits(self, at)
                    .or_else(|| clock::read_digits(self, at))
                    .or_else(|| month::read_day_first(self, at, floor))
                    .or_else(|| period::read_digits(self, at, floor))
                    .or_else(|| year::read_with_era(self, at, floor))
                    .or_else(|| self.is_alone.then(|| year::read_lone(self, at, floor)).flatten())
            }
            TermKind::Word(class) => match class {
                WordClass::Month { .. } => month::read_month_first(self, at, floor),
                WordClass::Weekday { .. } => calendar::read_weekday(self, at),
                WordClass::Number(_) => clock::read_words(self, at)
                    .or_else(|| month::read_day_first(self, at, floor))
                    .or_else(|| period::read_ordinal(self, at, floor)),
                WordClass::Half | WordClass::QuarterWord => clock::read_past(self, at),
                WordClass::ClockWord(minute) => {
                    Some(DateMatch::new(DateFields { minute: Some(minute), ..DateFields::default() }, at, at + 1))
                }
                WordClass::QuarterLetter => period::read_quarter_letter(self, at),
                WordClass::DecadeWord(decade) => period::read_decade_word(self, at, floor, decade),
                WordClass::FiscalYear => year::read_fiscal(self, at),
                WordClass::RelativeDay => Some(relative::read_day(self, at)),
                WordClass::Shift => relative::read_shift(self, at, floor),
                WordClass::Other | WordClass::And | WordClass::Point | WordClass::Article | WordClass::Dozen => None,
            },
            TermKind::Symbol(_) => None,
        }
    }

    /// Whether the bare number at `at` is a year.
    pub(crate) fn lone_year(&self, at: usize) -> YearSense {
        year::sense(self.terms, at)
    }

    /// The lone year at `at`, with a modifier before it.
    pub(crate) fn year(&self, at: usize, floor: usize) -> Option<DateMatch> {
        year::read_lone(self, at, floor)
    }

    /// The date of what was found.
    pub(crate) fn date(&self, found: DateMatch) -> Date {
        Date::new(self.terms, found)
    }
}
