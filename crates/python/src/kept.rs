//! Results as they are kept in memory, and as columns: those that a Parquet report has, without model and repeat.

use std::io;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use probare_core::{Case, CaseResult, ErrorKind, Event, MetricInfo, Problem, ScoreError, Sink};
use probare_report::{MetricCells, columns};

use crate::fault::Fault;

/// Rows of one batch of columns.
pub const ROWS_IN_BATCH: usize = 16_384;

/// Takes results as they come, without the texts of the cases.
#[derive(Debug, Default)]
pub struct Keeper {
    /// The metrics.
    pub infos: Vec<MetricInfo>,
    /// One for each case.
    pub results: Vec<CaseResult>,
    /// What was said about rows.
    pub problems: Vec<Problem>,
    /// Whether a row that could not be read gets a result as well, so that there is one for each row.
    pub every_row: bool,
}

impl Sink for Keeper {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => self.infos = metrics.to_vec(),
            Event::Scored(result) => {
                let case = Case { id: result.case.id.clone(), ..Case::default() };
                let (model, repeat, results) = (result.model.clone(), result.repeat, result.results.clone());
                self.results.push(CaseResult { case, model, repeat, results, ..CaseResult::default() });
            }
            Event::Problem(problem) => {
                if problem.lost && self.every_row {
                    let error = ScoreError::other(ErrorKind::Failed, problem.reason.clone());
                    let results = self.infos.iter().map(|_| Err(error.clone())).collect();
                    self.results.push(CaseResult { results, ..CaseResult::default() });
                }
                self.problems.push((*problem).clone());
            }
            _ => {}
        }
        Ok(())
    }
}

/// The columns that results have.
pub fn schema(infos: &[MetricInfo], evidence: bool) -> SchemaRef {
    let mut fields = vec![Field::new("id", DataType::Utf8, false)];
    for names in columns(infos) {
        fields.push(Field::new(names.value, DataType::Float64, true));
        fields.push(Field::new(names.status, DataType::Utf8, false));
        let texts = [names.note, names.evidence, names.label, names.parts, names.kind];
        fields.extend(wanted(texts, evidence).map(|name| Field::new(name, DataType::Utf8, true)));
    }
    Arc::new(Schema::new(fields))
}

/// Leaves evidence out where it is not wanted.
fn wanted<T>(texts: [T; 5], evidence: bool) -> impl Iterator<Item = T> {
    texts.into_iter().enumerate().filter(move |(at, _)| evidence || *at != 1).map(|(_, text)| text)
}

#[derive(Default)]
struct MetricColumns {
    values: Float64Builder,
    status: StringBuilder,
    texts: Vec<StringBuilder>,
}

/// Results as one batch of columns.
pub fn batch(infos: &[MetricInfo], results: &[CaseResult], evidence: bool) -> Result<RecordBatch, Fault> {
    let mut ids = StringBuilder::new();
    let texts = if evidence { 5 } else { 4 };
    let mut metrics: Vec<MetricColumns> = infos
        .iter()
        .map(|_| MetricColumns {
            texts: (0..texts).map(|_| StringBuilder::new()).collect(),
            ..MetricColumns::default()
        })
        .collect();
    let mut bytes = 0;
    for result in results {
        ids.append_value(&result.case.id);
        for (columns, result) in metrics.iter_mut().zip(&result.results) {
            let cells = MetricCells::of(Some(result)).map_err(|error| Fault::data(error.to_string()))?;
            columns.values.append_option(cells.value);
            columns.status.append_value(cells.status);
            let [note, evidences, label, parts, kind, _] = cells.texts;
            let texts = wanted([note, evidences, label, parts, kind], evidence);
            for (column, text) in columns.texts.iter_mut().zip(texts) {
                bytes += text.as_ref().map_or(0, |text| text.len());
                column.append_option(text);
            }
            // Columns of text have no room for more.
            if bytes > i32::MAX as usize {
                return Err(Fault::data("the evidence of these rows is too large for one batch")
                    .hint("score fewer rows at once"));
            }
        }
    }
    let mut arrays: Vec<ArrayRef> = vec![Arc::new(ids.finish())];
    for mut columns in metrics {
        arrays.push(Arc::new(columns.values.finish()));
        arrays.push(Arc::new(columns.status.finish()));
        arrays.extend(columns.texts.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef));
    }
    RecordBatch::try_new(schema(infos, evidence), arrays).map_err(|error| Fault::data(error.to_string()))
}
