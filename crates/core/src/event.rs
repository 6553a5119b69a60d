//! [`Event`]s and [`Sink`]s: how results leave the runner.
//!
//! Terminal, JSON, CSV, JUnit, HTML and the recorder are sinks and know nothing of each other. Events come in input
//! order, whatever the number of threads.

use std::borrow::Cow;
use std::io;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use crate::{Better, Case, MetricDef, Outcome, Profile, ScoreError};

/// What sinks know about a metric of this run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricInfo {
    /// Name in this run: the id, or the name that the configuration gives.
    pub name: String,
    /// Id in the registry.
    pub id: Cow<'static, str>,
    /// One line for readers.
    pub summary: Cow<'static, str>,
    /// Which direction is better.
    pub better: Better,
    /// Least and greatest possible value.
    pub range: (f64, f64),
    /// Version of the definition.
    pub version: u32,
    /// Which reading was used.
    pub profile: Profile,
    /// Options that were given.
    #[serde(skip_serializing_if = "Json::is_null")]
    pub options: Json,
}

impl MetricInfo {
    /// What a definition says, under a name of its own.
    pub fn new(name: impl Into<String>, def: &'static MetricDef, profile: Profile) -> Self {
        Self {
            name: name.into(),
            id: def.id.into(),
            summary: def.summary.into(),
            better: def.better,
            range: def.range,
            version: def.version,
            profile: def.profile(profile),
            options: Json::Null,
        }
    }

    /// The same with the options that were given.
    #[must_use]
    pub fn with_options(mut self, options: Json) -> Self {
        self.options = options;
        self
    }
}

/// What one metric said about one case.
pub type Named = Result<Outcome, ScoreError>;

/// All results of one case, in the order of the run's metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseResult {
    /// The case.
    pub case: Case,
    /// One result per metric.
    pub results: Vec<Named>,
}

impl CaseResult {
    /// The result line of the contract: `{"id":…,"scores":{…}}`.
    pub fn line<'a>(&'a self, metrics: &'a [MetricInfo]) -> impl Serialize + 'a {
        Line { result: self, metrics }
    }
}

struct Line<'a> {
    result: &'a CaseResult,
    metrics: &'a [MetricInfo],
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("id", &self.result.case.id)?;
        map.serialize_entry("scores", &Scores(self))?;
        map.end()
    }
}

struct Scores<'a>(&'a Line<'a>);

impl Serialize for Scores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(line) = self;
        let mut map = serializer.serialize_map(Some(line.metrics.len()))?;
        for (metric, result) in line.metrics.iter().zip(&line.result.results) {
            map.serialize_key(&metric.name)?;
            match result {
                Ok(outcome) => map.serialize_value(outcome)?,
                Err(error) => map.serialize_value(&Failure { error: error.to_string() })?,
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
struct Failure {
    error: String,
}

/// A row that could not be read, a repeated id, or another remark about the input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// File name as given.
    pub file: String,
    /// Line, counted from 1, where known.
    pub line: Option<u64>,
    /// Column, counted from 1, where known.
    pub column: Option<u64>,
    /// What is wrong.
    pub reason: String,
    /// What to do.
    pub hint: Option<String>,
    /// Whether the row was lost (an error) or kept (a warning).
    pub lost: bool,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// All cases were looked at.
    Complete,
    /// The first bad row ended it, as `--strict` asks.
    Strict,
    /// The user ended it.
    Interrupted,
}

/// What happens during a run, in order.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The run starts.
    Started {
        /// Where the cases come from, as given.
        source: &'a str,
        /// The metrics, in the order of all results.
        metrics: &'a [MetricInfo],
    },
    /// A case has all its results.
    Scored(&'a CaseResult),
    /// Something about the input.
    Problem(&'a Problem),
    /// The run ends.
    Finished(Stop),
}

/// Takes events and makes something of them.
pub trait Sink {
    /// Takes one event.
    fn event(&mut self, event: &Event<'_>) -> io::Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evidence, Score};

    #[test]
    fn a_result_line_has_the_shape_of_the_contract() {
        let metric = |name: &str| MetricInfo {
            name: name.into(),
            id: "x".into(),
            summary: "".into(),
            better: Better::Higher,
            range: (0.0, 1.0),
            version: 1,
            profile: Profile::Reference,
            options: Json::Null,
        };
        let metrics = [metric("relevance"), metric("topic_pivot"), metric("x")];
        let score = Score::from_number(0.604).unwrap().with_part("cosine", 0.709).unwrap();
        let result = CaseResult {
            case: Case { id: "a".into(), ..Case::default() },
            results: vec![
                Ok(score.because([Evidence::missing("w")]).into()),
                Ok(Outcome::not_applicable("no user text")),
                Err(ScoreError::MissingField(crate::Field::Response)),
            ],
        };
        assert_eq!(
            serde_json::to_string(&result.line(&metrics)).unwrap(),
            concat!(
                r#"{"id":"a","scores":{"relevance":{"value":0.604,"parts":{"cosine":0.709},"#,
                r#""evidence":[{"kind":"missing","text":"w"}]},"topic_pivot":{"not_applicable":"no user text"},"#,
                r#""x":{"error":"the case has no `response`"}}}"#
            )
        );
    }
}
