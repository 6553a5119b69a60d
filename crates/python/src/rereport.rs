//! Results that are known go the one road again, into reports: nothing is scored, and nobody is asked.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use probare_core::{
    Case, CaseBatch, CaseLimit, CasePolicy, CaseResult, CaseSource, InputFile, Job, MetricInfo, MetricResult, Outcome,
    Problem, SampleDimensions, SampleKey, SerializedResult, Sink, SourceError,
};
use probare_engine::{CallResult, Conclusion, Response, RunOptions, RunRequest, SampleProvider, rereport};
use probare_report::NOT_ASKED;
use pyo3::prelude::*;
use serde::Deserialize;

use crate::failure::PyFailure;
use crate::results::Results;
use crate::row_results::{RowCollector, RowResult};

/// Rows that travel together.
const ROWS_IN_BATCH: usize = 256;

/// What reports are called and where they go.
pub struct ReportTarget<'a> {
    /// What reports say the cases come from.
    pub name: &'a str,
    /// Files to write.
    pub outputs: Vec<PathBuf>,
    /// Title of pages.
    pub title: Option<String>,
    /// Metrics with the least value that a case may have.
    pub limits: Vec<(String, f64)>,
}

/// Tells known results to reports and to whoever watches.
pub fn write_reports(
    rows: &Arc<Vec<RowResult>>,
    metrics: Vec<MetricInfo>,
    report: ReportTarget<'_>,
    watcher: Option<&mut RowCollector>,
) -> Result<Conclusion, PyFailure> {
    let ReportTarget { name, outputs, title, limits } = report;
    let known = KnownResults(Arc::clone(rows));
    let mut job = Job::new(name, Box::new(RowSource { known: known.clone(), next: 0 }), Vec::new());
    job.rules = Arc::new(known.clone());
    job.reading.lost_rows_fail = true;
    job.case_limits = limits.into_iter().map(|(metric, least)| CaseLimit { metric, least }).collect();
    let settings = RunOptions { output: outputs, title, allow_empty: Some(true), ..RunOptions::default() };
    let watcher = watcher.map(|keeper| Box::new(keeper) as Box<dyn Sink>);
    Ok(rereport(job, metrics, RunRequest { settings, sampler: Some(&known), watcher, ..RunRequest::default() })?)
}

/// Results by the number of their row.
#[derive(Clone)]
struct KnownResults(Arc<Vec<RowResult>>);

impl KnownResults {
    fn for_case(&self, case: &Case) -> Option<&RowResult> {
        self.0.get(usize::try_from(case.sample?.row).ok()?)
    }
}

impl SampleProvider for KnownResults {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<MetricResult>>> {
        Ok(self.for_case(case).map(RowResult::results_with_evidence))
    }

    fn respond(&self, _: &mut Case, _: &[CallResult]) -> Response {
        Response::Done(Ok(()))
    }

    fn save(&self, _: &CaseResult) -> io::Result<()> {
        Ok(())
    }
}

impl CasePolicy for KnownResults {
    fn dimensions(&self) -> SampleDimensions {
        SampleDimensions {
            has_prompts: self.0.iter().any(|kept| kept.prompt.is_some()),
            has_fallbacks: self.0.iter().any(RowResult::has_fallback),
        }
    }

    fn prompt(&self, case: &Case) -> Option<String> {
        self.for_case(case)?.prompt.clone()
    }

    fn model(&self, case: &Case) -> Option<String> {
        self.for_case(case)?.model.clone()
    }

    fn expected_failure(&self, case: &Case) -> Option<Cow<'static, str>> {
        self.for_case(case)?.excused.clone()
    }
}

struct RowSource {
    known: KnownResults,
    next: usize,
}

impl CaseSource for RowSource {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        let end = self.known.0.len().min(self.next + ROWS_IN_BATCH);
        let range = std::mem::replace(&mut self.next, end)..end;
        (!range.is_empty()).then(|| Ok(Box::new(RowBatch { known: self.known.clone(), range }) as Box<dyn CaseBatch>))
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(vec![InputFile { path: "-".to_owned(), rows: Some(self.next as u64), ..InputFile::default() }])
    }
}

/// Some of the rows.
struct RowBatch {
    known: KnownResults,
    range: Range<usize>,
}

impl CaseBatch for RowBatch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let case = |(at, kept): (usize, &RowResult)| {
            if let Some(problem) = &kept.lost {
                return Err(problem.as_ref().clone());
            }
            let sample = SampleKey { row: at as u64, repeat: kept.repeat, ..SampleKey::default() };
            Ok(Case { sample: Some(sample), ..kept.case() })
        };
        let rows = self.known.0.get(self.range.clone()).unwrap_or_default();
        self.range.clone().zip(rows).map(case).collect()
    }
}

/// A case with the scores that it got, wherever that was.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FinishedCase {
    case: Case,
    scores: BTreeMap<String, SerializedResult>,
    /// Why a bad value is no failure.
    #[serde(default)]
    excused: Option<String>,
}

/// How the report of finished cases is made.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct ReportOptions {
    name: String,
    outputs: Vec<PathBuf>,
    title: Option<String>,
    limits: Vec<(String, f64)>,
}

/// Results of finished cases, which are JSON as the metrics are, and reports of them.
#[pyfunction]
pub fn report_cases(py: Python<'_>, metrics: &str, cases: &str, options: ReportOptions) -> PyResult<Results> {
    let told = py.detach(|| {
        let unread = |error: serde_json::Error| PyFailure::data(format!("these are not results: {error}"));
        let metrics: Vec<MetricInfo> = serde_json::from_str(metrics).map_err(unread)?;
        let finished: Vec<FinishedCase> = serde_json::from_str(cases).map_err(unread)?;
        let rows = finished.into_iter().map(|FinishedCase { case, mut scores, excused }| {
            let named = |info: &MetricInfo| match scores.remove(&info.name) {
                Some(told) => told.0,
                None => Ok(Outcome::not_applicable(NOT_ASKED)),
            };
            let result = CaseResult::new(case, metrics.iter().map(named).collect());
            let mut row = RowResult::new(&result, true, true);
            row.excused = excused.map(Cow::Owned);
            row
        });
        let rows = Arc::new(rows.collect::<Vec<_>>());
        let mut keeper = RowCollector::default();
        let ReportOptions { name, outputs, title, limits } = options;
        let report = ReportTarget { name: &name, outputs, title, limits };
        let conclusion = write_reports(&rows, metrics.clone(), report, Some(&mut keeper))?;
        Ok::<_, PyFailure>(Results::new(keeper, &conclusion, &name, false))
    })?;
    Ok(told)
}
