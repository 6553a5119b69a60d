//! Spans and log records as they come, by trace: kept before whoever sent them is told so, until their trace is scored and
//! after that as long as its run is kept, since a span that comes late makes the whole trace be scored again.
//!
//! A piece is what one request said of one trace, as OTLP/JSON. A piece that comes twice, because an exporter did not hear
//! that it was taken, is there once.

use std::path::PathBuf;

use rusqlite::{Connection, Row, params};

use super::body::PackedTable;
use super::checksum::Checksum;
use super::packing::Packer;
use super::samples::SampleTable;
use super::{Store, StoreError, StoreFault};

pub(super) const TABLES: &str = "
CREATE TABLE traces (
    number INTEGER PRIMARY KEY,
    trace TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    arrived INTEGER NOT NULL,
    pieces INTEGER NOT NULL,
    scored INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    has_error INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE INDEX traces_waiting ON traces (arrived) WHERE scored < pieces;
CREATE INDEX traces_of_run ON traces (run);
CREATE TABLE spans (
    number INTEGER PRIMARY KEY,
    trace INTEGER NOT NULL,
    packed BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    UNIQUE (trace, checksum)
);
CREATE TABLE exports (number INTEGER PRIMARY KEY, packed BLOB NOT NULL, checksum INTEGER NOT NULL);
";

/// Bytes that one trace may take, unpacked. What comes beyond is refused.
pub const LARGEST_TRACE: u64 = 64 << 20;

/// Scores that wait to be exported at most; beyond that the oldest are dropped.
const MOST_EXPORTS: i64 = 100_000;

/// What one request said of one trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracePiece {
    pub trace: String,
    /// Its spans and log records, as one object of OTLP/JSON.
    pub text: String,
    /// Whether a span among them failed.
    pub has_error: bool,
}

/// A trace of which something is not scored yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedTrace {
    number: i64,
    /// Its id.
    pub trace: String,
    /// The run that it belongs to.
    pub run: i64,
    /// When its newest piece came, in milliseconds since 1970.
    arrived: i64,
    pieces: i64,
    scored: i64,
    /// How often it was scored before.
    pub revision: u32,
    /// Bytes of its pieces, unpacked.
    pub bytes: u64,
    /// Whether one of its spans failed.
    pub has_error: bool,
}

const COLUMNS: &str = "number, trace, run, arrived, pieces, scored, revision, bytes, has_error";

impl CollectedTrace {
    fn read(row: &Row<'_>) -> Result<Self, StoreFault> {
        let number = row.get(0)?;
        if Checksum::for_table("traces").columns(row, 9)?.end() != row.get::<_, i64>(9)? {
            return Err(StoreFault::Damaged(format!("row {number} of `traces` is not as it was written")));
        }
        Ok(Self {
            number,
            trace: row.get(1)?,
            run: row.get(2)?,
            arrived: row.get(3)?,
            pieces: row.get(4)?,
            scored: row.get(5)?,
            revision: row.get(6)?,
            bytes: row.get::<_, i64>(7)?.unsigned_abs(),
            has_error: row.get(8)?,
        })
    }

    fn find(connection: &Connection, trace: &str) -> Result<Option<Self>, StoreFault> {
        let mut statement =
            connection.prepare_cached(&format!("SELECT {COLUMNS}, checksum FROM traces WHERE trace = ?1"))?;
        let mut rows = statement.query(params![trace])?;
        rows.next()?.map(Self::read).transpose()
    }

    fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let bytes = i64::try_from(self.bytes).unwrap_or(i64::MAX);
        let mut checksum = Checksum::for_table("traces").integer(self.number).text(&self.trace);
        for number in [self.run, self.arrived, self.pieces, self.scored, i64::from(self.revision), bytes] {
            checksum = checksum.integer(number);
        }
        connection
            .prepare_cached(&format!(
                "REPLACE INTO traces ({COLUMNS}, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
            ))?
            .execute(params![
                self.number,
                self.trace,
                self.run,
                self.arrived,
                self.pieces,
                self.scored,
                self.revision,
                bytes,
                self.has_error,
                checksum.integer(i64::from(self.has_error)).end(),
            ])?;
        Ok(())
    }

    /// Takes a piece in; says whether there was room for it.
    fn add(&mut self, connection: &Connection, packer: &Packer, piece: &TracePiece) -> Result<bool, StoreFault> {
        let bytes = self.bytes + piece.text.len() as u64;
        if bytes > LARGEST_TRACE {
            return Ok(false);
        }
        let packed = packer.pack(&piece.text)?;
        let checksum = piece_checksum(self.number, &packed);
        let added = connection
            .prepare_cached("INSERT OR IGNORE INTO spans (trace, packed, checksum) VALUES (?1, ?2, ?3)")?
            .execute(params![self.number, packed, checksum])?;
        if added > 0 {
            self.pieces += 1;
            self.bytes = bytes;
            self.has_error |= piece.has_error;
        }
        Ok(true)
    }

    fn remove(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.prepare_cached("DELETE FROM spans WHERE trace = ?1")?.execute(params![self.number])?;
        connection.prepare_cached("DELETE FROM traces WHERE number = ?1")?.execute(params![self.number])?;
        Ok(())
    }
}

fn piece_checksum(trace: i64, packed: &[u8]) -> i64 {
    Checksum::for_table("spans").integer(trace).bytes(packed).end()
}

/// Takes out what was collected for a run.
pub(super) fn remove_run(connection: &Connection, run: i64) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM spans WHERE trace IN (SELECT number FROM traces WHERE run = ?1)", params![run])?;
    connection.execute("DELETE FROM traces WHERE run = ?1", params![run])?;
    Ok(())
}

/// Takes out what was collected of the trace that a case of a run comes from.
pub(super) fn forget(connection: &Connection, run: i64, id: &str) -> Result<(), StoreFault> {
    let trace = id.split('/').next().unwrap_or(id);
    match CollectedTrace::find(connection, trace)?.filter(|found| found.run == run) {
        Some(found) => Ok(found.remove(connection)?),
        None => Ok(()),
    }
}

/// Nobody else collects into a store as long as this lives.
#[derive(Debug)]
pub struct CollectorLock {
    _file: std::fs::File,
}

impl Store {
    /// Makes this process the only one that collects into the store.
    #[expect(clippy::disallowed_methods, reason = "the file beside a database holds nothing but the lock")]
    pub fn lock_for_collector(&self) -> Result<CollectorLock, StoreError> {
        let failed = |reason: String| StoreError::Database { path: self.path().to_owned(), reason };
        let mut name = self.path().as_os_str().to_owned();
        name.push("-collector");
        let path = PathBuf::from(name);
        probare_files::ensure_plain(&path).map_err(|error| failed(error.to_string()))?;
        let file = std::fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| failed(format!("`{}`: {error}", path.display())))?;
        match file.try_lock() {
            Ok(()) => Ok(CollectorLock { _file: file }),
            Err(std::fs::TryLockError::WouldBlock) => Err(StoreError::Collecting { path: self.path().to_owned() }),
            Err(std::fs::TryLockError::Error(error)) => Err(failed(format!("it cannot be locked: {error}"))),
        }
    }

    /// From now on what is written here is on the disk before it is said to be kept, whatever happens to the machine.
    pub fn sync_fully(&self) -> Result<(), StoreError> {
        let set = self.connection.pragma_update(None, "synchronous", "full");
        set.map_err(|error| StoreFault::from(error).in_store(self.path()))
    }

    /// Bytes of the file that hold something: room that was given back is used again.
    pub fn bytes_in_use(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
            let pages = number("page_count")? - number("freelist_count")?;
            Ok((pages * number("page_size")?).unsigned_abs())
        })
    }

    /// Keeps pieces of traces, those of new traces for this run. Gives the number of those for which their trace had no room
    /// any more.
    pub fn collect(&self, run: i64, now: i64, pieces: &[TracePiece]) -> Result<u64, StoreError> {
        let packer = Packer::default();
        self.write(|connection| {
            let mut refused = 0;
            for piece in pieces {
                let mut trace = match CollectedTrace::find(connection, &piece.trace)? {
                    Some(found) => found,
                    None => CollectedTrace {
                        number: connection
                            .prepare_cached("SELECT coalesce(max(number), 0) + 1 FROM traces")?
                            .query_row([], |row| row.get(0))?,
                        trace: piece.trace.clone(),
                        run,
                        arrived: now,
                        pieces: 0,
                        scored: 0,
                        revision: 0,
                        bytes: 0,
                        has_error: false,
                    },
                };
                let before = trace.pieces;
                if !trace.add(connection, &packer, piece)? {
                    refused += 1;
                } else if trace.pieces > before {
                    trace.arrived = now;
                    trace.write(connection)?;
                }
            }
            Ok(refused)
        })
    }

    /// Traces of which something is not scored and nothing has come since a time (in milliseconds since 1970), the longest
    /// quiet first: as many as have no more than so many bytes together, but at least one.
    pub fn quiet_traces(&self, since: i64, most: usize, bytes: u64) -> Result<Vec<CollectedTrace>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS}, checksum FROM traces WHERE scored < pieces AND arrived <= ?1
                 ORDER BY arrived, number LIMIT ?2"
            ))?;
            let mut rows = statement.query(params![since, i64::try_from(most).unwrap_or(i64::MAX)])?;
            let (mut found, mut sum) = (Vec::new(), 0);
            while let Some(row) = rows.next()? {
                let trace = CollectedTrace::read(row)?;
                sum += trace.bytes;
                if sum > bytes && !found.is_empty() {
                    break;
                }
                found.push(trace);
            }
            Ok(found)
        })
    }

    /// How many traces wait, quiet or not.
    pub fn waiting_traces(&self) -> Result<u64, StoreError> {
        self.read(|connection| {
            let count: i64 =
                connection.query_row("SELECT count(*) FROM traces WHERE scored < pieces", [], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        })
    }

    /// The pieces of a trace in the order in which they came, one a line.
    pub fn trace_text(&self, trace: &CollectedTrace) -> Result<String, StoreError> {
        self.read(|connection| {
            let mut statement = connection
                .prepare_cached("SELECT packed, checksum, number FROM spans WHERE trace = ?1 ORDER BY number")?;
            let mut rows = statement.query(params![trace.number])?;
            let mut text = String::new();
            while let Some(row) = rows.next()? {
                let (packed, number): (Vec<u8>, i64) = (row.get(0)?, row.get(2)?);
                let damaged = |reason: &str| StoreFault::Damaged(format!("row {number} of `spans` {reason}"));
                if piece_checksum(trace.number, &packed) != row.get::<_, i64>(1)? {
                    return Err(damaged("is not as it was written"));
                }
                text.push_str(&self.unpacker.unpack(&packed).map_err(|reason| damaged(&reason))?);
                text.push('\n');
            }
            Ok(text)
        })
    }

    /// Gives a trace to another run, where it is scored from the beginning.
    pub fn move_trace(&self, trace: &mut CollectedTrace, run: i64) -> Result<(), StoreError> {
        (trace.run, trace.revision) = (run, 0);
        self.write(|connection| match CollectedTrace::find(connection, &trace.trace)? {
            Some(found) => Ok(CollectedTrace { run, revision: 0, ..found }.write(connection)?),
            None => Ok(()),
        })
    }

    /// Takes the samples of traces out of their run, which are about to be scored again. What people said of them stays.
    pub fn reopen_traces(&self, run: i64, traces: &[&CollectedTrace]) -> Result<(), StoreError> {
        self.write(|connection| {
            let mut samples = SampleTable::open(connection, run)?;
            for trace in traces {
                for row in samples.of_trace(connection, &trace.trace)? {
                    samples.remove(connection, &row)?;
                    PackedTable::Bodies.remove(connection, row.sample)?;
                    PackedTable::Outputs.remove(connection, row.sample)?;
                    if let Some(case) = row.case {
                        PackedTable::Cases.remove(connection, case)?;
                    }
                }
            }
            Ok(samples.close(connection)?)
        })
    }

    /// The row behind the last one of a run.
    pub fn next_row(&self, run: i64) -> Result<u64, StoreError> {
        self.read(|connection| {
            let last: Option<i64> = connection.query_row(
                "SELECT max(position) FROM samples WHERE run = ?1 AND place = 0",
                params![run],
                |row| row.get(0),
            )?;
            Ok(last.map_or(0, |last| last.unsigned_abs() + 1))
        })
    }

    /// Notes that traces were scored as they were when they were found, and keeps what is to be exported. What came for them
    /// since waits for the next time.
    pub fn finish_traces(&self, traces: &[CollectedTrace], exports: &[String]) -> Result<(), StoreError> {
        let packer = Packer::default();
        self.write(|connection| {
            for trace in traces {
                // Somebody may have asked for it to be forgotten.
                let Some(found) = CollectedTrace::find(connection, &trace.trace)? else { continue };
                CollectedTrace { scored: trace.pieces, revision: trace.revision + 1, ..found }.write(connection)?;
            }
            for text in exports {
                let next: i64 = connection
                    .prepare_cached("SELECT coalesce(max(number), 0) + 1 FROM exports")?
                    .query_row([], |row| row.get(0))?;
                PackedTable::Exports.put(connection, next, &packer.pack(text)?)?;
            }
            if !exports.is_empty() {
                connection.execute(
                    "DELETE FROM exports WHERE number <= (SELECT max(number) FROM exports) - ?1",
                    params![MOST_EXPORTS],
                )?;
            }
            Ok(())
        })
    }

    /// Notes that a trace as it was when it was found is not scored. What came for it since waits for the next time.
    pub fn skip_trace(&self, trace: &CollectedTrace) -> Result<(), StoreError> {
        self.write(|connection| match CollectedTrace::find(connection, &trace.trace)? {
            Some(found) => Ok(CollectedTrace { scored: trace.pieces, ..found }.write(connection)?),
            None => Ok(()),
        })
    }

    /// The oldest scores that wait to be exported, with their numbers.
    pub fn waiting_exports(&self, most: usize) -> Result<Vec<(i64, String)>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT number FROM exports ORDER BY number LIMIT ?1")?;
            let numbers: Vec<i64> = statement
                .query_map(params![i64::try_from(most).unwrap_or(i64::MAX)], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            let text = |number: i64| {
                let text = PackedTable::Exports.text(connection, &self.unpacker, number)?;
                Ok(text.map(|text| (number, text)))
            };
            numbers.into_iter().filter_map(|number| text(number).transpose()).collect()
        })
    }

    /// Drops scores that were exported.
    pub fn remove_exports(&self, numbers: &[i64]) -> Result<(), StoreError> {
        self.write(|connection| {
            numbers.iter().try_for_each(|number| PackedTable::Exports.remove(connection, *number))?;
            Ok(())
        })
    }

    /// The newest run of traces of a day (`2026-11-19`).
    pub fn run_of_day(&self, day: &str) -> Result<Option<i64>, StoreError> {
        let runs = self.runs()?;
        let is_meant = |run: &&super::StoredRun| run.plan.collected.as_deref() == Some(day);
        Ok(runs.iter().rev().find(is_meant).map(|run| run.run))
    }

    /// Takes runs of traces from before a day out of the store, with what was collected for them; gives how many. The room is
    /// used again and not given back.
    pub fn remove_days_before(&mut self, day: &str) -> Result<u64, StoreError> {
        let mut removed = 0;
        for run in self.runs()? {
            if run.plan.collected.as_deref().is_some_and(|collected| collected < day) {
                self.write(|connection| super::remove_rows(connection, run.run))?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunPlan;

    fn piece(trace: &str, text: &str) -> TracePiece {
        TracePiece { trace: trace.to_owned(), text: text.to_owned(), has_error: text.contains("error") }
    }

    fn store() -> (tempfile::TempDir, Store, i64) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("store.db")).unwrap();
        let plan = RunPlan { collected: Some("2026-11-19".to_owned()), ..RunPlan::default() };
        let run = store.begin(&plan).unwrap();
        (folder, store, run)
    }

    #[test]
    fn a_trace_waits_until_it_is_quiet_and_again_when_something_comes_late() {
        let (_folder, store, run) = store();
        assert_eq!(store.collect(run, 100, &[piece("a", "1"), piece("b", "2 error")]).unwrap(), 0);
        // An exporter that did not hear the answer sends the same once more.
        store.collect(run, 150, &[piece("a", "1")]).unwrap();
        store.collect(run, 200, &[piece("a", "3")]).unwrap();
        let quiet = |since: i64| store.quiet_traces(since, 10, 1_000).unwrap();
        assert_eq!(quiet(99), []);
        let found = quiet(100);
        assert_eq!((found.len(), found[0].trace.as_str(), found[0].has_error), (1, "b", true));
        assert_eq!((store.waiting_traces().unwrap(), quiet(200).len()), (2, 2));
        assert_eq!(store.quiet_traces(200, 10, 1).unwrap().len(), 1, "at least one, however large");
        let first = quiet(200).remove(1);
        assert_eq!((store.trace_text(&first).unwrap().as_str(), first.bytes), ("1\n3\n", 2));
        // What comes while it is scored is not lost.
        store.collect(run, 300, &[piece("a", "4")]).unwrap();
        store.finish_traces(&[first], &["score".to_owned()]).unwrap();
        let again = quiet(300).remove(1);
        assert_eq!((again.trace.as_str(), again.revision, again.run), ("a", 1, run));
        store.finish_traces(&quiet(300), &[]).unwrap();
        assert_eq!(store.waiting_traces().unwrap(), 0);
        let exports = store.waiting_exports(10).unwrap();
        assert_eq!(exports, [(1, "score".to_owned())]);
        store.remove_exports(&[1]).unwrap();
        assert_eq!(store.waiting_exports(10).unwrap(), []);
    }

    #[test]
    fn what_is_too_much_for_one_trace_is_refused_and_counted() {
        let (_folder, store, run) = store();
        let long = "x".repeat(usize::try_from(LARGEST_TRACE).unwrap() - 1);
        assert_eq!(store.collect(run, 1, &[piece("a", &long), piece("a", "yz"), piece("b", "1")]).unwrap(), 1);
        assert_eq!(store.quiet_traces(1, 10, 1).unwrap()[0].bytes, LARGEST_TRACE - 1);
    }

    #[test]
    fn what_is_removed_or_forgotten_takes_its_spans_along() {
        let (_folder, mut store, run) = store();
        store.collect(run, 1, &[piece("a", "secret"), piece("b", "1")]).unwrap();
        assert_eq!(store.remove_days_before("2026-11-19").unwrap(), 0);
        assert_eq!(store.remove_days_before("2026-11-20").unwrap(), 1);
        assert_eq!((store.waiting_traces().unwrap(), store.runs().unwrap().len()), (0, 0));
        assert!((1 << 14..1 << 20).contains(&store.bytes_in_use().unwrap()));
        let left: i64 = store.connection.query_row("SELECT count(*) FROM spans", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0);
    }

    #[test]
    fn one_process_collects() {
        let (_folder, store, _) = store();
        let lock = store.lock_for_collector().unwrap();
        assert!(store.lock_for_collector().unwrap_err().to_string().contains("another process collects"));
        drop(lock);
        store.lock_for_collector().unwrap();
    }
}
