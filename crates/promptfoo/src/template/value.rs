//! Values of templates: those of JavaScript.

use std::cmp::Ordering;
use std::rc::Rc;

use serde_json::{Map, Number, Value};

use super::syntax::Macro;
use crate::js;

/// A value while a template is rendered.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(Rc<str>),
    List(Rc<Vec<Operand>>),
    Object(Rc<Vec<(String, Operand)>>),
    Macro(Rc<Macro>),
    /// A function of the program, by its name.
    Function(&'static str),
    /// A method, with what it belongs to.
    Method(Box<Operand>, String),
    /// What the body of a call block rendered to.
    Caller(Rc<str>),
}

impl Operand {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(text.into())
    }

    /// A text of UTF-16 units.
    pub(super) fn from_units(units: &[u16]) -> Self {
        Self::text(&String::from_utf16_lossy(units))
    }

    /// The UTF-16 units of a text, each as a text.
    pub(super) fn letters(text: &str) -> Vec<Self> {
        js::units(text).iter().map(|unit| Self::from_units(&[*unit])).collect()
    }

    pub(super) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(items))
    }

    pub(super) fn from_json(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(js::number(number)),
            Value::String(text) => Self::text(text),
            Value::Array(items) => Self::list(items.iter().map(Self::from_json).collect()),
            Value::Object(map) => {
                let entries = js::ordered(map).into_iter();
                Self::Object(Rc::new(entries.map(|(key, value)| (key.clone(), Self::from_json(value))).collect()))
            }
        }
    }

    /// The value as JSON, where JSON has it.
    pub(super) fn to_json(&self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            Self::Text(text) => Value::from(&**text),
            Self::List(items) => Value::Array(items.iter().map(|item| item.to_json().unwrap_or(Value::Null)).collect()),
            Self::Object(entries) => {
                let entry = |(key, value): &(String, Self)| Some((key.clone(), value.to_json()?));
                Value::Object(entries.iter().filter_map(entry).collect::<Map<_, _>>())
            }
            _ => return None,
        })
    }

    pub(super) fn is_truthy(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(value) => *value,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Text(text) => !text.is_empty(),
            _ => true,
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }

    /// `String(value)`.
    pub(super) fn to_text(&self) -> String {
        match self {
            Self::Undefined => "undefined".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Number(number) => js::number_text(*number),
            Self::Text(text) | Self::Caller(text) => text.to_string(),
            Self::List(items) => items.iter().map(Self::printed).collect::<Vec<_>>().join(","),
            _ => "[object Object]".to_owned(),
        }
    }

    /// What a template prints: nothing for what is not there.
    pub(super) fn printed(&self) -> String {
        if self.is_missing() { String::new() } else { self.to_text() }
    }

    pub(super) fn to_number(&self) -> f64 {
        match self {
            Self::Null => 0.0,
            Self::Bool(value) => f64::from(u8::from(*value)),
            Self::Number(number) => *number,
            Self::Text(text) => js::parse_number(text),
            Self::List(_) => js::parse_number(&self.to_text()),
            _ => f64::NAN,
        }
    }

    /// `left + right`.
    pub(super) fn add(&self, other: &Self) -> Self {
        let is_text = |value: &Self| !matches!(value, Self::Undefined | Self::Null | Self::Bool(_) | Self::Number(_));
        if is_text(self) || is_text(other) {
            return Self::Text(format!("{}{}", self.to_text(), other.to_text()).into());
        }
        Self::Number(self.to_number() + other.to_number())
    }

    /// `left == right`, or `===`.
    pub(super) fn equals(&self, other: &Self, is_strict: bool) -> bool {
        match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Number(left), Self::Number(right)) => left == right,
            (Self::Text(left), Self::Text(right)) => left == right,
            (Self::List(left), Self::List(right)) => Rc::ptr_eq(left, right),
            (Self::Object(left), Self::Object(right)) => Rc::ptr_eq(left, right),
            _ if is_strict => false,
            (left, right) if left.is_missing() || right.is_missing() => left.is_missing() && right.is_missing(),
            (Self::List(_) | Self::Object(_), Self::Text(text)) => self.to_text() == **text,
            (Self::Text(text), Self::List(_) | Self::Object(_)) => other.to_text() == **text,
            (left, right) => left.to_number() == right.to_number(),
        }
    }

    /// How two values compare; nothing where they do not.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        if let (Self::Text(left), Self::Text(right)) = (self, other) {
            return Some(js::units(left).cmp(&js::units(right)));
        }
        self.to_number().partial_cmp(&other.to_number())
    }

    /// A member by its key, or a method.
    pub(super) fn member(&self, key: &Self) -> Self {
        let name = key.to_text();
        let index = |length: usize| name.parse::<usize>().ok().filter(|index| *index < length);
        match self {
            Self::Object(entries) => {
                let found = entries.iter().find(|(known, _)| *known == name);
                found.map_or(Self::Undefined, |(_, value)| value.clone())
            }
            Self::List(items) => match (index(items.len()), name.as_str()) {
                (Some(index), _) => items[index].clone(),
                (None, "length") => Self::Number(items.len() as f64),
                (None, name) => self.method(name),
            },
            Self::Text(text) => {
                let units = js::units(text);
                match (index(units.len()), name.as_str()) {
                    (Some(index), _) => Self::from_units(&units[index..=index]),
                    (None, "length") => Self::Number(units.len() as f64),
                    (None, name) => self.method(name),
                }
            }
            Self::Number(_) => self.method(&name),
            _ => Self::Undefined,
        }
    }

    fn method(&self, name: &str) -> Self {
        if super::methods::is_known(self, name) {
            Self::Method(Box::new(self.clone()), name.to_owned())
        } else {
            Self::Undefined
        }
    }
}
