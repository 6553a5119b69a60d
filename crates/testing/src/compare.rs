//! Comparisons that say what was expected and what came, and readers of the fields of a vector.

use std::fmt::Debug;

use serde_json::Value;

/// Agrees when the two numbers differ by at most `tolerance`. NaN agrees with nothing.
pub fn close(what: &str, expected: f64, got: f64, tolerance: f64) -> Result<(), String> {
    if (expected - got).abs() <= tolerance {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected}, got {got} (tolerance {tolerance:e})"))
    }
}

/// Agrees when `got`, an object, has every expected number, and near it.
pub fn all_close(expected: &Value, got: &Value, tolerance: f64) -> Result<(), String> {
    let numbers = expected.as_object().filter(|numbers| !numbers.is_empty()).ok_or("no numbers are expected")?;
    numbers.keys().try_for_each(|name| close(name, number(expected, name)?, number(got, name)?, tolerance))
}

/// Agrees when the two are equal.
pub fn same<L: Debug + PartialEq<R> + ?Sized, R: Debug + ?Sized>(
    what: &str,
    expected: &L,
    got: &R,
) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{what}: expected {expected:?}, got {got:?}")) }
}

/// The string in this field of a vector.
pub fn text<'a>(case: &'a Value, field: &str) -> Result<&'a str, String> {
    case.get(field).and_then(Value::as_str).ok_or_else(|| format!("the vector has no string `{field}`"))
}

/// The number in this field of a vector.
pub fn number(case: &Value, field: &str) -> Result<f64, String> {
    case.get(field).and_then(Value::as_f64).ok_or_else(|| format!("the vector has no number `{field}`"))
}

/// The list in this field of a vector.
pub fn list<'a>(case: &'a Value, field: &str) -> Result<&'a [Value], String> {
    case.get(field)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .ok_or_else(|| format!("the vector has no list `{field}`"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_difference_names_both_sides() {
        assert_eq!(close("value", 0.5, 0.5 + 1e-12, 1e-9), Ok(()));
        let message = close("value", 0.5, 0.6, 1e-9).unwrap_err();
        assert!(message.contains("0.5") && message.contains("0.6"), "{message}");
        assert!(close("value", f64::NAN, f64::NAN, 1.0).is_err());
        assert_eq!(same("tokens", &["a"], ["a"].as_slice()), Ok(()));
        assert_eq!(same("word", "a", "b"), Err(r#"word: expected "a", got "b""#.into()));
    }

    #[test]
    fn a_missing_field_is_named() {
        let case = json!({"text": "a", "number": 1, "list": [1]});
        assert_eq!(text(&case, "text"), Ok("a"));
        assert_eq!(number(&case, "number"), Ok(1.0));
        assert_eq!(list(&case, "list").unwrap().len(), 1);
        assert!(text(&case, "number").unwrap_err().contains("`number`"));
        assert!(number(&case, "other").unwrap_err().contains("`other`"));
        assert!(list(&case, "text").unwrap_err().contains("`text`"));
    }
}
