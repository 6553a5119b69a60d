//! The tables of the record, and how the file is opened.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

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

/// Opens the file for reading alone: nothing is created, nothing is written, no lock is taken where nobody writes. A file
/// that is not there is an empty record.
pub(crate) fn open_reading(path: &Path) -> Result<Connection, RecordError> {
    let wrong = wrong(path);
    let other = |reason: String| RecordError::Database { path: path.to_owned(), reason };
    let whole = match std::fs::canonicalize(path) {
        Ok(whole) => whole,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let empty = Connection::open_in_memory().map_err(&wrong)?;
            empty.execute_batch(TABLES).and_then(|()| empty.execute_batch(PROGRAMS)).map_err(&wrong)?;
            return Ok(empty);
        }
        Err(error) => return Err(other(error.to_string())),
    };
    // A journal beside the file belongs to somebody who writes, or who was killed: it holds replies that the file does not.
    let mut journal = whole.clone().into_os_string();
    journal.push("-wal");
    let is_still = std::fs::metadata(&journal).map_or(true, |about| about.len() == 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = if is_still {
        Connection::open_with_flags(uri(&whole), flags)
    } else {
        Connection::open_with_flags(&whole, flags & !OpenFlags::SQLITE_OPEN_URI)
    };
    let connection = connection.map_err(&wrong)?;
    connection.busy_timeout(Duration::from_mins(1)).map_err(&wrong)?;
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&wrong)?;
    match found {
        FORMAT => {}
        0 => return Err(other("it is no record of replies".to_owned())),
        _ => return Err(RecordError::Format { path: path.to_owned(), found }),
    }
    let has: i64 = connection
        .query_row("SELECT count(*) FROM main.sqlite_master WHERE name = 'programs'", [], |row| row.get(0))
        .map_err(&wrong)?;
    if has == 0 {
        // Records of long ago have no programs; a view of this connection alone stands for them.
        let none = "PRAGMA temp_store = memory;
                    CREATE TEMP VIEW programs AS SELECT NULL AS key, 0 AS made, '' AS entry WHERE 0";
        connection.execute_batch(none).map_err(&wrong)?;
    }
    Ok(connection)
}

/// The address by which `SQLite` opens a file that nobody changes.
fn uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri.push_str("?immutable=1");
    uri
}

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
    let mut connection = crate::open_unfollowed(path).map_err(&wrong)?;
    // Another process may hold the file for as long as its disk takes.
    connection.busy_timeout(Duration::from_mins(1)).map_err(&wrong)?;
    crate::write_ahead(&connection).map_err(&wrong)?;
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
