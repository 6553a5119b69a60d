//! The finished samples of a run with the texts of their cases, for whoever writes files of other tools.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_core::{Case, CasePolicy, CaseResult, CaseSource, MetricResult, Output};
use probare_formats::CaseReader;
use probare_store::{Cursor, RunPlan, Store, StoredRun, StoredSamples};

use super::error::EvaluationError;
use super::run_samples::SampleRules;
use super::samples::{OpenDataset, SampleGrid, SampleSource};
use super::store_source::StoreSource;
use crate::read_options;
use crate::{CallResult, Response, SampleProvider};

/// A run that is ready to go through `drive` once more. A sample that is not finished comes without results.
pub struct RunExport {
    pub source: Box<dyn CaseSource>,
    pub sampler: Box<dyn SampleProvider>,
    pub rules: Arc<dyn CasePolicy>,
    pub name: String,
    pub reads: Vec<PathBuf>,
    pub notes: Vec<String>,
}

/// The samples of a run with their cases, as the store has them. A store from before 0.3 has no cases: then the data sets
/// are opened again, where they are as they were; else questions and references are left out.
pub fn for_other_tools(path: &Path, stored: &StoredRun) -> Result<RunExport, EvaluationError> {
    let plan = &stored.plan;
    let names = plan.names();
    let store = Store::open_existing(path)?;
    let before = StoredSamples::open(&store, stored.run, names.clone(), &plan.metrics)?;
    let paths: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.input.path.as_str()).collect();
    let is_whole = store.has_cases(stored.run)?;
    let rules = SampleRules::for_stored(plan);
    let models = names.models;
    let opened = if is_whole { None } else { Some(datasets(plan)) };
    let mut notes = Vec::new();
    let (source, is_stored): (Box<dyn CaseSource>, bool) = match opened {
        Some(Ok(datasets)) => (Box::new(SampleSource::new(datasets, SampleGrid::for_plan(plan), plan.limit)), false),
        other => {
            notes.extend(
                other.and_then(Result::err).map(|reason| format!("questions and references are omitted: {reason}")),
            );
            (
                Box::new(StoreSource {
                    store,
                    run: stored.run,
                    cursor: Cursor::start(),
                    inputs: Vec::new(),
                    only: None,
                }),
                true,
            )
        }
    };
    Ok(RunExport {
        source,
        sampler: Box::new(ExportSampleProvider { before, models, is_stored }),
        rules: Arc::new(rules),
        name: paths.join(", "),
        reads: std::iter::once(path.to_owned()).chain(paths.iter().map(PathBuf::from)).collect(),
        notes,
    })
}

/// The data sets, if all of them are still what the run read.
fn datasets(plan: &RunPlan) -> Result<Vec<OpenDataset>, String> {
    let mut open = Vec::new();
    for dataset in &plan.datasets {
        let path = &dataset.input.path;
        let failed = |error: &dyn std::fmt::Display| format!("`{path}` cannot be read again: {error}");
        let options = read_options(&dataset.reading).map_err(|error| failed(&error))?;
        let rows = || CaseReader::open(path, &options).map_err(|error| failed(&error));
        let read = rows()?.inputs().map_err(|error| failed(&error))?;
        if read.iter().all(|input| input.sha256 != dataset.input.sha256) {
            return Err(format!("`{path}` has changed since the run"));
        }
        let prefix = if plan.datasets.len() > 1 { format!("{}/", dataset.name) } else { String::new() };
        open.push(OpenDataset { prefix, version: dataset.input.version.clone(), rows: Box::new(rows()?) });
    }
    Ok(open)
}

/// Outputs and results from the store; nothing is asked and nothing is scored.
struct ExportSampleProvider {
    before: StoredSamples,
    models: Vec<String>,
    /// Whether the cases come from the store too.
    is_stored: bool,
}

impl SampleProvider for ExportSampleProvider {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<MetricResult>>> {
        let kept = if self.is_stored { self.before.find_again(case)? } else { self.before.find(case)? };
        if let (Some(text), Some(key), Some(_)) = (kept.output, case.sample, &kept.results) {
            let asked = || key.model.and_then(|model| self.models.get(usize::try_from(model).ok()?).cloned());
            let model = kept.answered_by.or_else(asked);
            case.put_answer(Output { text, model, repeat: key.repeat }, kept.calls);
            case.spent = kept.spent;
        }
        if let Some(conversation) = kept.conversation.filter(|_| kept.results.is_some()) {
            case.put_conversation(conversation);
        }
        Ok(Some(kept.results.unwrap_or_default()))
    }

    fn respond(&self, _: &mut Case, _: &[CallResult]) -> Response {
        Response::Done(Ok(()))
    }

    fn save(&self, _: &CaseResult) -> io::Result<()> {
        Ok(())
    }
}
