//! [`WorkingState`]: the copy of the seed in which the tools of one sample run, and what is found there afterwards.
//!
//! Whatever lies there at the end was written by programs that nobody trusts: files are opened without following links and up
//! to a size, a database without functions of its own.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use probare_core::Sha256;
use probare_files::read_plain;
use probare_metrics::agents::end_state::{FileCondition, StateCondition, StateFinding, TableCondition};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, params_from_iter};
use serde_json::{Map, Value as Json};
use tempfile::TempDir;

/// Bytes of the largest file of a state that is looked at.
const LARGEST_FILE: u64 = 4 << 20;
/// Files of the largest state.
const MOST_FILES: usize = 10_000;
/// Rows of a finding; all are counted.
const MOST_ROWS: usize = 100;
/// Rows of a table that are compared with the seed.
const MOST_COMPARED: usize = 200_000;
/// Differences that are told.
const MOST_CHANGES: usize = 20;
/// How every database of `SQLite` begins.
const DATABASE: &[u8] = b"SQLite format 3\0";

/// A folder or a file from which every sample begins.
#[derive(Debug, Clone)]
pub(super) struct Seed {
    path: PathBuf,
    /// SHA-256 of all of it.
    pub digest: String,
}

impl Seed {
    /// Looks at a seed.
    pub fn open(path: &str) -> Result<Self, String> {
        let path = PathBuf::from(path);
        let wrong = |error: io::Error| format!("`agent.state.seed`: `{}` cannot be read: {error}", path.display());
        let digest = if path.is_dir() {
            probare_sandbox::folder_digest(&path).map_err(wrong)?
        } else {
            probare_files::file_digest(&path).map_err(wrong)?.sha256
        };
        Ok(Self { path, digest })
    }

    /// Whether what a case expects can be found at all: a table or column that is misspelt is no agent's fault.
    pub fn check(&self, conditions: &[StateCondition]) -> Result<(), String> {
        for (number, condition) in conditions.iter().enumerate() {
            let StateCondition::Table(table) = condition else { continue };
            let wrong = |reason: String| format!("`expected_state`, condition {}: {reason}", number + 1);
            let name = database_name(Some(self), table.file.as_deref()).map_err(wrong)?;
            let path = if self.path.is_dir() { self.path.join(name) } else { self.path.clone() };
            // A database that is not there may be one that a tool makes.
            if is_database(&path) {
                check_columns(&open_seed(&path).map_err(wrong)?, table).map_err(wrong)?;
            }
        }
        Ok(())
    }
}

/// The name of the database of a condition: the one that is named, or the one file of the seed.
fn database_name(seed: Option<&Seed>, named: Option<&str>) -> Result<String, String> {
    let file = seed.filter(|seed| seed.path.is_file()).and_then(|seed| seed.path.file_name());
    let name = named.map(str::to_owned).or_else(|| file.map(|name| name.to_string_lossy().into_owned()));
    name.ok_or_else(|| "it does not say which database it is about (`in`)".to_owned())
}

/// The columns of a table, which has all that a condition names.
fn check_columns(connection: &Connection, condition: &TableCondition) -> Result<Vec<String>, String> {
    let table = &condition.table;
    let columns = columns(connection, table)?;
    let named = condition.rows.iter().flatten().flat_map(|row| row.keys()).chain(condition.filter.keys());
    match named.into_iter().find(|name| !columns.contains(name)) {
        Some(name) => Err(format!("table `{table}` has no column `{name}`; its columns are {}", columns.join(", "))),
        None => Ok(columns),
    }
}

/// The state of one sample. It goes when it is dropped.
pub(super) struct WorkingState {
    folder: TempDir,
    seed: Option<Seed>,
}

impl WorkingState {
    /// A fresh copy of the seed; an empty folder where there is none.
    pub fn from_seed(seed: Option<&Seed>) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("probare-agent-").tempdir()?;
        // Programs run as nobody, who has to get there; its name is nobody's to guess.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711))?;
        let state = Self { folder, seed: seed.cloned() };
        make_folder(&state.path())?;
        if let Some(Seed { path, .. }) = seed {
            if path.is_dir() {
                copy_folder(path, &state.path())?;
            } else {
                copy_file(path, &state.path().join(path.file_name().unwrap_or_default()))?;
            }
        }
        Ok(state)
    }

    /// The folder in which tools run.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// What is found for each condition.
    pub fn findings(&self, conditions: &[StateCondition]) -> Vec<StateFinding> {
        conditions.iter().map(|condition| self.finding(condition, conditions)).collect()
    }

    fn finding(&self, condition: &StateCondition, all: &[StateCondition]) -> StateFinding {
        let found = match condition {
            StateCondition::Table(table) => self.rows(table),
            StateCondition::File(file) => self.file(file),
            StateCondition::Unchanged => self.changes(all).map(StateFinding::Changes),
        };
        found.unwrap_or_else(StateFinding::Absent)
    }

    /// A file of the state that is no link out of it.
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let path = self.path().join(name);
        if fs::symlink_metadata(&path).is_err() {
            return Err("it is not there".to_owned());
        }
        if !probare_files::is_below(&self.path(), &path) {
            return Err("it lies outside of the state".to_owned());
        }
        read_plain(&path, LARGEST_FILE).map_err(|error| format!("it cannot be read: {error}"))
    }

    fn file(&self, condition: &FileCondition) -> Result<StateFinding, String> {
        let bytes = self.read(&condition.file)?;
        if condition.json.is_none() {
            return Ok(StateFinding::Text(String::from_utf8_lossy(&bytes).into_owned()));
        }
        let value: Json = serde_json::from_slice(&bytes).map_err(|error| format!("it is not JSON: {error}"))?;
        let at = condition.at.as_deref().unwrap_or_default();
        let found = value.pointer(at).cloned().ok_or_else(|| format!("it has nothing at `{at}`"))?;
        Ok(StateFinding::Json(found))
    }

    fn database(&self, name: &str) -> Result<Connection, String> {
        let path = self.path().join(name);
        if !probare_files::is_below(&self.path(), &path) || !path.is_file() {
            return Err(format!("there is no database `{name}`"));
        }
        open_database(&path)
    }

    fn rows(&self, condition: &TableCondition) -> Result<StateFinding, String> {
        let connection = self.database(&database_name(self.seed.as_ref(), condition.file.as_deref())?)?;
        let table = &condition.table;
        let columns = check_columns(&connection, condition)?;
        let wanted: Vec<&String> = match &condition.rows {
            Some(rows) => columns.iter().filter(|name| rows.iter().any(|row| row.contains_key(*name))).collect(),
            None => Vec::new(),
        };
        let (filter, values) = filter_clause(&condition.filter);
        let selected = columns_clause(wanted.iter().map(|name| name.as_str()));
        let query = format!("SELECT {selected} FROM {}{filter}", quoted(table));
        let wrong = |error: rusqlite::Error| format!("table `{table}` cannot be read: {error}");
        let mut statement = connection.prepare(&query).map_err(wrong)?;
        let mut found = statement.query(params_from_iter(values)).map_err(wrong)?;
        let (mut count, mut rows) = (0, Vec::new());
        while let Some(row) = found.next().map_err(wrong)? {
            count += 1;
            if rows.len() < MOST_ROWS && !wanted.is_empty() {
                let value = |at: usize| row.get_ref(at).map(to_json).map_err(wrong);
                let pairs = wanted.iter().enumerate().map(|(at, name)| Ok(((*name).clone(), value(at)?)));
                rows.push(pairs.collect::<Result<Map<_, _>, String>>()?);
            }
        }
        Ok(StateFinding::Rows { count, rows })
    }

    /// What is different from the seed, beside what other conditions are about.
    fn changes(&self, conditions: &[StateCondition]) -> Result<Vec<String>, String> {
        let Some(Seed { path: seed, .. }) = &self.seed else {
            return Err("there is no seed to compare with (`agent.state.seed`)".to_owned());
        };
        let before = if seed.is_dir() {
            list_files(seed)?
        } else {
            let name = seed.file_name().unwrap_or_default().to_string_lossy().into_owned();
            BTreeMap::from([(name, seed.clone())])
        };
        let after = list_files(&self.path())?;
        let is_named = |name: &str| {
            conditions.iter().any(|other| matches!(other, StateCondition::File(file) if file.file == name))
        };
        let mut changes = Vec::new();
        let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for name in names {
            // What SQLite keeps beside a database.
            let is_journal = ["-wal", "-shm", "-journal"]
                .iter()
                .any(|end| name.strip_suffix(end).is_some_and(|base| after.contains_key(base)));
            if is_named(name) || is_journal {
                continue;
            }
            match (before.get(name), after.get(name)) {
                (Some(one), Some(other)) if is_database(one) && is_database(other) => {
                    let about = conditions.iter().filter_map(|other| match other {
                        StateCondition::Table(table) => {
                            let own = database_name(self.seed.as_ref(), table.file.as_deref()).ok()?;
                            (own == *name).then_some(table)
                        }
                        _ => None,
                    });
                    changes.extend(database_changes(one, other, &about.collect::<Vec<_>>())?);
                }
                (Some(one), Some(other)) => {
                    let digest = |path: &Path| probare_files::file_digest(path).map(|found| found.sha256);
                    if digest(one).ok() != digest(other).ok() {
                        changes.push(format!("file `{name}` is another"));
                    }
                }
                (None, Some(_)) => changes.push(format!("file `{name}` is new")),
                (Some(_), None) => changes.push(format!("file `{name}` is gone")),
                (None, None) => {}
            }
        }
        let more = changes.len().saturating_sub(MOST_CHANGES);
        changes.truncate(MOST_CHANGES);
        if more > 0 {
            changes.push(format!("{more} more"));
        }
        Ok(changes)
    }
}

#[expect(clippy::disallowed_methods, reason = "the files of a sample are no files of ours: they go when it has ended")]
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    probare_files::ensure_plain(from)?;
    fs::copy(from, to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o666))
}

fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o777))
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            make_folder(&target)?;
            copy_folder(&entry.path(), &target)?;
        } else {
            copy_file(&entry.path(), &target)?;
        }
    }
    Ok(())
}

/// The files below a folder, by their names from there. Links are none.
fn list_files(folder: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let wrong = |error: io::Error| format!("the state cannot be read: {error}");
    let (mut found, mut left) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(&next).map_err(wrong)? {
            let entry = entry.map_err(wrong)?;
            let kind = entry.file_type().map_err(wrong)?;
            if kind.is_dir() {
                left.push(entry.path());
                continue;
            }
            let name = entry.path().strip_prefix(folder).unwrap_or(&entry.path()).display().to_string();
            found.insert(name, entry.path());
            if found.len() > MOST_FILES {
                return Err(format!("the state has more than {MOST_FILES} files"));
            }
        }
    }
    Ok(found)
}

fn is_database(path: &Path) -> bool {
    let mut start = [0; 16];
    probare_files::open_plain(path)
        .is_ok_and(|mut file| io::Read::read_exact(&mut file, &mut start).is_ok() && start == *DATABASE)
}

fn open_database(path: &Path) -> Result<Connection, String> {
    let wrong = |error: rusqlite::Error| format!("the database cannot be opened: {error}");
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let path = path.canonicalize().map_err(|error| format!("the database cannot be opened: {error}"))?;
    let mut connection = Connection::open_with_flags(path, flags).map_err(wrong)?;
    probare_models::guard_connection(&mut connection).map_err(wrong)?;
    connection.pragma_update(None, "query_only", true).map_err(wrong)?;
    Ok(connection)
}

fn columns(connection: &Connection, table: &str) -> Result<Vec<String>, String> {
    let wrong = |error: rusqlite::Error| format!("table `{table}` cannot be read: {error}");
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)").map_err(wrong)?;
    let names = statement.query_map([table], |row| row.get(0)).map_err(wrong)?;
    let names: Vec<String> = names.collect::<Result<_, _>>().map_err(wrong)?;
    if names.is_empty() { Err(format!("there is no table `{table}`")) } else { Ok(names) }
}

/// A name as SQL writes it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn columns_clause<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(quoted).collect();
    if names.is_empty() { "1".to_owned() } else { names.join(", ") }
}

/// The condition of a query, and the values in it.
fn filter_clause(filter: &Map<String, Json>) -> (String, Vec<Value>) {
    let (mut parts, mut values) = (Vec::new(), Vec::new());
    for (column, value) in filter {
        values.push(match value {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Integer(i64::from(*value)),
            Json::Number(number) => {
                number.as_i64().map_or_else(|| Value::Real(number.as_f64().unwrap_or_default()), Value::Integer)
            }
            Json::String(text) => Value::Text(text.clone()),
            other => Value::Text(other.to_string()),
        });
        // `IS` is true for two nulls.
        parts.push(format!("{} IS ?{}", quoted(column), values.len()));
    }
    if parts.is_empty() { (String::new(), values) } else { (format!(" WHERE {}", parts.join(" AND ")), values) }
}

fn to_json(value: ValueRef<'_>) -> Json {
    match value {
        ValueRef::Null => Json::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().into(),
        ValueRef::Blob(bytes) => format!("{} bytes, SHA-256 {}", bytes.len(), Sha256::hex_digest(bytes)).into(),
    }
}

/// Rows of a table with how often each is there, without those that conditions are about.
fn counted_rows(
    connection: &Connection,
    table: &str,
    about: &[&TableCondition],
) -> Result<BTreeMap<String, i64>, String> {
    let wrong = |error: rusqlite::Error| format!("table `{table}` cannot be read: {error}");
    let columns = columns(connection, table)?;
    let mut statement = connection
        .prepare(&format!("SELECT {} FROM {}", columns_clause(columns.iter().map(String::as_str)), quoted(table)))
        .map_err(wrong)?;
    let mut found = statement.query([]).map_err(wrong)?;
    let (mut rows, mut count) = (BTreeMap::new(), 0);
    while let Some(row) = found.next().map_err(wrong)? {
        count += 1;
        if count > MOST_COMPARED {
            return Err(format!("table `{table}` has more than {MOST_COMPARED} rows, too many to compare"));
        }
        let pairs =
            columns.iter().enumerate().map(|(at, name)| Ok((name.clone(), to_json(row.get_ref(at).map_err(wrong)?))));
        let row = pairs.collect::<Result<Map<_, _>, String>>()?;
        let is_expected = about.iter().any(|condition| {
            condition.table == table && condition.filter.iter().all(|(column, value)| row.get(column) == Some(value))
        });
        if !is_expected {
            *rows.entry(Json::Object(row).to_string()).or_default() += 1;
        }
    }
    Ok(rows)
}

fn tables(connection: &Connection) -> Result<Vec<String>, String> {
    let wrong = |error: rusqlite::Error| format!("the database cannot be read: {error}");
    let mut statement = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
        .map_err(wrong)?;
    let names = statement.query_map([], |row| row.get(0)).map_err(wrong)?;
    names.collect::<Result<_, _>>().map_err(wrong)
}

fn database_changes(before: &Path, after: &Path, about: &[&TableCondition]) -> Result<Vec<String>, String> {
    let (before, after) = (open_seed(before)?, open_database(after)?);
    let (old, new) = (tables(&before)?, tables(&after)?);
    let mut changes: Vec<String> =
        old.iter().filter(|table| !new.contains(table)).map(|table| format!("table `{table}` is gone")).collect();
    for table in new {
        if !old.contains(&table) {
            changes.push(format!("table `{table}` is new"));
            continue;
        }
        let mut rows = counted_rows(&after, &table, about)?;
        for (row, count) in counted_rows(&before, &table, about)? {
            *rows.entry(row).or_default() -= count;
        }
        for (row, count) in rows.into_iter().filter(|(_, count)| *count != 0) {
            changes.push(format!("{table}: {} {row}", if count > 0 { "added" } else { "removed" }));
        }
    }
    Ok(changes)
}

/// The seed itself is the user's, and is only read.
fn open_seed(path: &Path) -> Result<Connection, String> {
    let wrong = |error: rusqlite::Error| format!("the seed cannot be opened: {error}");
    let mut connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(wrong)?;
    probare_models::guard_connection(&mut connection).map_err(wrong)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use probare_metrics::agents::end_state::state_conditions;

    fn conditions(list: Json) -> Vec<StateCondition> {
        state_conditions(&Map::from_iter([("expected_state".to_owned(), list)])).unwrap().unwrap()
    }

    fn shop(folder: &Path) -> Seed {
        let path = folder.join("shop.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("CREATE TABLE orders (id INTEGER, status TEXT, total REAL); INSERT INTO orders VALUES (1, 'paid', 9.5), (2, 'paid', 3); CREATE TABLE refunds (order_id INTEGER);")
            .unwrap();
        drop(connection);
        Seed::open(&path.display().to_string()).unwrap()
    }

    #[test]
    fn rows_files_and_everything_else_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let state = WorkingState::from_seed(Some(&shop(folder.path()))).unwrap();
        let list = conditions(json!([
            {"table": "orders", "where": {"id": 1}, "rows": [{"status": "cancelled"}]},
            {"table": "refunds", "count": 0},
            {"unchanged": true},
            {"table": "orders", "where": {"colour": 1}, "count": 0},
            {"file": "note.txt", "exists": false},
        ]));
        let held = |state: &WorkingState| {
            let found = state.findings(&list);
            list.iter().zip(&found).map(|(one, found)| one.mismatch(found)).collect::<Vec<_>>()
        };
        let before = held(&state);
        assert!(before[0].as_ref().unwrap().contains("in place of it: {\"status\":\"paid\"}"), "{before:?}");
        assert_eq!((&before[1], &before[2], &before[4]), (&None, &None, &None));
        assert!(before[3].as_ref().unwrap().contains("no column `colour`; its columns are id, status, total"));
        let connection = Connection::open(state.path().join("shop.db")).unwrap();
        connection.execute_batch("UPDATE orders SET status = 'cancelled'; INSERT INTO refunds VALUES (1)").unwrap();
        drop(connection);
        fs::write(state.path().join("note.txt"), "x").unwrap();
        let after = held(&state);
        assert_eq!(after[0], None);
        assert_eq!(after[1].as_deref(), Some("1 row, not 0"));
        let rest = after[2].as_ref().unwrap();
        assert!(rest.contains("added {\"id\":2,\"status\":\"cancelled\"") && !rest.contains("\"id\":1"), "{rest}");
        assert!(!rest.contains("refunds") && !rest.contains("note.txt"), "other conditions are about them: {rest}");
        assert_eq!(after[4].as_deref(), Some("it is there"));
        let seed = state.seed.as_ref().unwrap();
        let told = seed.check(&list).unwrap_err();
        assert!(told.starts_with("`expected_state`, condition 4: table `orders` has no column `colour`"), "{told}");
        assert_eq!(seed.check(&list[..3]), Ok(()));
        assert!(
            seed.check(&conditions(json!({"table": "ordres", "count": 1}))).unwrap_err().contains("no table `ordres`")
        );
    }

    #[test]
    fn links_out_of_the_state_are_not_followed() {
        let state = WorkingState::from_seed(None).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", state.path().join("note.txt")).unwrap();
        std::os::unix::fs::symlink("/etc", state.path().join("etc")).unwrap();
        let list = conditions(
            json!([{"file": "note.txt", "text": ""}, {"file": "etc/hostname", "text": ""}, {"file": "../x", "text": ""}]),
        );
        for found in state.findings(&list) {
            assert!(matches!(found, StateFinding::Absent(_)), "{found:?}");
        }
    }
}
