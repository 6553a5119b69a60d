//! Whether an answer says yes or no.
//!
//! [`polarity`] reads the opening words and nothing else: what the published definition can decide. [`answer_polarity`] reads the whole
//! answer, as every other metric does.

mod opening;
mod phrases;

pub use opening::opening_polarity;

use std::ops::Range;

use probare_english::text_analysis;

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
pub struct PolarityAnalysis {
    /// Yes, no, or neither.
    pub polarity: Option<Polarity>,
    /// The bytes of the text that decided; what follows them is the reason. Nothing where no single word decides.
    pub marker: Option<Range<usize>>,
    /// Why, in a few words for the reader.
    pub why: &'static str,
    /// Whether it is said, and does not only follow from a statement, if it does.
    pub is_said: bool,
}

/// The polarity of a whole answer, with the question in view where there is one.
///
/// ```
/// use probare_benchmarks::socioscope::interviews::polarity::{Polarity, answer_polarity};
///
/// assert_eq!(answer_polarity("Absolutely not.", None).polarity, Some(Polarity::No));
/// assert_eq!(answer_polarity("Maybe.", None).polarity, None);
/// ```
pub fn answer_polarity(text: &str, query: Option<&str>) -> PolarityAnalysis {
    let question = query.map(text_analysis::TextAnalysis::new);
    let text_analysis::YesNoAnswer { sense, marker, why, is_said } =
        text_analysis::TextAnalysis::new(text).yes_or_no(question.as_ref());
    PolarityAnalysis { polarity: sense.map(|yes| if yes { Polarity::Yes } else { Polarity::No }), marker, why, is_said }
}

impl PolarityAnalysis {
    fn undecided(why: &'static str) -> Self {
        Self { polarity: None, marker: None, why, is_said: true }
    }

    fn decided(polarity: Polarity, marker: Range<usize>, why: &'static str) -> Self {
        Self { polarity: Some(polarity), marker: Some(marker), why, is_said: true }
    }
}
