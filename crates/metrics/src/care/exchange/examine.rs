//! [`Verdicts`]: all three checkers over one exchange, each text read once.

use probare_core::{Sample, ScoreError};

use super::Manner;
use crate::care::agency_language::{self, Agency};
use crate::care::lexicon::Lexicon;
use crate::care::topic_pivot::{self, Pivot};
use crate::care::unverifiable_reassurance::{self, Reassurance};

/// What the three checkers say of one exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdicts<'a> {
    /// `agency_language`
    pub agency: Agency<'a>,
    /// `unverifiable_reassurance`
    pub reassurance: Reassurance<'a>,
    /// `topic_pivot`
    pub pivot: Pivot<'a>,
}

impl<'a> Verdicts<'a> {
    /// Runs the three checkers; what the metrics of this family have read of the sample is not read again. Fails where
    /// there is no message or no reply.
    pub fn of(sample: Sample<'a>, lexicon: &'a Lexicon, manner: impl Into<Manner>) -> Result<Self, ScoreError> {
        let manner = manner.into();
        Ok(Self {
            agency: agency_language::verdict(sample, lexicon, manner)?,
            reassurance: unverifiable_reassurance::verdict(sample, lexicon, manner)?,
            pivot: topic_pivot::verdict(sample, lexicon, manner)?,
        })
    }
}
