//! [`import_file`]: a file of another tool as cases of ours and, where asked for, its scores as results of ours.

use std::io;
use std::path::{Path, PathBuf};

use probare_core::{
    Case, CaseResult, DefaultCasePolicy, ErrorKind, Event, Job, MemorySource, MetricInfo, MetricResult, NoBackend,
    Outcome, RunEnd, ScoreError, SerializedResult, Sink, Stop,
};
use probare_engine::{
    CallResult, DriveOptions, Plan, Response, RunContext, RunOptions, RunRequest, SampleProvider, drive, run_planned,
};
use probare_formats::{
    CaseReader, Grouping, ImportFormat, ImportedCases, ImportedScore, ORIGIN, ReadOptions, SCORES, TraceLoss, import,
    import_together,
};
use probare_metrics::graders::not_run_reason;
use probare_report::{CaseLines, OutputWriter, ReportFormat, manifest, refuse_overlap};
use serde_json::{Map, Value as Json, json};

use super::ExchangeError;
use super::yaml_writer::to_yaml;
use crate::verify::IMPORTED;

/// What is to be imported, and to where.
#[derive(Debug, Clone, Default)]
pub struct ImportRequest<'a> {
    /// The other tool's file; `-` is standard input.
    pub file: &'a str,
    /// Further files that belong to it.
    pub more: &'a [String],
    /// Its format, where the content is not to tell.
    pub from: Option<ImportFormat>,
    /// What becomes one case of a file of traces.
    pub group: Option<Grouping>,
    /// Where the cases go; standard output where nothing is named.
    pub cases: Option<&'a Path>,
    /// Where the metrics, models and prompts of the file go, as a configuration that names the file of cases.
    pub configuration: Option<&'a Path>,
    /// Whether nothing is written.
    pub dry_run: bool,
    /// Reports of the other tool's scores, in the format of their extensions. They are made from the file of cases.
    pub results: Vec<PathBuf>,
}

/// What was imported.
#[derive(Debug, Clone)]
pub struct ImportSummary {
    pub format: ImportFormat,
    /// How many cases.
    pub cases: u64,
    /// How many of them have an answer.
    pub answered: u64,
    /// Names of the other tool's scores.
    pub scores: Vec<String>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// Of traces, all that could not be used, one by one.
    pub lost: Vec<TraceLoss>,
    /// Metrics of the configuration that cannot be run here, with the reason.
    pub not_run: Vec<(String, String)>,
}

/// Imports a file.
pub fn import_file(asked: &ImportRequest<'_>) -> Result<ImportSummary, ExchangeError> {
    let files = std::iter::once(asked.file).chain(asked.more.iter().map(String::as_str));
    let reads: Vec<PathBuf> = files.filter(|file| *file != "-").map(PathBuf::from).collect();
    let mut writes: Vec<PathBuf> =
        asked.cases.iter().chain(&asked.configuration).map(|path| (*path).to_owned()).collect();
    for path in &asked.results {
        let (format, _) = ReportFormat::from_path(path)?;
        writes.push(path.clone());
        if format.has_manifest_beside() {
            writes.push(manifest::manifest_path(path));
        }
    }
    refuse_overlap(&reads, &writes)?;
    let (format, imported, inputs) = if asked.more.is_empty() {
        let (format, imported, input) = import(asked.file, asked.from, asked.group)?;
        (format, imported, vec![input])
    } else {
        let paths: Vec<String> = std::iter::once(asked.file.to_owned()).chain(asked.more.iter().cloned()).collect();
        import_together(&paths, asked.from)?
    };
    let ImportedCases { cases, scores, mut notes, lost, configuration, .. } = imported;
    if configuration.is_some() && asked.configuration.is_none() {
        notes.push(
            "the file holds metrics or prompts too, which a file of cases has no place for: write a configuration, \
             `-o probare.yaml`"
                .to_owned(),
        );
    }
    let configuration = match (asked.configuration, configuration) {
        (Some(_), None) => {
            return Err(ExchangeError::NoConfiguration { file: asked.file.to_owned(), format: format.name() });
        }
        (path, configuration) => path.zip(configuration),
    };
    let not_run = configuration.as_ref().map(|(_, configuration)| not_run(configuration)).unwrap_or_default();
    let answered = cases.iter().filter(|case| case.response.is_some()).count() as u64;
    let made = ImportSummary {
        format,
        cases: cases.len() as u64,
        answered,
        scores: scores.iter().map(|score| score.name.clone()).collect(),
        notes,
        lost,
        not_run,
    };
    if asked.dry_run {
        return Ok(made);
    }
    write_cases(cases, inputs, asked)?;
    if let Some((path, configuration)) = configuration {
        write_configuration(path, configuration, asked.cases, format)?;
    }
    if let Some(path) = asked.cases.filter(|_| !asked.results.is_empty()) {
        write_results(path, format, &scores, asked.results.clone())?;
    }
    Ok(made)
}

fn write_cases(
    cases: Vec<Case>,
    inputs: Vec<probare_core::InputFile>,
    asked: &ImportRequest<'_>,
) -> Result<(), ExchangeError> {
    let output = match asked.cases {
        Some(path) => {
            let (_, compression) = ReportFormat::from_path(path)?;
            OutputWriter::to_file(path, compression).map_err(probare_report::ReportError::from)?
        }
        None => OutputWriter::to_stdout(),
    };
    let mut lines = CaseLines::new(output);
    let source = Box::new(MemorySource::new(cases, inputs));
    let around = RunContext { rules: &DefaultCasePolicy, backend: &NoBackend, sampler: None };
    drive(source, asked.file, &Plan::empty(), around, &DriveOptions::default(), Box::new(&mut lines))?;
    let written = lines.event(&Event::Finished(&RunEnd::with_stop(Stop::Complete)));
    Ok(written.map_err(probare_report::ReportError::from)?)
}

/// Metrics of a configuration that cannot be run, with the reason.
fn not_run(configuration: &Map<String, Json>) -> Vec<(String, String)> {
    let metrics = configuration.get("metrics").and_then(Json::as_array).into_iter().flatten();
    metrics
        .filter_map(|metric| {
            let id = metric.get("id")?.as_str()?;
            let reason = not_run_reason(id, metric.get("options")?)?;
            Some((metric.get("name").and_then(Json::as_str).unwrap_or(id).to_owned(), reason))
        })
        .collect()
}

/// The configuration, beside the cases that it names.
fn write_configuration(
    path: &Path,
    configuration: Map<String, Json>,
    cases: Option<&Path>,
    format: ImportFormat,
) -> Result<(), ExchangeError> {
    let mut whole = Map::new();
    let cases = cases.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    whole.insert("datasets".to_owned(), json!([{"path": cases}]));
    whole.extend(configuration);
    let head = format!(
        "# Written by `probare import` from files of {format}. `probare schema config` shows the allowed keys.\n"
    );
    let text = head + &to_yaml(&Json::Object(whole));
    let written = OutputWriter::write_file(path, text.as_bytes());
    Ok(written.map(|_| ()).map_err(probare_report::ReportError::from)?)
}

/// Reports of the other tool's scores, as if they had been computed from the file of cases.
fn write_results(
    path: &Path,
    format: ImportFormat,
    scores: &[ImportedScore],
    outputs: Vec<PathBuf>,
) -> Result<(), ExchangeError> {
    let metrics: Vec<MetricInfo> = scores
        .iter()
        .map(|score| MetricInfo {
            name: score.name.clone(),
            id: IMPORTED.into(),
            summary: format!("`{}`, as {format} gave it", score.name).into(),
            better: score.better,
            range: score.range,
            version: 1,
            profile: None,
            options: json!({"from": format.name()}),
            decision_thresholds: None,
            is_descriptive: false,
            code: None,
        })
        .collect();
    let name = path.display().to_string();
    let rows = CaseReader::open(&name, &ReadOptions::default())?;
    let mut job = Job::new(name, Box::new(rows), Vec::new());
    job.reads = vec![path.to_owned()];
    let told = ImportedScores { names: metrics.iter().map(|metric| metric.name.clone()).collect(), format };
    let settings = RunOptions { output: outputs, ..RunOptions::default() };
    let wanted = RunRequest { settings, sampler: Some(&told), ..RunRequest::default() };
    run_planned(job, &Plan::without_scoring(metrics), None, wanted)?;
    Ok(())
}

/// The scores that imported cases carry.
struct ImportedScores {
    names: Vec<String>,
    format: ImportFormat,
}

impl ImportedScores {
    fn result(&self, case: &Case, name: &str) -> MetricResult {
        let told = case.metadata.get(SCORES).and_then(|scores| scores.get(name));
        if let Some(told) = told {
            let read = serde_json::from_value::<SerializedResult>(told.clone());
            return read
                .map_or_else(|error| Err(ScoreError::other(ErrorKind::Unparseable, error.to_string())), |told| told.0);
        }
        let origin = case.metadata.get(ORIGIN);
        match origin.and_then(|origin| origin.get("error")).and_then(Json::as_str) {
            Some(error) => Err(ScoreError::other(ErrorKind::Failed, error)),
            None => Ok(Outcome::not_applicable(format!("{} gave no such score", self.format))),
        }
    }
}

impl SampleProvider for ImportedScores {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<MetricResult>>> {
        Ok(Some(self.names.iter().map(|name| self.result(case, name)).collect()))
    }

    fn respond(&self, _: &mut Case, _: &[CallResult]) -> Response {
        Response::Done(Ok(()))
    }

    fn save(&self, _: &CaseResult) -> io::Result<()> {
        Ok(())
    }
}
