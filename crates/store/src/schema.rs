//! The tables of the store, how the file is opened, and how an older form becomes the present one.
//!
//! A store that may not be written is read where it is; one of an older form, or with a journal beside it, is copied and
//! the copy brought up to date, which is gone when nobody reads it any more.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probare_models::{ensure_plain_database, journal_path, open_immutable};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use tempfile::TempDir;

use super::checksum::{RowTally, TallyKey};
use super::error::database_error;
use super::{StoreError, StoreFault, collected, migrate, packing, spending};

/// Turns a form into the next one.
type Step = fn(&Transaction<'_>) -> Result<(), StoreFault>;

/// What turns each form into the next, in one transaction: the first makes the tables of an empty file. A form that was
/// released is never changed; what comes later is appended here, so that every store opens for ever.
const STEPS: &[Step] = &[
    |transaction| Ok(transaction.execute_batch(FORM_1)?),
    |transaction| {
        migrate::rename_old_tables(transaction)?;
        transaction.execute_batch(FORM_2)?;
        packing::insert_dictionary(transaction)?;
        TallyKey::Runs.write(transaction, &RowTally::default())?;
        migrate::copy_old_rows(transaction)
    },
    // The tables are those of the second form; bodies may hold the calls that a model answered with.
    |_| Ok(()),
    // What the calls of a run took, and those that are under way.
    |transaction| spending::create_table(transaction),
    // The prompt is part of the key of a sample.
    |transaction| migrate::add_prompts(transaction, SAMPLES_5),
    // Spans and log records of traces, which are scored when they are quiet.
    |transaction| Ok(transaction.execute_batch(collected::TABLES)?),
    // What a case asks and expects, as a number by which it is known in other runs.
    |transaction| Ok(migrate::ensure_columns(transaction)?),
];

const FORM_1: &str = "
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
";

/// `docs/design/store.md` tells why it is so. Columns `value_N` and `label_N` of samples are added with the metrics.
const FORM_2: &str = "
CREATE TABLE runs (
    run INTEGER PRIMARY KEY AUTOINCREMENT,
    plan TEXT NOT NULL,
    state TEXT NOT NULL,
    made INTEGER NOT NULL,
    rounds INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE dictionaries (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE names (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE metrics (run INTEGER NOT NULL, slot INTEGER NOT NULL, metric TEXT NOT NULL, PRIMARY KEY (run, slot))
    WITHOUT ROWID;
CREATE TABLE tallies (
    kind TEXT NOT NULL,
    run INTEGER NOT NULL,
    tally TEXT NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (kind, run)
) WITHOUT ROWID;
CREATE TABLE samples (
    sample INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    dataset INTEGER NOT NULL,
    id TEXT NOT NULL,
    occurrence INTEGER NOT NULL,
    model INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    place INTEGER NOT NULL,
    position INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    answered_by INTEGER,
    case_number INTEGER,
    status TEXT NOT NULL,
    tags TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost_usd REAL,
    latency_ms INTEGER,
    attempts INTEGER,
    checksum INTEGER NOT NULL,
    UNIQUE (run, id, occurrence, dataset, model, repeat)
);
CREATE INDEX samples_in_order ON samples (run, place, position, seat, repeat);
CREATE TABLE cases (number INTEGER PRIMARY KEY, packed BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE outputs (number INTEGER PRIMARY KEY, packed BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE bodies (number INTEGER PRIMARY KEY, packed BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE labels (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    run INTEGER NOT NULL,
    label TEXT NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE INDEX labels_of_run ON labels (run);
CREATE TRIGGER labels_stay BEFORE UPDATE ON labels BEGIN SELECT raise(ABORT, 'labels are added, not changed'); END;
";

/// The samples of the fifth form.
const SAMPLES_5: &str = "
CREATE TABLE samples (
    sample INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    dataset INTEGER NOT NULL,
    id TEXT NOT NULL,
    occurrence INTEGER NOT NULL,
    model INTEGER NOT NULL,
    prompt INTEGER NOT NULL DEFAULT 0,
    repeat INTEGER NOT NULL,
    place INTEGER NOT NULL,
    position INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    prompt_seat INTEGER NOT NULL DEFAULT 0,
    answered_by INTEGER,
    case_number INTEGER,
    status TEXT NOT NULL,
    tags TEXT,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost_usd REAL,
    latency_ms INTEGER,
    attempts INTEGER,
    checksum INTEGER NOT NULL,
    UNIQUE (run, id, occurrence, dataset, model, prompt, repeat)
);
";

/// Bytes of a page of a new store: bodies of two thousand bytes fill it well.
const PAGE: i64 = 8192;

/// What a copy is called, in a folder of its own.
const COPY: &str = "store.db";

/// How a file is reached.
#[derive(Debug, Clone)]
pub(super) enum Access {
    /// It is written and read.
    Written(PathBuf),
    /// It is read, and nobody else writes it.
    Read(PathBuf),
    /// A copy is read, since it may not be written and is of an older form or has a journal beside it.
    Copied(Arc<TempDir>),
}

impl Access {
    /// A further connection.
    pub fn connect(&self) -> Result<Connection, StoreError> {
        match self {
            Self::Written(path) => connect(path),
            Self::Copied(folder) => connect(&folder.path().join(COPY)),
            Self::Read(path) => connect_to_read(path),
        }
    }
}

fn refuse_special_files(path: &Path) -> Result<(), StoreError> {
    ensure_plain_database(path).map_err(|(path, error)| StoreError::Database { path, reason: error.to_string() })
}

/// Opens the file, creating it and its folder where they are not there.
pub(super) fn open(path: &Path) -> Result<(Access, Connection), StoreError> {
    refuse_special_files(path)?;
    let failed = |error: std::io::Error| StoreError::Database { path: path.to_owned(), reason: error.to_string() };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    match open_to_write(path) {
        Ok(connection) => Ok((Access::Written(path.to_owned()), connection)),
        Err((_, true)) if path.metadata().is_ok_and(|found| found.len() > 0) => open_to_read(path),
        Err((error, _)) => Err(error),
    }
}

/// Opens a file that exists, to look at it: one of an older form stays as it is, and a copy is brought up to date.
pub(super) fn open_existing(path: &Path) -> Result<(Access, Connection), StoreError> {
    refuse_special_files(path)?;
    let form = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    let connection = connect_to_read(path)?;
    let found = connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    drop(connection);
    match found {
        Ok(found) if (1..form).contains(&found) => open_copy(path, &journal_path(path)),
        _ => open(path),
    }
}

/// Opens a file that may be written; an error says whether it may not.
fn open_to_write(path: &Path) -> Result<Connection, (StoreError, bool)> {
    let told = database_error(path);
    let wrong = |error: rusqlite::Error| {
        let is_refused = matches!(error.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen));
        (told(error), is_refused)
    };
    let mut connection = connect(path).map_err(|error| (error, true))?;
    let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(wrong)?;
    if let Ok(form @ 1..) = usize::try_from(found) {
        check_schema(path, &connection, form).map_err(|error| (error, false))?;
    }
    if usize::try_from(found).is_ok_and(|found| found == STEPS.len()) {
        // Whether it can be locked and written at all is known only by trying.
        let is_read_only = connection.is_readonly("main").map_err(wrong)?;
        let refused = || StoreError::Database { path: path.to_owned(), reason: "it may not be written".to_owned() };
        return if is_read_only { Err((refused(), true)) } else { Ok(connection) };
    }
    if found == 0 {
        connection.pragma_update(None, "page_size", PAGE).map_err(wrong)?;
    }
    probare_models::enable_wal(&connection).map_err(wrong)?;
    let is_older = bring_up_to_date(path, &mut connection)
        .map_err(|error| (error, connection.is_readonly("main").unwrap_or_default()))?;
    if is_older {
        // The room that the older form took is given back; where somebody else is at work, it is used again later.
        let _ = connection.execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
    }
    Ok(connection)
}

/// Goes all steps that are left, at once or not at all; says whether there was something to take over.
fn bring_up_to_date(path: &Path, connection: &mut Connection) -> Result<bool, StoreError> {
    let wrong = database_error(path);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&wrong)?;
    // Looked at again: another process may have been first.
    let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(&wrong)?;
    let newer = || StoreError::Format { path: path.to_owned(), found };
    let done = usize::try_from(found).map_err(|_| newer())?;
    for step in STEPS.get(done..).ok_or_else(newer)? {
        step(&transaction).map_err(|fault| fault.in_store(path))?;
    }
    let form = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    transaction.pragma_update(None, "user_version", form).map_err(&wrong)?;
    transaction.commit().map_err(&wrong)?;
    Ok(found > 0 && done < STEPS.len())
}

/// Opens a file that may not be written.
fn open_to_read(path: &Path) -> Result<(Access, Connection), StoreError> {
    // A journal beside it belongs to it, and is taken in where that may be written.
    let journal = journal_path(path);
    if journal.metadata().is_ok_and(|found| found.len() > 0) {
        return open_copy(path, &journal);
    }
    let connection = connect_to_read(path)?;
    let found: i64 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(database_error(path))?;
    let form = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    if found == 0 {
        let reason = "nothing is in it yet, and it may not be written".to_owned();
        return Err(StoreError::Database { path: path.to_owned(), reason });
    }
    if found > form || found < 1 {
        return Err(StoreError::Format { path: path.to_owned(), found });
    }
    check_schema(path, &connection, usize::try_from(found).unwrap_or_default())?;
    if found == form {
        return Ok((Access::Read(path.to_owned()), connection));
    }
    drop(connection);
    open_copy(path, &journal)
}

/// Opens a copy of the file and of its journal, in a folder of its own.
#[expect(clippy::disallowed_methods, reason = "the copy of a database is a database's, not a report")]
fn open_copy(path: &Path, journal: &Path) -> Result<(Access, Connection), StoreError> {
    let failed = |error: std::io::Error| StoreError::Database { path: path.to_owned(), reason: error.to_string() };
    let folder = tempfile::tempdir().map_err(failed)?;
    let copy = folder.path().join(COPY);
    for (from, to) in [(path, copy.clone()), (journal, folder.path().join(format!("{COPY}-wal")))] {
        if !from.exists() {
            continue;
        }
        let mut file = std::fs::File::create_new(&to).map_err(failed)?;
        std::io::copy(&mut probare_files::open_plain(from).map_err(failed)?, &mut file).map_err(failed)?;
    }
    let connection = open_to_write(&copy).map_err(|(error, _)| error.about(path))?;
    Ok((Access::Copied(Arc::new(folder)), connection))
}

/// A further connection to a store that was opened before.
fn connect(path: &Path) -> Result<Connection, StoreError> {
    let wrong = database_error(path);
    let connection = probare_models::open_without_links(path).map_err(&wrong)?;
    // What a loss of power takes is computed again, from recorded replies.
    connection.pragma_update(None, "synchronous", "normal").map_err(&wrong)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// A connection that needs no file beside the store.
fn connect_to_read(path: &Path) -> Result<Connection, StoreError> {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    open_immutable(&whole).map_err(database_error(path))
}

/// Fails where a store holds anything but what this program makes in one of this form: a view, a trigger or a table of another
/// kind under one of its names could do anything, and take for ever.
fn check_schema(path: &Path, connection: &Connection, form: usize) -> Result<(), StoreError> {
    let damaged = |reason: String| StoreError::Damaged { path: path.to_owned(), reason };
    let Some(steps) = STEPS.get(..form) else {
        return Err(StoreError::Format { path: path.to_owned(), found: i64::try_from(form).unwrap_or(i64::MAX) });
    };
    let mut empty = Connection::open_in_memory().map_err(database_error(path))?;
    let transaction = empty.transaction().map_err(database_error(path))?;
    for step in steps {
        step(&transaction).map_err(|fault| fault.in_store(path))?;
    }
    let known = objects(&transaction).map_err(database_error(path))?;
    let found = objects(connection).map_err(database_error(path))?;
    for (name, (kind, text)) in &found {
        let is_known = known.get(name).is_some_and(|(known_kind, known)| {
            kind == known_kind && (text == known || name == "samples" && has_more_columns(text, known))
        });
        if !is_known {
            return Err(damaged(format!("it has a {kind} `{name}` that no store has")));
        }
    }
    match known.keys().find(|name| !found.contains_key(*name)) {
        Some(name) => Err(damaged(format!("it has no `{name}`"))),
        None => Ok(()),
    }
}

/// What a file holds by name, with its kind and the text that made it.
fn objects(connection: &Connection) -> rusqlite::Result<BTreeMap<String, (String, String)>> {
    // Names that begin so are SQLite's own: nobody can take them.
    let mut statement = connection.prepare(
        "SELECT name, type, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    rows.collect()
}

/// Whether a table is the known one with columns `value_N` and `label_N` among its own.
fn has_more_columns(text: &str, known: &str) -> bool {
    let is_own = |column: &&str| {
        let column = column.trim();
        let slot = column.strip_prefix("value_").and_then(|rest| rest.strip_suffix(" REAL"));
        let slot = slot.or_else(|| column.strip_prefix("label_").and_then(|rest| rest.strip_suffix(" TEXT")));
        !slot.is_some_and(|slot| !slot.is_empty() && slot.bytes().all(|byte| byte.is_ascii_digit()))
    };
    text.split(',').filter(is_own).eq(known.split(','))
}
