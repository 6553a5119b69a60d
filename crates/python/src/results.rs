//! [`Results`]: what a run gave, case by case.

use arrow_array::{RecordBatch, RecordBatchIterator};
use probare_core::{CaseResult, MetricInfo, Problem};
use probare_report::Look;
use probare_report::terminal;
use probare_runner::Conclusion;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;

use crate::fault::Fault;
use crate::kept::{self, Keeper, ROWS_IN_BATCH};
use crate::summaries::Summary;

/// What a run gave, case by case, in the order of its rows.
#[pyclass(frozen, module = "probare._probare")]
#[allow(clippy::struct_field_names, reason = "results hold results")]
pub struct Results {
    infos: Vec<MetricInfo>,
    results: Vec<CaseResult>,
    problems: Vec<Problem>,
    conclusion: Conclusion,
}

impl Results {
    /// What was kept of a run, and what it came to.
    pub fn new(kept: Keeper, conclusion: Conclusion) -> Self {
        let Keeper { infos, results, problems, .. } = kept;
        Self { infos, results, problems, conclusion }
    }

    /// The metrics.
    pub fn infos(&self) -> &[MetricInfo] {
        &self.infos
    }

    /// The results.
    pub fn cases(&self) -> &[CaseResult] {
        &self.results
    }
}

#[pymethods]
impl Results {
    fn __len__(&self) -> usize {
        self.results.len()
    }

    /// The result line of a case, as JSON.
    fn line(&self, at: usize) -> PyResult<String> {
        let result = self.results.get(at).ok_or_else(|| PyIndexError::new_err(format!("there is no row {at}")))?;
        Ok(result.line_text(&self.infos).into_owned())
    }

    /// All results as columns, in batches.
    fn stream(&self, py: Python<'_>, evidence: bool) -> PyResult<PyRecordBatchReader> {
        let schema = kept::schema(&self.infos, evidence);
        let batches = py.detach(|| {
            let mut batches = Vec::new();
            for rows in self.results.chunks(ROWS_IN_BATCH) {
                self.add_batches(rows, evidence, &mut batches)?;
            }
            Ok::<_, Fault>(batches)
        })?;
        Ok(PyRecordBatchReader::new(Box::new(RecordBatchIterator::new(batches.into_iter().map(Ok), schema))))
    }

    /// Names of the metrics.
    #[getter]
    fn metrics(&self) -> Vec<String> {
        self.infos.iter().map(|info| info.name.clone()).collect()
    }

    /// Counts, means and distributions.
    #[getter]
    fn summary(&self) -> Summary {
        Summary::of(self.conclusion.summary.clone())
    }

    /// What was said about rows, as JSON.
    #[getter]
    fn problems(&self) -> PyResult<String> {
        Ok(serde_json::to_string(&self.problems).map_err(|error| Fault::data(error.to_string()))?)
    }

    /// Files that were written.
    #[getter]
    fn written(&self) -> Vec<String> {
        self.conclusion.written.iter().map(|path| path.display().to_string()).collect()
    }

    /// The code that the command line would end with.
    #[getter]
    fn exit_code(&self) -> u8 {
        self.conclusion.exit.code()
    }

    /// Questions that models were asked, and how many tokens and US dollars they took.
    #[getter]
    fn asked(&self) -> Option<(u64, u64, f64)> {
        self.conclusion.hearing.as_ref().map(|hearing| {
            let tokens = hearing.counts.input_tokens + hearing.counts.output_tokens;
            (hearing.counts.asked, tokens, hearing.spent.money.in_dollars())
        })
    }

    /// The summary as the command line prints it.
    fn text(&self) -> String {
        terminal::render(&self.conclusion.summary, &self.conclusion.verdicts, Look::PLAIN)
    }
}

impl Results {
    /// The rows as one batch, or as several where their evidence has no room in one.
    fn add_batches(&self, rows: &[CaseResult], evidence: bool, batches: &mut Vec<RecordBatch>) -> Result<(), Fault> {
        match kept::batch(&self.infos, rows, evidence) {
            Ok(batch) => batches.push(batch),
            Err(_) if rows.len() > 1 => {
                let (left, right) = rows.split_at(rows.len() / 2);
                self.add_batches(left, evidence, batches)?;
                self.add_batches(right, evidence, batches)?;
            }
            Err(fault) => return Err(fault),
        }
        Ok(())
    }
}
