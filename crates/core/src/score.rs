//! [`Score`], [`Outcome`] and [`ScoreError`]: four situations, never folded into one number.
//!
//! A bad answer is a score with a low value; a question that does not apply is [`Outcome::NotApplicable`]; a sample that
//! cannot be scored is a [`ScoreError`]; a missing program or key is an error before the run starts and has no type here.

use std::borrow::Cow;

use std::fmt;

use probare_cancellation::CancelledError;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Evidence, Field, NotFinite, Value};

/// The label where a metric abstains: it decided neither way. Reports count it apart.
pub const UNSURE: &str = "unsure";

/// Who decided a value, where a metric may hand on what it cannot decide itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// The metric, by its own rules.
    #[serde(alias = "reading")]
    Rule,
    /// A model that was asked.
    Judge,
}

impl Decider {
    /// The word in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Judge => "judge",
        }
    }
}

/// A value, the pieces it is made of, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The value, unrounded.
    pub value: Value,
    /// A word for the value where the metric speaks in words (`PASS`, `clear_fail`).
    pub label: Option<Cow<'static, str>>,
    /// Who decided, where the metric could have handed the question on.
    pub by: Option<Decider>,
    /// Named pieces of a composite value.
    pub parts: ScoreParts,
    /// What was found, missing, compared.
    pub evidence: Vec<Evidence>,
}

impl Score {
    /// A score without parts and evidence.
    pub const fn new(value: Value) -> Self {
        Self { value, label: None, by: None, parts: ScoreParts::EMPTY, evidence: Vec::new() }
    }

    /// A score from a number; fails when it is not finite.
    pub fn from_number(number: f64) -> Result<Self, ScoreError> {
        Ok(Self::new(Value::new(number)?))
    }

    /// 1 for yes, 0 for no.
    pub fn from_bool(yes: bool) -> Self {
        Self::new(yes.into())
    }

    /// A share; fails when `whole` is zero, since no share of nothing is a number.
    pub fn ratio(part: usize, whole: usize) -> Result<Self, ScoreError> {
        if whole == 0 { Err(NotFinite(f64::NAN).into()) } else { Self::from_number(part as f64 / whole as f64) }
    }

    /// Adds evidence.
    #[must_use]
    pub fn because(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        if self.evidence.is_empty() {
            // A list that was built for this score is taken over as it is.
            self.evidence = evidence.into_iter().collect();
        } else {
            self.evidence.extend(evidence);
        }
        self
    }

    /// Adds a named piece; fails when it is not finite.
    pub fn with_part(mut self, name: impl Into<Cow<'static, str>>, number: f64) -> Result<Self, ScoreError> {
        self.parts.push(name, Value::new(number)?);
        Ok(self)
    }

    /// Names the value.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Says who decided.
    #[must_use]
    pub const fn decided_by(mut self, decider: Decider) -> Self {
        self.by = Some(decider);
        self
    }

    /// Whether the metric abstained.
    pub fn is_unsure(&self) -> bool {
        self.label.as_deref() == Some(UNSURE)
    }
}

/// Named pieces of a score, in the order in which the metric lists them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoreParts(Vec<(Cow<'static, str>, Value)>);

impl ScoreParts {
    /// No pieces.
    pub const EMPTY: Self = Self(Vec::new());

    /// Appends a piece.
    pub fn push(&mut self, name: impl Into<Cow<'static, str>>, value: Value) {
        self.0.push((name.into(), value));
    }

    /// The piece of this name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.get())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), value.get()))
    }
}

impl Serialize for ScoreParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for ScoreParts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PartsVisitor;

        impl<'de> Visitor<'de> for PartsVisitor {
            type Value = ScoreParts;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object of numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ScoreParts, A::Error> {
                let mut parts = ScoreParts::EMPTY;
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    parts.push(name, value);
                }
                Ok(parts)
            }
        }

        deserializer.deserialize_map(PartsVisitor)
    }
}

/// A decision without a number, which metrics of the user's own may give.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelOnly {
    /// The decision.
    pub label: Cow<'static, str>,
    /// Who decided, where the metric could have handed the question on.
    pub by: Option<Decider>,
    /// Named numbers beside it.
    pub parts: ScoreParts,
    /// What was found, missing, compared.
    pub evidence: Vec<Evidence>,
}

/// What a metric says about a sample it could look at.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// There is a score.
    Scored(Score),
    /// There is a label and no value: it is counted, and has no part in a mean.
    Labelled(LabelOnly),
    /// The question does not apply to this sample, and why.
    NotApplicable {
        /// One sentence fragment for the reader.
        reason: Cow<'static, str>,
    },
}

impl Outcome {
    /// The question does not apply.
    pub fn not_applicable(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::NotApplicable { reason: reason.into() }
    }

    /// Drops the evidence.
    pub fn forget_evidence(&mut self) {
        if let Self::Scored(score) = self {
            score.evidence = Vec::new();
        }
    }

    /// The score, if there is one.
    pub const fn score(&self) -> Option<&Score> {
        match self {
            Self::Scored(score) => Some(score),
            Self::Labelled(_) | Self::NotApplicable { .. } => None,
        }
    }

    /// The label, if there is one.
    pub fn label(&self) -> Option<&str> {
        match self {
            Self::Scored(score) => score.label.as_deref(),
            Self::Labelled(label) => Some(&label.label),
            Self::NotApplicable { .. } => None,
        }
    }

    /// Who decided, where the metric could have handed the question on.
    pub const fn decided_by(&self) -> Option<Decider> {
        match self {
            Self::Scored(Score { by, .. }) | Self::Labelled(LabelOnly { by, .. }) => *by,
            Self::NotApplicable { .. } => None,
        }
    }

    /// Named pieces of it.
    pub const fn parts(&self) -> &ScoreParts {
        const NONE: &ScoreParts = &ScoreParts::EMPTY;
        match self {
            Self::Scored(Score { parts, .. }) | Self::Labelled(LabelOnly { parts, .. }) => parts,
            Self::NotApplicable { .. } => NONE,
        }
    }

    /// What was found, missing, compared.
    pub fn evidence(&self) -> &[Evidence] {
        match self {
            Self::Scored(Score { evidence, .. }) | Self::Labelled(LabelOnly { evidence, .. }) => evidence,
            Self::NotApplicable { .. } => &[],
        }
    }
}

impl From<Score> for Outcome {
    fn from(score: Score) -> Self {
        Self::Scored(score)
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::NotApplicable { reason } => map.serialize_entry("not_applicable", reason)?,
            Self::Scored(_) | Self::Labelled(_) => {
                if let Self::Scored(score) = self {
                    map.serialize_entry("value", &score.value)?;
                }
                if let Some(label) = self.label() {
                    map.serialize_entry("label", label)?;
                }
                if let Some(decider) = self.decided_by() {
                    map.serialize_entry("decided_by", &decider)?;
                }
                if !self.parts().is_empty() {
                    map.serialize_entry("parts", self.parts())?;
                }
                if !self.evidence().is_empty() {
                    map.serialize_entry("evidence", self.evidence())?;
                }
            }
        }
        map.end()
    }
}

/// A result as a file holds it: `value` or `label` or `not_applicable` or `error`, and what belongs to it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawResult<P, E> {
    value: Option<Value>,
    label: Option<String>,
    #[serde(alias = "by")]
    decided_by: Option<Decider>,
    #[serde(default)]
    parts: P,
    #[serde(default)]
    evidence: E,
    not_applicable: Option<String>,
    error: Option<String>,
    kind: Option<ErrorKind>,
}

impl<P, E> RawResult<P, E> {
    /// Exactly one of the three situations; `why` makes something of parts and evidence.
    fn into_result(
        self,
        why: fn(P, E) -> (ScoreParts, Vec<Evidence>),
    ) -> Result<Result<Outcome, ScoreError>, &'static str> {
        match (self.value, self.not_applicable, self.error) {
            (Some(value), None, None) if self.kind.is_none() => {
                let label = self.label.map(Cow::Owned);
                let (parts, evidence) = why(self.parts, self.evidence);
                Ok(Ok(Score { value, label, by: self.decided_by, parts, evidence }.into()))
            }
            (None, None, None) if self.kind.is_none() && self.label.is_some() => {
                let label = Cow::Owned(self.label.unwrap_or_default());
                let (parts, evidence) = why(self.parts, self.evidence);
                Ok(Ok(Outcome::Labelled(LabelOnly { label, by: self.decided_by, parts, evidence })))
            }
            (None, Some(reason), None) => Ok(Ok(Outcome::not_applicable(reason))),
            // Files of release 0.1 name no kind.
            (None, None, Some(reason)) => Ok(Err(ScoreError::other(self.kind.unwrap_or(ErrorKind::Failed), reason))),
            _ => Err("a result has exactly one of `value` (or a `label` alone), `not_applicable` and `error`"),
        }
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SerializedResult(read) = SerializedResult::deserialize(deserializer)?;
        read.map_err(|error| D::Error::custom(format!("this is an error, not an outcome: {error}")))
    }
}

/// What one metric said about one case, as files hold it.
#[derive(Debug, Clone, PartialEq)]
pub struct SerializedResult(pub Result<Outcome, ScoreError>);

impl Serialize for SerializedResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SerializedResultRef(&self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SerializedResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = RawResult::<ScoreParts, Vec<Evidence>>::deserialize(deserializer)?;
        written.into_result(|parts, evidence| (parts, evidence)).map(SerializedResult).map_err(D::Error::custom)
    }
}

/// The same without parts and evidence, which are passed over: most of a file is evidence, and who holds many values against each
/// other needs none of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultWithoutEvidence(pub Result<Outcome, ScoreError>);

impl<'de> Deserialize<'de> for ResultWithoutEvidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = RawResult::<IgnoredAny, IgnoredAny>::deserialize(deserializer)?;
        written.into_result(|_, _| (ScoreParts::EMPTY, Vec::new())).map(ResultWithoutEvidence).map_err(D::Error::custom)
    }
}

/// A borrowed result on its way into a file.
pub(crate) struct SerializedResultRef<'a>(pub(crate) &'a Result<Outcome, ScoreError>);

impl Serialize for SerializedResultRef<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Ok(outcome) => outcome.serialize(serializer),
            Err(error) => error.serialize(serializer),
        }
    }
}

/// What kind of failure an error is. It is kept through files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Something went wrong.
    Failed,
    /// A model declined.
    Refused,
    /// A reply could not be read.
    Unparseable,
    /// There is no response, or no recorded reply.
    Missing,
    /// It took too long.
    TimedOut,
    /// The user ended it.
    Cancelled,
    /// A model's reply was cut off before its end.
    Truncated,
    /// A check that this program cannot run, or was not allowed to run.
    NotRun,
    /// An agent used up its steps.
    StepLimit,
    /// An agent used up its tokens.
    TokenLimit,
    /// An agent used up its money.
    CostLimit,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Failed,
        Self::Refused,
        Self::Unparseable,
        Self::Missing,
        Self::TimedOut,
        Self::Cancelled,
        Self::Truncated,
        Self::NotRun,
        Self::StepLimit,
        Self::TokenLimit,
        Self::CostLimit,
    ];

    /// The word in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Unparseable => "unparseable",
            Self::Missing => "missing",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Truncated => "truncated",
            Self::NotRun => "not_run",
            Self::StepLimit => "step_limit",
            Self::TokenLimit => "token_limit",
            Self::CostLimit => "cost_limit",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether an agent used up what it had.
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::StepLimit | Self::TokenLimit | Self::CostLimit)
    }
}

/// Why a sample could not be scored. It is reported as a failure and counted apart from every mean.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// The case lacks a field that the metric needs.
    #[error("the case has no `{0}`")]
    MissingField(Field),
    /// A field holds what the metric cannot work with.
    #[error("`{field}` {reason}")]
    BadField {
        /// The field.
        field: Field,
        /// What is wrong with it, as the rest of a sentence.
        reason: String,
    },
    /// The computation left the finite numbers.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// The metadata of the case lack a key that the metric needs.
    #[error("the case has no `metadata.{0}`")]
    MissingMetadata(String),
    /// A judge's reply could not be read.
    #[error("the judge's reply could not be read: {reason}")]
    UnreadableReply {
        /// What was expected and not found.
        reason: String,
    },
    /// The metric itself failed.
    #[error("the metric stopped with an internal error, which is a bug: {reason}")]
    Internal {
        /// What happened.
        reason: String,
    },
    /// Anything else, of its own kind: what a call came to, or what a file of results tells.
    #[error("{reason}")]
    Other {
        /// What kind of failure.
        kind: ErrorKind,
        /// What happened.
        reason: String,
    },
}

impl ScoreError {
    /// An error of this kind.
    pub fn other(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self::Other { kind, reason: reason.into() }
    }

    /// What kind of failure it is.
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::MissingField(Field::Response) => ErrorKind::Missing,
            Self::UnreadableReply { .. } => ErrorKind::Unparseable,
            Self::Other { kind, .. } => *kind,
            Self::MissingField(_)
            | Self::MissingMetadata(_)
            | Self::BadField { .. }
            | Self::NotFinite(_)
            | Self::Internal { .. } => ErrorKind::Failed,
        }
    }
}

impl From<CancelledError> for ScoreError {
    fn from(cancelled: CancelledError) -> Self {
        Self::other(ErrorKind::Cancelled, cancelled.to_string())
    }
}

impl Serialize for ScoreError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("error", &self.to_string())?;
        map.serialize_entry("kind", &self.kind())?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(result: Result<Outcome, ScoreError>) -> (String, SerializedResult) {
        let json = serde_json::to_string(&SerializedResult(result)).unwrap();
        let back = serde_json::from_str(&json).unwrap();
        (json, back)
    }

    #[test]
    fn every_situation_is_read_back() {
        let score = Score::from_number(0.1 + 0.2).unwrap().with_part("b", 2.0).unwrap().with_part("a", 1.0).unwrap();
        let score: Outcome = score.labelled("fine").decided_by(Decider::Judge).because([Evidence::missing("x")]).into();
        assert_eq!(round(Ok(score.clone())).1, SerializedResult(Ok(score)));
        let label = LabelOnly {
            label: "formal".into(),
            by: None,
            parts: ScoreParts::EMPTY,
            evidence: vec![Evidence::note("x")],
        };
        let (json, back) = round(Ok(Outcome::Labelled(label.clone())));
        assert_eq!(json, r#"{"label":"formal","evidence":[{"kind":"note","text":"x"}]}"#);
        assert_eq!(back, SerializedResult(Ok(Outcome::Labelled(label))));
        let aside = Outcome::not_applicable("why");
        assert_eq!(round(Ok(aside.clone())).1, SerializedResult(Ok(aside)));
        for kind in ErrorKind::ALL {
            let error = ScoreError::other(kind, "what");
            let (json, back) = round(Err(error.clone()));
            assert_eq!(json, format!(r#"{{"error":"what","kind":"{}"}}"#, kind.name()));
            assert_eq!(back, SerializedResult(Err(error)));
        }
    }

    #[test]
    fn a_value_is_read_without_what_it_was_made_from() {
        let score = Score::from_number(0.1 + 0.2).unwrap().labelled("fine").decided_by(Decider::Judge);
        let whole = score.clone().with_part("b", 2.0).unwrap().because([Evidence::missing("x")]);
        for (result, expected) in [
            (Ok(whole.into()), Ok(score.into())),
            (Ok(Outcome::not_applicable("why")), Ok(Outcome::not_applicable("why"))),
            (Err(ScoreError::other(ErrorKind::Refused, "no")), Err(ScoreError::other(ErrorKind::Refused, "no"))),
        ] {
            let json = serde_json::to_string(&SerializedResult(result)).unwrap();
            assert_eq!(
                serde_json::from_str::<ResultWithoutEvidence>(&json).unwrap(),
                ResultWithoutEvidence(expected),
                "{json}"
            );
        }
    }

    #[test]
    fn what_is_no_result_is_refused() {
        for bad in ["{}", r#"{"value":1,"error":"x"}"#, r#"{"value":1,"extra":2}"#, r#"{"value":1,"value":1}"#] {
            assert!(serde_json::from_str::<SerializedResult>(bad).is_err(), "{bad}");
            assert!(serde_json::from_str::<ResultWithoutEvidence>(bad).is_err(), "{bad}");
        }
    }
}
