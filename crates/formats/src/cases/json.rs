//! JSON lines, and JSON values one after the other or in one array.

use std::sync::Arc;

use probare_core::{Case, Problem};
use serde_json::Value as Json;

use crate::CaseFileError;
use crate::cells::RowColumns;
use crate::json_splitter::{JsonSplitter, SplitItem, ValuePosition};
use crate::row::{CaseBatch, FileContext, RawRows, RowError, RowOrigin, kind};
use crate::traces;
use crate::values::no_text;

/// A batch ends after this many rows …
const ROWS_IN_BATCH: usize = 256;
/// … or this many bytes: few enough that they are still in the processor's cache when their rows are read.
const BYTES_IN_BATCH: usize = 96 * 1024;

/// Raw rows: their bytes in one buffer, and where each begins in the file.
#[derive(Debug, Default)]
pub struct JsonRows {
    bytes: Vec<u8>,
    rows: Vec<RawRow>,
}

#[derive(Debug)]
struct RawRow {
    end: usize,
    place: ValuePosition,
}

impl JsonRows {
    /// How many there are.
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Reads every row.
    pub fn cases(&self, shared: &FileContext) -> Vec<Result<Case, Problem>> {
        let mut cases = Vec::with_capacity(self.rows.len());
        let mut columns = RowColumns::new(&shared.names);
        // All bytes are looked at once; only where some are not text is it worth asking in which row.
        let whole = simdutf8::basic::from_utf8(&self.bytes).ok();
        let mut start = 0;
        for row in &self.rows {
            let range = std::mem::replace(&mut start, row.end)..row.end;
            let text = match whole.and_then(|whole| whole.get(range.clone())) {
                Some(text) => Ok(text),
                None => text_of(&self.bytes[range], row.place, shared),
            };
            cases.push(text.and_then(|text| read_row(text, row.place, shared, &mut columns)));
        }
        cases
    }
}

fn text_of<'a>(bytes: &'a [u8], place: ValuePosition, shared: &FileContext) -> Result<&'a str, Problem> {
    simdutf8::compat::from_utf8(bytes)
        .map_err(|error| no_text(&shared.file, place.byte_position_in_file(bytes, error.valid_up_to()), "the row"))
}

fn read_row<'a>(
    text: &'a str,
    place: ValuePosition,
    shared: &FileContext,
    columns: &mut RowColumns<'a>,
) -> Result<Case, Problem> {
    columns.clear();
    // Seen at the opening of a file; standard input is not waited for there.
    if traces::is_otlp(text) {
        let reason = "the row is a trace of OpenTelemetry; name the format of standard input: --format otlp";
        return Err(shared.lost(Some(place.line), Some(place.column), reason.to_owned()));
    }
    let origin = RowOrigin { line: Some(place.line), number: place.number };
    let read = columns.fill(text).map_err(RowError::Json).and_then(|()| shared.case(columns, origin));
    read.map_err(|unread| match unread {
        RowError::Problem(problem) => problem,
        RowError::Json(error) => explain_error(text, place, shared, &error),
    })
}

/// What is wrong with a row that could not be read. The whole of it is read again as plain JSON, which tells line and
/// column of the first mistake.
fn explain_error(text: &str, place: ValuePosition, shared: &FileContext, error: &serde_json::Error) -> Problem {
    const NAMED_WRONG: &str = "a file of one JSON array is named .json, not .jsonl";
    let again = serde_json::from_str::<Json>(text);
    if let Ok(other) = &again
        && !other.is_object()
    {
        let reason = format!("a row must be an object, but it is {}", kind(other));
        let mut problem = shared.lost(Some(place.line), Some(place.column), reason);
        problem.hint = other.is_array().then(|| NAMED_WRONG.to_owned());
        return problem;
    }
    let error = again.as_ref().err().unwrap_or(error);
    let (line, column) = place.position_in_file(error.line() as u64, error.column() as u64);
    let full = error.to_string();
    let reason = full.rfind(" at line ").map_or(full.as_str(), |end| &full[..end]);
    let mut problem = shared.lost(Some(line), Some(column), format!("the row is not valid JSON: {reason}"));
    problem.hint = match text.trim_start().as_bytes().first() {
        Some(b'[') => Some(NAMED_WRONG.to_owned()),
        _ if reason.contains("recursion limit") => Some("values may be nested 128 deep at most".to_owned()),
        _ if reason.contains("surrogate") || reason.contains("hex escape") => {
            Some("a \\uD800-\\uDFFF escape stands for half a character; write both halves or neither".to_owned())
        }
        _ => None,
    };
    problem
}

/// Reads the values of a file in batches.
pub struct JsonReader {
    cutter: JsonSplitter,
    shared: Arc<FileContext>,
    /// A problem that waits until the rows before it are handed out.
    waiting: Option<Box<Problem>>,
    /// Bytes of the last batch, which the next one is expected to have as well.
    expected: usize,
}

impl JsonReader {
    /// Rows of what is cut.
    pub(crate) const fn new(cutter: JsonSplitter, shared: Arc<FileContext>) -> Self {
        Self { cutter, shared, waiting: None, expected: 0 }
    }

    /// The next batch.
    pub fn next(&mut self) -> Option<Result<CaseBatch, CaseFileError>> {
        let mut rows = JsonRows { bytes: Vec::with_capacity(self.expected + self.expected / 8), rows: Vec::new() };
        while self.waiting.is_none() && rows.rows.len() < ROWS_IN_BATCH && rows.bytes.len() < BYTES_IN_BATCH {
            match self.cutter.next(&mut rows.bytes) {
                Ok(SplitItem::Value(place)) => rows.rows.push(RawRow { end: rows.bytes.len(), place }),
                Ok(SplitItem::Bad(problem)) => self.waiting = Some(problem),
                Ok(SplitItem::End) => break,
                Err(error) => return Some(Err(error)),
            }
        }
        // A single long row makes no rule.
        self.expected = rows.bytes.len().min(BYTES_IN_BATCH * 2);
        let rows = if rows.rows.is_empty() { RawRows::Bad(self.waiting.take()?) } else { RawRows::Json(rows) };
        Some(Ok(CaseBatch { shared: Arc::clone(&self.shared), rows }))
    }
}
