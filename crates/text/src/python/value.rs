//! [`Value`]: a Python value, as a literal or a JSON document gives one.

use super::{repr_float, repr_str};

/// A Python value. Mappings keep the order in which their keys came first.
#[derive(Debug, Clone, PartialEq)]
pub enum PyValue {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number of any size, in decimal digits.
    Int(String),
    /// A floating-point number, which may be infinite or no number.
    Float(f64),
    /// A complex number: real and imaginary part.
    Complex(f64, f64),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<PyValue>),
    /// A tuple.
    Tuple(Vec<PyValue>),
    /// A set, in the order of writing, which is not the order in which Python shows it.
    Set(Vec<PyValue>),
    /// A mapping.
    Dict(Vec<(PyValue, PyValue)>),
    /// `...`.
    Ellipsis,
}

impl PyValue {
    /// `bool(value)`.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::None => false,
            Self::Bool(yes) => *yes,
            Self::Int(digits) => digits != "0",
            Self::Float(number) => *number != 0.0,
            Self::Complex(real, imaginary) => *real != 0.0 || *imaginary != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Bytes(bytes) => !bytes.is_empty(),
            Self::List(items) | Self::Tuple(items) | Self::Set(items) => !items.is_empty(),
            Self::Dict(pairs) => !pairs.is_empty(),
            Self::Ellipsis => true,
        }
    }

    /// The text, where it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What a mapping holds under a text.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Dict(pairs) = self else { return None };
        pairs.iter().find(|(known, _)| known.as_text() == Some(key)).map(|(_, value)| value)
    }

    /// `str(value)`: a text as it is, anything else as `repr` writes it.
    pub fn to_text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => other.repr(),
        }
    }

    /// `repr(value)`. The items of a set come in the order of writing.
    pub fn repr(&self) -> String {
        let mut out = String::new();
        self.push(&mut out);
        out
    }

    fn push(&self, out: &mut String) {
        match self {
            Self::None => out.push_str("None"),
            Self::Bool(true) => out.push_str("True"),
            Self::Bool(false) => out.push_str("False"),
            Self::Int(digits) => out.push_str(digits),
            Self::Float(number) => out.push_str(&repr_float(*number)),
            Self::Complex(real, imaginary) => push_complex(out, *real, *imaginary),
            Self::Text(text) => out.push_str(&repr_str(text)),
            Self::Bytes(bytes) => push_bytes(out, bytes),
            Self::List(items) => push_items(out, items, "[", "]"),
            Self::Tuple(items) if items.len() == 1 => push_items(out, items, "(", ",)"),
            Self::Tuple(items) => push_items(out, items, "(", ")"),
            Self::Set(items) if items.is_empty() => out.push_str("set()"),
            Self::Set(items) => push_items(out, items, "{", "}"),
            Self::Dict(pairs) => {
                out.push('{');
                for (at, (key, value)) in pairs.iter().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    key.push(out);
                    out.push_str(": ");
                    value.push(out);
                }
                out.push('}');
            }
            Self::Ellipsis => out.push_str("Ellipsis"),
        }
    }

    /// Whether two values are the same key of a mapping or item of a set: `1`, `1.0` and `True` are.
    pub(super) fn is_same_key(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tuple(left), Self::Tuple(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_same_key(right))
            }
            _ => match (self.as_number(), other.as_number()) {
                (Some(left), Some(right)) => left == right,
                _ => self == other,
            },
        }
    }

    fn as_number(&self) -> Option<f64> {
        match self {
            Self::Bool(yes) => Some(f64::from(u8::from(*yes))),
            // Beyond this, two whole numbers could become one.
            Self::Int(digits) if digits.len() <= 15 => digits.parse().ok(),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// Whether it can be a key of a mapping.
    pub(super) fn is_hashable(&self) -> bool {
        match self {
            Self::List(_) | Self::Set(_) | Self::Dict(_) => false,
            Self::Tuple(items) => items.iter().all(Self::is_hashable),
            _ => true,
        }
    }
}

/// Sets a key of a mapping: the last value wins and the key stays where it came first.
pub(super) fn set(pairs: &mut Vec<(PyValue, PyValue)>, key: PyValue, value: PyValue) {
    match pairs.iter_mut().find(|(known, _)| known.is_same_key(&key)) {
        Some((_, place)) => *place = value,
        None => pairs.push((key, value)),
    }
}

impl From<&serde_json::Value> for PyValue {
    /// What Python's `json` makes of a document.
    fn from(json: &serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match json {
            Json::Null => Self::None,
            Json::Bool(yes) => Self::Bool(*yes),
            Json::Number(number) => match (number.is_f64(), number.as_f64()) {
                (true, Some(number)) => Self::Float(number),
                _ => Self::Int(number.to_string()),
            },
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Json::Object(map) => {
                Self::Dict(map.iter().map(|(key, value)| (Self::Text(key.clone()), Self::from(value))).collect())
            }
        }
    }
}

fn push_items(out: &mut String, items: &[PyValue], open: &str, close: &str) {
    out.push_str(open);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        item.push(out);
    }
    out.push_str(close);
}

/// A part of a complex number: a whole one without its `.0`.
fn part(number: f64) -> String {
    let text = repr_float(number);
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

fn push_complex(out: &mut String, real: f64, imaginary: f64) {
    if real == 0.0 && real.is_sign_positive() {
        out.push_str(&part(imaginary));
        out.push('j');
        return;
    }
    out.push('(');
    out.push_str(&part(real));
    let imaginary = part(imaginary);
    if !imaginary.starts_with('-') {
        out.push('+');
    }
    out.push_str(&imaginary);
    out.push_str("j)");
}

fn push_bytes(out: &mut String, bytes: &[u8]) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    out.push('b');
    out.push(quote);
    for byte in bytes {
        match *byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            byte if char::from(byte) == quote => {
                out.push('\\');
                out.push(quote);
            }
            b' '..=b'~' => out.push(char::from(*byte)),
            byte => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_python_shows_them() {
        let text = |text: &str| PyValue::Text(text.to_owned());
        let int = |digits: &str| PyValue::Int(digits.to_owned());
        for (value, shown) in [
            (PyValue::Dict(vec![(text("a"), PyValue::None), (int("1"), PyValue::Bool(true))]), "{'a': None, 1: True}"),
            (PyValue::Tuple(vec![int("1")]), "(1,)"),
            (PyValue::Tuple(Vec::new()), "()"),
            (PyValue::Set(Vec::new()), "set()"),
            (PyValue::List(vec![PyValue::Float(1e16), PyValue::Ellipsis]), "[1e+16, Ellipsis]"),
            (PyValue::Complex(1.0, -2.5), "(1-2.5j)"),
            (PyValue::Complex(0.0, 2.0), "2j"),
            (PyValue::Bytes(b"a'\n\xff".to_vec()), "b\"a'\\n\\xff\""),
        ] {
            assert_eq!(value.repr(), shown);
        }
        assert_eq!(text("a'b").to_text(), "a'b");
    }

    #[test]
    fn equal_numbers_are_one_key() {
        let mut pairs = Vec::new();
        for (key, value) in [(PyValue::Int("1".into()), "a"), (PyValue::Float(1.0), "b"), (PyValue::Bool(true), "c")] {
            set(&mut pairs, key, PyValue::Text(value.into()));
        }
        assert_eq!(PyValue::Dict(pairs).repr(), "{1: 'c'}");
    }
}
