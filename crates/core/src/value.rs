//! [`Value`]: a finite number. NaN and infinities cannot get into a score, so no mean can be poisoned by one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A finite `f64`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(into = "f64", try_from = "f64")]
pub struct Value(f64);

/// A computation ended in NaN or an infinity.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("the computed value `{0}` is not a finite number")]
pub struct NotFinite(pub f64);

impl Value {
    /// Zero.
    pub const ZERO: Self = Self(0.0);
    /// One.
    pub const ONE: Self = Self(1.0);

    /// Accepts finite numbers only. Negative zero becomes zero, so that equal values print alike.
    pub fn new(number: f64) -> Result<Self, NotFinite> {
        if number.is_finite() { Ok(Self(if number == 0.0 { 0.0 } else { number })) } else { Err(NotFinite(number)) }
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl From<Value> for f64 {
    fn from(value: Value) -> Self {
        value.0
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        if yes { Self::ONE } else { Self::ZERO }
    }
}

impl TryFrom<f64> for Value {
    type Error = NotFinite;

    fn try_from(number: f64) -> Result<Self, NotFinite> {
        Self::new(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finite_numbers_are_values() {
        assert_eq!(Value::new(0.5).unwrap().get(), 0.5);
        assert!(Value::new(f64::NAN).is_err());
        assert!(Value::new(f64::INFINITY).is_err());
        assert!(Value::new(f64::NEG_INFINITY).is_err());
    }

    #[test]
    fn negative_zero_prints_as_zero() {
        assert_eq!(serde_json::to_string(&Value::new(-0.0).unwrap()).unwrap(), "0.0");
    }
}
