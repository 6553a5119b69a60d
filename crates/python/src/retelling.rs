//! Results that are known go the one road again, into reports: nothing is scored, and nobody is asked.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use probare_core::{
    Batch, Case, CaseResult, Input, Job, MetricInfo, Named, Outcome, Problem, Rules, SampleKey, ScoreError, Sink,
    Source, SourceError, Told,
};
use probare_runner::{Conclusion, Sampler, Settings, Wanted, retell};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::fault::Fault;
use crate::kept::{Keeper, Kept};
use crate::results::Results;

/// Rows that travel together.
const ROWS_IN_BATCH: usize = 256;

/// What reports are called and where they go.
pub struct Report<'a> {
    /// What reports say the cases come from.
    pub name: &'a str,
    /// Files to write.
    pub outputs: Vec<PathBuf>,
    /// Title of pages.
    pub title: Option<String>,
}

/// Tells known results to reports and to whoever watches.
pub fn tell(
    rows: &Arc<Vec<Kept>>,
    metrics: Vec<MetricInfo>,
    report: Report<'_>,
    watcher: Option<&mut Keeper>,
) -> Result<Conclusion, Fault> {
    let Report { name, outputs, title } = report;
    let known = Known(Arc::clone(rows));
    let mut job = Job::new(name, Box::new(Rows { known: known.clone(), next: 0 }), Vec::new());
    job.rules = Arc::new(known.clone());
    let settings = Settings { output: outputs, title, allow_empty: true, ..Settings::default() };
    let watcher = watcher.map(|keeper| Box::new(keeper) as Box<dyn Sink>);
    Ok(retell(job, metrics, Wanted { settings, sampler: Some(&known), watcher, ..Wanted::default() })?)
}

/// Results by the number of their row.
#[derive(Clone)]
struct Known(Arc<Vec<Kept>>);

impl Known {
    fn of(&self, case: &Case) -> Option<&CaseResult> {
        let row = usize::try_from(case.sample?.row).ok()?;
        self.0.get(row).map(|kept| &kept.result)
    }
}

impl Sampler for Known {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<Named>>> {
        Ok(self.of(case).map(|result| result.results.clone()))
    }

    fn respond(&self, _: &mut Case) -> Result<(), ScoreError> {
        Ok(())
    }

    fn keep(&self, _: &CaseResult) -> io::Result<()> {
        Ok(())
    }
}

impl Rules for Known {
    fn model(&self, case: &Case) -> Option<String> {
        self.of(case)?.model.clone()
    }
}

struct Rows {
    known: Known,
    next: usize,
}

impl Source for Rows {
    fn next_batch(&mut self) -> Option<Result<Box<dyn Batch>, SourceError>> {
        let end = self.known.0.len().min(self.next + ROWS_IN_BATCH);
        let range = std::mem::replace(&mut self.next, end)..end;
        (!range.is_empty()).then(|| Ok(Box::new(Part { known: self.known.clone(), range }) as Box<dyn Batch>))
    }

    fn inputs(&mut self) -> Result<Vec<Input>, SourceError> {
        Ok(vec![Input { path: "-".to_owned(), rows: Some(self.next as u64), ..Input::default() }])
    }
}

/// Some of the rows.
struct Part {
    known: Known,
    range: Range<usize>,
}

impl Batch for Part {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let case = |(at, kept): (usize, &Kept)| {
            if let Some(problem) = &kept.lost {
                return Err(problem.as_ref().clone());
            }
            let sample = SampleKey { row: at as u64, repeat: kept.result.repeat, ..SampleKey::default() };
            Ok(Case { sample: Some(sample), ..kept.result.case.clone() })
        };
        let rows = self.known.0.get(self.range.clone()).unwrap_or_default();
        self.range.clone().zip(rows).map(case).collect()
    }
}

/// A case with the scores that it got, wherever that was.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Finished {
    case: Case,
    scores: BTreeMap<String, Told>,
}

/// How the report of finished cases is made.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Wish {
    name: String,
    outputs: Vec<PathBuf>,
    title: Option<String>,
}

/// Results of finished cases, which are JSON as the metrics are, and reports of them.
#[pyfunction]
pub fn retold(py: Python<'_>, metrics: &str, cases: &str, wish: Wish) -> PyResult<Results> {
    let told = py.detach(|| {
        let unread = |error: serde_json::Error| Fault::data(format!("these are no results: {error}"));
        let metrics: Vec<MetricInfo> = serde_json::from_str(metrics).map_err(unread)?;
        let finished: Vec<Finished> = serde_json::from_str(cases).map_err(unread)?;
        let rows = finished.into_iter().map(|Finished { case, mut scores }| {
            let named = |info: &MetricInfo| match scores.remove(&info.name) {
                Some(told) => told.0,
                None => Ok(Outcome::not_applicable("it was not asked of this case")),
            };
            Kept { result: CaseResult::new(case, metrics.iter().map(named).collect()), lost: None }
        });
        let rows = Arc::new(rows.collect::<Vec<_>>());
        let mut keeper = Keeper::default();
        let Wish { name, outputs, title } = wish;
        let report = Report { name: &name, outputs, title };
        let conclusion = tell(&rows, metrics.clone(), report, Some(&mut keeper))?;
        Ok::<_, Fault>(Results::new(keeper, &conclusion, &name, false))
    })?;
    Ok(told)
}
