//! Where cases come from: a file, rows of Python, a stream of Arrow batches. All of them are cut into small batches that the
//! scoring threads look into.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{Array, RecordBatch, RecordBatchReader};
use probare_core::{CaseBatch, CaseSource, InputFile, SourceError};
use probare_formats::{FieldMap, TableBatcher};
use pyo3::prelude::*;
use pyo3::types::PyIterator;
use serde_json::{Map, Value as Json};

use crate::arrow::ArrowColumns;
use crate::column_checks;
use crate::python_json;

/// Rows that travel together.
const ROWS_IN_BATCH: usize = 256;

type NextBatch = Option<Result<Box<dyn CaseBatch>, SourceError>>;

/// Rows in memory have no digest that somebody else could compute; a manifest says of them what it says of standard input.
fn unnamed_input(rows: u64) -> Vec<InputFile> {
    vec![InputFile { path: "-".to_owned(), rows: Some(rows), ..InputFile::default() }]
}

/// What is learned of rows while they are read.
#[derive(Debug, Clone, Default)]
pub struct SeenRows(Arc<RowFacts>);

#[derive(Debug, Default)]
struct RowFacts {
    ids: AtomicU8,
    columns: Mutex<Vec<String>>,
}

impl SeenRows {
    const NUMBER: u8 = 1;
    const OTHER: u8 = 2;

    fn see_id(&self, is_number: bool) {
        self.0.ids.fetch_or(if is_number { Self::NUMBER } else { Self::OTHER }, Ordering::Relaxed);
    }

    /// Takes in the names of columns.
    pub fn see_columns<'a>(&self, names: impl Iterator<Item = &'a str>) {
        let mut columns = self.0.columns.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names {
            if !columns.iter().any(|known| known == name) {
                columns.push(name.to_owned());
            }
        }
    }

    /// Whether a row was seen at all.
    fn has_seen(&self) -> bool {
        self.0.ids.load(Ordering::Relaxed) != 0
    }

    /// Whether all ids that were seen are numbers, so that results can have them as numbers again.
    pub fn has_number_ids(&self) -> bool {
        self.0.ids.load(Ordering::Relaxed) == Self::NUMBER
    }

    /// The columns that were seen, those of the first rows where rows differ.
    pub fn columns(&self) -> Vec<String> {
        self.0.columns.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Anything in Python that gives one dict after the other.
pub struct IteratorSource {
    rows: Py<PyIterator>,
    tables: TableBatcher,
    has_ended: bool,
    fields: FieldMap,
    /// Mapped columns that no row has had yet.
    unseen: Vec<(&'static str, String)>,
    seen: SeenRows,
}

impl IteratorSource {
    /// The rows of an iterable.
    pub fn new(rows: &Bound<'_, PyAny>, name: &str, fields: &FieldMap, seen: &SeenRows) -> PyResult<Self> {
        Ok(Self {
            rows: rows.try_iter()?.unbind(),
            tables: TableBatcher::new(name, fields),
            has_ended: false,
            fields: fields.clone(),
            unseen: fields.iter().map(|(field, column)| (field, column.to_owned())).collect(),
            seen: seen.clone(),
        })
    }

    fn inspect_row(&mut self, row: &Map<String, Json>) {
        let id = self.fields.id_column(|name| row.get(name).is_some_and(|value| !value.is_null()));
        let id = id.and_then(|column| row.get(column));
        self.seen.see_id(id.is_some_and(|id| id.is_i64() || id.is_u64()));
        if self.tables.rows() == 0 {
            self.seen.see_columns(row.keys().map(String::as_str));
        }
        self.unseen.retain(|(_, path)| {
            let root = path.split('.').next().unwrap_or(path);
            !row.contains_key(path) && !row.contains_key(root)
        });
    }
}

impl CaseSource for IteratorSource {
    fn next_batch(&mut self) -> NextBatch {
        if self.has_ended {
            return None;
        }
        let taken = Python::attach(|py| -> PyResult<Vec<_>> {
            let mut rows = Vec::with_capacity(ROWS_IN_BATCH);
            let mut iterator = self.rows.bind(py).clone();
            while rows.len() < ROWS_IN_BATCH {
                let Some(row) = iterator.next() else {
                    self.has_ended = true;
                    break;
                };
                let row = python_json::row(&row?, |name| column_checks::is_read(&self.fields, name));
                if let Ok(row) = &row {
                    self.inspect_row(row);
                }
                rows.push(row);
            }
            Ok(rows)
        });
        match taken {
            // How many rows were lost is told by others.
            Ok(_) if self.has_ended && self.seen.has_seen() && !self.unseen.is_empty() => {
                let (field, column) = self.unseen.swap_remove(0);
                Some(Err(PyErr::from(column_checks::missing_column(field, &column, &[])).into()))
            }
            Ok(rows) if rows.is_empty() => None,
            Ok(rows) => Some(Ok(Box::new(self.tables.batch(Box::new(rows))))),
            Err(raised) => {
                self.has_ended = true;
                Some(Err(raised.into()))
            }
        }
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(unnamed_input(self.tables.rows()))
    }
}

/// A stream of Arrow batches.
pub struct ArrowSource {
    reader: Box<dyn RecordBatchReader + Send>,
    /// What is left of the last batch.
    rest: Option<RecordBatch>,
    tables: TableBatcher,
    fields: FieldMap,
    seen: SeenRows,
}

impl ArrowSource {
    /// The batches of a reader.
    pub fn new(reader: Box<dyn RecordBatchReader + Send>, name: &str, fields: &FieldMap, seen: &SeenRows) -> Self {
        Self { reader, rest: None, tables: TableBatcher::new(name, fields), fields: fields.clone(), seen: seen.clone() }
    }

    /// A single batch.
    pub fn from_batch(batch: RecordBatch, name: &str, fields: &FieldMap) -> Self {
        let nothing = arrow_array::RecordBatchIterator::new(Vec::new(), batch.schema());
        Self { rest: Some(batch), ..Self::new(Box::new(nothing), name, fields, &SeenRows::default()) }
    }

    fn inspect_batch(&self, batch: &RecordBatch) {
        let column = self.fields.id_column(|name| batch.column_by_name(name).is_some());
        let ids = column.and_then(|name| batch.column_by_name(name));
        self.seen.see_id(ids.is_some_and(|ids| ids.data_type().is_integer() && ids.null_count() == 0));
    }
}

impl CaseSource for ArrowSource {
    fn next_batch(&mut self) -> NextBatch {
        let whole = loop {
            match self.rest.take() {
                Some(batch) if batch.num_rows() > 0 => break batch,
                _ => match self.reader.next()? {
                    Ok(batch) => {
                        self.inspect_batch(&batch);
                        self.rest = Some(batch);
                    }
                    Err(error) => return Some(Err(error.into())),
                },
            }
        };
        let taken = whole.num_rows().min(ROWS_IN_BATCH);
        self.rest = Some(whole.slice(taken, whole.num_rows() - taken));
        let table = ArrowColumns::new(&whole.slice(0, taken));
        Some(Ok(Box::new(self.tables.batch(Box::new(table)))))
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(unnamed_input(self.tables.rows()))
    }
}
