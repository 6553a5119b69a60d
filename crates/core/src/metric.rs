//! [`Metric`] and [`MetricDef`]: what is measured, and everything the tools know about it.

use std::fmt;

use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::per_turn::PerTurn;
use crate::{
    Backend, BackendAnswer, BuildError, Field, Judge, JudgeAction, NoBackend, Outcome, Sample, ScoreError, ScoreParts,
    ShippedThresholds,
};

/// Computes a score from a sample: synchronous, pure, the same bytes for the same input.
pub trait Metric: Send + Sync {
    /// Scores one sample. The value and its evidence come out of the same call, so they cannot drift apart.
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError>;
}

/// A metric that is ready: one that computes, or one that asks.
pub enum Scorer {
    /// By computation alone.
    Pure(Box<dyn Metric>),
    /// By asking.
    Judge(Box<dyn Judge>),
}

/// Rounds of asking after which a judge that is never done is ended.
const MOST_TURNS: usize = 64;

impl Scorer {
    /// Scores one sample where nobody is there to ask.
    pub fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        self.score_with("", sample, &NoBackend)
    }

    /// The model whose vectors it rests on, where it asks for nothing else.
    pub fn sole_embedding_model(&self) -> Option<&str> {
        match self {
            Self::Pure(_) => None,
            Self::Judge(judge) => judge.sole_embedding_model(),
        }
    }

    /// The model whose vectors it wants, whatever else it asks for.
    pub fn embedding_model(&self) -> Option<&str> {
        match self {
            Self::Pure(_) => None,
            Self::Judge(judge) => judge.embedding_model(),
        }
    }

    /// The environment of the programs that it wants to be run, where it wants any.
    pub fn program_environment(&self) -> Option<&str> {
        match self {
            Self::Pure(_) => None,
            Self::Judge(judge) => judge.program_environment(),
        }
    }

    /// Scores one sample; what a judge asks is answered by `outside`, which knows the metric by `name`.
    pub fn score_with(&self, name: &str, sample: Sample<'_>, outside: &dyn Backend) -> Result<Outcome, ScoreError> {
        let mut answers: Vec<BackendAnswer> = Vec::new();
        let mut turns = 0;
        loop {
            match self.next(sample, &answers, turns)? {
                JudgeAction::Done(outcome) => return Ok(outcome),
                turn => answers.extend(outside.answer(name, &turn)),
            }
            turns += 1;
        }
    }

    /// The outcome, or what is asked next; `answers` are those to the `turns` before.
    pub fn next(&self, sample: Sample<'_>, answers: &[BackendAnswer], turns: usize) -> Result<JudgeAction, ScoreError> {
        match self {
            Self::Pure(metric) => metric.score(sample).map(JudgeAction::Done),
            Self::Judge(_) if turns >= MOST_TURNS => {
                let reason = format!("the judge asked {MOST_TURNS} times without coming to an end");
                Err(ScoreError::Internal { reason })
            }
            Self::Judge(judge) => judge.next_action(sample, answers),
        }
    }
}

impl fmt::Debug for Scorer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pure(_) => "Pure",
            Self::Judge(_) => "Judge",
        })
    }
}

/// Which direction is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Larger values are better.
    Higher,
    /// Smaller values are better.
    Lower,
}

impl Better {
    /// The word in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Higher => "higher",
            Self::Lower => "lower",
        }
    }
}

/// How a metric comes to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MetricKind {
    /// By computation alone.
    Pure,
    /// By asking a model.
    Judge,
}

/// Which definition of a metric: the published one, or ours that does better where the published one is known to err.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// The published definition.
    #[default]
    #[serde(alias = "reference")]
    Published,
    /// Our improved definition; named in every report.
    #[serde(alias = "careful")]
    Improved,
}

impl Profile {
    /// Both, the published one first.
    pub const ALL: [Self; 2] = [Self::Published, Self::Improved];

    /// The profile of this name; names of release 0.3 are understood.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name || profile.old_name() == name)
    }

    /// The word of release 0.3 and before.
    pub const fn old_name(self) -> &'static str {
        match self {
            Self::Published => "reference",
            Self::Improved => "careful",
        }
    }

    /// The word in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Improved => "improved",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The prompts of a metric with these options: the option that takes another, and the text.
pub type OwnPrompts = fn(&Json) -> Vec<(&'static str, &'static str)>;

/// Everything the tools know about a metric; made by `metric!` beside its code.
#[derive(Debug)]
pub struct MetricDef {
    /// Name, equal to its file name.
    pub id: &'static str,
    /// Name of the folder it stands in.
    pub family: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// By computation or by asking.
    pub kind: MetricKind,
    /// Least and greatest possible value.
    pub range: (f64, f64),
    /// Which direction is better.
    pub better: Better,
    /// Fields a case must have.
    pub needs: &'static [Field],
    /// Keys that the metadata of a case must have.
    pub metadata: &'static [&'static str],
    /// Profiles in which it differs; a metric with one definition lists `Published` alone.
    pub profiles: &'static [Profile],
    /// Whether a response equal to the reference gets the best value.
    pub identity: bool,
    /// How the parts give the value again, for a composite.
    pub whole: Option<fn(&ScoreParts) -> Option<f64>>,
    /// The thresholds that its labels rest on, where they are calibrated: in the `improved` profile, if it has several.
    pub thresholds: Option<&'static ShippedThresholds>,
    /// The prompts that it asks with, by the option that takes another; nothing where it asks no model.
    pub prompts: Option<OwnPrompts>,
    /// Whether a single turn of a conversation can be scored by itself, as far as its own rules go.
    pub per_turn: bool,
    /// Whether it describes a text and judges nothing: it has no mean, no gate and no place in comparisons.
    pub is_descriptive: bool,
    /// The release that brought it.
    pub since: &'static str,
    /// Raised when any score could change.
    pub version: u32,
    /// Its page, in Markdown.
    pub page: &'static str,
    /// JSON Schema of its own options.
    pub schema: fn() -> Schema,
    /// Makes the metric from its options.
    pub build: fn(Json) -> Result<Scorer, BuildError>,
}

impl MetricDef {
    /// Makes the metric from its options (`Null` for the defaults). Metrics with a choice of profiles take `profile`
    /// as an option; where the options do not name one, `profile` is used. With `per: turn` it is taken turn by turn.
    pub fn build(&self, options: Json, profile: Profile) -> Result<Scorer, BuildError> {
        let mut options = if options.is_null() { Json::Object(Map::new()) } else { options };
        if self.profiles.len() > 1
            && let Json::Object(map) = &mut options
            && !map.contains_key("profile")
        {
            map.insert("profile".to_owned(), Json::String(profile.name().to_owned()));
        }
        let by_turn = PerTurn::take(&mut options);
        let scorer = (self.build)(options)?;
        match by_turn {
            Some(by_turn) => PerTurn::wrap(self, scorer, &by_turn),
            None => Ok(scorer),
        }
    }

    /// JSON Schema of all options that it takes: its own, and those of a score per turn where it can be taken so.
    pub fn options(&self) -> Schema {
        let mut schema = (self.schema)();
        PerTurn::describe(self, &mut schema);
        schema
    }

    /// The profile that a request for `wanted` gives.
    pub fn resolve_profile(&self, profile: Profile) -> Profile {
        if self.profiles.contains(&profile) { profile } else { Profile::Published }
    }

    /// The thresholds that its labels rest on in this profile, where they come with it.
    pub fn shipped_thresholds(&self, profile: Profile) -> Option<&'static ShippedThresholds> {
        self.thresholds.filter(|_| self.profiles.len() < 2 || profile == Profile::Improved)
    }

    /// All that lists tell about it, with the schema of its options.
    pub fn to_json(&self) -> Json {
        let mut described = serde_json::json!({
            "id": self.id,
            "family": self.family,
            "summary": self.summary,
            "range": [self.range.0, self.range.1],
            "better": self.better.name(),
            "needs": self.needs.iter().map(|field| field.name()).collect::<Vec<_>>(),
            "profiles": self.profiles.iter().map(|profile| profile.name()).collect::<Vec<_>>(),
            "since": self.since,
            "version": self.version,
            "options": self.options(),
        });
        if let Some(thresholds) = self.thresholds {
            described["decision_thresholds"] = thresholds.to_json();
        }
        described
    }

    /// The first needed field or key that the sample lacks.
    pub fn missing_input(&self, sample: Sample<'_>) -> Option<MissingInput> {
        let field = self.needs.iter().copied().find(|field| !sample.has(*field)).map(MissingInput::Field);
        field.or_else(|| {
            let has = |key: &str| sample.case.metadata.get(key).is_some_and(|value| !value.is_null());
            self.metadata.iter().copied().find(|key| !has(key)).map(MissingInput::Metadata)
        })
    }

    /// The best value that the range allows.
    pub const fn best(&self) -> f64 {
        match self.better {
            Better::Higher => self.range.1,
            Better::Lower => self.range.0,
        }
    }
}

/// What a sample lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingInput {
    /// A field.
    Field(Field),
    /// A key of the metadata.
    Metadata(&'static str),
}

impl fmt::Display for MissingInput {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => write!(formatter, "{field}"),
            Self::Metadata(key) => write!(formatter, "metadata.{key}"),
        }
    }
}

/// Reads the options of a metric. An error names the option that is wrong.
pub fn read_options<T: DeserializeOwned>(options: &Json) -> Result<T, BuildError> {
    T::deserialize(options).map_err(|error| explain_options(options, &error, |others| T::deserialize(others).err()))
}

/// Names the option that is wrong; `error_of` says what is wrong with other options. It is compiled once, and not for each metric.
fn explain_options(
    options: &Json,
    error: &serde_json::Error,
    error_of: fn(&Json) -> Option<serde_json::Error>,
) -> BuildError {
    let error = error.to_string();
    // The one without which the error is another one, or none.
    let is_wrong = |all: &Map<String, Json>, name: &str| {
        let others = all.iter().filter(|(other, _)| *other != name);
        let others: Map<String, Json> = others.map(|(name, value)| (name.clone(), value.clone())).collect();
        error_of(&Json::Object(others)).is_none_or(|found| {
            let found = found.to_string();
            found != error && !found.starts_with("missing field")
        })
    };
    let wrong = options.as_object().and_then(|all| all.iter().find(|(name, _)| is_wrong(all, name)));
    BuildError::Options(match wrong {
        Some((name, value)) if error.starts_with("invalid type: ") => {
            let expected = error.rsplit_once("expected ").map_or("another type", |(_, expected)| expected);
            format!("option `{name}` must be {}, but it is {}", type_words(expected), excerpt_of(value))
        }
        Some((name, _)) if !error.contains(&format!("`{name}`")) => format!("option `{name}`: {error}"),
        _ => error,
    })
}

/// A type of Rust in the words of whoever writes options.
fn type_words(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0",
        nonzero if nonzero.starts_with("a nonzero ") => "a whole number of at least 1",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "string or map" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other => other,
    }
}

/// A value as it is written, or its beginning.
fn excerpt_of(value: &Json) -> String {
    const MOST: usize = 60;
    let text = value.to_string();
    if text.len() <= MOST { text } else { format!("{}…", &text[..text.floor_char_boundary(MOST)]) }
}

/// The last segment of a module path: a metric is called as its file is.
pub const fn last_segment(path: &'static str) -> &'static str {
    path.split_at(last_separator(path, path.len()).1).1
}

/// The last segment but one of a module path: a family is called as its folder is, or as the folder around `metrics`.
pub const fn parent_segment(path: &'static str) -> &'static str {
    let end = last_separator(path, path.len()).0;
    let head = path.split_at(end).0;
    let family = head.split_at(last_separator(path, end).1).1;
    match family.as_bytes() {
        b"metrics" => parent_segment(head),
        _ => family,
    }
}

/// Start and end of the last `::` before `end`; twice 0 where there is none.
const fn last_separator(path: &str, end: usize) -> (usize, usize) {
    let bytes = path.as_bytes();
    let mut at = end;
    while at > 0 {
        if bytes[at - 1] == b':' {
            return (at - 2, at);
        }
        at -= 1;
    }
    (0, 0)
}

/// Registers a metric beside the type that holds its options: `metric!(Type as Pure { … })` where it computes, `as Judge`
/// where it asks.
///
/// The id is the file's name and the family the folder's. `needs`, `summary`, `range`, `better`, `since`, `version` and
/// `page` are required; `metadata` (keys that a case must have there), `profiles`, `identity`, `whole`, `thresholds`, `prompts`, `per_turn` and
/// `is_descriptive` have defaults. `prepare` turns the options into the type that
/// scores, where something is to be compiled or checked once (`prepare: Compiled::new`); without it the options score.
#[macro_export]
macro_rules! metric {
    ($type:ty as $kind:ident {
        summary: $summary:expr,
        range: $range:expr,
        better: $better:ident,
        needs: [$($need:ident),* $(,)?],
        $(metadata: [$($key:expr),* $(,)?],)?
        $(profiles: [$($profile:ident),* $(,)?],)?
        $(identity: $identity:expr,)?
        $(whole: $whole:expr,)?
        $(thresholds: $thresholds:expr,)?
        $(prompts: $prompts:expr,)?
        $(prepare: $prepare:expr,)?
        $(per_turn: $per_turn:expr,)?
        $(is_descriptive: $is_descriptive:expr,)?
        since: $since:expr,
        version: $version:expr,
        page: $page:expr $(,)?
    }) => {
        /// The definition of this metric.
        pub static DEF: $crate::MetricDef = $crate::MetricDef {
            id: $crate::last_segment(module_path!()),
            family: $crate::parent_segment(module_path!()),
            summary: $summary,
            kind: $crate::MetricKind::$kind,
            range: $range,
            better: $crate::Better::$better,
            needs: &[$($crate::Field::$need),*],
            metadata: $crate::metric!(@or [$(&[$($key),*])?] [&[]]),
            profiles: $crate::metric!(@or [$(&[$($crate::Profile::$profile),*])?] [&[$crate::Profile::Published]]),
            identity: $crate::metric!(@or [$($identity)?] [false]),
            whole: $crate::metric!(@or [$(Some($whole))?] [None]),
            thresholds: $crate::metric!(@or [$(Some($thresholds))?] [None]),
            prompts: $crate::metric!(@or [$(Some($prompts))?] [None]),
            per_turn: $crate::metric!(@or [$($per_turn)?] [true]),
            is_descriptive: $crate::metric!(@or [$($is_descriptive)?] [false]),
            since: $since,
            version: $version,
            page: include_str!($page),
            schema: || $crate::reexport::schemars::schema_for!($type),
            build: |options| {
                let metric: $type = $crate::read_options(&options)?;
                let prepare = $crate::metric!(@or [$($prepare)?] [Ok::<$type, $crate::BuildError>]);
                prepare(metric).map(|ready| $crate::Scorer::$kind(Box::new(ready)))
            },
        };
    };
    (@or [$given:expr] [$default:expr]) => { $given };
    (@or [] [$default:expr]) => { $default };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_option_that_is_wrong_is_named() {
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields, default)]
        struct Options {
            k: usize,
            words: Vec<String>,
            strict: bool,
        }
        impl Default for Options {
            fn default() -> Self {
                Self { k: 1, words: Vec::new(), strict: false }
            }
        }
        let error = |options: Json| read_options::<Options>(&options).unwrap_err().to_string();
        let wrong = json!({"strict": true, "k": "five", "words": []});
        assert_eq!(error(wrong), "option `k` must be a whole number of at least 0, but it is \"five\"");
        assert_eq!(error(json!({"words": "a"})), "option `words` must be a list, but it is \"a\"");
        assert_eq!(error(json!({"k": -1})), "option `k`: invalid value: integer `-1`, expected usize");
        assert!(error(json!({"q": 1})).starts_with("unknown field `q`"));
        assert!(read_options::<Options>(&json!({"k": 3})).is_ok());
    }

    struct Asks;

    impl Judge for Asks {
        fn next_action(&self, _: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
            match answers {
                [] => Ok(JudgeAction::Ask(vec![crate::ChatRequest::default(); 2])),
                [first, _] => {
                    let yes = first.reply()?.response_text()? == "yes";
                    Ok(JudgeAction::Done(crate::Score::from_bool(yes).into()))
                }
                _ => Err(ScoreError::Internal { reason: "two answers are expected".into() }),
            }
        }
    }

    #[test]
    fn a_judge_is_driven_and_without_anybody_to_ask_the_reply_is_missing() {
        let case = crate::Case::default();
        let judge = Scorer::Judge(Box::new(Asks));
        let yes = crate::FnBackend(|_: &str, turn: &JudgeAction| match turn {
            JudgeAction::Ask(questions) => vec![BackendAnswer::Reply(crate::ModelReply::text("yes")); questions.len()],
            _ => Vec::new(),
        });
        let outcome = judge.score_with("m", Sample::from_case(&case), &yes).unwrap();
        assert_eq!(outcome.score().unwrap().value.get(), 1.0);
        let error = judge.score(Sample::from_case(&case)).unwrap_err();
        assert_eq!(error.kind(), crate::ErrorKind::Missing);
    }

    #[test]
    fn a_metric_is_called_as_its_file_and_its_family_as_the_folder() {
        assert_eq!(last_segment("probare_metrics::text::token_f1"), "token_f1");
        assert_eq!(parent_segment("probare_metrics::text::token_f1"), "text");
        assert_eq!(last_segment("alone"), "alone");
        assert_eq!(parent_segment("alone"), "");
    }
}
