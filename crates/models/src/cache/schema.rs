//! The tables of the record, and how the file is opened.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::error::CacheError;
use crate::sqlite::{ensure_plain_database, guard_connection, journal_path, open_immutable};

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

const TABLE_NAMES: [&str; 3] = ["replies", "leases", "programs"];

/// Which entries carry which owner tag; came later, and a reader that does not know it loses nothing.
const TAGGED: [&str; 2] = ["replies", "programs"];

fn has_tags(connection: &Connection, table: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = 'tag'";
    connection.query_row(sql, [table], |row| row.get::<_, i64>(0)).map(|count| count > 0)
}

fn add_tags(connection: &Connection) -> rusqlite::Result<()> {
    for table in TAGGED {
        if !has_tags(connection, table)? {
            connection.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN tag BLOB"))?;
        }
    }
    Ok(())
}

fn refuse_special_files(path: &Path) -> Result<(), CacheError> {
    ensure_plain_database(path).map_err(|(path, error)| CacheError::Database { path, reason: error.to_string() })
}

/// Opens the file for reading alone: nothing is created, nothing is written, no lock is taken where nobody writes. A file
/// that is not there is an empty record.
pub(crate) fn open_reading(path: &Path) -> Result<Connection, CacheError> {
    refuse_special_files(path)?;
    let wrong = database_error(path);
    let other = |reason: String| CacheError::Database { path: path.to_owned(), reason };
    let whole = match std::fs::canonicalize(path) {
        Ok(whole) => whole,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let empty = Connection::open_in_memory().map_err(&wrong)?;
            let made = empty.execute_batch(TABLES).and_then(|()| empty.execute_batch(PROGRAMS));
            made.and_then(|()| add_tags(&empty)).map_err(&wrong)?;
            return Ok(empty);
        }
        Err(error) => return Err(other(error.to_string())),
    };
    // A journal beside the file belongs to somebody who writes, or who was killed: it holds replies that the file does not.
    let is_still = std::fs::metadata(journal_path(&whole)).map_or(true, |about| about.len() == 0);
    let connection = if is_still {
        open_immutable(&whole)
    } else {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(&whole, flags).and_then(|mut connection| {
            guard_connection(&mut connection)?;
            Ok(connection)
        })
    };
    let connection = connection.map_err(&wrong)?;
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&wrong)?;
    match found {
        FORMAT => {}
        0 => return Err(other("it is no response cache".to_owned())),
        _ => return Err(CacheError::Format { path: path.to_owned(), found }),
    }
    check_schema(path, &connection)?;
    let has: i64 = connection
        .query_row("SELECT count(*) FROM main.sqlite_master WHERE name = 'programs'", [], |row| row.get(0))
        .map_err(&wrong)?;
    if has == 0 {
        // Records of long ago have no programs; a view of this connection alone stands for them.
        let none = "PRAGMA temp_store = memory;
                    CREATE TEMP VIEW programs AS SELECT NULL AS key, 0 AS made, '' AS entry, NULL AS tag WHERE 0";
        connection.execute_batch(none).map_err(&wrong)?;
    }
    // Those of release 0.3 have no tags; a view of this connection says so.
    for table in TAGGED.into_iter().filter(|table| has != 0 || *table != "programs") {
        if !has_tags(&connection, table).map_err(&wrong)? {
            let untagged = format!(
                "PRAGMA temp_store = memory; CREATE TEMP VIEW {table} AS SELECT *, NULL AS tag FROM main.{table}"
            );
            connection.execute_batch(&untagged).map_err(&wrong)?;
        }
    }
    Ok(connection)
}

/// Fails where a response cache holds anything but plain tables under the names that one has: a view, a trigger or a computed
/// column could do anything, and take for ever.
fn check_schema(path: &Path, connection: &Connection) -> Result<(), CacheError> {
    let wrong = database_error(path);
    let mut statement = connection
        .prepare(
            "SELECT type, name, coalesce(sql, '') FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
        )
        .map_err(&wrong)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).map_err(&wrong)?;
    let objects: Vec<(String, String, String)> = rows.collect::<Result<_, _>>().map_err(&wrong)?;
    for (kind, name, sql) in objects {
        let is_known = match kind.as_str() {
            "table" => {
                TABLE_NAMES.contains(&name.as_str()) && is_plain_table(connection, &name, &sql).map_err(&wrong)?
            }
            "index" => name == "replies_made" && sql.ends_with("ON replies (made)"),
            _ => false,
        };
        if !is_known {
            let reason = format!("it has a {kind} `{name}` that no response cache has");
            return Err(CacheError::Database { path: path.to_owned(), reason });
        }
    }
    Ok(())
}

/// Whether a table is stored as it is: no virtual one, and no column that is computed.
fn is_plain_table(connection: &Connection, name: &str, sql: &str) -> rusqlite::Result<bool> {
    let computed = "SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden != 0";
    let computed: i64 = connection.query_row(computed, [name], |row| row.get(0))?;
    Ok(computed == 0 && sql.starts_with("CREATE TABLE"))
}

/// Says in which file something went wrong.
pub(crate) fn database_error(path: &Path) -> impl Fn(rusqlite::Error) -> CacheError + '_ {
    move |error| CacheError::Database { path: path.to_owned(), reason: error.to_string() }
}

/// Opens the file, creating it and its folder where they are not there.
pub(crate) fn open(path: &Path) -> Result<Connection, CacheError> {
    refuse_special_files(path)?;
    let wrong = database_error(path);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| CacheError::Database { path: path.to_owned(), reason: error.to_string() })?;
    }
    let mut connection = crate::open_without_links(path).map_err(&wrong)?;
    crate::enable_wal(&connection).map_err(&wrong)?;
    // A reply that was paid for should survive the loss of power too.
    connection.pragma_update(None, "synchronous", "full").map_err(&wrong)?;
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).map_err(&wrong)?;
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&wrong)?;
    match found {
        FORMAT => check_schema(path, &transaction)?,
        0 => {
            transaction.execute_batch(TABLES).map_err(&wrong)?;
            transaction.pragma_update(None, "user_version", FORMAT).map_err(&wrong)?;
        }
        _ => return Err(CacheError::Format { path: path.to_owned(), found }),
    }
    transaction.execute_batch(PROGRAMS).and_then(|()| add_tags(&transaction)).map_err(&wrong)?;
    transaction.commit().map_err(&wrong)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_holds_nothing_but_what_caches_hold() {
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
        for (sql, word) in [
            (
                format!("DROP TABLE programs; CREATE VIEW programs AS {endless} SELECT x AS key FROM n;"),
                "view `programs`",
            ),
            (format!("CREATE VIEW more AS {endless} SELECT x FROM n;"), "view `more`"),
            ("CREATE TRIGGER t AFTER INSERT ON leases BEGIN DELETE FROM replies; END;".to_owned(), "trigger `t`"),
            ("ALTER TABLE replies ADD COLUMN z AS (length(entry));".to_owned(), "table `replies`"),
            ("CREATE INDEX i ON replies (abs(made));".to_owned(), "index `i`"),
            ("CREATE TABLE mine (x);".to_owned(), "table `mine`"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("cache.db");
            drop(open(&path).unwrap());
            assert!(open(&path).is_ok() && open_reading(&path).is_ok(), "one of ours");
            Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
            for opened in [open(&path), open_reading(&path)] {
                let error = opened.err().unwrap_or_else(|| panic!("it opens after {sql}")).to_string();
                assert!(error.contains(word), "{sql}: {error}");
            }
        }
    }
}
