//! [`ValueWeights`]: what each value that an answer may name is worth.

use serde_json::Value as Json;

/// The metric of a question cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MetricSpecError(pub String);

/// Values and what they are worth, in the order of the file. Negative weights are penalties.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ValueWeights {
    values: Vec<(String, f64)>,
}

impl ValueWeights {
    /// Reads any of the forms that a question file may use: an object value to weight; `{"values": …, "weights": …}`;
    /// a list of values or of `{"value", "weight"}`; text with values between `,` `;` `|` or line breaks; or JSON text of
    /// one of these.
    pub fn read(metric: &Json) -> Result<Self, MetricSpecError> {
        let values = match metric {
            Json::String(text) => match parse_json_text(text)? {
                Some(json) => return Self::read(&json),
                None => text.split([',', ';', '|', '\n']).map(|value| (value.trim().to_owned(), 1.0)).collect(),
            },
            Json::Object(object) => match (object.len(), object.get("values"), object.get("weights")) {
                (2, Some(Json::Array(values)), Some(Json::Array(weights))) => side_by_side(values, weights)?,
                _ => object
                    .iter()
                    .map(|(value, weight)| Ok((value.clone(), number(weight, value)?)))
                    .collect::<Result<_, _>>()?,
            },
            Json::Array(list) => list.iter().map(entry).collect::<Result<_, _>>()?,
            Json::Number(number) => vec![(number.to_string(), 1.0)],
            Json::Bool(_) | Json::Null => return Err(MetricSpecError("names no values".into())),
        };
        let values: Vec<(String, f64)> = values.into_iter().filter(|(value, _)| !value.trim().is_empty()).collect();
        if values.is_empty() {
            return Err(MetricSpecError("names no values".into()));
        }
        Ok(Self { values })
    }

    /// The values in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &str> {
        self.values.iter().map(|(value, _)| value.as_str())
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value at a place.
    pub fn value(&self, index: usize) -> &str {
        self.values.get(index).map_or("", |(value, _)| value)
    }

    /// What the value at a place is worth.
    pub fn weight(&self, index: usize) -> f64 {
        self.values.get(index).map_or(0.0, |(_, weight)| *weight)
    }

    /// What the best single value is worth, and at least 1.
    pub fn best_one(&self) -> f64 {
        self.values.iter().map(|(_, weight)| *weight).fold(1.0, f64::max)
    }

    /// What all values with a positive weight are worth together, and at least 1.
    pub fn best_many(&self) -> f64 {
        self.values.iter().map(|(_, weight)| *weight).filter(|weight| *weight > 0.0).sum::<f64>().max(1.0)
    }

    /// Whether some value has a positive weight, which makes another one a wrong choice.
    pub fn has_wrong_values(&self) -> bool {
        self.values.iter().any(|(_, weight)| *weight <= 0.0)
    }
}

/// What JSON text holds; nothing for text that is not meant as JSON. A text that opens like an object or a list must be
/// one.
pub(super) fn parse_json_text(text: &str) -> Result<Option<Json>, MetricSpecError> {
    let trimmed = text.trim();
    match serde_json::from_str::<Json>(trimmed) {
        Ok(Json::Number(_) | Json::Null) => Ok(None),
        Ok(json) => Ok(Some(json)),
        Err(error) if trimmed.starts_with(['{', '[']) => Err(MetricSpecError(format!("is not valid JSON: {error}"))),
        Err(_) => Ok(None),
    }
}

fn side_by_side(values: &[Json], weights: &[Json]) -> Result<Vec<(String, f64)>, MetricSpecError> {
    if values.len() != weights.len() {
        let (values, weights) = (values.len(), weights.len());
        return Err(MetricSpecError(format!("has {values} values and {weights} weights")));
    }
    values
        .iter()
        .zip(weights)
        .map(|(value, weight)| {
            let value = name(value)?;
            let weight = number(weight, &value)?;
            Ok((value, weight))
        })
        .collect()
}

fn entry(json: &Json) -> Result<(String, f64), MetricSpecError> {
    let Json::Object(object) = json else { return Ok((name(json)?, 1.0)) };
    let value = name(object.get("value").ok_or_else(|| MetricSpecError("holds an entry without `value`".into()))?)?;
    let weight = object.get("weight").map_or(Ok(1.0), |weight| number(weight, &value))?;
    Ok((value, weight))
}

fn name(json: &Json) -> Result<String, MetricSpecError> {
    match json {
        Json::String(text) => Ok(text.clone()),
        Json::Number(number) => Ok(number.to_string()),
        Json::Bool(yes) => Ok(if *yes { "yes" } else { "no" }.to_owned()),
        other => Err(MetricSpecError(format!("holds a value that is not text: {other}"))),
    }
}

fn number(json: &Json, value: &str) -> Result<f64, MetricSpecError> {
    json.as_f64()
        .filter(|number| number.is_finite())
        .ok_or_else(|| MetricSpecError(format!("gives `{value}` a weight that is not a finite number: {json}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pairs(metric: &Json) -> Vec<(String, f64)> {
        ValueWeights::read(metric).unwrap().values
    }

    #[test]
    fn every_form_is_read() {
        let expected = [("b".to_owned(), 0.5), ("a".to_owned(), 1.0)];
        for metric in [
            json!({"b": 0.5, "a": 1}),
            json!("{\"b\": 0.5, \"a\": 1}"),
            json!({"values": ["b", "a"], "weights": [0.5, 1]}),
            json!([{"value": "b", "weight": 0.5}, {"value": "a"}]),
        ] {
            assert_eq!(pairs(&metric), expected, "{metric}");
        }
        assert_eq!(pairs(&json!("x, y;z\n| w")).len(), 4);
        assert_eq!(pairs(&json!("5")), [("5".to_owned(), 1.0)]);
        assert_eq!(pairs(&json!("\"x\"")), [("x".to_owned(), 1.0)]);
        assert_eq!(pairs(&json!({"values": 1, "weights": 2})).len(), 2, "not lists: two values with these names");
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (metric, reason) in [
            (json!("{\"a\": "), "is not valid JSON"),
            (json!({"a": "x"}), "`a` a weight"),
            (json!({"values": ["a"], "weights": []}), "1 values and 0 weights"),
            (json!([{"weight": 1}]), "without `value`"),
            (json!([[1]]), "is not text"),
            (json!(" , "), "no values"),
            (json!(true), "no values"),
            (json!({}), "no values"),
        ] {
            let error = ValueWeights::read(&metric).unwrap_err().to_string();
            assert!(error.contains(reason), "{metric}: {error}");
        }
    }
}
