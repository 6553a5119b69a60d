//! [`drive`]: a reading thread, a pool of scoring threads, which hand each finished sample at once to whoever keeps it, and
//! the caller's thread, which hands results to reports in input order.
//!
//! This is the one place that loops over cases. A case is numbered before anybody works on it, so a limit, a bad row under
//! `strict` and an interruption hold before the work and not after it, and order is restored by number. The rows under way
//! are bounded: a slow sink slows the reader down and memory stays flat. What panics ends one case or, where it is the
//! source, the sampler or a sink, the run, with an error; what was finished before is kept.

mod queue;
mod worker;

use std::any::Any;
use std::hash::BuildHasher;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, Scope};
use std::time::Duration;

use probare_cancellation::is_interruption;
use probare_core::{
    Case, CaseResult, Event, Input, Named, Outside, Panel, Problem, Rules, RunReadings, ScoreError, Sink, Source,
    SourceError, Stop,
};
use rustc_hash::{FxBuildHasher, FxHashSet};

use self::queue::{Bounds, Next, Queue};
use self::worker::Worker;
use crate::Plan;

/// Repeated ids are looked for among this many cases, so that memory stays flat in a file of any length.
const IDS_REMEMBERED: usize = 1_000_000;

/// More threads than this are never of use, and some systems refuse them.
pub const MOST_JOBS: usize = 1024;

/// How often it is looked whether the user has ended the run.
const LOOK: Duration = Duration::from_millis(20);

/// How to drive.
#[derive(Debug, Clone)]
pub struct DriveOptions {
    /// Scoring threads; more than [`MOST_JOBS`] are not started. Where cases wait for answers there are as many as may wait.
    pub jobs: NonZeroUsize,
    /// At most this many cases; nobody works on a further one.
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
    /// There is not one thread to work on.
    #[error("the system gives this program no further thread (see `ulimit -u`)")]
    Threads(#[source] io::Error),
    /// A part of this program stopped.
    #[error("{part} stopped, which is a bug of this program: {reason}")]
    Bug {
        /// Which part.
        part: &'static str,
        /// What it said.
        reason: String,
    },
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

    /// Takes what the benchmark says about the run as a whole, once all samples have come, and gives what else pages show.
    fn conclude(&self, panels: &[Panel]) -> io::Result<Vec<Panel>> {
        let _ = panels;
        Ok(Vec::new())
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

/// Reads, scores and hands out all rows. The end of the run is for the caller to announce.
pub fn drive(
    source: Box<dyn Source>,
    name: &str,
    plan: &Plan,
    around: Surroundings<'_>,
    options: &DriveOptions,
    sink: Box<dyn Sink + '_>,
) -> Result<Driven, DriveError> {
    let mut writer = Writer { name, sink, driven: Driven::default(), rows: 0, ids: Ids::default() };
    writer.tell(&Event::Started { source: name, metrics: plan.infos() })?;
    let jobs = options.jobs.get().min(MOST_JOBS);
    let width = around.outside.width();
    let bounds = Bounds {
        limit: options.limit,
        strict: options.strict,
        batches: jobs * 4,
        workers: jobs.max(width),
        // Cases that are computed are taken several at a time, those that wait one by one.
        at_once: if width > 1 { 1 } else { 32 },
    };
    let queue = Arc::new(Queue::new(bounds));
    let (told, read) = mpsc::sync_channel(1);
    let reader = Arc::clone(&queue);
    // It is not waited for: a source that blocks must not keep an interrupted run from ending.
    thread::Builder::new()
        .name("read".to_owned())
        .spawn(move || {
            // Whoever wanted to know may have gone.
            let _ = told.send(queue::read(source, &reader));
        })
        .map_err(DriveError::Threads)?;
    let run = RunReadings::default();
    let worker = Worker { plan, around, options, queue: &queue, run: &run };
    let ended = thread::scope(|scope| {
        let pool = Pool { scope, worker, most: bounds.workers, started: 0 };
        let ended = writer.collect(pool, jobs, options);
        // Whoever waits wakes up and ends.
        queue.end(matches!(ended, Ok(Stop::Complete)));
        ended
    });
    let stop = ended?;
    writer.driven.stop = stop;
    if stop == Stop::Complete {
        writer.read_to_the_end(&read, &options.interrupted)?;
    }
    Ok(writer.driven)
}

/// The scoring threads.
struct Pool<'scope, 'env: 'scope> {
    scope: &'scope Scope<'scope, 'env>,
    worker: Worker<'env>,
    most: usize,
    started: usize,
}

impl Pool<'_, '_> {
    /// Starts further threads. Where the system refuses, those that are there do the work.
    fn grow(&mut self, by: usize) -> Result<(), DriveError> {
        for _ in 0..by.min(self.most - self.started) {
            let worker = self.worker;
            match thread::Builder::new().name("score".to_owned()).spawn_scoped(self.scope, move || worker.work()) {
                Ok(_) => self.started += 1,
                Err(error) if self.started == 0 => return Err(DriveError::Threads(error)),
                Err(_) => {
                    self.most = self.started;
                    break;
                }
            }
        }
        Ok(())
    }

    const fn can_grow(&self) -> bool {
        self.started < self.most
    }
}

struct Writer<'a> {
    name: &'a str,
    sink: Box<dyn Sink + 'a>,
    driven: Driven,
    /// Rows that were passed on, whatever became of them.
    rows: u64,
    ids: Ids,
}

impl Writer<'_> {
    /// Takes results as they come and passes them on in their order.
    fn collect(&mut self, mut pool: Pool<'_, '_>, jobs: usize, options: &DriveOptions) -> Result<Stop, DriveError> {
        pool.grow(jobs)?;
        let queue = pool.worker.queue;
        let mut is_told = false;
        loop {
            if options.interrupted.load(Ordering::Relaxed) && !is_told {
                is_told = true;
                let under_way = queue.interrupt();
                self.tell(&Event::Interrupted { under_way, awaited: &[] })?;
            }
            match queue.next(self.rows, LOOK, pool.can_grow()) {
                Next::Results(results) => {
                    for result in results {
                        self.pass_on(result)?;
                    }
                    queue.passed_on(self.rows);
                }
                Next::Waiting { wanted } => pool.grow(wanted)?,
                Next::Failed(DriveError::Input(error)) if is_interruption(error.as_ref()) => {
                    return Ok(Stop::Interrupted);
                }
                Next::Failed(error) => return Err(error),
                Next::End(stop) => return Ok(stop),
            }
        }
    }

    fn pass_on(&mut self, result: Result<CaseResult, Problem>) -> Result<(), DriveError> {
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
                        id: None,
                    };
                    self.tell(&Event::Problem(&problem))?;
                }
                self.tell(&Event::Scored(&result))
            }
            Err(problem) => {
                self.driven.lost += u64::from(problem.lost);
                self.tell(&Event::Problem(&problem))
            }
        }
    }

    fn tell(&mut self, event: &Event<'_>) -> Result<(), DriveError> {
        let told = catch_unwind(AssertUnwindSafe(|| self.sink.event(event)));
        told.map_err(|panic| bug("a report", panic.as_ref()))?.map_err(DriveError::Output)
    }

    /// Waits for what the source has to say about its inputs.
    fn read_to_the_end(
        &mut self,
        read: &mpsc::Receiver<Result<Vec<Input>, DriveError>>,
        interrupted: &AtomicBool,
    ) -> Result<(), DriveError> {
        loop {
            match read.recv_timeout(LOOK) {
                Ok(inputs) => self.driven.inputs = inputs?,
                Err(RecvTimeoutError::Timeout) if interrupted.load(Ordering::Relaxed) => {
                    self.driven.stop = Stop::Interrupted;
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(DriveError::Bug { part: "the reader of the cases", reason: "it is gone".to_owned() });
                }
            }
            // How far the reader had run ahead when a limit ended the run is chance; how many rows were wanted is not.
            if let [input] = self.driven.inputs.as_mut_slice() {
                input.rows = input.rows.map(|read| read.min(self.rows));
            }
            return Ok(());
        }
    }
}

/// A panic as an error of the run.
fn bug(part: &'static str, panic: &(dyn Any + Send)) -> DriveError {
    DriveError::Bug { part, reason: crate::plan::said(panic) }
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
