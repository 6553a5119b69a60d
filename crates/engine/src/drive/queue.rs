//! [`Queue`]: what the reader, the scoring threads and the caller's thread of a run hand to each other.
//!
//! Batches are turned into cases on any thread and numbered in the order of the file; a number is given only to what is
//! wanted, so a case beyond the limit, behind a bad row under `strict`, or after an interruption is never worked on.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use probare_core::{Case, CaseBatch, CaseResult, CaseSource, InputFile, Problem, SourceError, Stop};

use super::error::{DriveError, panic_error};
use super::parking::{Delivery, ParkedSample};

/// A row with what became of it.
pub(super) type RowOutcome = Result<CaseResult, Problem>;

/// Cases with consecutive numbers, the first of which is given.
pub(super) type NumberedCases = (u64, Vec<Case>);

type Rows = Result<Vec<Result<Case, Problem>>, DriveError>;
type Raw = Result<Box<dyn CaseBatch>, SourceError>;

/// How much is under way at once, and where it ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub limit: Option<u64>,
    pub strict: bool,
    /// Batches that were read and not passed on, as long as nobody is idle.
    pub batches: usize,
    /// Most scoring threads.
    pub workers: usize,
    /// Most cases that are begun and not finished, those that wait for answers included.
    pub under_way: usize,
    /// Cases that a thread takes at a time.
    pub at_once: usize,
}

pub(super) struct Queue {
    bounds: Bounds,
    state: Mutex<QueueState>,
    /// Nobody begins anything any more. Set while the state is locked, so that nobody who waits misses it.
    is_over: AtomicBool,
    /// Cases that are being scored.
    begun: AtomicUsize,
    /// There is something to do.
    work: Condvar,
    /// There is room for another batch.
    room: Condvar,
    /// Something is done.
    news: Condvar,
}

#[derive(Default)]
struct QueueState {
    raw: VecDeque<(u64, Raw)>,
    /// Batches so far.
    read: u64,
    is_read: bool,
    /// Batches that came before those ahead of them.
    parsed: BTreeMap<u64, Rows>,
    /// The batch whose rows are numbered next.
    turn: u64,
    ready: VecDeque<(u64, Case)>,
    /// Rows with a number, and cases among them.
    numbered: u64,
    cases: u64,
    /// No further row is wanted; why, where that is no limit.
    is_full: bool,
    stop: Stop,
    /// Results by the number of the first.
    done: BTreeMap<u64, Vec<RowOutcome>>,
    /// Of every batch that is not passed on, the number after its last row.
    ends: VecDeque<u64>,
    /// Results that were passed on. The scoring threads take them down: memory goes back cheaply to the thread that it came from.
    spent: Vec<Vec<RowOutcome>>,
    under_way: usize,
    parsing: usize,
    /// Cases that a thread took and that are not at their end.
    scoring: usize,
    /// Those of them that wait for answers.
    parked: usize,
    /// Those whose answers have come.
    resumed: VecDeque<(ParkedSample, Delivery)>,
    idle: usize,
    /// All that was wanted is passed on.
    is_complete: bool,
    /// What ends the run once all rows before it are passed on, or at once.
    broken: Option<DriveError>,
    failed: Option<DriveError>,
}

/// What a scoring thread does next.
#[expect(clippy::large_enum_variant, reason = "a handful exist at once, one a thread")]
pub(super) enum Task {
    Parse(u64, Raw),
    Score(NumberedCases),
    Resume(ParkedSample, Delivery),
}

/// What the caller's thread does next.
pub(super) enum NextResults {
    Results(Vec<RowOutcome>),
    /// Nothing yet; so many further threads could be of use.
    Waiting {
        wanted: usize,
    },
    Failed(DriveError),
    End(Stop),
}

impl Queue {
    pub fn new(bounds: Bounds) -> Self {
        let state = QueueState { is_full: bounds.limit == Some(0), ..QueueState::default() };
        Self {
            bounds,
            state: Mutex::new(state),
            is_over: AtomicBool::new(false),
            begun: AtomicUsize::new(0),
            work: Condvar::new(),
            room: Condvar::new(),
            news: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        // No code of anybody else runs while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn wake_all(&self) {
        self.work.notify_all();
        self.room.notify_all();
        self.news.notify_all();
    }

    /// Waits until another batch may be read; no where none is wanted any more.
    fn has_room(&self) -> bool {
        let Bounds { batches, under_way, .. } = self.bounds;
        let mut state = self.state();
        loop {
            if self.is_over() || state.is_full {
                return false;
            }
            if state.under_way < batches || (state.is_hungry(self.bounds) && state.under_way < under_way * 2) {
                state.under_way += 1;
                return true;
            }
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn push(&self, raw: Raw) {
        let mut state = self.state();
        let number = state.read;
        state.read += 1;
        state.raw.push_back((number, raw));
        self.work.notify_one();
    }

    /// The next thing to do; nothing at the end.
    pub fn next_task(&self) -> Option<Task> {
        let mut state = self.state();
        if !state.spent.is_empty() {
            let spent = std::mem::take(&mut state.spent);
            drop(state);
            drop(spent);
            state = self.state();
        }
        loop {
            if let Some((sample, delivery)) = state.resumed.pop_front() {
                return Some(Task::Resume(sample, delivery));
            }
            if !self.is_over() {
                if let Some(cases) = state.next_cases(self.bounds) {
                    state.scoring += cases.1.len();
                    if state.is_hungry(self.bounds) {
                        self.room.notify_one();
                    }
                    return Some(Task::Score(cases));
                }
                if !state.is_full
                    && state.ready.is_empty()
                    && let Some((number, raw)) = state.raw.pop_front()
                {
                    state.parsing += 1;
                    return Some(Task::Parse(number, raw));
                }
            }
            let is_at_end = state.ready.is_empty() && (state.is_full || (state.is_read && state.parsing == 0));
            if state.parked == 0 && (self.is_over() || is_at_end) {
                return None;
            }
            state.idle += 1;
            self.room.notify_one();
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    /// Takes the rows of a batch, and numbers all whose turn it is.
    pub fn add_parsed_rows(&self, number: u64, rows: Rows) {
        let mut state = self.state();
        state.parsing -= 1;
        state.parsed.insert(number, rows);
        loop {
            let turn = state.turn;
            let Some(rows) = state.parsed.remove(&turn) else { break };
            state.turn += 1;
            state.admit(rows, self.bounds);
        }
        drop(state);
        self.wake_all();
    }

    /// Whether a case may be begun; it then counts as begun.
    pub fn begin(&self) -> bool {
        if self.is_over() {
            return false;
        }
        self.begun.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Takes the results of cases that were begun, which have consecutive numbers.
    pub fn add_results(&self, first: u64, results: Vec<RowOutcome>) {
        let cases = results.len();
        let mut state = self.state();
        state.done.insert(first, results);
        self.end_cases(state, cases);
    }

    /// Takes what ends the run in place of a result.
    pub fn fail_run(&self, error: DriveError) {
        let mut state = self.state();
        state.failed.get_or_insert(error);
        self.is_over.store(true, Ordering::Relaxed);
        self.end_cases(state, 1);
        self.wake_all();
    }

    /// A case that was begun has no result, since the run is over.
    pub fn abandon_case(&self) {
        self.end_cases(self.state(), 1);
    }

    /// Cases that a thread took are not begun, since the run is over.
    pub fn abandon_cases(&self, cases: usize) {
        self.begun.fetch_add(cases, Ordering::Relaxed);
        self.end_cases(self.state(), cases);
    }

    fn end_cases(&self, mut state: MutexGuard<'_, QueueState>, cases: usize) {
        state.scoring -= cases;
        self.begun.fetch_sub(cases, Ordering::Relaxed);
        let has_work = !state.ready.is_empty() && state.idle > 0;
        drop(state);
        if has_work {
            // There is a place for another.
            self.work.notify_one();
        }
        self.news.notify_one();
    }

    /// A case waits for answers.
    pub fn count_parked(&self) {
        self.state().parked += 1;
    }

    /// The answers of a case have come, or never will.
    pub fn resume_sample(&self, sample: ParkedSample, delivery: Delivery) {
        let mut state = self.state();
        state.parked -= 1;
        state.resumed.push_back((sample, delivery));
        let is_last = state.parked == 0;
        drop(state);
        if is_last {
            // Threads that were kept for it alone may go.
            self.work.notify_all();
        } else {
            self.work.notify_one();
        }
    }

    /// The results that begin with this number, or how it stands.
    pub fn next(&self, number: u64, timeout: Duration, can_grow: bool) -> NextResults {
        let mut state = self.state();
        let mut is_late = false;
        loop {
            if let Some(results) = state.done.remove(&number) {
                return NextResults::Results(results);
            }
            let is_busy = state.scoring > 0 || state.parsing > 0;
            if !is_busy && let Some(error) = state.failed.take() {
                return NextResults::Failed(error);
            }
            if self.is_over() && !is_busy {
                return NextResults::End(Stop::Interrupted);
            }
            let is_all = state.is_full || (state.is_read && state.parsing == 0 && state.raw.is_empty());
            if !self.is_over() && is_all && number == state.numbered {
                return state.broken.take().map_or(NextResults::End(state.stop), NextResults::Failed);
            }
            let places = self.bounds.under_way.saturating_sub(state.scoring);
            let wanted = if can_grow && state.idle == 0 && !self.is_over() { state.ready.len().min(places) } else { 0 };
            if is_late || wanted > 0 {
                return NextResults::Waiting { wanted };
            }
            let (next, waited) = self.news.wait_timeout(state, timeout).unwrap_or_else(PoisonError::into_inner);
            (state, is_late) = (next, waited.timed_out());
        }
    }

    /// All rows before this number are passed on, the last of them with these results.
    pub fn passed_on(&self, number: u64, results: Vec<RowOutcome>) {
        let mut state = self.state();
        state.spent.push(results);
        let before = state.under_way;
        while state.ends.front().is_some_and(|end| *end <= number) {
            state.ends.pop_front();
            state.under_way -= 1;
        }
        let has_room = state.under_way < before;
        drop(state);
        if has_room {
            self.room.notify_one();
        }
    }

    /// Nobody begins anything any more; gives how many cases are under way.
    pub fn interrupt(&self) -> usize {
        let state = self.state();
        self.is_over.store(true, Ordering::Relaxed);
        drop(state);
        self.wake_all();
        self.begun.load(Ordering::Relaxed)
    }

    /// Lets everybody go; the reader says what was read where all that was wanted is passed on.
    pub fn end(&self, is_complete: bool) {
        let mut state = self.state();
        state.is_complete = is_complete;
        let spent = std::mem::take(&mut state.spent);
        drop(state);
        drop(spent);
        self.interrupt();
    }

    /// Waits until nothing more is wanted of the source; gives whether all that was is passed on.
    fn is_complete(&self) -> bool {
        let mut state = self.state();
        while !self.is_over() {
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.is_complete
    }
}

impl QueueState {
    /// The cases that a thread takes next, where there are any and not too many are under way.
    fn next_cases(&mut self, bounds: Bounds) -> Option<NumberedCases> {
        if self.scoring >= bounds.under_way {
            return None;
        }
        let (first, case) = self.ready.pop_front()?;
        let mut cases = vec![case];
        while cases.len() < bounds.at_once
            && self.ready.front().is_some_and(|(number, _)| *number == first + cases.len() as u64)
        {
            cases.extend(self.ready.pop_front().map(|(_, case)| case));
        }
        Some((first, cases))
    }

    /// Whether another case could be begun, and none is there.
    fn is_hungry(&self, bounds: Bounds) -> bool {
        self.scoring < bounds.under_way && self.ready.is_empty() && self.raw.is_empty() && self.parsing == 0
    }

    fn admit(&mut self, rows: Rows, bounds: Bounds) {
        let rows = match rows {
            _ if self.is_full => return,
            Ok(rows) => rows,
            Err(error) => {
                (self.broken, self.is_full) = (Some(error), true);
                return;
            }
        };
        for row in rows {
            let number = self.numbered;
            self.numbered += 1;
            match row {
                Ok(case) => {
                    self.cases += 1;
                    self.ready.push_back((number, case));
                }
                Err(problem) => {
                    if bounds.strict && problem.lost {
                        (self.stop, self.is_full) = (Stop::Strict, true);
                    }
                    self.done.insert(number, vec![Err(problem)]);
                }
            }
            self.is_full |= bounds.limit.is_some_and(|limit| self.cases >= limit);
            if self.is_full {
                break;
            }
        }
        self.ends.push_back(self.numbered);
    }
}

/// Reads until nothing is left or nothing more is wanted; then says what was read.
#[expect(clippy::disallowed_methods, reason = "this is the one place that loops over cases")]
pub(super) fn read_source(mut source: Box<dyn CaseSource>, queue: &Queue) -> Result<Vec<InputFile>, DriveError> {
    const PART: &str = "the reader of the cases";
    let reading = catch_unwind(AssertUnwindSafe(|| {
        while queue.has_room() {
            let Some(raw) = source.next_batch() else { break };
            queue.push(raw);
        }
    }));
    let mut state = queue.state();
    if let Err(panic) = &reading {
        let number = state.read;
        state.read += 1;
        // In its place behind what was read before it.
        let reason = panic_error(PART, panic.as_ref()).to_string();
        state.raw.push_back((number, Err(reason.into())));
    }
    state.is_read = true;
    drop(state);
    queue.wake_all();
    // What was wanted of the rows is known only at the end.
    if reading.is_err() || !queue.is_complete() {
        return Ok(Vec::new());
    }
    let told = catch_unwind(AssertUnwindSafe(|| source.inputs()));
    told.map_err(|panic| panic_error(PART, panic.as_ref()))?.map_err(DriveError::Input)
}
