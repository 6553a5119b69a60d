//! Where cases come from: a file, rows of Python, a stream of Arrow batches. All of them are cut into small batches that the
//! scoring threads look into.

use arrow_array::{RecordBatch, RecordBatchReader};
use probare_cases::{FieldMap, Tables};
use probare_core::{Batch, Input, Source, SourceError};
use pyo3::prelude::*;
use pyo3::types::PyIterator;

use crate::arrow::Columns;
use crate::objects::object;

/// Rows that travel together.
const ROWS_IN_BATCH: usize = 256;

type Cut = Option<Result<Box<dyn Batch>, SourceError>>;

/// Rows in memory have no digest that somebody else could compute; a manifest says of them what it says of standard input.
fn unnamed(rows: u64) -> Vec<Input> {
    vec![Input { path: "-".to_owned(), rows: Some(rows), ..Input::default() }]
}

/// Anything in Python that gives one dict after the other.
pub struct Iterated {
    rows: Py<PyIterator>,
    tables: Tables,
    has_ended: bool,
}

impl Iterated {
    /// The rows of an iterable.
    pub fn new(rows: &Bound<'_, PyAny>, name: &str, fields: &FieldMap) -> PyResult<Self> {
        Ok(Self { rows: rows.try_iter()?.unbind(), tables: Tables::new(name, fields), has_ended: false })
    }
}

impl Source for Iterated {
    fn next_batch(&mut self) -> Cut {
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
                rows.push(object(&row?));
            }
            Ok(rows)
        });
        match taken {
            Ok(rows) if rows.is_empty() => None,
            Ok(rows) => Some(Ok(Box::new(self.tables.batch(Box::new(rows))))),
            Err(raised) => {
                self.has_ended = true;
                Some(Err(raised.into()))
            }
        }
    }

    fn inputs(&mut self) -> Result<Vec<Input>, SourceError> {
        Ok(unnamed(self.tables.rows()))
    }
}

/// A stream of Arrow batches.
pub struct Streamed {
    reader: Box<dyn RecordBatchReader + Send>,
    /// What is left of the last batch.
    rest: Option<RecordBatch>,
    tables: Tables,
}

impl Streamed {
    /// The batches of a reader.
    pub fn new(reader: Box<dyn RecordBatchReader + Send>, name: &str, fields: &FieldMap) -> Self {
        Self { reader, rest: None, tables: Tables::new(name, fields) }
    }

    /// A single batch.
    pub fn one(batch: RecordBatch, name: &str, fields: &FieldMap) -> Self {
        let nothing = arrow_array::RecordBatchIterator::new(Vec::new(), batch.schema());
        Self { reader: Box::new(nothing), rest: Some(batch), tables: Tables::new(name, fields) }
    }
}

impl Source for Streamed {
    fn next_batch(&mut self) -> Cut {
        let whole = loop {
            match self.rest.take() {
                Some(batch) if batch.num_rows() > 0 => break batch,
                _ => match self.reader.next()? {
                    Ok(batch) => self.rest = Some(batch),
                    Err(error) => return Some(Err(error.into())),
                },
            }
        };
        let taken = whole.num_rows().min(ROWS_IN_BATCH);
        self.rest = Some(whole.slice(taken, whole.num_rows() - taken));
        let table = Columns::new(&whole.slice(0, taken));
        Some(Ok(Box::new(self.tables.batch(Box::new(table)))))
    }

    fn inputs(&mut self) -> Result<Vec<Input>, SourceError> {
        Ok(unnamed(self.tables.rows()))
    }
}
