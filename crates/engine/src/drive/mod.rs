//! [`drive`]: a reading thread, a pool of scoring threads, which hand each finished sample at once to whoever keeps it, and
//! the caller's thread, which hands results to reports in input order.
//!
//! No thread waits for a model. A sample that asks is put aside, and its answers put it back among what there is to do; so a
//! thousand requests under way take no more threads than one.
//!
//! This is the one place that loops over cases. A case is numbered before anybody works on it, so a limit, a bad row under
//! `strict` and an interruption hold before the work and not after it, and order is restored by number. The rows under way
//! are bounded: a slow sink slows the reader down and memory stays flat. What panics ends one case or, where it is the
//! source, the sampler or a sink, the run, with an error; what was finished before is kept.

mod error;
mod options;
mod parking;
mod queue;
mod resume;
mod run_context;
mod worker;

use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, Scope};
use std::time::Duration;

use probare_cancellation::is_interrupt_error;
use probare_core::{
    Case, CaseResult, CaseSource, ErrorKind, Event, InputFile, MetricInfo, Problem, RunAnalysisCache, ScoreError, Sink,
    Stop,
};
use rustc_hash::{FxBuildHasher, FxHashSet};

pub use self::error::DriveError;
pub use self::options::{DriveOptions, MOST_JOBS};
pub use self::run_context::{CallResult, ReplySender, Response, RunContext, SampleProvider};

use self::error::panic_error;
use self::queue::{Bounds, NextResults, Queue};
use self::worker::Worker;
use crate::Plan;

/// Repeated ids are looked for among this many cases, so that memory stays flat in a file of any length.
const IDS_REMEMBERED: usize = 1_000_000;

/// How often it is looked whether the user has ended the run.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// What a run came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DriveOutcome {
    /// Cases scored.
    pub cases: u64,
    /// Rows that could not be read.
    pub lost: u64,
    /// How it ended.
    pub stop: Stop,
    /// What the source read; nothing of a run that was interrupted.
    pub inputs: Vec<InputFile>,
}

/// Reads, scores and hands out all rows. The end of the run is for the caller to announce.
pub fn drive(
    source: Box<dyn CaseSource>,
    name: &str,
    plan: &Plan,
    around: RunContext<'_>,
    options: &DriveOptions,
    sink: Box<dyn Sink + '_>,
) -> Result<DriveOutcome, DriveError> {
    let lost_rows = options.lost_rows_fail.then_some((plan.infos(), options.lines));
    let mut writer = Writer { name, sink, outcome: DriveOutcome::default(), rows: 0, ids: Ids::default(), lost_rows };
    let dimensions = around.rules.dimensions();
    writer.send_event(&Event::Started { source: name, metrics: plan.infos(), dimensions })?;
    let jobs = options.jobs.get().min(MOST_JOBS);
    let width = around.backend.max_concurrent_cases();
    let waiting = around.backend.threads().max(around.sampler.map_or(1, SampleProvider::threads));
    let workers = jobs.max(waiting.min(MOST_JOBS));
    let bounds = Bounds {
        limit: options.limit,
        strict: options.strict,
        batches: jobs * 4,
        workers,
        under_way: workers.max(width),
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
            let _ = told.send(queue::read_source(source, &reader));
        })
        .map_err(DriveError::Threads)?;
    let run = if options.evidence { RunAnalysisCache::default() } else { RunAnalysisCache::without_evidence() };
    let worker = Worker { plan, context: around, options, queue: &queue, run: &run };
    let ended = thread::scope(|scope| {
        let pool = Pool { scope, worker, most: bounds.workers, started: 0 };
        let ended = writer.collect(pool, jobs, options);
        // Whoever waits wakes up and ends.
        queue.end(matches!(ended, Ok(Stop::Complete)));
        ended
    });
    let stop = ended?;
    writer.outcome.stop = stop;
    if stop == Stop::Complete {
        writer.read_to_the_end(&read, &options.interrupted)?;
    }
    Ok(writer.outcome)
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
    outcome: DriveOutcome,
    /// Rows that were passed on, whatever became of them.
    rows: u64,
    ids: Ids,
    /// Where rows that cannot be read have results: the metrics, and whether result lines are wanted.
    lost_rows: Option<(&'a [MetricInfo], bool)>,
}

impl Writer<'_> {
    /// Takes results as they come and passes them on in their order.
    fn collect(&mut self, mut pool: Pool<'_, '_>, jobs: usize, options: &DriveOptions) -> Result<Stop, DriveError> {
        pool.grow(jobs)?;
        let queue = pool.worker.queue;
        let mut is_told = false;
        let mut is_decided = false;
        loop {
            if options.interrupted.load(Ordering::Relaxed) && !is_told {
                is_told = true;
                let under_way = queue.interrupt();
                self.send_event(&Event::Interrupted { under_way, awaited: &[] })?;
            }
            match queue.next(self.rows, POLL_INTERVAL, pool.can_grow()) {
                NextResults::Results(results) => {
                    for result in &results {
                        if is_decided {
                            self.rows += 1;
                            continue;
                        }
                        self.write_result(result)?;
                        if options.decided.load(Ordering::Relaxed) {
                            is_decided = true;
                            let under_way = queue.interrupt();
                            self.send_event(&Event::Interrupted { under_way, awaited: &[] })?;
                        }
                    }
                    queue.passed_on(self.rows, results);
                }
                NextResults::Waiting { wanted } => pool.grow(wanted)?,
                NextResults::End(_) if is_decided => return Ok(Stop::Complete),
                NextResults::Failed(DriveError::Input(error)) if is_interrupt_error(error.as_ref()) => {
                    return Ok(Stop::Interrupted);
                }
                NextResults::Failed(error) => return Err(error),
                NextResults::End(stop) => return Ok(stop),
            }
        }
    }

    fn write_result(&mut self, result: &Result<CaseResult, Problem>) -> Result<(), DriveError> {
        self.rows += 1;
        match result {
            Ok(result) => {
                self.outcome.cases += 1;
                if self.ids.repeats(result) {
                    let problem = Problem {
                        file: self.name.to_owned(),
                        line: None,
                        column: None,
                        reason: format!("the id `{}` occurs more than once{EACH_ROW_IS_A_CASE}", result.case.id),
                        hint: Some("a column `repeat` numbers the outputs of one case".to_owned()),
                        lost: false,
                        id: None,
                    };
                    self.send_event(&Event::Problem(&problem))?;
                }
                self.send_event(&Event::Scored(result))
            }
            Err(problem) => {
                self.outcome.lost += u64::from(problem.lost);
                self.send_event(&Event::Problem(problem))?;
                match self.lost_rows.filter(|_| problem.lost) {
                    Some((metrics, with_line)) => self.write_lost_row(problem, metrics, with_line),
                    None => Ok(()),
                }
            }
        }
    }

    /// A row that cannot be read as a result: under its own id, or its line, or its number, it failed in every metric.
    fn write_lost_row(&mut self, problem: &Problem, metrics: &[MetricInfo], with_line: bool) -> Result<(), DriveError> {
        self.outcome.cases += 1;
        let id = problem.id.clone().unwrap_or_else(|| problem.line.unwrap_or(self.rows).to_string());
        let error = ScoreError::other(ErrorKind::Failed, problem.reason.clone());
        let results = metrics.iter().map(|_| Err(error.clone())).collect();
        let mut result = CaseResult { case: Case { id, ..Case::default() }, results, ..CaseResult::default() };
        result.written = with_line.then(|| result.line_text(metrics).into_owned());
        self.send_event(&Event::Scored(&result))
    }

    fn send_event(&mut self, event: &Event<'_>) -> Result<(), DriveError> {
        let told = catch_unwind(AssertUnwindSafe(|| self.sink.event(event)));
        told.map_err(|panic| panic_error("a report", panic.as_ref()))?.map_err(DriveError::Output)
    }

    /// Waits for what the source has to say about its inputs.
    fn read_to_the_end(
        &mut self,
        read: &mpsc::Receiver<Result<Vec<InputFile>, DriveError>>,
        interrupted: &AtomicBool,
    ) -> Result<(), DriveError> {
        loop {
            match read.recv_timeout(POLL_INTERVAL) {
                Ok(inputs) => self.outcome.inputs = inputs?,
                Err(RecvTimeoutError::Timeout) if interrupted.load(Ordering::Relaxed) => {
                    self.outcome.stop = Stop::Interrupted;
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(DriveError::Bug { part: "the reader of the cases", reason: "it is gone".to_owned() });
                }
            }
            // How far the reader had run ahead when a limit ended the run is chance; how many rows were wanted is not.
            if let [input] = self.outcome.inputs.as_mut_slice() {
                input.rows = input.rows.map(|read| read.min(self.rows));
            }
            return Ok(());
        }
    }
}

/// What a warning about a repeated id says since release 0.4.
pub const EACH_ROW_IS_A_CASE: &str = "; each row counts as a case of its own";

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
        !self.seen.insert(FxBuildHasher.hash_one((&result.case.id, &result.model, &result.prompt, result.repeat)))
    }
}
