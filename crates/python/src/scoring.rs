//! [`score`]: rows through metrics, by the one road.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_cases::{CaseReader, FieldMap, ReadOptions, columns};
use probare_core::{CaseSource, Job, Stop};
use probare_engine::{Config, DriveOptions, MOST_JOBS, RunRequest, SettingsLayer, run};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3_arrow::PyRecordBatchReader;
use serde_json::json;

use crate::column_checks;
use crate::failure::PyFailure;
use crate::interrupt::{Interrupt, run_interruptibly};
use crate::metrics::{profile, requests};
use crate::results::Results;
use crate::row_results::RowCollector;
use crate::sources::{ArrowSource, IdKind, IteratorSource};

/// What holds for everything that scores.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct ScoreSettings {
    profile: Option<String>,
    mapping: BTreeMap<String, String>,
    jobs: Option<usize>,
    judges: Vec<String>,
    decision_thresholds: Vec<PathBuf>,
    cache: Option<PathBuf>,
    offline: bool,
    budget_usd: Option<f64>,
    budget_tokens: Option<u64>,
    config: Option<PathBuf>,
}

/// What the run is, and which column becomes which field.
pub struct ResolvedSettings {
    /// What the run is.
    pub settings: probare_engine::Settings,
    /// Which column becomes which field.
    pub fields: FieldMap,
}

impl ScoreSettings {
    /// Reads the configuration, if one is named, and merges it with what is said here. `is_whole` says whether all cases are
    /// scored in one go: what a configuration says about a whole run can be honoured there alone.
    pub fn resolve(self, is_whole: bool) -> Result<ResolvedSettings, PyFailure> {
        let Self {
            profile: named,
            mapping,
            jobs,
            judges,
            decision_thresholds,
            cache,
            offline,
            budget_usd,
            budget_tokens,
            config,
        } = self;
        let config = match &config {
            Some(path) => Config::load(Some(path))?,
            None => Config::default(),
        };
        if jobs.is_some_and(|jobs| jobs == 0 || jobs > MOST_JOBS) {
            return Err(PyFailure::usage(format!("`jobs` must be a whole number from 1 to {MOST_JOBS}")));
        }
        if budget_usd.is_some_and(|dollars| !dollars.is_finite() || dollars < 0.0) {
            return Err(PyFailure::usage("`budget_usd` must be an amount of US dollars, such as 0.50"));
        }
        let values = json!({
            "profile": named.as_deref().map(profile).transpose()?, "jobs": jobs, "judges": judges, "decision_thresholds": decision_thresholds, "cache": cache,
            "offline": offline, "budget_usd": budget_usd, "budget_tokens": budget_tokens,
        });
        let said = SettingsLayer::from_caller(values);
        let path = config.path.as_deref().unwrap_or(Path::new("")).display().to_string();
        let file = usable_layer(SettingsLayer::from_config(&config, &path), &path, is_whole)?;
        let settings = probare_engine::Settings::merge([said, file])?;
        Ok(ResolvedSettings { settings, fields: FieldMap::from_pairs(mapping)? })
    }
}

/// Settings of a configuration that are about all cases together.
const OF_WHOLE_RUNS: [&str; 9] =
    ["gates", "significant", "per_group", "by", "cluster", "limit", "strict", "allow_empty", "output"];

/// What a configuration says, without what is for `probare run` alone. What cannot be honoured is an error.
fn usable_layer(file: SettingsLayer, path: &str, is_whole: bool) -> Result<SettingsLayer, PyFailure> {
    let refuse = |names: &[&str], why: &str| {
        let said: Vec<String> =
            names.iter().filter(|name| file.contains(name)).map(|name| format!("`{name}`")).collect();
        let told = || PyFailure::usage(format!("{} in `{path}` cannot be honoured: {why}", said.join(", ")));
        if said.is_empty() { Ok(()) } else { Err(told().hint("name a configuration without it")) }
    };
    refuse(&["sandbox"], "no program is run from Python; `probare score` runs them")?;
    if !is_whole {
        refuse(&OF_WHOLE_RUNS, "it is about a whole run, and a Scorer sees batches; `probare.score` honours it")?;
    }
    Ok(file.without("generate").without("retrieval"))
}

impl ResolvedSettings {
    /// Scoring threads.
    pub fn jobs(&self) -> NonZeroUsize {
        self.settings.jobs.unwrap_or_else(|| DriveOptions::default().jobs)
    }
}

/// How to run.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct RunOptions {
    name: String,
    format: Option<String>,
    group: Option<String>,
    limit: Option<u64>,
    strict: bool,
    outputs: Vec<PathBuf>,
    title: Option<String>,
    by: Option<String>,
    cluster: Option<String>,
    /// Whether the texts of the cases are kept.
    whole: bool,
    /// The columns of rows, where they are known before the rows are read.
    columns: Option<Vec<String>>,
}

impl RunOptions {
    /// What is asked for that only a file can have, by the name of the argument.
    fn file_only_option(&self) -> Option<(&'static str, &str)> {
        let format = self.format.as_deref().map(|format| ("format", format));
        format.or_else(|| self.group.as_deref().map(|group| ("group", group)))
    }
}

/// Scores a path, a stream of Arrow batches, or rows.
#[pyfunction]
#[pyo3(signature = (cases, metrics, settings, run_as, interrupt=None))]
pub fn score(
    py: Python<'_>,
    cases: &Bound<'_, PyAny>,
    metrics: Option<&Bound<'_, PyAny>>,
    settings: ScoreSettings,
    run_as: RunOptions,
    interrupt: Option<&Bound<'_, Interrupt>>,
) -> PyResult<Results> {
    let mut settled = settings.resolve(true)?;
    let requests = match metrics {
        Some(metrics) => requests(metrics)?,
        None => settled.settings.requests(),
    };
    let mut reads = Vec::new();
    let ids = IdKind::default();
    let check = |columns: &[String]| {
        column_checks::check_columns(columns, &settled.fields, run_as.by.as_deref(), run_as.cluster.as_deref())
    };
    let path = cases.cast::<PyString>().ok();
    if let (None, Some((name, value))) = (path, run_as.file_only_option()) {
        let told = format!("`{name}` is `{value}`, which says how a file is read, and these cases are no file");
        return Err(PyFailure::usage(told).hint("give the path of the file, or leave it out").into());
    }
    let source: Box<dyn CaseSource> = if let Some(path) = path {
        let path = path.to_str()?.to_owned();
        // A file that the configuration lists is read as it says.
        if let Some(known) = settled.settings.datasets.iter().find(|dataset| dataset.path == path) {
            settled.fields = settled.fields.or(&known.fields().map_err(PyFailure::from)?);
        }
        let format = run_as.format.as_deref().map(str::parse).transpose().map_err(PyFailure::usage)?;
        let group = run_as.group.as_deref().map(str::parse).transpose().map_err(PyFailure::usage)?;
        let options = ReadOptions { fields: settled.fields.clone(), format, group, ..ReadOptions::default() };
        reads.push(PathBuf::from(&path));
        Box::new(py.detach(|| open_rows(&path, &options))?)
    } else if cases.hasattr("__arrow_c_stream__")? {
        let reader = cases.extract::<PyRecordBatchReader>()?.into_reader()?;
        let columns: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        check(&columns)?;
        Box::new(ArrowSource::new(reader, &run_as.name, &settled.fields, &ids))
    } else {
        run_as.columns.as_deref().map(check).transpose()?;
        Box::new(IteratorSource::new(cases, &run_as.name, &settled.fields, &ids)?)
    };
    let mut job = Job::new(&run_as.name, source, requests);
    job.reads = reads;
    job.reading.mapping = settled.fields.iter().map(|(field, column)| (field.to_owned(), column.to_owned())).collect();
    job.reading.format.clone_from(&run_as.format);
    job.reading.group.clone_from(&run_as.group);
    let interrupted = Interrupt::flag(interrupt);
    run_interruptibly(py, &interrupted, || run_job(job, &settled, &run_as, &ids, Arc::clone(&interrupted)))
}

/// A file. Columns that are mapped and absent are an error, as they are on the command line.
fn open_rows(path: &str, options: &ReadOptions) -> Result<CaseReader, PyFailure> {
    if path != "-" && options.fields.iter().next().is_some() {
        let columns = columns(path, options)?;
        if let Some((field, column)) = options.fields.missing_columns(&columns).first().filter(|_| !columns.is_empty())
        {
            return Err(column_checks::missing_column(field, column, &columns));
        }
    }
    Ok(CaseReader::open(path, options)?)
}

fn run_job(
    job: Job,
    settled: &ResolvedSettings,
    run_as: &RunOptions,
    ids: &IdKind,
    interrupted: Arc<AtomicBool>,
) -> Result<Results, PyFailure> {
    let mut keeper = RowCollector { whole: run_as.whole, ..RowCollector::default() };
    let RunOptions { limit, strict, outputs, by, cluster, title, .. } = run_as;
    let values =
        json!({"limit": limit, "strict": strict, "output": outputs, "by": by, "cluster": cluster, "title": title});
    let settings = settled.settings.clone().but(SettingsLayer::from_caller(values))?;
    let wanted = RunRequest {
        watcher: Some(Box::new(&mut keeper)),
        interrupted,
        sandboxing: None,
        ..RunRequest::from(settings)
    };
    let conclusion = run(job, wanted)?;
    let lost = keeper.problems.iter().filter(|problem| problem.lost).count();
    let is_nothing_read = lost > 0 && lost == keeper.rows.len();
    if conclusion.driven.stop == Stop::Strict || is_nothing_read {
        let problem = keeper.problems.iter().find(|problem| problem.lost);
        let place = problem.and_then(|problem| problem.line).map(|line| format!(":{line}")).unwrap_or_default();
        let reason = problem.map_or("a row could not be read", |problem| problem.reason.as_str());
        let reason = format!("{}{place}: {reason}", run_as.name);
        let fault = if is_nothing_read && lost > 1 {
            PyFailure::data(format!("none of the {lost} rows could be read; the first: {reason}"))
        } else {
            PyFailure::data(reason)
        };
        return Err(match problem.and_then(|problem| problem.hint.clone()) {
            Some(hint) => fault.hint(hint),
            None => fault,
        });
    }
    column_checks::check_groups_found(&conclusion.summary)?;
    Ok(Results::new(keeper, &conclusion, &run_as.name, ids.is_number()))
}
