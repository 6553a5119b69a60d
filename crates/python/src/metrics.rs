//! Metrics as Python names them: `"token_f1"`, `"ndcg:k=5"`, `{"id": "ndcg", "k": 5}`, or a function of the caller.

use std::sync::Arc;

use probare_core::{MetricRequest, Profile};
use probare_engine::MetricEntry;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value as Json};

use crate::failure::PyFailure;
use crate::own_metrics::{MetricList, is_own, own_metric};
use crate::python_json::json;

/// Reads metrics, which Python hands over as a list.
pub fn requests(metrics: &Bound<'_, PyAny>) -> Result<MetricList, PyFailure> {
    let mut list = MetricList::default();
    for metric in metrics.try_iter()? {
        add(&metric?, &mut list)?;
    }
    Ok(list)
}

/// Adds a metric: a text, a dict, or a function or class of the caller, also as the `id` of a dict.
fn add(metric: &Bound<'_, PyAny>, list: &mut MetricList) -> Result<(), PyFailure> {
    let (request, own) = if is_own(metric)? {
        own_metric(metric, None, &Map::new())?
    } else if let Ok(dict) = metric.cast::<PyDict>()
        && let Some(id) = dict.get_item("id")?
        && is_own(&id)?
    {
        let rest = dict.copy()?;
        rest.del_item("id")?;
        let MetricMembers { name, profile, options } = members(json_object(rest.as_any())?)?;
        if profile.is_some() {
            return Err(PyFailure::usage("a metric of your own has one definition; leave \"profile\" out"));
        }
        own_metric(&id, name, &options)?
    } else {
        list.requests.push(request(metric)?);
        return Ok(());
    };
    list.requests.push(request);
    list.own.push(Arc::new(own));
    Ok(())
}

/// What a dict says beside the metric.
struct MetricMembers {
    name: Option<String>,
    profile: Option<Profile>,
    options: Map<String, Json>,
}

fn wrong(reason: &str) -> PyFailure {
    PyFailure::usage(format!("a metric cannot be read: {reason}"))
        .hint("write \"ID\", \"ID:OPTION=VALUE\", {\"id\": ID, OPTION: VALUE}, or a function with @probare.metric")
}

fn json_object(metric: &Bound<'_, PyAny>) -> Result<Map<String, Json>, PyFailure> {
    match json(metric).map_err(|reason| wrong(&reason))? {
        Json::Object(members) => Ok(members),
        _ => Err(wrong("a text, a dict or a metric of your own is expected")),
    }
}

fn members(mut members: Map<String, Json>) -> Result<MetricMembers, PyFailure> {
    let name = match members.remove("name") {
        Some(Json::String(name)) => Some(name),
        None | Some(Json::Null) => None,
        Some(_) => return Err(wrong("its \"name\" is not text")),
    };
    let profile = match members.remove("profile") {
        Some(Json::String(word)) => Some(profile(&word)?),
        None | Some(Json::Null) => None,
        Some(_) => return Err(wrong("its \"profile\" is not text")),
    };
    // As a configuration writes them.
    let mut options: Map<String, Json> = match members.remove("options") {
        Some(Json::Object(options)) => options,
        None | Some(Json::Null) => Map::new(),
        Some(_) => return Err(wrong("its \"options\" are not a dict")),
    };
    options.extend(members);
    Ok(MetricMembers { name, profile, options })
}

fn request(metric: &Bound<'_, PyAny>) -> Result<MetricRequest, PyFailure> {
    if let Ok(text) = metric.extract::<String>() {
        return Ok(text.parse::<MetricRequest>()?);
    }
    let mut object = json_object(metric)?;
    if object.contains_key("python") || object.contains_key("command") {
        let entry: MetricEntry =
            serde_json::from_value(Json::Object(object)).map_err(|error| wrong(&error.to_string()))?;
        return Ok(entry.request());
    }
    let Some(Json::String(id)) = object.remove("id") else {
        return Err(wrong("it has no \"id\""));
    };
    let MetricMembers { name, profile, options } = members(object)?;
    let options = if options.is_empty() { Json::Null } else { Json::Object(options) };
    // An id may be FILE.py:NAME, too.
    let plain = MetricRequest::python(&id).unwrap_or_else(|| MetricRequest::plain(id));
    Ok(MetricRequest { name: name.unwrap_or(plain.name), options, profile, ..plain })
}

/// Reads `published` or `improved`.
pub fn profile(name: &str) -> Result<Profile, PyFailure> {
    Profile::from_name(name).ok_or_else(|| {
        PyFailure::usage(format!("there is no profile `{name}`")).hint("the profiles are `published` and `improved`")
    })
}
