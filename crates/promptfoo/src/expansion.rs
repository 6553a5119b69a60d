//! From the tests of a configuration to single runs: defaults, scenarios, repeats, and variables with several values.

use serde_json::{Map, Value, json};

/// Combinations of one test.
const MOST_COMBINATIONS: usize = 100_000;

/// A test with its defaults: variables, options and metadata key by key, where the test wins; default assertions first.
pub fn with_defaults(defaults: &Value, test: &Value) -> Value {
    merge(&[defaults, test])
}

/// The tests of a scenario: each entry of `config` with each of its `tests`.
pub fn scenario_tests(defaults: &Value, scenario: &Value) -> Vec<Value> {
    let list = |key: &str| scenario.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let (configs, tests) = (list("config"), list("tests"));
    let tests = if tests.is_empty() { vec![json!({})] } else { tests };
    configs.iter().flat_map(|config| tests.iter().map(|test| merge(&[defaults, config, test]))).collect()
}

/// Layers over each other, later ones winning.
fn merge(layers: &[&Value]) -> Value {
    let mut merged = Map::new();
    let mut assertions = Vec::new();
    let last = layers.last().and_then(|test| test.get("options"));
    let has_no_defaults = layers
        .iter()
        .rev()
        .find_map(|layer| layer.get("options")?.get("disableDefaultAsserts"))
        .or_else(|| last?.get("disableDefaultAsserts"))
        .is_some_and(|value| value == &Value::Bool(true));
    for (depth, layer) in layers.iter().enumerate() {
        for (key, value) in layer.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("vars" | "options" | "metadata", Value::Object(inner)) => {
                    let known = merged.entry(key.clone()).or_insert_with(|| json!({}));
                    if let Value::Object(known) = known {
                        known.extend(inner.iter().map(|(key, value)| (key.clone(), value.clone())));
                    }
                }
                ("assert", Value::Array(list)) => {
                    if depth > 0 || !has_no_defaults {
                        assertions.extend(list.iter().cloned());
                    }
                }
                ("description", _) if depth == 0 => {}
                (_, Value::Null) => {}
                _ => {
                    merged.insert(key.clone(), value.clone());
                }
            }
        }
    }
    if !assertions.is_empty() {
        merged.insert("assert".to_owned(), Value::Array(assertions));
    }
    Value::Object(merged)
}

/// The variables of each run of a test: a list that begins with a text is one run for each of its items. The reason where
/// there are too many.
pub fn expand_variables(test: &Value) -> Result<Vec<Map<String, Value>>, String> {
    let empty = Map::new();
    let vars = test.get("vars").and_then(Value::as_object).unwrap_or(&empty);
    let options = test.get("options");
    let is_off = options.and_then(|options| options.get("disableVarExpansion")).is_some_and(crate::js::is_truthy);
    let mut rows = vec![Map::new()];
    for (name, value) in vars {
        let values = match value {
            Value::Array(items) if !is_off && items.first().is_some_and(Value::is_string) => items.clone(),
            other => vec![other.clone()],
        };
        if rows.len().saturating_mul(values.len()) > MOST_COMBINATIONS {
            return Err(format!("a test has more than {MOST_COMBINATIONS} combinations of variables"));
        }
        let row_with = |row: &Map<String, Value>, value: &Value| {
            let mut row = row.clone();
            row.insert(name.clone(), value.clone());
            row
        };
        rows =
            rows.iter().flat_map(|row| values.iter().map(|value| row_with(row, value)).collect::<Vec<_>>()).collect();
    }
    Ok(rows)
}
