//! What a system answered: a JSON array of predictions.
//!
//! [`PredictionReader`] goes through a file of any length with little memory.

mod read;
mod type_errors;

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

pub use read::{PredictionReader, parse};

/// One answer. Keys that are not given mean an empty text or list; keys that are not known are passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prediction<'a> {
    /// Which question it answers.
    pub question_id: Cow<'a, str>,
    pub predicted_answer: Cow<'a, str>,
    /// Names or addresses of the documents that were read, best first.
    pub retrieved_docs: Vec<BorrowedText<'a>>,
    /// What would have been answered after each round of the search.
    pub iterations: Vec<Iteration<'a>>,
    /// Texts of the sources that the answer rests on.
    pub sources_verified: Vec<BorrowedText<'a>>,
}

/// One round of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Iteration<'a> {
    /// Answers that were given in it.
    pub answers: Vec<BorrowedText<'a>>,
}

/// A string that is a piece of the file wherever it needs no unescaping.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct BorrowedText<'a>(#[serde(borrow)] pub Cow<'a, str>);

impl AsRef<str> for BorrowedText<'_> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Reads an object field by field. A derived reader would take a list of values for an object too, and refuse a key that
/// is given twice, where other readers take the last.
struct ObjectVisitor<T>(PhantomData<T>);

impl<'de> Deserialize<'de> for Prediction<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData::<Self>))
    }
}

impl<'de> Visitor<'de> for ObjectVisitor<Prediction<'de>> {
    type Value = Prediction<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a prediction")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut prediction = Prediction::default();
        let mut identified = false;
        while let Some(BorrowedText(key)) = map.next_key()? {
            match &*key {
                "question_id" => {
                    prediction.question_id = map.next_value::<BorrowedText<'de>>()?.0;
                    identified = true;
                }
                "predicted_answer" => prediction.predicted_answer = map.next_value::<BorrowedText<'de>>()?.0,
                "retrieved_docs" => prediction.retrieved_docs = map.next_value()?,
                "iterations" => prediction.iterations = map.next_value()?,
                "sources_verified" => prediction.sources_verified = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if identified { Ok(prediction) } else { Err(A::Error::missing_field("question_id")) }
    }
}

impl<'de> Deserialize<'de> for Iteration<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData::<Self>))
    }
}

impl<'de> Visitor<'de> for ObjectVisitor<Iteration<'de>> {
    type Value = Iteration<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an iteration")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut iteration = Iteration::default();
        while let Some(BorrowedText(key)) = map.next_key()? {
            if key == "answers" {
                iteration.answers = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(iteration)
    }
}

/// A file of predictions could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PredictionError {
    /// It could not be read, or its bytes are not what a file of values has.
    #[error(transparent)]
    Read(#[from] probare_formats::CaseFileError),
    /// It is not JSON.
    #[error("{file}:{line}:{column}: invalid JSON: {reason}")]
    Syntax {
        file: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        reason: String,
    },
    /// Something in it is not of the type it must be.
    #[error("{file}:{line}: {path} {reason}")]
    Shape {
        file: String,
        /// Counted from 1.
        line: usize,
        /// Where in the document: `[3].retrieved_docs[1]`.
        path: String,
        /// What is wrong there, as the rest of a sentence.
        reason: String,
    },
}
