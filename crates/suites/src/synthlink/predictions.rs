//! What a system answered: a JSON array of predictions.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use probare_text::python;
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

/// One answer. Keys that are not given mean an empty text or list; keys that are not known are passed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prediction<'a> {
    /// Which question it answers.
    pub question_id: Cow<'a, str>,
    /// The answer.
    pub predicted_answer: Cow<'a, str>,
    /// Names or addresses of the documents that were read, best first.
    pub retrieved_docs: Vec<Text<'a>>,
    /// What would have been answered after each round of the search.
    pub iterations: Vec<Iteration<'a>>,
    /// Texts of the sources that the answer rests on.
    pub sources_verified: Vec<Text<'a>>,
}

/// One round of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Iteration<'a> {
    /// Answers that were given in it.
    pub answers: Vec<Text<'a>>,
}

/// A string that is a piece of the file wherever it needs no unescaping.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

impl AsRef<str> for Text<'_> {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Reads an object field by field. A derived reader would take a list of values for an object too, and refuse a key that
/// is given twice, where other readers take the last.
struct Fields<T>(PhantomData<T>);

impl<'de> Deserialize<'de> for Prediction<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields(PhantomData::<Self>))
    }
}

impl<'de> Visitor<'de> for Fields<Prediction<'de>> {
    type Value = Prediction<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a prediction")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut prediction = Prediction::default();
        let mut identified = false;
        while let Some(Text(key)) = map.next_key()? {
            match &*key {
                "question_id" => {
                    prediction.question_id = map.next_value::<Text<'de>>()?.0;
                    identified = true;
                }
                "predicted_answer" => prediction.predicted_answer = map.next_value::<Text<'de>>()?.0,
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
        deserializer.deserialize_map(Fields(PhantomData::<Self>))
    }
}

impl<'de> Visitor<'de> for Fields<Iteration<'de>> {
    type Value = Iteration<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an iteration")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut iteration = Iteration::default();
        while let Some(Text(key)) = map.next_key()? {
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
    /// It could not be read.
    #[error("cannot read `{file}`")]
    Io {
        /// As given.
        file: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// It is no JSON.
    #[error("{file}:{line}:{column}: no valid JSON: {reason}")]
    Syntax {
        /// As given.
        file: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What was found.
        reason: String,
    },
    /// Something in it is not of the type it must be.
    #[error("{file}:{line}: {path} {reason}")]
    Shape {
        /// As given.
        file: String,
        /// Counted from 1.
        line: usize,
        /// Where in the document: `[3].retrieved_docs[1]`.
        path: String,
        /// What is wrong there, as the rest of a sentence.
        reason: String,
    },
}

/// The bytes of a file of predictions, for [`parse`].
pub fn read(path: &Path) -> Result<Vec<u8>, PredictionError> {
    std::fs::read(path).map_err(|source| PredictionError::Io { file: path.display().to_string(), source })
}

/// The predictions in `bytes`; `file` is what messages call it. Question ids come trimmed.
pub fn parse<'a>(bytes: &'a [u8], file: &str) -> Result<Vec<Prediction<'a>>, PredictionError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut predictions: Vec<Prediction<'a>> =
        serde_json::from_slice(bytes).map_err(|error| explained(bytes, file, &error))?;
    for prediction in &mut predictions {
        let id = match &prediction.question_id {
            Cow::Borrowed(id) => Cow::Borrowed(python::strip(id)),
            Cow::Owned(id) => Cow::Owned(python::strip(id).to_owned()),
        };
        prediction.question_id = id;
    }
    Ok(predictions)
}

/// Looks again, more slowly, for the place in the document that the reader did not like.
fn explained(bytes: &[u8], file: &str, error: &serde_json::Error) -> PredictionError {
    let (line, column) = (error.line(), error.column());
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
    match serde_json::from_slice::<Json>(bytes).ok().and_then(|document| misfit(&document)) {
        Some((path, reason)) => PredictionError::Shape { file: file.to_owned(), line, path, reason },
        None => PredictionError::Syntax { file: file.to_owned(), line, column, reason },
    }
}

/// The first value of a wrong type: where, and what is wrong.
fn misfit(document: &Json) -> Option<(String, String)> {
    let Json::Array(items) = document else {
        return Some(("the document".into(), format!("is {}; a list of predictions is expected", name(document))));
    };
    items.iter().enumerate().find_map(|(at, item)| {
        let path = format!("[{at}]");
        let Json::Object(fields) = item else { return Some(wrong(&path, item, "an object")) };
        match fields.get("question_id") {
            None => return Some((path, "has no `question_id`".to_owned())),
            Some(Json::String(_)) => {}
            Some(other) => return Some(wrong(&format!("{path}.question_id"), other, "a string")),
        }
        let answer = fields.get("predicted_answer").filter(|value| !value.is_string());
        if let Some(other) = answer {
            return Some(wrong(&format!("{path}.predicted_answer"), other, "a string"));
        }
        let texts = ["retrieved_docs", "sources_verified"];
        let strings = texts.iter().find_map(|key| no_strings(&format!("{path}.{key}"), fields.get(*key)?));
        strings.or_else(|| no_iterations(&format!("{path}.iterations"), fields.get("iterations")?))
    })
}

fn no_strings(path: &str, value: &Json) -> Option<(String, String)> {
    let Json::Array(items) = value else { return Some(wrong(path, value, "a list of strings")) };
    let (at, item) = items.iter().enumerate().find(|(_, item)| !item.is_string())?;
    Some(wrong(&format!("{path}[{at}]"), item, "a string"))
}

fn no_iterations(path: &str, value: &Json) -> Option<(String, String)> {
    let Json::Array(items) = value else { return Some(wrong(path, value, "a list of objects")) };
    items.iter().enumerate().find_map(|(at, item)| {
        let path = format!("{path}[{at}]");
        match item {
            Json::Object(fields) => no_strings(&format!("{path}.answers"), fields.get("answers")?),
            other => Some(wrong(&path, other, "an object with `answers`")),
        }
    })
}

fn wrong(path: &str, value: &Json, expected: &str) -> (String, String) {
    (path.to_owned(), format!("is {}; {expected} is expected", name(value)))
}

fn name(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a truth value",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text.as_bytes(), "p.json").unwrap_err().to_string()
    }

    #[test]
    fn keys_that_are_not_given_are_empty_and_others_are_passed_over() {
        let text = r#"[{"question_id": " HIA-01\t", "model": 3, "iterations": [{"docs": 7}, {"answers": ["a\n"]}]}]"#;
        let found = parse(text.as_bytes(), "p.json").unwrap();
        assert_eq!(found[0].question_id, "HIA-01");
        assert_eq!(found[0].predicted_answer, "");
        assert_eq!(found[0].iterations[1].answers[0].as_ref(), "a\n");
        assert!(found[0].iterations[0].answers.is_empty());
        assert!(parse("\u{feff}[]".as_bytes(), "p.json").unwrap().is_empty());
    }

    #[test]
    fn a_wrong_type_is_named_with_its_place() {
        assert_eq!(error("{}"), "p.json:1: the document is an object; a list of predictions is expected");
        assert_eq!(error(r#"[["HIA-01"]]"#), "p.json:1: [0] is a list; an object is expected");
        assert_eq!(error("[3]"), "p.json:1: [0] is a number; an object is expected");
        assert_eq!(error("[\n{}]"), "p.json:2: [0] has no `question_id`");
        assert!(error(r#"[{"question_id": 1}]"#).contains("[0].question_id is a number; a string"));
        assert!(error(r#"[{"question_id": "a", "predicted_answer": null}]"#).contains("predicted_answer is null"));
        assert!(
            error(r#"[{"question_id": "a"}, {"question_id": "b", "retrieved_docs": ["x", 1]}]"#)
                .contains("[1].retrieved_docs[1] is a number")
        );
        assert!(
            error(r#"[{"question_id": "a", "iterations": [{"answers": "x"}]}]"#)
                .contains("[0].iterations[0].answers is a string; a list of strings")
        );
        assert!(error(r#"[{"question_id": "a", "iterations": ["x"]}]"#).contains("[0].iterations[0] is a string"));
    }

    #[test]
    fn a_comment_is_no_json() {
        let message = error("[\n// sample\n]");
        assert!(message.starts_with("p.json:2:1: no valid JSON"), "{message}");
        assert!(error("").contains("no valid JSON"));
    }
}
