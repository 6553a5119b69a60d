//! Values of Python as JSON.

use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyMapping, PySet, PyString, PyTuple,
};
use serde_json::{Map, Number, Value as Json};

use crate::failure::PyFailure;
use crate::objects;

/// Lists in lists in lists: deeper than this nobody writes.
const DEEPEST: usize = 100;

/// A value as JSON. A number that JSON cannot write is absent; what is no value says what it is.
pub fn json(value: &Bound<'_, PyAny>) -> Result<Json, String> {
    nested(value, 0)
}

/// A dict as an object; any mapping counts as one.
pub fn object(value: &Bound<'_, PyAny>) -> Result<Map<String, Json>, String> {
    match json(value)? {
        Json::Object(map) => Ok(map),
        _ => Err(format!("a dict is expected, but it is {}", type_phrase(value))),
    }
}

/// A row: a dict, any mapping, or an object that can say its members. A column that nobody reads may hold anything: what has
/// no form in JSON is left out there, and is an error in a column that is read.
pub fn row(value: &Bound<'_, PyAny>, is_read: impl Fn(&str) -> bool) -> Result<Map<String, Json>, String> {
    let (pairs, is_object) = match objects::members(value) {
        Some(members) => (members, true),
        None => (pairs(value).ok_or_else(|| format!("a row must be a dict, but it is {}", type_phrase(value)))?, false),
    };
    let mut row = Map::new();
    for (name, value) in pairs {
        let name = text_of(&name)?;
        match column(&value) {
            Ok(value) => drop(row.insert(name, value)),
            Err(reason) if is_read(&name) => return Err(with_name(&name, reason)),
            Err(_) => {}
        }
    }
    if is_object {
        objects::add_fields(&mut row);
    }
    Ok(row)
}

/// A row as text, for whoever goes on with it in Python.
#[pyfunction]
#[pyo3(name = "row")]
pub fn row_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let row = row(value, |_| true).map_err(PyFailure::usage)?;
    Ok(serde_json::to_string(&row).map_err(|error| PyFailure::data(error.to_string()))?)
}

/// The value of a column. An object of another package that holds one text stands for that text.
fn column(value: &Bound<'_, PyAny>) -> Result<Json, String> {
    let is_builtin = value.is_none()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>();
    match if is_builtin { None } else { objects::text(value) } {
        Some(text) => Ok(Json::String(text)),
        None => nested(value, 1),
    }
}

/// The members of a mapping.
fn pairs<'py>(value: &Bound<'py, PyAny>) -> Option<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    if let Ok(dict) = value.cast::<PyDict>() {
        return Some(dict.iter().collect());
    }
    let items = value.cast::<PyMapping>().ok()?.items().ok()?;
    Some(items.iter().filter_map(|pair| pair.extract().ok()).collect())
}

/// Said once, for the innermost value.
fn with_name(name: &str, reason: String) -> String {
    if reason.starts_with('`') { reason } else { format!("`{name}`: {reason}") }
}

fn nested(value: &Bound<'_, PyAny>, depth: usize) -> Result<Json, String> {
    if depth > DEEPEST {
        return Err("it is nested too deeply".to_owned());
    }
    if value.is_none() {
        return Ok(Json::Null);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return text
            .to_str()
            .map(Json::from)
            .map_err(|_| "a text holds half a character (a lone surrogate)".to_owned());
    }
    if let Ok(yes) = value.cast::<PyBool>() {
        return Ok(Json::Bool(yes.is_true()));
    }
    if let Ok(number) = value.cast::<PyInt>() {
        return Ok(match (number.extract::<i64>(), number.extract::<u64>()) {
            (Ok(number), _) => number.into(),
            (_, Ok(number)) => number.into(),
            // Its digits are kept; no number of JSON here would hold them all.
            _ => Json::String(text_of(number)?),
        });
    }
    if let Ok(number) = value.cast::<PyFloat>() {
        return Ok(Number::from_f64(number.value()).map_or(Json::Null, Json::Number));
    }
    if let Ok(list) = value.cast::<PyList>() {
        return list.iter().map(|item| nested(&item, depth + 1)).collect::<Result<_, _>>().map(Json::Array);
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return tuple.iter().map(|item| nested(&item, depth + 1)).collect::<Result<_, _>>().map(Json::Array);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return members(dict.iter(), depth);
    }
    foreign(value, depth)
}

fn members<'py>(
    members: impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)>,
    depth: usize,
) -> Result<Json, String> {
    let mut object = Map::new();
    for (name, value) in members {
        let name = match name.cast::<PyString>() {
            Ok(name) => text_of(name)?,
            Err(_) => return Err(format!("a key must be a text, but it is {}", type_phrase(&name))),
        };
        let value = nested(&value, depth + 1).map_err(|reason| with_name(&name, reason))?;
        object.insert(name, value);
    }
    Ok(Json::Object(object))
}

/// Values of other packages: scalars and arrays of NumPy, what stands for nothing in pandas, dates, mappings, sets, objects.
fn foreign(value: &Bound<'_, PyAny>, depth: usize) -> Result<Json, String> {
    let call = |method: &str| value.call_method0(method).ok();
    if let Some(pairs) = pairs(value) {
        return members(pairs.into_iter(), depth);
    }
    if value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
        let items = value.try_iter().map_err(|_| format!("a value {} cannot be read", type_phrase(value)))?;
        let mut list: Vec<Json> = Vec::new();
        for item in items {
            list.push(nested(&item.map_err(|error| error.to_string())?, depth + 1)?);
        }
        // A set has no order of its own, and results must not depend on chance.
        list.sort_by_cached_key(Json::to_string);
        return Ok(Json::Array(list));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Json::String(String::from_utf8_lossy(bytes.as_bytes()).into_owned()));
    }
    if let Ok(bytes) = value.cast::<PyByteArray>() {
        return Ok(Json::String(String::from_utf8_lossy(&bytes.to_vec()).into_owned()));
    }
    if let Some(pairs) = objects::members(value) {
        return members(pairs.into_iter(), depth).map(objects::passage);
    }
    let name = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    if matches!(name.as_str(), "NAType" | "NaTType") {
        return Ok(Json::Null);
    }
    if let Some(inner) = call("tolist").or_else(|| call("item")).filter(|inner| !inner.is(value)) {
        return nested(&inner, depth + 1);
    }
    if let Some(date) = call("isoformat") {
        return text_of(&date).map(Json::String);
    }
    if matches!(name.as_str(), "Decimal" | "UUID" | "Fraction") || value.hasattr("__fspath__").unwrap_or(false) {
        return text_of(value).map(Json::String);
    }
    // The members of an enumeration.
    if let (Ok(_), Ok(inner)) = (value.getattr("_name_"), value.getattr("_value_")) {
        return nested(&inner, depth + 1);
    }
    Err(format!("a value {} cannot be written as JSON", type_phrase(value)))
}

fn text_of(value: &Bound<'_, PyAny>) -> Result<String, String> {
    value
        .str()
        .and_then(|text| text.extract::<String>())
        .map_err(|_| format!("a value {} has no text", type_phrase(value)))
}

fn type_phrase(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "an object".to_owned(), |name| format!("of type `{name}`"))
}
