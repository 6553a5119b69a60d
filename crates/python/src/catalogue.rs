//! What there is to know before anything is scored: the metrics and their pages.

use std::path::PathBuf;

use probare_benchmarks::registry;
use probare_core::{Better, CodeSource, Field, MetricKind, MetricRequest};
use probare_engine::{Plan, PlanError, asks_judges};
use probare_formats::FieldMap;
use probare_report::{ReportFormat, VERSION};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value as Json, json};

use crate::annotations::{Parameter, docstring, parameters};
use crate::failure::PyFailure;
use crate::metrics::{profile, requests};

/// All metrics, as JSON.
#[pyfunction]
pub fn catalogue() -> PyResult<String> {
    let end = |end: f64| if end.is_finite() { json!(end) } else { Json::Null };
    let list: Vec<Json> = registry()
        .iter()
        .map(|metric| {
            let schema = Json::from(metric.options());
            let told = |Parameter { name, annotation }| json!([name, annotation]);
            let parameters: Vec<Json> = parameters(&schema).into_iter().map(told).collect();
            json!({
                "id": metric.id,
                "family": metric.family,
                "summary": metric.summary,
                "range": [end(metric.range.0), end(metric.range.1)],
                "better": metric.better.name(),
                "needs": metric.needs.iter().map(|field| field.name()).collect::<Vec<_>>(),
                "profiles": metric.profiles.iter().map(|profile| profile.name()).collect::<Vec<_>>(),
                "judged": metric.kind == MetricKind::Judge,
                "since": metric.since,
                "version": metric.version,
                "doc": docstring(metric.summary, &schema),
                "options": schema,
                "parameters": parameters,
            })
        })
        .collect();
    Ok(serde_json::to_string(&list).map_err(|error| PyFailure::data(error.to_string()))?)
}

/// The page of a metric, in Markdown.
#[pyfunction]
pub fn explain(metric: &str) -> PyResult<&'static str> {
    Ok(registry().get(metric).map(|found| found.page).map_err(|error| PyFailure::from(PlanError::from(error)))?)
}

/// Names of the metrics among these that ask a model.
#[pyfunction]
pub fn asking(metrics: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let requests = requests(metrics)?.requests;
    Ok(requests.into_iter().filter(|request| asks_judges(request, registry())).map(|request| request.name).collect())
}

/// Whether higher values of metrics are better, also of those of the caller's own; an error where one cannot be used.
#[pyfunction]
pub fn is_higher_better(metrics: &Bound<'_, PyAny>, profile_name: &str) -> PyResult<bool> {
    let list = requests(metrics)?;
    let plan = Plan::new(&list.requests, profile(profile_name)?, &list.registry()?).map_err(PyFailure::from)?;
    Ok(plan.infos().iter().all(|info| info.better == Better::Higher))
}

/// A metric that is written as a text, as a dict.
#[pyfunction]
pub fn request<'py>(py: Python<'py>, metric: &str) -> PyResult<Bound<'py, PyDict>> {
    let MetricRequest { name, id, options, code, .. } = metric.parse().map_err(PyFailure::from)?;
    let json = serde_json::to_string(&options).map_err(|error| PyFailure::data(error.to_string()))?;
    let read = py.import("json")?.call_method1("loads", (json,))?;
    let dict = PyDict::new(py);
    match code.map(|code| code.source) {
        Some(CodeSource::Python(reference)) => dict.set_item("python", reference)?,
        _ => dict.set_item("id", id)?,
    }
    dict.set_item("name", name)?;
    if !read.is_none() {
        dict.set_item("options", read)?;
    }
    Ok(dict)
}

/// The version of the engine.
#[pyfunction]
pub const fn version() -> &'static str {
    VERSION
}

/// Refuses a report whose name does not say what to write.
#[pyfunction]
pub fn check_output(path: PathBuf) -> PyResult<()> {
    ReportFormat::from_path(&path).map_err(PyFailure::from)?;
    Ok(())
}

/// Whether one of these columns is a query or a response, which are one text in a case.
#[pyfunction]
pub fn holds_texts(columns: Vec<String>, mapping: std::collections::BTreeMap<String, String>) -> PyResult<bool> {
    let fields = FieldMap::from_pairs(mapping).map_err(PyFailure::from)?;
    Ok(fields.reads(Field::Query, &columns) || fields.reads(Field::Response, &columns))
}
