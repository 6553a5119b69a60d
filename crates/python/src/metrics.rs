//! Metrics as Python names them: `"token_f1"`, `"ndcg:k=5"` or `{"id": "ndcg", "k": 5}`.

use probare_core::{MetricRequest, Profile};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use serde_json::{Map, Value as Json};

use crate::failure::PyFailure;
use crate::python_json::json;

/// Reads a metric or a list of them.
pub fn requests(metrics: &Bound<'_, PyAny>) -> Result<Vec<MetricRequest>, PyFailure> {
    if metrics.cast::<PyString>().is_ok() || metrics.cast::<PyDict>().is_ok() {
        return Ok(vec![request(metrics)?]);
    }
    if let Ok(list) = metrics.cast::<PyList>() {
        return list.iter().map(|metric| request(&metric)).collect();
    }
    if let Ok(tuple) = metrics.cast::<PyTuple>() {
        return tuple.iter().map(|metric| request(&metric)).collect();
    }
    Err(PyFailure::usage("`metrics` must be a list of metrics")
        .hint("write metrics=[\"token_f1\", {\"id\": \"ndcg\", \"k\": 5}]"))
}

fn request(metric: &Bound<'_, PyAny>) -> Result<MetricRequest, PyFailure> {
    if let Ok(text) = metric.extract::<String>() {
        return Ok(text.parse::<MetricRequest>()?);
    }
    let wrong = |reason: String| {
        PyFailure::usage(format!("a metric cannot be read: {reason}"))
            .hint("write \"ID\", \"ID:OPTION=VALUE\" or {\"id\": ID, OPTION: VALUE}")
    };
    let Json::Object(mut members) = json(metric).map_err(wrong)? else {
        return Err(wrong("a text or a dict is expected".to_owned()));
    };
    let Some(Json::String(id)) = members.remove("id") else {
        return Err(wrong("it has no \"id\"".to_owned()));
    };
    let name = match members.remove("name") {
        Some(Json::String(name)) => name,
        None | Some(Json::Null) => id.clone(),
        Some(_) => return Err(wrong("its \"name\" is no text".to_owned())),
    };
    let profile = match members.remove("profile") {
        Some(Json::String(word)) => Some(profile(&word)?),
        None | Some(Json::Null) => None,
        Some(_) => return Err(wrong("its \"profile\" is no text".to_owned())),
    };
    // As a configuration writes them.
    let mut options: Map<String, Json> = match members.remove("options") {
        Some(Json::Object(options)) => options,
        None | Some(Json::Null) => Map::new(),
        Some(_) => return Err(wrong("its \"options\" are no dict".to_owned())),
    };
    options.extend(members);
    let options = if options.is_empty() { Json::Null } else { Json::Object(options) };
    Ok(MetricRequest { name, id, options, profile })
}

/// Reads `published` or `improved`.
pub fn profile(name: &str) -> Result<Profile, PyFailure> {
    Profile::from_name(name).ok_or_else(|| {
        PyFailure::usage(format!("there is no profile `{name}`")).hint("the profiles are `published` and `improved`")
    })
}
