//! [`FileRows`]: the rows of a file of results, whatever its format.

use std::io::BufRead;

use parquet::record::Field;

use super::csv_table::CsvTable;
use super::row_format::RowContent;
use super::scan::{self, JsonResults};
use crate::parquet_rows::ParquetRows;

type Reader = Box<dyn BufRead + Send>;

/// Reads rows of some kind.
pub(super) trait RowSource {
    /// What a row is.
    type Row;

    /// The next row; nothing at the end.
    fn read(&mut self) -> Result<Option<Self::Row>, String>;
}

/// The rows of a source, up to its end or its first error.
pub(super) struct Rows<S> {
    source: S,
    has_ended: bool,
}

impl<S> Rows<S> {
    pub(super) const fn new(source: S) -> Self {
        Self { source, has_ended: false }
    }
}

impl<S: RowSource> Iterator for Rows<S> {
    type Item = Result<S::Row, String>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let row = self.source.read().transpose();
        self.has_ended = !matches!(row, Some(Ok(_)));
        row
    }
}

/// The rows of a file, in its order. After an error there are no more.
pub struct FileRows(Rows<FormatRows>);

impl FileRows {
    pub(super) fn new(rows: FormatRows) -> Self {
        Self(Rows::new(rows))
    }

    /// Names of the columns, where it is a table.
    pub fn columns(&self) -> Option<&[String]> {
        match &self.0.source {
            FormatRows::Lines(_) | FormatRows::Values(_) | FormatRows::Page(_) => None,
            FormatRows::Table(table) => Some(&table.columns),
            FormatRows::Columns(rows) => Some(rows.columns()),
        }
    }
}

impl Iterator for FileRows {
    type Item = Result<RowContent, String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

/// The rows of a file of some format.
pub(super) enum FormatRows {
    /// Lines of JSON.
    Lines(LineRows<Reader>),
    /// Values of a JSON list.
    Values(JsonResults<Reader>),
    /// Records of a CSV file.
    Table(CsvTable<Reader>),
    /// Rows of a Parquet file.
    Columns(Box<ParquetRows>),
    /// Records of a page.
    Page(LineRows<Reader>),
}

impl RowSource for FormatRows {
    type Row = RowContent;

    fn read(&mut self) -> Result<Option<RowContent>, String> {
        let text = match self {
            Self::Lines(lines) => lines.read()?,
            Self::Values(values) => values.read()?,
            Self::Table(table) => table.read()?,
            Self::Columns(rows) => {
                let Some(row) = rows.read()? else { return Ok(None) };
                let cells = row.into_columns().into_iter().map(|(_, field)| cell(field)).collect();
                return Ok(Some(RowContent::Cells(cells)));
            }
            Self::Page(lines) => loop {
                match lines.read()? {
                    // A record stands on a line of its own; no other line of a page starts so.
                    Some(line) if line.starts_with("{\"line\":") => break Some(record(&line)?),
                    Some(_) => {}
                    None => break None,
                }
            },
        };
        Ok(text.map(RowContent::Text))
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
pub(super) struct LineRows<R> {
    reader: R,
}

impl<R> LineRows<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader }
    }
}

impl<R: BufRead> RowSource for LineRows<R> {
    type Row = String;

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

fn cell(field: Field) -> Option<String> {
    match field {
        Field::Null => None,
        Field::Str(text) => Some(text),
        Field::Double(number) => Some(format!("{number:?}")),
        other => Some(other.to_string()),
    }
}
