//! [`CaseBatch`]: raw rows, and how one becomes a case.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use probare_core::{Case, Citation, Field, Output, Passage, Problem};
use serde_json::{Map, Value as Json, json};

use crate::agents::{self, ColumnMismatch};
use crate::cases::{columns::ColumnRows, csv::CsvRows, json::JsonRows, table::TableRows};
use crate::cells::{RowCell, RowColumns, elements, members, unquoted};
use crate::names::ColumnNames;

/// What all rows of a file share.
#[derive(Debug)]
pub(crate) struct FileContext {
    /// File name as given.
    pub file: String,
    /// Which column becomes which field.
    pub names: ColumnNames,
}

/// Some rows of a file, not yet looked into.
#[derive(Debug)]
pub struct CaseBatch {
    pub(crate) shared: Arc<FileContext>,
    pub(crate) rows: RawRows,
}

#[derive(Debug)]
pub(crate) enum RawRows {
    Json(JsonRows),
    Csv(CsvRows),
    Columns(ColumnRows),
    Table(TableRows),
    /// What needs no further look: cases of traces.
    Made(Vec<Result<Case, Problem>>),
    /// A row that could not even be cut out of the file.
    Bad(Box<Problem>),
}

/// Where a row stands and what to call it when it has no id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowOrigin {
    /// Line, counted from 1, where the file has lines.
    pub line: Option<u64>,
    /// The id of a row without one: its line, or its number where a file has no lines.
    pub number: u64,
}

impl CaseBatch {
    /// How many rows it holds.
    pub fn len(&self) -> usize {
        match &self.rows {
            RawRows::Json(rows) => rows.len(),
            RawRows::Csv(rows) => rows.len(),
            RawRows::Columns(rows) => rows.len(),
            RawRows::Table(rows) => rows.len(),
            // A remark is no row.
            RawRows::Made(rows) => rows.iter().filter(|row| !row.as_ref().is_err_and(|problem| !problem.lost)).count(),
            RawRows::Bad(_) => 1,
        }
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Turns every row into a case or a problem, in order.
    pub fn cases(&self) -> Vec<Result<Case, Problem>> {
        self.read()
    }

    fn read(&self) -> Vec<Result<Case, Problem>> {
        match &self.rows {
            RawRows::Json(rows) => rows.cases(&self.shared),
            RawRows::Csv(rows) => rows.cases(&self.shared),
            RawRows::Columns(rows) => rows.cases(&self.shared),
            RawRows::Table(rows) => rows.cases(&self.shared),
            RawRows::Made(rows) => rows.clone(),
            RawRows::Bad(problem) => vec![Err(problem.as_ref().clone())],
        }
    }
}

impl probare_core::CaseBatch for CaseBatch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        self.read()
    }
}

/// Some of the rows of a batch, by their numbers in it.
pub(crate) struct SelectedRows {
    pub(crate) batch: CaseBatch,
    pub(crate) rows: BTreeSet<u64>,
}

impl probare_core::CaseBatch for SelectedRows {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let is_row = |row: &Result<Case, Problem>| row.as_ref().map_or_else(|problem| problem.lost, |_| true);
        let rows = (0..).zip(self.batch.read().into_iter().filter(is_row));
        rows.filter(|(number, _)| self.rows.contains(number)).map(|(_, row)| row).collect()
    }
}

impl FileContext {
    /// A row that is lost.
    pub fn lost(&self, line: Option<u64>, column: Option<u64>, reason: impl Into<String>) -> Problem {
        Problem { file: self.file.clone(), line, column, reason: reason.into(), hint: None, lost: true, id: None }
    }

    /// A case from the columns of a row.
    pub fn case(&self, row: &mut RowColumns<'_>, origin: RowOrigin) -> Result<Case, RowError> {
        let mut id = String::new();
        case_of(row, origin, &mut id).map_err(|unfit| match unfit {
            ColumnError::Json(error) => RowError::Json(error),
            ColumnError::Column { column, reason } => {
                let mut problem = self.lost(origin.line, None, format!("`{column}` {reason}"));
                problem.id = Some(id).filter(|id| !id.is_empty());
                problem.hint = Some("correct the row, or map the right column to the field".to_owned());
                RowError::Problem(problem)
            }
        })
    }

    /// The same for rows that hold no JSON as it is written.
    pub fn plain_case(&self, row: &mut RowColumns<'_>, origin: RowOrigin) -> Result<Case, Problem> {
        self.case(row, origin).map_err(|unread| match unread {
            RowError::Problem(problem) => problem,
            RowError::Json(error) => self.lost(origin.line, None, format!("a cell is not valid JSON: {error}")),
        })
    }
}

/// Why a row is no case.
pub(crate) enum RowError {
    /// A column does not fit.
    Problem(Problem),
    /// The row is not valid JSON after all.
    Json(serde_json::Error),
}

/// The case of a row. Its id is told also where there is none.
fn case_of(row: &mut RowColumns<'_>, origin: RowOrigin, id: &mut String) -> Result<Case, ColumnError> {
    *id = match row.take(None)? {
        Some((column, cell)) => text(ColumnPosition::new(&column), cell)?,
        None => origin.number.to_string(),
    };
    let mut said = Vec::new();
    let query = field(row, Field::Query, |spot, cell| spoken_or(spot, cell, &mut said, text))?.flatten();
    let asked = said.len();
    let response = field(row, Field::Response, |spot, cell| spoken_or(spot, cell, &mut said, output))?.flatten();
    let context = field(row, Field::Context, passages)?;
    let reference = field(row, Field::Reference, texts)?;
    let citations = field(row, Field::Citations, citations)?;
    let retrieved = field(row, Field::Retrieved, texts)?;
    let relevant = field(row, Field::Relevant, texts)?;
    let tags = field(row, Field::Tags, texts)?.unwrap_or_default();
    let mut metadata = field(row, Field::Metadata, object)?.unwrap_or_default();
    let mut case = Case::default();
    for field in agents::FIELDS {
        if let Some((column, cell)) = row.take(Some(field))? {
            agents::read_mapped_column(&mut case, field, &column, &cell.into_json()?)?;
        }
    }
    if !said.is_empty() {
        let question = query.as_ref().filter(|_| asked == 0).map(|text| json!({"role": "user", "content": text}));
        let list: Vec<Json> = question.into_iter().chain(said).collect();
        agents::read_mapped_column(&mut case, Field::Messages, "messages", &Json::Array(list))?;
    }
    let mut rest = row.remaining()?;
    agents::take_agent_columns(&mut case, &mut rest)?;
    case = Case { query, response, context, reference, citations, retrieved, relevant, tags, ..case };
    agents::fill_query_and_response(&mut case);
    case.response = case.response.map(|output| output.signed(&rest));
    if metadata.is_empty() {
        metadata = rest;
    } else {
        for (name, value) in rest {
            let name = if metadata.contains_key(&name) { format!("row.{name}") } else { name };
            metadata.insert(name, value);
        }
    }
    Ok(Case { id: std::mem::take(id), metadata, ..case })
}

/// A question or an answer; where it is a list of messages, as requests and responses of models have it, they are put with
/// what was said.
fn spoken_or<T>(
    spot: ColumnPosition<'_>,
    cell: RowCell<'_>,
    said: &mut Vec<Json>,
    read: impl FnOnce(ColumnPosition<'_>, RowCell<'_>) -> Result<T, ColumnError>,
) -> Result<Option<T>, ColumnError> {
    let is_list =
        matches!(&cell, RowCell::Value(Json::Array(_))) || matches!(&cell, RowCell::Raw(raw) if raw.starts_with('['));
    if !is_list {
        return read(spot, cell).map(Some);
    }
    let value = cell.into_json()?;
    if let Json::Array(list) = &value
        && agents::is_conversation(list)
    {
        said.extend_from_slice(list);
        return Ok(None);
    }
    read(spot, RowCell::Value(value)).map(Some)
}

fn field<T>(
    row: &mut RowColumns<'_>,
    field: Field,
    read: impl FnOnce(ColumnPosition<'_>, RowCell<'_>) -> Result<T, ColumnError>,
) -> Result<Option<T>, ColumnError> {
    match row.take(Some(field))? {
        Some((column, cell)) => read(ColumnPosition::new(&column), cell).map(Some),
        None => Ok(None),
    }
}

/// A column, or an item of the list in it.
#[derive(Clone, Copy)]
struct ColumnPosition<'a> {
    column: &'a str,
    item: Option<usize>,
}

impl<'a> ColumnPosition<'a> {
    const fn new(column: &'a str) -> Self {
        Self { column, item: None }
    }

    const fn item(self, index: usize) -> Self {
        Self { item: Some(index), ..self }
    }
}

impl fmt::Display for ColumnPosition<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.item {
            Some(index) => write!(formatter, "{}[{index}]", self.column),
            None => formatter.write_str(self.column),
        }
    }
}

/// Why a row gives no case.
enum ColumnError {
    /// The value of a column is not what its field needs.
    Column { column: String, reason: String },
    /// It is not JSON, which shows only when it is read.
    Json(serde_json::Error),
}

impl From<serde_json::Error> for ColumnError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

impl From<ColumnMismatch> for ColumnError {
    fn from(misfit: ColumnMismatch) -> Self {
        Self::Column { column: misfit.column, reason: misfit.reason }
    }
}

impl ColumnError {
    fn new(spot: ColumnPosition<'_>, wanted: &str, found: &str) -> Self {
        Self::Column { column: spot.to_string(), reason: format!("must be {wanted}, but it is {found}") }
    }
}

/// What a JSON value is, in words.
pub(crate) fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

/// A text; numbers and truth values are taken as they are written.
fn text(spot: ColumnPosition<'_>, cell: RowCell<'_>) -> Result<String, ColumnError> {
    let found = match cell {
        RowCell::Text(text) | RowCell::Plain(text) => return Ok(text.to_owned()),
        RowCell::Raw(raw) => match raw.as_bytes().first() {
            Some(b'"') => return Ok(unquoted(raw)?),
            Some(b'[') => "a list",
            Some(b'{') => "an object",
            Some(b'n') => "null",
            _ => return Ok(raw.to_owned()),
        },
        RowCell::Value(Json::String(text)) => return Ok(text),
        RowCell::Value(value @ (Json::Number(_) | Json::Bool(_))) => return Ok(value.to_string()),
        RowCell::Value(other) => kind(&other),
        RowCell::Taken => kind(&Json::Null),
    };
    Err(ColumnError::new(spot, "a text", found))
}

/// An output: its text, or an object that also says whose it is, as exports of runs and imports have it.
fn output(spot: ColumnPosition<'_>, cell: RowCell<'_>) -> Result<Output, ColumnError> {
    let object = match cell {
        RowCell::Raw(raw) if raw.starts_with('{') => serde_json::from_str(raw)?,
        RowCell::Value(object @ Json::Object(_)) => object,
        other => return text(spot, other).map(Output::new),
    };
    serde_json::from_value(object)
        .map_err(|_| ColumnError::new(spot, "a text, or an object with `text`, `model` and `repeat`", "another object"))
}

/// What a list column holds.
enum Items<'a> {
    List(Vec<RowCell<'a>>),
    Single(RowCell<'a>),
}

fn items(cell: RowCell<'_>) -> Result<Items<'_>, ColumnError> {
    Ok(match cell.expand_text() {
        RowCell::Raw(raw) if raw.starts_with('[') => {
            Items::List(elements(raw)?.into_iter().map(RowCell::Raw).collect())
        }
        RowCell::Value(Json::Array(list)) => Items::List(list.into_iter().map(RowCell::Value).collect()),
        single => Items::Single(single),
    })
}

/// A list of texts; a single text is a list of one.
fn texts(spot: ColumnPosition<'_>, cell: RowCell<'_>) -> Result<Vec<String>, ColumnError> {
    match items(cell)? {
        Items::List(list) => list.into_iter().enumerate().map(|(index, item)| text(spot.item(index), item)).collect(),
        Items::Single(RowCell::Value(Json::Object(_))) => {
            Err(ColumnError::new(spot, "a text or a list of texts", "an object"))
        }
        Items::Single(RowCell::Raw(raw)) if raw.starts_with('{') => {
            Err(ColumnError::new(spot, "a text or a list of texts", "an object"))
        }
        Items::Single(single) => text(spot, single).map(|text| vec![text]),
    }
}

/// A list of passages: texts, or objects with `page_content` or `text`.
fn passages(spot: ColumnPosition<'_>, cell: RowCell<'_>) -> Result<Vec<Passage>, ColumnError> {
    match items(cell)? {
        Items::List(list) => {
            list.into_iter().enumerate().map(|(index, item)| passage(spot.item(index), item)).collect()
        }
        Items::Single(single) => Ok(vec![passage(spot.item(0), single)?]),
    }
}

fn passage(spot: ColumnPosition<'_>, item: RowCell<'_>) -> Result<Passage, ColumnError> {
    let mut object: Vec<(Cow<'_, str>, RowCell<'_>)> = match item {
        RowCell::Raw(raw) if raw.starts_with('{') => {
            members(raw)?.into_iter().map(|(name, raw)| (name, RowCell::Raw(raw))).collect()
        }
        RowCell::Value(Json::Object(map)) => {
            map.into_iter().map(|(name, value)| (Cow::Owned(name), RowCell::Value(value))).collect()
        }
        single => return text(spot, single).map(|text| Passage { text, metadata: Map::new() }),
    };
    let mut remove = |name: &str| {
        // The last of several members of one name counts.
        let found = object.iter().rposition(|(known, _)| known == name)?;
        let cell = std::mem::replace(&mut object[found].1, RowCell::Taken);
        object.retain(|(known, _)| known != name);
        Some(cell)
    };
    let Some(content) = ["page_content", "text", "content"].into_iter().find_map(&mut remove) else {
        let reason = "must be a text or an object with `page_content` or `text`".to_owned();
        return Err(ColumnError::Column { column: spot.to_string(), reason });
    };
    // A passage whose content is null has nothing in it; that is for a metric to report, not for the reader.
    let text = if content.is_null() { String::new() } else { text(spot, content)? };
    let mut metadata = match remove("metadata").map(RowCell::into_json).transpose()? {
        Some(Json::Object(map)) => map,
        Some(Json::Null) | None => Map::new(),
        Some(other) => {
            let reason = format!("must be an object, but it is {}", kind(&other));
            return Err(ColumnError::Column { column: format!("{spot}.metadata"), reason });
        }
    };
    for (name, cell) in object {
        metadata.insert(name.into_owned(), cell.into_json()?);
    }
    Ok(Passage { text, metadata })
}

fn citations(spot: ColumnPosition<'_>, cell: RowCell<'_>) -> Result<Vec<Citation>, ColumnError> {
    let list = match cell.into_json()? {
        Json::Array(list) => list,
        other => return Err(ColumnError::new(spot, "a list of citations", kind(&other))),
    };
    list.into_iter()
        .enumerate()
        .map(|(index, item)| {
            let spot = spot.item(index);
            if !item.is_object() {
                return Err(ColumnError::new(spot, "an object with `source_index` and `quote`", kind(&item)));
            }
            serde_json::from_value(item).map_err(|error| ColumnError::Column {
                column: spot.to_string(),
                reason: format!("does not fit: {error}"),
            })
        })
        .collect()
}

fn object(spot: ColumnPosition<'_>, cell: RowCell<'_>) -> Result<Map<String, Json>, ColumnError> {
    match cell.into_json()? {
        Json::Object(map) => Ok(map),
        other => Err(ColumnError::new(spot, "an object", kind(&other))),
    }
}
