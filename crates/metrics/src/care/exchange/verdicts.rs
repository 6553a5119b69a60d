//! [`CareVerdicts`]: all three checkers over one exchange, each text read once.

use probare_core::{Sample, ScoreError};

use super::CareConfig;
use crate::care::agency_language::{self, AgencyVerdict};
use crate::care::lexicon::Lexicon;
use crate::care::topic_pivot::{self, PivotVerdict};
use crate::care::unverifiable_reassurance::{self, ReassuranceVerdict};

/// What the three checkers say of one exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct CareVerdicts<'a> {
    /// `agency_language`
    pub agency: AgencyVerdict<'a>,
    /// `unverifiable_reassurance`
    pub reassurance: ReassuranceVerdict<'a>,
    /// `topic_pivot`
    pub pivot: PivotVerdict<'a>,
}

impl<'a> CareVerdicts<'a> {
    /// Runs the three checkers; what the metrics of this family have read of the sample is not read again. Fails where
    /// there is no message or no reply.
    pub fn for_sample(
        sample: Sample<'a>,
        lexicon: &'a Lexicon,
        config: impl Into<CareConfig>,
    ) -> Result<Self, ScoreError> {
        let manner = config.into();
        Ok(Self {
            agency: agency_language::verdict(sample, lexicon, manner)?,
            reassurance: unverifiable_reassurance::verdict(sample, lexicon, manner)?,
            pivot: topic_pivot::verdict(sample, lexicon, manner)?,
        })
    }
}
