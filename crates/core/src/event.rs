//! [`Event`]s and [`Sink`]s: how results leave the runner.
//!
//! Terminal, JSON, CSV, JUnit, HTML and the recorder are sinks and know nothing of each other. Events come in input
//! order, whatever the number of threads.

use std::borrow::Cow;
use std::io;

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::score::SerializedResultRef;
use crate::{
    Case, ErrorKind, Manifest, Message, MetricInfo, Outcome, Panel, ResultWithoutEvidence, ScoreError,
    SerializedResult, Stop,
};

/// What one metric said about one case.
pub type MetricResult = Result<Outcome, ScoreError>;

/// A value of a type that this crate does not know: what a benchmark keeps of a case for the files that it publishes, or
/// the summary of a run. Whoever made it knows its type.
#[derive(Clone)]
pub struct BenchmarkData(Arc<dyn Any + Send + Sync>);

impl BenchmarkData {
    /// Keeps a value.
    pub fn new(value: impl Any + Send + Sync) -> Self {
        Self(Arc::new(value))
    }

    /// The value, if it is of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for BenchmarkData {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Detail")
    }
}

/// All results of one case, in the order of the run's metrics.
#[derive(Debug, Clone, Default)]
pub struct CaseResult {
    /// The case.
    pub case: Case,
    /// Model whose output was scored, where known.
    pub model: Option<String>,
    /// The prompt that the model was asked with, where the run has several.
    pub prompt: Option<String>,
    /// Which of several outputs of that model, counted from 0.
    pub repeat: u32,
    /// One result per metric.
    pub results: Vec<MetricResult>,
    /// Why a bad value of this case is no failure: it is meant to be bad.
    pub excused: Option<Cow<'static, str>>,
    /// What the benchmark publishes beyond scores.
    pub detail: Option<BenchmarkData>,
    /// What the model was asked, where it is known.
    pub asked: Vec<Message>,
    /// The result line, where it has been written already: once, by whoever scored the case.
    pub written: Option<String>,
}

impl CaseResult {
    /// Whether the user ended it before it was finished: it is kept nowhere, as if it had not been begun.
    pub fn is_cancelled(&self) -> bool {
        self.results.iter().filter_map(|named| named.as_ref().err()).any(|error| error.kind() == ErrorKind::Cancelled)
    }

    /// Results of the response that the case recorded.
    pub fn new(case: Case, results: Vec<MetricResult>) -> Self {
        let planned = case.sample.map_or(0, |sample| sample.repeat);
        let (model, repeat) =
            case.response.as_ref().map_or((None, planned), |output| (output.model.clone(), output.repeat));
        Self { case, model, repeat, results, ..Self::default() }
    }

    /// Whose output it is, in words: the model, and the prompt where the run has several.
    pub fn source_name(&self) -> Option<Cow<'_, str>> {
        output_source_name(self.model.as_deref(), self.prompt.as_deref())
    }

    /// The fallback model that answered in place of the one whose results these are; nothing where that one did.
    pub fn answered_by(&self) -> Option<&str> {
        let requested = self.model.as_deref()?;
        let answered = self.case.response.as_ref()?.model.as_deref()?;
        (answered != requested).then_some(answered)
    }

    /// The result line as text, without a line break.
    pub fn line_text(&self, metrics: &[MetricInfo]) -> Cow<'_, str> {
        match &self.written {
            Some(line) => Cow::Borrowed(line),
            // Names, numbers and texts always have a JSON form.
            None => Cow::Owned(serde_json::to_string(&self.line(metrics)).unwrap_or_default()),
        }
    }

    /// The result line of the contract: `{"id":…,"scores":{…}}`, with `model`, `answered_by`, `prompt` and `repeat` where there are any.
    pub fn line<'a>(&'a self, metrics: &'a [MetricInfo]) -> impl Serialize + 'a {
        ResultLineRef { result: self, metrics }
    }
}

/// Whose outputs these are, in words: `small`, `prompt short`, or `small, prompt short`.
pub fn output_source_name<'a>(model: Option<&'a str>, prompt: Option<&str>) -> Option<Cow<'a, str>> {
    match (model, prompt) {
        (model, None) => model.map(Cow::Borrowed),
        (None, Some(prompt)) => Some(Cow::Owned(format!("prompt {prompt}"))),
        (Some(model), Some(prompt)) => Some(Cow::Owned(format!("{model}, prompt {prompt}"))),
    }
}

struct ResultLineRef<'a> {
    result: &'a CaseResult,
    metrics: &'a [MetricInfo],
}

impl Serialize for ResultLineRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.result.case.id)?;
        if let Some(model) = &self.result.model {
            map.serialize_entry("model", model)?;
        }
        if let Some(model) = self.result.answered_by() {
            map.serialize_entry("answered_by", model)?;
        }
        if let Some(prompt) = &self.result.prompt {
            map.serialize_entry("prompt", prompt)?;
        }
        if self.result.repeat > 0 {
            map.serialize_entry("repeat", &self.result.repeat)?;
        }
        map.serialize_entry("scores", &Scores(self))?;
        map.end()
    }
}

struct Scores<'a>(&'a ResultLineRef<'a>);

impl Serialize for Scores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(line) = self;
        let pairs = line.metrics.iter().zip(&line.result.results);
        serializer.collect_map(pairs.map(|(metric, result)| (&metric.name, SerializedResultRef(result))))
    }
}

/// A result line, read back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct ResultLine<T = SerializedResult> {
    /// Id of the case.
    pub id: String,
    /// Model whose output was scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The fallback model that answered in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
    /// The prompt, where the run has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Which of several outputs of that model.
    #[serde(default, skip_serializing_if = "is_first")]
    pub repeat: u32,
    /// What each metric said, in the order of the file.
    #[serde(serialize_with = "write_scores", deserialize_with = "read_scores")]
    pub scores: Vec<(String, T)>,
}

// Not generic, so that they are compiled here, with this crate's optimisation, whoever calls them.
impl ResultLine {
    /// Reads a line.
    pub fn from_json(line: &str) -> serde_json::Result<Self> {
        serde_json::from_str(line)
    }
}

impl ResultLine<ResultWithoutEvidence> {
    /// Reads a line but for parts and evidence.
    pub fn without_evidence(line: &str) -> serde_json::Result<Self> {
        serde_json::from_str(line)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_first(repeat: &u32) -> bool {
    *repeat == 0
}

fn write_scores<T: Serialize, S: Serializer>(scores: &[(String, T)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(scores.iter().map(|(name, result)| (name, result)))
}

fn read_scores<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, T)>, D::Error> {
    struct ScoresVisitor<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> serde::de::Visitor<'de> for ScoresVisitor<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object with one result per metric")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut scores = Vec::new();
            while let Some(entry) = map.next_entry()? {
                scores.push(entry);
            }
            Ok(scores)
        }
    }

    deserializer.deserialize_map(ScoresVisitor(PhantomData))
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
    /// The id of a row that was lost, where it could still be read. Files do not hold it.
    #[serde(skip)]
    pub id: Option<String>,
}

/// Requests to one model that were sent and are not answered yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRequests {
    /// The model.
    pub model: String,
    /// How many.
    pub requests: u64,
    /// How long they are waited for at most, once the run is ended.
    pub at_most: Duration,
}

/// What tables of results name beside case, model and repeat: dimensions that a run may have or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SampleDimensions {
    /// The prompt that the model was asked with: where the run has several.
    pub has_prompts: bool,
    /// The model that answered: where others may answer in place of the one that was asked.
    pub has_fallbacks: bool,
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
        /// What results name beside case, model and repeat.
        dimensions: SampleDimensions,
    },
    /// The user ended the run: nothing further is begun, and what is under way is finished.
    Interrupted {
        /// Cases that are under way.
        under_way: usize,
        /// What they wait for and may pay for, as far as whoever hands this on knows it.
        awaited: &'a [PendingRequests],
    },
    /// A case has all its results.
    Scored(&'a CaseResult),
    /// Something about the input.
    Problem(&'a Problem),
    /// The run ends.
    Finished(&'a RunEnd),
}

/// The end of a run: how it came about, and what describes the run.
#[derive(Debug, Clone, Default)]
pub struct RunEnd {
    /// How it ended.
    pub stop: Stop,
    /// All that is needed to compute it again; files of a run that did not end well carry none.
    pub manifest: Manifest,
    /// What the run came to in numbers, computed once for all who report it; whoever made it knows its type.
    pub summary: Option<BenchmarkData>,
    /// What pages say beside the numbers: the panels of the manifest, and what the runner adds to them.
    pub panels: Vec<Panel>,
}

impl RunEnd {
    /// An end of which nothing but the manner is known.
    pub fn with_stop(stop: Stop) -> Self {
        Self { stop, ..Self::default() }
    }
}

/// Takes events and makes something of them.
pub trait Sink: Send {
    /// Takes one event.
    fn event(&mut self, event: &Event<'_>) -> io::Result<()>;
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        (**self).event(event)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;
    use crate::{Better, Evidence, Score};

    #[test]
    fn a_result_line_has_the_shape_of_the_contract() {
        let metric = |name: &str| MetricInfo {
            name: name.into(),
            id: "x".into(),
            summary: "".into(),
            better: Better::Higher,
            range: (0.0, 1.0),
            version: 1,
            profile: None,
            options: Json::Null,
            decision_thresholds: None,
            is_descriptive: false,
            code: None,
        };
        let metrics = [metric("relevance"), metric("topic_pivot"), metric("x")];
        let score = Score::from_number(0.604).unwrap().with_part("cosine", 0.709).unwrap();
        let mut result = CaseResult::new(
            Case { id: "a".into(), ..Case::default() },
            vec![
                Ok(score.because([Evidence::missing("w")]).into()),
                Ok(Outcome::not_applicable("no user text")),
                Err(ScoreError::MissingField(crate::Field::Response)),
            ],
        );
        let line = serde_json::to_string(&result.line(&metrics)).unwrap();
        let back: ResultLine = serde_json::from_str(&line).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), line);
        result.model = Some("m".into());
        result.repeat = 1;
        let named = serde_json::to_string(&result.line(&metrics)).unwrap();
        assert!(named.starts_with(r#"{"id":"a","model":"m","repeat":1,"scores":"#), "{named}");
        assert_eq!(
            line,
            concat!(
                r#"{"id":"a","scores":{"relevance":{"value":0.604,"parts":{"cosine":0.709},"#,
                r#""evidence":[{"kind":"missing","text":"w"}]},"topic_pivot":{"not_applicable":"no user text"},"#,
                r#""x":{"error":"the case has no `response`","kind":"missing"}}}"#
            )
        );
    }
}
