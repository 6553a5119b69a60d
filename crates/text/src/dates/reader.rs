//! What every kind of date is read with: the terms of a text, and the words that a date takes in before it.

use super::fields::DateFields;
use crate::terms::TermSequence;

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
