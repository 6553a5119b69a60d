//! What the benchmark decides about single cases: each goes through the metric of its subtask alone.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use probare_core::{BenchmarkData, Case, CasePolicy, MetricInfo, MetricResult, Sample};
use probare_models::read_image;

use super::Subtask;
use super::records::CaseDetails;
use super::subtask::case_subtask;
use crate::sgi::metrics::reasoning::CasePictures;

/// The rules of the benchmark.
#[derive(Debug, Clone, Default)]
pub struct SgiPolicy {
    /// The pictures of experimental reasoning, where its rows are among the cases.
    pub pictures: Option<Arc<CasePictures>>,
}

impl SgiPolicy {
    /// The rules of a run whose cases name pictures by paths below this folder.
    pub fn with_pictures_below(folder: &Path) -> Self {
        let folder = folder.to_owned();
        let read = move |path: &str| read_image(&folder, path).map_err(|error| error.to_string());
        Self { pictures: Some(Arc::new(CasePictures::new(read))) }
    }
}

impl CasePolicy for SgiPolicy {
    fn provide_shared(&self, sample: Sample<'_>) {
        if let Some(pictures) = &self.pictures {
            CasePictures::share_with_run(pictures, sample);
        }
    }

    fn skip_reason(&self, case: &Case, metric: &MetricInfo) -> Option<Cow<'static, str>> {
        let own = case_subtask(case)?;
        let has = |subtask: Subtask| subtask.metric() == metric.id || subtask.judged_beside() == Some(&metric.id);
        (Subtask::ALL.into_iter().any(has) && !has(own)).then_some(Cow::Borrowed("the case belongs to another subtask"))
    }

    fn benchmark_data(&self, sample: Sample<'_>, _: &[MetricResult]) -> Option<BenchmarkData> {
        CaseDetails::from_sample(sample).map(BenchmarkData::new)
    }
}
