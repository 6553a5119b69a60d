//! Whether an answer says yes or no.
//!
//! [`polarity`] reads the opening words and nothing else: what the published definition can decide. [`hedged`] reads the
//! whole answer.

mod hedged;
mod hedges;
mod opening;
mod phrases;

pub use hedged::hedged;
pub use opening::polarity;

use std::ops::Range;

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Polarity {
    /// The answer affirms.
    Yes,
    /// The answer denies.
    No,
}

impl Polarity {
    /// The word for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
        }
    }

    /// The other one.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Yes => Self::No,
            Self::No => Self::Yes,
        }
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Yes, no, or neither.
    pub polarity: Option<Polarity>,
    /// The bytes of the text that decided; what follows them is the reason. Nothing where no single word decides.
    pub marker: Option<Range<usize>>,
    /// Why, in a few words for the reader.
    pub why: &'static str,
}

impl Reading {
    fn undecided(why: &'static str) -> Self {
        Self { polarity: None, marker: None, why }
    }

    fn decided(polarity: Polarity, marker: Range<usize>, why: &'static str) -> Self {
        Self { polarity: Some(polarity), marker: Some(marker), why }
    }
}
