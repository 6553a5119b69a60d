//! Numbers and values as JavaScript prints them, for files that its programs compare as text.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

/// A number that is written without a decimal point where it is whole.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct JsNumber(pub f64);

impl Serialize for JsNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match whole(self.0) {
            Some(number) => serializer.serialize_i64(number),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl std::fmt::Display for JsNumber {
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

/// A number that is not negative with so many decimals, as `toFixed` writes it: the nearest one, and of two that are
/// equally near the greater one.
pub fn to_fixed(number: f64, decimals: usize) -> String {
    let twice = 2.0 * 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
    let halves = number * twice;
    // Exactly in the middle: an odd number of halves, and nothing was rounded away in counting them.
    let is_tie = halves % 2.0 == 1.0 && number.mul_add(twice, -halves) == 0.0;
    let number = if is_tie { (halves + 1.0) / twice } else { number };
    format!("{number:.decimals$}")
}

/// A value inside a string; `None` for what counts as nothing: absent, null, false, 0 and the empty string.
pub fn truthy_text(value: Option<&Json>) -> Option<String> {
    match value? {
        Json::Null | Json::Bool(false) => None,
        Json::Bool(true) => Some("true".to_owned()),
        Json::Number(number) => {
            let number = number.as_f64().filter(|number| *number != 0.0)?;
            Some(JsNumber(number).to_string())
        }
        Json::String(text) => (!text.is_empty()).then(|| text.clone()),
        Json::Array(items) => {
            let inner = items.iter().map(|item| match item {
                Json::Null => String::new(),
                other => truthy_text(Some(other)).unwrap_or_else(|| plain(other)),
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
        assert_eq!(serde_json::to_string(&[JsNumber(100.0), JsNumber(0.13), JsNumber(0.0)]).unwrap(), "[100,0.13,0]");
        assert_eq!(JsNumber(66.7).to_string(), "66.7");
    }

    #[test]
    fn halves_go_up_and_nearly_halves_do_not() {
        assert_eq!((to_fixed(6.25, 1), to_fixed(12.5, 0), to_fixed(0.5, 0)), ("6.3".into(), "13".into(), "1".into()));
        // 33.65 is a little less than that, 4038 / 12000 * 100 a little more.
        assert_eq!((to_fixed(33.65, 1), to_fixed(4038.0 / 12000.0 * 100.0, 1)), ("33.6".into(), "33.7".into()));
        assert_eq!(
            (to_fixed(0.0, 1), to_fixed(100.0, 0), to_fixed(50.0, 1)),
            ("0.0".into(), "100".into(), "50.0".into())
        );
    }

    #[test]
    fn nothing_is_not_shown() {
        for nothing in [json!(null), json!(false), json!(0), json!("")] {
            assert_eq!(truthy_text(Some(&nothing)), None);
        }
        assert_eq!(truthy_text(None), None);
        assert_eq!(truthy_text(Some(&json!(7))).as_deref(), Some("7"));
        assert_eq!(truthy_text(Some(&json!([1, [0, null], "a"]))).as_deref(), Some("1,0,,a"));
    }
}
