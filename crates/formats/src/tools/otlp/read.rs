//! Traces of OpenTelemetry. What is in a file is the business of [`traces`](crate::traces).

use probare_core::Case;
use serde_json::{Map, Value as Json, json};

use crate::Grouping;
use crate::tools::document::{SourceDocument, cause, error_position};
use crate::tools::{ImportError, ImportFormat, ImportedCases, ORIGIN, SCORES, put};
use crate::traces::{Traces, summary};

const FORMAT: ImportFormat = ImportFormat::Otlp;

pub(in crate::tools) fn read(document: &SourceDocument, grouping: Grouping) -> Result<ImportedCases, ImportError> {
    let text = document.text(FORMAT)?;
    let mut traces = Traces::default();
    for value in document.values(&text, FORMAT)? {
        traces.add(value.get()).map_err(|error| {
            let (line, column) = error_position(&text, value, &error);
            document.broken(FORMAT, &format!("line {line}, column {column}"), cause(&error))
        })?;
    }
    let (cases, lost) = traces.cases(grouping);
    let mut imported = ImportedCases { notes: summary(&lost), lost, ..ImportedCases::default() };
    for mut case in cases {
        let scores = scores(&mut case);
        put(&mut case.metadata, ORIGIN, json!({"from": FORMAT.name()}));
        imported.push(case, scores);
    }
    Ok(imported)
}

/// The scores that stand in the trace.
fn scores(case: &mut Case) -> Map<String, Json> {
    match case.metadata.shift_remove(SCORES) {
        Some(Json::Object(scores)) => scores,
        _ => Map::new(),
    }
}
