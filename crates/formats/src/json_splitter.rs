//! [`JsonSplitter`]: cuts a file into JSON values without looking into them: one a line, in an array, or one after the other.
//!
//! A damaged value costs itself alone. A value beyond the limit is passed over up to its own end; the values behind it are
//! there.

use std::io::{self, BufRead, ErrorKind, Read};

use memchr::{memchr, memchr_iter, memrchr};
use probare_core::Problem;

use crate::case_file::size;
use crate::stored_file::{STANDARD_INPUT, skip_byte_order_mark};
use crate::value_scanner::{Ending, ValueScanner, ValueScope};
use crate::{CaseFileError, CaseFormat};

/// A value is followed for this many times the limit, and at least …
const OVERRUN_FACTOR: u64 = 16;
/// … this many bytes; after that the file is given up, since it may be a device without an end.
const LEAST_OVERRUN: u64 = 64 * 1024 * 1024;

/// Bytes of a row without an end after which a file is given up.
pub(crate) fn overrun_limit(longest: usize) -> u64 {
    (longest as u64).saturating_mul(OVERRUN_FACTOR).max(LEAST_OVERRUN)
}

/// How the values stand in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One value a line.
    Lines,
    /// Values in an array, or one after the other.
    Values,
    /// An array where the first sign is a bracket, lines otherwise.
    LinesOrArray,
}

impl Layout {
    /// Pipes have no extension; an array there is as good as lines.
    pub(crate) fn for_format(format: CaseFormat, name: &str) -> Self {
        match format {
            CaseFormat::JsonLines if name == STANDARD_INPUT => Self::LinesOrArray,
            CaseFormat::JsonLines => Self::Lines,
            _ => Self::Values,
        }
    }
}

/// Where a value stands: line and column of its first byte, counted from 1, and what to call it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValuePosition {
    pub line: u64,
    pub column: u64,
    /// The line where there is one value a line, the number of the value otherwise.
    pub number: u64,
}

impl ValuePosition {
    /// Line and column in the file of a place that is counted from the start of the value: only its first line is moved
    /// by what stands before the value.
    pub(crate) const fn position_in_file(&self, line: u64, column: u64) -> (u64, u64) {
        if line <= 1 {
            (self.line, self.column + column.saturating_sub(1))
        } else {
            (self.line + line - 1, if column == 0 { 1 } else { column })
        }
    }

    /// Line and column in the file of a byte of the value.
    pub(crate) fn byte_position_in_file(&self, value: &[u8], at: usize) -> (u64, u64) {
        let before = &value[..at.min(value.len())];
        let lines = memchr_iter(b'\n', before).count() as u64;
        let in_line = before.len() - memrchr(b'\n', before).map_or(0, |end| end + 1);
        self.position_in_file(lines + 1, in_line as u64 + 1)
    }
}

/// What comes next in a file.
pub(crate) enum SplitItem {
    /// A value; its bytes were appended.
    Value(ValuePosition),
    /// What could not be cut.
    Bad(Box<Problem>),
    /// Nothing.
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Lines,
    Values {
        is_array: bool,
    },
    /// Behind the closing bracket.
    Behind,
    Ended,
}

/// Cuts a file into values.
pub(crate) struct JsonSplitter {
    reader: Box<dyn BufRead + Send>,
    file: String,
    layout: Layout,
    longest: usize,
    /// Line and column of the next byte.
    line: u64,
    column: u64,
    /// Values so far.
    number: u64,
    state: State,
}

impl JsonSplitter {
    /// Starts at the beginning of the file, behind a byte order mark.
    pub(crate) fn new(
        reader: Box<dyn Read + Send>,
        layout: Layout,
        longest: usize,
        file: &str,
    ) -> Result<Self, CaseFileError> {
        let reader = skip_byte_order_mark(reader, file)?;
        let file = file.to_owned();
        Ok(Self { reader, file, layout, longest, line: 1, column: 1, number: 0, state: State::Start })
    }

    /// What messages call the file.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// Whether the values stand in an array.
    pub(crate) fn is_array(&mut self) -> Result<bool, CaseFileError> {
        self.start().map_err(|source| CaseFileError::Io { file: self.file.clone(), source })?;
        Ok(matches!(self.state, State::Values { is_array: true } | State::Behind))
    }

    /// Appends the bytes of the next value.
    pub(crate) fn next(&mut self, bytes: &mut Vec<u8>) -> Result<SplitItem, CaseFileError> {
        let cut = self.start().map_err(SplitError::Io).and_then(|()| match self.state {
            State::Lines => self.next_line(bytes),
            State::Values { is_array } => self.next_value(bytes, is_array),
            State::Behind => Ok(self.behind()?),
            State::Start | State::Ended => Ok(SplitItem::End),
        });
        cut.map_err(|stuck| {
            self.state = State::Ended;
            let file = self.file.clone();
            match stuck {
                SplitError::Io(source) => CaseFileError::Io { file, source },
                SplitError::Endless { line } => CaseFileError::endless(&file, line, overrun_limit(self.longest)),
            }
        })
    }

    /// Looks at the first sign, which tells whether there is an array.
    fn start(&mut self) -> io::Result<()> {
        if self.state != State::Start {
            return Ok(());
        }
        if self.layout == Layout::Lines {
            self.state = State::Lines;
            return Ok(());
        }
        let first = self.peek_sign()?;
        self.state = match (first, self.layout) {
            (Some(b'['), _) => {
                self.pass(1)?;
                State::Values { is_array: true }
            }
            (_, Layout::Values) => State::Values { is_array: false },
            _ => State::Lines,
        };
        if first == Some(b'[') && self.peek_sign()? == Some(b']') {
            self.pass(1)?;
            self.state = State::Behind;
        }
        Ok(())
    }

    /// The next line that is not blank.
    fn next_line(&mut self, bytes: &mut Vec<u8>) -> Result<SplitItem, SplitError> {
        let start = bytes.len();
        loop {
            let (line, column) = (self.line, self.column);
            let mut kept = ValueBuffer::new(start, self.longest);
            let mut is_end = true;
            loop {
                let buffer = fill_buffer(&mut self.reader)?;
                if buffer.is_empty() {
                    break;
                }
                is_end = false;
                let end = memchr(b'\n', buffer);
                kept.keep(bytes, &buffer[..end.unwrap_or(buffer.len())], line)?;
                let used = end.map_or(buffer.len(), |end| end + 1);
                self.reader.consume(used);
                if end.is_some() {
                    break;
                }
            }
            if is_end {
                self.state = State::Ended;
                return Ok(SplitItem::End);
            }
            self.line += 1;
            self.column = 1;
            if kept.is_too_long {
                return Ok(self.too_long(line));
            }
            if bytes[start..].iter().all(u8::is_ascii_whitespace) {
                bytes.truncate(start);
                continue;
            }
            return Ok(SplitItem::Value(ValuePosition { line, column, number: line }));
        }
    }

    /// The next value of an array, or of values one after the other.
    fn next_value(&mut self, bytes: &mut Vec<u8>, is_array: bool) -> Result<SplitItem, SplitError> {
        match self.peek_sign()? {
            None if is_array => return Ok(self.cut_off()),
            None => {
                self.state = State::Ended;
                return Ok(SplitItem::End);
            }
            Some(b']') if is_array => return Ok(self.fatal("a value is missing before the closing bracket")),
            Some(_) => {}
        }
        self.number += 1;
        let (start, place) = (bytes.len(), ValuePosition { line: self.line, column: self.column, number: self.number });
        let mut kept = ValueBuffer::new(start, self.longest);
        let mut walk = ValueScanner::new(if is_array { ValueScope::Array } else { ValueScope::Sequence });
        let ending = loop {
            let buffer = fill_buffer(&mut self.reader)?;
            if buffer.is_empty() {
                break Ending::File;
            }
            let (length, ending) = walk.over(buffer);
            kept.keep(bytes, &buffer[..length], place.line)?;
            self.pass(length)?;
            if let Some(ending) = ending {
                break ending;
            }
        };
        match ending {
            Ending::Comma => self.pass(1)?,
            Ending::Bracket => {
                self.pass(1)?;
                self.state = State::Behind;
            }
            Ending::File if is_array => {
                bytes.truncate(start);
                return Ok(self.cut_off());
            }
            Ending::File | Ending::Own => {}
        }
        Ok(if kept.is_too_long { self.too_long(place.line) } else { SplitItem::Value(place) })
    }

    /// Nothing but white space may follow an array.
    fn behind(&mut self) -> io::Result<SplitItem> {
        let follows = self.peek_sign()?.is_some();
        self.state = State::Ended;
        Ok(if follows { self.fatal("something follows the closing bracket") } else { SplitItem::End })
    }

    fn cut_off(&mut self) -> SplitItem {
        self.fatal("the array has no closing bracket: the file is cut off")
    }

    fn fatal(&mut self, reason: &str) -> SplitItem {
        self.state = State::Ended;
        SplitItem::Bad(Box::new(Problem {
            file: self.file.clone(),
            line: Some(self.line),
            column: Some(self.column),
            reason: reason.to_owned(),
            hint: None,
            lost: true,
            id: None,
        }))
    }

    fn too_long(&self, line: u64) -> SplitItem {
        SplitItem::Bad(Box::new(too_long(&self.file, line, self.longest)))
    }

    /// The next byte that is not white space, without taking it.
    fn peek_sign(&mut self) -> io::Result<Option<u8>> {
        loop {
            let buffer = fill_buffer(&mut self.reader)?;
            if buffer.is_empty() {
                return Ok(None);
            }
            let length = buffer.len();
            let Some(at) = buffer.iter().position(|byte| !byte.is_ascii_whitespace()) else {
                self.pass(length)?;
                continue;
            };
            let sign = buffer[at];
            self.pass(at)?;
            return Ok(Some(sign));
        }
    }

    /// Takes bytes that the buffer holds, and counts their lines and columns.
    fn pass(&mut self, length: usize) -> io::Result<()> {
        let passed = &fill_buffer(&mut self.reader)?[..length];
        match memrchr(b'\n', passed) {
            Some(last) => {
                self.line += memchr_iter(b'\n', passed).count() as u64;
                self.column = (length - last) as u64;
            }
            None => self.column += length as u64,
        }
        self.reader.consume(length);
        Ok(())
    }
}

/// What the buffer of a reader holds; empty at the end alone.
pub(crate) fn fill_buffer(reader: &mut impl BufRead) -> io::Result<&[u8]> {
    // The borrow of what was found must not reach into the next turn of a loop, so it is asked for twice.
    loop {
        match reader.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    reader.fill_buf()
}

/// A row that was passed over because of its length.
pub(crate) fn too_long(file: &str, line: u64, longest: usize) -> Problem {
    Problem {
        file: file.to_owned(),
        line: Some(line),
        column: None,
        reason: format!("the row is longer than {}", size(longest as u64)),
        hint: Some("check line ends and quotes around it, or raise the limit for a row".to_owned()),
        lost: true,
        id: None,
    }
}

/// Why a file cannot be read on.
enum SplitError {
    Io(io::Error),
    Endless { line: u64 },
}

impl From<io::Error> for SplitError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// The bytes of one value, as far as it is kept.
struct ValueBuffer {
    start: usize,
    longest: usize,
    length: u64,
    is_too_long: bool,
}

impl ValueBuffer {
    const fn new(start: usize, longest: usize) -> Self {
        Self { start, longest, length: 0, is_too_long: false }
    }

    fn keep(&mut self, bytes: &mut Vec<u8>, piece: &[u8], line: u64) -> Result<(), SplitError> {
        self.length += piece.len() as u64;
        if self.length > self.longest as u64 {
            // What a long value took is given back at once: its end may be far away.
            bytes.truncate(self.start);
            bytes.shrink_to(self.start);
            self.is_too_long = true;
            if self.length > overrun_limit(self.longest) {
                return Err(SplitError::Endless { line });
            }
        } else {
            bytes.extend_from_slice(piece);
        }
        Ok(())
    }
}
