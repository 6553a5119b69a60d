//! [`FileRows`]: the rows of a file of results, whatever its format.

use std::fs::File;
use std::io::BufRead;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::record::reader::RowIter;

use super::catch_decoder_panic;
use super::csv_table::CsvTable;
use super::row_format::RowContent;
use super::scan::{self, JsonResults};

type Reader = Box<dyn BufRead + Send>;

/// The rows of a file, in its order. After an error there are no more.
pub enum FileRows {
    /// Lines of JSON.
    Lines(Box<LineRows<Reader>>),
    /// Values of a JSON list.
    Values(Box<JsonResults<Reader>>),
    /// Records of a CSV file.
    Table(Box<CsvTable<Reader>>),
    /// Rows of a Parquet file.
    Columns(Box<ParquetRows>),
    /// Records of a page.
    Page(Box<LineRows<Reader>>),
}

impl FileRows {
    /// Names of the columns, where it is a table.
    pub fn columns(&self) -> Option<&[String]> {
        match self {
            Self::Lines(_) | Self::Values(_) | Self::Page(_) => None,
            Self::Table(table) => Some(&table.columns),
            Self::Columns(columns) => Some(&columns.names),
        }
    }
}

impl Iterator for FileRows {
    type Item = Result<RowContent, String>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Lines(lines) => lines.next().map(|line| line.map(RowContent::Text)),
            Self::Values(values) => values.next().map(|value| value.map(RowContent::Text)),
            Self::Table(table) => table.next().map(|row| row.map(RowContent::Text)),
            Self::Columns(columns) => columns.next().map(|row| row.map(RowContent::Cells)),
            Self::Page(lines) => lines.find_map(|line| match line {
                // A record stands on a line of its own; no other line of a page starts so.
                Ok(line) => line.starts_with("{\"line\":").then(|| record(&line).map(RowContent::Text)),
                Err(reason) => Some(Err(reason)),
            }),
        }
    }
}

/// The result line in the record of a case on a page.
fn record(text: &str) -> Result<String, String> {
    #[derive(serde::Deserialize)]
    struct Record {
        line: serde_json::Value,
    }
    let record: Record = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(record.line.to_string())
}

/// Lines without their breaks.
pub struct LineRows<R> {
    reader: R,
    has_ended: bool,
}

impl<R: BufRead> LineRows<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, has_ended: false }
    }

    fn read(&mut self) -> Result<Option<String>, String> {
        let mut line = Vec::new();
        if !scan::line(&mut self.reader, &mut line).map_err(|error| error.to_string())? {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        String::from_utf8(line).map(Some).map_err(|_| "a line is not UTF-8".to_owned())
    }
}

impl<R: BufRead> Iterator for LineRows<R> {
    type Item = Result<String, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let read = self.read();
        self.has_ended = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}

/// Rows of a Parquet file, cell by cell as text.
pub struct ParquetRows {
    rows: RowIter<'static>,
    names: Vec<String>,
    has_ended: bool,
}

impl ParquetRows {
    pub(super) fn new(reader: SerializedFileReader<File>) -> Self {
        let schema = reader.metadata().file_metadata().schema();
        let names = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
        Self { rows: RowIter::from_file_into(Box::new(reader)), names, has_ended: false }
    }
}

impl Iterator for ParquetRows {
    type Item = Result<Vec<Option<String>>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let rows = &mut self.rows;
        let read = catch_decoder_panic(|| rows.next().transpose().map_err(|error| error.to_string()));
        self.has_ended = !matches!(read, Ok(Some(_)));
        let row = match read {
            Ok(row) => row?,
            Err(reason) => return Some(Err(reason)),
        };
        Some(Ok(row.into_columns().into_iter().map(|(_, field)| cell(field)).collect()))
    }
}

fn cell(field: Field) -> Option<String> {
    match field {
        Field::Null => None,
        Field::Str(text) => Some(text),
        Field::Double(number) => Some(format!("{number:?}")),
        other => Some(other.to_string()),
    }
}
