//! [`show_case`]: one case of a finished run, found again.

use std::io;
use std::path::{Path, PathBuf};

use probare_core::{
    Case, CaseBatch, CaseResult, CaseSource, Event, InputFile, Manifest, MetricInfo, MetricResult, Problem, ResultLine,
    Sink, SourceError,
};
use probare_engine::{DriveOptions, Plan, ProgramBackend, ProgramOptions, Registries, RunContext, RunError, drive};
use probare_formats::results::{ResultsFile, RowContent};
use probare_report::ReportFormat;

use crate::verify::IMPORTED;
use crate::verify::{CaseScan, VerifyError, reopen_results, replies};

/// What is known of a case.
#[derive(Debug, Default)]
pub struct CaseLookup {
    /// The metrics of the run.
    pub metrics: Vec<MetricInfo>,
    /// The case with its texts, computed again, once for each time that its id occurs.
    pub results: Vec<CaseResult>,
    /// What the file says of it, in formats that hold whole results.
    pub recorded: Vec<RecordedRow>,
    /// Why the texts are not at hand, where they are not.
    pub without_texts: Option<VerifyError>,
}

/// A row of the file.
#[derive(Debug)]
pub struct RecordedRow {
    /// Model whose output was scored.
    pub model: Option<String>,
    /// The prompt that the model was asked with, where the run has several.
    pub prompt: Option<String>,
    /// Which of several outputs of that model.
    pub repeat: u32,
    /// What each metric said.
    pub named: Vec<(MetricInfo, MetricResult)>,
}

/// Looks a case up by its id: in the file of results, and in the inputs of its run where they can be found.
pub fn show_case(
    results: &Path,
    inputs: &[PathBuf],
    id: &str,
    registries: Registries,
) -> Result<CaseLookup, VerifyError> {
    let (recorded, manifest, job) = reopen_results(results, inputs, registries, CaseScan::Cases)?;
    let mut found = CaseLookup { metrics: manifest.metrics.clone(), ..CaseLookup::default() };
    found.recorded = rows(&recorded, &manifest, id)?;
    match job {
        Ok(mut job) => {
            let source = std::mem::replace(&mut job.cases, Box::new(probare_core::MemorySource::default()));
            let only = SingleCaseSource { inner: source, id: id.to_owned(), left: manifest.reading.limit };
            // What another tool computed is not computed again: its results are those of the file.
            let is_imported = manifest.metrics.iter().any(|metric| metric.id == IMPORTED);
            let plan = if is_imported {
                Plan::empty()
            } else {
                Plan::with_recorded(
                    &job.requests,
                    probare_core::Profile::default(),
                    registries.metrics,
                    &manifest.metrics,
                )
                .map_err(RunError::from)?
            };
            let asked = replies(results, inputs, &manifest, &mut job.requests, registries.metrics)?;
            let sandboxing = ProgramOptions {
                record: Some(probare_models::CacheFile::from_environment()),
                recorded_only: true,
                ..ProgramOptions::default()
            };
            let cassettes: Vec<PathBuf> = asked.inputs.iter().map(|input| PathBuf::from(&input.path)).collect();
            let running = ProgramBackend::open(&sandboxing, &cassettes, &[], std::sync::Arc::default(), &asked)
                .map_err(RunError::from)?;
            let around = RunContext { rules: job.rules.as_ref(), backend: &running, sampler: None };
            let mut kept = CollectedResults(Vec::new());
            drive(Box::new(only), &job.source, &plan, around, &DriveOptions::default(), Box::new(&mut kept))
                .map_err(RunError::from)?;
            found.results = kept.0;
            if is_imported {
                for (result, row) in found.results.iter_mut().zip(&found.recorded) {
                    result.results = row.named.iter().map(|(_, named)| named.clone()).collect();
                }
            }
            // What is retired, or computed by code of a user, is shown as the file has it.
            for (result, row) in found.results.iter_mut().zip(&found.recorded) {
                for (now, (info, named)) in result.results.iter_mut().zip(&row.named) {
                    if info.code.is_some() || registries.metrics.retired(&info.id).is_some() {
                        now.clone_from(named);
                    }
                }
            }
        }
        Err(error) => found.without_texts = Some(error),
    }
    Ok(found)
}

/// The rows of this id, where the file holds whole results.
fn rows(recorded: &ResultsFile, manifest: &Manifest, id: &str) -> Result<Vec<RecordedRow>, VerifyError> {
    if !matches!(recorded.format(), ReportFormat::Jsonl | ReportFormat::Json) {
        return Ok(Vec::new());
    }
    let mut written = Vec::new();
    for row in recorded.rows()?.into_iter().flatten() {
        let Ok(RowContent::Text(text)) = row else { continue };
        // Most rows are of other cases; the id stands in the text of those that are not.
        let Ok(line) = ResultLine::from_json(&text) else { continue };
        if line.id != id {
            continue;
        }
        let info = |name: &str| manifest.metrics.iter().find(|metric| metric.name == name).cloned();
        let named = line.scores.into_iter().filter_map(|(name, told)| Some((info(&name)?, told.0))).collect();
        written.push(RecordedRow { model: line.model, prompt: line.prompt, repeat: line.repeat, named });
    }
    Ok(written)
}

/// The cases of one id.
struct SingleCaseSource {
    inner: Box<dyn CaseSource>,
    id: String,
    /// Cases up to the limit of the run, where it had one.
    left: Option<u64>,
}

struct SingleCaseBatch {
    inner: Box<dyn CaseBatch>,
    id: String,
}

impl CaseSource for SingleCaseSource {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        let Some(left) = &mut self.left else {
            let batch = self.inner.next_batch()?;
            return Some(
                batch.map(|inner| Box::new(SingleCaseBatch { inner, id: self.id.clone() }) as Box<dyn CaseBatch>),
            );
        };
        if *left == 0 {
            return None;
        }
        let batch = self.inner.next_batch()?;
        Some(batch.map(|inner| {
            // Read here, in the order of the file, since a limit counts cases from its beginning.
            let mut cases: Vec<Case> = inner.cases().into_iter().flatten().collect();
            cases.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
            *left -= cases.len() as u64;
            cases.retain(|case| case.id == self.id);
            Box::new(ListedCases(cases)) as Box<dyn CaseBatch>
        }))
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(Vec::new())
    }
}

impl CaseBatch for SingleCaseBatch {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let mut cases = self.inner.cases();
        cases.retain(|case| case.as_ref().is_ok_and(|case| case.id == self.id));
        cases
    }
}

struct ListedCases(Vec<Case>);

impl CaseBatch for ListedCases {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        self.0.iter().cloned().map(Ok).collect()
    }
}

struct CollectedResults(Vec<CaseResult>);

impl Sink for CollectedResults {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Scored(result) = event {
            self.0.push((*result).clone());
        }
        Ok(())
    }
}
