//! The record as a file for others: list, export, import, prune. A cassette is JSON lines, one reply or one program's end a
//! line, without keys of services, since none ever enters the record.

use std::io::{BufRead, Write};
use std::path::Path;

use rusqlite::{TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::ownership::for_each_entry;
use super::program_entry::{ProgramEntry, insert as insert_program};
use super::schema::{database_error, open, open_reading};
use super::writer::insert;
use super::{CacheEntry, CacheError, CacheFile, CacheKey, EntryKind, Ownership};

/// Number of the form of a line.
const FORMAT: u32 = 1;

/// Longest line that is read.
const LONGEST_LINE: u64 = 256 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CassetteLine {
    format: u32,
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entry: Option<CacheEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<ProgramEntry>,
}

/// One model in the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CachedModel {
    pub provider: String,
    /// Its name there.
    pub model: String,
    pub replies: u64,
    /// Tokens sent for them.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// The newest, in seconds since 1970.
    pub newest: u64,
}

/// What an import came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Replies that are new in the record.
    pub added: u64,
    /// Replies whose request was recorded before; the earlier reply stays.
    pub known: u64,
}

/// Which replies go.
#[derive(Debug, Clone, Default)]
pub struct PruneFilter {
    /// Those made before this moment, in seconds since 1970.
    pub before: Option<u64>,
    /// Those of this model, as the provider calls it.
    pub model: Option<String>,
}

/// What the record holds, by provider and model.
pub fn list_cached_models(path: &Path) -> Result<Vec<CachedModel>, CacheError> {
    let connection = open_reading(path)?;
    let wrong = database_error(path);
    let mut statement = connection
        .prepare(
            "SELECT provider, model, count(*), sum(input_tokens), sum(output_tokens), max(made) FROM replies
             GROUP BY provider, model ORDER BY provider, model",
        )
        .map_err(&wrong)?;
    let count = |row: &rusqlite::Row<'_>, at| row.get::<_, i64>(at).map(i64::unsigned_abs);
    let rows = statement
        .query_map([], |row| {
            Ok(CachedModel {
                provider: row.get(0)?,
                model: row.get(1)?,
                replies: count(row, 2)?,
                input_tokens: count(row, 3)?,
                output_tokens: count(row, 4)?,
                newest: count(row, 5)?,
            })
        })
        .map_err(&wrong)?;
    rows.collect::<Result<_, _>>().map_err(&wrong)
}

/// The replies that count and whose request and reply hold all of these texts, the oldest first and at most so many. A text may
/// stand anywhere, so every reply of the record is looked at. What cannot be read any more is passed over.
pub fn find_entries_containing(cache: &CacheFile, texts: &[&str], most: usize) -> Result<Vec<CacheEntry>, CacheError> {
    let path = &cache.path;
    let ownership = Ownership::open(cache, false)?;
    let connection = open_reading(path)?;
    let wrong = database_error(path);
    // As they stand inside a text of JSON.
    let inside = |text: &&str| serde_json::to_string(text).map(|quoted| quoted[1..quoted.len() - 1].to_owned());
    let needles: Vec<String> = texts
        .iter()
        .map(inside)
        .collect::<Result<_, _>>()
        .map_err(|error| CacheError::Database { path: path.to_owned(), reason: error.to_string() })?;
    let holds: Vec<String> = (1..=needles.len()).map(|number| format!("instr(entry, ?{number}) > 0")).collect();
    let holds = if holds.is_empty() { "1".to_owned() } else { holds.join(" AND ") };
    let mut statement = connection
        .prepare(&format!("SELECT key, entry, tag FROM replies WHERE {holds} ORDER BY made, key"))
        .map_err(&wrong)?;
    let mut rows = statement.query(rusqlite::params_from_iter(needles)).map_err(&wrong)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(&wrong)?.filter(|_| found.len() < most) {
        let read = || Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<Vec<u8>>>(2)?));
        let (key, text, tag) = read().map_err(&wrong)?;
        if ownership.accepts(EntryKind::Reply, &key, &text, tag.as_deref()) {
            found.extend(serde_json::from_str::<CacheEntry>(&text));
        }
    }
    Ok(found)
}

/// What an export wrote.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportCounts {
    /// Entries that were written.
    pub written: u64,
    /// Entries that were left out, since they carry no owner tag of this user and the cache was found, not named.
    pub ignored: u64,
}

/// Writes the entries that count as JSON lines, in the order of the keys, so that the same record gives the same bytes.
pub fn export_cache(cache: &CacheFile, out: &mut dyn Write) -> Result<ExportCounts, CacheError> {
    let path = &cache.path;
    let ownership = Ownership::open(cache, false)?;
    let connection = open_reading(path)?;
    let other = |reason: String| CacheError::Database { path: path.to_owned(), reason };
    let mut exported = ExportCounts::default();
    for kind in [EntryKind::Reply, EntryKind::Program] {
        let mut failed = None;
        for_each_entry(&connection, kind, |key, text, tag| {
            if !ownership.accepts(kind, key, text, tag) {
                exported.ignored += 1;
                return;
            }
            if failed.is_none() {
                failed = line_of(kind, text).and_then(|line| write_line(out, &line)).err();
                exported.written += 1;
            }
        })
        .map_err(database_error(path))?;
        if let Some(reason) = failed {
            return Err(other(reason));
        }
    }
    out.flush().map_err(|error| other(error.to_string()))?;
    Ok(exported)
}

fn line_of(kind: EntryKind, text: &str) -> Result<CassetteLine, String> {
    let (mut entry, mut program) = (None, None);
    let key = match kind {
        EntryKind::Reply => {
            let read: CacheEntry = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let key = CacheKey::from_request(&read.request);
            entry = Some(read);
            key
        }
        EntryKind::Program => {
            let read: ProgramEntry = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let key = CacheKey::from_program(&read.program);
            program = Some(read);
            key
        }
    };
    Ok(CassetteLine { format: FORMAT, key: key.to_string(), entry, program })
}

fn write_line(out: &mut dyn Write, line: &CassetteLine) -> Result<(), String> {
    serde_json::to_writer(&mut *out, line).map_err(|error| error.to_string())?;
    out.write_all(b"\n").map_err(|error| error.to_string())
}

/// The replies of a cassette. Every key is computed again from its request.
pub fn read_cassette(input: &mut dyn BufRead) -> Result<Vec<(CacheKey, CacheEntry)>, CacheError> {
    let lines = read_lines(input)?;
    Ok(lines.into_iter().filter_map(|(key, entry, _)| entry.map(|entry| (key, entry))).collect())
}

/// A line: a reply or a program's end.
type ParsedLine = (CacheKey, Option<CacheEntry>, Option<ProgramEntry>);

/// Reads a cassette line by line.
pub(super) fn read_lines(input: &mut dyn BufRead) -> Result<Vec<ParsedLine>, CacheError> {
    let mut found = Vec::new();
    let mut line = 0;
    loop {
        line += 1;
        let wrong = |reason: String| CacheError::Cassette { line, reason };
        let mut bytes = Vec::new();
        let read = std::io::Read::take(&mut *input, LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| wrong(error.to_string()))?;
        if read == 0 {
            return Ok(found);
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let parsed: CassetteLine = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if parsed.format != FORMAT {
            return Err(wrong(format!("format {} is not known, only format {FORMAT}", parsed.format)));
        }
        let (what, key) = match (&parsed.entry, &parsed.program) {
            (Some(entry), None) => ("request", CacheKey::from_request(&entry.request)),
            (None, Some(entry)) => ("program", CacheKey::from_program(&entry.program)),
            _ => return Err(wrong("a line holds an `entry` or a `program`".to_owned())),
        };
        if key.to_string() != parsed.key {
            return Err(wrong(format!("the {what} has the key {}, the line says `{}`", key.short(), parsed.key)));
        }
        found.push((key, parsed.entry, parsed.program));
    }
}

/// Adds the replies of a cassette that the user names, all or none, with the user's tag. A reply that was recorded before and
/// counts stays.
pub fn import_cassette(path: &Path, input: &mut dyn BufRead) -> Result<ImportCounts, CacheError> {
    let entries = read_lines(input)?;
    let ownership = Ownership::for_user()?;
    let mut connection = open(path)?;
    let wrong = database_error(path);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&wrong)?;
    let mut imported = ImportCounts::default();
    for (key, entry, program) in &entries {
        let is_new = match (entry, program) {
            (Some(entry), _) => insert(&transaction, &ownership, *key, entry),
            (None, Some(program)) => insert_program(&transaction, &ownership, program),
            (None, None) => Ok(false),
        };
        if is_new.map_err(&wrong)? {
            imported.added += 1;
        } else {
            imported.known += 1;
        }
    }
    transaction.commit().map_err(&wrong)?;
    Ok(imported)
}

/// Removes replies and gives the space back; says how many went. With nothing named nothing goes.
pub fn prune_cache(path: &Path, old: &PruneFilter) -> Result<u64, CacheError> {
    if old.before.is_none() && old.model.is_none() {
        return Ok(0);
    }
    let connection = open(path)?;
    let wrong = database_error(path);
    let before = old.before.map_or(i64::MAX, |moment| i64::try_from(moment).unwrap_or(i64::MAX));
    // Programs have no model; they go by their age.
    let programs = if old.model.is_none() {
        connection.execute("DELETE FROM programs WHERE made < ?1", params![before]).map_err(&wrong)?
    } else {
        0
    };
    let removed = programs
        + connection
            .execute("DELETE FROM replies WHERE made < ?1 AND (?2 IS NULL OR model = ?2)", params![before, old.model])
            .map_err(&wrong)?;
    connection.execute_batch("VACUUM").map_err(&wrong)?;
    Ok(removed as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;
    use crate::dialects::tests_support::request;
    use probare_core::ModelReply;

    fn entry(repeat: u32) -> CacheEntry {
        let request = crate::ModelRequest { repeat, ..request(Provider::OpenAi) };
        CacheEntry {
            sent: Some("{}".into()),
            cost_usd: Some(0.001),
            latency_ms: 5,
            made: 1000 + u64::from(repeat),
            ..CacheEntry::new(request, ModelReply::text(format!("reply {repeat}\n\"quoted\"")))
        }
    }

    fn filled(folder: &Path, count: u32) -> std::path::PathBuf {
        let path = folder.join("sub/replies.db");
        let connection = open(&path).unwrap();
        let owner = Ownership::open(&CacheFile::named(&path), false).unwrap();
        for repeat in 0..count {
            let entry = entry(repeat);
            assert!(insert(&connection, &owner, CacheKey::from_request(&entry.request), &entry).unwrap());
        }
        path
    }

    fn exported(path: &Path, text: &mut Vec<u8>) -> u64 {
        export_cache(&CacheFile::named(path), text).unwrap().written
    }

    #[test]
    fn a_cassette_brings_every_reply_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(folder.path(), 7);
        let mut text = Vec::new();
        assert_eq!(exported(&path, &mut text), 7);
        let other = folder.path().join("other.db");
        assert_eq!(import_cassette(&other, &mut text.as_slice()).unwrap(), ImportCounts { added: 7, known: 0 });
        assert_eq!(import_cassette(&other, &mut text.as_slice()).unwrap(), ImportCounts { added: 0, known: 7 });
        let mut again = Vec::new();
        exported(&other, &mut again);
        assert_eq!(text, again);
        assert_eq!(list_cached_models(&other).unwrap()[0].replies, 7);
    }

    #[test]
    fn a_changed_line_is_named_and_nothing_is_imported() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(folder.path(), 3);
        let mut text = Vec::new();
        exported(&path, &mut text);
        let changed = String::from_utf8(text).unwrap().replacen("Why?", "Why not?", 1);
        let other = folder.path().join("other.db");
        let error = import_cassette(&other, &mut changed.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("line 1"), "{error}");
        let error = import_cassette(&other, &mut &b"\n{}\n"[..]).unwrap_err();
        assert!(error.to_string().starts_with("line 2"), "{error}");
        assert!(list_cached_models(&other).unwrap().is_empty());
    }

    #[test]
    fn pruning_removes_what_is_named_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(folder.path(), 10);
        assert_eq!(prune_cache(&path, &PruneFilter::default()).unwrap(), 0);
        assert_eq!(prune_cache(&path, &PruneFilter { before: Some(1004), model: Some("other".into()) }).unwrap(), 0);
        assert_eq!(prune_cache(&path, &PruneFilter { before: Some(1004), model: None }).unwrap(), 4);
        assert_eq!(prune_cache(&path, &PruneFilter { before: None, model: Some("m".into()) }).unwrap(), 6);
    }

    #[test]
    fn a_file_of_another_format_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(folder.path(), 1);
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", 9).unwrap();
        assert!(matches!(list_cached_models(&path), Err(CacheError::Format { found: 9, .. })));
        let text = folder.path().join("text.db");
        #[expect(clippy::disallowed_methods, reason = "a test makes a file that is no database")]
        std::fs::write(&text, "this is not a database, although it is long enough to be one".repeat(40)).unwrap();
        assert!(matches!(list_cached_models(&text), Err(CacheError::Database { .. })));
    }
}
