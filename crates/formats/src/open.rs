//! Opening a file of cases: format and compression by extension, standard input by `-`.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use probare_core::{CaseSource, InputFile, ReadProgress, SourceError};

use crate::cases::columns::ColumnReader;
use crate::cases::csv::CsvReader;
use crate::cases::json::JsonReader;
use crate::cases::separator;
use crate::cases::traces::TraceReader;
use crate::json_splitter::{JsonSplitter, Layout};
use crate::names::ColumnNames;
use crate::row::{CaseBatch, FileContext, SelectedRows};
use crate::stored_file::{self, OpenedFile, STANDARD_INPUT, StoredFile, format_from_name, skip_byte_order_mark};
use crate::{CaseFileError, CaseFormat, ReadOptions, traces};

/// Bytes by which a file is recognised.
const LOOKED_AT: usize = 256;
/// Of these so many suffice.
const ENOUGH: usize = 48;

/// The rows of one file, in batches.
pub struct CaseReader {
    reader: Reader,
    separator: Option<u8>,
    stored: Option<StoredFile>,
    option: Option<String>,
    /// The rows that are wanted, where not all are.
    wanted: Option<BTreeSet<u64>>,
    count: u64,
}

enum Reader {
    Json(JsonReader),
    Csv(Box<CsvReader>),
    Columns(Box<ColumnReader>),
    Traces(Box<TraceReader>),
}

impl fmt::Debug for CaseReader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Rows").finish_non_exhaustive()
    }
}

impl CaseReader {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &str, options: &ReadOptions) -> Result<Self, CaseFileError> {
        let name = if path == "-" { STANDARD_INPUT } else { path };
        let format = Self::format_of(path, options)?;
        let OpenedFile { reader, stored, is_plain_file } = stored_file::open(path)?;
        // Traces are recognised by their first bytes, whatever their file is called. Standard input may keep us waiting, and
        // nobody should wait before the work has begun: there the format has to be named.
        let is_looked_at = path != "-" && options.format.is_none();
        let (format, reader) = if is_looked_at && matches!(format, CaseFormat::Json | CaseFormat::JsonLines) {
            let (head, reader) = looked_at(reader, name)?;
            (if traces::is_otlp(&String::from_utf8_lossy(&head)) { CaseFormat::Otlp } else { format }, reader)
        } else {
            (format, reader)
        };
        let whole = if format == CaseFormat::Parquet && is_plain_file {
            // Parquet is read from its end; the digest needs a reader of its own.
            Some(File::open(path).map_err(|source| CaseFileError::Io { file: path.to_owned(), source })?)
        } else {
            None
        };
        let mut rows = Self::start(reader, whole, name, format, options)?;
        rows.stored = Some(stored);
        Ok(rows)
    }

    /// Says which option of a benchmark names the file, as a JSON Pointer, so that it can be opened elsewhere later.
    #[must_use]
    pub fn named_by(mut self, option: &str) -> Self {
        self.option = Some(option.to_owned());
        self
    }

    /// Without the digest of the file, for a run that writes no manifest: its bytes are not digested, and those behind the last
    /// row that is wanted are not read.
    #[must_use]
    pub fn without_digest(mut self) -> Self {
        if let Some(stored) = &mut self.stored {
            stored.forget_digest();
        }
        self
    }

    /// Only these rows, by their numbers, counted from 0: the others are not looked into, and nothing is read behind the last.
    #[must_use]
    pub fn only_rows(self, rows: BTreeSet<u64>) -> Self {
        Self { wanted: Some(rows), ..self }
    }

    /// The format of a file, by the options or by its name.
    pub fn format_of(path: &str, options: &ReadOptions) -> Result<CaseFormat, CaseFileError> {
        let named = if path == "-" { Some(CaseFormat::JsonLines) } else { format_from_name(Path::new(path)).0 };
        options.format.or(named).ok_or_else(|| CaseFileError::UnknownFormat { file: path.to_owned() })
    }

    /// The sign between cells that is used, given or found, where the file has cells.
    pub const fn separator(&self) -> Option<u8> {
        self.separator
    }

    /// The names of the columns, where the file says them before its rows.
    pub(crate) fn header(&self) -> Option<Vec<String>> {
        match &self.reader {
            Reader::Csv(reader) => Some(reader.columns()),
            Reader::Columns(reader) => Some(reader.columns()),
            Reader::Json(_) | Reader::Traces(_) => None,
        }
    }

    /// Rows from anything that can be read; `name` is what messages call it.
    pub fn from_reader(
        reader: impl Read + Send + 'static,
        name: &str,
        format: CaseFormat,
        options: &ReadOptions,
    ) -> Result<Self, CaseFileError> {
        Self::start(Box::new(reader), None, name, format, options)
    }

    fn start(
        reader: Box<dyn Read + Send>,
        whole: Option<File>,
        name: &str,
        format: CaseFormat,
        options: &ReadOptions,
    ) -> Result<Self, CaseFileError> {
        let shared = Arc::new(FileContext { file: name.to_owned(), names: ColumnNames::new(&options.fields) });
        let mut separator = None;
        let unfit = |wish: &str| CaseFileError::unfit(name, wish);
        if format == CaseFormat::Otlp && options.fields.iter().next().is_some() {
            return Err(unfit("traces have no columns that could be mapped; `probare import` makes a file of cases"));
        }
        if format != CaseFormat::Otlp && options.group.is_some() {
            return Err(unfit("a grouping is for traces (format otlp), and this is a file of rows"));
        }
        let reader = match format {
            CaseFormat::Otlp => {
                let reader = if name == STANDARD_INPUT {
                    reader
                } else {
                    let (head, reader) = looked_at(reader, name)?;
                    refuse_protobuf(&head, name)?;
                    reader
                };
                let cutter = JsonSplitter::new(reader, Layout::Values, options.longest_row, name)?;
                Reader::Traces(Box::new(TraceReader::new(cutter, options.group.unwrap_or_default(), shared)))
            }
            CaseFormat::JsonLines | CaseFormat::Json => {
                let layout = Layout::for_format(format, name);
                Reader::Json(JsonReader::new(JsonSplitter::new(reader, layout, options.longest_row, name)?, shared))
            }
            CaseFormat::Csv | CaseFormat::Tsv => {
                let reader = skip_byte_order_mark(reader, name)?;
                let (sign, reader) = match options.separator {
                    Some(sign) => (check_separator(sign, name)?, reader),
                    None if format == CaseFormat::Tsv => (b'\t', reader),
                    None => separator::detect_separator(reader, name)?,
                };
                separator = Some(sign);
                Reader::Csv(Box::new(CsvReader::new(reader, sign, options.longest_row, shared)?))
            }
            CaseFormat::Parquet => Reader::Columns(Box::new(match whole {
                Some(file) => ColumnReader::new(file, options.longest_row, shared)?,
                None => ColumnReader::from_stream(reader, options.longest_row, shared)?,
            })),
        };
        Ok(Self { reader, separator, stored: None, option: None, wanted: None, count: 0 })
    }
}

/// The first bytes of a file, and the file from its start.
fn looked_at(mut reader: Box<dyn Read + Send>, file: &str) -> Result<(Vec<u8>, Box<dyn Read + Send>), CaseFileError> {
    let mut head = Vec::with_capacity(LOOKED_AT);
    // A pipe gives what it has: its first row is not kept waiting for the next ones.
    while head.len() < ENOUGH {
        let mut more = [0; LOOKED_AT];
        match reader.read(&mut more) {
            Ok(0) => break,
            Ok(read) => head.extend_from_slice(&more[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => return Err(CaseFileError::Io { file: file.to_owned(), source }),
        }
    }
    Ok((head.clone(), Box::new(Cursor::new(head).chain(reader))))
}

/// Traces are read as JSON alone.
fn refuse_protobuf(head: &[u8], file: &str) -> Result<(), CaseFileError> {
    let text = String::from_utf8_lossy(head);
    match text.trim_start_matches('\u{feff}').trim_start().chars().next() {
        None | Some('{' | '[') => Ok(()),
        Some(_) => {
            let reason =
                "it is not JSON; traces in protobuf are taken by `probare serve` (POST /v1/traces), not from files";
            Err(CaseFileError::broken(file, "OTLP/JSON", reason))
        }
    }
}

/// A sign that can stand between cells.
fn check_separator(sign: u8, file: &str) -> Result<u8, CaseFileError> {
    if matches!(sign, b'"' | b'\n' | b'\r' | 0x80..) {
        let reason = format!("{:?} cannot stand between cells", char::from(sign));
        return Err(CaseFileError::broken(file, "CSV", &reason));
    }
    Ok(sign)
}

impl Iterator for CaseReader {
    type Item = Result<CaseBatch, CaseFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match &mut self.reader {
            Reader::Json(reader) => reader.next(),
            Reader::Csv(reader) => reader.next(),
            Reader::Columns(reader) => reader.next(),
            Reader::Traces(reader) => reader.next(),
        };
        if let (Some(Err(_)), Some(stored)) = (&batch, &mut self.stored) {
            stored.give_up();
        }
        batch
    }
}

impl CaseSource for CaseReader {
    fn next_batch(&mut self) -> Option<Result<Box<dyn probare_core::CaseBatch>, SourceError>> {
        loop {
            if self.wanted.as_ref().is_some_and(|wanted| wanted.last().is_none_or(|last| *last < self.count)) {
                return None;
            }
            let batch = match self.next()? {
                Ok(batch) => batch,
                Err(error) => return Some(Err(error.into())),
            };
            let first = self.count;
            self.count += batch.len() as u64;
            let Some(wanted) = &self.wanted else { return Some(Ok(Box::new(batch))) };
            let rows: BTreeSet<u64> = wanted.range(first..self.count).map(|row| row - first).collect();
            if !rows.is_empty() {
                return Some(Ok(Box::new(SelectedRows { batch, rows })));
            }
        }
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        let Some(stored) = &mut self.stored else { return Ok(Vec::new()) };
        Ok(vec![InputFile { option: self.option.clone(), ..stored.input(self.count)? }])
    }

    fn progress(&self) -> Option<Arc<dyn ReadProgress>> {
        self.stored.as_ref().map(StoredFile::progress)
    }
}
