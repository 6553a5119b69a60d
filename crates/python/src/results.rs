//! [`Results`]: what a run gave, row by row.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use probare_core::{Case, CaseResult, MetricInfo, Outcome, Problem, ResultLine};
use probare_engine::Conclusion;
use probare_report::{TerminalStyle, terminal};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use serde::{Deserialize, Serialize};

use crate::failure::PyFailure;
use crate::rereport;
use crate::row_results::{self, ColumnLayout, ROWS_IN_BATCH, RowCollector, RowResult};
use crate::summaries::summary_json;

/// What a run gave, row by row, in the order of its input.
#[pyclass(frozen, module = "probare._probare")]
pub struct Results {
    about: ResultsHeader,
    rows: Arc<Vec<RowResult>>,
}

/// What is known beside the rows. With their lines it is all that it takes to have the results again elsewhere.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultsHeader {
    source: String,
    metrics: Vec<MetricInfo>,
    ids_are_numbers: bool,
    /// Rows that could not be read: their place, their id, what was said.
    lost: Vec<(usize, Option<String>, Problem)>,
    problems: Vec<Problem>,
    /// The summary as JSON and as a table.
    summary: (String, String),
    written: Vec<String>,
    exit_code: u8,
    asked: Option<ModelCallCounts>,
    has_evidence: bool,
    /// What the reader of the numbers should know about the columns.
    advice: Option<String>,
}

/// What asking models came to.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, IntoPyObject)]
struct ModelCallCounts {
    /// Questions that were answered, by a model or from the response cache.
    questions: u64,
    /// Those of them that the response cache answered.
    recorded: u64,
    /// Requests that were sent.
    sent: u64,
    /// Questions without an answer, whether they were sent or not.
    failed: u64,
    tokens: u64,
    dollars: f64,
}

impl ModelCallCounts {
    fn from_conclusion(conclusion: &Conclusion) -> Option<Self> {
        let hearing = conclusion.hearing.as_ref()?;
        let counts = &hearing.counts;
        Some(Self {
            questions: counts.asked - counts.failed,
            recorded: counts.replayed,
            sent: counts.attempts,
            failed: counts.failed,
            tokens: counts.input_tokens + counts.output_tokens,
            dollars: hearing.costs.total_usd,
        })
    }
}

impl Results {
    /// What was kept of a run, and what it came to.
    pub fn new(kept: RowCollector, conclusion: &Conclusion, source: &str, ids_are_numbers: bool) -> Self {
        let RowCollector { infos, rows, problems, evidence, .. } = kept;
        let lost = rows.iter().enumerate().filter_map(|(at, row)| {
            let problem = row.lost.as_deref()?.clone();
            Some((at, problem.id.clone(), problem))
        });
        let about = ResultsHeader {
            source: source.to_owned(),
            ids_are_numbers,
            lost: lost.collect(),
            metrics: infos,
            problems,
            summary: (
                summary_json(&conclusion.summary),
                terminal::render(&conclusion.summary, &conclusion.verdicts, TerminalStyle::PLAIN),
            ),
            written: conclusion.written.iter().map(|path| path.display().to_string()).collect(),
            exit_code: conclusion.exit.code(),
            asked: ModelCallCounts::from_conclusion(conclusion),
            has_evidence: evidence,
            advice: None,
        };
        Self { about, rows: Arc::new(rows) }
    }

    /// The same with what the reader of the numbers should know about the columns.
    #[must_use]
    pub fn with_advice(mut self, advice: Option<String>) -> Self {
        self.about.advice = advice;
        self
    }

    /// The metrics.
    pub fn infos(&self) -> &[MetricInfo] {
        &self.about.metrics
    }

    /// The rows that could be read.
    pub fn read_rows(&self) -> impl Iterator<Item = &RowResult> {
        self.rows.iter().filter(|row| row.lost.is_none())
    }

    fn row(&self, at: usize) -> PyResult<&RowResult> {
        self.rows.get(at).ok_or_else(|| PyIndexError::new_err(format!("there is no row {at}")))
    }
}

#[pymethods]
impl Results {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// The result line of a row, as JSON.
    fn line(&self, at: usize) -> PyResult<String> {
        Ok(self.row(at)?.line_text(self.infos()))
    }

    /// The case of a row, as JSON; with its texts where they were kept.
    fn case(&self, at: usize) -> PyResult<String> {
        Ok(json_text(&self.row(at)?.case())?)
    }

    /// The values of a metric; nothing where there is no such metric.
    fn values(&self, metric: &str) -> Option<Vec<Option<f64>>> {
        let at = self.infos().iter().position(|info| info.name == metric)?;
        let value = |row: &RowResult| match row.results.get(at) {
            Some(Ok(Outcome::Scored(score))) => Some(score.value.get()),
            _ => None,
        };
        Some(self.rows.iter().map(value).collect())
    }

    /// All results as columns, in batches.
    fn stream(&self, py: Python<'_>, evidence: bool) -> PyResult<PyRecordBatchReader> {
        let (schema, batches) = py.detach(|| {
            let layout = ColumnLayout::standalone(&self.rows, self.infos().len(), self.about.ids_are_numbers);
            let schema = row_results::batch(self.infos(), &[], 0, &layout, evidence)?.schema();
            let mut batches = Vec::new();
            for (number, rows) in self.rows.chunks(ROWS_IN_BATCH).enumerate() {
                self.add_batches(rows, number * ROWS_IN_BATCH, (&layout, evidence), &mut batches)?;
            }
            Ok::<_, PyFailure>((schema, batches))
        })?;
        Ok(PyRecordBatchReader::new(Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema))))
    }

    /// Names of the metrics.
    #[getter]
    fn metrics(&self) -> Vec<String> {
        self.infos().iter().map(|info| info.name.clone()).collect()
    }

    /// What is known about the metrics, as JSON.
    #[getter]
    fn definitions(&self) -> PyResult<String> {
        Ok(json_text(&self.about.metrics)?)
    }

    /// Counts, means and distributions, as JSON and as a table.
    #[getter]
    fn summary(&self) -> (String, String) {
        self.about.summary.clone()
    }

    /// What was said about rows, as JSON.
    #[getter]
    fn problems(&self) -> PyResult<String> {
        Ok(json_text(&self.about.problems)?)
    }

    /// Files that were written.
    #[getter]
    fn written(&self) -> Vec<String> {
        self.about.written.clone()
    }

    /// The code that the command line would end with.
    #[getter]
    const fn exit_code(&self) -> u8 {
        self.about.exit_code
    }

    /// How many calls of models there were, and what became of them.
    #[getter]
    const fn model_calls(&self) -> Option<ModelCallCounts> {
        self.about.asked
    }

    /// Whether the run was asked for evidence.
    #[getter]
    const fn has_evidence(&self) -> bool {
        self.about.has_evidence
    }

    /// What the reader of the numbers should know about the columns.
    #[getter]
    fn advice(&self) -> Option<String> {
        self.about.advice.clone()
    }

    /// Writes reports of these results.
    #[pyo3(signature = (outputs, title=None))]
    fn write(&self, py: Python<'_>, outputs: Vec<PathBuf>, title: Option<String>) -> PyResult<Vec<String>> {
        let told = py.detach(|| {
            let report = rereport::ReportTarget { name: &self.about.source, outputs, title, limits: Vec::new() };
            rereport::write_reports(&self.rows, self.infos().to_vec(), report, None)
        })?;
        Ok(told.written.iter().map(|path| path.display().to_string()).collect())
    }

    /// Whether the metrics and all lines are the same.
    fn equals(&self, other: &Self) -> bool {
        let line = |results: &Self, at: usize| Some(results.rows.get(at)?.line_text(results.infos()));
        self.infos() == other.infos()
            && self.rows.len() == other.rows.len()
            && (0..self.rows.len()).all(|at| line(self, at) == line(other, at))
    }

    /// Everything but the texts of cases, as a text that `restored` reads.
    fn state(&self, py: Python<'_>) -> PyResult<String> {
        Ok(py.detach(|| {
            let mut state = json_text(&self.about)?;
            for row in self.rows.iter() {
                state.push('\n');
                state.push_str(&row.line_text(self.infos()));
            }
            Ok::<_, PyFailure>(state)
        })?)
    }

    /// The results that a state is of.
    #[staticmethod]
    fn restored(state: &str) -> PyResult<Self> {
        let unread = |error: serde_json::Error| PyFailure::data(format!("these are not results: {error}"));
        let mut lines = state.lines();
        let about: ResultsHeader = serde_json::from_str(lines.next().unwrap_or_default()).map_err(unread)?;
        let mut rows = lines
            .map(|line| {
                let ResultLine { id, model, prompt, repeat, scores, .. } = ResultLine::from_json(line)?;
                let case = Case { id, ..Case::default() };
                let results = scores.into_iter().map(|(_, told)| told.0).collect();
                let result = CaseResult { case, model, repeat, results, ..CaseResult::default() };
                let mut row = RowResult::new(&result, false, true);
                row.prompt = prompt;
                Ok(row)
            })
            .collect::<Result<Vec<_>, _>>()
            .map_err(unread)?;
        for (at, id, problem) in &about.lost {
            if let Some(row) = rows.get_mut(*at) {
                row.lost = Some(Box::new(Problem { id: id.clone(), ..problem.clone() }));
            }
        }
        Ok(Self { about, rows: Arc::new(rows) })
    }
}

fn json_text(value: &impl Serialize) -> Result<String, PyFailure> {
    serde_json::to_string(value).map_err(|error| PyFailure::data(error.to_string()))
}

impl Results {
    /// The rows as one batch, or as several where their evidence has no room in one.
    fn add_batches(
        &self,
        rows: &[RowResult],
        first: usize,
        (layout, evidence): (&ColumnLayout, bool),
        batches: &mut Vec<RecordBatch>,
    ) -> Result<(), PyFailure> {
        match row_results::batch(self.infos(), rows, first, layout, evidence) {
            Ok(batch) => batches.push(batch),
            Err(_) if rows.len() > 1 => {
                let (left, right) = rows.split_at(rows.len() / 2);
                self.add_batches(left, first, (layout, evidence), batches)?;
                self.add_batches(right, first + left.len(), (layout, evidence), batches)?;
            }
            Err(fault) => return Err(fault),
        }
        Ok(())
    }
}
