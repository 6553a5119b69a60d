//! What the runs of a desk have become, one after the other.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::{Arc, PoisonError};

use probare_core::MetricInfo;
use probare_report::comparison::{Asked, Compared, Content, Side};
use probare_report::history::{Histories, History, Ran};

use super::{Desk, DeskError, OpenRun, Version};
use crate::compare::Sameness;
use crate::store::{CaseReading, ComparedSample, State};

/// Which runs and metrics of a history are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HistoryAsked {
    /// Only these metrics; all of them where it is empty.
    pub metrics: Vec<String>,
    /// Only so many runs, the newest.
    pub last: Option<usize>,
}

/// A history that was asked for, and what it was of.
pub(super) type KeptHistory = (HistoryAsked, Vec<(String, Version)>, Arc<History>);

impl Desk {
    /// What the runs have become, the oldest first: those of stores by their numbers, files in the order in which they were given
    /// or of their names. A file that cannot be read is left out and named.
    pub fn history(&self, asked: &HistoryAsked) -> Result<Arc<History>, DeskError> {
        let keys = self.keys()?;
        let from = asked.last.map_or(0, |last| keys.len().saturating_sub(last));
        let (mut runs, mut notes) = (Vec::new(), Vec::new());
        for (key, name) in &keys[from..] {
            match self.find(key) {
                Ok(run) => runs.push(run),
                Err(error @ DeskError::Store(_)) => return Err(error),
                Err(error) => notes.push(format!("`{name}` is left out: {}", super::sources::told(&error))),
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
        let is_stored = runs.iter().all(|run| run.results.is_none());
        let plans = runs.iter().map(|run| &run.stored.plan);
        let sameness = if is_stored { Sameness::of_plans(plans) } else { Sameness::Text };
        let mut histories = Histories::default();
        let mut known: Vec<KnownSet> = Vec::new();
        for run in &runs {
            let mut told = Vec::new();
            if run.stored.state == State::Open {
                let (finished, samples) = (run.stored.finished, run.stored.plan.samples());
                told.push(format!("{} is open: {finished} of {samples} samples", run.name));
            }
            let made = Some(run.stored.made).filter(|_| run.results.is_none());
            let parts = self.parts(run, asked, sameness, &mut known)?;
            histories.add(Ran { name: run.name.clone(), made }, parts, told);
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
        asked: &HistoryAsked,
        sameness: Sameness,
        known: &mut Vec<KnownSet>,
    ) -> Result<BTreeMap<(String, Option<String>), Side>, DeskError> {
        let plan = &run.stored.plan;
        let is_wanted = |metric: &&MetricInfo| asked.metrics.is_empty() || asked.metrics.contains(&metric.name);
        let metrics: Vec<MetricInfo> = plan.metrics.iter().filter(is_wanted).cloned().collect();
        let datasets: Vec<String> = plan.datasets.iter().map(|set| dataset(run, &set.name, &set.input.path)).collect();
        // By number of data set, so that a row needs no name of its own.
        let mut sides: BTreeMap<(i64, Option<String>), Side> = BTreeMap::new();
        let mut cases: BTreeMap<i64, HashSet<u64>> = BTreeMap::new();
        let nothing = Asked::default();
        self.with(&run.store, |store| {
            let reading = if sameness == Sameness::Text { CaseReading::Text } else { CaseReading::Nothing };
            store.each_compared(run.stored.run, &metrics, reading, |sample| {
                let ComparedSample { place, id, model, repeat, values, read, .. } = sample;
                let part = (place.0, model.map(str::to_owned));
                let side = sides.entry(part).or_insert_with(|| Side::new(run.name.clone(), metrics.clone()));
                let content = sameness.content(place, read)?;
                // The number of a row alone is the id of some case in every file.
                if content.is_some() || !id.bytes().all(|sign| sign.is_ascii_digit()) {
                    cases.entry(place.0).or_default().insert(case_key(id, content));
                }
                let row = Compared { id, model: None, repeat, case: None, content };
                side.add_values(row, values.iter().copied(), &nothing);
                Ok(())
            })
        })?;
        let mut names: BTreeMap<i64, String> = BTreeMap::new();
        for number in sides.keys().map(|(number, _)| *number) {
            names.entry(number).or_insert_with(|| {
                let own = usize::try_from(number).ok().and_then(|number| datasets.get(number));
                let own = own.cloned().unwrap_or_else(|| run.name.clone());
                KnownSet::join(known, own, cases.remove(&number).unwrap_or_default(), run.results.is_some())
            });
        }
        Ok(sides.into_iter().map(|((number, model), side)| ((names[&number].clone(), model), side)).collect())
    }
}

/// A data set that a run before had. What makes runs one series is what they are about: a file of results knows the name of
/// the file that was scored, which says nothing where every run has a file of its own.
struct KnownSet {
    name: String,
    cases: HashSet<u64>,
}

impl KnownSet {
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
fn case_key(id: &str, content: Option<Content>) -> u64 {
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
fn check(asked: &HistoryAsked, runs: &[OpenRun]) -> Result<(), DeskError> {
    let known: BTreeSet<&str> =
        runs.iter().flat_map(|run| run.stored.plan.metrics.iter().map(|metric| metric.name.as_str())).collect();
    match asked.metrics.iter().find(|metric| !known.contains(metric.as_str())) {
        Some(metric) => {
            let known = known.into_iter().collect::<Vec<_>>().join(", ");
            Err(DeskError::NoMetric { metric: metric.clone(), known })
        }
        None => Ok(()),
    }
}
