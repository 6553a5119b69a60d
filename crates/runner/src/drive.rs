//! [`drive`]: a reading thread, scoring threads and the caller's thread, which hands results to the sink in input order.
//!
//! The number of batches under way is bounded, so a slow sink slows the reader down and memory stays flat.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;

use probare_cases::{Batch, OpenError, Rows};
use probare_core::{CaseResult, Event, Problem, Sink, Stop};
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;

use crate::Plan;

/// Repeated ids are looked for among this many cases, so that memory stays flat in a file of any length.
const IDS_REMEMBERED: usize = 1_000_000;

/// How to drive.
#[derive(Debug, Clone)]
pub struct DriveOptions {
    /// Scoring threads.
    pub jobs: NonZeroUsize,
    /// At most this many cases.
    pub limit: Option<u64>,
    /// End at the first row that cannot be read.
    pub strict: bool,
    /// Set from outside to end early.
    pub interrupted: Arc<AtomicBool>,
}

/// A run could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriveError {
    /// The input failed.
    #[error(transparent)]
    Input(#[from] OpenError),
    /// The output failed.
    #[error("cannot write the results")]
    Output(#[source] io::Error),
}

/// What a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Driven {
    /// Cases scored.
    pub cases: u64,
    /// Rows that could not be read.
    pub lost: u64,
    /// How it ended.
    pub stop: Stop,
}

type Numbered<T> = (u64, T);
type Scored = Result<Vec<Result<CaseResult, Problem>>, OpenError>;

/// Reads, scores and reports all rows.
pub fn drive(
    rows: Rows,
    source: &str,
    plan: &Plan,
    options: &DriveOptions,
    sink: &mut dyn Sink,
) -> Result<Driven, DriveError> {
    sink.event(&Event::Started { source, metrics: plan.infos() }).map_err(DriveError::Output)?;
    let jobs = options.jobs.get();
    let (raw_sender, raw_receiver) = mpsc::sync_channel::<Numbered<Result<Batch, OpenError>>>(jobs);
    let (scored_sender, scored_receiver) = mpsc::sync_channel::<Numbered<Scored>>(jobs);
    let (credit_sender, credit_receiver) = mpsc::sync_channel::<()>(jobs * 4);
    for _ in 0..jobs * 4 {
        credit_sender.send(()).expect("the receiver is on this thread");
    }
    // Shared by the scoring threads alone: when they have ended it is gone, and the reader with it.
    let raw_receiver = Arc::new(Mutex::new(raw_receiver));
    thread::scope(|scope| {
        scope.spawn(move || read(rows, &raw_sender, &credit_receiver));
        for _ in 0..jobs {
            let (raw, scored) = (Arc::clone(&raw_receiver), scored_sender.clone());
            scope.spawn(move || score(plan, &raw, &scored));
        }
        drop((scored_sender, raw_receiver));
        let mut writer = Writer {
            source,
            sink,
            options,
            driven: Driven { cases: 0, lost: 0, stop: Stop::Complete },
            ids: Ids::default(),
        };
        let ended = writer.collect(&scored_receiver, &credit_sender);
        // Whoever waits for one of these channels wakes up and ends.
        drop((scored_receiver, credit_sender));
        ended.map(|()| writer.driven)
    })
}

fn read(rows: Rows, raw: &SyncSender<Numbered<Result<Batch, OpenError>>>, credits: &Receiver<()>) {
    for (number, batch) in (0..).zip(rows) {
        if credits.recv().is_err() || raw.send((number, batch)).is_err() {
            return;
        }
    }
}

fn score(
    plan: &Plan,
    raw: &Mutex<Receiver<Numbered<Result<Batch, OpenError>>>>,
    scored: &SyncSender<Numbered<Scored>>,
) {
    loop {
        let next = raw.lock().expect("no thread panics while it waits for a batch").recv();
        let Ok((number, batch)) = next else { return };
        let results =
            batch.map(|batch| batch.cases().into_iter().map(|case| case.map(|case| plan.score(case))).collect());
        if scored.send((number, results)).is_err() {
            return;
        }
    }
}

struct Writer<'a> {
    source: &'a str,
    sink: &'a mut dyn Sink,
    options: &'a DriveOptions,
    driven: Driven,
    ids: Ids,
}

impl Writer<'_> {
    /// Takes batches as they come and passes them on in their order.
    fn collect(&mut self, scored: &Receiver<Numbered<Scored>>, credits: &SyncSender<()>) -> Result<(), DriveError> {
        let mut early: BTreeMap<u64, Scored> = BTreeMap::new();
        let mut next = 0;
        'batches: while let Ok((number, results)) = scored.recv() {
            early.insert(number, results);
            while let Some(results) = early.remove(&next) {
                next += 1;
                for result in results? {
                    if let Some(stop) = self.pass_on(result).map_err(DriveError::Output)? {
                        self.driven.stop = stop;
                        break 'batches;
                    }
                }
                // The reader may be gone already; then nobody needs the credit.
                let _ = credits.try_send(());
            }
        }
        self.sink.event(&Event::Finished(self.driven.stop)).map_err(DriveError::Output)
    }

    fn pass_on(&mut self, result: Result<CaseResult, Problem>) -> io::Result<Option<Stop>> {
        if self.options.interrupted.load(Ordering::Relaxed) {
            return Ok(Some(Stop::Interrupted));
        }
        match result {
            Ok(result) => {
                if self.options.limit.is_some_and(|limit| self.driven.cases >= limit) {
                    return Ok(Some(Stop::Complete));
                }
                self.driven.cases += 1;
                if self.ids.repeats(&result.case.id) {
                    let problem = Problem {
                        file: self.source.to_owned(),
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
                if self.options.limit.is_some_and(|limit| self.driven.cases >= limit) {
                    return Ok(Some(Stop::Complete));
                }
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
    fn repeats(&mut self, id: &str) -> bool {
        if self.full {
            return false;
        }
        self.full = self.seen.len() >= IDS_REMEMBERED;
        !self.seen.insert(FxBuildHasher.hash_one(id))
    }
}
