//! [`Score`], [`Outcome`] and [`ScoreError`]: four situations, never folded into one number.
//!
//! A bad answer is a score with a low value; a question that does not apply is [`Outcome::NotApplicable`]; a sample that
//! cannot be scored is a [`ScoreError`]; a missing program or key is an error before the run starts and has no type here.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::{Evidence, Field, NotFinite, Value};

/// A value, the pieces it is made of, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Score {
    /// The value, unrounded.
    pub value: Value,
    /// A word for the value where the metric speaks in words (`PASS`, `clear_fail`).
    pub label: Option<Cow<'static, str>>,
    /// Named pieces of a composite value.
    pub parts: Parts,
    /// What was found, missing, compared.
    pub evidence: Vec<Evidence>,
}

impl Score {
    /// A score without parts and evidence.
    pub const fn new(value: Value) -> Self {
        Self { value, label: None, parts: Parts::EMPTY, evidence: Vec::new() }
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
}

/// Named pieces of a score, in the order in which the metric lists them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parts(Vec<(Cow<'static, str>, Value)>);

impl Parts {
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

impl Serialize for Parts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// What a metric says about a sample it could look at.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// There is a score.
    Scored(Score),
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

    /// The score, if there is one.
    pub const fn score(&self) -> Option<&Score> {
        match self {
            Self::Scored(score) => Some(score),
            Self::NotApplicable { .. } => None,
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
            Self::Scored(score) => {
                map.serialize_entry("value", &score.value)?;
                if let Some(label) = &score.label {
                    map.serialize_entry("label", label)?;
                }
                if !score.parts.is_empty() {
                    map.serialize_entry("parts", &score.parts)?;
                }
                if !score.evidence.is_empty() {
                    map.serialize_entry("evidence", &score.evidence)?;
                }
            }
            Self::NotApplicable { reason } => map.serialize_entry("not_applicable", reason)?,
        }
        map.end()
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
}
