//! [`show`]: one case of a finished run, found again.

use std::io;
use std::path::{Path, PathBuf};

use probare_core::{
    Batch, Case, CaseResult, Event, Input, Manifest, MetricInfo, Named, Problem, ResultLine, Sink, Source, SourceError,
};
use probare_metrics::registry;
use probare_report::Format;
use probare_report::recorded::{Content, Recorded};

use crate::drive::{DriveOptions, Surroundings, drive};
use crate::exchange::IMPORTED;
use crate::programs::Running;
use crate::verify::{VerifyError, reopened, replies};
use crate::{Plan, RunError, Sandboxing};

/// What is known of a case.
#[derive(Debug, Default)]
pub struct Found {
    /// The metrics of the run.
    pub metrics: Vec<MetricInfo>,
    /// The case with its texts, computed again, once for each time that its id occurs.
    pub results: Vec<CaseResult>,
    /// What the file says of it, in formats that hold whole results.
    pub recorded: Vec<Written>,
    /// Why the texts are not at hand, where they are not.
    pub without_texts: Option<VerifyError>,
}

/// A row of the file.
#[derive(Debug)]
pub struct Written {
    /// Model whose output was scored.
    pub model: Option<String>,
    /// Which of several outputs of that model.
    pub repeat: u32,
    /// What each metric said.
    pub named: Vec<(MetricInfo, Named)>,
}

/// Looks a case up by its id: in the file of results, and in the inputs of its run where they can be found.
pub fn show(results: &Path, inputs: &[PathBuf], id: &str) -> Result<Found, VerifyError> {
    let (recorded, manifest, job) = reopened(results, inputs)?;
    let mut found = Found { metrics: manifest.metrics.clone(), ..Found::default() };
    found.recorded = rows(&recorded, &manifest, id)?;
    match job {
        Ok(mut job) => {
            let source = std::mem::replace(&mut job.cases, Box::new(probare_core::Given::default()));
            let only = Only { inner: source, id: id.to_owned() };
            // What another tool computed is not computed again: its results are those of the file.
            let is_imported = manifest.metrics.iter().any(|metric| metric.id == IMPORTED);
            let plan = if is_imported {
                Plan::nothing()
            } else {
                Plan::new(&job.requests, probare_core::Profile::default(), registry()).map_err(RunError::from)?
            };
            let asked = replies(results, inputs, &manifest, &mut job.requests)?;
            let sandboxing = Sandboxing {
                record: Some(probare_models::record_path()),
                recorded_only: true,
                ..Sandboxing::default()
            };
            let cassettes: Vec<PathBuf> = asked.inputs.iter().map(|input| PathBuf::from(&input.path)).collect();
            let running = Running::open(&sandboxing, &cassettes, &[], std::sync::Arc::default(), &asked)
                .map_err(RunError::from)?;
            let around = Surroundings { rules: job.rules.as_ref(), outside: &running, sampler: None };
            let mut kept = Kept(Vec::new());
            drive(Box::new(only), &job.source, &plan, around, &DriveOptions::default(), Box::new(&mut kept))
                .map_err(RunError::from)?;
            found.results = kept.0;
            if is_imported {
                for (result, row) in found.results.iter_mut().zip(&found.recorded) {
                    result.results = row.named.iter().map(|(_, named)| named.clone()).collect();
                }
            }
        }
        Err(error) => found.without_texts = Some(error),
    }
    Ok(found)
}

/// The rows of this id, where the file holds whole results.
fn rows(recorded: &Recorded, manifest: &Manifest, id: &str) -> Result<Vec<Written>, VerifyError> {
    if !matches!(recorded.format(), Format::Jsonl | Format::Json) {
        return Ok(Vec::new());
    }
    let mut written = Vec::new();
    for row in recorded.rows()?.into_iter().flatten() {
        let Ok(Content::Text(text)) = row else { continue };
        // Most rows are of other cases; the id stands in the text of those that are not.
        let Ok(line) = serde_json::from_str::<ResultLine>(&text) else { continue };
        if line.id != id {
            continue;
        }
        let info = |name: &str| manifest.metrics.iter().find(|metric| metric.name == name).cloned();
        let named = line.scores.into_iter().filter_map(|(name, told)| Some((info(&name)?, told.0))).collect();
        written.push(Written { model: line.model, repeat: line.repeat, named });
    }
    Ok(written)
}

/// The cases of one id.
struct Only {
    inner: Box<dyn Source>,
    id: String,
}

struct OnlyBatch {
    inner: Box<dyn Batch>,
    id: String,
}

impl Source for Only {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn next_batch(&mut self) -> Option<Result<Box<dyn Batch>, SourceError>> {
        let batch = self.inner.next_batch()?;
        Some(batch.map(|inner| Box::new(OnlyBatch { inner, id: self.id.clone() }) as Box<dyn Batch>))
    }

    fn inputs(&mut self) -> Result<Vec<Input>, SourceError> {
        Ok(Vec::new())
    }
}

impl Batch for OnlyBatch {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let mut cases = self.inner.cases();
        cases.retain(|case| case.as_ref().is_ok_and(|case| case.id == self.id));
        cases
    }
}

struct Kept(Vec<CaseResult>);

impl Sink for Kept {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        if let Event::Scored(result) = event {
            self.0.push((*result).clone());
        }
        Ok(())
    }
}
