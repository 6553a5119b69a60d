//! The samples of a run as a source: every case of every data set, once for each model, prompt and repeat, in that order.
//!
//! Cases are read on many threads, and yet the number of a row, and how often its id came before, must not depend on them:
//! batches take turns to count.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use probare_core::{Case, CaseBatch, CaseSource, InputFile, Problem, SampleKey, SourceError};
use probare_store::RunPlan;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// A data set that is opened.
pub(super) struct OpenDataset {
    /// What stands before the ids of its cases.
    pub prefix: String,
    /// Name of its version, where it has one.
    pub version: Option<String>,
    pub rows: Box<dyn CaseSource>,
}

/// Who answers how often; nobody where the responses of the files are scored.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SampleGrid {
    pub models: u32,
    /// Prompts; 0 where there is one, which samples do not name.
    pub prompts: u32,
    pub repeats: u32,
}

impl SampleGrid {
    /// How the samples of a run lie.
    pub fn for_plan(plan: &RunPlan) -> Self {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let prompts = if plan.names_prompts() { number(plan.generation_prompts.len()) } else { 0 };
        Self { models: number(plan.models.len()), prompts, repeats: plan.repeats }
    }
}

/// All samples.
pub(super) struct SampleSource {
    datasets: std::vec::IntoIter<OpenDataset>,
    current: Option<DatasetCursor>,
    past: Vec<DatasetCursor>,
    number: u32,
    grid: SampleGrid,
    limit: Option<u64>,
}

struct DatasetCursor {
    rows: Box<dyn CaseSource>,
    version: Option<String>,
    prefix: Arc<str>,
    counting: Arc<RowCounter>,
    batches: u64,
}

impl SampleSource {
    /// The samples of these data sets; `limit` is the most cases of each.
    pub fn new(datasets: Vec<OpenDataset>, grid: SampleGrid, limit: Option<u64>) -> Self {
        Self { datasets: datasets.into_iter(), current: None, past: Vec::new(), number: 0, grid, limit }
    }

    /// Goes on to the next data set.
    fn turn_page(&mut self) -> bool {
        if let Some(reading) = self.current.take() {
            self.past.push(reading);
            self.number += 1;
        }
        let Some(OpenDataset { prefix, version, rows }) = self.datasets.next() else { return false };
        let (prefix, counting) = (prefix.into(), Arc::default());
        self.current = Some(DatasetCursor { rows, version, prefix, counting, batches: 0 });
        true
    }
}

impl CaseSource for SampleSource {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        loop {
            let limit = self.limit;
            let (dataset, seats) = (self.number, self.grid);
            let next = self.current.as_mut().and_then(|reading| {
                let is_enough = limit.is_some_and(|limit| reading.counting.cases.load(Ordering::Relaxed) >= limit);
                let batch = if is_enough { None } else { reading.rows.next_batch() }?;
                let number = reading.batches;
                reading.batches += 1;
                let (prefix, counting) = (Arc::clone(&reading.prefix), Arc::clone(&reading.counting));
                let wrap = |inner| {
                    Box::new(SampleBatch { inner, number, dataset, prefix, counting, grid: seats, limit })
                        as Box<dyn CaseBatch>
                };
                Some(batch.map(wrap))
            });
            if next.is_some() {
                return next;
            }
            if !self.turn_page() {
                return None;
            }
        }
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        // What is left is read for its digest alone.
        while self.turn_page() {}
        let mut inputs = Vec::new();
        for mut reading in std::mem::take(&mut self.past) {
            // How far was read ahead of the limit is chance.
            let wanted = self.limit.map(|_| reading.counting.read.load(Ordering::Relaxed));
            for mut input in reading.rows.inputs()? {
                input.rows = input.rows.map(|read| wanted.map_or(read, |wanted| read.min(wanted)));
                input.version.clone_from(&reading.version);
                inputs.push(input);
            }
        }
        Ok(inputs)
    }
}

/// What was counted of a data set.
#[derive(Default)]
struct RowCounter {
    turn: Mutex<CounterState>,
    passed: Condvar,
    /// Cases and rows so far, for whoever need not wait.
    cases: AtomicU64,
    read: AtomicU64,
}

#[derive(Default)]
struct CounterState {
    /// The batch whose turn it is.
    batch: u64,
    /// Cases so far; rows that cannot be read are none.
    cases: u64,
    read: u64,
    /// How often an id came, by its hash. Two ids of one hash count together, which is harmless: the id stands beside the
    /// number.
    ids: FxHashMap<u64, u32>,
}

/// The turn of one batch; it is passed on also by whoever panics.
struct CounterGuard<'a> {
    counting: &'a RowCounter,
    turn: MutexGuard<'a, CounterState>,
}

impl RowCounter {
    /// Waits until all batches before this one were counted.
    fn wait(&self, batch: u64) -> CounterGuard<'_> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        while turn.batch != batch {
            turn = self.passed.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        CounterGuard { counting: self, turn }
    }
}

impl Drop for CounterGuard<'_> {
    fn drop(&mut self) {
        self.turn.batch += 1;
        self.counting.cases.store(self.turn.cases, Ordering::Relaxed);
        self.counting.read.store(self.turn.read, Ordering::Relaxed);
        self.counting.passed.notify_all();
    }
}

struct SampleBatch {
    inner: Box<dyn CaseBatch>,
    number: u64,
    dataset: u32,
    prefix: Arc<str>,
    counting: Arc<RowCounter>,
    grid: SampleGrid,
    limit: Option<u64>,
}

impl CaseBatch for SampleBatch {
    #[expect(clippy::disallowed_methods, reason = "it passes on what the runner asks for")]
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.inner.cases()));
        let mut mine = self.counting.wait(self.number);
        let turn = &mut *mine.turn;
        let cases = match read {
            Ok(cases) => cases,
            Err(panic) => {
                drop(mine);
                std::panic::resume_unwind(panic)
            }
        };
        let mut numbered = Vec::with_capacity(cases.len());
        for case in cases {
            if self.limit.is_some_and(|limit| turn.cases >= limit) {
                break;
            }
            turn.read += 1;
            numbered.push(case.map(|mut case| {
                if !self.prefix.is_empty() {
                    case.id.insert_str(0, &self.prefix);
                }
                let count = turn.ids.entry(FxBuildHasher.hash_one(&case.id)).or_default();
                let (dataset, row, occurrence) = (self.dataset, turn.cases, *count);
                *count += 1;
                turn.cases += 1;
                case.sample = Some(SampleKey { dataset, row, occurrence, model: None, prompt: None, repeat: 0 });
                case
            }));
        }
        drop(mine);
        if self.grid.models == 0 {
            return numbered;
        }
        let mut samples = Vec::new();
        for case in numbered {
            match case {
                Ok(case) => samples.extend(self.expand_case(&case)),
                Err(problem) => samples.push(Err(problem)),
            }
        }
        samples
    }
}

impl SampleBatch {
    /// The case once for each model, prompt and repeat, without the answer of the file.
    fn expand_case(&self, case: &Case) -> impl Iterator<Item = Result<Case, Problem>> {
        let SampleGrid { models, prompts, repeats } = self.grid;
        let asked = (0..models).flat_map(move |model| (0..prompts.max(1)).map(move |prompt| (model, prompt)));
        let seats = asked.flat_map(move |asked| (0..repeats).map(move |repeat| (asked, repeat)));
        seats.map(move |((model, prompt), repeat)| {
            let mut sample = case.clone();
            sample.take_answer();
            if let Some(key) = &mut sample.sample {
                (key.model, key.repeat) = (Some(model), repeat);
                key.prompt = (prompts > 0).then_some(prompt);
            }
            Ok(sample)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use probare_core::MemorySource;

    fn dataset(prefix: &str, ids: &[&str]) -> OpenDataset {
        let case = |id: &&str| Case { id: (*id).to_owned(), ..Case::default() };
        let rows = Box::new(MemorySource::new(ids.iter().map(case).collect(), Vec::new()));
        OpenDataset { prefix: prefix.to_owned(), version: None, rows }
    }

    fn all(mut samples: SampleSource) -> Vec<(String, SampleKey)> {
        let mut found = Vec::new();
        while let Some(batch) = samples.next_batch() {
            found.extend(batch.unwrap().cases().into_iter().map(|case| {
                let case = case.unwrap();
                (case.id.clone(), case.sample.unwrap())
            }));
        }
        found
    }

    #[test]
    fn every_case_comes_once_for_each_model_and_repeat() {
        let datasets = vec![dataset("a/", &["x", "y"]), dataset("b/", &["x"])];
        let found = all(SampleSource::new(datasets, SampleGrid { models: 2, prompts: 0, repeats: 3 }, None));
        assert_eq!(found.len(), 3 * 6);
        let key = SampleKey { dataset: 0, row: 1, occurrence: 0, model: Some(1), prompt: None, repeat: 2 };
        assert_eq!(found[11], ("a/y".to_owned(), key));
        assert_eq!(
            found[12].1,
            SampleKey { dataset: 1, row: 0, occurrence: 0, model: Some(0), prompt: None, repeat: 0 }
        );
    }

    #[test]
    fn several_prompts_come_within_a_model_and_before_its_repeats() {
        let found =
            all(SampleSource::new(vec![dataset("", &["x"])], SampleGrid { models: 2, prompts: 3, repeats: 2 }, None));
        let seats: Vec<_> =
            found.iter().map(|(_, key)| (key.model.unwrap(), key.prompt.unwrap(), key.repeat)).collect();
        assert_eq!(seats[..4], [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1)]);
        assert_eq!((seats.len(), seats[11]), (12, (1, 2, 1)));
    }

    #[test]
    fn a_repeated_id_is_told_apart_by_its_occurrence_and_a_limit_holds_for_each_data_set() {
        let datasets = || vec![dataset("", &["x", "x", "y", "x"]), dataset("", &["x"])];
        let found = all(SampleSource::new(datasets(), SampleGrid::default(), None));
        let occurrences: Vec<u32> = found.iter().map(|(_, key)| key.occurrence).collect();
        assert_eq!(occurrences, [0, 1, 0, 2, 0]);
        assert!(found.iter().all(|(_, key)| key.model.is_none()));
        assert_eq!(all(SampleSource::new(datasets(), SampleGrid::default(), Some(2))).len(), 3);
    }
}
