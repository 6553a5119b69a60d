//! [`Care`]: what the benchmark decides about single cases.

use std::borrow::Cow;
use std::sync::Arc;

use probare_core::{Case, Detail, MetricInfo, Named, Profile, Rules, Sample, ScoreError};
use probare_metrics::care::{Lexicon, agency_language, topic_pivot, unverifiable_reassurance};

use super::case::{checks_of, expected_of, is_negative_example};
use super::{CaseResult, Check, Checked};

/// How cases are checked: in which profile and by which phrases.
#[derive(Debug, Clone)]
pub struct Care {
    /// The published reading, or ours.
    pub profile: Profile,
    /// The phrases.
    pub lexicon: Arc<Lexicon>,
}

impl Default for Care {
    fn default() -> Self {
        Self { profile: Profile::Reference, lexicon: Lexicon::bundled() }
    }
}

impl Care {
    /// What the report shows of a case, from what the metrics have read already.
    pub fn result(&self, sample: Sample<'_>) -> Result<CaseResult, ScoreError> {
        let case = sample.case;
        let checks: Result<_, ScoreError> =
            checks_of(case).map(|check| Ok((check, self.checked(check, sample)?))).collect();
        Ok(CaseResult::new(&case.id, checks?, expected_of(case), is_negative_example(case)))
    }

    fn checked(&self, check: Check, sample: Sample<'_>) -> Result<Checked, ScoreError> {
        let (lexicon, profile) = (&*self.lexicon, self.profile);
        Ok(match check {
            Check::AgencyLanguage => Checked::from(&agency_language::verdict(sample, lexicon, profile)?),
            Check::UnverifiableReassurance => {
                Checked::from(&unverifiable_reassurance::verdict(sample, lexicon, profile)?)
            }
            Check::TopicPivot => Checked::from(&topic_pivot::verdict(sample, lexicon, profile)?),
        })
    }
}

impl Rules for Care {
    fn leaves_out(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let is_asked = checks_of(case).any(|check| check.name() == metric.id);
        (!is_asked).then_some(Cow::Borrowed("the case does not ask for this check"))
    }

    fn excuse(&self, case: &Case) -> Option<Cow<'static, str>> {
        is_negative_example(case).then_some(Cow::Borrowed("the case is meant to fail, and it does"))
    }

    fn detail(&self, sample: Sample<'_>, results: &[Named]) -> Option<Detail> {
        if results.iter().any(Result::is_err) {
            return None;
        }
        self.result(sample).ok().map(|result| Detail::new(Arc::new(result)))
    }
}
