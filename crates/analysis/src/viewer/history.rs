//! What the runs of a viewer have become, one after the other.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::{Arc, PoisonError};

use probare_core::{MetricInfo, output_source_name};
use probare_report::DatasetVersion;
use probare_report::comparison::{ComparedOutput, ComparisonRequest, ContentHash, RunScores};
use probare_report::history::{Histories, History, HistoryRun};
use probare_store::{CaseReading, ComparedSample, RunState};

use super::{OpenRun, RunViewer, Version, ViewerError};

/// Which runs and metrics of a history are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryQuery {
    /// Only these metrics; all of them where it is empty.
    pub metrics: Vec<String>,
    /// Only so many runs, the newest.
    pub last: Option<usize>,
}

/// A history that was asked for, and what it was of.
pub(super) type CachedHistory = (HistoryQuery, Vec<(String, Version)>, Arc<History>);

impl RunViewer {
    /// What the runs have become, the oldest first: those of stores by their numbers, files in the order in which they were given
    /// or of their names. A file that cannot be read is left out and named.
    pub fn history(&self, asked: &HistoryQuery) -> Result<Arc<History>, ViewerError> {
        let keys = self.keys()?;
        let from = asked.last.map_or(0, |last| keys.len().saturating_sub(last));
        let (mut runs, mut notes) = (Vec::new(), Vec::new());
        for (key, name) in &keys[from..] {
            match self.find_run(key) {
                Ok(run) => runs.push(run),
                Err(error @ ViewerError::Store(_)) => return Err(error),
                Err(error) => notes.push(format!("`{name}` is skipped: {}", super::sources::error_chain(&error))),
            }
        }
        let versions: Vec<(String, Version)> = runs.iter().map(|run| (run.key.clone(), run.version())).collect();
        let lock = || self.history.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, of, made)) = &*lock()
            && (known, of) == (asked, &versions)
        {
            return Ok(Arc::clone(made));
        }
        check(asked, &runs)?;
        let mut histories = Histories::default();
        let mut known: Vec<SeenDataset> = Vec::new();
        let mut versions_before: BTreeMap<String, (String, DatasetVersion)> = BTreeMap::new();
        for run in &runs {
            let mut told = Vec::new();
            if run.stored.state == RunState::Open {
                let (finished, samples) = (run.stored.finished, run.stored.plan.samples());
                told.push(format!("{} is open: {finished} of {samples} samples", run.name));
            }
            let made = Some(run.stored.made).filter(|_| run.results.is_none());
            let datasets = run.stored.plan.dataset_versions();
            let datasets = if run.results.is_none() { datasets } else { Vec::new() };
            for set in &datasets {
                if let Some((before, other)) = versions_before.insert(set.name.clone(), (run.name.clone(), set.clone()))
                    && set.differs(&other)
                {
                    let (name, now, then) = (&set.name, set.describe(), other.describe());
                    told.push(format!(
                        "{} is over another version of the data set `{name}` than {before}: {now} instead of {then}; the \
                         step between them is over the cases of both",
                        run.name
                    ));
                }
            }
            let parts = self.parts(run, asked, &mut known)?;
            let stopped_early = run.early_stop.is_some();
            histories.add(HistoryRun { name: run.name.clone(), made, datasets, stopped_early }, parts, told);
        }
        let mut made = histories.finish();
        made.notes.append(&mut notes);
        let made = Arc::new(made);
        *lock() = Some((asked.clone(), versions, Arc::clone(&made)));
        Ok(made)
    }

    /// The values of a run, apart for each data set and model.
    fn parts(
        &self,
        run: &OpenRun,
        asked: &HistoryQuery,
        known: &mut Vec<SeenDataset>,
    ) -> Result<BTreeMap<(String, Option<String>), RunScores>, ViewerError> {
        let plan = &run.stored.plan;
        let is_wanted = |metric: &&MetricInfo| asked.metrics.is_empty() || asked.metrics.contains(&metric.name);
        let metrics: Vec<MetricInfo> = plan.metrics.iter().filter(is_wanted).cloned().collect();
        let datasets: Vec<String> = plan.datasets.iter().map(|set| dataset(run, &set.name, &set.input.path)).collect();
        // By number of data set, so that a row needs no name of its own.
        let mut sides: BTreeMap<(i64, Option<String>), RunScores> = BTreeMap::new();
        let mut cases: BTreeMap<i64, HashSet<u64>> = BTreeMap::new();
        let nothing = ComparisonRequest::default();
        self.with(&run.store, |store| {
            let counted = run.counted_cases(store)?;
            store.for_each_compared_sample(run.stored.run, &metrics, CaseReading::Question, |sample| {
                if counted.as_ref().is_some_and(|counted| !counted.contains(&sample.place)) {
                    return Ok(());
                }
                let ComparedSample { place, id, model, prompt, repeat, values, question: content, .. } = sample;
                let part = (place.0, output_source_name(model, prompt).map(Cow::into_owned));
                let side = sides.entry(part).or_insert_with(|| RunScores::new(run.name.clone(), metrics.clone()));
                // The number of a row alone is the id of some case in every file.
                if content.is_some() || !id.bytes().all(|sign| sign.is_ascii_digit()) {
                    cases.entry(place.0).or_default().insert(case_key(id, content));
                }
                let row = ComparedOutput { id, model: None, prompt: None, repeat, case: None, content };
                side.add_values(row, values.iter().copied(), &nothing);
                Ok(())
            })
        })?;
        let mut names: BTreeMap<i64, String> = BTreeMap::new();
        for number in sides.keys().map(|(number, _)| *number) {
            names.entry(number).or_insert_with(|| {
                let own = usize::try_from(number).ok().and_then(|number| datasets.get(number));
                let own = own.cloned().unwrap_or_else(|| run.name.clone());
                SeenDataset::join(known, own, cases.remove(&number).unwrap_or_default(), run.results.is_some())
            });
        }
        Ok(sides.into_iter().map(|((number, model), side)| ((names[&number].clone(), model), side)).collect())
    }
}

/// A data set that a run before had. What makes runs one series is what they are about: a file of results knows the name of
/// the file that was scored, which says nothing where every run has a file of its own.
struct SeenDataset {
    name: String,
    cases: HashSet<u64>,
}

impl SeenDataset {
    /// The name of a data set: of a file, that of the data set with which it shares most of its cases; else its own.
    fn join(known: &mut Vec<Self>, own: String, cases: HashSet<u64>, is_file: bool) -> String {
        let shared = |set: &Self| cases.iter().filter(|case| set.cases.contains(case)).count();
        let is_same = |set: &Self| shared(set) * 2 > cases.len().min(set.cases.len());
        let named = |set: &Self| set.name == own;
        let same = known.iter().position(named).filter(|at| !is_file || is_same(&known[*at]));
        let same = same.or_else(|| known.iter().position(|set| is_file && is_same(set)));
        let Some(at) = same.or_else(|| known.iter().position(named)) else {
            known.push(Self { name: own.clone(), cases });
            return own;
        };
        known[at].cases.extend(cases);
        known[at].name.clone()
    }
}

/// A case by its id and by what it asks and expects, as a number.
fn case_key(id: &str, content: Option<ContentHash>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, content).hash(&mut hasher);
    hasher.finish()
}

/// The name of a data set. A file of results is known by the file of cases that was scored.
fn dataset(run: &OpenRun, name: &str, input: &str) -> String {
    let stem = Path::new(input).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.filter(|_| run.results.is_some()).unwrap_or_else(|| name.to_owned())
}

/// Refuses a metric that no run has.
fn check(asked: &HistoryQuery, runs: &[OpenRun]) -> Result<(), ViewerError> {
    let known: BTreeSet<&str> =
        runs.iter().flat_map(|run| run.stored.plan.metrics.iter().map(|metric| metric.name.as_str())).collect();
    match asked.metrics.iter().find(|metric| !known.contains(metric.as_str())) {
        Some(metric) => {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            Err(ViewerError::NoMetric { metric: metric.clone(), known })
        }
        None => Ok(()),
    }
}
