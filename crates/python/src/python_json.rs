//! Values of Python as JSON.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use serde_json::{Map, Number, Value as Json};

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
        _ => Err(format!("a row must be a dict, but it is {}", type_phrase(value))),
    }
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
        let value = nested(&value, depth + 1).map_err(|reason| {
            // Said once, for the innermost value.
            if reason.starts_with('`') { reason } else { format!("`{name}`: {reason}") }
        })?;
        object.insert(name, value);
    }
    Ok(Json::Object(object))
}

/// Values of other packages: scalars and arrays of NumPy, what stands for nothing in pandas, dates, mappings.
fn foreign(value: &Bound<'_, PyAny>, depth: usize) -> Result<Json, String> {
    let call = |method: &str| value.call_method0(method).ok();
    if let Ok(mapping) = value.cast::<PyMapping>()
        && let Ok(items) = mapping.items()
    {
        let pairs: Vec<_> = items.iter().filter_map(|pair| pair.extract().ok()).collect();
        return members(pairs.into_iter(), depth);
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
