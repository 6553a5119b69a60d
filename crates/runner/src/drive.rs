//! [`drive`]: a reading thread, scoring threads, which hand each finished sample at once to whoever keeps it, and the
//! caller's thread, which hands results to reports in input order.
//!
//! This is the one place that loops over cases. The number of batches under way is bounded, so a slow sink slows the
//! reader down and memory stays flat.

use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;

use probare_core::{
    Batch, Case, CaseResult, Event, Input, MetricInfo, Named, Outcome, Outside, Problem, Readings, Rules, RunReadings,
    ScoreError, Section, Sink, Source, SourceError, Stop,
};
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::Plan;

/// Repeated ids are looked for among this many cases, so that memory stays flat in a file of any length.
const IDS_REMEMBERED: usize = 1_000_000;

/// More threads than this are never of use, and some systems refuse them.
pub const MOST_JOBS: usize = 1024;

/// How to drive.
#[derive(Debug, Clone)]
pub struct DriveOptions {
    /// Scoring threads; more than [`MOST_JOBS`] are not started.
    pub jobs: NonZeroUsize,
    /// At most this many cases.
    pub limit: Option<u64>,
    /// End at the first row that cannot be read.
    pub strict: bool,
    /// Whether somebody wants the result lines; the scoring threads write them then.
    pub lines: bool,
    /// Set from outside to end early.
    pub interrupted: Arc<AtomicBool>,
}

impl Default for DriveOptions {
    fn default() -> Self {
        let jobs = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { jobs, limit: None, strict: false, lines: false, interrupted: Arc::default() }
    }
}

/// A run could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// The input failed.
    #[error(transparent)]
    Input(SourceError),
    /// The output failed.
    #[error("cannot write the results")]
    Output(#[source] io::Error),
}

/// What a run came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Driven {
    /// Cases scored.
    pub cases: u64,
    /// Rows that could not be read.
    pub lost: u64,
    /// How it ended.
    pub stop: Stop,
    /// What the source read; nothing of a run that was interrupted.
    pub inputs: Vec<Input>,
}

/// What happens to a sample before and after it is scored. The scoring threads call it, in any order.
pub trait Sampler: Sync {
    /// The results of a sample that was finished before, in the order of the run's metrics. An output that is known
    /// already is put into the case, also where nothing else is known.
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<Named>>>;

    /// Puts the output under test into the case; an error where none came.
    fn respond(&self, case: &mut Case) -> Result<(), ScoreError>;

    /// Takes a sample that is finished. An error ends the run.
    fn keep(&self, result: &CaseResult) -> io::Result<()>;

    /// What it adds to pages. Asked once all samples have come.
    fn sections(&self) -> Vec<Section> {
        Vec::new()
    }
}

/// Who decides about single cases, who answers judges, and who keeps samples.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// Rules of the benchmark.
    pub rules: &'a dyn Rules,
    /// Models, embeddings, a sandbox.
    pub outside: &'a dyn Outside,
    /// Models under test and a store; nothing where the responses of the file are scored and only reported.
    pub sampler: Option<&'a dyn Sampler>,
}

type Raw = Result<Box<dyn Batch>, SourceError>;
type Numbered<T> = (u64, T);
type Scored = Result<Vec<Result<CaseResult, Problem>>, DriveError>;

/// Reads, scores and hands out all rows. The end of the run is for the caller to announce.
pub fn drive(
    mut source: Box<dyn Source>,
    name: &str,
    plan: &Plan,
    around: Surroundings<'_>,
    options: &DriveOptions,
    mut ordered: Box<dyn Sink + '_>,
) -> Result<Driven, DriveError> {
    ordered.event(&Event::Started { source: name, metrics: plan.infos() }).map_err(DriveError::Output)?;
    let jobs = options.jobs.get().min(MOST_JOBS);
    let (raw_sender, raw_receiver) = mpsc::sync_channel::<Numbered<Raw>>(jobs);
    let (scored_sender, scored_receiver) = mpsc::sync_channel::<Numbered<Scored>>(jobs);
    let (credit_sender, credit_receiver) = mpsc::sync_channel::<()>(jobs * 4);
    for _ in 0..jobs * 4 {
        credit_sender.send(()).expect("the receiver is on this thread");
    }
    // Shared by the scoring threads alone: when they have ended it is gone, and the reader with it.
    let raw_receiver = Arc::new(Mutex::new(raw_receiver));
    let run = RunReadings::default();
    let broken = AtomicBool::new(false);
    let worker = Worker { plan, around, options, broken: &broken };
    thread::scope(|scope| {
        let source = &mut source;
        let reader = scope.spawn(move || read(source.as_mut(), &raw_sender, &credit_receiver));
        for _ in 0..jobs {
            let (raw, scored) = (Arc::clone(&raw_receiver), scored_sender.clone());
            let run = &run;
            scope.spawn(move || score(worker, run, &raw, &scored));
        }
        drop((scored_sender, raw_receiver));
        let mut writer =
            Writer { name, sink: ordered, options, driven: Driven::default(), rows: 0, ids: Ids::default() };
        let ended = writer.collect(&scored_receiver, &credit_sender);
        // Whoever waits for one of these channels wakes up and ends.
        drop((scored_receiver, credit_sender));
        if reader.join().is_err() {
            return Err(DriveError::Input("the reader of the cases stopped, which is a bug".into()));
        }
        ended.map(|()| (writer.driven, writer.rows))
    })
    .and_then(|(mut driven, rows)| {
        if driven.stop == Stop::Complete {
            driven.inputs = source.inputs().map_err(DriveError::Input)?;
            // How far the reader had run ahead when a limit ended the run is chance; how many rows were wanted is not.
            if let [input] = driven.inputs.as_mut_slice() {
                input.rows = input.rows.map(|read| read.min(rows));
            }
        }
        Ok(driven)
    })
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that loops over cases")]
fn read(source: &mut dyn Source, raw: &SyncSender<Numbered<Raw>>, credits: &Receiver<()>) {
    let mut number = 0;
    while let Some(batch) = source.next_batch() {
        if credits.recv().is_err() || raw.send((number, batch)).is_err() {
            return;
        }
        number += 1;
    }
}

/// What every scoring thread works with.
#[derive(Clone, Copy)]
struct Worker<'a> {
    plan: &'a Plan,
    around: Surroundings<'a>,
    options: &'a DriveOptions,
    /// Set when a sample could not be kept: nobody begins another one.
    broken: &'a AtomicBool,
}

impl Worker<'_> {
    /// Whether no further case is begun. What is begun is finished and kept.
    fn is_over(&self) -> bool {
        self.options.interrupted.load(Ordering::Relaxed) || self.broken.load(Ordering::Relaxed)
    }

    /// A case with all its results, kept if somebody keeps them.
    fn finished(&self, case: Case, readings: &mut Readings, lines: bool) -> Result<CaseResult, DriveError> {
        self.sampled(case, readings, lines).map_err(|error| {
            self.broken.store(true, Ordering::Relaxed);
            DriveError::Output(error)
        })
    }

    fn sampled(&self, mut case: Case, readings: &mut Readings, lines: bool) -> io::Result<CaseResult> {
        let Self { plan, around: Surroundings { rules, outside, sampler }, .. } = *self;
        // Written here, where there are many threads, rather than where there is one.
        let written = |mut result: CaseResult| {
            result.written = lines.then(|| result.line_text(plan.infos()).into_owned());
            result
        };
        let Some(sampler) = sampler else { return Ok(written(plan.score(case, readings, rules, outside))) };
        if let Some(results) = sampler.recall(&mut case)? {
            return Ok(written(plan.recalled(case, results, rules)));
        }
        let result = match sampler.respond(&mut case) {
            Ok(()) => plan.score(case, readings, rules, outside),
            Err(error) => {
                let failed = |metric: &MetricInfo| match rules.leaves_out(&case, metric) {
                    Some(reason) => Ok(Outcome::not_applicable(reason)),
                    None => Err(error.clone()),
                };
                let results = plan.infos().iter().map(failed).collect();
                plan.recalled(case, results, rules)
            }
        };
        let result = written(result);
        sampler.keep(&result)?;
        Ok(result)
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that loops over cases")]
fn score(
    worker: Worker<'_>,
    run: &RunReadings,
    raw: &Mutex<Receiver<Numbered<Raw>>>,
    scored: &SyncSender<Numbered<Scored>>,
) {
    let mut readings = Readings::new(run.clone());
    let width = worker.around.outside.width();
    loop {
        let next = raw.lock().expect("no thread panics while it waits for a batch").recv();
        let Ok((number, batch)) = next else { return };
        let results = batch.map_err(DriveError::Input).and_then(|batch| {
            let cases = batch.cases();
            if width > 1 {
                return score_waiting(worker, run, cases, width);
            }
            let mut results = Vec::with_capacity(cases.len());
            for case in cases {
                if worker.is_over() {
                    break;
                }
                results.push(match case {
                    Ok(case) => Ok(worker.finished(case, &mut readings, worker.options.lines)?),
                    Err(problem) => Err(problem),
                });
            }
            Ok(results)
        });
        if scored.send((number, results)).is_err() {
            return;
        }
    }
}

/// Scores cases that wait for answers, many at once, on threads that mostly sleep; the results in the order of the cases.
fn score_waiting(worker: Worker<'_>, run: &RunReadings, cases: Vec<Result<Case, Problem>>, width: usize) -> Scored {
    let threads = width.min(cases.len());
    let (done, results) = mpsc::channel();
    let waiting = Mutex::new(cases.into_iter().enumerate());
    thread::scope(|scope| {
        for _ in 0..threads {
            let (waiting, done, run) = (&waiting, done.clone(), run.clone());
            scope.spawn(move || {
                let mut readings = Readings::new(run);
                while !worker.is_over() {
                    let next = waiting.lock().expect("no thread panics while it takes a case").next();
                    let Some((at, case)) = next else { return };
                    let result = match case {
                        Ok(case) => worker.finished(case, &mut readings, worker.options.lines).map(Ok),
                        Err(problem) => Ok(Err(problem)),
                    };
                    if done.send((at, result)).is_err() {
                        return;
                    }
                }
            });
        }
    });
    drop(done);
    let ordered: BTreeMap<usize, Result<Result<CaseResult, Problem>, DriveError>> = results.into_iter().collect();
    ordered.into_values().collect()
}

struct Writer<'a> {
    name: &'a str,
    sink: Box<dyn Sink + 'a>,
    options: &'a DriveOptions,
    driven: Driven,
    /// Rows that were passed on, whatever became of them.
    rows: u64,
    ids: Ids,
}

impl Writer<'_> {
    /// Takes batches as they come and passes them on in their order.
    fn collect(&mut self, scored: &Receiver<Numbered<Scored>>, credits: &SyncSender<()>) -> Result<(), DriveError> {
        let mut early: BTreeMap<u64, Scored> = BTreeMap::new();
        let mut next = 0;
        while let Ok((number, results)) = scored.recv() {
            early.insert(number, results);
            while let Some(results) = early.remove(&next) {
                next += 1;
                for result in results? {
                    if let Some(stop) = self.pass_on(result).map_err(DriveError::Output)? {
                        self.driven.stop = stop;
                        return Ok(());
                    }
                }
                // The reader may be gone already; then nobody needs the credit.
                let _ = credits.try_send(());
            }
            if self.options.interrupted.load(Ordering::Relaxed) {
                // Scoring threads hand out fewer results than they were given.
                self.driven.stop = Stop::Interrupted;
                return Ok(());
            }
        }
        Ok(())
    }

    fn pass_on(&mut self, result: Result<CaseResult, Problem>) -> io::Result<Option<Stop>> {
        if self.options.interrupted.load(Ordering::Relaxed) {
            return Ok(Some(Stop::Interrupted));
        }
        if self.options.limit.is_some_and(|limit| self.driven.cases >= limit) {
            return Ok(Some(Stop::Complete));
        }
        self.rows += 1;
        match result {
            Ok(result) => {
                self.driven.cases += 1;
                if self.ids.repeats(&result) {
                    let problem = Problem {
                        file: self.name.to_owned(),
                        line: None,
                        column: None,
                        reason: format!("the id `{}` stands there more than once", result.case.id),
                        hint: None,
                        lost: false,
                    };
                    self.sink.event(&Event::Problem(&problem))?;
                }
                self.sink.event(&Event::Scored(&result))?;
                Ok(None)
            }
            Err(problem) => {
                self.driven.lost += u64::from(problem.lost);
                self.sink.event(&Event::Problem(&problem))?;
                Ok((self.options.strict && problem.lost).then_some(Stop::Strict))
            }
        }
    }
}

/// Ids seen so far, as hashes. With a million of them the chance of a false alarm is about one in forty million.
#[derive(Default)]
struct Ids {
    seen: FxHashSet<u64>,
    full: bool,
}

impl Ids {
    fn repeats(&mut self, result: &CaseResult) -> bool {
        if self.full {
            return false;
        }
        self.full = self.seen.len() >= IDS_REMEMBERED;
        !self.seen.insert(FxBuildHasher.hash_one((&result.case.id, &result.model, result.repeat)))
    }
}
