//! A date in a text and what it means.

use std::ops::Range;

use super::fields::DateFields;
use super::reader::DateMatch;
use crate::quantities::quantity::Quantity;
use crate::terms::TermSequence;

/// What a date means.
#[derive(Debug, Clone, PartialEq)]
pub enum DateMeaning {
    /// A point or stretch in the calendar or of the day.
    Calendar {
        /// The usual reading.
        fields: DateFields,
        /// A second one: `03/04/2016` may be in March or in April.
        other: Option<DateFields>,
    },
    /// A length of time, which compares as a quantity.
    Duration(Quantity),
}

/// A date in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Date {
    /// What it means.
    pub meaning: DateMeaning,
    /// Its byte range.
    pub span: Range<usize>,
}

impl Date {
    pub(crate) fn new(terms: &TermSequence<'_>, found: DateMatch) -> Self {
        let span = terms.span(found.first, found.end);
        Self { meaning: DateMeaning::Calendar { fields: found.fields, other: found.other }, span }
    }

    pub(crate) fn duration(quantity: Quantity) -> Self {
        let span = quantity.span.clone();
        Self { meaning: DateMeaning::Duration(quantity), span }
    }
}
