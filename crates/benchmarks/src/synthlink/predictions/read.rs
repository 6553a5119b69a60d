//! One prediction after the other, from a file of any length.

use std::borrow::Cow;

use probare_core::InputFile;
use probare_formats::{CaseFileError, CaseFormat, JsonValues, LocatedValue, ReadOptions, ValueError};
use probare_text::python;
use serde_json::Value as Json;

use super::type_errors;
use super::{Prediction, PredictionError};

/// Bytes of a document that is no array up to which it is looked into.
const LONGEST_MISTAKE: usize = 1 << 20;

/// The predictions of a file as they are written, each looked at and found good.
#[derive(Debug)]
pub struct PredictionReader {
    values: JsonValues,
    file: String,
    count: usize,
}

impl PredictionReader {
    /// Opens a file that holds one JSON array. Remarks behind `//`, as in the published sample, are passed over.
    pub fn open(file: &str) -> Result<Self, PredictionError> {
        let options = ReadOptions { format: Some(CaseFormat::Json), ..ReadOptions::default() };
        let values = JsonValues::with_remarks(file, &options).map_err(|error| unreadable(file, error))?;
        if values.is_array() {
            return Ok(Self { values, file: file.to_owned(), count: 0 });
        }
        // To say what it is instead, little of it is enough; it may be a device without an end.
        let options = ReadOptions { longest_row: LONGEST_MISTAKE, ..options };
        let mut values = JsonValues::with_remarks(file, &options).map_err(|error| unreadable(file, error))?;
        Err(match values.next() {
            Some(Ok(raw)) => no_list(file, &raw),
            Some(Err(error)) => value_error(file, error),
            None => syntax(file, (1, 1), "the document ends too early"),
        })
    }

    /// The file as a manifest names it. No predictions come after this.
    pub fn input(&mut self) -> Result<InputFile, PredictionError> {
        self.values.input().map_err(|error| unreadable(&self.file, error))
    }

    /// Reads a value that is no prediction again, more slowly, for what is wrong with it.
    fn explain_error(&self, raw: &LocatedValue, error: &serde_json::Error) -> PredictionError {
        let file = self.file.clone();
        match serde_json::from_slice::<Json>(&raw.bytes) {
            Ok(value) => match type_errors::prediction_error(self.count, &value) {
                Some((path, reason)) => {
                    PredictionError::Shape { file, line: to_usize(raw.place_of(error).0), path, reason }
                }
                None => no_json(&file, raw, error),
            },
            Err(error) => no_json(&file, raw, &error),
        }
    }
}

impl Iterator for PredictionReader {
    /// The value as it is written, and the id of the question that it answers.
    type Item = Result<(LocatedValue, String), PredictionError>;

    fn next(&mut self) -> Option<Self::Item> {
        let raw = match self.values.next()? {
            Ok(raw) => raw,
            Err(error) => return Some(Err(value_error(&self.file, error))),
        };
        let id = match parse(&raw.bytes) {
            Ok(prediction) => prediction.question_id.into_owned(),
            Err(error) => return Some(Err(self.explain_error(&raw, &error))),
        };
        self.count += 1;
        Some(Ok((raw, id)))
    }
}

/// A prediction as it is written.
pub fn parse(bytes: &[u8]) -> Result<Prediction<'_>, serde_json::Error> {
    let mut prediction: Prediction<'_> = serde_json::from_slice(bytes)?;
    prediction.question_id = match prediction.question_id {
        Cow::Borrowed(id) => Cow::Borrowed(python::strip(id)),
        Cow::Owned(id) => Cow::Owned(python::strip(&id).to_owned()),
    };
    Ok(prediction)
}

/// What is wrong with a document that is not a list.
fn no_list(file: &str, raw: &LocatedValue) -> PredictionError {
    match serde_json::from_slice::<Json>(&raw.bytes) {
        Ok(value) => {
            let (path, reason) = type_errors::document_error(&value);
            PredictionError::Shape { file: file.to_owned(), line: to_usize(raw.line), path, reason }
        }
        Err(error) => no_json(file, raw, &error),
    }
}

fn unreadable(file: &str, error: CaseFileError) -> PredictionError {
    match error {
        CaseFileError::Io { source, .. } => PredictionError::Read(CaseFileError::Io { file: file.to_owned(), source }),
        other => PredictionError::Read(other),
    }
}

fn value_error(file: &str, error: ValueError) -> PredictionError {
    match error {
        ValueError::Lost(problem) => {
            syntax(file, (problem.line.unwrap_or(1), problem.column.unwrap_or(1)), &problem.reason)
        }
        ValueError::Open(error) => unreadable(file, error),
        other => syntax(file, (1, 1), &other.to_string()),
    }
}

fn no_json(file: &str, raw: &LocatedValue, error: &serde_json::Error) -> PredictionError {
    let text = error.to_string();
    // The place in the text is counted from the value.
    let reason = text.split(" at line ").next().unwrap_or_default();
    syntax(file, raw.place_of(error), reason)
}

fn syntax(file: &str, (line, column): (u64, u64), reason: &str) -> PredictionError {
    let reason = reason.to_owned();
    PredictionError::Syntax { file: file.to_owned(), line: to_usize(line), column: to_usize(column), reason }
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    /// The ids in a file with these bytes, or the message without the file's name.
    fn ids(bytes: &[u8]) -> Result<Vec<String>, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let name = file.path().display().to_string();
        let read = PredictionReader::open(&name).and_then(|found| found.map(|each| each.map(|(_, id)| id)).collect());
        read.map_err(|error| error.to_string().replace(&name, "p.json"))
    }

    fn error(text: &str) -> String {
        ids(text.as_bytes()).unwrap_err()
    }

    #[test]
    fn keys_that_are_not_given_are_empty_and_others_are_passed_over() {
        let text = r#"{"question_id": " HIA-01\t", "model": 3, "iterations": [{"docs": 7}, {"answers": ["a\n"]}]}"#;
        let found = parse(text.as_bytes()).unwrap();
        assert_eq!((&*found.question_id, &*found.predicted_answer), ("HIA-01", ""));
        assert_eq!(found.iterations[1].answers[0].as_ref(), "a\n");
        assert!(found.iterations[0].answers.is_empty());
        assert!(ids("\u{feff}[]".as_bytes()).unwrap().is_empty());
    }

    #[test]
    fn remarks_as_in_the_published_sample_are_passed_over() {
        let sample =
            "[\n  {\"question_id\": \"a\", \"retrieved_docs\": [\"https://x.org/y\"]}\n  // … other entries\n]\n";
        assert_eq!(ids(sample.as_bytes()).unwrap(), ["a"]);
        assert!(ids(b"[\n// sample\n]").unwrap().is_empty());
        assert_eq!(error("[\n// sample\n3]"), "p.json:3: [0] is a number; an object is expected");
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
        let good = r#"{"question_id": "a"}"#;
        assert!(error(&format!("[\n{good},\n{{\n\"question_id\": 7}}]")).starts_with("p.json:4: [1].question_id"));
    }

    #[test]
    fn what_is_no_json_is_named_with_its_place() {
        let good = r#"{"question_id": "a"}"#;
        for (text, start) in [
            ("", "p.json:1:1: invalid JSON"),
            ("[\n/ sample\n]", "p.json:2:1: invalid JSON"),
            (&*format!("[{good},\n ]"), "p.json:2:2: invalid JSON"),
            (&*format!("[{good}]\n\n]"), "p.json:3:1: invalid JSON"),
            (&*format!("[{good}"), "p.json:1:"),
            (&*format!("[{good}, {{\"question_id\": \"b\""), "p.json:1:"),
            ("{\"question_id\"", "p.json:1:"),
        ] {
            let message = error(text);
            assert!(message.starts_with(start) && message.contains("invalid JSON"), "{text}: {message}");
        }
        let message = ids(b"[{\"question_id\":\n\"\xff\"}]").unwrap_err();
        assert!(message.starts_with("p.json:2:2: invalid JSON"), "{message}");
    }
}
