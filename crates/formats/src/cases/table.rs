//! [`Table`]: rows that lie in memory already, in columns or as values, whoever holds them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use probare_core::{Case, Problem};
use serde_json::{Map, Value as Json};

use crate::FieldMap;
use crate::cells::{RowCell, RowColumns};
use crate::names::ColumnNames;
use crate::row::{CaseBatch, FileContext, RawRows, RowOrigin};

/// What stands in a column of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum TableCell<'a> {
    /// A text.
    Text(&'a str),
    /// Any other value; `null` counts as absent.
    Value(Json),
}

/// Some rows in memory. They are looked into on the scoring threads.
pub trait RowTable: Send + fmt::Debug {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// Hands out the columns of a row, by name; a row that is none says what it is instead.
    fn row<'a>(&'a self, at: usize, put: &mut dyn FnMut(&'a str, TableCell<'a>)) -> Result<(), String>;
}

/// Rows as objects, which need not have the same members, or what they are instead.
impl RowTable for Vec<Result<Map<String, Json>, String>> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn row<'a>(&'a self, at: usize, put: &mut dyn FnMut(&'a str, TableCell<'a>)) -> Result<(), String> {
        for (name, value) in self[at].as_ref().map_err(Clone::clone)? {
            put(
                name,
                match value {
                    Json::String(text) => TableCell::Text(text),
                    other => TableCell::Value(other.clone()),
                },
            );
        }
        Ok(())
    }
}

/// Makes batches of tables that belong together: they have one name and one mapping, and their rows are counted through.
///
/// ```
/// use probare_formats::{FieldMap, TableBatcher};
/// use probare_core::CaseBatch as _;
/// use serde_json::json;
///
/// let mut tables = TableBatcher::new("rows", &FieldMap::default());
/// let row = json!({"question": "Who?", "answer": "Ada"}).as_object().unwrap().clone();
/// let batch = tables.batch(Box::new(vec![Ok(row)]));
/// let case = batch.cases().remove(0).unwrap();
/// assert_eq!((case.id.as_str(), case.query.as_deref()), ("1", Some("Who?")));
/// ```
#[derive(Debug)]
pub struct TableBatcher {
    shared: Arc<FileContext>,
    rows: u64,
}

impl TableBatcher {
    /// `name` is what messages call the rows.
    pub fn new(name: &str, fields: &FieldMap) -> Self {
        Self { shared: Arc::new(FileContext { file: name.to_owned(), names: ColumnNames::new(fields) }), rows: 0 }
    }

    /// The rows of a table, not yet looked into. A row without an id is called by its number, counted from 1.
    pub fn batch(&mut self, table: Box<dyn RowTable>) -> CaseBatch {
        let first = self.rows + 1;
        self.rows += table.rows() as u64;
        CaseBatch { shared: Arc::clone(&self.shared), rows: RawRows::Table(TableRows { table, first }) }
    }

    /// How many rows there were.
    pub const fn rows(&self) -> u64 {
        self.rows
    }
}

/// A table and the number of its first row.
#[derive(Debug)]
pub(crate) struct TableRows {
    table: Box<dyn RowTable>,
    first: u64,
}

impl TableRows {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.table.rows()
    }

    /// Reads every row.
    pub(crate) fn cases(&self, shared: &FileContext) -> Vec<Result<Case, Problem>> {
        let mut columns = RowColumns::new(&shared.names);
        (self.first..)
            .zip(0..self.table.rows())
            .map(|(number, at)| {
                columns.clear();
                self.table
                    .row(at, &mut |name, given| {
                        let cell = match given {
                            TableCell::Text(text) => RowCell::Plain(text),
                            TableCell::Value(value) => RowCell::Value(value),
                        };
                        columns.push(Cow::Borrowed(name), shared.names.number(name), cell);
                    })
                    .map_err(|reason| shared.lost(None, None, reason))
                    .and_then(|()| shared.plain_case(&mut columns, RowOrigin { line: None, number }))
                    .map_err(|mut problem| {
                        problem.reason = format!("row {number}: {}", problem.reason);
                        problem
                    })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Json) -> Result<Map<String, Json>, String> {
        if let Json::Object(object) = value { Ok(object) } else { Err("no object".to_owned()) }
    }

    #[test]
    fn rows_of_several_tables_are_counted_through() {
        let mut tables = TableBatcher::new("rows", &FieldMap::parse(&["response=said"]).unwrap());
        let first = tables.batch(Box::new(vec![object(json!({"said": "a"})), object(json!({"id": 7, "said": "b"}))]));
        let second = tables.batch(Box::new(vec![object(json!({"said": "c", "reference": ["x", 2], "more": null}))]));
        let cases: Vec<Case> = first.cases().into_iter().chain(second.cases()).map(Result::unwrap).collect();
        let ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!((ids, tables.rows()), (vec!["1", "7", "3"], 3));
        assert_eq!(cases[2].reference.as_deref(), Some(["x".to_owned(), "2".to_owned()].as_slice()));
        assert!(cases[2].metadata.is_empty());
    }

    #[test]
    fn a_text_that_looks_like_a_list_is_a_text() {
        let mut tables = TableBatcher::new("rows", &FieldMap::default());
        let batch = tables.batch(Box::new(vec![object(json!({"reference": "[1]", "other": "{}"}))]));
        let case = batch.cases().remove(0).unwrap();
        assert_eq!(case.reference, Some(vec!["[1]".to_owned()]));
        assert_eq!(case.metadata["other"], "{}");
    }

    #[test]
    fn a_row_that_does_not_fit_is_named_by_its_number() {
        let mut tables = TableBatcher::new("rows", &FieldMap::default());
        let problem = tables.batch(Box::new(vec![object(json!({"response": ["a"]}))])).cases().remove(0).unwrap_err();
        assert_eq!(problem.reason, "row 1: `response` must be a text, but it is a list");
        assert!(problem.lost);
        assert_eq!(problem.id.as_deref(), Some("1"));
        let problem = tables.batch(Box::new(vec![object(json!(["a"]))])).cases().remove(0).unwrap_err();
        assert_eq!((problem.reason.as_str(), problem.id), ("row 2: no object", None));
        let row = json!({"id": 7, "response": ["a"]});
        let problem = tables.batch(Box::new(vec![object(row)])).cases().remove(0).unwrap_err();
        assert_eq!(problem.id.as_deref(), Some("7"));
    }
}
