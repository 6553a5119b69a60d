//! What the store holds of a run, as files: results in every format of reports, outputs as cases. Times and attempts are left
//! out, so that a run that was killed and resumed gives the same bytes as one that was left alone.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_core::{
    Case, CaseResult, Event, Job, MetricResult, NoBackend, Panel, Publisher, RunCosts, ScoreError, Sink, Stop,
};
use probare_report::{Compression, Gate, Gates, OutputWriter as File, refuse_overlap};
use probare_store::{CasePosition, Cursor, RunPlan, Store, StoreError, StoredRun, StoredSamples};
use serde_json::{Map, Value as Json};

use super::early_stop::early_stop_record;
use super::error::EvaluationError;
use super::run_export::{RunExport, for_other_tools};
use super::run_samples::SampleRules;
use super::store_source::StoreSource;
use crate::drive::{DriveOptions, RunContext, drive};
use crate::expectations::{self, EXPECTATIONS};
use crate::run::run_planned;
use crate::{CallResult, Conclusion, Plan, Response, RunError, RunOptions, RunRequest, SampleProvider};

/// Some of the cases of a run, and which they are, in words.
#[derive(Debug)]
pub struct CaseSelection {
    pub positions: HashSet<CasePosition>,
    pub words: String,
}

/// Writes the results of a run, or of some of its cases, to these files, in the format of their extensions.
pub fn export(
    path: &Path,
    stored: &StoredRun,
    outputs: Vec<PathBuf>,
    selection: Option<CaseSelection>,
) -> Result<Conclusion, EvaluationError> {
    let plan = &stored.plan;
    let names = plan.names();
    let store = Store::open_existing(path)?;
    let known = StoreSampleProvider {
        before: StoredSamples::open(&store, stored.run, names.clone(), &plan.metrics)?,
        models: names.models,
        // What the run cost, and what the benchmark says about it, is about all its cases.
        costs: Some(stored.costs.clone()).filter(|_| selection.is_none()),
    };
    let panels = store.panels(stored.run)?;
    let early_stop = early_stop_record(plan, &panels).filter(|_| selection.is_none());
    let said = StoredPanels(if selection.is_none() { panels } else { Vec::new() });
    // Of a part, or before the last case, nobody knows what becomes of a gate; of a run that ended early its decisions are told.
    let has_gates = selection.is_none() && early_stop.is_none() && stored.finished >= plan.samples();
    let inputs = plan.datasets.iter().map(|dataset| dataset.input.clone()).collect();
    let paths: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.input.path.as_str()).collect();
    let mut name = paths.join(", ");
    let only = selection.map(|CaseSelection { positions, words }| {
        name.push_str(&format!(" ({words})"));
        positions
    });
    // What was answered after the verdict has no part in its means.
    let only = match &early_stop {
        Some(early) => {
            let seen = usize::try_from(early.seen).unwrap_or(usize::MAX);
            Some(store.first_cases(stored.run, early.seed, seen)?)
        }
        None => only,
    };
    let source = StoreSource { store, run: stored.run, cursor: Cursor::start(), inputs, only };
    let mut job = Job::new(name, Box::new(source), Vec::new());
    job.reads = vec![path.to_owned()];
    job.rules = Arc::new(SampleRules::for_stored(plan));
    job.inputs.clone_from(&plan.replies);
    job.publisher = Some(Box::new(said));
    // The rows of a run that may stop early are not those of its file, in their order.
    if !plan.models.is_empty() || plan.datasets.len() > 1 || plan.retrieval.is_some() || early_stop.is_some() {
        job.generation = Some(plan.generation_record());
    } else if let [dataset] = plan.datasets.as_slice() {
        job.reading = dataset.reading.clone();
    }
    let is_page = outputs.iter().any(|path| path.extension().is_some_and(|extension| extension == "html"));
    let nothing = || (RunOptions::default(), Gates::default());
    let (settings, gates) = if is_page { page_settings(plan, has_gates) } else { nothing() };
    let settings = RunOptions { output: outputs, allow_empty: Some(true), ..settings };
    let wanted = RunRequest { settings, gates, sampler: Some(&known), early_stop, ..RunRequest::default() };
    Ok(run_planned(job, &Plan::without_scoring(plan.metrics.clone()), None, wanted)?)
}

/// What the page of a run says as its report does: the means of each model and prompt, and the gates that the run began with. What a
/// gate against a baseline is held against is not in the store.
fn page_settings(plan: &RunPlan, has_gates: bool) -> (RunOptions, Gates) {
    let began = RunOptions::from_plan(plan).ok().flatten().unwrap_or_default();
    let mut settings = RunOptions { by: began.by, cluster: began.cluster, ..RunOptions::default() };
    settings.group_by_source(plan);
    if !has_gates {
        return (settings, Gates::default());
    }
    let is_known = |gate: &Gate| plan.metrics.iter().any(|metric| metric.name == gate.metric());
    settings.gates = began.gates;
    settings.gates.0.retain(|set| is_known(&set.gate) && !matches!(set.gate, Gate::NotWorse { .. }));
    (settings.title, settings.significant, settings.per_group) = (began.title, began.significant, began.per_group);
    let expects = plan.metrics.iter().any(|metric| metric.id == EXPECTATIONS);
    (settings, if expects { expectations::gates() } else { Gates::default() })
}

/// Nothing is asked and nothing is scored.
struct StoreSampleProvider {
    before: StoredSamples,
    models: Vec<String>,
    costs: Option<RunCosts>,
}

impl SampleProvider for StoreSampleProvider {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<MetricResult>>> {
        if let (Some(response), Some(model)) = (&mut case.response, case.sample.and_then(|sample| sample.model))
            && response.model.is_none()
        {
            response.model = usize::try_from(model).ok().and_then(|model| self.models.get(model).cloned());
        }
        Ok(self.before.find_again(case)?.results)
    }

    fn respond(&self, _: &mut Case, _: &[CallResult]) -> Response {
        let reason = "this metric was not computed for this sample";
        Response::Done(Err(ScoreError::other(probare_core::ErrorKind::Missing, reason)))
    }

    fn save(&self, _: &CaseResult) -> io::Result<()> {
        Ok(())
    }

    fn conclude(&self, _: &[Panel]) -> io::Result<Option<RunCosts>> {
        Ok(self.costs.clone())
    }
}

/// What the benchmark said when the run was complete.
struct StoredPanels(Vec<Panel>);

impl Sink for StoredPanels {
    fn event(&mut self, _: &Event<'_>) -> io::Result<()> {
        Ok(())
    }
}

impl Publisher for StoredPanels {
    fn panels(&self) -> Vec<Panel> {
        self.0.clone()
    }
}

/// Writes samples as lines that `score` reads: the case with the answer, and what that took.
struct OutputLines {
    out: File,
    datasets: Vec<String>,
    written: u64,
}

impl Sink for OutputLines {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event::Scored(result) = event else { return Ok(()) };
        let CaseResult { case, results, .. } = result;
        if results.is_empty() && case.response.is_none() {
            // It is not finished.
            return Ok(());
        }
        let dataset = case.sample.and_then(|key| self.datasets.get(usize::try_from(key.dataset).ok()?));
        let Json::Object(mut line) = serde_json::to_value(case)? else { return Ok(()) };
        line.shift_insert(1, "dataset".to_owned(), Json::from(dataset.map(String::as_str)));
        if let Some(prompt) = &result.prompt {
            // Beside the fields it would be taken for the query of a case that has none.
            let metadata = line.entry("metadata").or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(metadata) = metadata {
                metadata.insert("prompt".to_owned(), prompt.as_str().into());
            }
        }
        if let Some(other) = result.answered_by() {
            // Outputs are those of the model that was asked.
            line.insert("answered_by".to_owned(), other.into());
            if let Some(Json::Object(response)) = line.get_mut("response") {
                response.insert("model".to_owned(), Json::from(result.model.as_deref()));
            }
        }
        if let Some(spent) = case.spent {
            line.insert("input_tokens".to_owned(), spent.usage.input_tokens.into());
            line.insert("output_tokens".to_owned(), spent.usage.output_tokens.into());
            line.extend(spent.cost_usd.map(|cost| ("cost_usd".to_owned(), Json::from(cost))));
        }
        serde_json::to_writer(&mut self.out, &line)?;
        self.written += 1;
        self.out.write_all(b"\n")
    }
}

/// Writes the outputs of a run with their cases as JSON lines, in the order of its plan; gives how many, and what the
/// reader should know.
pub fn export_outputs(path: &Path, stored: &StoredRun, to: &Path) -> Result<(u64, Vec<String>), EvaluationError> {
    let failed = |error: io::Error| StoreError::Database { path: to.to_owned(), reason: error.to_string() };
    let RunExport { source, sampler, rules, name, reads, notes } = for_other_tools(path, stored)?;
    refuse_overlap(&reads, &[to.to_owned()]).map_err(RunError::from)?;
    let datasets = stored.plan.datasets.iter().map(|dataset| dataset.name.clone()).collect();
    let out = File::to_file(to, Compression::None).map_err(failed)?;
    let mut lines = OutputLines { out, datasets, written: 0 };
    let around = RunContext { rules: rules.as_ref(), backend: &NoBackend, sampler: Some(sampler.as_ref()) };
    let metrics = Plan::without_scoring(stored.plan.metrics.clone());
    drive(source, &name, &metrics, around, &DriveOptions::default(), Box::new(&mut lines))?;
    lines.out.finish(Stop::Complete).map_err(failed)?;
    Ok((lines.written, notes))
}
