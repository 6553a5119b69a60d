//! `compare`: runs against a baseline, from files or from memory.

use std::path::PathBuf;

use probare_analysis::{CompareError, compare};
use probare_benchmarks::registries;
use probare_report::comparison::{
    ComparedOutput, ComparisonRequest, EvidenceByCase, NonInferiorityGate, RunComparison as Compared, RunScores,
};
use probare_report::{Cluster, GroupBy, TerminalStyle};
use pyo3::prelude::*;

use crate::failure::PyFailure;
use crate::results::Results;

/// Changed cases of each metric whose results and texts are looked up.
const SHOWN: usize = 50;

/// Runs against a baseline.
#[pyclass(frozen, module = "probare._probare")]
pub struct Comparison {
    comparison: Compared,
    evidences: EvidenceByCase,
}

#[pymethods]
impl Comparison {
    /// Whether every limit is kept.
    #[getter]
    fn passes(&self) -> bool {
        self.comparison.passes()
    }

    /// The comparison as JSON.
    fn json(&self) -> PyResult<String> {
        Ok(serde_json::to_string(&self.comparison).map_err(|error| PyFailure::data(error.to_string()))?)
    }

    /// The comparison as tables.
    fn text(&self) -> String {
        self.comparison.to_terminal(&self.evidences, TerminalStyle::PLAIN)
    }

    /// The comparison as Markdown.
    fn markdown(&self) -> String {
        self.comparison.to_markdown(&self.evidences)
    }

    /// The comparison as a page of its own.
    #[pyo3(signature = (title=None))]
    fn html(&self, title: Option<&str>) -> String {
        self.comparison.to_html(&self.evidences, title)
    }
}

/// What is asked of a comparison.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct ComparisonOptions {
    metrics: Vec<String>,
    by: Option<String>,
    cluster: Option<String>,
    not_worse: Vec<String>,
    margin: f64,
    significant: bool,
    seed: u64,
}

impl ComparisonOptions {
    fn into_request(self) -> Result<ComparisonRequest, PyFailure> {
        let Self { metrics, by, cluster, not_worse, margin, significant, seed } = self;
        if !margin.is_finite() || margin < 0.0 {
            return Err(PyFailure::usage("`margin` must be a number of at least 0"));
        }
        let limit = |metric| NonInferiorityGate { metric, margin, confident: significant };
        Ok(ComparisonRequest {
            metrics,
            // Any text is something to group by, and the name of a column.
            by: by.and_then(|by| by.parse::<GroupBy>().ok()),
            cluster: cluster.and_then(|column| column.parse::<Cluster>().ok()),
            not_worse: not_worse.into_iter().map(limit).collect(),
            seed,
        })
    }
}

/// Compares files of results, each under a name, with the first of them.
#[pyfunction]
pub fn compare_files(py: Python<'_>, files: Vec<(PathBuf, String)>, wanted: ComparisonOptions) -> PyResult<Comparison> {
    let asked = wanted.into_request()?;
    let named = |(path, name): (PathBuf, String)| probare_analysis::ResultsSource {
        name,
        ..probare_analysis::ResultsSource::from_file(&path, registries())
    };
    let results: Vec<probare_analysis::ResultsSource> = files.into_iter().map(named).collect();
    let compared = py.detach(|| compare(&results, &asked, SHOWN)).map_err(PyFailure::from)?;
    Ok(Comparison { comparison: compared.comparison, evidences: compared.evidences })
}

/// Compares results in memory with the first of them. Cases are paired by their ids.
#[pyfunction]
pub fn compare_results(
    py: Python<'_>,
    results: Vec<PyRef<'_, Results>>,
    names: Vec<String>,
    wanted: ComparisonOptions,
) -> PyResult<Comparison> {
    let asked = wanted.into_request()?;
    let sides: Vec<RunScores> = results
        .iter()
        .zip(names)
        .map(|(results, name)| {
            let mut side = RunScores::new(name, results.infos().to_vec());
            for row in results.read_rows() {
                let named: Vec<_> = row.results.iter().cloned().map(Some).collect();
                let (model, prompt) = (row.model.as_deref(), row.prompt.as_deref());
                let (id, repeat) = (&row.id, row.repeat);
                side.add_output(
                    ComparedOutput { id, model, prompt, repeat, case: None, content: None },
                    &named,
                    &asked,
                );
            }
            side
        })
        .collect();
    let comparison =
        py.detach(|| Compared::compare(&sides, &asked)).map_err(|error| PyFailure::from(CompareError::from(error)))?;
    Ok(Comparison { comparison, evidences: EvidenceByCase::default() })
}
