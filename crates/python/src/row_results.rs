//! Results as they are kept in memory, one for each row of the input, and as columns.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::builder::{Float64Builder, StringBuilder, StructBuilder};
use arrow_array::{ArrayRef, Int64Array, NullArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use probare_core::{
    Case, CaseResult, Event, Evidence, FieldSpan, LabelOnly, MetricInfo, MetricResult, Outcome, Problem, Score, Sink,
};
use probare_report::{MetricCells, columns};

use crate::evidence_column;
use crate::failure::PyFailure;
use crate::packed_evidence;

/// Rows of one batch of columns.
pub const ROWS_IN_BATCH: usize = 16_384;

/// What came of one row of the input.
#[derive(Debug, Clone, Default)]
pub struct RowResult {
    /// Id of its case.
    pub id: String,
    /// The case, where its texts are kept.
    case: Option<Box<Case>>,
    /// Model whose output was scored, where known.
    pub model: Option<String>,
    /// The prompt, where the run has several.
    pub prompt: Option<String>,
    /// Which of several outputs of that model.
    pub repeat: u32,
    /// Why a bad value is no failure.
    pub excused: Option<Cow<'static, str>>,
    /// Its results without their evidence; a row that could not be read has failed in every metric.
    pub results: Vec<MetricResult>,
    /// Their evidence, which few look at.
    evidence: Box<[u8]>,
    /// Why it could not be read.
    pub lost: Option<Box<Problem>>,
}

impl RowResult {
    /// What a metric run said about a case; with `whole`, its texts are kept.
    pub fn new(result: &CaseResult, whole: bool, evidence: bool) -> Self {
        Self {
            id: result.case.id.clone(),
            case: whole.then(|| Box::new(result.case.clone())),
            model: result.model.clone(),
            repeat: result.repeat,
            results: result.results.iter().map(without_evidence).collect(),
            evidence: if evidence { packed_evidence::pack(&result.results) } else { Box::default() },
            ..Self::default()
        }
    }

    /// The case, or what is left of it.
    pub fn case(&self) -> Case {
        self.case.as_deref().cloned().unwrap_or_else(|| Case { id: self.id.clone(), ..Case::default() })
    }

    /// Its results with their evidence.
    pub fn results_with_evidence(&self) -> Vec<MetricResult> {
        let mut results = self.results.clone();
        packed_evidence::unpack(&self.evidence, &mut results);
        results
    }

    /// All of it as the engine has it.
    pub fn case_result(&self) -> CaseResult {
        CaseResult {
            case: self.case(),
            model: self.model.clone(),
            prompt: self.prompt.clone(),
            repeat: self.repeat,
            results: self.results_with_evidence(),
            excused: self.excused.clone(),
            ..CaseResult::default()
        }
    }

    /// The result line.
    pub fn line_text(&self, metrics: &[MetricInfo]) -> String {
        self.case_result().line_text(metrics).into_owned()
    }

    /// Whether another model answered in place of the one whose results these are.
    pub fn has_fallback(&self) -> bool {
        self.case.is_some() && self.case_result().answered_by().is_some()
    }

    /// Whether the row says what it is called; what is no row at all does not.
    fn is_named(&self) -> bool {
        self.lost.as_ref().is_none_or(|problem| problem.id.is_some())
    }
}

/// The same result; evidence is not copied only to be dropped.
fn without_evidence(named: &MetricResult) -> MetricResult {
    match named {
        Ok(Outcome::Scored(Score { value, label, by, parts, .. })) => {
            let (label, parts) = (label.clone(), parts.clone());
            Ok(Outcome::Scored(Score { value: *value, label, by: *by, parts, evidence: Vec::new() }))
        }
        Ok(Outcome::Labelled(LabelOnly { label, by, parts, .. })) => {
            let (label, parts) = (label.clone(), parts.clone());
            Ok(Outcome::Labelled(LabelOnly { label, by: *by, parts, evidence: Vec::new() }))
        }
        other => other.clone(),
    }
}

/// Takes results as they come.
#[derive(Debug)]
pub struct RowCollector {
    /// The metrics.
    pub infos: Vec<MetricInfo>,
    /// One for each row.
    pub rows: Vec<RowResult>,
    /// What was said about rows.
    pub problems: Vec<Problem>,
    /// Whether the texts of the cases are kept.
    pub whole: bool,
    /// Whether evidence is kept; reports of the same run may have it.
    pub evidence: bool,
    /// How many rows there are so far, for whoever watches.
    pub done: Arc<AtomicU64>,
    /// The row that could not be read, whose result comes next.
    pub lost: Option<Box<Problem>>,
}

impl Default for RowCollector {
    fn default() -> Self {
        Self {
            infos: Vec::new(),
            rows: Vec::new(),
            problems: Vec::new(),
            whole: false,
            evidence: true,
            done: Arc::default(),
            lost: None,
        }
    }
}

impl Sink for RowCollector {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => self.infos = metrics.to_vec(),
            Event::Scored(result) => {
                let row = RowResult::new(result, self.whole, self.evidence);
                self.rows.push(RowResult { lost: self.lost.take(), ..row });
            }
            Event::Problem(problem) => {
                // The result of a row that could not be read comes behind it.
                self.lost = problem.lost.then(|| Box::new((*problem).clone()));
                self.problems.push((*problem).clone());
            }
            _ => {}
        }
        self.done.store(self.rows.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

/// How results are laid out in columns.
#[derive(Debug, Clone)]
pub enum ColumnLayout {
    /// Beside the rows that were scored. The columns must be known before the first of them, so evidence and parts are JSON.
    WithRows,
    /// On their own: with the number of the row, evidence and parts as structures.
    Standalone {
        /// Whether ids were numbers and are numbers again.
        numbers: bool,
        /// For each metric the names of its parts.
        parts: Vec<Vec<String>>,
    },
}

impl ColumnLayout {
    /// Results on their own. Where one id is too large for a number, all are texts.
    pub fn standalone(rows: &[RowResult], metrics: usize, numbers: bool) -> Self {
        let mut parts: Vec<Vec<String>> = vec![Vec::new(); metrics];
        for (at, outcome) in rows.iter().flat_map(|row| outcomes(&row.results)) {
            let Some(known) = parts.get_mut(at) else { continue };
            for (name, _) in outcome.parts().iter() {
                if !known.iter().any(|known| known == name) {
                    known.push(name.to_owned());
                }
            }
        }
        let numbers = numbers && rows.iter().all(|row| !row.is_named() || row.id.parse::<i64>().is_ok());
        Self::Standalone { numbers, parts }
    }
}

fn outcomes(results: &[MetricResult]) -> impl Iterator<Item = (usize, &Outcome)> {
    results.iter().enumerate().filter_map(|(at, named)| Some((at, outcome(named)?)))
}

/// The score, or the label alone.
fn outcome(named: &MetricResult) -> Option<&Outcome> {
    named.as_ref().ok().filter(|outcome| !matches!(outcome, Outcome::NotApplicable { .. }))
}

/// The columns that results have beside their rows.
pub fn schema(infos: &[MetricInfo], evidence: bool) -> Result<SchemaRef, PyFailure> {
    Ok(batch(infos, &[], 0, &ColumnLayout::WithRows, evidence)?.schema())
}

/// Results as one batch of columns; `first` is the number of the first row, from 0.
pub fn batch(
    infos: &[MetricInfo],
    rows: &[RowResult],
    first: usize,
    layout: &ColumnLayout,
    evidence: bool,
) -> Result<RecordBatch, PyFailure> {
    let mut table = BatchBuilder { fields: Vec::new(), arrays: Vec::new(), bytes: 0 };
    let ids = || rows.iter().map(|row| row.id.as_str());
    let results: Vec<Cow<'_, [MetricResult]>> = rows
        .iter()
        .map(|row| if evidence { Cow::Owned(row.results_with_evidence()) } else { Cow::Borrowed(&row.results[..]) })
        .collect();
    let columns = columns(infos);
    // A metric may have that name.
    let number = if columns.iter().any(|names| names.value == "row") { "row_number" } else { "row" };
    match layout {
        ColumnLayout::Standalone { numbers, .. } => {
            let last = first + rows.len();
            let counted: Int64Array = (first..last).map(|row| i64::try_from(row).ok()).collect();
            table.push(number, false, Arc::new(counted));
            if *numbers {
                let ids: Int64Array = rows.iter().map(|row| row.id.parse().ok().filter(|_| row.is_named())).collect();
                table.push("id", true, Arc::new(ids));
            } else {
                table.push_texts("id", false, ids().map(|id| Some(Cow::Borrowed(id))))?;
            }
        }
        ColumnLayout::WithRows => table.push_texts("id", false, ids().map(|id| Some(Cow::Borrowed(id))))?,
    }
    for (at, names) in columns.into_iter().enumerate() {
        // Evidence that stands on its own is a column of structures.
        let as_text = evidence && matches!(layout, ColumnLayout::WithRows);
        let cells: Vec<MetricCells<'_>> = results
            .iter()
            .map(|results| MetricCells::for_result(results.get(at), as_text))
            .collect::<Result<_, _>>()
            .map_err(|error| PyFailure::data(error.to_string()))?;
        let text = |which: usize| cells.iter().map(move |cells| cells.texts.get(which).cloned().flatten());
        let mut values = Float64Builder::with_capacity(rows.len());
        for cells in &cells {
            values.append_option(cells.value);
        }
        table.push(&names.value, true, Arc::new(values.finish()));
        table.push_texts(&names.status, false, cells.iter().map(|cells| Some(Cow::Borrowed(cells.status))))?;
        table.push_texts(&names.note, true, text(0))?;
        let outcomes = || results.iter().map(|results| results.get(at).and_then(outcome));
        match layout {
            ColumnLayout::WithRows if evidence => table.push_texts(&names.evidence, true, text(1))?,
            ColumnLayout::Standalone { .. } if evidence => {
                let evidence = || outcomes().flatten().flat_map(Outcome::evidence);
                table.count_bytes(evidence().map(evidence_bytes).sum())?;
                table.push(&names.evidence, true, evidence_column::column(outcomes()));
            }
            _ => {}
        }
        table.push_texts(&names.label, true, text(2))?;
        match layout {
            ColumnLayout::WithRows => table.push_texts(&names.parts, true, text(3))?,
            ColumnLayout::Standalone { parts, .. } => {
                let known = parts.get(at).map_or(&[][..], Vec::as_slice);
                table.push(&names.parts, true, parts_column(known, outcomes()));
            }
        }
        table.push_texts(&names.kind, true, text(4))?;
        table.push_texts(&names.by, true, text(5))?;
    }
    let schema = Arc::new(Schema::new(table.fields));
    RecordBatch::try_new(schema, table.arrays).map_err(|error| PyFailure::data(error.to_string()))
}

/// Named pieces of a value, each in a field of its own. A metric that has none has no structure either.
fn parts_column<'a>(names: &[String], outcomes: impl Iterator<Item = Option<&'a Outcome>>) -> ArrayRef {
    if names.is_empty() {
        return Arc::new(NullArray::new(outcomes.count()));
    }
    let fields: Vec<Field> = names.iter().map(|name| Field::new(name, DataType::Float64, true)).collect();
    let mut rows = StructBuilder::from_fields(fields, 0);
    for outcome in outcomes {
        for (at, name) in names.iter().enumerate() {
            if let Some(column) = rows.field_builder::<Float64Builder>(at) {
                column.append_option(outcome.and_then(|outcome| outcome.parts().get(name)));
            }
        }
        rows.append(outcome.is_some_and(|outcome| !outcome.parts().is_empty()));
    }
    Arc::new(rows.finish())
}

/// How much room the texts of a piece take.
fn evidence_bytes(piece: &Evidence) -> usize {
    let path = |place: &FieldSpan| place.path.as_ref().map_or(0, |path| path.len()) + place.field.name().len();
    let places = piece.place.iter().chain(&piece.support).map(path).sum::<usize>();
    piece.kind.name().len() + piece.text.len() + piece.note.as_ref().map_or(0, |note| note.len()) + places
}

struct BatchBuilder {
    fields: Vec<Field>,
    arrays: Vec<ArrayRef>,
    bytes: usize,
}

impl BatchBuilder {
    fn push(&mut self, name: &str, nullable: bool, array: ArrayRef) {
        self.fields.push(Field::new(name, array.data_type().clone(), nullable));
        self.arrays.push(array);
    }

    fn push_texts<'a>(
        &mut self,
        name: &str,
        nullable: bool,
        texts: impl Iterator<Item = Option<Cow<'a, str>>>,
    ) -> Result<(), PyFailure> {
        let mut column = StringBuilder::new();
        for text in texts {
            self.count_bytes(text.as_ref().map_or(0, |text| text.len()))?;
            column.append_option(text);
        }
        self.push(name, nullable, Arc::new(column.finish()));
        Ok(())
    }

    /// Counts bytes: columns of text have no room for more than this.
    fn count_bytes(&mut self, bytes: usize) -> Result<(), PyFailure> {
        self.bytes += bytes;
        if self.bytes > i32::MAX as usize {
            return Err(PyFailure::data("the evidence of these rows is too large for one batch")
                .hint("score fewer rows at once"));
        }
        Ok(())
    }
}
