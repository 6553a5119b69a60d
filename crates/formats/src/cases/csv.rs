//! Comma-separated values with a header, or values with another sign between them.
//!
//! A cell is a text. In a column that becomes a list or an object, or stays in the metadata, a cell that starts with `[`
//! or `{` is read as JSON if it can be. An empty cell of the column that becomes `query` or `response` is an empty text;
//! every other empty cell is nothing at all, since CSV cannot tell the two apart.

use std::borrow::Cow;
use std::io::BufRead;
use std::sync::Arc;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use probare_core::{Case, Problem};

use crate::CaseFileError;
use crate::case_file::BUFFER;
use crate::cells::{RowCell, RowColumns};
use crate::json_splitter::{fill_buffer, overrun_limit, too_long};
use crate::names::NameId;
use crate::row::{CaseBatch, FileContext, RawRows, RowOrigin};

/// A batch ends after this many rows …
const ROWS_IN_BATCH: usize = 256;
/// … or this many bytes.
const BYTES_IN_BATCH: usize = 1024 * 1024;
/// Columns that a header may have.
const MOST_COLUMNS: usize = 65_536;
/// Cells that are found in one go.
const ENDS: usize = 1024;

/// The columns of a file.
#[derive(Debug)]
struct Header {
    columns: Vec<HeaderColumn>,
}

#[derive(Debug)]
struct HeaderColumn {
    name: String,
    known: Option<NameId>,
    /// Whether it becomes `query` or `response`.
    keeps_empty: bool,
}

/// Raw records in one buffer, and the header they share.
#[derive(Debug)]
pub struct CsvRows {
    header: Arc<Header>,
    records: Records,
}

/// Records without quotes and separators, one after the other.
#[derive(Debug, Default)]
struct Records {
    bytes: Vec<u8>,
    /// Where each cell ends, counted from the start of its record.
    ends: Vec<usize>,
    rows: Vec<Record>,
}

#[derive(Debug)]
struct Record {
    line: u64,
    /// Its first byte.
    start: usize,
    /// Its first end.
    first: usize,
    /// How many cells it has; of too many, only as many ends as the header has are kept.
    cells: usize,
}

impl CsvRows {
    pub const fn len(&self) -> usize {
        self.records.rows.len()
    }

    /// Reads every record.
    pub fn cases(&self, shared: &FileContext) -> Vec<Result<Case, Problem>> {
        let mut row = RowColumns::new(&shared.names);
        let whole = simdutf8::basic::from_utf8(&self.records.bytes).ok();
        self.records.rows.iter().map(|record| self.case(record, whole, shared, &mut row)).collect()
    }

    fn case<'a>(
        &'a self,
        record: &Record,
        whole: Option<&'a str>,
        shared: &FileContext,
        row: &mut RowColumns<'a>,
    ) -> Result<Case, Problem> {
        row.clear();
        let columns = &self.header.columns;
        if record.cells != columns.len() {
            let reason = format!("the row has {} cells, but the header has {}", record.cells, columns.len());
            let mut problem = shared.lost(Some(record.line), None, reason);
            problem.hint = Some("put cells that hold separators or line ends in double quotes".to_owned());
            return Err(problem);
        }
        let mut start = record.start;
        for (column, end) in columns.iter().zip(&self.records.ends[record.first..]) {
            let range = std::mem::replace(&mut start, record.start + end)..record.start + end;
            // Two cells may be one text together while neither is one, so a cell that ends inside of a character is none.
            let text = match whole.and_then(|whole| whole.get(range.clone())) {
                Some(text) => text,
                None => std::str::from_utf8(&self.records.bytes[range]).map_err(|_| {
                    let reason = format!("column `{}` is not valid UTF-8", column.name);
                    let mut problem = shared.lost(Some(record.line), None, reason);
                    problem.hint =
                        Some("save the file as UTF-8, for example with `iconv -f WINDOWS-1252 -t UTF-8`".to_owned());
                    problem
                })?,
            };
            if !text.is_empty() || column.keeps_empty {
                row.push(Cow::Borrowed(&column.name), column.known, RowCell::Text(text));
            }
        }
        shared.plain_case(row, RowOrigin { line: Some(record.line), number: record.line })
    }
}

/// Cuts a file into records.
struct Splitter {
    reader: Box<dyn BufRead + Send>,
    core: Reader,
    file: String,
    longest: usize,
    /// Bytes of a record after which the file is given up.
    overrun: u64,
    /// Where the cells of what is at hand are written, …
    room: Vec<u8>,
    /// … and where they end.
    ends: Vec<usize>,
}

/// What comes next in a file.
enum CsvItem {
    Record,
    TooLong { line: u64 },
    End,
}

impl Splitter {
    fn new(reader: Box<dyn BufRead + Send>, separator: u8, longest: usize, file: &str) -> Self {
        let core = ReaderBuilder::new().delimiter(separator).build();
        // Nothing can be read without a header, so nobody waits for the end of a long one.
        let overrun = longest as u64;
        Self { reader, core, file: file.to_owned(), longest, overrun, room: vec![0; BUFFER], ends: vec![0; ENDS] }
    }

    /// Appends the next record, with at most this many ends.
    fn next(&mut self, records: &mut Records, most_ends: usize) -> Result<CsvItem, CaseFileError> {
        let io_error = |source| CaseFileError::Io { file: self.file.clone(), source };
        let (start, first) = (records.bytes.len(), records.ends.len());
        let (mut line, mut length, mut cells, mut is_too_long) = (self.core.line(), 0_u64, 0, false);
        loop {
            let input = fill_buffer(&mut self.reader).map_err(io_error)?;
            let blank = input.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            // Blank lines are passed over one by one, so that the line is the one where the record begins.
            let input = if length == 0 && blank > 0 { &input[..blank] } else { input };
            // No more than fits, since a cell is never longer than it is written.
            let input = &input[..input.len().min(self.room.len())];
            let (result, read, written, ended) = self.core.read_record(input, &mut self.room, &mut self.ends);
            let was_blank = length == 0 && blank > 0;
            self.reader.consume(read);
            cells += ended;
            if was_blank {
                line = self.core.line();
            } else {
                length += read as u64;
            }
            if length > self.longest as u64 {
                // What a long record took is given back at once: its end may be far away.
                is_too_long = true;
                records.bytes.truncate(start);
                records.bytes.shrink_to(start);
                records.ends.truncate(first);
                if length > self.overrun {
                    return Err(CaseFileError::endless(&self.file, line, self.overrun));
                }
            } else {
                records.bytes.extend_from_slice(&self.room[..written]);
                let kept = ended.min(most_ends.saturating_sub(records.ends.len() - first));
                records.ends.extend_from_slice(&self.ends[..kept]);
            }
            match result {
                ReadRecordResult::InputEmpty | ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {}
                ReadRecordResult::End => return Ok(CsvItem::End),
                ReadRecordResult::Record if is_too_long => return Ok(CsvItem::TooLong { line }),
                ReadRecordResult::Record => {
                    records.rows.push(Record { line, start, first, cells });
                    return Ok(CsvItem::Record);
                }
            }
        }
    }
}

/// Reads the records of a file in batches.
pub struct CsvReader {
    splitter: Splitter,
    header: Arc<Header>,
    shared: Arc<FileContext>,
    waiting: Option<Box<Problem>>,
    ended: bool,
}

impl CsvReader {
    /// Reads the header.
    pub fn new(
        reader: Box<dyn BufRead + Send>,
        separator: u8,
        longest: usize,
        shared: Arc<FileContext>,
    ) -> Result<Self, CaseFileError> {
        let mut splitter = Splitter::new(reader, separator, longest, &shared.file);
        let names = header(&mut splitter)?;
        splitter.overrun = overrun_limit(longest);
        let texts = shared.names.texts(&names);
        let column = |name: String| {
            let known = shared.names.number(&name);
            let keeps_empty = known.is_some_and(|known| texts.contains(&known));
            HeaderColumn { name, known, keeps_empty }
        };
        let header = Arc::new(Header { columns: names.into_iter().map(column).collect() });
        Ok(Self { splitter, header, shared, waiting: None, ended: false })
    }

    /// The names of the columns.
    pub fn columns(&self) -> Vec<String> {
        self.header.columns.iter().map(|column| column.name.clone()).collect()
    }

    /// The next batch.
    pub fn next(&mut self) -> Option<Result<CaseBatch, CaseFileError>> {
        let mut records = Records::default();
        while !self.ended
            && self.waiting.is_none()
            && records.rows.len() < ROWS_IN_BATCH
            && records.bytes.len() < BYTES_IN_BATCH
        {
            match self.splitter.next(&mut records, self.header.columns.len()) {
                Ok(CsvItem::Record) => {}
                Ok(CsvItem::TooLong { line }) => {
                    self.waiting = Some(Box::new(too_long(&self.shared.file, line, self.splitter.longest)));
                }
                Ok(CsvItem::End) => self.ended = true,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        let rows = if records.rows.is_empty() {
            RawRows::Bad(self.waiting.take()?)
        } else {
            RawRows::Csv(CsvRows { header: Arc::clone(&self.header), records })
        };
        Some(Ok(CaseBatch { shared: Arc::clone(&self.shared), rows }))
    }
}

fn header(splitter: &mut Splitter) -> Result<Vec<String>, CaseFileError> {
    let mut records = Records::default();
    splitter.next(&mut records, MOST_COLUMNS)?;
    let broken = |reason: String| CaseFileError::broken(&splitter.file, "CSV", &reason);
    if records.rows.first().is_some_and(|record| record.cells > MOST_COLUMNS) {
        return Err(broken(format!("its header has more than {MOST_COLUMNS} columns")));
    }
    let not_utf8 = || {
        CaseFileError::Invalid(format!(
            "the header of `{file}` is not UTF-8 text; files from Windows are often Windows-1252: `iconv -f WINDOWS-1252 -t UTF-8 {file} > utf8.csv` converts one",
            file = splitter.file
        ))
    };
    let mut names: Vec<String> = Vec::with_capacity(records.ends.len());
    let mut start = 0;
    for end in records.ends {
        let cell = &records.bytes[std::mem::replace(&mut start, end)..end];
        let name = std::str::from_utf8(cell).map_err(|_| not_utf8())?;
        names.push(name.trim_start_matches('\u{feff}').trim().to_owned());
    }
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    sorted.sort_unstable();
    if let Some((twice, _)) = sorted.iter().zip(sorted.iter().skip(1)).find(|(name, next)| name == next) {
        return Err(broken(format!("the column `{twice}` stands in its header twice")));
    }
    Ok(names)
}
