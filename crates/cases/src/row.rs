//! [`Batch`]: raw rows, and how one becomes a case.

use std::sync::Arc;

use probare_core::{Case, Citation, Field, Output, Passage, Problem};
use serde_json::{Map, Value as Json};

use crate::FieldMap;
use crate::formats::{columns::ColumnRows, csv::CsvRows, json::JsonRows};

/// What all rows of a file share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// File name as given.
    pub file: String,
    /// Which column becomes which field.
    pub fields: FieldMap,
}

/// Some rows of a file, not yet looked into.
#[derive(Debug)]
pub struct Batch {
    pub(crate) shared: Arc<Shared>,
    pub(crate) rows: RawRows,
}

#[derive(Debug)]
pub(crate) enum RawRows {
    Json(JsonRows),
    Csv(CsvRows),
    Columns(ColumnRows),
    /// A row that could not even be cut out of the file.
    Bad(Box<Problem>),
}

/// Where a row stands and what to call it when it has no id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    /// Line, counted from 1, where the file has lines.
    pub line: Option<u64>,
    /// The id of a row without one: its line, or its number where a file has no lines.
    pub number: u64,
}

impl Batch {
    /// How many rows it holds.
    pub fn len(&self) -> usize {
        match &self.rows {
            RawRows::Json(rows) => rows.len(),
            RawRows::Csv(rows) => rows.len(),
            RawRows::Columns(rows) => rows.len(),
            RawRows::Bad(_) => 1,
        }
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Turns every row into a case or a problem, in order.
    pub fn cases(&self) -> Vec<Result<Case, Problem>> {
        match &self.rows {
            RawRows::Json(rows) => rows.cases(&self.shared),
            RawRows::Csv(rows) => rows.cases(&self.shared),
            RawRows::Columns(rows) => rows.cases(&self.shared),
            RawRows::Bad(problem) => vec![Err(problem.as_ref().clone())],
        }
    }
}

impl probare_core::Batch for Batch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        Self::cases(self)
    }
}

impl Shared {
    /// A row that is lost.
    pub fn lost(&self, line: Option<u64>, column: Option<u64>, reason: impl Into<String>) -> Problem {
        Problem { file: self.file.clone(), line, column, reason: reason.into(), hint: None, lost: true }
    }

    /// A case from the columns of a row.
    pub fn case(&self, mut row: Map<String, Json>, origin: Origin) -> Result<Case, Problem> {
        self.read(&mut row, origin).map_err(|Unfit { column, reason }| {
            let mut problem = self.lost(origin.line, None, format!("`{column}` {reason}"));
            problem.hint = Some("correct the row, or name the right column with --map FIELD=COLUMN".to_owned());
            problem
        })
    }

    fn read(&self, row: &mut Map<String, Json>, origin: Origin) -> Result<Case, Unfit> {
        let id = match self.fields.take_id(row) {
            Some(found) => text(found)?,
            None => origin.number.to_string(),
        };
        let query = self.fields.take(row, Field::Query).map(text).transpose()?;
        let response = self.fields.take(row, Field::Response).map(text).transpose()?.map(Output::new);
        let context = self.fields.take(row, Field::Context).map(passages).transpose()?;
        let reference = self.fields.take(row, Field::Reference).map(texts).transpose()?;
        let citations = self.fields.take(row, Field::Citations).map(citations).transpose()?;
        let retrieved = self.fields.take(row, Field::Retrieved).map(texts).transpose()?;
        let relevant = self.fields.take(row, Field::Relevant).map(texts).transpose()?;
        let tags = self.fields.take(row, Field::Tags).map(texts).transpose()?.unwrap_or_default();
        let mut metadata = match self.fields.take(row, Field::Metadata) {
            Some((_, Json::Object(map))) => map,
            Some((column, other)) => return Err(Unfit::new(column, "an object", &other)),
            None => Map::new(),
        };
        for (name, value) in std::mem::take(row) {
            if value.is_null() {
                continue;
            }
            let name = if metadata.contains_key(&name) { format!("row.{name}") } else { name };
            metadata.insert(name, value);
        }
        Ok(Case { id, query, response, context, reference, citations, retrieved, relevant, tags, metadata })
    }
}

/// A column whose value is not what its field needs.
struct Unfit {
    column: String,
    reason: String,
}

impl Unfit {
    fn new(column: String, wanted: &str, found: &Json) -> Self {
        Self { column, reason: format!("must be {wanted}, but it is {}", kind(found)) }
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
fn text((column, value): (String, Json)) -> Result<String, Unfit> {
    match value {
        Json::String(text) => Ok(text),
        Json::Number(_) | Json::Bool(_) => Ok(value.to_string()),
        other => Err(Unfit::new(column, "a text", &other)),
    }
}

/// A list of texts; a single text is a list of one.
fn texts((column, value): (String, Json)) -> Result<Vec<String>, Unfit> {
    match value {
        Json::Array(list) => {
            list.into_iter().enumerate().map(|(index, item)| text((format!("{column}[{index}]"), item))).collect()
        }
        Json::Object(_) => Err(Unfit::new(column, "a text or a list of texts", &value)),
        single => text((column, single)).map(|text| vec![text]),
    }
}

/// A list of passages: texts, or objects with `page_content` or `text`.
fn passages((column, value): (String, Json)) -> Result<Vec<Passage>, Unfit> {
    let list = match value {
        Json::Array(list) => list,
        single => vec![single],
    };
    list.into_iter().enumerate().map(|(index, item)| passage(format!("{column}[{index}]"), item)).collect()
}

fn passage(column: String, item: Json) -> Result<Passage, Unfit> {
    let mut object = match item {
        Json::Object(object) => object,
        single => return text((column, single)).map(|text| Passage { text, metadata: Map::new() }),
    };
    let Some(content) = ["page_content", "text", "content"].iter().find_map(|name| object.shift_remove(*name)) else {
        return Err(Unfit { column, reason: "must be a text or an object with `page_content` or `text`".to_owned() });
    };
    // A passage whose content is null has nothing in it; that is for a metric to report, not for the reader.
    let text = if content.is_null() { String::new() } else { text((column.clone(), content))? };
    let mut metadata = match object.shift_remove("metadata") {
        Some(Json::Object(map)) => map,
        Some(Json::Null) | None => Map::new(),
        Some(other) => return Err(Unfit::new(format!("{column}.metadata"), "an object", &other)),
    };
    metadata.extend(object);
    Ok(Passage { text, metadata })
}

fn citations((column, value): (String, Json)) -> Result<Vec<Citation>, Unfit> {
    let Json::Array(list) = value else { return Err(Unfit::new(column, "a list of citations", &value)) };
    list.into_iter()
        .enumerate()
        .map(|(index, item)| {
            let place = format!("{column}[{index}]");
            if !item.is_object() {
                return Err(Unfit::new(place, "an object with `source_index` and `quote`", &item));
            }
            serde_json::from_value(item)
                .map_err(|error| Unfit { column: place, reason: format!("does not fit: {error}") })
        })
        .collect()
}
