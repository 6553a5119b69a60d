//! [`score`]: rows through metrics, by the one road.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_cases::{FieldMap, ReadOptions, Rows};
use probare_core::{Job, Profile, Source, Stop, Trust};
use probare_models::record_path;
use probare_report::By;
use probare_runner::{Asking, Config, DriveOptions, MOST_JOBS, Wanted, run};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3_arrow::PyRecordBatchReader;

use crate::chosen::Chosen;
use crate::fault::Fault;
use crate::heard::{Interrupt, attentive};
use crate::kept::Keeper;
use crate::metrics::{profile, requests};
use crate::results::Results;
use crate::sources::{Iterated, Streamed};

/// What holds for everything that scores.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    profile: Option<String>,
    mapping: BTreeMap<String, String>,
    jobs: Option<usize>,
    judges: Vec<String>,
    record: Option<PathBuf>,
    offline: bool,
    budget_usd: Option<f64>,
    budget_tokens: Option<u64>,
    config: Option<PathBuf>,
}

/// The same, with what a configuration says where it says nothing.
pub struct Settled {
    /// Which reading of the metrics.
    pub profile: Profile,
    /// Which column becomes which field.
    pub fields: FieldMap,
    /// Scoring threads.
    pub jobs: NonZeroUsize,
    /// Whom judges ask.
    pub asking: Asking,
    /// The configuration.
    pub config: Config,
}

impl Settings {
    /// Reads the configuration, if one is named.
    pub fn settled(self) -> Result<Settled, Fault> {
        let config = match &self.config {
            Some(path) => Config::load(Some(path))?,
            None => Config::default(),
        };
        let jobs = match self.jobs {
            None => DriveOptions::default().jobs,
            Some(jobs) => NonZeroUsize::new(jobs)
                .filter(|jobs| jobs.get() <= MOST_JOBS)
                .ok_or_else(|| Fault::usage(format!("`jobs` must be a whole number from 1 to {MOST_JOBS}")))?,
        };
        if self.budget_usd.is_some_and(|dollars| !dollars.is_finite() || dollars < 0.0) {
            return Err(Fault::usage("`budget_usd` must be an amount of US dollars, such as 0.50"));
        }
        let record = self.record.or_else(|| config.run.record.as_ref().map(PathBuf::from));
        let asking = Asking {
            trust: Trust::Trusted,
            models: config.models.clone(),
            judges: if self.judges.is_empty() { config.judges.clone() } else { self.judges },
            offline: self.offline || config.run.offline,
            budget_usd: self.budget_usd.or(config.run.budget_usd),
            budget_tokens: self.budget_tokens.or(config.run.budget_tokens),
            score_truncated: config.run.score_truncated,
            record: record.unwrap_or_else(record_path),
            seed: config.run.seed,
            folder: self.config.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).to_owned(),
            ..Asking::default()
        };
        let named = self.profile.as_deref().map(profile).transpose()?;
        Ok(Settled {
            profile: named.or(config.profile).unwrap_or_default(),
            fields: FieldMap::of(self.mapping)?,
            jobs,
            asking,
            config,
        })
    }
}

/// How to run.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Run {
    name: String,
    format: Option<String>,
    limit: Option<u64>,
    strict: bool,
    outputs: Vec<PathBuf>,
    title: Option<String>,
    by: Option<String>,
    only: Option<String>,
}

/// Scores a path, a stream of Arrow batches, or rows.
#[pyfunction]
#[pyo3(signature = (cases, metrics, settings, run_as, interrupt=None))]
pub fn score(
    py: Python<'_>,
    cases: &Bound<'_, PyAny>,
    metrics: Option<&Bound<'_, PyAny>>,
    settings: Settings,
    run_as: Run,
    interrupt: Option<&Bound<'_, Interrupt>>,
) -> PyResult<Results> {
    let settled = settings.settled()?;
    let requests = match metrics {
        Some(metrics) => requests(metrics)?,
        None => settled.config.requests(),
    };
    let mut reads = Vec::new();
    let source: Box<dyn Source> = if let Ok(path) = cases.cast::<PyString>() {
        let path = path.to_str()?.to_owned();
        let format = run_as.format.as_deref().map(str::parse).transpose().map_err(Fault::usage)?;
        let options = ReadOptions { fields: settled.fields.clone(), format, ..ReadOptions::default() };
        reads.push(PathBuf::from(&path));
        Box::new(py.detach(|| Rows::open(&path, &options)).map_err(Fault::from)?)
    } else if cases.hasattr("__arrow_c_stream__")? {
        let reader = cases.extract::<PyRecordBatchReader>()?.into_reader()?;
        Box::new(Streamed::new(reader, &run_as.name, &settled.fields))
    } else {
        Box::new(Iterated::new(cases, &run_as.name, &settled.fields)?)
    };
    let mut job = Job::new(&run_as.name, source, requests);
    job.reads = reads;
    if let Some(key) = &run_as.only {
        job.rules = Arc::new(Chosen::by(key));
    }
    job.title.clone_from(&run_as.title);
    job.reading.mapping = settled.fields.iter().map(|(field, column)| (field.to_owned(), column.to_owned())).collect();
    job.reading.format.clone_from(&run_as.format);
    let interrupted = Interrupt::flag(interrupt);
    attentive(py, &interrupted, || driven(job, &settled, &run_as, Arc::clone(&interrupted)))
}

fn driven(job: Job, settled: &Settled, run_as: &Run, interrupted: Arc<AtomicBool>) -> Result<Results, Fault> {
    let mut keeper = Keeper::default();
    let wanted = Wanted {
        profile: settled.profile,
        outputs: run_as.outputs.clone(),
        // Any text is something to group by.
        by: run_as.by.as_deref().and_then(|by| by.parse::<By>().ok()),
        drive: DriveOptions {
            jobs: settled.jobs,
            limit: run_as.limit,
            strict: run_as.strict,
            interrupted,
            ..DriveOptions::default()
        },
        asking: Some(settled.asking.clone()),
        watcher: Some(Box::new(&mut keeper)),
        ..Wanted::default()
    };
    let conclusion = run(job, wanted)?;
    if conclusion.driven.stop == Stop::Strict {
        let problem = keeper.problems.iter().rfind(|problem| problem.lost);
        let place = problem.and_then(|problem| problem.line).map(|line| format!(":{line}")).unwrap_or_default();
        let reason = problem.map_or("a row could not be read", |problem| problem.reason.as_str());
        let fault = Fault::data(format!("{}{place}: {reason}", run_as.name));
        return Err(match problem.and_then(|problem| problem.hint.clone()) {
            Some(hint) => fault.hint(hint),
            None => fault,
        });
    }
    Ok(Results::new(keeper, conclusion))
}
