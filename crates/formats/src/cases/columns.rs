//! Apache Parquet: texts, numbers, truth values, times, and lists and structures of them.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use parquet::record::{Field, Row as Record};
use probare_core::{Case, Problem};
use serde_json::{Number, Value as Json};

use crate::CaseFileError;
use crate::cells::{RowCell, RowColumns};
use crate::json_splitter::too_long;
use crate::parquet_rows::ParquetRows;
use crate::row::{CaseBatch, FileContext, RawRows, RowOrigin};

const ROWS_IN_BATCH: usize = 256;
/// A batch ends behind the row with which it holds so many bytes: a value may stand once in the file and in every row.
const BYTES_IN_BATCH: usize = 1024 * 1024;

/// Rows and the number of the first.
#[derive(Debug)]
pub struct ColumnRows {
    rows: Vec<Result<Record, Box<Problem>>>,
    first: u64,
}

impl ColumnRows {
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Reads every row.
    pub fn cases(&self, shared: &FileContext) -> Vec<Result<Case, Problem>> {
        let mut columns = RowColumns::new(&shared.names);
        (self.first..)
            .zip(&self.rows)
            .map(|(number, row)| {
                let row = row.as_ref().map_err(|problem| (**problem).clone())?;
                columns.clear();
                for (name, value) in row.get_column_iter() {
                    columns.push(Cow::Borrowed(name), shared.names.number(name), RowCell::Value(json(value)));
                }
                shared.plain_case(&mut columns, RowOrigin { line: None, number }).map_err(|mut problem| {
                    problem.reason = format!("row {number}: {}", problem.reason);
                    problem
                })
            })
            .collect()
    }
}

/// What is set of a group. All rows have the same members there, so one that is not set is one that the row does not have.
fn object<'v>(members: impl Iterator<Item = (String, &'v Field)>) -> Json {
    Json::Object(members.map(|(name, value)| (name, json(value))).filter(|(_, value)| !value.is_null()).collect())
}

/// One value as JSON. Bytes that are text are text; a number that JSON cannot write is absent.
fn json(value: &Field) -> Json {
    match value {
        Field::Null => Json::Null,
        Field::Bool(yes) => Json::Bool(*yes),
        Field::Byte(number) => (*number).into(),
        Field::Short(number) => (*number).into(),
        Field::Int(number) | Field::Date(number) | Field::TimeMillis(number) => (*number).into(),
        Field::Long(number)
        | Field::TimeMicros(number)
        | Field::TimestampMillis(number)
        | Field::TimestampMicros(number) => (*number).into(),
        Field::UByte(number) => (*number).into(),
        Field::UShort(number) => (*number).into(),
        Field::UInt(number) => (*number).into(),
        Field::ULong(number) => (*number).into(),
        Field::Float16(number) => float(f64::from(number.to_f32())),
        Field::Float(number) => float(f64::from(*number)),
        Field::Double(number) => float(*number),
        Field::Str(text) => Json::String(text.clone()),
        Field::Bytes(bytes) => Json::String(String::from_utf8_lossy(bytes.data()).into_owned()),
        Field::Decimal(_) => Json::String(value.to_string()),
        Field::Group(row) => object(row.get_column_iter().map(|(name, value)| (name.clone(), value))),
        Field::ListInternal(list) => Json::Array(list.elements().iter().map(json).collect()),
        Field::MapInternal(map) => {
            let name = |key: &Field| if let Field::Str(text) = key { text.clone() } else { key.to_string() };
            object(map.entries().iter().map(|(key, value)| (name(key), value)))
        }
    }
}

/// Bytes that a value takes, about: those of its texts, and a few for each value in it.
fn size(value: &Field) -> usize {
    let inner: usize = match value {
        Field::Str(text) => text.len(),
        Field::Bytes(bytes) => bytes.len(),
        Field::Group(row) => row_size(row),
        Field::ListInternal(list) => list.elements().iter().map(size).sum(),
        Field::MapInternal(map) => map.entries().iter().map(|(key, value)| size(key) + size(value)).sum(),
        _ => 0,
    };
    size_of::<Field>() + inner
}

fn row_size(row: &Record) -> usize {
    row.get_column_iter().map(|(_, value)| size(value)).sum()
}

fn float(number: f64) -> Json {
    Number::from_f64(number).map_or(Json::Null, Json::Number)
}

/// Cuts a file into rows.
pub struct ColumnReader {
    reader: ParquetRows,
    shared: Arc<FileContext>,
    longest: usize,
    rows: u64,
    failure: Option<CaseFileError>,
    ended: bool,
}

impl ColumnReader {
    /// Reads the footer of a file.
    pub fn new(file: File, longest: usize, shared: Arc<FileContext>) -> Result<Self, CaseFileError> {
        let reader = ParquetRows::new(file).map_err(|reason| broken(&shared, &reason))?;
        Ok(Self { reader, shared, longest, rows: 0, failure: None, ended: false })
    }

    /// Parquet is read from its end, so a stream is laid down in an unnamed temporary file first.
    pub fn from_stream(
        mut stream: Box<dyn Read + Send>,
        longest: usize,
        shared: Arc<FileContext>,
    ) -> Result<Self, CaseFileError> {
        let io_error = |source| CaseFileError::Io { file: shared.file.clone(), source };
        let mut file = tempfile::tempfile().map_err(io_error)?;
        std::io::copy(&mut stream, &mut file).map_err(io_error)?;
        file.seek(SeekFrom::Start(0)).map_err(io_error)?;
        Self::new(file, longest, shared)
    }

    /// The names of the columns.
    pub fn columns(&self) -> Vec<String> {
        self.reader.columns().to_vec()
    }

    /// The next batch. A damaged file gives the rows before the damage, then the error.
    pub fn next(&mut self) -> Option<Result<CaseBatch, CaseFileError>> {
        let mut rows = Vec::new();
        let mut bytes = 0;
        while !self.ended && rows.len() < ROWS_IN_BATCH && bytes < BYTES_IN_BATCH {
            match self.reader.read() {
                Ok(Some(row)) => {
                    let size = row_size(&row);
                    if size > self.longest {
                        let number = self.rows + rows.len() as u64 + 1;
                        rows.push(Err(Box::new(self.too_long(number))));
                    } else {
                        bytes += size;
                        rows.push(Ok(row));
                    }
                }
                Ok(None) => self.ended = true,
                Err(reason) => {
                    self.ended = true;
                    self.failure = Some(broken(&self.shared, &reason));
                }
            }
        }
        if rows.is_empty() {
            return self.failure.take().map(Err);
        }
        let first = self.rows + 1;
        self.rows += rows.len() as u64;
        Some(Ok(CaseBatch { shared: Arc::clone(&self.shared), rows: RawRows::Columns(ColumnRows { rows, first }) }))
    }
}

impl ColumnReader {
    fn too_long(&self, number: u64) -> Problem {
        let problem = too_long(&self.shared.file, 0, self.longest);
        Problem { line: None, reason: format!("row {number}: {}", problem.reason), ..problem }
    }
}

fn broken(shared: &FileContext, reason: &str) -> CaseFileError {
    CaseFileError::broken(&shared.file, "Parquet", reason)
}
