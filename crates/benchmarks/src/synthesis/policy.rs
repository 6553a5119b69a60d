//! [`CarePolicy`]: what the benchmark decides about single cases.

use std::borrow::Cow;
use std::sync::Arc;

use probare_core::{BenchmarkData, Case, CasePolicy, ErrorKind, MetricInfo, MetricResult, Profile, Sample, ScoreError};
use probare_metrics::care::{Lexicon, agency_language, topic_pivot, unverifiable_reassurance};

use super::case::{checks_of, expected_of, is_negative_example};
use super::{CaseChecks, Check, CheckResult};

/// How cases are checked: in which profile and by which phrases.
#[derive(Debug, Clone)]
pub struct CarePolicy {
    /// The published definition, or ours.
    pub profile: Profile,
    /// The phrases.
    pub lexicon: Arc<Lexicon>,
}

impl Default for CarePolicy {
    fn default() -> Self {
        Self { profile: Profile::Published, lexicon: Lexicon::bundled() }
    }
}

impl CarePolicy {
    /// What the report shows of a case, from what the metrics have read already.
    pub fn result(&self, sample: Sample<'_>) -> Result<CaseChecks, ScoreError> {
        let case = sample.case;
        let checks: Result<_, ScoreError> =
            checks_of(case).map(|check| Ok((check, self.run_check(check, sample)?))).collect();
        Ok(CaseChecks::new(&case.id, checks?, expected_of(case), is_negative_example(case)))
    }

    fn run_check(&self, check: Check, sample: Sample<'_>) -> Result<CheckResult, ScoreError> {
        let (lexicon, profile) = (&*self.lexicon, self.profile);
        Ok(match check {
            Check::AgencyLanguage => CheckResult::from(&agency_language::verdict(sample, lexicon, profile)?),
            Check::UnverifiableReassurance => {
                CheckResult::from(&unverifiable_reassurance::verdict(sample, lexicon, profile)?)
            }
            Check::TopicPivot => CheckResult::from(&topic_pivot::verdict(sample, lexicon, profile)?),
            Check::PerformativeEmpathy | Check::GroundedUptake => {
                let reason = format!("`{}` exists in Synthesis 1.3 only", check.name());
                return Err(ScoreError::other(ErrorKind::Failed, reason));
            }
        })
    }
}

impl CasePolicy for CarePolicy {
    fn skip_reason(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let is_asked = checks_of(case).any(|check| check.name() == metric.id);
        (!is_asked).then_some(Cow::Borrowed("the case does not ask for this check"))
    }

    fn expected_failure(&self, case: &Case) -> Option<Cow<'static, str>> {
        is_negative_example(case).then_some(Cow::Borrowed("the case is meant to fail, and it does"))
    }

    fn benchmark_data(&self, sample: Sample<'_>, results: &[MetricResult]) -> Option<BenchmarkData> {
        if results.iter().any(Result::is_err) {
            return None;
        }
        self.result(sample).ok().map(|result| BenchmarkData::new(Arc::new(result)))
    }
}
