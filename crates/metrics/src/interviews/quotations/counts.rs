//! [`QuotationCounts`]: how many quotations stand where they are said to.

use super::{QuotationFinding, QuotationStatus};

/// Counts of checked quotations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuotationCounts {
    /// All citations.
    pub citations: usize,
    /// Those found letter by letter.
    pub exact: usize,
    /// Those found letter by letter, after normalisation, or with marked omissions.
    pub normalised: usize,
}

impl QuotationCounts {
    /// Counts some findings.
    pub fn from_findings(findings: &[QuotationFinding]) -> Self {
        findings.iter().fold(Self::default(), |mut sum, finding| {
            sum.citations += 1;
            sum.exact += usize::from(finding.status == QuotationStatus::Exact);
            sum.normalised += usize::from(finding.status.is_found());
            sum
        })
    }

    /// The two together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            citations: self.citations + other.citations,
            exact: self.exact + other.exact,
            normalised: self.normalised + other.normalised,
        }
    }

    /// Share of citations that are exact; nothing without citations.
    pub fn score(self) -> Option<f64> {
        (self.citations > 0).then(|| self.exact as f64 / self.citations as f64)
    }

    /// Share of citations that are found at all; nothing without citations.
    pub fn score_normalised(self) -> Option<f64> {
        (self.citations > 0).then(|| self.normalised as f64 / self.citations as f64)
    }
}
