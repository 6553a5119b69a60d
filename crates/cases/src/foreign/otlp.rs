//! Traces of OpenTelemetry. What is in a file is the business of [`traces`](crate::traces).

use probare_core::Case;
use serde_json::{Map, Value as Json, json};

use super::document::{Document, cause, place};
use super::{Foreign, ForeignError, Imported, ORIGIN, SCORES, put};
use crate::Grouping;
use crate::traces::{Traces, summary};

const FORMAT: Foreign = Foreign::Otlp;

pub(super) fn read(document: &Document, grouping: Grouping) -> Result<Imported, ForeignError> {
    let text = document.text(FORMAT)?;
    let mut traces = Traces::default();
    for value in document.values(&text, FORMAT)? {
        traces.add(value.get()).map_err(|error| {
            let (line, column) = place(&text, value, &error);
            document.broken(FORMAT, &format!("line {line}, column {column}"), cause(&error))
        })?;
    }
    let (cases, lost) = traces.cases(grouping);
    let mut imported = Imported { notes: summary(&lost), lost, ..Imported::default() };
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
