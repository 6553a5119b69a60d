//! What the benchmark decides about single cases: each goes through the metric of its subtask alone.

use std::borrow::Cow;

use probare_core::{Case, Detail, MetricInfo, Named, Rules, Sample};

use super::Subtask;
use super::records::Details;

/// The rules of the benchmark.
#[derive(Debug, Clone, Copy, Default)]
pub struct SgiRules;

/// The subtask of a case.
pub fn subtask(case: &Case) -> Option<Subtask> {
    let tag = case.tags.iter().find_map(|tag| tag.strip_prefix("subtask:"))?;
    Subtask::ALL.into_iter().find(|subtask| subtask.metric() == tag)
}

impl Rules for SgiRules {
    fn leaves_out(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let own = subtask(case)?.metric();
        (Subtask::ALL.iter().any(|other| other.metric() == metric.id) && metric.id != own)
            .then_some(Cow::Borrowed("the case belongs to another subtask"))
    }

    fn detail(&self, sample: Sample<'_>, _: &[Named]) -> Option<Detail> {
        Details::of(sample).map(Detail::new)
    }
}
