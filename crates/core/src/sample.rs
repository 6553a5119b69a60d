//! [`Output`]: what a model answered. [`Sample`]: a case together with the output under test.

use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json};

use crate::{AnalysisCache, Case, CaseMessage, Citation, Field, Passage, RunAnalysisCache, ScoreError};

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

/// A case together with the output under test: what a metric is given.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The row.
    pub case: &'a Case,
    output: Option<&'a Output>,
    cache: Option<&'a AnalysisCache>,
    earlier: &'a [CaseMessage],
}

impl<'a> Sample<'a> {
    /// The case with the response that its file recorded. Nothing is shared: every metric reads it afresh.
    pub const fn from_case(case: &'a Case) -> Self {
        Self { case, output: case.response.as_ref(), cache: None, earlier: &[] }
    }

    /// The same, with a cache that the metrics of this case share.
    #[must_use]
    pub const fn with_cache(mut self, cache: &'a AnalysisCache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// The same as a turn of a conversation, with the messages of the turns before it.
    #[must_use]
    pub const fn with_earlier_messages(mut self, earlier: &'a [CaseMessage]) -> Self {
        self.earlier = earlier;
        self
    }

    /// The messages of earlier turns, where the sample is a turn; those of the case are its own.
    pub const fn earlier_messages(&self) -> &'a [CaseMessage] {
        self.earlier
    }

    /// An analysis of this case, made once for all metrics that ask for the same type under the same key. It must depend on
    /// nothing but the case and the key.
    pub fn cached<T: 'static>(&self, key: u64, make: impl FnOnce() -> T) -> Rc<T> {
        match self.cache {
            Some(cache) => cache.case_value(key, make),
            None => Rc::new(make()),
        }
    }

    /// A value that lives as long as the run and is shared by all workers: made once for each type and key.
    pub fn run_cached<T: Send + Sync + 'static>(&self, key: u64, make: impl FnOnce() -> T) -> Arc<T> {
        match self.cache {
            Some(cache) => cache.run_value(key, make),
            None => Arc::new(make()),
        }
    }

    /// Lends the worker's own value of a type: buffers to be used again, or what was read for earlier cases. What comes
    /// out must not depend on what is in it.
    pub fn with_scratch<T: Default + 'static, R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        match self.cache {
            Some(cache) => cache.with_worker_value(work),
            None => work(&mut T::default()),
        }
    }

    /// Whether evidence is of use. A metric may leave it out where it is not; the value must not depend on it.
    pub const fn wants_evidence(&self) -> bool {
        match self.cache {
            Some(cache) => cache.wants_evidence(),
            None => true,
        }
    }

    /// The cache of the run, for a sample that is made of a part of this one.
    pub(crate) fn run_cache(&self) -> RunAnalysisCache {
        self.cache.map(AnalysisCache::run_cache).unwrap_or_default()
    }

    /// The output under test, if something was answered.
    pub const fn output(&self) -> Option<&'a Output> {
        self.output
    }

    /// The response; an error where nothing was answered.
    pub fn response(&self) -> Result<&'a str, ScoreError> {
        self.output.map(|output| output.text.as_str()).ok_or(ScoreError::MissingField(Field::Response))
    }

    /// The query.
    pub fn query(&self) -> Result<&'a str, ScoreError> {
        self.case.query.as_deref().ok_or(ScoreError::MissingField(Field::Query))
    }

    /// The passages.
    pub fn context(&self) -> Result<&'a [Passage], ScoreError> {
        self.case.context.as_deref().ok_or(ScoreError::MissingField(Field::Context))
    }

    /// The right answers; an error where there is none.
    pub fn references(&self) -> Result<&'a [String], ScoreError> {
        match self.case.reference.as_deref() {
            Some(list) if !list.is_empty() => Ok(list),
            _ => Err(ScoreError::MissingField(Field::Reference)),
        }
    }

    /// The quotations.
    pub fn citations(&self) -> Result<&'a [Citation], ScoreError> {
        self.case.citations.as_deref().ok_or(ScoreError::MissingField(Field::Citations))
    }

    /// The documents that were retrieved.
    pub fn retrieved(&self) -> Result<&'a [String], ScoreError> {
        self.case.retrieved.as_deref().ok_or(ScoreError::MissingField(Field::Retrieved))
    }

    /// The documents that should have been retrieved.
    pub fn relevant(&self) -> Result<&'a [String], ScoreError> {
        self.case.relevant.as_deref().ok_or(ScoreError::MissingField(Field::Relevant))
    }

    /// Whether the field is there, the output under test included.
    pub fn has(&self, field: Field) -> bool {
        match field {
            Field::Response => self.output.is_some(),
            Field::Reference => self.case.reference.as_ref().is_some_and(|list| !list.is_empty()),
            other => self.case.has(other),
        }
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
