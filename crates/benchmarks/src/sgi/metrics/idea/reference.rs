//! What an idea is held against: the fields of the row, of which some are Python literals in a text.

use probare_text::python::{PyValue, literal_eval};
use serde_json::{Map, Value as Json};

/// The reference of an idea.
#[derive(Debug, Clone, PartialEq)]
pub struct IdeaReference {
    pub related_work: PyValue,
    /// Solutions that exist.
    pub existing_solutions: PyValue,
    /// The newest related work; nothing where it is absent or cannot be read.
    pub related_work_test: Option<PyValue>,
    /// The steps and their order, under the names that ideas use, with the rest of the idea.
    pub idea: PyValue,
    /// Keywords as they stand in the row.
    pub keywords: PyValue,
}

/// A field that should be a list cannot be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`implementation_order` is a {0}, of which there is no list")]
pub struct NotIterable(pub &'static str);

impl IdeaReference {
    /// Reads the fields of a row. `null` counts as absent.
    pub fn new(row: &Map<String, Json>) -> Result<Self, NotIterable> {
        let field = |name: &str| row.get(name).unwrap_or(&Json::Null);
        let text = |name: &str| PyValue::from(field(name));
        let idea = vec![
            ("Idea", text("core_idea")),
            ("ImplementationSteps", mapping_field(field("implementation_steps"))),
            ("ImplementationOrder", PyValue::List(order_field(field("implementation_order"))?)),
            ("Dataset", text("data")),
            ("EvaluationMetrics", mapping_field(field("evaluation_metrics"))),
            ("ExpectedOutcome", text("expected_outcome")),
        ];
        Ok(Self {
            related_work: mapping_field(field("related_work")),
            existing_solutions: mapping_field(field("existing_solutions")),
            related_work_test: row.get("related_work_test").map(mapping_field).filter(PyValue::is_truthy),
            idea: PyValue::Dict(
                idea.into_iter().map(|(name, value)| (PyValue::Text(name.to_owned()), value)).collect(),
            ),
            keywords: text("keywords"),
        })
    }
}

/// A field that should be a mapping: a text is read as a Python literal, what is empty or cannot be read is an empty one.
pub fn mapping_field(value: &Json) -> PyValue {
    let empty = || PyValue::Dict(Vec::new());
    match value {
        Json::String(text) if text.is_empty() => empty(),
        Json::String(text) => literal_eval(text).unwrap_or_else(empty),
        other => Some(PyValue::from(other)).filter(PyValue::is_truthy).unwrap_or_else(empty),
    }
}

/// A field that should be a list: a mapping gives its keys, a text its characters.
pub fn order_field(value: &Json) -> Result<Vec<PyValue>, NotIterable> {
    let value = match value {
        Json::Null => return Ok(Vec::new()),
        Json::String(text) => match literal_eval(text) {
            Some(value) => value,
            None => return Ok(Vec::new()),
        },
        other => PyValue::from(other),
    };
    Ok(match value {
        PyValue::List(items) | PyValue::Tuple(items) | PyValue::Set(items) => items,
        PyValue::Dict(pairs) => pairs.into_iter().map(|(key, _)| key).collect(),
        PyValue::Text(text) => text.chars().map(|character| PyValue::Text(character.to_string())).collect(),
        PyValue::Bytes(bytes) => bytes.iter().map(|byte| PyValue::Int(byte.to_string())).collect(),
        PyValue::None | PyValue::Ellipsis => return Err(NotIterable("constant")),
        PyValue::Bool(_) => return Err(NotIterable("truth value")),
        PyValue::Int(_) | PyValue::Float(_) | PyValue::Complex(..) => return Err(NotIterable("number")),
    })
}
