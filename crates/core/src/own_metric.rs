//! [`OwnMetric`]: a metric that the user brings, made at run time beside those of the registry. [`MetricCode`] says where its code is.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::per_turn::PerTurn;
use crate::{Better, BuildError, Field, Metric, Outcome, Sample, ScoreError, Scorer};

/// What computes a metric of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CodeSource {
    /// A function or class of a Python file: `FILE.py:NAME`; only its name where it has no file.
    Python(String),
    /// A program that speaks the protocol of own metrics, with its arguments.
    Command(Vec<String>),
    /// The Rust program that ran the evaluation.
    Rust,
}

impl CodeSource {
    /// The file and the name of a Python metric.
    pub fn python_parts(reference: &str) -> Option<(&str, &str)> {
        let at = reference.rfind(".py:")?;
        let (file, name) = (&reference[..at + 3], &reference[at + 4..]);
        (!file.is_empty() && !name.is_empty()).then_some((file, name))
    }
}

impl fmt::Display for CodeSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Python(reference) => formatter.write_str(reference),
            Self::Command(words) => formatter.write_str(&words.join(" ")),
            Self::Rust => formatter.write_str("a Rust program"),
        }
    }
}

/// The code of a metric of the user's own: as it is asked for, and in a manifest with the digests of its files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricCode {
    /// What computes it.
    pub source: CodeSource,
    /// Seconds that one case may take, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// SHA-256 of the files that `source` names, by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

impl MetricCode {
    /// Code whose files nobody has looked at.
    pub const fn new(source: CodeSource) -> Self {
        Self { source, timeout: None, files: BTreeMap::new() }
    }
}

type Build = dyn Fn(Json) -> Result<Scorer, BuildError> + Send + Sync;

/// How a metric is made from its options.
#[derive(Clone)]
pub struct MetricBuilder(Arc<Build>);

/// A metric of the user's own: what the tools know about it, and how it is made from its options.
#[derive(Clone)]
pub struct OwnMetric {
    /// Its id, under which a Rust program asks for it.
    pub id: String,
    /// One line for readers.
    pub summary: String,
    /// Which direction is better.
    pub better: Better,
    /// Least and greatest possible value.
    pub range: (f64, f64),
    /// Raised by its author when any score could change.
    pub version: u32,
    /// Fields a case must have.
    pub needs: Vec<Field>,
    /// JSON Schema of its options.
    pub options: Json,
    /// Its page, in Markdown; empty where the author wrote none.
    pub page: String,
    /// Where its code is.
    pub code: MetricCode,
    /// The name of the one request that it answers; nothing where every request for its id is meant.
    pub request: Option<String>,
    /// How it is made from its options.
    pub builder: MetricBuilder,
}

impl OwnMetric {
    /// A metric without options that a function computes: values from 0 to 1, higher is better, version 1. The fields say otherwise.
    pub fn new(
        id: impl Into<String>,
        score: impl Fn(Sample<'_>) -> Result<Outcome, ScoreError> + Send + Sync + 'static,
    ) -> Self {
        let id = id.into();
        let (score, name) = (Arc::new(score), id.clone());
        Self::from_builder(id, move |options| {
            if options.as_object().is_some_and(|options| !options.is_empty()) {
                return Err(BuildError::Options(format!("`{name}` takes no options")));
            }
            Ok(Scorer::Pure(Box::new(FunctionMetric(Arc::clone(&score)))))
        })
    }

    /// A metric whose options are those of a type that is the metric.
    pub fn from_options<M: Metric + DeserializeOwned + JsonSchema + 'static>(id: impl Into<String>) -> Self {
        let made = Self::from_builder(id, |options| {
            let options = if options.is_null() { json!({}) } else { options };
            let metric: M = serde_json::from_value(options).map_err(|error| BuildError::Options(error.to_string()))?;
            Ok(Scorer::Pure(Box::new(metric)))
        });
        Self { options: schemars::schema_for!(M).to_value(), ..made }
    }

    /// A metric that is made in any other way from its options (`Null` for none).
    pub fn from_builder(
        id: impl Into<String>,
        build: impl Fn(Json) -> Result<Scorer, BuildError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            id: id.into(),
            summary: String::new(),
            better: Better::Higher,
            range: (0.0, 1.0),
            version: 1,
            needs: Vec::new(),
            options: json!({"type": "object", "properties": {}, "additionalProperties": false}),
            page: String::new(),
            code: MetricCode::new(CodeSource::Rust),
            request: None,
            builder: MetricBuilder(Arc::new(build)),
        }
    }

    /// Makes the metric from its options. With `per: turn` it is taken turn by turn.
    pub fn build(&self, mut options: Json) -> Result<Scorer, BuildError> {
        let by_turn = PerTurn::take(&mut options);
        let scorer = (self.builder.0)(options)?;
        match by_turn {
            Some(by_turn) => PerTurn::wrap_own(self, scorer, &by_turn),
            None => Ok(scorer),
        }
    }
}

impl fmt::Debug for OwnMetric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("OwnMetric").field("id", &self.id).field("code", &self.code).finish_non_exhaustive()
    }
}

/// A function as a metric.
struct FunctionMetric<F>(Arc<F>);

impl<F: Fn(Sample<'_>) -> Result<Outcome, ScoreError> + Send + Sync> Metric for FunctionMetric<F> {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        (self.0)(sample)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, Output, Score};

    #[test]
    fn the_code_of_a_python_metric_is_its_file_and_its_name() {
        for (text, parts) in [
            ("checks.py:brand_voice", Some(("checks.py", "brand_voice"))),
            (r"C:\a b\checks.py:Brand", Some((r"C:\a b\checks.py", "Brand"))),
            ("brand_voice", None),
            ("checks.py:", None),
        ] {
            assert_eq!(CodeSource::python_parts(text), parts, "{text}");
        }
    }

    #[test]
    fn code_is_written_and_read_back() {
        let command = CodeSource::Command(vec!["node".into(), "check.mjs".into()]);
        let files = BTreeMap::from([("check.mjs".to_owned(), "ab".to_owned())]);
        let code = MetricCode { timeout: Some(2.5), files, ..MetricCode::new(command) };
        let text = serde_json::to_string(&code).unwrap();
        assert_eq!(text, r#"{"source":{"command":["node","check.mjs"]},"timeout":2.5,"files":{"check.mjs":"ab"}}"#);
        assert_eq!(serde_json::from_str::<MetricCode>(&text).unwrap(), code);
        let rust = serde_json::to_string(&MetricCode::new(CodeSource::Rust)).unwrap();
        assert_eq!(rust, r#"{"source":"rust"}"#);
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Longest {
        words: usize,
    }

    impl Metric for Longest {
        fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
            Ok(Score::from_bool(sample.response()?.split_whitespace().count() <= self.words).into())
        }
    }

    #[test]
    fn options_reach_the_metric_and_what_it_does_not_know_is_refused() {
        let own = OwnMetric::from_options::<Longest>("longest");
        let case = Case { response: Some(Output::new("one two three")), ..Case::default() };
        let value = |words: usize| {
            let scorer = own.build(json!({"words": words})).unwrap();
            scorer.score(Sample::from_case(&case)).unwrap().score().unwrap().value.get()
        };
        assert_eq!((value(3), value(2)), (1.0, 0.0));
        assert!(own.build(json!({"word": 3})).unwrap_err().to_string().contains("`word`"));
        assert!(own.options["properties"].get("words").is_some());
        let plain = OwnMetric::new("yes", |_| Ok(Score::from_bool(true).into()));
        assert!(plain.build(json!({"a": 1})).unwrap_err().to_string().contains("takes no options"));
        assert!(plain.build(Json::Null).is_ok());
    }
}
