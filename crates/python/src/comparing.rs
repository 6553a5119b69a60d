//! `compare`: runs against a baseline, from files or from memory.

use std::path::PathBuf;

use probare_report::comparison::{Asked, Comparison as Compared, Evidences, NotWorse, Side};
use probare_report::{By, Cluster, Look};
use probare_runner::{CompareError, compare};
use pyo3::prelude::*;

use crate::fault::Fault;
use crate::results::Results;

/// Changed cases of each metric whose results and texts are looked up.
const SHOWN: usize = 50;

/// Runs against a baseline.
#[pyclass(frozen, module = "probare._probare")]
pub struct Comparison {
    comparison: Compared,
    evidences: Evidences,
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
        Ok(serde_json::to_string(&self.comparison).map_err(|error| Fault::data(error.to_string()))?)
    }

    /// The comparison as tables.
    fn text(&self) -> String {
        self.comparison.to_terminal(&self.evidences, Look::PLAIN)
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
pub struct Wanted {
    metrics: Vec<String>,
    by: Option<String>,
    cluster: Option<String>,
    not_worse: Vec<String>,
    margin: f64,
    confident: bool,
    seed: u64,
}

impl Wanted {
    fn asked(self) -> Result<Asked, Fault> {
        let Self { metrics, by, cluster, not_worse, margin, confident, seed } = self;
        if !margin.is_finite() || margin < 0.0 {
            return Err(Fault::usage("`margin` must be a number of at least 0"));
        }
        let limit = |metric| NotWorse { metric, margin, confident };
        Ok(Asked {
            metrics,
            // Any text is something to group by, and the name of a column.
            by: by.and_then(|by| by.parse::<By>().ok()),
            cluster: cluster.and_then(|column| column.parse::<Cluster>().ok()),
            not_worse: not_worse.into_iter().map(limit).collect(),
            seed,
        })
    }
}

/// Compares files of results, each under a name, with the first of them.
#[pyfunction]
pub fn compare_files(py: Python<'_>, files: Vec<(PathBuf, String)>, wanted: Wanted) -> PyResult<Comparison> {
    let asked = wanted.asked()?;
    let named =
        |(path, name): (PathBuf, String)| probare_runner::Results { name, ..probare_runner::Results::whole(&path) };
    let results: Vec<probare_runner::Results> = files.into_iter().map(named).collect();
    let compared = py.detach(|| compare(&results, &asked, SHOWN)).map_err(Fault::from)?;
    Ok(Comparison { comparison: compared.comparison, evidences: compared.evidences })
}

/// Compares results in memory with the first of them. Cases are paired by their ids.
#[pyfunction]
pub fn compare_results(
    py: Python<'_>,
    results: Vec<PyRef<'_, Results>>,
    names: Vec<String>,
    wanted: Wanted,
) -> PyResult<Comparison> {
    let asked = wanted.asked()?;
    let sides: Vec<Side> = results
        .iter()
        .zip(names)
        .map(|(results, name)| {
            let mut side = Side::new(name, results.infos().to_vec());
            for case in results.cases() {
                let named: Vec<_> = case.results.iter().cloned().map(Some).collect();
                side.add((&case.case.id, case.model.as_deref(), case.repeat), &named, None, &asked);
            }
            side
        })
        .collect();
    let comparison =
        py.detach(|| Compared::of(&sides, &asked)).map_err(|error| Fault::from(CompareError::from(error)))?;
    Ok(Comparison { comparison, evidences: Evidences::default() })
}
