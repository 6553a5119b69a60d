//! The store: one `SQLite` file for all runs of a project. A run is what was planned; a sample is one output of one model for
//! one case; a result is what one metric said about it.
//!
//! A sample is finished when all its results are there, and they come in one transaction. So a run that was killed goes on
//! where it was, and nothing is there twice: the key of a sample is run, data set, case id, occurrence, model and repeat.
//! Several processes may work in one store.

mod keeper;
mod lookup;
mod schema;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use probare_core::{ErrorKind, Usage};
use probare_report::costs::Cost;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

pub use keeper::{Names, StoreKeeper};
pub(crate) use lookup::{FIRST, Order};
pub use lookup::{Finished, StoredSample};

use crate::runs::RunPlan;

/// Where a project keeps its runs.
pub const STORE: &str = ".probare/store.db";

/// The store cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database, or the disk under it, refuses.
    #[error("the store `{}`: {reason}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What it says.
        reason: String,
    },
    /// A later version of the program made it.
    #[error("the store `{}` has the form {found}, which this version does not know", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Number of its form.
        found: i64,
    },
    /// There is no such run.
    #[error("the store `{}` has no run {run}", path.display())]
    NoRun {
        /// The file.
        path: PathBuf,
        /// The number.
        run: i64,
    },
    /// A row is not what this program writes.
    #[error("the store `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Samples are left.
    Open,
    /// All samples were looked at.
    Complete,
}

impl State {
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
    pub state: State,
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
    /// What the outputs cost, in US dollars, as far as it is known.
    pub cost_usd: f64,
}

/// An open store.
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Opens a store, creating it and its folder where they are not there.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { path: path.to_owned(), connection: schema::open(path)? })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn wrong(&self) -> impl Fn(rusqlite::Error) -> StoreError + '_ {
        schema::wrong(&self.path)
    }

    /// Notes a new run; gives its number.
    pub fn begin(&self, plan: &RunPlan) -> Result<i64, StoreError> {
        let text = self.text(plan)?;
        self.connection
            .execute("INSERT INTO runs (plan, state, made, rounds) VALUES (?1, 'open', ?2, 0)", params![text, now()])
            .map_err(self.wrong())?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Notes that a run goes on by another plan.
    pub fn replan(&self, run: i64, plan: &RunPlan) -> Result<(), StoreError> {
        let text = self.text(plan)?;
        self.connection
            .execute("UPDATE runs SET plan = ?2 WHERE run = ?1", params![run, text])
            .map_err(self.wrong())?;
        Ok(())
    }

    /// Notes how far a run has come.
    pub fn set_state(&self, run: i64, state: State) -> Result<(), StoreError> {
        self.connection
            .execute("UPDATE runs SET state = ?2 WHERE run = ?1", params![run, state.name()])
            .map_err(self.wrong())?;
        Ok(())
    }

    fn text(&self, plan: &RunPlan) -> Result<String, StoreError> {
        serde_json::to_string(&plan.clone().marked())
            .map_err(|error| StoreError::Damaged { path: self.path.clone(), reason: error.to_string() })
    }

    /// All runs, the oldest first.
    pub fn runs(&self) -> Result<Vec<StoredRun>, StoreError> {
        let mut statement = self.connection.prepare("SELECT run FROM runs ORDER BY run").map_err(self.wrong())?;
        let numbers: Result<Vec<i64>, _> =
            statement.query_map([], |row| row.get(0)).and_then(Iterator::collect).map_err(self.wrong());
        numbers?.into_iter().map(|run| self.run(run)).collect()
    }

    /// The newest run that is not complete, else the newest of all.
    pub fn latest(&self, only_open: bool) -> Result<Option<i64>, StoreError> {
        let condition = if only_open { "WHERE state = 'open'" } else { "" };
        self.connection
            .query_row(&format!("SELECT max(run) FROM runs {condition}"), [], |row| row.get(0))
            .map_err(self.wrong())
    }

    /// One run.
    pub fn run(&self, run: i64) -> Result<StoredRun, StoreError> {
        let row: Option<(String, String, i64, u32)> = self
            .connection
            .query_row("SELECT plan, state, made, rounds FROM runs WHERE run = ?1", params![run], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()
            .map_err(self.wrong())?;
        let Some((plan, state, made, rounds)) = row else {
            return Err(StoreError::NoRun { path: self.path.clone(), run });
        };
        let damaged = |reason: String| StoreError::Damaged { path: self.path.clone(), reason };
        let plan = serde_json::from_str(&plan).map_err(|error| damaged(format!("the plan of run {run}: {error}")))?;
        let (finished, input, output, cost): (i64, i64, i64, f64) = self
            .connection
            .query_row(
                "SELECT coalesce(sum(finished), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
                        coalesce(sum(cost_usd), 0.0)
                 FROM samples WHERE run = ?1",
                params![run],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
            )
            .map_err(self.wrong())?;
        let mut statement = self
            .connection
            .prepare(
                "SELECT kind, count(*) FROM results JOIN samples USING (sample)
                 WHERE run = ?1 AND kind IS NOT NULL GROUP BY kind ORDER BY kind",
            )
            .map_err(self.wrong())?;
        let errors: Result<Vec<(String, i64)>, _> =
            statement.query_map(params![run], |row| Ok((row.get(0)?, row.get(1)?))).and_then(Iterator::collect);
        let errors = errors.map_err(self.wrong())?;
        Ok(StoredRun {
            run,
            plan,
            state: if state == State::Complete.name() { State::Complete } else { State::Open },
            made: made.unsigned_abs(),
            rounds,
            finished: finished.unsigned_abs(),
            errors: errors.into_iter().map(|(kind, count)| (kind, count.unsigned_abs())).collect(),
            usage: Usage { input_tokens: input.unsigned_abs(), output_tokens: output.unsigned_abs() },
            cost_usd: cost,
        })
    }

    /// What the outputs of each model of a run took.
    pub(crate) fn costs(&self, run: i64) -> Result<Vec<Cost>, StoreError> {
        let wrong = self.wrong();
        let mut statement = self
            .connection
            .prepare(
                "SELECT model, count(output), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
                        sum(cost_usd)
                 FROM samples WHERE run = ?1 AND output IS NOT NULL GROUP BY model, seat ORDER BY seat",
            )
            .map_err(&wrong)?;
        let read = |row: &rusqlite::Row<'_>| {
            let count = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
            let usage = Usage { input_tokens: count(2)?, output_tokens: count(3)? };
            Ok(Cost { model: row.get(0)?, outputs: count(1)?, usage, cost_usd: row.get(4)? })
        };
        statement.query_map(params![run], read).and_then(Iterator::collect).map_err(&wrong)
    }

    /// The finished samples of a run in the order of its plan, some at a time: `last` says where the last ones ended.
    pub(crate) fn samples(&self, run: i64, last: &mut Order, most: usize) -> Result<Vec<StoredSample>, StoreError> {
        let rows = lookup::after(&self.connection, run, *last, most).map_err(self.wrong())?;
        if let Some((order, _)) = rows.last() {
            *last = *order;
        }
        Ok(rows.into_iter().map(|(_, sample)| sample).collect())
    }

    /// Takes a run out of the store; gives how many samples it had.
    pub fn remove(&mut self, run: i64) -> Result<u64, StoreError> {
        self.run(run)?;
        let path = self.path.clone();
        let wrong = schema::wrong(&path);
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&wrong)?;
        transaction
            .execute("DELETE FROM results WHERE sample IN (SELECT sample FROM samples WHERE run = ?1)", params![run])
            .map_err(&wrong)?;
        let samples = transaction.execute("DELETE FROM samples WHERE run = ?1", params![run]).map_err(&wrong)?;
        transaction.execute("DELETE FROM runs WHERE run = ?1", params![run]).map_err(&wrong)?;
        transaction.commit().map_err(&wrong)?;
        Ok(samples as u64)
    }

    /// Takes out the samples with an error of one of these kinds, so that they are done again; gives how many. Where a
    /// reply could not be read, judges are asked anew rather than from the record. Outputs that came are kept.
    pub fn retry(&mut self, run: i64, kinds: &[ErrorKind]) -> Result<u64, StoreError> {
        let path = self.path.clone();
        let wrong = schema::wrong(&path);
        let names: Vec<String> = kinds.iter().map(|kind| format!("'{}'", kind.name())).collect();
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&wrong)?;
        let samples = transaction
            .execute(
                &format!(
                    "UPDATE samples SET finished = 0 WHERE run = ?1 AND finished = 1 AND sample IN
                     (SELECT sample FROM results WHERE kind IN ({}))",
                    names.join(", ")
                ),
                params![run],
            )
            .map_err(&wrong)?;
        transaction
            .execute(
                "DELETE FROM results WHERE sample IN (SELECT sample FROM samples WHERE run = ?1 AND finished = 0)",
                params![run],
            )
            .map_err(&wrong)?;
        if samples > 0 {
            transaction.execute("UPDATE runs SET state = 'open' WHERE run = ?1", params![run]).map_err(&wrong)?;
        }
        if kinds.contains(&ErrorKind::Unparseable) && samples > 0 {
            transaction.execute("UPDATE runs SET rounds = rounds + 1 WHERE run = ?1", params![run]).map_err(&wrong)?;
        }
        transaction.commit().map_err(&wrong)?;
        Ok(samples as u64)
    }
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
