//! Comma- or tab-separated values with a header.
//!
//! A cell that starts with `[` or `{` in a list or object column is read as JSON. An empty cell is an empty text for
//! `query` and `response` and nothing at all for every other field, since CSV cannot tell the two apart.

use std::io::Read;
use std::sync::Arc;

use ::csv::{ByteRecord, ErrorKind, ReaderBuilder};
use probare_core::{Case, Field, Problem};
use serde_json::{Map, Value as Json};

use crate::OpenError;
use crate::row::{Batch, Origin, RawRows, Shared};

const ROWS_IN_BATCH: usize = 256;

/// Raw records and the header they share.
#[derive(Debug)]
pub struct CsvRows {
    header: Arc<Vec<String>>,
    records: Vec<ByteRecord>,
}

impl CsvRows {
    /// How many there are.
    pub const fn len(&self) -> usize {
        self.records.len()
    }

    /// Reads every record.
    pub fn cases(&self, shared: &Shared) -> Vec<Result<Case, Problem>> {
        self.records.iter().map(|record| self.case(record, shared)).collect()
    }

    fn case(&self, record: &ByteRecord, shared: &Shared) -> Result<Case, Problem> {
        let line = record.position().map_or(0, ::csv::Position::line);
        let mut row = Map::new();
        for (name, cell) in self.header.iter().zip(record) {
            let cell = std::str::from_utf8(cell).map_err(|_| {
                let mut problem = shared.lost(Some(line), None, format!("column `{name}` is not valid UTF-8"));
                problem.hint = Some("save the file as UTF-8, for example with `iconv -f latin1 -t utf-8`".to_owned());
                problem
            })?;
            if cell.is_empty() && !keeps_empty(name) {
                continue;
            }
            row.insert(name.clone(), value(cell));
        }
        for name in [Field::Query, Field::Response] {
            texts_stay_texts(&mut row, name);
        }
        shared.case(row, Origin { line: Some(line), number: line })
    }
}

fn names(field: Field) -> impl Iterator<Item = &'static str> {
    std::iter::once(field.name()).chain(field.aliases().iter().copied())
}

fn keeps_empty(name: &str) -> bool {
    [Field::Query, Field::Response].into_iter().flat_map(names).any(|known| known == name)
}

/// A cell that looks like a JSON list or object is one, if it can be read as such; everything else is text.
fn value(cell: &str) -> Json {
    if cell.starts_with(['[', '{'])
        && let Ok(value) = serde_json::from_str(cell)
    {
        return value;
    }
    Json::String(cell.to_owned())
}

/// An answer that happens to be JSON is still the answer as written.
fn texts_stay_texts(row: &mut Map<String, Json>, field: Field) {
    for name in names(field) {
        if let Some(cell @ (Json::Array(_) | Json::Object(_))) = row.get_mut(name) {
            *cell = Json::String(cell.to_string());
        }
    }
}

/// Cuts a file into records.
pub struct CsvReader {
    reader: ::csv::Reader<Box<dyn Read + Send>>,
    header: Arc<Vec<String>>,
    shared: Arc<Shared>,
    waiting: Option<Problem>,
    ended: bool,
}

impl CsvReader {
    /// Reads the header.
    pub fn new(reader: Box<dyn Read + Send>, delimiter: u8, shared: Arc<Shared>) -> Result<Self, OpenError> {
        let mut reader = ReaderBuilder::new().delimiter(delimiter).from_reader(reader);
        let broken = |reason: String| OpenError::Broken { file: shared.file.clone(), format: "CSV", reason };
        let header = match reader.byte_headers() {
            Ok(header) => header.clone(),
            Err(error) => {
                let reason = error.to_string();
                return Err(match error.into_kind() {
                    ErrorKind::Io(source) => OpenError::Io { file: shared.file.clone(), source },
                    _ => broken(reason),
                });
            }
        };
        let mut columns: Vec<String> = Vec::with_capacity(header.len());
        for cell in &header {
            let name = std::str::from_utf8(cell).map_err(|_| broken("its header is not valid UTF-8".to_owned()))?;
            let name = name.trim_start_matches('\u{feff}').trim().to_owned();
            if !name.is_empty() && columns.contains(&name) {
                return Err(broken(format!("the column `{name}` stands in its header twice")));
            }
            columns.push(name);
        }
        Ok(Self { reader, header: Arc::new(columns), shared, waiting: None, ended: false })
    }

    /// The next batch.
    pub fn next(&mut self) -> Option<Result<Batch, OpenError>> {
        let mut records = Vec::new();
        while !self.ended && self.waiting.is_none() && records.len() < ROWS_IN_BATCH {
            let mut record = ByteRecord::new();
            match self.reader.read_byte_record(&mut record) {
                Ok(true) => records.push(record),
                Ok(false) => self.ended = true,
                Err(error) => {
                    if let ErrorKind::UnequalLengths { pos, expected_len, len } = error.kind() {
                        let line = pos.as_ref().map(::csv::Position::line);
                        let reason = format!("the row has {len} cells, but the header has {expected_len}");
                        let mut problem = self.shared.lost(line, None, reason);
                        problem.hint = Some("put cells that hold commas or line ends in double quotes".to_owned());
                        self.waiting = Some(problem);
                    } else {
                        self.ended = true;
                        let source = std::io::Error::other(error.to_string());
                        return Some(Err(OpenError::Io { file: self.shared.file.clone(), source }));
                    }
                }
            }
        }
        let rows = if records.is_empty() {
            RawRows::Bad(Box::new(self.waiting.take()?))
        } else {
            RawRows::Csv(CsvRows { header: Arc::clone(&self.header), records })
        };
        Some(Ok(Batch { shared: Arc::clone(&self.shared), rows }))
    }
}
