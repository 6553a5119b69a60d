//! [`Grade`]: what an answer gets, with everything that led to it.

use std::ops::Range;

use crate::socioscope::interviews::matching::Mention;
use crate::socioscope::interviews::polarity::Polarity;

/// Something about an answer that a reader should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GradeFlag {
    /// Nothing was answered.
    Blank,
    /// One value was asked for and several are named.
    Ambiguous,
    /// Neither yes nor no could be read.
    Undecided,
    /// Everything on offer is named, so nothing is selected.
    Everything,
}

impl GradeFlag {
    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Ambiguous => "ambiguous",
            Self::Undecided => "undecided",
            Self::Everything => "everything",
        }
    }
}

/// Yes or no as it was read in the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YesNoDecision {
    /// Yes, no, or neither.
    pub polarity: Option<Polarity>,
    /// The bytes of the response that decided.
    pub span: Option<Range<usize>>,
    /// Why, in a few words.
    pub why: &'static str,
    /// Whether it is said, and does not only follow from a statement, if it does.
    pub is_said: bool,
}

/// What an answer gets.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grade {
    /// Between 0 and 1.
    pub score: f64,
    /// Weights that were reached; for values only.
    pub raw: Option<f64>,
    /// What `raw` is divided by.
    pub best: Option<f64>,
    /// The yes/no part.
    pub binary: Option<f64>,
    /// The part for reasons.
    pub rationale: Option<f64>,
    /// Share of the yes/no part.
    pub answer_weight: Option<f64>,
    /// The values that count, in the order of their first mention.
    pub matched: Vec<usize>,
    /// Every place at which a value is named, denied or meant otherwise.
    pub mentions: Vec<Mention>,
    /// The yes or no.
    pub decision: Option<YesNoDecision>,
    /// What a reader should know.
    pub flags: Vec<GradeFlag>,
}

impl Grade {
    /// The grade of no answer at all.
    pub fn blank() -> Self {
        Self { flags: vec![GradeFlag::Blank], ..Self::default() }
    }
}
