//! What the benchmark decides about single cases: each goes through the metric of its subtask alone.

use std::borrow::Cow;

use probare_core::{BenchmarkData, Case, CasePolicy, MetricInfo, MetricResult, Sample};

use super::Subtask;
use super::records::CaseDetails;

/// The rules of the benchmark.
#[derive(Debug, Clone, Copy, Default)]
pub struct SgiPolicy;

/// The subtask of a case.
pub fn case_subtask(case: &Case) -> Option<Subtask> {
    let tag = case.tags.iter().find_map(|tag| tag.strip_prefix("subtask:"))?;
    Subtask::ALL.into_iter().find(|subtask| subtask.metric() == tag)
}

impl CasePolicy for SgiPolicy {
    fn skip_reason(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let own = case_subtask(case)?.metric();
        (Subtask::ALL.iter().any(|other| other.metric() == metric.id) && metric.id != own)
            .then_some(Cow::Borrowed("the case belongs to another subtask"))
    }

    fn benchmark_data(&self, sample: Sample<'_>, _: &[MetricResult]) -> Option<BenchmarkData> {
        CaseDetails::from_sample(sample).map(BenchmarkData::new)
    }
}
