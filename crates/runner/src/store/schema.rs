//! The tables of the store, how the file is opened, and how an older form becomes the present one.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use super::StoreError;

/// What turns each form into the next: the first makes the tables of an empty file. A form that was released is never
/// changed; what comes later is appended here, so that every store opens for ever.
const STEPS: &[&str] = &["
CREATE TABLE runs (
    run INTEGER PRIMARY KEY AUTOINCREMENT,
    plan TEXT NOT NULL,
    state TEXT NOT NULL,
    made INTEGER NOT NULL,
    rounds INTEGER NOT NULL
);
CREATE TABLE samples (
    sample INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    dataset TEXT NOT NULL,
    id TEXT NOT NULL,
    occurrence INTEGER NOT NULL,
    model TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    place INTEGER NOT NULL,
    position INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    output TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost_usd REAL,
    latency_ms INTEGER,
    attempts INTEGER,
    finished INTEGER NOT NULL,
    UNIQUE (run, dataset, id, occurrence, model, repeat)
);
CREATE INDEX samples_in_order ON samples (run, place, position, seat, repeat);
CREATE TABLE results (
    sample INTEGER NOT NULL,
    metric TEXT NOT NULL,
    kind TEXT,
    outcome TEXT NOT NULL,
    PRIMARY KEY (sample, metric)
) WITHOUT ROWID;
CREATE INDEX results_kind ON results (kind) WHERE kind IS NOT NULL;
"];

/// Says in which file something went wrong, and what to do where that is known.
pub(super) fn wrong(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError + '_ {
    move |error| StoreError::Database { path: path.to_owned(), reason: error.to_string() }
}

/// Opens the file, creating it and its folder where they are not there.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let wrong = wrong(path);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| StoreError::Database { path: path.to_owned(), reason: error.to_string() })?;
    }
    let mut connection = connect(path)?;
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&wrong)?;
    if usize::try_from(found).is_ok_and(|found| found == STEPS.len()) {
        return Ok(connection);
    }
    connection.pragma_update(None, "journal_mode", "wal").map_err(&wrong)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&wrong)?;
    // Looked at again: another process may have been first.
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&wrong)?;
    let newer = || StoreError::Format { path: path.to_owned(), found };
    let done = usize::try_from(found).map_err(|_| newer())?;
    for step in STEPS.get(done..).ok_or_else(newer)? {
        transaction.execute_batch(step).map_err(&wrong)?;
    }
    let form = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    transaction.pragma_update(None, "user_version", form).map_err(&wrong)?;
    transaction.commit().map_err(&wrong)?;
    Ok(connection)
}

/// A further connection to a store that was opened before.
pub(super) fn connect(path: &Path) -> Result<Connection, StoreError> {
    let wrong = wrong(path);
    let connection = Connection::open(path).map_err(&wrong)?;
    // Another process may hold the file for as long as its disk takes.
    connection.busy_timeout(Duration::from_mins(1)).map_err(&wrong)?;
    // What a loss of power takes is computed again, from recorded replies.
    connection.pragma_update(None, "synchronous", "normal").map_err(&wrong)?;
    Ok(connection)
}
