//! [`export_run`] and [`export_results`]: a run of the store, or a file of results, as a file that another tool reads.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use probare_core::{
    Case, CasePolicy, CaseResult, CaseSource, ErrorKind, Event, Manifest, MetricInfo, NoBackend, RunEnd,
    SampleDimensions, ScoreError, Sha256, Sink, Stop,
};
use probare_engine::{DriveOptions, Plan, Registries, RunContext, RunExport, SampleProvider, drive, for_other_tools};
use probare_formats::{DatasetUsed, ExportMetadata, ExportTarget, TRACE};
use probare_metrics::registry;
use probare_report::number::count_with_noun;
use probare_report::{Compression, OutputWriter, ReportError, refuse_overlap};
use probare_store::StoredRun;

use super::ExchangeError;
use crate::compare::{ResultRow, ResultsSource, RowSelection, read_rows};
use crate::verify::{CaseScan, reopen_results};

/// What is to be written.
#[derive(Debug, Clone)]
pub struct ExportRequest<'a> {
    /// The tool that reads it.
    pub target: ExportTarget,
    /// The file.
    pub output: &'a Path,
    /// The model whose outputs are wanted, where there are several.
    pub model: Option<&'a str>,
    /// Only the outputs to this prompt.
    pub prompt: Option<&'a str>,
    /// Who evaluated.
    pub organisation: Option<&'a str>,
    /// Whether what does not apply is written as well, where the file has a place for it.
    pub all: bool,
    /// The metric that is written, where the file has a place for one alone.
    pub metric: Option<&'a str>,
    /// What its run may have been computed with.
    pub registries: Registries,
}

/// What was written.
#[derive(Debug, Clone, Default)]
pub struct ExportSummary {
    pub samples: u64,
    /// What the reader should know.
    pub notes: Vec<String>,
}

impl ExportRequest<'_> {
    /// Opens the file, once it is sure that it destroys nothing and holds what is asked for.
    fn sink(&self, reads: &[PathBuf], about: ExportMetadata) -> Result<CountingSink, ExchangeError> {
        refuse_overlap(reads, &[self.output.to_owned()])?;
        let extension = self.output.extension().and_then(|part| part.to_str()).unwrap_or_default();
        let wanted = self.target.extension();
        if !wanted.trim_start_matches('.').eq_ignore_ascii_case(extension) {
            let path = self.output.to_owned();
            return Err(ExchangeError::Extension { path, target: self.target, extension: wanted });
        }
        if self.all && !self.target.is_of_traces() {
            return Err(ExchangeError::All { target: self.target });
        }
        let output = OutputWriter::to_file(self.output, Compression::None).map_err(ReportError::from)?;
        let metric = about.clone();
        let inner = self.target.sink(output, about);
        Ok(CountingSink {
            inner,
            about: metric.clone(),
            samples: 0,
            is_of_traces: self.target.is_of_traces(),
            untraced: 0,
            metric: self.target.is_of_one_metric().then_some(metric),
            metrics: Vec::new(),
            valueless: 0,
        })
    }

    /// The metric to write, where the file has a place for one alone: the one that is named, or the only one.
    fn metric(&self, metrics: &[MetricInfo]) -> Result<Option<String>, ExchangeError> {
        let target = self.target;
        let names = || metrics.iter().map(|metric| metric.name.clone()).collect();
        match (target.is_of_one_metric(), self.metric, metrics) {
            (false, None, _) => Ok(None),
            (false, Some(_), _) => Err(ExchangeError::AllMetrics { target }),
            (true, Some(name), _) if metrics.iter().any(|metric| metric.name == name) => Ok(Some(name.to_owned())),
            (true, None, [only]) => Ok(Some(only.name.clone())),
            (true, ..) => Err(ExchangeError::WhichMetric { target, metrics: names() }),
        }
    }

    /// The model to write, of those that there are.
    fn model(&self, models: &BTreeSet<String>) -> Result<Option<String>, ExchangeError> {
        let known = || models.iter().cloned().collect();
        match self.model {
            Some(model) if models.contains(model) => Ok(Some(model.to_owned())),
            Some(model) => Err(ExchangeError::UnknownModel { model: model.to_owned(), models: known() }),
            None if self.target.holds_several_models() => Ok(None),
            None if models.len() > 1 => Err(ExchangeError::SeveralModels { target: self.target, models: known() }),
            None => Ok(models.first().cloned()),
        }
    }
}

impl ExportRequest<'_> {
    /// The prompt to write, of those that there are.
    fn prompt(&self, prompts: &BTreeSet<String>) -> Result<Option<String>, ExchangeError> {
        let known = || prompts.iter().cloned().collect();
        match self.prompt {
            Some(prompt) if prompts.contains(prompt) => Ok(Some(prompt.to_owned())),
            Some(prompt) => Err(ExchangeError::UnknownPrompt { prompt: prompt.to_owned(), prompts: known() }),
            None if self.target.holds_several_models() => Ok(None),
            None if prompts.len() > 1 => Err(ExchangeError::SeveralPrompts { target: self.target, prompts: known() }),
            None => Ok(None),
        }
    }
}

/// Counts what goes through; samples that are not finished are left out.
struct CountingSink {
    inner: Box<dyn Sink>,
    about: ExportMetadata,
    samples: u64,
    is_of_traces: bool,
    /// Samples that come from no trace, where the file is about traces.
    untraced: u64,
    /// Where the file is about one metric: which, and all of the run.
    metric: Option<ExportMetadata>,
    metrics: Vec<MetricInfo>,
    /// Samples for which that one has no value.
    valueless: u64,
}

impl Sink for CountingSink {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Started { metrics, .. } = event {
            self.metrics = metrics.to_vec();
        }
        if let Event::Scored(result) = event {
            if result.results.is_empty() || !self.about.wants(result) {
                return Ok(());
            }
            if self.is_of_traces && !result.case.metadata.contains_key(TRACE) {
                self.untraced += 1;
                return Ok(());
            }
            if self.metric.as_ref().is_some_and(|about| about.value(&self.metrics, result).is_none()) {
                self.valueless += 1;
                return Ok(());
            }
            self.samples += 1;
        }
        self.inner.event(event)
    }
}

impl CountingSink {
    /// Ends the file; one without samples is not made.
    fn finish(mut self, mut notes: Vec<String>) -> Result<ExportSummary, ExchangeError> {
        if self.untraced > 0 {
            if self.samples == 0 {
                return Err(ExchangeError::NoTrace);
            }
            notes.push(format!(
                "{} come from no trace and are skipped",
                count_with_noun(self.untraced, "sample", "samples")
            ));
        }
        if self.valueless > 0 {
            let samples = count_with_noun(self.valueless, "sample", "samples");
            let is = if samples == "1 sample" { "is" } else { "are" };
            notes.push(format!("{samples} without a value of the metric {is} skipped"));
        }
        if self.samples == 0 {
            return Err(ExchangeError::Invalid("there is no finished sample to export".to_owned()));
        }
        self.event(&Event::Finished(&RunEnd::with_stop(Stop::Complete))).map_err(ReportError::from)?;
        Ok(ExportSummary { samples: self.samples, notes })
    }
}

/// Writes a run of the store.
pub fn export_run(path: &Path, stored: &StoredRun, wanted: &ExportRequest<'_>) -> Result<ExportSummary, ExchangeError> {
    let plan = &stored.plan;
    let models: BTreeSet<String> = plan.models.iter().map(|model| model.name.clone()).collect();
    let model = wanted.model(&models)?;
    let prompts: BTreeSet<String> = plan.names().prompts.into_iter().collect();
    let prompt = wanted.prompt(&prompts)?;
    let name = match plan.datasets.as_slice() {
        [only] => only.name.clone(),
        _ => Path::new(&plan.config).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    let about = ExportMetadata {
        name,
        id: Sha256::hex_digest(serde_json::to_vec(plan).unwrap_or_default()),
        model,
        prompt,
        models: plan.models.clone(),
        datasets: (plan.datasets.iter())
            .map(|set| DatasetUsed { name: set.name.clone(), sha256: set.input.sha256.clone() })
            .collect(),
        repeats: plan.repeats,
        made: stored.made,
        organisation: wanted.organisation.map(str::to_owned),
        agent_metrics: agent_metrics(&plan.metrics),
        all: wanted.all,
        metric: wanted.metric(&plan.metrics)?,
    };
    let RunExport { source, sampler, rules, name, reads, notes } = for_other_tools(path, stored)?;
    let mut sink = wanted.sink(&reads, about)?;
    drive_into_sink(source, &name, plan.metrics.clone(), rules.as_ref(), sampler.as_ref(), &mut sink)?;
    sink.finish(notes)
}

fn drive_into_sink(
    source: Box<dyn CaseSource>,
    name: &str,
    metrics: Vec<MetricInfo>,
    rules: &dyn CasePolicy,
    sampler: &dyn SampleProvider,
    sink: &mut CountingSink,
) -> Result<(), ExchangeError> {
    let around = RunContext { rules, backend: &NoBackend, sampler: Some(sampler) };
    drive(source, name, &Plan::without_scoring(metrics), around, &DriveOptions::default(), Box::new(sink))?;
    Ok(())
}

/// Writes a file of results, with the texts of its cases where its inputs can still be found.
pub fn export_results(results: &Path, wanted: &ExportRequest<'_>) -> Result<ExportSummary, ExchangeError> {
    let (_, manifest, job) = reopen_results(results, &[], wanted.registries, CaseScan::Cases)?;
    let mut notes = Vec::new();
    let mut reads = vec![results.to_owned()];
    match job {
        Ok(job) => reads.extend(job.reads),
        Err(error) => notes.push(format!("the texts of the cases are not at hand: {error}")),
    }
    // Which models there are is known from the rows alone.
    let (mut models, mut prompts) = (BTreeSet::new(), BTreeSet::new());
    let mut repeats = 0;
    read_rows(
        &ResultsSource::from_file(results, wanted.registries),
        RowSelection::Values,
        &mut Vec::new(),
        |_, row, _| {
            models.extend(row.model);
            prompts.extend(row.prompt);
            repeats = repeats.max(row.repeat + 1);
        },
    )?;
    let model = wanted.model(&models)?;
    let about = ExportMetadata {
        metric: wanted.metric(&manifest.metrics)?,
        prompt: wanted.prompt(&prompts)?,
        ..about(results, &manifest, model, repeats, wanted)
    };
    let mut sink = wanted.sink(&reads, about)?;
    let source = results.display().to_string();
    let mut failed = sink.event(&Event::Started {
        source: &source,
        metrics: &manifest.metrics,
        dimensions: SampleDimensions::default(),
    });
    read_rows(
        &ResultsSource::from_file(results, wanted.registries),
        RowSelection::Whole,
        &mut Vec::new(),
        |_, row, case| {
            if failed.is_ok() {
                failed = sink.event(&Event::Scored(&result(row, case)));
            }
        },
    )?;
    failed.map_err(ReportError::from)?;
    sink.finish(notes)
}

/// A row as it was when it was scored.
fn result(row: ResultRow, case: Option<&Case>) -> CaseResult {
    let missing = || Err(ScoreError::other(ErrorKind::Missing, "the file holds no result of this metric"));
    CaseResult {
        case: case.cloned().unwrap_or_else(|| Case { id: row.id, ..Case::default() }),
        model: row.model,
        prompt: row.prompt,
        repeat: row.repeat,
        results: row.named.into_iter().map(|named| named.unwrap_or_else(missing)).collect(),
        ..CaseResult::default()
    }
}

fn about(
    results: &Path,
    manifest: &Manifest,
    model: Option<String>,
    repeats: u32,
    wanted: &ExportRequest<'_>,
) -> ExportMetadata {
    let stem = |path: &str| Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let datasets: Vec<DatasetUsed> = match &manifest.generation {
        Some(generation) => (generation.datasets.iter().zip(&manifest.inputs))
            .map(|(name, input)| DatasetUsed { name: name.clone(), sha256: input.sha256.clone() })
            .collect(),
        None => (manifest.inputs.iter().take(1))
            .map(|input| DatasetUsed { name: stem(&input.path), sha256: input.sha256.clone() })
            .collect(),
    };
    let named = manifest.benchmark.as_ref().map(|benchmark| benchmark.id.clone()).or_else(|| manifest.title.clone());
    let since = std::fs::metadata(results).and_then(|found| found.modified()).ok();
    let since = since.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    ExportMetadata {
        name: named.or_else(|| datasets.first().map(|set| set.name.clone())).unwrap_or_else(|| stem("results")),
        id: manifest.lines.clone(),
        model,
        models: manifest.models.clone(),
        datasets,
        repeats,
        made: since.map_or(0, |since| since.as_secs()),
        organisation: wanted.organisation.map(str::to_owned),
        agent_metrics: agent_metrics(&manifest.metrics),
        prompt: None,
        all: wanted.all,
        metric: None,
    }
}

/// Names of the metrics of agents.
fn agent_metrics(metrics: &[MetricInfo]) -> BTreeSet<String> {
    let is_of_agents = |id: &str| match registry().get(id) {
        Ok(metric) => metric.family == "agents",
        Err(unknown) => unknown.retired.is_some_and(|metric| metric.family == "agents"),
    };
    metrics.iter().filter(|metric| is_of_agents(&metric.id)).map(|metric| metric.name.clone()).collect()
}
