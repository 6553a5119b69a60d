//! Numbers and values as JavaScript prints them, for files that its programs compare as text.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

/// A number that is written without a decimal point where it is whole.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match whole(self.0) {
            Some(number) => serializer.serialize_i64(number),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match whole(self.0) {
            Some(number) => write!(formatter, "{number}"),
            None => write!(formatter, "{}", self.0),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^53 fit")]
fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0).then_some(number as i64)
}

/// A value inside a string; `None` for what counts as nothing: absent, null, false, 0 and the empty string.
pub fn shown(value: Option<&Json>) -> Option<String> {
    match value? {
        Json::Null | Json::Bool(false) => None,
        Json::Bool(true) => Some("true".to_owned()),
        Json::Number(number) => {
            let number = number.as_f64().filter(|number| *number != 0.0)?;
            Some(Number(number).to_string())
        }
        Json::String(text) => (!text.is_empty()).then(|| text.clone()),
        Json::Array(items) => {
            let inner = items.iter().map(|item| match item {
                Json::Null => String::new(),
                other => shown(Some(other)).unwrap_or_else(|| plain(other)),
            });
            Some(inner.collect::<Vec<_>>().join(","))
        }
        Json::Object(_) => Some("[object Object]".to_owned()),
    }
}

/// Values that count as nothing have a text too when they stand in a list.
fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Number(_) => "0".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_have_no_decimal_point() {
        assert_eq!(serde_json::to_string(&[Number(100.0), Number(0.13), Number(0.0)]).unwrap(), "[100,0.13,0]");
        assert_eq!(Number(66.7).to_string(), "66.7");
    }

    #[test]
    fn nothing_is_not_shown() {
        for nothing in [json!(null), json!(false), json!(0), json!("")] {
            assert_eq!(shown(Some(&nothing)), None);
        }
        assert_eq!(shown(None), None);
        assert_eq!(shown(Some(&json!(7))).as_deref(), Some("7"));
        assert_eq!(shown(Some(&json!([1, [0, null], "a"]))).as_deref(), Some("1,0,,a"));
    }
}
