//! The store: one `SQLite` file for all runs of a project. A run is what was planned; a sample is one output of one model for
//! one case; a result is what one metric said about it.
//!
//! A sample is finished when all its results are there, and they come in one transaction. So a run that was killed goes on
//! where it was, and nothing is there twice: the key of a sample is run, data set, case id, occurrence, model,
//! prompt and repeat.
//! Several processes may work in one store.
//!
//! A row of samples has what one filters and sorts by; the texts are packed and stand apart. Every row has a checksum, and
//! every run a tally of its rows, so that a damaged store says so and is never quietly different. `docs/design/store.md`
//! tells why it is so.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod body;
mod case_filter;
mod checksum;
mod collected;
mod error;
mod kept_means;
mod labels;
mod lookup;
mod migrate;
mod owner_tag;
mod packing;
mod plan;
mod query;
mod run_row;
mod samples;
mod schema;
mod spending;
mod text_index;
mod writer;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use probare_core::{CallOutcome, CallPurpose, CostLine, ErrorKind, Panel, RunCosts, Score, Usage};
use probare_models::Account;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

pub use case_filter::{CaseFilter, CaseFilterError, ComparisonOperator, FilterCondition, NumericField};
pub use collected::{CollectedTrace, CollectorLock, LARGEST_TRACE, TracePiece};
pub use error::StoreError;
pub use labels::HumanLabel;
pub use lookup::{CasePosition, StoredSample, StoredSamples};
pub use plan::{PlannedDataset, PlannedRetrieval, RagTest, RequestedMetric, RunPlan};
pub use query::{CaseOrder, CaseReading, ComparedSample, FoundSample};
pub use samples::{Cursor, OutputUsage};
pub use text_index::{TextIndex, TextMatches};
pub use writer::{RunNames, StoreWriter};

use self::body::{PackedTable, SampleBody};
use self::checksum::TallyKey;
use self::error::StoreFault;
use self::packing::{Packer, Unpacker};
use self::run_row::RunRow;
use self::samples::{OPEN, SampleRow, SampleTable};
use self::schema::Access;

/// Where a project keeps its runs.
pub const STORE: &str = ".probare/store.db";

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// Samples are left.
    Open,
    /// All samples were looked at.
    Complete,
}

impl RunState {
    /// The word in the store and in lists.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Complete => "complete",
        }
    }
}

/// A run as the store knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// Its number.
    pub run: i64,
    /// What was planned.
    pub plan: RunPlan,
    /// How far it has come.
    pub state: RunState,
    /// When it was started, in seconds since 1970.
    pub made: u64,
    /// How often judges were asked again for what could not be read.
    pub rounds: u32,
    /// Finished samples.
    pub finished: u64,
    /// Results that are errors, by kind.
    pub errors: Vec<(String, u64)>,
    /// What the outputs took, as far as it is known.
    pub usage: Usage,
    /// What all calls of the run cost: of models under test, judges and embedding models, whatever came of them.
    pub costs: RunCosts,
}

/// An open store.
pub struct Store {
    path: PathBuf,
    access: Access,
    connection: Connection,
    unpacker: Unpacker,
}

impl Store {
    /// Opens a store, creating it and its folder where they are not there. A store that may not be written is opened to be
    /// read.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::from_connection(path, schema::open(path)?)
    }

    /// Opens a store that exists, to look at it: that makes none, and does not rewrite one of an older form.
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        if path.exists() {
            return Self::from_connection(path, schema::open_existing(path)?);
        }
        Err(StoreError::Database { path: path.to_owned(), reason: "there is no such file".to_owned() })
    }

    fn from_connection(path: &Path, (access, connection): (Access, Connection)) -> Result<Self, StoreError> {
        let unpacker = Unpacker::from_connection(&connection).map_err(error::database_error(path))?;
        Ok(Self { path: path.to_owned(), access, connection, unpacker })
    }

    /// The same store once more, for another thread.
    pub fn try_clone(&self) -> Result<Self, StoreError> {
        Self::from_connection(&self.path, (self.access.clone(), self.connect()?))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What unpacks its texts.
    fn unpacker(&self) -> &Unpacker {
        &self.unpacker
    }

    /// A further connection to it.
    fn connect(&self) -> Result<Connection, StoreError> {
        self.access.connect()
    }

    /// Fails where it is open to be read alone.
    fn writable(&self) -> Result<(), StoreError> {
        match self.access {
            Access::Written(_) => Ok(()),
            _ => Err(StoreError::Database { path: self.path.clone(), reason: "it may not be written".to_owned() }),
        }
    }

    /// Changes something, at once or not at all.
    fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreFault>) -> Result<T, StoreError> {
        self.writable()?;
        let changed = || {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            let made = work(&transaction)?;
            transaction.commit()?;
            Ok(made)
        };
        changed().map_err(|fault: StoreFault| fault.in_store(&self.path))
    }

    /// Looks at something, as it is at one moment.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, StoreFault>) -> Result<T, StoreError> {
        let looked = || {
            let transaction = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)?;
            work(&transaction)
        };
        looked().map_err(|fault: StoreFault| fault.in_store(&self.path))
    }

    fn change_run(&self, run: i64, work: impl FnOnce(&mut RunRow)) -> Result<(), StoreError> {
        let changed = self.write(|connection| {
            let Some(before) = RunRow::find(connection, run)? else { return Ok(false) };
            let mut row = before.clone();
            work(&mut row);
            row.replace(connection, &before)?;
            Ok(true)
        })?;
        if changed { Ok(()) } else { Err(self.no_run(run)) }
    }

    fn no_run(&self, run: i64) -> StoreError {
        StoreError::NoRun { path: self.path.clone(), run }
    }

    /// Notes a new run; gives its number.
    pub fn begin(&self, plan: &RunPlan) -> Result<i64, StoreError> {
        let plan = self.text(plan)?;
        self.write(|connection| {
            let run = RunRow::next(connection)?;
            let state = RunState::Open.name().to_owned();
            RunRow { run, plan, state, made: now(), rounds: 0 }.insert(connection)?;
            Ok(run)
        })
    }

    /// Notes that a run goes on by another plan.
    pub fn replan(&self, run: i64, plan: &RunPlan) -> Result<(), StoreError> {
        let text = self.text(plan)?;
        self.change_run(run, |row| row.plan = text)
    }

    /// Notes how far a run has come.
    pub fn set_state(&self, run: i64, state: RunState) -> Result<(), StoreError> {
        self.change_run(run, |row| state.name().clone_into(&mut row.state))
    }

    /// Keeps what the benchmark says about a run as a whole, in place of what it said before.
    pub fn keep_panels(&self, run: i64, panels: &[Panel]) -> Result<(), StoreError> {
        self.write(|connection| Ok(TallyKey::Panels(run).write_as(connection, &panels)?))
    }

    /// What the benchmark says about a run as a whole; nothing before the run is complete.
    pub fn panels(&self, run: i64) -> Result<Vec<Panel>, StoreError> {
        self.read(|connection| Ok(TallyKey::Panels(run).read_as(connection)?.unwrap_or_default()))
    }

    fn text(&self, plan: &RunPlan) -> Result<String, StoreError> {
        serde_json::to_string(&plan.clone().with_owner_tag())
            .map_err(|error| StoreFault::from(error).in_store(&self.path))
    }

    fn row(&self, run: i64) -> Result<RunRow, StoreError> {
        let found = RunRow::find(&self.connection, run).map_err(|fault| fault.in_store(&self.path))?;
        found.ok_or_else(|| self.no_run(run))
    }

    /// All runs, the oldest first.
    pub fn runs(&self) -> Result<Vec<StoredRun>, StoreError> {
        self.read(|connection| RunRow::all(connection)?.into_iter().map(|row| stored_run(connection, row)).collect())
    }

    /// The newest run that is not complete, or the newest of all. A run of collected traces is open until its day is over, and
    /// no run that somebody left.
    pub fn latest(&self, only_open: bool) -> Result<Option<i64>, StoreError> {
        if only_open {
            let is_meant = |run: &StoredRun| run.state == RunState::Open && run.plan.collected.is_none();
            return Ok(self.runs()?.into_iter().filter(is_meant).map(|run| run.run).max());
        }
        Ok(self.read(RunRow::all)?.into_iter().map(|row| row.run).max())
    }

    /// One run.
    pub fn run(&self, run: i64) -> Result<StoredRun, StoreError> {
        let found =
            self.read(|connection| RunRow::find(connection, run)?.map(|row| stored_run(connection, row)).transpose())?;
        found.ok_or_else(|| self.no_run(run))
    }

    /// What all calls of a run cost.
    pub fn costs(&self, run: i64) -> Result<RunCosts, StoreError> {
        Ok(self.read(|connection| spending::account(connection, run))?.costs())
    }

    /// Keeps what a run cost that was made elsewhere: as it says, or what its outputs took.
    pub fn keep_costs(&self, run: i64, costs: Option<&RunCosts>) -> Result<(), StoreError> {
        let Some(costs) = costs else { return self.write(|connection| spending::keep_outputs(connection, run)) };
        let mut account = Account::default();
        for line in &costs.lines {
            account.add_line(line.clone());
        }
        self.write(|connection| Ok(TallyKey::Spending(run).write_as(connection, &account)?))
    }

    /// The finished samples of a run in the order of its plan, some at a time; none when there are no more. All of them
    /// are of one moment. That none is missing is known when the last one was read.
    pub fn samples(&self, run: i64, cursor: &mut Cursor, most: usize) -> Result<Vec<StoredSample>, StoreError> {
        let mut read = || {
            if !cursor.is_begun {
                self.connection.execute_batch("BEGIN")?;
                cursor.is_begun = true;
            }
            let samples = SampleTable::open(&self.connection, run)?;
            while !cursor.is_done {
                let rows = samples.after(&self.connection, cursor, most)?;
                let stored = rows.into_iter().filter(SampleRow::is_finished);
                let stored: Vec<_> = stored
                    .map(|row| lookup::stored_sample(&self.connection, &self.unpacker, row))
                    .collect::<Result<_, _>>()?;
                if cursor.is_done {
                    self.connection.execute_batch("COMMIT")?;
                }
                if !stored.is_empty() {
                    return Ok(stored);
                }
            }
            Ok(Vec::new())
        };
        read().map_err(|fault: StoreFault| fault.in_store(&self.path))
    }

    /// Whether the store has the cases of all samples of a run; those from before 0.3 have none.
    pub fn has_cases(&self, run: i64) -> Result<bool, StoreError> {
        let mut is_whole = true;
        self.read(|connection| {
            each_row(connection, run, |row| {
                is_whole &= row.case.is_some() || !row.is_finished();
                Ok(())
            })
        })?;
        Ok(is_whole)
    }

    /// Adds what people say about a run: all of it, or nothing where a case or metric is not in the run.
    pub fn add_labels(&self, run: i64, labels: &[HumanLabel]) -> Result<(), StoreError> {
        self.row(run)?;
        let unknown = self.write(|connection| {
            let unknown = labels::unknown(connection, run, labels)?;
            if unknown.is_none() {
                labels::add(connection, run, labels)?;
            }
            Ok(unknown)
        })?;
        match unknown {
            Some(what) => Err(StoreError::NotInRun { path: self.path.clone(), run, what }),
            None => Ok(()),
        }
    }

    /// What people said about a run, in the order in which it came.
    pub fn labels(&self, run: i64) -> Result<Vec<HumanLabel>, StoreError> {
        self.row(run)?;
        let labels = self.read(|connection| labels::all(connection, run))?;
        Ok(labels.into_iter().map(|(_, label)| label).collect())
    }

    /// Takes a run out of the store, whole or damaged, with everything that was kept of it, and gives the room back, so
    /// that the file holds nothing of it any more; gives how many samples it had.
    pub fn remove(&mut self, run: i64) -> Result<u64, StoreError> {
        let samples = self.write(|connection| {
            if !connection.prepare("SELECT 1 FROM runs WHERE run = ?1")?.exists(params![run])? {
                return Ok(None);
            }
            remove_rows(connection, run).map(Some)
        })?;
        let samples = samples.ok_or_else(|| self.no_run(run))?;
        self.vacuum()?;
        Ok(samples)
    }

    /// Takes all samples of a case out of a run, with their texts, results and labels, and gives the room back; gives how
    /// many there were.
    pub fn forget(&mut self, run: i64, id: &str) -> Result<u64, StoreError> {
        self.row(run)?;
        let forgotten: u64 = self.write(|connection| {
            let mut meant = Vec::new();
            each_row(connection, run, |row| {
                if row.place.id == id {
                    meant.push(row);
                }
                Ok(())
            })?;
            let mut samples = SampleTable::open(connection, run)?;
            for row in &meant {
                samples.remove(connection, row)?;
                PackedTable::Bodies.remove(connection, row.sample)?;
                PackedTable::Outputs.remove(connection, row.sample)?;
                if let Some(case) = row.case {
                    PackedTable::Cases.remove(connection, case)?;
                }
            }
            samples.close(connection)?;
            labels::forget(connection, run, id)?;
            collected::forget(connection, run, id)?;
            // They speak of all cases, and may quote this one.
            TallyKey::Panels(run).remove(connection)?;
            TallyKey::Means(run).remove(connection)?;
            drop_names(connection)?;
            Ok(meant.len() as u64)
        })?;
        if forgotten == 0 {
            return Err(StoreError::NotInRun { path: self.path.clone(), run, what: format!("case `{id}`") });
        }
        self.vacuum()?;
        Ok(forgotten)
    }

    /// Writes the file anew without what was removed.
    fn vacuum(&self) -> Result<(), StoreError> {
        let busy = |reason: String| StoreError::Database {
            path: self.path.clone(),
            reason: format!(
                "it was removed, but the file still holds what it left behind, since {reason}; once nobody \
                             else uses the store, remove anything again"
            ),
        };
        self.connection.execute_batch("VACUUM").map_err(|error| busy(error.to_string()))?;
        // Pages that were written before must not stay in the journal.
        let is_busy: bool = self
            .connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
            .map_err(|error| busy(error.to_string()))?;
        if is_busy { Err(busy("another process uses it".to_owned())) } else { Ok(()) }
    }

    /// Puts the outputs that models gave in one run into another that has none yet; gives how many.
    pub fn copy_outputs(&self, from: i64, to: i64) -> Result<u64, StoreError> {
        let packer = Packer::default();
        self.row(from)?;
        self.row(to)?;
        self.write(|connection| {
            let mut outputs = Vec::new();
            each_row(connection, from, |row| {
                if row.place.model.is_empty() {
                    return Ok(());
                }
                let said = if row.is_finished() {
                    Some(body::body(connection, &self.unpacker, row.sample)?)
                } else {
                    let waiting = PackedTable::Outputs.text(connection, &self.unpacker, row.sample)?;
                    waiting.map(|text| SampleBody::from_text(&text).map_err(StoreFault::Damaged)).transpose()?
                };
                if let Some(said) = said.filter(|said| said.output.is_some()) {
                    outputs.push((row, packer.pack(&SampleBody { results: Vec::new(), ..said }.text()?)?));
                }
                Ok(())
            })?;
            let mut samples = SampleTable::open(connection, to)?;
            for (before, packed) in &outputs {
                let mut row = SampleRow {
                    sample: 0,
                    case: None,
                    question: None,
                    status: OPEN.to_owned(),
                    values: Vec::new(),
                    ..before.clone()
                };
                let sample = samples.insert(connection, &mut row)?;
                PackedTable::Outputs.put(connection, sample, packed)?;
            }
            samples.close(connection)?;
            Ok(outputs.len() as u64)
        })
    }

    /// Takes out the samples with an error of one of these kinds, so that they are done again; gives how many. Models and
    /// judges are asked anew rather than answered from the record. Outputs that came are kept. Where a published rule counts
    /// a reply that could not be read as 0 (`has_unreadable_reply` knows it by its score), its sample is one of those with an
    /// unparseable reply.
    pub fn retry(
        &mut self,
        run: i64,
        kinds: &[ErrorKind],
        has_unreadable_reply: &dyn Fn(&Score) -> bool,
    ) -> Result<u64, StoreError> {
        let packer = Packer::default();
        let unpacker = &self.unpacker;
        self.row(run)?;
        self.write(|connection| {
            let is_meant = |kind: &str| kinds.iter().any(|known| known.name() == kind);
            let mut meant = Vec::new();
            each_row(connection, run, |row| {
                let counts_zero = || -> Result<bool, StoreFault> {
                    let body = body::body(connection, unpacker, row.sample)?;
                    Ok(body.scores().any(|score| has_unreadable_reply(&score)))
                };
                let is_unparseable = kinds.contains(&ErrorKind::Unparseable);
                if row.is_finished() && (row.errors().any(is_meant) || is_unparseable && counts_zero()?) {
                    meant.push(row);
                }
                Ok(())
            })?;
            let mut samples = SampleTable::open(connection, run)?;
            for before in &meant {
                let said = body::body(connection, unpacker, before.sample)?;
                let mut row = SampleRow { status: OPEN.to_owned(), values: Vec::new(), ..before.clone() };
                samples.replace(connection, before, &mut row)?;
                PackedTable::Bodies.remove(connection, before.sample)?;
                if said.output.is_some() && !before.place.model.is_empty() {
                    let packed = packer.pack(&SampleBody { results: Vec::new(), ..said }.text()?)?;
                    PackedTable::Outputs.put(connection, before.sample, &packed)?;
                }
            }
            samples.close(connection)?;
            if !meant.is_empty()
                && let Some(before) = RunRow::find(connection, run)?
            {
                let state = RunState::Open.name().to_owned();
                RunRow { state, rounds: before.rounds + 1, ..before.clone() }.replace(connection, &before)?;
            }
            Ok(meant.len() as u64)
        })
    }
}

/// Takes out everything that was kept of a run; gives how many samples it had.
fn remove_rows(connection: &Connection, run: i64) -> Result<u64, StoreFault> {
    for statement in [
        "DELETE FROM bodies WHERE number IN (SELECT sample FROM samples WHERE run = ?1)",
        "DELETE FROM outputs WHERE number IN (SELECT sample FROM samples WHERE run = ?1)",
        "DELETE FROM cases WHERE number IN (SELECT case_number FROM samples WHERE run = ?1)",
        "DELETE FROM metrics WHERE run = ?1",
        "DELETE FROM labels WHERE run = ?1",
    ] {
        connection.execute(statement, params![run])?;
    }
    collected::remove_run(connection, run)?;
    let samples = connection.execute("DELETE FROM samples WHERE run = ?1", params![run])?;
    TallyKey::Samples(run).remove(connection)?;
    TallyKey::Labels(run).remove(connection)?;
    TallyKey::Panels(run).remove(connection)?;
    TallyKey::Means(run).remove(connection)?;
    spending::remove(connection, run)?;
    RunRow::remove(connection, run)?;
    drop_names(connection)?;
    Ok(samples as u64)
}

/// All samples of a run in order, checked one by one and together.
fn each_row(
    connection: &Connection,
    run: i64,
    work: impl FnMut(SampleRow) -> Result<(), StoreFault>,
) -> Result<(), StoreFault> {
    SampleTable::open(connection, run)?.for_each(connection, work)
}

/// Drops names of data sets, models and prompts that no sample has.
fn drop_names(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "DELETE FROM names WHERE number NOT IN
         (SELECT dataset FROM samples UNION SELECT model FROM samples UNION SELECT prompt FROM samples
          UNION SELECT answered_by FROM samples WHERE answered_by IS NOT NULL)",
    )
}

/// What the outputs of a run took, as far as its samples say.
fn outputs_account(connection: &Connection, run: i64) -> Result<Account, StoreFault> {
    let mut account = Account::default();
    each_row(connection, run, |row| {
        if row.taken.is_known() {
            let count = |tokens: Option<i64>| tokens.unwrap_or_default().unsigned_abs();
            account.add_line(CostLine {
                model: row.place.model,
                purpose: CallPurpose::Answer,
                outcome: CallOutcome::Replied,
                calls: 1,
                bounded_calls: 0,
                usage: Usage::new(count(row.taken.input_tokens), count(row.taken.output_tokens)),
                cost_usd: row.taken.cost_usd,
            });
        }
        Ok(())
    })?;
    Ok(account)
}

fn stored_run(connection: &Connection, row: RunRow) -> Result<StoredRun, StoreFault> {
    let RunRow { run, plan, state, made, rounds, .. } = row;
    let plan =
        serde_json::from_str(&plan).map_err(|error| StoreFault::Damaged(format!("the plan of run {run}: {error}")))?;
    let tally = SampleTable::open(connection, run)?.tally().clone();
    Ok(StoredRun {
        run,
        plan,
        state: if state == RunState::Complete.name() { RunState::Complete } else { RunState::Open },
        made: made.unsigned_abs(),
        rounds,
        finished: tally.finished,
        errors: tally.errors.into_iter().collect(),
        usage: Usage::new(tally.input_tokens, tally.output_tokens),
        costs: spending::account(connection, run)?.costs(),
    })
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
