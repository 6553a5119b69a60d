//! The tables of the record, and how the file is opened.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use super::RecordError;

/// Number of the form of the file.
pub(crate) const FORMAT: i64 = 1;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS replies (
    key BLOB PRIMARY KEY,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    made INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    entry TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS replies_made ON replies (made);
CREATE TABLE IF NOT EXISTS leases (
    key BLOB PRIMARY KEY,
    owner TEXT NOT NULL,
    expires INTEGER NOT NULL
);
";

/// Came later; a reader that does not know it loses nothing.
const PROGRAMS: &str = "
CREATE TABLE IF NOT EXISTS programs (
    key BLOB PRIMARY KEY,
    made INTEGER NOT NULL,
    entry TEXT NOT NULL
);
";

/// Says in which file something went wrong.
pub(crate) fn wrong(path: &Path) -> impl Fn(rusqlite::Error) -> RecordError + '_ {
    move |error| RecordError::Database { path: path.to_owned(), reason: error.to_string() }
}

/// Opens the file, creating it and its folder where they are not there.
pub(crate) fn open(path: &Path) -> Result<Connection, RecordError> {
    let wrong = wrong(path);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| RecordError::Database { path: path.to_owned(), reason: error.to_string() })?;
    }
    let mut connection = Connection::open(path).map_err(&wrong)?;
    // Another process may hold the file for as long as its disk takes.
    connection.busy_timeout(Duration::from_mins(1)).map_err(&wrong)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(&wrong)?;
    // A reply that was paid for should survive the loss of power too.
    connection.pragma_update(None, "synchronous", "full").map_err(&wrong)?;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(&wrong)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&wrong)?;
    match found {
        FORMAT => {}
        0 => {
            transaction.execute_batch(TABLES).map_err(&wrong)?;
            transaction.pragma_update(None, "user_version", FORMAT).map_err(&wrong)?;
        }
        _ => return Err(RecordError::Format { path: path.to_owned(), found }),
    }
    transaction.execute_batch(PROGRAMS).map_err(&wrong)?;
    transaction.commit().map_err(&wrong)?;
    Ok(connection)
}
