//! The cells of a row: what is written, and what a file is held against.

use std::borrow::Cow;
use std::io;

use probare_core::{CaseResult, MetricInfo, MetricResult, Outcome, SampleDimensions};

use crate::columns::{columns, keys};
use crate::status::{ResultStatus, note, score};

/// What one metric said about one case, as the cells of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricCells<'a> {
    /// The value; nothing where there is none.
    pub value: Option<f64>,
    /// `write_scores`, `not_applicable` or `io_error`.
    pub status: &'static str,
    /// Note, evidence, label, parts, kind of failure, who decided.
    pub texts: [Option<Cow<'a, str>>; 6],
}

impl<'a> MetricCells<'a> {
    /// The cells of a result; empty ones where there is none. Evidence is written where somebody reads it.
    pub fn for_result(result: Option<&'a MetricResult>, with_evidence: bool) -> io::Result<Self> {
        let Some(result) = result else {
            return Ok(Self { value: None, status: "", texts: [const { None }; 6] });
        };
        let outcome = result.as_ref().ok();
        let note = note(result);
        let evidence = match outcome.map(Outcome::evidence) {
            Some(evidence) if with_evidence && !evidence.is_empty() => Some(serde_json::to_string(evidence)?),
            _ => None,
        };
        let parts = match outcome.map(Outcome::parts) {
            Some(parts) if !parts.is_empty() => Some(serde_json::to_string(parts)?),
            _ => None,
        };
        Ok(Self {
            value: score(result).map(|score| score.value.get()),
            status: ResultStatus::from_result(result).name(),
            texts: [
                (!note.is_empty()).then_some(note),
                evidence.map(Cow::Owned),
                outcome.and_then(Outcome::label).map(Cow::Borrowed),
                parts.map(Cow::Owned),
                result.as_ref().err().map(|error| Cow::Borrowed(error.kind().name())),
                outcome.and_then(Outcome::decided_by).map(|decider| Cow::Borrowed(decider.name())),
            ],
        })
    }
}

/// How many of the texts a file of this format has: before format 3 nobody said who decided.
const fn texts_in(format: u32) -> usize {
    if format >= 3 { 6 } else { 5 }
}

/// Names of all columns in a file of this format, in their order.
pub fn column_names(metrics: &[MetricInfo], format: u32, dimensions: SampleDimensions) -> Vec<String> {
    let mut names: Vec<String> = keys(dimensions).map(str::to_owned).collect();
    for of in columns(metrics) {
        names.extend([of.value, of.status]);
        // Format 3 called the last one `by`.
        let by = if format == 3 { format!("{}.by", of.by.trim_end_matches(".decided_by")) } else { of.by };
        names.extend([of.note, of.evidence, of.label, of.parts, of.kind, by].into_iter().take(texts_in(format)));
    }
    names
}

/// All cells of a row as texts, in the order of [`column_names`].
pub fn texts(
    result: &CaseResult,
    metrics: usize,
    format: u32,
    dimensions: SampleDimensions,
) -> io::Result<Vec<Option<String>>> {
    let mut cells = vec![Some(result.case.id.clone()), result.model.clone()];
    cells.extend(dimensions.has_fallbacks.then(|| result.answered_by().map(str::to_owned)));
    cells.extend(dimensions.has_prompts.then(|| result.prompt.clone()));
    cells.push(Some(result.repeat.to_string()));
    for index in 0..metrics {
        let MetricCells { value, status, texts } = MetricCells::for_result(result.results.get(index), true)?;
        cells.push(value.map(|value| format!("{value:?}")));
        cells.push(Some(status.to_owned()));
        cells.extend(texts.into_iter().take(texts_in(format)).map(|text| text.map(Cow::into_owned)));
    }
    Ok(cells)
}
