//! [`Collector`]: keeps traces as exporters of OpenTelemetry send them, and scores each once nothing more comes for it.
//!
//! What was answered with 200 is on the disk: requests are gathered into transactions on one thread and answered behind them.
//! A second thread scores quiet traces into the run of the day, a third hands scores on. What cannot be kept now is refused
//! with a status after which exporters try again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use axum::http::StatusCode;
use probare_benchmarks::{registries, registry};
use probare_engine::{EvaluationError, ModelAccess, ModelAccessError, RunOptions, TraceScoring, TraceScoringOptions};
use probare_models::{JsonEndpoint, OpenError};
use probare_report::Utc;
use probare_report::number::count_with_noun;
use probare_store::{CollectorLock, Store, StoreError, TracePiece};
use serde_json::{Value as Json, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::api_error::ApiError;

/// Requests that wait to be written; further ones are sent away until there is room.
const WAITING: usize = 256;

/// Pieces of one transaction.
const PIECES_AT_ONCE: usize = 5_000;

/// Traces that are scored together, and their bytes.
const TRACES_AT_ONCE: usize = 200;
const BYTES_AT_ONCE: u64 = 32 << 20;

/// How often it is looked for quiet traces, and how long is waited after a failure.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_secs(10);

/// Scores of one request to whom they are handed on, its time, and the longest pause after one that failed.
const EXPORTS_AT_ONCE: usize = 100;
const EXPORT_TIME: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

const DAY: u64 = 86_400;

/// Takes what the operator should know.
pub type OperatorLog = Arc<dyn Fn(&str) + Send + Sync>;

/// How traces are collected.
#[derive(Clone)]
pub struct CollectorSettings {
    /// The store with the spans and the runs.
    pub store: PathBuf,
    /// Metrics, judges and their budget, which is one of a day.
    pub options: RunOptions,
    /// A trace is scored when nothing has come for it for this long.
    pub quiet_time: Duration,
    /// Share of the traces that metrics which ask a model are computed for.
    pub judged_share: f64,
    /// Bytes that the store may hold; spans beyond that are refused until there is room again.
    pub most_bytes: u64,
    /// Days after which a run and its spans are removed; never if absent.
    pub keep_days: Option<u64>,
    /// Where scores are handed on to, with the headers of such a request.
    pub export: Option<(String, BTreeMap<String, String>)>,
    /// Takes what the operator should know.
    pub log: OperatorLog,
}

/// Traces cannot be collected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectorError {
    /// The metrics cannot be used.
    #[error(transparent)]
    Metrics(#[from] EvaluationError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The models cannot be used.
    #[error(transparent)]
    Models(#[from] ModelAccessError),
    /// The address that scores are handed on to cannot be used.
    #[error(transparent)]
    Export(#[from] OpenError),
    /// There is no thread to work on.
    #[error("cannot start the collector")]
    Start(#[source] std::io::Error),
}

/// What a request said of traces, and who waits until it is kept.
struct Arrival {
    pieces: Vec<TracePiece>,
    kept: oneshot::Sender<Result<u64, StoreError>>,
}

/// What happened so far, for `/metrics`.
#[derive(Debug, Default)]
struct CollectorCounters {
    pieces: AtomicU64,
    rejected: AtomicU64,
    other_records: AtomicU64,
    traces: AtomicU64,
    cases: AtomicU64,
    exports: AtomicU64,
    waiting: AtomicU64,
}

/// Set when everything ends.
#[derive(Default)]
struct StopSignal {
    interrupted: Arc<AtomicBool>,
    lock: Mutex<()>,
    ended: Condvar,
}

impl StopSignal {
    fn is_set(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn set(&self) {
        let _guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.interrupted.store(true, Ordering::Relaxed);
        self.ended.notify_all();
    }

    /// Waits so long, or until it is set.
    fn wait(&self, time: Duration) {
        let guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.ended.wait_timeout_while(guard, time, |()| !self.is_set()).unwrap_or_else(PoisonError::into_inner));
    }
}

/// Collects traces until it is stopped.
pub struct Collector {
    arrivals: Mutex<Option<SyncSender<Arrival>>>,
    counters: Arc<CollectorCounters>,
    stop: Arc<StopSignal>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    run: Arc<AtomicI64>,
    metrics: Vec<String>,
    _lock: CollectorLock,
}

impl Collector {
    /// Opens store, metrics and models, and begins to score what an earlier process left.
    pub fn start(settings: CollectorSettings) -> Result<Arc<Self>, CollectorError> {
        let store = Store::open(&settings.store)?;
        let lock = store.lock_for_collector()?;
        let endpoint = match &settings.export {
            Some((url, headers)) => {
                let nobody = ModelAccess::new(settings.options.model_access().options).open(&mut [], registry())?;
                Some((JsonEndpoint::open(url, headers, nobody.shared())?, nobody))
            }
            None => None,
        };
        let scoring = TraceScoring::open(&settings.options, registries(), &store, &today())?;
        let metrics = scoring.metric_names().into_iter().map(str::to_owned).collect();
        let run = Arc::new(AtomicI64::new(scoring.run()));
        let (counters, stop) = (Arc::<CollectorCounters>::default(), Arc::<StopSignal>::default());
        let (arrivals, received) = mpsc::sync_channel(WAITING);
        let mut threads = Vec::new();
        let mut spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
            thread.map(|thread| threads.push(thread)).map_err(CollectorError::Start)
        };
        let writing = store.try_clone()?;
        writing.sync_fully()?;
        let keeper = ArrivalKeeper {
            store: writing,
            received,
            run: Arc::clone(&run),
            most_bytes: settings.most_bytes,
            counters: Arc::clone(&counters),
            log: Arc::clone(&settings.log),
        };
        spawn("collect", Box::new(move || keeper.run()))?;
        if let Some((endpoint, nobody)) = endpoint {
            let exporter = ScoreExporter {
                store: store.try_clone()?,
                endpoint,
                _models: nobody,
                stop: Arc::clone(&stop),
                counters: Arc::clone(&counters),
                log: Arc::clone(&settings.log),
            };
            spawn("export", Box::new(move || exporter.run()))?;
        }
        let scorer = TraceScorer {
            store,
            settings,
            scoring,
            day: today(),
            run: Arc::clone(&run),
            stop: Arc::clone(&stop),
            counters: Arc::clone(&counters),
            told: Vec::new(),
            is_budget_told: false,
        };
        spawn("score", Box::new(move || scorer.run()))?;
        Ok(Arc::new(Self {
            arrivals: Mutex::new(Some(arrivals)),
            counters,
            stop,
            threads: Mutex::new(threads),
            run,
            metrics,
            _lock: lock,
        }))
    }

    /// The run of the day.
    pub fn run(&self) -> i64 {
        self.run.load(Ordering::Relaxed)
    }

    /// The names of the metrics.
    pub fn metrics(&self) -> &[String] {
        &self.metrics
    }

    /// Ends it. What was taken is kept; traces that are not scored yet are scored by the next process.
    pub fn stop(&self) {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.stop.set();
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // A panic there was told.
            let _ = thread.join();
        }
    }

    /// Keeps pieces of traces; gives how many their traces had no room for.
    pub(crate) async fn keep(&self, pieces: Vec<TracePiece>, deadline: Instant) -> Result<u64, ApiError> {
        if pieces.is_empty() {
            return Ok(0);
        }
        let (kept, answer) = oneshot::channel();
        let sent = match &*self.arrivals.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(arrivals) => arrivals.try_send(Arrival { pieces, kept }),
            None => return Err(ApiError::busy()),
        };
        if sent.is_err() {
            return Err(ApiError::busy());
        }
        match timeout_at(deadline, answer).await {
            Err(_) => Err(ApiError::deadline_exceeded()),
            Ok(Ok(Ok(refused))) => Ok(refused),
            Ok(_) => {
                let error = "the spans cannot be kept now";
                Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, error).expecting("try again in a moment"))
            }
        }
    }

    /// Counts what was not kept.
    pub(crate) fn count_lost(&self, rejected: u64, other_records: u64) {
        self.counters.rejected.fetch_add(rejected, Ordering::Relaxed);
        self.counters.other_records.fetch_add(other_records, Ordering::Relaxed);
    }

    /// What `/metrics` shows.
    pub(crate) fn text(&self) -> String {
        let counters = &self.counters;
        let mut text = String::new();
        for (name, kind, help, value) in [
            ("pieces_total", "counter", "Parts of traces that were kept.", &counters.pieces),
            ("rejected_total", "counter", "Spans and log records that could not be used.", &counters.rejected),
            ("other_records_total", "counter", "Log records of other things, not kept.", &counters.other_records),
            ("traces_total", "counter", "Traces that were scored, again or for the first time.", &counters.traces),
            ("cases_total", "counter", "Cases that these traces had.", &counters.cases),
            ("exports_total", "counter", "Cases whose scores were handed on.", &counters.exports),
            ("traces_waiting", "gauge", "Traces that are not scored yet.", &counters.waiting),
        ] {
            let name = format!("probare_collected_{name}");
            let value = value.load(Ordering::Relaxed);
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        text
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Writes what comes, many requests in one transaction, and answers behind it.
struct ArrivalKeeper {
    store: Store,
    received: Receiver<Arrival>,
    run: Arc<AtomicI64>,
    most_bytes: u64,
    counters: Arc<CollectorCounters>,
    log: OperatorLog,
}

impl ArrivalKeeper {
    fn run(self) {
        let mut is_failing = false;
        while let Ok(first) = self.received.recv() {
            let failed = self.keep(first).err();
            if let Some(error) = failed.as_ref().filter(|_| !is_failing) {
                (self.log)(&format!("error: spans cannot be kept, and exporters are told to try again: {error}"));
            }
            is_failing = failed.is_some();
        }
    }

    /// Whether there is room left.
    fn check_room(&self) -> Result<(), StoreError> {
        if self.store.bytes_in_use()? <= self.most_bytes {
            return Ok(());
        }
        let reason = format!("it holds the {:.1} GiB that it may", self.most_bytes as f64 / f64::from(1 << 30));
        Err(StoreError::Database { path: self.store.path().to_owned(), reason })
    }

    fn keep(&self, first: Arrival) -> Result<(), StoreError> {
        let Self { store, received, run, counters, .. } = self;
        let mut pieces = first.pieces;
        let mut waiting = vec![(pieces.len(), first.kept)];
        while pieces.len() < PIECES_AT_ONCE
            && let Ok(next) = received.try_recv()
        {
            waiting.push((next.pieces.len(), next.kept));
            pieces.extend(next.pieces);
        }
        let (run, now) = (run.load(Ordering::Relaxed), milliseconds());
        match self.check_room().and_then(|()| store.collect(run, now, &pieces)) {
            Ok(0) => {
                counters.pieces.fetch_add(pieces.len() as u64, Ordering::Relaxed);
                for (_, kept) in waiting {
                    // Whoever waited may be gone.
                    let _ = kept.send(Ok(0));
                }
            }
            // Which of them it was is known one by one; what is there already is not there twice.
            Ok(_) => {
                let mut rest = &pieces[..];
                for (count, kept) in waiting {
                    let (own, others) = rest.split_at(count);
                    rest = others;
                    let refused = store.collect(run, now, own);
                    let taken = refused.as_ref().map_or(0, |refused| own.len() as u64 - refused);
                    counters.pieces.fetch_add(taken, Ordering::Relaxed);
                    let _ = kept.send(refused);
                }
            }
            Err(error) => {
                for (_, kept) in waiting {
                    let _ = kept.send(Err(error.clone()));
                }
                return Err(error);
            }
        }
        Ok(())
    }
}

/// Scores quiet traces.
struct TraceScorer {
    store: Store,
    settings: CollectorSettings,
    scoring: TraceScoring,
    day: String,
    run: Arc<AtomicI64>,
    stop: Arc<StopSignal>,
    counters: Arc<CollectorCounters>,
    /// Kinds of remarks that were told: each is told once.
    told: Vec<String>,
    /// Whether it was told that the budget of this day is reached.
    is_budget_told: bool,
}

impl TraceScorer {
    fn run(mut self) {
        self.remove_old_days();
        while !self.stop.is_set() {
            let worked = catch_unwind(AssertUnwindSafe(|| self.score_quiet_traces()));
            let pause = match worked {
                Ok(Ok(true)) => continue,
                Ok(Ok(false)) => POLL_INTERVAL,
                Ok(Err(error)) => {
                    (self.settings.log)(&format!("error: traces cannot be scored, and wait: {}", chain(&error)));
                    PAUSE
                }
                Err(_) => PAUSE,
            };
            self.stop.wait(pause);
        }
    }

    /// Scores the traces that are quiet now; says whether there were any.
    fn score_quiet_traces(&mut self) -> Result<bool, CollectorError> {
        let today = today();
        if self.day != today {
            let scoring = TraceScoring::open(&self.settings.options, registries(), &self.store, &today)?;
            self.run.store(scoring.run(), Ordering::Relaxed);
            self.scoring = scoring;
            self.day = today;
            self.is_budget_told = false;
            self.remove_old_days();
        }
        self.counters.waiting.store(self.store.waiting_traces()?, Ordering::Relaxed);
        let quiet = i64::try_from(self.settings.quiet_time.as_millis()).unwrap_or(i64::MAX);
        let traces = self.store.quiet_traces(milliseconds().saturating_sub(quiet), TRACES_AT_ONCE, BYTES_AT_ONCE)?;
        if traces.is_empty() {
            return Ok(false);
        }
        let options =
            TraceScoringOptions { judged_share: self.settings.judged_share, exports: self.settings.export.is_some() };
        let Some(scored) = self.scoring.score(&self.store, traces, options, &self.stop.interrupted)? else {
            return Ok(false);
        };
        self.counters.traces.fetch_add(scored.traces, Ordering::Relaxed);
        self.counters.cases.fetch_add(scored.cases, Ordering::Relaxed);
        for (trace, error) in &scored.skipped {
            (self.settings.log)(&format!("error: trace {} is skipped: {error}", trace.trace));
        }
        for note in scored.notes {
            // A trace, its id, the kind and the rest.
            let kind = note.split(": ").nth(1).unwrap_or(&note).to_owned();
            if !self.told.contains(&kind) {
                (self.settings.log)(&format!("{note} (reported once; each case says it in `metadata.trace.notes`)"));
                self.told.push(kind);
            }
        }
        if self.scoring.is_budget_reached() && !self.is_budget_told {
            (self.settings.log)(
                "the budget of the day is reached: metrics that ask a model are errors until the next day (UTC)",
            );
            self.is_budget_told = true;
        }
        Ok(true)
    }

    fn remove_old_days(&mut self) {
        let Some(days) = self.settings.keep_days else { return };
        let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        match self.store.remove_days_before(&day_of(seconds.saturating_sub(days.saturating_mul(DAY)))) {
            Ok(0) => {}
            Ok(removed) => {
                let (runs, days) = (count_with_noun(removed, "run", "runs"), count_with_noun(days, "day", "days"));
                (self.settings.log)(&format!("removed {runs} of traces older than {days}"));
            }
            Err(error) => (self.settings.log)(&format!("error: old traces cannot be removed: {error}")),
        }
    }
}

/// Hands scores on, at least once each.
struct ScoreExporter {
    store: Store,
    endpoint: JsonEndpoint,
    /// What the endpoint sends through.
    _models: probare_engine::ModelBackend,
    stop: Arc<StopSignal>,
    counters: Arc<CollectorCounters>,
    log: OperatorLog,
}

impl ScoreExporter {
    fn run(mut self) {
        let mut pause = POLL_INTERVAL;
        let mut is_failing = false;
        while !self.stop.is_set() {
            match self.export() {
                Ok(0) => pause = POLL_INTERVAL,
                Ok(count) => {
                    self.counters.exports.fetch_add(count, Ordering::Relaxed);
                    (pause, is_failing) = (POLL_INTERVAL, false);
                    continue;
                }
                Err(reason) => {
                    if !is_failing {
                        (self.log)(&format!("scores cannot be handed on, and wait: {reason}"));
                    }
                    is_failing = true;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
            self.stop.wait(pause);
        }
    }

    /// Sends the oldest scores that wait; says how many.
    fn export(&mut self) -> Result<u64, String> {
        let waiting = self.store.waiting_exports(EXPORTS_AT_ONCE).map_err(|error| error.to_string())?;
        if waiting.is_empty() {
            return Ok(0);
        }
        let mut logs = Vec::new();
        for (_, text) in &waiting {
            let line: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
            logs.extend(line["resourceLogs"].as_array().cloned().unwrap_or_default());
        }
        self.endpoint.post(&json!({ "resourceLogs": logs }), EXPORT_TIME)?;
        let numbers: Vec<i64> = waiting.iter().map(|(number, _)| *number).collect();
        self.store.remove_exports(&numbers).map_err(|error| error.to_string())?;
        Ok(numbers.len() as u64)
    }
}

fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The day of universal time: `2026-11-19`.
fn day_of(seconds: u64) -> String {
    Utc::from_seconds(seconds).iso().chars().take(10).collect()
}

fn today() -> String {
    day_of(milliseconds().unsigned_abs() / 1000)
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let _ = write!(text, ": {cause}");
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use axum::http::header::RETRY_AFTER;
    use axum::response::IntoResponse as _;

    use super::*;

    #[test]
    fn a_request_that_finds_no_room_to_wait_is_told_to_come_again() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Store::open(&folder.path().join("store.db")).unwrap().lock_for_collector().unwrap();
        // Nobody writes: the first request waits until its time is over, in the only place that there is.
        let (arrivals, _received) = mpsc::sync_channel(1);
        let collector = Collector {
            arrivals: Mutex::new(Some(arrivals)),
            counters: Arc::default(),
            stop: Arc::default(),
            threads: Mutex::default(),
            run: Arc::default(),
            metrics: Vec::new(),
            _lock: lock,
        };
        let piece = || vec![TracePiece { trace: "a".to_owned(), text: "{}".to_owned(), has_error: false }];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let refusal = || {
            let kept =
                runtime.block_on(async { collector.keep(piece(), Instant::now() + Duration::from_millis(20)).await });
            let response = kept.unwrap_err().into_response();
            (response.status(), response.headers().contains_key(RETRY_AFTER))
        };
        assert_eq!(refusal(), (StatusCode::GATEWAY_TIMEOUT, false));
        assert_eq!(refusal(), (StatusCode::SERVICE_UNAVAILABLE, true));
    }
}
