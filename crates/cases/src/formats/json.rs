//! JSON lines, and JSON values one after the other or in one array.

use std::io::{BufRead, ErrorKind};
use std::sync::Arc;

use memchr::memchr;
use probare_core::{Case, Problem};
use serde_json::{Map, Value as Json};

use crate::OpenError;
use crate::row::{Batch, Origin, RawRows, Shared, kind};

/// A batch ends after this many rows …
const ROWS_IN_BATCH: usize = 256;
/// … or this many bytes.
const BYTES_IN_BATCH: usize = 1024 * 1024;

/// How the values stand in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One value a line.
    Lines,
    /// Values in an array, or one after the other.
    Values,
}

/// Raw rows: their bytes in one buffer, and where each begins in the file.
#[derive(Debug, Default)]
pub struct JsonRows {
    bytes: Vec<u8>,
    rows: Vec<RawRow>,
}

#[derive(Debug)]
struct RawRow {
    end: usize,
    line: u64,
    column: u64,
    number: u64,
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
    let at = |line: u64, column: u64| {
        // Serde counts from the row's own start; only its first line is moved by what stands before the row.
        let column = if line <= 1 { row.column + column.max(1) - 1 } else { column };
        (Some(row.line + line.max(1) - 1), Some(column))
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let good = &bytes[..error.valid_up_to()];
        let lines = memchr::memchr_iter(b'\n', good).count() as u64;
        let in_line = good.len() - good.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (line, column) = at(lines + 1, in_line as u64 + 1);
        let mut problem = shared.lost(line, column, "the row is not valid UTF-8");
        problem.hint = Some("save the file as UTF-8, for example with `iconv -f latin1 -t utf-8`".to_owned());
        problem
    })?;
    let value: Json = serde_json::from_str(text).map_err(|error| {
        let (line, column) = at(error.line() as u64, error.column() as u64);
        let full = error.to_string();
        let reason = full.rfind(" at line ").map_or(full.as_str(), |end| &full[..end]);
        let mut problem = shared.lost(line, column, format!("the row is no valid JSON: {reason}"));
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
                Some(row.line),
                Some(row.column),
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
    shared.case(map, Origin { line: Some(row.line), number: row.number })
}

/// Cuts a file into values.
pub struct JsonReader {
    reader: Box<dyn BufRead + Send>,
    layout: Layout,
    longest_row: usize,
    shared: Arc<Shared>,
    /// Line and column of the next byte.
    line: u64,
    column: u64,
    /// Rows so far.
    number: u64,
    state: State,
    /// A problem that waits until the rows before it are handed out.
    waiting: Option<Problem>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Inside { array: bool },
    Ended,
}

impl JsonReader {
    /// Starts at the beginning of the file.
    pub fn new(reader: Box<dyn BufRead + Send>, layout: Layout, longest_row: usize, shared: Arc<Shared>) -> Self {
        Self { reader, layout, longest_row, shared, line: 1, column: 1, number: 0, state: State::Start, waiting: None }
    }

    /// The next batch.
    pub fn next(&mut self) -> Option<Result<Batch, OpenError>> {
        if let Some(problem) = self.waiting.take() {
            return Some(Ok(self.bad(problem)));
        }
        let mut rows = JsonRows::default();
        while rows.rows.len() < ROWS_IN_BATCH && rows.bytes.len() < BYTES_IN_BATCH {
            let step = match self.layout {
                Layout::Lines => self.line(&mut rows),
                Layout::Values => self.value(&mut rows),
            };
            match step {
                Ok(Step::Row) => {}
                Ok(Step::End) => {
                    self.state = State::Ended;
                    break;
                }
                Ok(Step::Bad(problem)) => {
                    self.waiting = Some(*problem);
                    break;
                }
                Err(source) => {
                    self.state = State::Ended;
                    return Some(Err(OpenError::Io { file: self.shared.file.clone(), source }));
                }
            }
        }
        if rows.rows.is_empty() {
            return self.waiting.take().map(|problem| Ok(self.bad(problem)));
        }
        Some(Ok(Batch { shared: Arc::clone(&self.shared), rows: RawRows::Json(rows) }))
    }

    fn bad(&self, problem: Problem) -> Batch {
        Batch { shared: Arc::clone(&self.shared), rows: RawRows::Bad(Box::new(problem)) }
    }

    /// Appends the next line that is not blank.
    fn line(&mut self, rows: &mut JsonRows) -> std::io::Result<Step> {
        if self.state == State::Ended {
            return Ok(Step::End);
        }
        self.skip_mark()?;
        loop {
            let start = rows.bytes.len();
            let mut dropped = false;
            let mut seen = false;
            loop {
                let buffer = match self.reader.fill_buf() {
                    Ok(buffer) => buffer,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                if buffer.is_empty() {
                    break;
                }
                seen = true;
                let end = memchr(b'\n', buffer);
                let piece = &buffer[..end.unwrap_or(buffer.len())];
                if !dropped {
                    rows.bytes.extend_from_slice(piece);
                    if rows.bytes.len() - start > self.longest_row {
                        rows.bytes.truncate(start);
                        dropped = true;
                    }
                }
                let used = end.map_or(buffer.len(), |end| end + 1);
                self.reader.consume(used);
                if end.is_some() {
                    break;
                }
            }
            if !seen {
                return Ok(Step::End);
            }
            let line = self.line;
            self.line += 1;
            if dropped {
                return Ok(Step::Bad(Box::new(self.too_long(line))));
            }
            if rows.bytes[start..].iter().all(u8::is_ascii_whitespace) {
                rows.bytes.truncate(start);
                continue;
            }
            rows.rows.push(RawRow { end: rows.bytes.len(), line, column: 1, number: line });
            return Ok(Step::Row);
        }
    }

    /// Appends the next value of an array, or of values one after the other.
    fn value(&mut self, rows: &mut JsonRows) -> std::io::Result<Step> {
        if self.state == State::Ended {
            return Ok(Step::End);
        }
        if self.state == State::Start {
            self.skip_mark()?;
            let array = match self.peek_token()? {
                None => return Ok(Step::End),
                Some(b'[') => {
                    self.take_byte()?;
                    true
                }
                Some(_) => false,
            };
            self.state = State::Inside { array };
            if array && self.peek_token()? == Some(b']') {
                self.take_byte()?;
                return self.after_array();
            }
        }
        let array = self.state == State::Inside { array: true };
        let Some(first) = self.peek_token()? else {
            return Ok(if array {
                self.fatal("the array has no closing bracket: the file is cut off")
            } else {
                Step::End
            });
        };
        if array && first == b']' {
            return Ok(self.fatal("a value is missing before the closing bracket"));
        }
        let (line, column, start) = (self.line, self.column, rows.bytes.len());
        let ending = self.copy_value(rows, array)?;
        self.number += 1;
        match ending {
            Ending::TooLong => {
                rows.bytes.truncate(start);
                self.state = State::Ended;
                return Ok(Step::Bad(Box::new(self.too_long(line))));
            }
            Ending::Comma | Ending::Value => {}
            Ending::Bracket => {
                rows.rows.push(RawRow { end: rows.bytes.len(), line, column, number: self.number });
                return self.after_array().map(|step| if matches!(step, Step::End) { Step::Row } else { step });
            }
            Ending::File if array => {
                rows.bytes.truncate(start);
                return Ok(self.fatal("the array has no closing bracket: the file is cut off"));
            }
            Ending::File => self.state = State::Ended,
        }
        rows.rows.push(RawRow { end: rows.bytes.len(), line, column, number: self.number });
        Ok(Step::Row)
    }

    /// Copies one value: up to a comma or bracket outside of it in an array, up to its own end otherwise.
    fn copy_value(&mut self, rows: &mut JsonRows, array: bool) -> std::io::Result<Ending> {
        let start = rows.bytes.len();
        let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
        while let Some(byte) = self.peek_byte()? {
            if rows.bytes.len() - start > self.longest_row {
                return Ok(Ending::TooLong);
            }
            if in_string {
                if escaped {
                    escaped = false;
                } else if byte == b'\\' {
                    escaped = true;
                } else if byte == b'"' {
                    in_string = false;
                }
            } else {
                match byte {
                    b'"' => in_string = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' if depth > 0 => depth -= 1,
                    b']' if array => {
                        self.take_byte()?;
                        self.state = State::Ended;
                        return Ok(Ending::Bracket);
                    }
                    b',' if array && depth == 0 => {
                        self.take_byte()?;
                        return Ok(Ending::Comma);
                    }
                    _ => {}
                }
            }
            rows.bytes.push(byte);
            self.take_byte()?;
            if !array && depth == 0 && !in_string && matches!(byte, b'}' | b']') {
                return Ok(Ending::Value);
            }
        }
        Ok(Ending::File)
    }

    /// Nothing but white space may follow an array.
    fn after_array(&mut self) -> std::io::Result<Step> {
        self.state = State::Ended;
        if self.peek_token()?.is_some() {
            let problem = self.shared.lost(Some(self.line), Some(self.column), "something follows the closing bracket");
            self.waiting = Some(problem);
        }
        Ok(match self.waiting.take() {
            Some(problem) => Step::Bad(Box::new(problem)),
            None => Step::End,
        })
    }

    fn fatal(&mut self, reason: &str) -> Step {
        self.state = State::Ended;
        Step::Bad(Box::new(self.shared.lost(Some(self.line), Some(self.column), reason)))
    }

    fn too_long(&self, line: u64) -> Problem {
        let reason = format!("the row is longer than {} MiB", self.longest_row / (1024 * 1024));
        let mut problem = self.shared.lost(Some(line), None, reason);
        problem.hint = Some("check that the file has line ends; --longest-row MIB raises the limit".to_owned());
        problem
    }

    /// Passes over a byte order mark at the start of the file.
    fn skip_mark(&mut self) -> std::io::Result<()> {
        if self.state == State::Start {
            if self.layout == Layout::Lines {
                self.state = State::Inside { array: false };
            }
            if self.reader.fill_buf()?.starts_with(b"\xEF\xBB\xBF") {
                self.reader.consume(3);
            }
        }
        Ok(())
    }

    fn peek_byte(&mut self) -> std::io::Result<Option<u8>> {
        loop {
            match self.reader.fill_buf() {
                Ok(buffer) => return Ok(buffer.first().copied()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The next byte that is not white space, without taking it.
    fn peek_token(&mut self) -> std::io::Result<Option<u8>> {
        while let Some(byte) = self.peek_byte()? {
            if !byte.is_ascii_whitespace() {
                return Ok(Some(byte));
            }
            self.take_byte()?;
        }
        Ok(None)
    }

    fn take_byte(&mut self) -> std::io::Result<()> {
        if let Some(byte) = self.peek_byte()? {
            if byte == b'\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
            self.reader.consume(1);
        }
        Ok(())
    }
}

enum Step {
    Row,
    End,
    Bad(Box<Problem>),
}

enum Ending {
    Comma,
    Bracket,
    Value,
    File,
    TooLong,
}
