//! What the store holds of a run, as files: results in every format of reports, outputs as cases. Times and attempts are left
//! out, so that a run that was killed and resumed gives the same bytes as one that was left alone.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use probare_core::{
    Batch, Case, CaseResult, Event, Generation, Input, Job, Named, NoRules, Nobody, Panel, Problem, Publisher,
    ScoreError, Sink, Source, SourceError, Stop,
};
use probare_report::{Compression, Output as File, refuse_overlap};
use serde_json::Value as Json;

use super::evaluation::EvaluationError;
use super::foreign::{RunExport, for_other_tools};
use super::sampling::{SampleRules, costs};
use crate::drive::{DriveOptions, Surroundings, drive};
use crate::run::run_planned;
use crate::store::{Cursor, Finished, Names, Store, StoreError, StoredRun, StoredSample};
use crate::{Conclusion, Plan, RunError, Sampler, Settings, Wanted};

use std::sync::Arc;

/// Samples that are read at once.
const AT_ONCE: usize = 256;

/// Writes the results of a run to these files, in the format of their extensions.
pub fn export(path: &Path, stored: &StoredRun, outputs: Vec<PathBuf>) -> Result<Conclusion, EvaluationError> {
    let plan = &stored.plan;
    let names = Names {
        datasets: plan.datasets.iter().map(|dataset| dataset.name.clone()).collect(),
        models: plan.models.iter().map(|model| model.name.clone()).collect(),
    };
    let store = Store::open(path)?;
    let known = Recalling {
        before: Finished::open(&store, stored.run, names.clone(), &plan.metrics)?,
        models: names.models.clone(),
        store: (path.to_owned(), stored.run),
    };
    let said = Said(store.panels(stored.run)?);
    let inputs = plan.datasets.iter().map(|dataset| dataset.input.clone()).collect();
    let source = FromStore { store, run: stored.run, cursor: Cursor::start(), inputs };
    let paths: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.input.path.as_str()).collect();
    let mut job = Job::new(paths.join(", "), Box::new(source), Vec::new());
    job.reads = vec![path.to_owned()];
    job.rules = Arc::new(SampleRules { models: names.models.clone(), prompt: None, rules: Arc::new(NoRules) });
    job.inputs.clone_from(&plan.replies);
    job.publisher = Some(Box::new(said));
    if !plan.models.is_empty() || plan.datasets.len() > 1 || plan.retrieval.is_some() {
        job.generation = Some(Generation {
            datasets: names.datasets,
            models: names.models,
            repeats: plan.repeats,
            prompt: plan.prompt.clone(),
            retrieval: plan.retrieval.as_ref().map(|retrieval| serde_json::json!(retrieval)),
        });
    } else if let [dataset] = plan.datasets.as_slice() {
        job.reading = dataset.reading.clone();
    }
    let settings = Settings { output: outputs, allow_empty: true, ..Settings::default() };
    let wanted = Wanted { settings, sampler: Some(&known), ..Wanted::default() };
    Ok(run_planned(job, &Plan::known(plan.metrics.clone()), None, wanted)?)
}

/// The samples of a run, from its store.
pub(super) struct FromStore {
    pub store: Store,
    pub run: i64,
    pub cursor: Cursor,
    pub inputs: Vec<Input>,
}

impl Source for FromStore {
    fn next_batch(&mut self) -> Option<Result<Box<dyn Batch>, SourceError>> {
        let samples = match self.store.samples(self.run, &mut self.cursor, AT_ONCE) {
            Ok(samples) => samples,
            Err(error) => return Some(Err(error.into())),
        };
        (!samples.is_empty()).then(|| Ok(Box::new(Read(samples)) as Box<dyn Batch>))
    }

    fn inputs(&mut self) -> Result<Vec<Input>, SourceError> {
        Ok(std::mem::take(&mut self.inputs))
    }
}

struct Read(Vec<StoredSample>);

impl Batch for Read {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        self.0.iter().map(|sample| Ok(sample.case.clone())).collect()
    }
}

/// Nothing is asked and nothing is scored.
struct Recalling {
    before: Finished,
    models: Vec<String>,
    store: (PathBuf, i64),
}

impl Sampler for Recalling {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<Named>>> {
        if let (Some(response), Some(model)) = (&mut case.response, case.sample.and_then(|sample| sample.model)) {
            response.model = usize::try_from(model).ok().and_then(|model| self.models.get(model).cloned());
        }
        Ok(self.before.find_again(case)?.results)
    }

    fn respond(&self, _: &mut Case) -> Result<(), ScoreError> {
        Err(ScoreError::other(probare_core::ErrorKind::Missing, "this metric was not computed for this sample"))
    }

    fn keep(&self, _: &CaseResult) -> io::Result<()> {
        Ok(())
    }

    fn conclude(&self, _: &[Panel]) -> io::Result<Vec<Panel>> {
        Ok(costs(&self.store.0, self.store.1))
    }
}

/// What the benchmark said when the run was complete.
struct Said(Vec<Panel>);

impl Sink for Said {
    fn event(&mut self, _: &Event<'_>) -> io::Result<()> {
        Ok(())
    }
}

impl Publisher for Said {
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
        let Event::Scored(CaseResult { case, results, .. }) = event else { return Ok(()) };
        if results.is_empty() && case.response.is_none() {
            // It is not finished.
            return Ok(());
        }
        let dataset = case.sample.and_then(|key| self.datasets.get(usize::try_from(key.dataset).ok()?));
        let Json::Object(mut line) = serde_json::to_value(case)? else { return Ok(()) };
        line.shift_insert(1, "dataset".to_owned(), Json::from(dataset.map(String::as_str)));
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
    let around = Surroundings { rules: rules.as_ref(), outside: &Nobody, sampler: Some(sampler.as_ref()) };
    let metrics = Plan::known(stored.plan.metrics.clone());
    drive(source, &name, &metrics, around, &DriveOptions::default(), Box::new(&mut lines))?;
    lines.out.finish(Stop::Complete).map_err(failed)?;
    Ok((lines.written, notes))
}
