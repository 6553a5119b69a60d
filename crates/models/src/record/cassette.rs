//! The record as a file for others: list, export, import, prune. A cassette is JSON lines, one reply or one program's end a
//! line, without keys of services, since none ever enters the record.

use std::io::{BufRead, Write};
use std::path::Path;

use rusqlite::{TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::keeper::insert;
use super::programs::{RanEntry, insert as insert_program};
use super::schema::{open, open_reading, wrong};
use super::{Entry, Key, RecordError};

/// Number of the form of a line.
const FORMAT: u32 = 1;

/// Longest line that is read.
const LONGEST_LINE: u64 = 256 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    format: u32,
    key: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    entry: Option<Entry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<RanEntry>,
}

/// One model in the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Its provider.
    pub provider: String,
    /// Its name there.
    pub model: String,
    /// Replies.
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
pub struct Imported {
    /// Replies that are new in the record.
    pub added: u64,
    /// Replies whose request was recorded before; the earlier reply stays.
    pub known: u64,
}

/// Which replies go.
#[derive(Debug, Clone, Default)]
pub struct Old {
    /// Those made before this moment, in seconds since 1970.
    pub before: Option<u64>,
    /// Those of this model, as the provider calls it.
    pub model: Option<String>,
}

/// What the record holds, by provider and model.
pub fn list(path: &Path) -> Result<Vec<Kept>, RecordError> {
    let connection = open_reading(path)?;
    let wrong = wrong(path);
    let mut statement = connection
        .prepare(
            "SELECT provider, model, count(*), sum(input_tokens), sum(output_tokens), max(made) FROM replies
             GROUP BY provider, model ORDER BY provider, model",
        )
        .map_err(&wrong)?;
    let count = |row: &rusqlite::Row<'_>, at| row.get::<_, i64>(at).map(i64::unsigned_abs);
    let rows = statement
        .query_map([], |row| {
            Ok(Kept {
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

/// The replies whose request and reply hold all of these texts, the oldest first and at most so many. A text may stand
/// anywhere, so every reply of the record is looked at. What cannot be read any more is passed over.
pub fn holding(path: &Path, texts: &[&str], most: usize) -> Result<Vec<Entry>, RecordError> {
    let connection = open_reading(path)?;
    let wrong = wrong(path);
    // As they stand inside a text of JSON.
    let inside = |text: &&str| serde_json::to_string(text).map(|quoted| quoted[1..quoted.len() - 1].to_owned());
    let needles: Vec<String> = texts
        .iter()
        .map(inside)
        .collect::<Result<_, _>>()
        .map_err(|error| RecordError::Database { path: path.to_owned(), reason: error.to_string() })?;
    let holds: Vec<String> = (1..=needles.len()).map(|number| format!("instr(entry, ?{number}) > 0")).collect();
    let holds = if holds.is_empty() { "1".to_owned() } else { holds.join(" AND ") };
    let mut statement = connection
        .prepare(&format!("SELECT entry FROM replies WHERE {holds} ORDER BY made, key LIMIT {most}"))
        .map_err(&wrong)?;
    let rows =
        statement.query_map(rusqlite::params_from_iter(needles), |row| row.get::<_, String>(0)).map_err(&wrong)?;
    let texts: Vec<String> = rows.collect::<Result<_, _>>().map_err(&wrong)?;
    Ok(texts.iter().filter_map(|text| serde_json::from_str(text).ok()).collect())
}

/// Writes the record as JSON lines, in the order of the keys, so that the same record gives the same bytes.
pub fn export(path: &Path, out: &mut dyn Write) -> Result<u64, RecordError> {
    let connection = open_reading(path)?;
    let wrong = wrong(path);
    let mut statement = connection.prepare("SELECT entry FROM replies ORDER BY key").map_err(&wrong)?;
    let mut rows = statement.query([]).map_err(&wrong)?;
    let mut written = 0;
    while let Some(row) = rows.next().map_err(&wrong)? {
        let text: String = row.get(0).map_err(&wrong)?;
        let other = |reason: String| RecordError::Database { path: path.to_owned(), reason };
        let entry: Entry = serde_json::from_str(&text).map_err(|error| other(error.to_string()))?;
        let key = Key::of(&entry.request).to_string();
        let line = Line { format: FORMAT, key, entry: Some(entry), program: None };
        serde_json::to_writer(&mut *out, &line).map_err(|error| other(error.to_string()))?;
        out.write_all(b"\n").map_err(|error| other(error.to_string()))?;
        written += 1;
    }
    let mut statement = connection.prepare("SELECT entry FROM programs ORDER BY key").map_err(&wrong)?;
    let mut rows = statement.query([]).map_err(&wrong)?;
    while let Some(row) = rows.next().map_err(&wrong)? {
        let text: String = row.get(0).map_err(&wrong)?;
        let other = |reason: String| RecordError::Database { path: path.to_owned(), reason };
        let program: RanEntry = serde_json::from_str(&text).map_err(|error| other(error.to_string()))?;
        let key = Key::of_program(&program.program).to_string();
        let line = Line { format: FORMAT, key, entry: None, program: Some(program) };
        serde_json::to_writer(&mut *out, &line).map_err(|error| other(error.to_string()))?;
        out.write_all(b"\n").map_err(|error| other(error.to_string()))?;
        written += 1;
    }
    out.flush().map_err(|error| RecordError::Database { path: path.to_owned(), reason: error.to_string() })?;
    Ok(written)
}

/// The replies of a cassette. Every key is computed again from its request.
pub fn read_cassette(input: &mut dyn BufRead) -> Result<Vec<(Key, Entry)>, RecordError> {
    let lines = read_lines(input)?;
    Ok(lines.into_iter().filter_map(|(key, entry, _)| entry.map(|entry| (key, entry))).collect())
}

/// A line: a reply or a program's end.
type Read = (Key, Option<Entry>, Option<RanEntry>);

/// Reads a cassette line by line.
pub(super) fn read_lines(input: &mut dyn BufRead) -> Result<Vec<Read>, RecordError> {
    let mut found = Vec::new();
    let mut line = 0;
    loop {
        line += 1;
        let wrong = |reason: String| RecordError::Cassette { line, reason };
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
        let parsed: Line = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
        if parsed.format != FORMAT {
            return Err(wrong(format!("format {} is not known, only format {FORMAT}", parsed.format)));
        }
        let (what, key) = match (&parsed.entry, &parsed.program) {
            (Some(entry), None) => ("request", Key::of(&entry.request)),
            (None, Some(entry)) => ("program", Key::of_program(&entry.program)),
            _ => return Err(wrong("a line holds an `entry` or a `program`".to_owned())),
        };
        if key.to_string() != parsed.key {
            return Err(wrong(format!("the {what} has the key {}, the line says `{}`", key.short(), parsed.key)));
        }
        found.push((key, parsed.entry, parsed.program));
    }
}

/// Adds the replies of a cassette, all or none. A reply that was recorded before stays.
pub fn import(path: &Path, input: &mut dyn BufRead) -> Result<Imported, RecordError> {
    let entries = read_lines(input)?;
    let mut connection = open(path)?;
    let wrong = wrong(path);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&wrong)?;
    let mut imported = Imported::default();
    for (key, entry, program) in &entries {
        let is_new = match (entry, program) {
            (Some(entry), _) => insert(&transaction, *key, entry),
            (None, Some(program)) => insert_program(&transaction, program),
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
pub fn prune(path: &Path, old: &Old) -> Result<u64, RecordError> {
    if old.before.is_none() && old.model.is_none() {
        return Ok(0);
    }
    let connection = open(path)?;
    let wrong = wrong(path);
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
    use probare_core::Reply;

    fn entry(repeat: u32) -> Entry {
        let request = crate::Request { repeat, ..request(Provider::OpenAi) };
        Entry {
            sent: Some("{}".into()),
            cost_usd: Some(0.001),
            latency_ms: 5,
            made: 1000 + u64::from(repeat),
            ..Entry::new(request, Reply::text(format!("reply {repeat}\n\"quoted\"")))
        }
    }

    fn filled(folder: &Path, count: u32) -> std::path::PathBuf {
        let path = folder.join("sub/replies.db");
        let connection = open(&path).unwrap();
        for repeat in 0..count {
            let entry = entry(repeat);
            assert!(insert(&connection, Key::of(&entry.request), &entry).unwrap());
        }
        path
    }

    #[test]
    fn a_cassette_brings_every_reply_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(folder.path(), 7);
        let mut text = Vec::new();
        assert_eq!(export(&path, &mut text).unwrap(), 7);
        let other = folder.path().join("other.db");
        assert_eq!(import(&other, &mut text.as_slice()).unwrap(), Imported { added: 7, known: 0 });
        assert_eq!(import(&other, &mut text.as_slice()).unwrap(), Imported { added: 0, known: 7 });
        let mut again = Vec::new();
        export(&other, &mut again).unwrap();
        assert_eq!(text, again);
        assert_eq!(list(&other).unwrap()[0].replies, 7);
    }

    #[test]
    fn a_changed_line_is_named_and_nothing_is_imported() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(folder.path(), 3);
        let mut text = Vec::new();
        export(&path, &mut text).unwrap();
        let changed = String::from_utf8(text).unwrap().replacen("Why?", "Why not?", 1);
        let other = folder.path().join("other.db");
        let error = import(&other, &mut changed.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("line 1"), "{error}");
        let error = import(&other, &mut &b"\n{}\n"[..]).unwrap_err();
        assert!(error.to_string().starts_with("line 2"), "{error}");
        assert!(list(&other).unwrap().is_empty());
    }

    #[test]
    fn pruning_removes_what_is_named_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(folder.path(), 10);
        assert_eq!(prune(&path, &Old::default()).unwrap(), 0);
        assert_eq!(prune(&path, &Old { before: Some(1004), model: Some("other".into()) }).unwrap(), 0);
        assert_eq!(prune(&path, &Old { before: Some(1004), model: None }).unwrap(), 4);
        assert_eq!(prune(&path, &Old { before: None, model: Some("m".into()) }).unwrap(), 6);
    }

    #[test]
    fn a_file_of_another_format_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(folder.path(), 1);
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", 9).unwrap();
        assert!(matches!(list(&path), Err(RecordError::Format { found: 9, .. })));
        let text = folder.path().join("text.db");
        #[expect(clippy::disallowed_methods, reason = "a test makes a file that is no database")]
        std::fs::write(&text, "this is not a database, although it is long enough to be one".repeat(40)).unwrap();
        assert!(matches!(list(&text), Err(RecordError::Database { .. })));
    }
}
