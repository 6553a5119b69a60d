//! Functions and classes with `@probare.metric`: computed in this process, by the messages that workers speak.

use std::sync::Arc;

use probare_benchmarks::registry;
use probare_core::{CodeSource, MetricCode, MetricRequest, OwnMetric, Registry};
use probare_engine::{PlanError, exchanged_metric, own_options};
use pyo3::prelude::*;
use pyo3::types::PyString;
use serde_json::{Map, Value as Json};

use crate::failure::PyFailure;

/// Metrics as a call names them, and those of them that Python code of the caller computes.
#[derive(Default)]
pub struct MetricList {
    pub requests: Vec<MetricRequest>,
    pub own: Vec<Arc<OwnMetric>>,
}

impl MetricList {
    /// The registry with the metrics of the caller.
    pub fn registry(&self) -> Result<Registry, PyFailure> {
        let known = probare_engine::with_program_metrics(registry(), &self.own).map_err(PlanError::from)?;
        let trusted = probare_core::Trust::Trusted;
        Ok(probare_engine::with_own_metrics(&known, &self.requests, trusted).map_err(PlanError::from)?)
    }
}

/// Whether a value can be a metric of the caller's own: what is neither a text nor a dict is asked.
pub fn is_own(metric: &Bound<'_, PyAny>) -> PyResult<bool> {
    if metric.is_instance_of::<PyString>() {
        return Ok(false);
    }
    module(metric.py())?.call_method1("is_metric", (metric,))?.extract()
}

fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("probare._own_metric")
}

/// The request and the metric of a function or class, under a name of its own where one is given.
pub fn own_metric(
    metric: &Bound<'_, PyAny>,
    name: Option<String>,
    options: &Map<String, Json>,
) -> Result<(MetricRequest, OwnMetric), PyFailure> {
    let py = metric.py();
    let failed = |error: PyErr| PyFailure::usage(format!("a metric of your own cannot be used: {}", error.value(py)));
    let bind = || -> PyResult<_> {
        let module = module(py)?;
        let options =
            py.import("json")?.call_method1("loads", (own_options(&Json::Object(options.clone())).to_string(),))?;
        let bound = module.getattr("BoundMetric")?.call1((metric, options))?;
        let ready: String = module.call_method1("ready_line", (&bound,))?.extract()?;
        let own_name: String = bound.getattr("name")?.extract()?;
        let source: String = bound.call_method0("reference")?.extract()?;
        let given: String = py.import("json")?.call_method1("dumps", (bound.getattr("given")?,))?.extract()?;
        let exchange = module.getattr("exchange")?.unbind();
        Ok((bound.unbind(), ready, own_name, source, given, exchange))
    };
    let (bound, ready, own_name, source, given, exchange) = bind().map_err(failed)?;
    let code = MetricCode::new(CodeSource::Python(source.clone()));
    let id = MetricRequest::python(&source).map_or_else(|| format!("python:{own_name}"), |request| request.id);
    let answer = move |line: &str| {
        Python::attach(|py| {
            let answer = exchange.bind(py).call1((bound.bind(py), line));
            answer.and_then(|answer| answer.extract::<String>()).map_err(|error| error.value(py).to_string())
        })
    };
    let mut all: Map<String, Json> = serde_json::from_str(&given).unwrap_or_default();
    all.extend(options.clone());
    let options = if all.is_empty() { Json::Null } else { Json::Object(all) };
    let name = name.unwrap_or(own_name);
    let made =
        exchanged_metric(id.clone(), code, &ready, answer).map_err(|error| PyFailure::usage(error.to_string()))?;
    let code = Some(made.code.clone());
    let request = MetricRequest { code, options, name: name.clone(), ..MetricRequest::plain(id) };
    Ok((request, OwnMetric { request: Some(name), ..made }))
}
