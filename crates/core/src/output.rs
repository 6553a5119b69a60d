//! [`Output`]: what a model answered.

use std::fmt;

use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json};

/// What a model answered, and which of its answers it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    /// The answer as it came.
    pub text: String,
    /// Model that gave it, where known.
    pub model: Option<String>,
    /// Which of several answers to the same question, counted from 0.
    pub repeat: u32,
}

impl Output {
    /// An answer of which nothing but the text is known.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), model: None, repeat: 0 }
    }

    /// Takes model and repeat from the columns of these names that stand beside it, where it does not say them itself.
    #[must_use]
    pub fn signed(mut self, columns: &Map<String, Json>) -> Self {
        if self.model.is_none() && self.repeat == 0 {
            let name = columns.get("model").and_then(Json::as_str).filter(|name| !name.is_empty());
            self.model = name.map(str::to_owned);
            let number = columns.get("repeat").and_then(|value| match value {
                Json::String(text) => text.parse().ok(),
                other => other.as_u64().and_then(|number| u32::try_from(number).ok()),
            });
            self.repeat = number.unwrap_or(0);
        }
        self
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOutput<T> {
    text: T,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<T>,
    #[serde(default)]
    repeat: u32,
}

/// In case files an output is its text, or an object where more is known.
impl Serialize for Output {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.model.is_none() && self.repeat == 0 {
            return serializer.serialize_str(&self.text);
        }
        RawOutput { text: self.text.as_str(), model: self.model.as_deref(), repeat: self.repeat }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Output {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OutputVisitor;

        impl<'de> Visitor<'de> for OutputVisitor {
            type Value = Output;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text or an object with `text`, `model` and `repeat`")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Output, E> {
                Ok(Output::new(text))
            }

            fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Output, E> {
                Ok(Output::new(text))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Output, A::Error> {
                let RawOutput { text, model, repeat } =
                    RawOutput::<String>::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Output { text, model, repeat })
            }
        }

        deserializer.deserialize_any(OutputVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_say_whose_an_output_is() {
        let columns = |json: Json| json.as_object().cloned().unwrap();
        let signed = |json| {
            let output = Output::new("x").signed(&columns(json));
            (output.model, output.repeat)
        };
        assert_eq!(signed(serde_json::json!({"model": "m", "repeat": 2})), (Some("m".into()), 2));
        assert_eq!(signed(serde_json::json!({"model": "m", "repeat": "3"})), (Some("m".into()), 3));
        assert_eq!(signed(serde_json::json!({"model": {"name": "m"}, "repeat": -1, "other": 1})), (None, 0));
        let own = Output { model: Some("own".into()), ..Output::new("x") };
        assert_eq!(own.clone().signed(&columns(serde_json::json!({"model": "m"}))), own);
    }

    #[test]
    fn an_output_is_its_text_or_says_whose_it_is() {
        for (json, output) in [
            (r#""x""#, Output::new("x")),
            (r#"{"text":"x","model":"m","repeat":2}"#, Output { text: "x".into(), model: Some("m".into()), repeat: 2 }),
        ] {
            assert_eq!(serde_json::to_string(&output).unwrap(), json);
            assert_eq!(serde_json::from_str::<Output>(json).unwrap(), output);
        }
        assert!(serde_json::from_str::<Output>("3").is_err());
    }
}
