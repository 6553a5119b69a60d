//! JSON lines, and JSON values one after the other or in one array.

use std::sync::Arc;

use probare_core::{Case, Problem};
use serde_json::{Map, Value as Json};

use crate::OpenError;
use crate::cutter::{Cut, Cutter, Place};
use crate::row::{Batch, Origin, RawRows, Shared, kind};
use crate::values::no_text;

/// A batch ends after this many rows …
const ROWS_IN_BATCH: usize = 256;
/// … or this many bytes.
const BYTES_IN_BATCH: usize = 1024 * 1024;

/// Raw rows: their bytes in one buffer, and where each begins in the file.
#[derive(Debug, Default)]
pub struct JsonRows {
    bytes: Vec<u8>,
    rows: Vec<RawRow>,
}

#[derive(Debug)]
struct RawRow {
    end: usize,
    place: Place,
}

impl JsonRows {
    /// How many there are.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Reads every row.
    pub fn cases(&self, shared: &Shared) -> Vec<Result<Case, Problem>> {
        let mut start = 0;
        self.rows
            .iter()
            .map(|row| {
                let bytes = &self.bytes[start..row.end];
                start = row.end;
                read_row(bytes, row, shared)
            })
            .collect()
    }
}

fn read_row(bytes: &[u8], row: &RawRow, shared: &Shared) -> Result<Case, Problem> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| no_text(&shared.file, row.place.of_byte(bytes, error.valid_up_to()), "the row"))?;
    let value: Json = serde_json::from_str(text).map_err(|error| {
        let (line, column) = row.place.of(error.line() as u64, error.column() as u64);
        let full = error.to_string();
        let reason = full.rfind(" at line ").map_or(full.as_str(), |end| &full[..end]);
        let mut problem = shared.lost(Some(line), Some(column), format!("the row is no valid JSON: {reason}"));
        problem.hint = match text.trim_start().as_bytes().first() {
            Some(b'[') => Some("a file of one JSON array is named .json, not .jsonl".to_owned()),
            _ if reason.contains("recursion limit") => Some("values may be nested 128 deep at most".to_owned()),
            _ if reason.contains("surrogate") || reason.contains("hex escape") => {
                Some("a \\uD800-\\uDFFF escape stands for half a character; write both halves or neither".to_owned())
            }
            _ => None,
        };
        problem
    })?;
    match value {
        Json::Object(map) => object(map, row, shared),
        other => {
            let mut problem = shared.lost(
                Some(row.place.line),
                Some(row.place.column),
                format!("a row must be an object, but it is {}", kind(&other)),
            );
            if other.is_array() {
                problem.hint = Some("a file of one JSON array is named .json, not .jsonl".to_owned());
            }
            Err(problem)
        }
    }
}

fn object(map: Map<String, Json>, row: &RawRow, shared: &Shared) -> Result<Case, Problem> {
    shared.case(map, Origin { line: Some(row.place.line), number: row.place.number })
}

/// Reads the values of a file in batches.
pub struct JsonReader {
    cutter: Cutter,
    shared: Arc<Shared>,
    /// A problem that waits until the rows before it are handed out.
    waiting: Option<Box<Problem>>,
}

impl JsonReader {
    /// Rows of what is cut.
    pub(crate) const fn new(cutter: Cutter, shared: Arc<Shared>) -> Self {
        Self { cutter, shared, waiting: None }
    }

    /// The next batch.
    pub fn next(&mut self) -> Option<Result<Batch, OpenError>> {
        let mut rows = JsonRows::default();
        while self.waiting.is_none() && rows.rows.len() < ROWS_IN_BATCH && rows.bytes.len() < BYTES_IN_BATCH {
            match self.cutter.next(&mut rows.bytes) {
                Ok(Cut::Value(place)) => rows.rows.push(RawRow { end: rows.bytes.len(), place }),
                Ok(Cut::Bad(problem)) => self.waiting = Some(problem),
                Ok(Cut::End) => break,
                Err(error) => return Some(Err(error)),
            }
        }
        let rows = if rows.rows.is_empty() { RawRows::Bad(self.waiting.take()?) } else { RawRows::Json(rows) };
        Some(Ok(Batch { shared: Arc::clone(&self.shared), rows }))
    }
}
