//! [`score`]: rows through metrics, by the one road.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use probare_cases::{FieldMap, ReadOptions, Rows, columns};
use probare_core::{Job, Source, Stop};
use probare_runner::{Config, DriveOptions, Layer, MOST_JOBS, Wanted, run};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3_arrow::PyRecordBatchReader;
use serde_json::json;

use crate::asked_columns;
use crate::fault::Fault;
use crate::heard::{Interrupt, attentive};
use crate::kept::Keeper;
use crate::metrics::{profile, requests};
use crate::results::Results;
use crate::sources::{IdKind, Iterated, Streamed};

/// What holds for everything that scores.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Settings {
    profile: Option<String>,
    mapping: BTreeMap<String, String>,
    jobs: Option<usize>,
    judges: Vec<String>,
    bands: Vec<PathBuf>,
    record: Option<PathBuf>,
    offline: bool,
    budget_usd: Option<f64>,
    budget_tokens: Option<u64>,
    config: Option<PathBuf>,
}

/// What the run is, and which column becomes which field.
pub struct Settled {
    /// What the run is.
    pub settings: probare_runner::Settings,
    /// Which column becomes which field.
    pub fields: FieldMap,
}

impl Settings {
    /// Reads the configuration, if one is named, and merges it with what is said here. `is_whole` says whether all cases are
    /// scored in one go: what a configuration says about a whole run can be honoured there alone.
    pub fn settled(self, is_whole: bool) -> Result<Settled, Fault> {
        let Self { profile: named, mapping, jobs, judges, bands, record, offline, budget_usd, budget_tokens, config } =
            self;
        let config = match &config {
            Some(path) => Config::load(Some(path))?,
            None => Config::default(),
        };
        if jobs.is_some_and(|jobs| jobs == 0 || jobs > MOST_JOBS) {
            return Err(Fault::usage(format!("`jobs` must be a whole number from 1 to {MOST_JOBS}")));
        }
        if budget_usd.is_some_and(|dollars| !dollars.is_finite() || dollars < 0.0) {
            return Err(Fault::usage("`budget_usd` must be an amount of US dollars, such as 0.50"));
        }
        let values = json!({
            "profile": named.as_deref().map(profile).transpose()?, "jobs": jobs, "judges": judges, "bands": bands, "record": record,
            "offline": offline, "budget_usd": budget_usd, "budget_tokens": budget_tokens,
        });
        let said = Layer::of_caller(values);
        let path = config.path.as_deref().unwrap_or(Path::new("")).display().to_string();
        let file = honoured(Layer::of_config(&config, &path), &path, is_whole)?;
        let settings = probare_runner::Settings::merge([said, file])?;
        Ok(Settled { settings, fields: FieldMap::of(mapping)? })
    }
}

/// Settings of a configuration that are about all cases together.
const OF_WHOLE_RUNS: [&str; 9] =
    ["gates", "confident", "each_group", "by", "cluster", "limit", "strict", "allow_empty", "output"];

/// What a configuration says, without what is for `probare run` alone. What cannot be honoured is an error.
fn honoured(file: Layer, path: &str, is_whole: bool) -> Result<Layer, Fault> {
    let refuse = |names: &[&str], why: &str| {
        let said: Vec<String> = names.iter().filter(|name| file.says(name)).map(|name| format!("`{name}`")).collect();
        let told = || Fault::usage(format!("{} in `{path}` cannot be honoured: {why}", said.join(", ")));
        if said.is_empty() { Ok(()) } else { Err(told().hint("name a configuration without it")) }
    };
    refuse(&["sandbox"], "no program is run from Python; `probare score` runs them")?;
    if !is_whole {
        refuse(&OF_WHOLE_RUNS, "it is about a whole run, and a Scorer sees batches; `probare.score` honours it")?;
    }
    Ok(file.without("generate").without("retrieval"))
}

impl Settled {
    /// Scoring threads.
    pub fn jobs(&self) -> NonZeroUsize {
        self.settings.jobs.unwrap_or_else(|| DriveOptions::default().jobs)
    }
}

/// How to run.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Run {
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

impl Run {
    /// What is asked for that only a file can have, by the name of the argument.
    fn of_a_file(&self) -> Option<(&'static str, &str)> {
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
    settings: Settings,
    run_as: Run,
    interrupt: Option<&Bound<'_, Interrupt>>,
) -> PyResult<Results> {
    let mut settled = settings.settled(true)?;
    let requests = match metrics {
        Some(metrics) => requests(metrics)?,
        None => settled.settings.requests(),
    };
    let mut reads = Vec::new();
    let ids = IdKind::default();
    let check = |columns: &[String]| {
        asked_columns::check(columns, &settled.fields, run_as.by.as_deref(), run_as.cluster.as_deref())
    };
    let path = cases.cast::<PyString>().ok();
    if let (None, Some((name, value))) = (path, run_as.of_a_file()) {
        let told = format!("`{name}` is `{value}`, which says how a file is read, and these cases are no file");
        return Err(Fault::usage(told).hint("give the path of the file, or leave it out").into());
    }
    let source: Box<dyn Source> = if let Some(path) = path {
        let path = path.to_str()?.to_owned();
        // A file that the configuration lists is read as it says.
        if let Some(known) = settled.settings.datasets.iter().find(|dataset| dataset.path == path) {
            settled.fields = settled.fields.or(&known.fields().map_err(Fault::from)?);
        }
        let format = run_as.format.as_deref().map(str::parse).transpose().map_err(Fault::usage)?;
        let group = run_as.group.as_deref().map(str::parse).transpose().map_err(Fault::usage)?;
        let options = ReadOptions { fields: settled.fields.clone(), format, group, ..ReadOptions::default() };
        reads.push(PathBuf::from(&path));
        Box::new(py.detach(|| opened(&path, &options))?)
    } else if cases.hasattr("__arrow_c_stream__")? {
        let reader = cases.extract::<PyRecordBatchReader>()?.into_reader()?;
        let columns: Vec<String> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        check(&columns)?;
        Box::new(Streamed::new(reader, &run_as.name, &settled.fields, &ids))
    } else {
        run_as.columns.as_deref().map(check).transpose()?;
        Box::new(Iterated::new(cases, &run_as.name, &settled.fields, &ids)?)
    };
    let mut job = Job::new(&run_as.name, source, requests);
    job.reads = reads;
    job.reading.mapping = settled.fields.iter().map(|(field, column)| (field.to_owned(), column.to_owned())).collect();
    job.reading.format.clone_from(&run_as.format);
    job.reading.group.clone_from(&run_as.group);
    let interrupted = Interrupt::flag(interrupt);
    attentive(py, &interrupted, || driven(job, &settled, &run_as, &ids, Arc::clone(&interrupted)))
}

/// A file. Columns that are mapped and absent are an error, as they are on the command line.
fn opened(path: &str, options: &ReadOptions) -> Result<Rows, Fault> {
    if path != "-" && options.fields.iter().next().is_some() {
        let columns = columns(path, options)?;
        if let Some((field, column)) = options.fields.missing(&columns).first().filter(|_| !columns.is_empty()) {
            return Err(asked_columns::absent(field, column, &columns));
        }
    }
    Ok(Rows::open(path, options)?)
}

fn driven(
    job: Job,
    settled: &Settled,
    run_as: &Run,
    ids: &IdKind,
    interrupted: Arc<AtomicBool>,
) -> Result<Results, Fault> {
    let mut keeper = Keeper { whole: run_as.whole, ..Keeper::default() };
    let Run { limit, strict, outputs, by, cluster, title, .. } = run_as;
    let values =
        json!({"limit": limit, "strict": strict, "output": outputs, "by": by, "cluster": cluster, "title": title});
    let settings = settled.settings.clone().but(Layer::of_caller(values))?;
    let wanted =
        Wanted { watcher: Some(Box::new(&mut keeper)), interrupted, sandboxing: None, ..Wanted::from(settings) };
    let conclusion = run(job, wanted)?;
    let lost = keeper.problems.iter().filter(|problem| problem.lost).count();
    let is_nothing_read = lost > 0 && lost == keeper.rows.len();
    if conclusion.driven.stop == Stop::Strict || is_nothing_read {
        let problem = keeper.problems.iter().find(|problem| problem.lost);
        let place = problem.and_then(|problem| problem.line).map(|line| format!(":{line}")).unwrap_or_default();
        let reason = problem.map_or("a row could not be read", |problem| problem.reason.as_str());
        let reason = format!("{}{place}: {reason}", run_as.name);
        let fault = if is_nothing_read && lost > 1 {
            Fault::data(format!("none of the {lost} rows could be read; the first: {reason}"))
        } else {
            Fault::data(reason)
        };
        return Err(match problem.and_then(|problem| problem.hint.clone()) {
            Some(hint) => fault.hint(hint),
            None => fault,
        });
    }
    asked_columns::check_found(&conclusion.summary)?;
    Ok(Results::new(keeper, &conclusion, &run_as.name, ids.is_number()))
}
