//! What the store holds of a run, as files: results in every format of reports, outputs as cases. Times and attempts are left
//! out, so that a run that was killed and resumed gives the same bytes as one that was left alone.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use probare_core::{
    Batch, Case, CaseResult, Generation, Input, Job, Named, NoRules, Output, Problem, ScoreError, Section, Source,
    SourceError, Stop,
};
use probare_report::{Compression, Output as File};
use serde::Serialize;

use super::evaluation::EvaluationError;
use super::sampling::{SampleRules, costs};
use crate::run::run_planned;
use crate::store::{FIRST, Finished, Names, Order, Store, StoreError, StoredRun, StoredSample};
use crate::{Conclusion, Plan, Sampler, Settings, Wanted};

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
    let known = Recalling {
        before: Finished::open(path, stored.run, names.clone(), &plan.metrics)?,
        models: names.models.clone(),
        store: (path.to_owned(), stored.run),
    };
    let inputs = plan.datasets.iter().map(|dataset| dataset.input.clone()).collect();
    let source = FromStore { store: Store::open(path)?, run: stored.run, last: FIRST, inputs };
    let paths: Vec<&str> = plan.datasets.iter().map(|dataset| dataset.input.path.as_str()).collect();
    let mut job = Job::new(paths.join(", "), Box::new(source), Vec::new());
    job.reads = vec![path.to_owned()];
    job.rules = Arc::new(SampleRules { models: names.models.clone(), prompt: None, rules: Arc::new(NoRules) });
    job.inputs.clone_from(&plan.replies);
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
    pub last: Order,
    pub inputs: Vec<Input>,
}

impl Source for FromStore {
    fn next_batch(&mut self) -> Option<Result<Box<dyn Batch>, SourceError>> {
        let samples = match self.store.samples(self.run, &mut self.last, AT_ONCE) {
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
pub(super) struct Recalling {
    pub before: Finished,
    pub models: Vec<String>,
    pub store: (PathBuf, i64),
}

impl Sampler for Recalling {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<Named>>> {
        if let (Some(response), Some(model)) = (&mut case.response, case.sample.and_then(|sample| sample.model)) {
            response.model = usize::try_from(model).ok().and_then(|model| self.models.get(model).cloned());
        }
        Ok(self.before.find(case)?.results)
    }

    fn respond(&self, _: &mut Case) -> Result<(), ScoreError> {
        Err(ScoreError::other(probare_core::ErrorKind::Missing, "this metric was not computed for this sample"))
    }

    fn keep(&self, _: &CaseResult) -> io::Result<()> {
        Ok(())
    }

    fn sections(&self) -> Vec<Section> {
        costs(&self.store.0, self.store.1)
    }
}

/// A sample as a line that `score` reads: the id, the output, and what it took.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    dataset: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<&'a Output>,
    input_tokens: u64,
    output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_usd: Option<f64>,
}

/// Writes the outputs of a run as JSON lines, in the order of its plan; gives how many.
pub fn export_outputs(path: &Path, run: i64, to: &Path) -> Result<u64, EvaluationError> {
    let store = Store::open(path)?;
    store.run(run)?;
    let mut last = FIRST;
    let mut written = 0;
    let failed = |error: io::Error| StoreError::Database { path: to.to_owned(), reason: error.to_string() };
    let mut out = File::to_file(to, Compression::None).map_err(failed)?;
    loop {
        let samples = store.samples(run, &mut last, AT_ONCE)?;
        if samples.is_empty() {
            break;
        }
        for StoredSample { dataset, case, usage, cost_usd } in &samples {
            let line = Line {
                id: &case.id,
                dataset,
                response: case.response.as_ref(),
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                cost_usd: *cost_usd,
            };
            let text = serde_json::to_string(&line).map_err(|error| failed(error.into()))?;
            writeln!(out, "{text}").map_err(failed)?;
            written += 1;
        }
    }
    out.finish(Stop::Complete).map_err(failed)?;
    Ok(written)
}
