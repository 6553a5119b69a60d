//! [`Output`]: what a model answered. [`Sample`]: a case together with the output under test.

use serde::{Serialize, Serializer};

use crate::{Case, Citation, Field, Passage, ScoreError};

/// What a model answered, and what it took.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Output {
    /// The answer as it came.
    pub text: String,
    /// Model that gave it, where known.
    pub model: Option<String>,
}

impl Output {
    /// An answer of which nothing but the text is known.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), model: None }
    }
}

/// In case files an output is its text.
impl Serialize for Output {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A case together with the output under test: what a metric is given.
#[derive(Debug, Clone, Copy)]
pub struct Sample<'a> {
    /// The row.
    pub case: &'a Case,
    output: Option<&'a Output>,
}

impl<'a> Sample<'a> {
    /// The case with the response that its file recorded.
    pub const fn of(case: &'a Case) -> Self {
        Self { case, output: case.response.as_ref() }
    }

    /// The case with an output that a model gave just now.
    pub const fn with_output(case: &'a Case, output: &'a Output) -> Self {
        Self { case, output: Some(output) }
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
