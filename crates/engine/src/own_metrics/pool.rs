//! [`WorkerPool`]: the workers of one metric, as many as there are cases at once, restarted within bounds.

use std::process::Command;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use probare_core::{BuildError, ErrorKind, Metric, Outcome, Sample, ScoreError};
use probare_files::own_command;

use super::protocol::{AnswerFault, Ready, read_result, score_line};
use super::worker::{WorkerFault, WorkerProcess};

/// Seconds that one case may take where nothing is said.
pub const DEFAULT_TIMEOUT: f64 = 60.0;
/// How long a worker may take until it is ready.
const TIME_TO_START: Duration = Duration::from_mins(2);
/// Workers of a metric that may fail one after the other, without a result in between.
const MOST_FAULTS_IN_ROW: u32 = 10;
/// Workers of a metric that may fail in all.
const MOST_FAULTS: u32 = 100;

/// How a worker is started.
#[derive(Debug, Clone)]
pub struct WorkerLaunch {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// What messages call it.
    pub shown: String,
}

impl WorkerLaunch {
    fn command(&self) -> Command {
        let (program, arguments) =
            self.words.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let mut command = own_command(program);
        command.args(arguments);
        command
    }

    /// Starts a worker and hears what it says about its metric.
    pub fn start(&self, hello: &str) -> Result<(WorkerProcess, Ready), String> {
        let told = |reason: String| format!("`{}`: {}", self.shown, hide_secrets(&reason));
        let mut process = WorkerProcess::start(self.command()).map_err(|fault| told(reason(&fault, TIME_TO_START)))?;
        let line = process.exchange(hello.as_bytes(), TIME_TO_START).map_err(|fault| {
            let words = if matches!(fault, WorkerFault::TimedOut) { process.last_words() } else { String::new() };
            told(format!("it is not ready: {}{words}", reason(&fault, TIME_TO_START)))
        })?;
        let ready = Ready::read(&line).map_err(told)?;
        Ok((process, ready))
    }
}

fn reason(fault: &WorkerFault, limit: Duration) -> String {
    match fault {
        WorkerFault::Start(reason) | WorkerFault::Ended(reason) => reason.clone(),
        WorkerFault::TimedOut => format!("no answer within {} s", limit.as_secs_f64()),
        WorkerFault::TooLong => "it wrote a line that is longer than any answer".to_owned(),
        WorkerFault::Cancelled => "it was cancelled before it was finished".to_owned(),
    }
}

/// The workers of one metric.
pub struct WorkerPool {
    launch: WorkerLaunch,
    hello: String,
    ready: Ready,
    limit: Duration,
    idle: Mutex<Vec<WorkerProcess>>,
    cases: AtomicU64,
    faults: AtomicU32,
    faults_in_row: AtomicU32,
}

impl WorkerPool {
    /// Starts the first worker.
    pub fn open(launch: WorkerLaunch, hello: String, limit: Duration) -> Result<Self, String> {
        let (first, ready) = launch.start(&hello)?;
        Ok(Self {
            launch,
            hello,
            ready,
            limit,
            idle: Mutex::new(vec![first]),
            cases: AtomicU64::new(0),
            faults: AtomicU32::new(0),
            faults_in_row: AtomicU32::new(0),
        })
    }

    /// What the metric says about itself.
    pub const fn ready(&self) -> &Ready {
        &self.ready
    }

    /// A worker that waits for a case, or a new one.
    fn worker(&self) -> Result<WorkerProcess, ScoreError> {
        if let Some(worker) = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(worker);
        }
        let failed = |reason: String| ScoreError::other(ErrorKind::Failed, reason);
        let (in_row, all) = (self.faults_in_row.load(Ordering::Relaxed), self.faults.load(Ordering::Relaxed));
        if in_row >= MOST_FAULTS_IN_ROW || all >= MOST_FAULTS {
            let count =
                if in_row >= MOST_FAULTS_IN_ROW { format!("{in_row} times in a row") } else { format!("{all} times") };
            return Err(failed(format!("`{}` is not started again: its worker failed {count}", self.ready.name)));
        }
        let (worker, ready) = self.launch.start(&self.hello).map_err(|reason| {
            self.count_fault();
            failed(reason)
        })?;
        if ready != self.ready {
            return Err(failed(format!("`{}` says something else about itself than before", self.ready.name)));
        }
        Ok(worker)
    }

    fn count_fault(&self) {
        self.faults.fetch_add(1, Ordering::Relaxed);
        self.faults_in_row.fetch_add(1, Ordering::Relaxed);
    }

    fn fault(&self, kind: ErrorKind, reason: &str) -> ScoreError {
        self.count_fault();
        ScoreError::other(kind, format!("`{}`: {}", self.ready.name, hide_secrets(reason)))
    }
}

impl WorkerPool {
    /// Sends a message with a number to a worker, and reads the answer to it.
    pub fn exchange<T>(
        &self,
        line: impl FnOnce(u64) -> Result<String, ScoreError>,
        read: impl FnOnce(&[u8], u64) -> Result<T, AnswerFault>,
    ) -> Result<T, ScoreError> {
        let number = self.cases.fetch_add(1, Ordering::Relaxed) + 1;
        let line = line(number)?;
        let mut worker = self.worker()?;
        // A worker that failed is dropped on the way out, and ended by that.
        let answer = worker.exchange(line.as_bytes(), self.limit).map_err(|fault| match fault {
            WorkerFault::Cancelled => ScoreError::other(ErrorKind::Cancelled, reason(&fault, self.limit)),
            WorkerFault::TimedOut => self.fault(ErrorKind::TimedOut, &reason(&fault, self.limit)),
            _ => self.fault(ErrorKind::Failed, &reason(&fault, self.limit)),
        })?;
        let result = match read(&answer, number) {
            Err(AnswerFault::Noise(reason)) => return Err(self.fault(ErrorKind::Failed, &reason)),
            Err(AnswerFault::Result(ScoreError::Other { kind, reason })) => {
                Err(ScoreError::other(kind, hide_secrets(&reason)))
            }
            Err(AnswerFault::Result(error)) => Err(error),
            Ok(outcome) => Ok(outcome),
        };
        self.faults_in_row.store(0, Ordering::Relaxed);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
        result
    }
}

impl Metric for WorkerPool {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        self.exchange(
            |number| score_line(number, sample),
            |answer, number| read_result(answer, number, &self.ready, sample),
        )
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        let idle = std::mem::take(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner));
        WorkerProcess::close_all(idle);
    }
}

/// A pool as a metric that several plans share.
pub struct SharedPool(pub Arc<WorkerPool>);

impl Metric for SharedPool {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        self.0.score(sample)
    }
}

/// The time limit of a case, in seconds.
pub fn time_limit(seconds: Option<f64>) -> Result<Duration, BuildError> {
    let seconds = seconds.unwrap_or(DEFAULT_TIMEOUT);
    let is_usable = (0.001..=86_400.0).contains(&seconds);
    is_usable
        .then(|| Duration::from_secs_f64(seconds))
        .ok_or_else(|| BuildError::Options("`timeout` is a number of seconds from 0.001 to 86400".to_owned()))
}

/// Values of variables that hold keys, out of what a worker wrote: it has the environment of the user, and what it writes gets
/// into results.
pub fn hide_secrets(text: &str) -> String {
    let mut text = text.to_owned();
    for (name, value) in std::env::vars_os() {
        let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else { continue };
        let is_key = ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|part| name.to_uppercase().contains(part));
        if is_key && value.len() >= 8 && text.contains(value) {
            text = text.replace(value, &format!("[{name}]"));
        }
    }
    text
}
