//! Documents from tables: a row each where rows have keys, else one document of which the rows are utterances.

use probare_formats::{JsonNode, Transcript};
use serde_json::{Map, Value as Json};

use super::document::Document;
use super::error::CorpusError;

/// Columns that hold what was said, in order of preference.
const TEXTS: [&str; 3] = ["text", "page_content", "utterance"];

/// Columns that name who speaks.
const SPEAKERS: [&str; 2] = ["speaker", "name"];

/// What a table holds.
pub(super) enum TableContent {
    /// A document in each row.
    Records(Vec<Document>),
    /// One document, of which each row is an utterance.
    Utterances(String),
}

pub(super) fn read(bytes: &[u8], sign: u8, file: &str) -> Result<TableContent, CorpusError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let wrong = |reason: String| CorpusError::Invalid(format!("`{file}`: {reason}"));
    let sign = if sign == b',' { detect_delimiter(bytes) } else { sign };
    let mut reader = csv::ReaderBuilder::new().delimiter(sign).from_reader(bytes);
    let header = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
    let find = |names: &[&str]| {
        names.iter().find_map(|name| header.iter().position(|column| column.trim().eq_ignore_ascii_case(name)))
    };
    let Some(text) = find(&TEXTS) else {
        let columns: Vec<&str> = header.iter().collect();
        return Err(wrong(format!("has no column `text` or `page_content`; its columns are {}", columns.join(", "))));
    };
    let is_keyed = header.iter().any(|column| matches!(column, "FILE" | "document_id" | "_id"));
    let speaker = find(&SPEAKERS);
    let (mut documents, mut utterances) = (Vec::new(), Vec::new());
    for record in reader.records() {
        let record = record.map_err(|error| wrong(error.to_string()))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |column: usize| record.get(column).unwrap_or_default();
        if !is_keyed {
            let trimmed = cell(text).trim();
            let name = speaker.map(cell).map(str::trim).filter(|name| !name.is_empty());
            if !trimmed.is_empty() {
                utterances.push(name.map_or_else(|| trimmed.to_owned(), |name| format!("{name}: {trimmed}")));
            }
            continue;
        }
        let mut row = Map::new();
        for (column, name) in header.iter().enumerate().filter(|(column, _)| *column != text) {
            if let Some(value) = value(cell(column)) {
                row.insert(name.to_owned(), value);
            }
        }
        row.insert("text".to_owned(), cell(text).into());
        let row = Json::Object(row);
        let read = Transcript::read(&JsonNode::root(file, &row));
        documents.push(read.map_err(|error| wrong(format!("line {line}: {}", error.reason)))?.into());
    }
    Ok(if is_keyed { TableContent::Records(documents) } else { TableContent::Utterances(utterances.join("\n")) })
}

/// Comma, semicolon or tab: whichever stands most often in the header.
fn detect_delimiter(bytes: &[u8]) -> u8 {
    let header = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |sign: u8| header.split(|byte| *byte == sign).count();
    // Of equals the first, which is the comma.
    b",;\t".iter().copied().rev().max_by_key(|sign| count(*sign)).unwrap_or(b',')
}

/// A cell as a value: a whole number that is written as numbers are becomes one, an empty cell is nothing.
fn value(cell: &str) -> Option<Json> {
    let trimmed = cell.trim();
    match trimmed.parse::<i64>() {
        _ if trimmed.is_empty() => None,
        Ok(number) if number.to_string() == trimmed => Some(number.into()),
        _ => Some(trimmed.into()),
    }
}
