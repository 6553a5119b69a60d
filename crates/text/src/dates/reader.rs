//! Finds out which kind of date, if any, a term begins.

use super::year::YearSense;
use super::{Date, DateFields, calendar, clock, month, period, relative, year};
use crate::terms::{TermKind, TermSequence, WordClass};

/// A date and the terms it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DateMatch {
    pub(crate) fields: DateFields,
    pub(crate) other: Option<DateFields>,
    pub(crate) first: usize,
    /// The term behind the last.
    pub(crate) end: usize,
}

impl DateMatch {
    pub(super) fn new(fields: DateFields, first: usize, end: usize) -> Self {
        Self { fields, other: None, first, end }
    }
}

/// Reads dates from terms.
pub(crate) struct DateReader<'a, 't> {
    pub(super) terms: &'a TermSequence<'t>,
    /// Whether the text is known to be a date, so that `May` need not show that it is a month.
    pub(super) is_alone: bool,
}

impl<'a, 't> DateReader<'a, 't> {
    /// A reader of running text.
    pub(crate) fn new(terms: &'a TermSequence<'t>) -> Self {
        Self { terms, is_alone: false }
    }

    /// A reader of a text that should be one date.
    pub(crate) fn for_whole_text(terms: &'a TermSequence<'t>) -> Self {
        Self { terms, is_alone: true }
    }

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

    /// The first term when `early`, `mid-` and the like before `first` are taken in.
    pub(super) fn with_modifier(&self, first: usize, floor: usize) -> usize {
        let terms = self.terms;
        let Some(mut before) = TermSequence::before(first, floor) else { return first };
        if terms.is_tying_hyphen(before) {
            match TermSequence::before(before, floor) {
                Some(word) => before = word,
                None => return first,
            }
        }
        if terms.is_any_word(before, "early mid late") { before } else { first }
    }

    /// The first term when an article before `first` is taken in.
    pub(super) fn with_article(&self, first: usize, floor: usize) -> usize {
        TermSequence::before(first, floor).filter(|&before| self.terms.is_word(before, "the")).unwrap_or(first)
    }
}
