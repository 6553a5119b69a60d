//! What a run has spent: the account of calls that have ended, and a row for each that was sent and has not. The budget of a
//! run is checked here, in the transaction that reserves a call, so that it holds for all processes of the run together.

use std::sync::mpsc::Receiver;
use std::thread;

use probare_core::{CallOutcome, CallPurpose, Usage};
use probare_models::{
    Account, Admission, EndedCall, Ledger, LedgerRequest, Money, PlannedCall, Spending, SpendingLimit,
};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::checksum::{Checksum, TallyKey};
use super::run_row::RunRow;
use super::{Store, StoreError, StoreFault, migrate, outputs_account};

/// The table of calls under way.
const RESERVATIONS: &str = "
CREATE TABLE reservations (
    reservation INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    key TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    picodollars INTEGER NOT NULL,
    is_priced INTEGER NOT NULL,
    made INTEGER NOT NULL,
    is_lost INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE INDEX reservations_of_run ON reservations (run);
";

const COLUMNS: &str = "run, model, purpose, key, tokens, picodollars, is_priced, made, is_lost, checksum";

/// Most requests of one transaction.
const MOST: usize = 1000;

/// A call that was reserved and has not ended.
#[derive(Debug, Clone)]
struct ReservedCall {
    reservation: i64,
    run: i64,
    model: String,
    purpose: CallPurpose,
    key: String,
    bound: Spending,
    is_priced: bool,
    made: i64,
    /// Whether a later process found that its reply never came.
    is_lost: bool,
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

impl ReservedCall {
    fn checksum(&self) -> i64 {
        Checksum::for_table("reservations")
            .integer(self.run)
            .text(&self.model)
            .text(self.purpose.name())
            .text(&self.key)
            .integer(integer(self.bound.tokens))
            .integer(integer(self.bound.money.0))
            .integer(i64::from(self.is_priced))
            .integer(self.made)
            .integer(i64::from(self.is_lost))
            .end()
    }

    fn insert(&self, connection: &Connection) -> rusqlite::Result<i64> {
        let statement =
            format!("INSERT INTO reservations ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
        connection.prepare_cached(&statement)?.execute(params![
            self.run,
            self.model,
            self.purpose.name(),
            self.key,
            integer(self.bound.tokens),
            integer(self.bound.money.0),
            self.is_priced,
            self.made,
            self.is_lost,
            self.checksum()
        ])?;
        Ok(connection.last_insert_rowid())
    }

    /// Calls by a condition on one number.
    fn all(connection: &Connection, condition: &str, number: i64) -> Result<Vec<Self>, StoreFault> {
        let statement =
            format!("SELECT reservation, {COLUMNS} FROM reservations WHERE {condition} ORDER BY reservation");
        let mut statement = connection.prepare_cached(&statement)?;
        let mut rows = statement.query(params![number])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let damaged = || StoreFault::Damaged("a reserved call is not as it was written".to_owned());
            let purpose: String = row.get(3)?;
            let purposes = [CallPurpose::Answer, CallPurpose::Judge, CallPurpose::Embedding];
            let call = Self {
                reservation: row.get(0)?,
                run: row.get(1)?,
                model: row.get(2)?,
                purpose: purposes.into_iter().find(|known| known.name() == purpose).ok_or_else(damaged)?,
                key: row.get(4)?,
                bound: Spending {
                    tokens: row.get::<_, i64>(5)?.unsigned_abs(),
                    money: Money(row.get::<_, i64>(6)?.unsigned_abs()),
                },
                is_priced: row.get(7)?,
                made: row.get(8)?,
                is_lost: row.get(9)?,
            };
            if call.checksum() != row.get::<_, i64>(10)? {
                return Err(damaged());
            }
            found.push(call);
        }
        Ok(found)
    }

    fn remove(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached("DELETE FROM reservations WHERE reservation = ?1")?
            .execute(params![self.reservation])?;
        Ok(())
    }

    /// As if it had ended without anybody knowing what it took.
    const fn interrupted(&self) -> EndedCall {
        EndedCall { outcome: CallOutcome::Interrupted, usage: Usage::new(0, 0), taken: self.bound, is_bound: true }
    }
}

/// The calls of a run that have ended.
fn ended_calls(connection: &Connection, run: i64) -> Result<Account, StoreFault> {
    Ok(TallyKey::Spending(run).read_as(connection)?.unwrap_or_default())
}

/// Makes the table, and accounts for runs from before there was one: of those, what their outputs took is known.
pub(super) fn create_table(connection: &Connection) -> Result<(), StoreFault> {
    connection.execute_batch(RESERVATIONS)?;
    let runs = RunRow::all(connection)?;
    if !runs.is_empty() {
        migrate::ensure_columns(connection)?;
    }
    for run in runs {
        keep_outputs(connection, run.run)?;
    }
    Ok(())
}

/// Keeps what the outputs of a run took as what the run took.
pub(super) fn keep_outputs(connection: &Connection, run: i64) -> Result<(), StoreFault> {
    let account = outputs_account(connection, run)?;
    if account != Account::default() {
        TallyKey::Spending(run).write_as(connection, &account)?;
    }
    Ok(())
}

/// What a run has spent, calls without a reply at their upper bound.
pub(super) fn account(connection: &Connection, run: i64) -> Result<Account, StoreFault> {
    let mut account = ended_calls(connection, run)?;
    for call in ReservedCall::all(connection, "run = ?1", run)? {
        account.add(&call.model, call.purpose, call.is_priced, &call.interrupted());
    }
    Ok(account)
}

/// Takes out what is known of the spending of a run.
pub(super) fn remove(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    TallyKey::Spending(run).remove(connection)?;
    connection.execute("DELETE FROM reservations WHERE run = ?1", params![run])?;
    Ok(())
}

impl Store {
    /// Begins to keep what the calls of a run take, and says what it has spent and reserved before. `recorded` gives what
    /// the response cache says about a call whose process ended before that was noted here: when the reply came, and what it
    /// took. A call whose reply is not there stays counted with its upper bound.
    pub fn open_ledger(
        &self,
        run: i64,
        recorded: impl Fn(&str, Spending) -> Option<(u64, EndedCall)>,
    ) -> Result<(Ledger, Spending), StoreError> {
        self.write(|connection| {
            let mut account = ended_calls(connection, run)?;
            for call in ReservedCall::all(connection, "run = ?1 AND is_lost = 0", run)? {
                call.remove(connection)?;
                let ended = recorded(&call.key, call.bound).filter(|(made, _)| integer(*made) >= call.made);
                if let Some((_, ended)) = ended {
                    account.add(&call.model, call.purpose, call.is_priced, &ended);
                    continue;
                }
                let lost = ReservedCall { is_lost: true, ..call };
                // Under its number: another process may be at work on it after all, and settle it.
                lost.insert(connection)?;
                connection.execute(
                    "UPDATE reservations SET reservation = ?1 WHERE reservation = ?2",
                    params![lost.reservation, connection.last_insert_rowid()],
                )?;
            }
            TallyKey::Spending(run).write_as(connection, &account)?;
            Ok(())
        })?;
        let before = self.read(|connection| account(connection, run))?.spent();
        let (ledger, requests) = Ledger::new();
        let connection = self.connect()?;
        thread::Builder::new()
            .name("ledger".to_owned())
            // What goes wrong is seen by every call that is not granted any more.
            .spawn(move || drop(serve(connection, run, &requests)))
            .map_err(|error| StoreFault::from(error).in_store(self.path()))?;
        Ok((ledger, before))
    }
}

/// Serves requests until nobody can send any more, all that have gathered in one transaction.
fn serve(mut connection: Connection, run: i64, requests: &Receiver<LedgerRequest>) -> Result<(), StoreFault> {
    while let Ok(first) = requests.recv() {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut books = SpendingTransaction::open(&transaction, run)?;
        let (mut answers, mut flushed) = (Vec::new(), Vec::new());
        for request in [first].into_iter().chain(requests.try_iter().take(MOST)) {
            match request {
                LedgerRequest::Reserve { call, limit, ledger, answer } => {
                    let admission = match books.reserve(call, limit)? {
                        Ok(reservation) => Admission::Granted(ledger.grant(reservation)),
                        Err(taken) => Admission::Full { taken },
                    };
                    answers.push((answer, admission));
                }
                LedgerRequest::Settle { reservation, ended } => books.settle(reservation, ended)?,
                LedgerRequest::Flush(kept) => flushed.push(kept),
            }
        }
        books.close()?;
        transaction.commit()?;
        for (answer, admission) in answers {
            // Whoever asked may have gone; the grant is given back then.
            let _ = answer.send(admission);
        }
        for kept in flushed {
            let _ = kept.send(());
        }
    }
    Ok(())
}

/// One transaction.
struct SpendingTransaction<'a> {
    connection: &'a Connection,
    run: i64,
    account: Account,
    reserved: Spending,
    is_changed: bool,
}

impl<'a> SpendingTransaction<'a> {
    fn open(connection: &'a Connection, run: i64) -> Result<Self, StoreFault> {
        let account = ended_calls(connection, run)?;
        let mut statement = connection.prepare_cached(
            "SELECT coalesce(sum(tokens), 0), coalesce(sum(picodollars), 0) FROM reservations WHERE run = ?1",
        )?;
        let (tokens, picodollars): (i64, i64) =
            statement.query_row(params![run], |row| Ok((row.get(0)?, row.get(1)?))).optional()?.unwrap_or_default();
        let reserved = Spending { tokens: tokens.unsigned_abs(), money: Money(picodollars.unsigned_abs()) };
        Ok(Self { connection, run, account, reserved, is_changed: false })
    }

    /// The number of the reservation, or what is spent and reserved where the call does not fit beside it.
    fn reserve(&mut self, call: PlannedCall, limit: SpendingLimit) -> Result<Result<i64, Spending>, StoreFault> {
        let taken = self.account.spent().plus(self.reserved);
        if !limit.allows(taken.plus(call.bound)) {
            return Ok(Err(taken));
        }
        let PlannedCall { model, purpose, key, bound, is_priced } = call;
        self.reserved = self.reserved.plus(bound);
        let (key, made) = (key.to_string(), super::now());
        let row =
            ReservedCall { reservation: 0, run: self.run, model, purpose, key, bound, is_priced, made, is_lost: false };
        Ok(Ok(row.insert(self.connection)?))
    }

    fn settle(&mut self, reservation: i64, ended: Option<EndedCall>) -> Result<(), StoreFault> {
        for call in ReservedCall::all(self.connection, "reservation = ?1", reservation)? {
            call.remove(self.connection)?;
            self.reserved = self.reserved.minus(call.bound);
            if let Some(ended) = &ended {
                self.account.add(&call.model, call.purpose, call.is_priced, ended);
                self.is_changed = true;
            }
        }
        Ok(())
    }

    fn close(self) -> Result<(), StoreFault> {
        if self.is_changed {
            TallyKey::Spending(self.run).write_as(self.connection, &self.account)?;
        }
        Ok(())
    }
}
