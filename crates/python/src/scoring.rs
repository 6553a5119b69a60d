//! [`score`]: rows through metrics, by the one road.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_benchmarks::registries;
use probare_core::{CaseSource, Job, Stop};
use probare_engine::{Conclusion, Config, DriveOptions, RunOptions, RunRequest, run};
use probare_formats::{CaseReader, ReadOptions, columns};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3_arrow::PyRecordBatchReader;
use serde_json::Value as Json;

use crate::column_checks;
use crate::failure::PyFailure;
use crate::interrupt::{Interrupt, Watch, run_interruptibly};
use crate::metrics::{profile, requests};
use crate::own_metrics::MetricList;
use crate::python_json::object;
use crate::results::Results;
use crate::row_results::RowCollector;
use crate::sources::{ArrowSource, IteratorSource, SeenRows};

/// What a call says, as options of a run.
pub fn read_options(options: &Bound<'_, PyAny>) -> Result<RunOptions, PyFailure> {
    let said = object(options).map_err(PyFailure::usage)?;
    if let Some(Json::String(name)) = said.get("profile") {
        profile(name)?;
    }
    let options: RunOptions =
        serde_json::from_value(Json::Object(said)).map_err(|error| PyFailure::usage(error.to_string()))?;
    options.check().map_err(PyFailure::usage)?;
    Ok(options.set_by_caller())
}

/// Reads the configuration, if one is named, and merges it with what is said in the call. `is_whole` says whether all cases are
/// scored in one go: what a configuration says about a whole run can be honoured there alone.
pub fn resolve(said: RunOptions, is_whole: bool) -> Result<RunOptions, PyFailure> {
    let config = match &said.config {
        Some(path) => Config::load(Some(path))?,
        None => Config::default(),
    };
    Ok(said.combine(usable_options(config.file_options(), is_whole)?))
}

/// Scoring threads.
pub fn jobs(options: &RunOptions) -> NonZeroUsize {
    options.jobs.unwrap_or_else(|| DriveOptions::default().jobs)
}

/// Settings of a configuration that are about all cases together.
const OF_WHOLE_RUNS: [&str; 10] =
    ["gates", "significant", "per_group", "by", "cluster", "limit", "strict", "allow_empty", "allow_not_run", "output"];

/// What a configuration says, without what is for `probare run` alone. What cannot be honoured is an error.
fn usable_options(file: RunOptions, is_whole: bool) -> Result<RunOptions, PyFailure> {
    let path = file.config.as_deref().unwrap_or(Path::new("")).display().to_string();
    let refuse = |names: &[&str], why: &str| {
        let said = file.names().into_iter().filter(|name| names.contains(name));
        let said: Vec<String> = said.map(|name| format!("`{name}`")).collect();
        let told = || PyFailure::usage(format!("{} in `{path}` cannot be honoured: {why}", said.join(", ")));
        if said.is_empty() { Ok(()) } else { Err(told().hint("name a configuration without it")) }
    };
    refuse(&["sandbox", "run_again"], "no program is run from Python; `probare score` runs them")?;
    if file.stop_when_decided == Some(true) {
        let why = "results have one row for each row of the input, in its order; `probare score` may stop early";
        refuse(&["stop_when_decided"], why)?;
    }
    if !is_whole {
        refuse(&OF_WHOLE_RUNS, "it is about a whole run, and a Scorer sees batches; `probare.score` honours it")?;
    }
    Ok(file.retain(|name| !["generate", "retrieval", "agent"].contains(&name)))
}

/// What is said about the rows themselves.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct RowOptions {
    /// What reports call them.
    name: String,
    /// Whether the texts of the cases are kept.
    whole: bool,
    /// Whether results carry evidence.
    evidence: bool,
    /// The columns of rows, where they are known before the rows are read.
    columns: Option<Vec<String>>,
}

/// What a call asks for that only a file can have, by the name of the argument.
fn file_only_option(said: &RunOptions) -> Option<(&'static str, &'static str)> {
    let format = said.format.map(|format| ("format", format.name()));
    format.or_else(|| said.group.map(|group| ("group", group.name())))
}

/// Scores a path, a stream of Arrow batches, or rows.
#[pyfunction]
#[pyo3(signature = (cases, metrics, options, rows, interrupt=None, watch=None))]
pub fn score(
    py: Python<'_>,
    cases: &Bound<'_, PyAny>,
    metrics: Option<&Bound<'_, PyAny>>,
    options: &Bound<'_, PyAny>,
    rows: RowOptions,
    interrupt: Option<&Bound<'_, Interrupt>>,
    watch: Option<Py<PyAny>>,
) -> PyResult<Results> {
    let said = read_options(options)?;
    let file_only = file_only_option(&said);
    let options = resolve(said, true)?;
    let list = match metrics {
        Some(metrics) => requests(metrics)?,
        None => MetricList { requests: options.requests(), own: Vec::new() },
    };
    let mut reads = Vec::new();
    let seen = SeenRows::default();
    let path = cases.cast::<PyString>().ok();
    if let (None, Some((name, value))) = (path, file_only) {
        let told = format!("`{name}` is `{value}`, which says how a file is read, and these cases are no file");
        return Err(PyFailure::usage(told).hint("give the path of the file, or leave it out").into());
    }
    let path = path.map(|path| path.to_str()).transpose()?;
    // A file that the configuration lists is read as it says.
    let known = options.datasets.iter().find(|dataset| Some(dataset.path.as_str()) == path);
    let known = known.map(probare_engine::Dataset::fields).transpose().map_err(PyFailure::from)?;
    let reading = options.reading(&known.unwrap_or_default()).map_err(PyFailure::from)?;
    let fields = &reading.fields;
    let check = |columns: &[String]| {
        column_checks::check_columns(columns, fields, options.by.as_deref(), options.cluster.as_deref())
    };
    let source: Box<dyn CaseSource> = if let Some(path) = path {
        reads.push(PathBuf::from(path));
        let rows = py.detach(|| open_rows(path, &reading))?;
        // Only files of results have a manifest that names their input.
        if options.output.is_empty() { Box::new(rows.without_digest()) } else { Box::new(rows) }
    } else if cases.hasattr("__arrow_c_stream__")? {
        let reader = cases.extract::<PyRecordBatchReader>()?.into_reader()?;
        let columns: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        column_checks::refuse_duplicates(&columns)?;
        check(&columns)?;
        seen.see_columns(columns.iter().map(String::as_str));
        Box::new(ArrowSource::new(reader, &rows.name, fields, &seen))
    } else {
        rows.columns.as_deref().map(check).transpose()?;
        Box::new(IteratorSource::new(cases, &rows.name, fields, &seen)?)
    };
    let mut job = Job::new(&rows.name, source, list.requests);
    job.own_metrics = list.own;
    job.reads = reads;
    job.reading.lost_rows_fail = true;
    job.reading.mapping = fields.iter().map(|(field, column)| (field.to_owned(), column.to_owned())).collect();
    job.reading.format = options.format.map(|format| format.name().to_owned());
    job.reading.group = options.group.map(|group| group.name().to_owned());
    let interrupted = Interrupt::flag(interrupt);
    let watch = watch.map(Watch::new);
    let keeper = RowCollector {
        whole: rows.whole,
        evidence: rows.evidence,
        done: watch.as_ref().map(Watch::count).unwrap_or_default(),
        ..RowCollector::default()
    };
    let place = path.filter(|path| *path != "-").map(|path| (path, &reading));
    run_interruptibly(py, &interrupted, watch.as_ref(), || {
        let (keeper, conclusion) = run_job(job, options, &rows.name, keeper, Arc::clone(&interrupted))?;
        if let Some((path, reading)) = place.filter(|_| column_checks::has_silent_metric(&conclusion.summary)) {
            seen.see_columns(columns(path, reading).unwrap_or_default().iter().map(String::as_str));
        }
        let advice = column_checks::advice(&conclusion.summary, fields, &seen.columns());
        Ok(Results::new(keeper, &conclusion, &rows.name, seen.has_number_ids()).with_advice(advice))
    })
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
    options: RunOptions,
    name: &str,
    mut keeper: RowCollector,
    interrupted: Arc<AtomicBool>,
) -> Result<(RowCollector, Conclusion), PyFailure> {
    let evidence = keeper.evidence;
    let wanted = RunRequest {
        watcher: Some(Box::new(&mut keeper)),
        interrupted,
        evidence,
        sandboxing: None,
        ..RunRequest::from(options)
    };
    let conclusion = run(job, registries(), wanted)?;
    let lost = keeper.problems.iter().filter(|problem| problem.lost).count();
    let is_nothing_read = lost > 0 && lost == keeper.rows.len();
    if conclusion.driven.stop == Stop::Strict || is_nothing_read {
        let problem = keeper.problems.iter().find(|problem| problem.lost);
        let place = problem.and_then(|problem| problem.line).map(|line| format!(":{line}")).unwrap_or_default();
        let reason = problem.map_or("a row could not be read", |problem| problem.reason.as_str());
        let reason = format!("{name}{place}: {reason}");
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
    Ok((keeper, conclusion))
}
