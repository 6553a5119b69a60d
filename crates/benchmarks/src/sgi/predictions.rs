//! Outputs that were made elsewhere: JSON lines, a JSON array, CSV, or a result file of the collector.

use std::collections::BTreeMap;
use std::path::Path;

use probare_core::{BenchmarkError, Case, InputFile, Output};
use probare_formats::{LARGEST_DOCUMENT, read_whole};
use serde_json::{Map, Value as Json};

use super::rows::objects;

/// Names under which the output of a model may stand, the surest first.
const OUTPUTS: [&str; 8] = [
    "raw_output",
    "model_answer_with_thinking",
    "response",
    "output",
    "model_output",
    "prediction",
    "output_text",
    "model_answer",
];

/// Names under which the row may stand.
const IDS: [&str; 3] = ["idx", "id", "question_id"];

/// Outputs by row.
#[derive(Debug, Default)]
pub(super) struct SgiOutputs {
    by_id: BTreeMap<String, String>,
    by_place: BTreeMap<usize, String>,
    /// The model, where the file names it.
    pub model: Option<String>,
    /// The file.
    pub input: InputFile,
}

/// Reads a file of outputs.
pub(super) fn read(path: &Path) -> Result<SgiOutputs, BenchmarkError> {
    let name = path.display().to_string();
    let (bytes, input) = read_whole(&name, LARGEST_DOCUMENT).map_err(|error| BenchmarkError::from_error(&error))?;
    let mut found = SgiOutputs { input, ..SgiOutputs::default() };
    // A result file is one object over many lines.
    let is_object = bytes.trim_ascii_start().starts_with(b"{");
    let whole = is_object.then(|| serde_json::from_slice::<Map<String, Json>>(&bytes).ok()).flatten();
    let rows = match whole {
        Some(mut document) if document.contains_key("records") => {
            found.model = document.get("model_name").and_then(Json::as_str).map(str::to_owned);
            let Some(Json::Array(records)) = document.remove("records") else {
                return Err(BenchmarkError::data(format!("`{name}`: `records` is not a list")));
            };
            let object = |(at, record): (usize, Json)| match record {
                Json::Object(record) => Ok((at + 1, record)),
                _ => Err(BenchmarkError::data(format!("`{name}`: record {} is not an object", at + 1))),
            };
            records.into_iter().enumerate().map(object).collect::<Result<Vec<_>, _>>()?
        }
        _ => objects(&name, &bytes)?,
    };
    for (at, (line, row)) in rows.into_iter().enumerate() {
        let Some(output) = OUTPUTS.iter().find_map(|field| row.get(*field)).and_then(Json::as_str) else {
            return Err(BenchmarkError::data(format!("`{name}`, line {line}: there is no output"))
                .hint(format!("it is under one of these keys: {}", OUTPUTS.join(", "))));
        };
        let id = IDS.iter().find_map(|field| row.get(*field)).and_then(|id| match id {
            Json::String(id) => Some(id.clone()),
            Json::Number(id) => Some(id.to_string()),
            _ => None,
        });
        let place = row.get("index").and_then(Json::as_u64).and_then(|index| usize::try_from(index).ok());
        match (id, place) {
            (Some(id), _) => {
                if found.by_id.insert(id.clone(), output.to_owned()).is_some() {
                    return Err(BenchmarkError::data(format!("`{name}`, line {line}: `{id}` comes twice")));
                }
            }
            (None, place) => {
                found.by_place.insert(place.unwrap_or(at + 1), output.to_owned());
            }
        }
    }
    if found.by_id.is_empty() && found.by_place.is_empty() {
        return Err(BenchmarkError::data(format!("`{name}` holds no output")));
    }
    Ok(found)
}

impl SgiOutputs {
    /// Puts the outputs into the cases; how many found theirs.
    pub fn put_into(&self, cases: &mut [Case], name: &str) -> Result<usize, BenchmarkError> {
        let mut met = 0;
        for (at, case) in cases.iter_mut().enumerate() {
            let text = self.by_id.get(&case.id).or_else(|| self.by_place.get(&(at + 1)));
            if let Some(text) = text {
                case.response = Some(Output { text: text.clone(), model: self.model.clone(), repeat: 0 });
                met += 1;
            }
        }
        if met == 0 {
            let first = self.by_id.keys().next().cloned().unwrap_or_default();
            return Err(BenchmarkError::data(format!("no output of `{name}` belongs to a row of the data"))
                .hint(format!("rows are identified by `idx`; the first output is for `{first}`")));
        }
        Ok(met)
    }
}
