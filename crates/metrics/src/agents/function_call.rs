//! Whether calls fit an answer key with allowed values for each parameter: BFCL's check of the syntax tree, for Python.

use probare_core::{ErrorKind, Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, Tool, metric};
use probare_text::python;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::trace::{
    PlacedCall, check_closed, check_usable, expected_calls, no_expectation, python_equal, require_trace,
};
use crate::bounded_evidence::BoundedEvidence;

/// Options of `function_call`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FunctionCall {
    /// The category of BFCL: with `parallel` in it, several calls in any order; with `multiple`, several tools; else one call
    /// of the first tool.
    pub category: String,
    /// Whether `.` in the names of tools is written as `_` in calls.
    pub underscore_to_dot: bool,
}

metric!(FunctionCall as Pure {
    summary: "Whether calls fit a key of allowed values (BFCL)",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Tools],
    since: "0.3",
    version: 1,
    page: "function_call.md",
});

/// Why a call does not fit, by the word of the original.
type Fault = &'static str;

/// A call and the key that it was tried with in vain.
type FailedMatch = (usize, Fault);

impl Metric for FunctionCall {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        if self.category.contains("java") {
            return Ok(Outcome::not_applicable("calls in Java and JavaScript are not read"));
        }
        let trace = match require_trace(sample)? {
            Ok(trace) => trace,
            Err(outcome) => return Ok(outcome),
        };
        let Some(keys) = expected_calls(sample.case)? else { return Ok(no_expectation()) };
        check_closed(&keys, true)?;
        check_usable(&trace.calls, ErrorKind::Unparseable)?;
        let tools = sample.case.tools.as_deref().unwrap_or_default();
        let (fault, tried) = self.check(tools, &trace.calls, &keys)?;
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
            evidence.push(|| remark);
        }
        match fault {
            None => trace.calls.iter().for_each(|made| evidence.push(|| made.name_evidence(EvidenceKind::Matched))),
            Some(fault) if tried.is_empty() => evidence.push(|| Evidence::note(fault)),
            Some(_) => {
                for (number, fault) in &tried {
                    evidence.push(|| trace.calls[*number].name_evidence(EvidenceKind::Compared).with_note(*fault));
                }
            }
        }
        let score = Score::from_bool(fault.is_none()).because(evidence.finish());
        Ok(fault.map_or(score.clone(), |fault| score.labelled(fault)).into())
    }
}

fn case_error(reason: impl Into<String>) -> ScoreError {
    ScoreError::other(ErrorKind::Failed, reason.into())
}

impl FunctionCall {
    /// The fault, where there is one, and the calls that were tried in vain.
    fn check(
        &self,
        tools: &[Tool],
        calls: &[PlacedCall<'_>],
        keys: &[PlacedCall<'_>],
    ) -> Result<(Option<Fault>, Vec<FailedMatch>), ScoreError> {
        let named = |name: &str| {
            tools
                .iter()
                .find(|tool| tool.name == name)
                .ok_or_else(|| case_error(format!("the key names no tool: `{name}`")))
        };
        let one = |tool: &Tool, key: &PlacedCall<'_>| -> Result<(Option<Fault>, Vec<FailedMatch>), ScoreError> {
            let fault = self.call_fault(tool, &calls[0], key)?;
            Ok((fault, fault.map(|fault| (0, fault)).into_iter().collect()))
        };
        if self.category.contains("parallel") {
            return self.parallel(calls, keys, named);
        }
        if self.category.contains("multiple") {
            if calls.len() != keys.len() {
                return Ok((Some("multiple_function_checker:wrong_count"), Vec::new()));
            }
            let key = keys.first().ok_or_else(|| case_error("the key has no entry"))?;
            return one(named(&key.call.name)?, key);
        }
        if calls.len() != 1 {
            return Ok((Some("simple_function_checker:wrong_count"), Vec::new()));
        }
        let tool = tools.first().ok_or_else(|| case_error("the case has no tools"))?;
        one(tool, keys.first().ok_or_else(|| case_error("the key has no entry"))?)
    }

    fn parallel<'t>(
        &self,
        calls: &[PlacedCall<'_>],
        keys: &[PlacedCall<'_>],
        named: impl Fn(&str) -> Result<&'t Tool, ScoreError>,
    ) -> Result<(Option<Fault>, Vec<FailedMatch>), ScoreError> {
        if calls.len() != keys.len() {
            return Ok((Some("parallel_function_checker_no_order:wrong_count"), Vec::new()));
        }
        let mut is_taken = vec![false; calls.len()];
        for key in keys {
            let tool = named(&key.call.name)?;
            let mut tried = Vec::new();
            let mut found = false;
            for (number, made) in calls.iter().enumerate() {
                if is_taken[number] {
                    continue;
                }
                match self.call_fault(tool, made, key)? {
                    None => {
                        is_taken[number] = true;
                        found = true;
                        break;
                    }
                    Some(fault) => tried.push((number, fault)),
                }
            }
            if !found {
                return Ok((Some("parallel_function_checker_no_order:cannot_find_match"), tried));
            }
        }
        Ok((None, Vec::new()))
    }

    /// One call against one tool and one entry of the key; the first fault decides.
    fn call_fault(
        &self,
        tool: &Tool,
        made: &PlacedCall<'_>,
        key: &PlacedCall<'_>,
    ) -> Result<Option<Fault>, ScoreError> {
        let name = if self.underscore_to_dot { tool.name.replace('.', "_") } else { tool.name.clone() };
        if made.call.name != name {
            return Ok(Some("simple_function_checker:wrong_func_name"));
        }
        let allowed = key.call.allowed.as_ref().ok_or_else(|| {
            case_error(format!("the key of `{}` has no `allowed`: a list of values for each argument", key.call.name))
        })?;
        let properties = tool.parameters.get("properties").and_then(Json::as_object);
        let required = tool.parameters.get("required").and_then(Json::as_array).into_iter().flatten();
        let given = made.call.arguments();
        if required.filter_map(Json::as_str).any(|name| !given.contains_key(name)) {
            return Ok(Some("simple_function_checker:missing_required"));
        }
        for (name, value) in given {
            let (Some(schema), Some(values)) = (properties.and_then(|all| all.get(name)), allowed.get(name)) else {
                return Ok(Some("simple_function_checker:unexpected_param"));
            };
            let values =
                values.as_array().ok_or_else(|| case_error(format!("the key has no list of values for `{name}`")))?;
            if let Some(fault) = argument(schema, value, values)? {
                return Ok(Some(fault));
            }
        }
        let left_out = allowed.iter().any(|(name, values)| !given.contains_key(name) && !may_be_absent(values));
        Ok(left_out.then_some("simple_function_checker:missing_optional"))
    }
}

/// Whether the mark for what may be left out is among the values.
fn may_be_absent(values: &Json) -> bool {
    values.as_array().is_some_and(|values| values.iter().any(is_mark))
}

fn is_mark(value: &Json) -> bool {
    value.as_str() == Some("")
}

/// The kinds that the original tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ParameterType {
    Text,
    Whole,
    Float,
    Truth,
    List,
    Object,
    Null,
}

fn kind_of(value: &Json) -> ParameterType {
    match value {
        Json::String(_) => ParameterType::Text,
        Json::Bool(_) => ParameterType::Truth,
        Json::Number(number) if number.is_f64() => ParameterType::Float,
        Json::Number(_) => ParameterType::Whole,
        Json::Array(_) => ParameterType::List,
        Json::Object(_) => ParameterType::Object,
        Json::Null => ParameterType::Null,
    }
}

/// The kind that a schema wants. Its own names of types and those of JSON Schema are the same thing; no type is any.
fn schema_type(schema: &Json) -> Result<ParameterType, ScoreError> {
    match schema.get("type").and_then(Json::as_str) {
        None | Some("string" | "any") => Ok(ParameterType::Text),
        Some("integer") => Ok(ParameterType::Whole),
        Some("float" | "number") => Ok(ParameterType::Float),
        Some("boolean") => Ok(ParameterType::Truth),
        Some("array" | "tuple") => Ok(ParameterType::List),
        Some("dict" | "object") => Ok(ParameterType::Object),
        Some(other) => Err(case_error(format!("a tool has a parameter of the unknown type `{other}`"))),
    }
}

/// One argument against the values that are allowed for it.
fn argument(schema: &Json, value: &Json, allowed: &[Json]) -> Result<Option<Fault>, ScoreError> {
    let kind = schema_type(schema)?;
    let inner = match (kind, schema.get("items")) {
        (ParameterType::List, Some(items)) => Some(schema_type(items)?),
        (ParameterType::List, None) => return Err(case_error("a tool has a list without `items`")),
        _ => None,
    };
    let as_float;
    let value = match (kind, value) {
        (ParameterType::Float, Json::Number(number)) if !number.is_f64() => {
            as_float = number.as_f64().map_or(Json::Null, Json::from);
            &as_float
        }
        _ => value,
    };
    let is_variable = match type_fault(kind, inner, value, allowed) {
        Ok(is_variable) => is_variable,
        Err(fault) => return Ok(Some(fault)),
    };
    let is_among = || allowed.iter().any(|known| python_equal(value, known));
    Ok(match (kind, value) {
        _ if is_variable => (!is_among()).then_some("value_error:others"),
        (ParameterType::Text, Json::String(text)) => {
            let text = loosened(text);
            let found = allowed.iter().filter_map(Json::as_str).any(|known| loosened(known) == text);
            (!found).then_some("value_error:string")
        }
        (ParameterType::List, Json::Array(items)) if inner == Some(ParameterType::Object) => {
            list_of_objects(items, allowed)
        }
        (ParameterType::List, Json::Array(items)) => {
            let items = loosened_list(items);
            let found = allowed.iter().any(|known| {
                let known = match known {
                    Json::Array(known) => loosened_list(known),
                    // The mark for what may be left out is an empty list to the original.
                    _ => Vec::new(),
                };
                known.len() == items.len() && known.iter().zip(&items).all(|(one, other)| python_equal(one, other))
            });
            (!found).then_some("value_error:list/tuple")
        }
        (ParameterType::Object, Json::Object(object)) => object_fault(object, allowed),
        _ => (!is_among()).then_some("value_error:others"),
    })
}

/// Whether a value stands for a variable; the fault where its type does not fit.
fn type_fault(
    kind: ParameterType,
    inner: Option<ParameterType>,
    value: &Json,
    allowed: &[Json],
) -> Result<bool, Fault> {
    let first = allowed.iter().find(|known| !is_mark(known)).map(kind_of);
    let is_variable = first.is_some_and(|first| first != kind);
    let given = kind_of(value);
    if given != kind {
        return if is_variable && first == Some(given) { Ok(true) } else { Err("type_error:simple") };
    }
    let Some(inner) = inner else { return Ok(is_variable) };
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let passes = allowed.iter().any(|known| match known {
        Json::Array(known) => items.iter().all(|item| type_fault(inner, None, item, known).is_ok()),
        _ => true,
    });
    if passes {
        Ok(is_variable)
    } else if first == Some(ParameterType::List) {
        Err("type_error:nested")
    } else {
        Err("type_error:simple")
    }
}

/// A text without the signs that do not count, in lower case.
fn loosened(text: &str) -> String {
    let filtered: String =
        text.chars().filter(|sign| !matches!(sign, ' ' | ',' | '.' | '/' | '-' | '_' | '*' | '^')).collect();
    python::lower(&filtered).replace('\'', "\"")
}

fn loosened_value(value: &Json) -> Json {
    value.as_str().map_or_else(|| value.clone(), |text| Json::from(loosened(text)))
}

fn loosened_list(items: &[Json]) -> Vec<Json> {
    items.iter().map(loosened_value).collect()
}

/// An object against each one that is allowed; the fault of the last that was tried.
fn object_fault(object: &Map<String, Json>, allowed: &[Json]) -> Option<Fault> {
    let mut last = Some("dict_checker:unclear");
    for known in allowed.iter().filter(|known| !is_mark(known)) {
        last = one_object(object, known);
        last?;
    }
    last
}

fn one_object(object: &Map<String, Json>, known: &Json) -> Option<Fault> {
    let Some(known) = known.as_object() else { return Some("value_error:dict_key") };
    let mut fault = None;
    for (key, value) in object {
        let Some(values) = known.get(key) else {
            fault = Some("value_error:dict_key");
            break;
        };
        let value = loosened_value(value);
        let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
        if !values.iter().any(|allowed| python_equal(&loosened_value(allowed), &value)) {
            fault = Some("value_error:dict_value");
            break;
        }
    }
    let is_missing = known.iter().any(|(key, values)| !object.contains_key(key) && !may_be_absent(values));
    if is_missing { Some("value_error:dict_key") } else { fault }
}

/// A list of objects against each list that is allowed; the fault of the last that was tried.
fn list_of_objects(items: &[Json], allowed: &[Json]) -> Option<Fault> {
    let mut last = Some("list_dict_checker:unclear");
    for known in allowed {
        let known = known.as_array().map(Vec::as_slice).unwrap_or_default();
        if known.len() != items.len() {
            last = Some("value_error:list_dict_count");
            continue;
        }
        last = items.iter().zip(known).find_map(|(item, known)| match item {
            Json::Object(object) => one_object(object, known),
            _ => Some("value_error:dict_key"),
        });
        last?;
    }
    last
}
