//! The cells of a row: what is written, and what a file is held against.

use std::borrow::Cow;
use std::io;

use probare_core::{CaseResult, MetricInfo, Named};

use crate::columns::columns;
use crate::status::{Status, note, score};

/// What one metric said about one case, as the cells of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricCells<'a> {
    /// The value; nothing where there is none.
    pub value: Option<f64>,
    /// `scored`, `not_applicable` or `failed`.
    pub status: &'static str,
    /// Note, evidence, label, parts, kind of failure.
    pub texts: [Option<Cow<'a, str>>; 5],
}

impl<'a> MetricCells<'a> {
    /// The cells of a result; empty ones where there is none.
    pub fn of(result: Option<&'a Named>) -> io::Result<Self> {
        let Some(result) = result else {
            return Ok(Self { value: None, status: "", texts: [const { None }; 5] });
        };
        let score = score(result);
        let note = note(result);
        let evidence = match score {
            Some(score) if !score.evidence.is_empty() => Some(serde_json::to_string(&score.evidence)?),
            _ => None,
        };
        let parts = match score {
            Some(score) if !score.parts.is_empty() => Some(serde_json::to_string(&score.parts)?),
            _ => None,
        };
        Ok(Self {
            value: score.map(|score| score.value.get()),
            status: Status::of(result).name(),
            texts: [
                (!note.is_empty()).then_some(note),
                evidence.map(Cow::Owned),
                score.and_then(|score| score.label.as_deref()).map(Cow::Borrowed),
                parts.map(Cow::Owned),
                result.as_ref().err().map(|error| Cow::Borrowed(error.kind().name())),
            ],
        })
    }
}

/// Names of all columns, in their order.
pub(crate) fn column_names(metrics: &[MetricInfo]) -> Vec<String> {
    let mut names: Vec<String> = ["id", "model", "repeat"].map(str::to_owned).into();
    for of in columns(metrics) {
        names.extend([of.value, of.status, of.note, of.evidence, of.label, of.parts, of.kind]);
    }
    names
}

/// All cells of a row as texts, in the order of [`column_names`].
pub(crate) fn texts(result: &CaseResult, metrics: usize) -> io::Result<Vec<Option<String>>> {
    let mut cells = vec![Some(result.case.id.clone()), result.model.clone(), Some(result.repeat.to_string())];
    for index in 0..metrics {
        let MetricCells { value, status, texts } = MetricCells::of(result.results.get(index))?;
        cells.push(value.map(|value| format!("{value:?}")));
        cells.push(Some(status.to_owned()));
        cells.extend(texts.map(|text| text.map(Cow::into_owned)));
    }
    Ok(cells)
}
