//! One prediction after the other, from a text or from a file of any length.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use probare_text::python;
use serde_json::{Deserializer, Value as Json};

use super::misfit::{self, Misfit};
use super::{Prediction, PredictionError, usual};

/// Bytes that are read from a file at a time. A prediction may be longer.
const PORTION: usize = 256 * 1024;

/// What some programs write before a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Bytes of the longest character.
const LONGEST_CHARACTER: usize = 4;

/// The bytes of a file of predictions, for [`parse`].
pub fn read(path: &Path) -> Result<Vec<u8>, PredictionError> {
    std::fs::read(path).map_err(|source| unreadable(path, source))
}

/// The predictions in `bytes`; `file` is what messages call it. Question ids come trimmed.
pub fn parse<'a>(bytes: &'a [u8], file: &str) -> Result<Vec<Prediction<'a>>, PredictionError> {
    let mut predictions = Vec::new();
    let mut reading = Reading::new(file);
    let (text, rest) = text_and_rest(bytes);
    let mut at = 0;
    loop {
        let (step, length) = reading.next(&text[at..], rest.is_empty())?;
        at += length;
        match step {
            Step::Prediction(prediction) => predictions.push(prediction),
            Step::End => return Ok(predictions),
            Step::MoreText => return Err(reading.no_text(&text[at..])),
        }
    }
}

/// Calls `take` with every prediction of a file, in order. What was taken before an error is of no use.
///
/// Memory does not depend on the length of the file, only on that of its longest prediction.
pub fn for_each(path: &Path, mut take: impl FnMut(&Prediction<'_>)) -> Result<(), PredictionError> {
    let mut file = File::open(path).map_err(|source| unreadable(path, source))?;
    let name = path.display().to_string();
    let mut reading = Reading::new(&name);
    let mut window = Window::default();
    loop {
        window.extend(&mut file).map_err(|source| unreadable(path, source))?;
        let (text, rest) = text_and_rest(window.bytes());
        let is_last = window.is_last && rest.is_empty();
        let mut at = 0;
        loop {
            let (step, length) = reading.next(&text[at..], is_last)?;
            at += length;
            match step {
                Step::Prediction(prediction) => take(&prediction),
                Step::End => return Ok(()),
                Step::MoreText => break,
            }
        }
        if window.is_last || rest.len() >= LONGEST_CHARACTER {
            return Err(reading.no_text(&text[at..]));
        }
        window.start += at;
    }
}

/// The text at the head of `bytes`, and the rest: a character that is not complete, or what is no text.
fn text_and_rest(bytes: &[u8]) -> (&str, &[u8]) {
    let end = match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => return (text, &[]),
        Err(error) => error.valid_up_to(),
    };
    let (text, rest) = bytes.split_at(end);
    (simdutf8::basic::from_utf8(text).unwrap_or_default(), rest)
}

fn unreadable(path: &Path, source: io::Error) -> PredictionError {
    PredictionError::Io { file: path.display().to_string(), source }
}

/// The stretch of a file that is being read.
#[derive(Default)]
struct Window {
    room: Vec<u8>,
    start: usize,
    end: usize,
    /// Whether the file ends with it.
    is_last: bool,
}

impl Window {
    fn bytes(&self) -> &[u8] {
        &self.room[self.start..self.end]
    }

    /// Forgets what lies before it, and reads on.
    fn extend(&mut self, file: &mut File) -> io::Result<()> {
        self.room.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        // Twice the room for a prediction that does not fit, so that it is tried a few times only.
        self.room.resize(PORTION.max(self.room.len()).max(2 * self.end), 0);
        let length = loop {
            match file.read(&mut self.room[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        self.end += length;
        self.is_last = length == 0;
        Ok(())
    }
}

/// What comes next in a document.
enum Step<'a> {
    Prediction(Prediction<'a>),
    /// The document is complete.
    End,
    /// The text ends in the middle of something, and it is not the last.
    MoreText,
}

/// Where in the document the next text stands.
enum Place {
    /// Before the list.
    Start,
    /// Before a prediction, or before the end of an empty list.
    First,
    /// Before a comma or the end of the list.
    Behind,
    /// Before a prediction, after a comma.
    Next,
    /// Behind the list.
    Done,
}

/// How far the reading of a document has come.
struct Reading<'f> {
    file: &'f str,
    place: Place,
    /// Predictions so far.
    count: usize,
    /// Line of the next text, counted from 0.
    line: usize,
    /// Bytes of that line before it.
    column: usize,
}

impl<'f> Reading<'f> {
    fn new(file: &'f str) -> Self {
        Self { file, place: Place::Start, count: 0, line: 0, column: 0 }
    }

    /// The next step, and how many bytes of the text it has used; `is_last` where no other text follows.
    fn next<'a>(&mut self, text: &'a str, is_last: bool) -> Result<(Step<'a>, usize), PredictionError> {
        let mut at = 0;
        loop {
            let rest = text[at..].trim_start_matches([' ', '\t', '\n', '\r']);
            self.pass(&text[at..text.len() - rest.len()]);
            at = text.len() - rest.len();
            let Some(first) = rest.bytes().next() else {
                return match self.place {
                    Place::Done if is_last => Ok((Step::End, at)),
                    _ if is_last => Err(self.syntax("the document ends too early")),
                    _ => Ok((Step::MoreText, at)),
                };
            };
            let (place, length) = match (&self.place, first) {
                (Place::Start, 0xef) if (self.line, self.column) == (0, 0) && rest.starts_with(BYTE_ORDER_MARK) => {
                    (Place::Start, BYTE_ORDER_MARK.len_utf8())
                }
                (Place::Start, b'[') => (Place::First, 1),
                (Place::First | Place::Behind, b']') => (Place::Done, 1),
                (Place::Behind, b',') => (Place::Next, 1),
                (Place::Start, _) if is_last => return Err(self.no_list(rest)),
                (Place::Start, _) => return Ok((Step::MoreText, at)),
                (Place::Behind, _) => return Err(self.syntax("expected `,` or `]`")),
                (Place::Next, b']') => return Err(self.syntax("trailing comma")),
                (Place::Done, _) => return Err(self.syntax("trailing characters")),
                (Place::First | Place::Next, _) => {
                    let (step, length) = self.prediction(rest, is_last)?;
                    return Ok((step, at + length));
                }
            };
            self.place = place;
            self.pass(&rest[..length]);
            at += length;
        }
    }

    /// The prediction at the head of `rest`.
    fn prediction<'a>(&mut self, rest: &'a str, is_last: bool) -> Result<(Step<'a>, usize), PredictionError> {
        if let Some((prediction, length)) = usual::prediction(rest) {
            return Ok(self.taken(prediction, &rest[..length]));
        }
        let mut values = Deserializer::from_str(rest).into_iter();
        match values.next() {
            Some(Ok(prediction)) => Ok(self.taken(prediction, &rest[..values.byte_offset()])),
            Some(Err(error)) if is_last || !error.is_eof() => self.explained(rest, is_last, &error),
            _ => Ok((Step::MoreText, 0)),
        }
    }

    /// The step past a prediction that was read from `text`.
    fn taken<'a>(&mut self, mut prediction: Prediction<'a>, text: &str) -> (Step<'a>, usize) {
        self.pass(text);
        self.place = Place::Behind;
        self.count += 1;
        prediction.question_id = match prediction.question_id {
            Cow::Borrowed(id) => Cow::Borrowed(python::strip(id)),
            Cow::Owned(id) => Cow::Owned(python::strip(&id).to_owned()),
        };
        (Step::Prediction(prediction), text.len())
    }

    /// Looks again, more slowly, for what the reader did not like in a prediction. It may lie beyond the text.
    fn explained<'a>(
        &self,
        rest: &str,
        is_last: bool,
        error: &serde_json::Error,
    ) -> Result<(Step<'a>, usize), PredictionError> {
        match Deserializer::from_str(rest).into_iter::<Json>().next() {
            Some(Ok(value)) => Err(match misfit::of_prediction(self.count, &value) {
                Some(misfit) => self.shape(misfit, error.line()),
                None => self.no_json(error),
            }),
            Some(Err(error)) if is_last || !error.is_eof() => Err(self.no_json(&error)),
            _ => Ok((Step::MoreText, 0)),
        }
    }

    /// What is wrong with a document that begins with something else than a list.
    fn no_list(&self, document: &str) -> PredictionError {
        match serde_json::from_str::<Json>(document) {
            Ok(value) => self.shape(misfit::of_document(&value), 1),
            Err(error) => self.no_json(&error),
        }
    }

    /// `line` is counted from the text that comes next.
    fn shape(&self, (path, reason): Misfit, line: usize) -> PredictionError {
        PredictionError::Shape { file: self.file.to_owned(), line: self.line + line, path, reason }
    }

    fn no_json(&self, error: &serde_json::Error) -> PredictionError {
        let text = error.to_string();
        // The place in the text is counted from the text that comes next.
        let reason = text.split(" at line ").next().unwrap_or_default();
        let column = if error.line() > 1 { error.column() } else { self.column + error.column() };
        // The reader counts the end of a text that ends with a line break as column 0 of the next line.
        self.syntax_at(self.line + error.line(), column.max(1), reason)
    }

    /// What is wrong where a text is followed by bytes that are none.
    fn no_text(&mut self, text: &str) -> PredictionError {
        self.pass(text);
        self.syntax("what follows is not UTF-8")
    }

    fn syntax(&self, reason: &str) -> PredictionError {
        self.syntax_at(self.line + 1, self.column + 1, reason)
    }

    fn syntax_at(&self, line: usize, column: usize, reason: &str) -> PredictionError {
        PredictionError::Syntax { file: self.file.to_owned(), line, column, reason: reason.to_owned() }
    }

    /// Counts lines and columns past this text.
    fn pass(&mut self, text: &str) {
        let bytes = text.as_bytes();
        match memchr::memrchr(b'\n', bytes) {
            Some(last) => {
                self.line += memchr::memchr_iter(b'\n', bytes).count();
                self.column = bytes.len() - last - 1;
            }
            None => self.column += bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

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

    #[test]
    fn what_stands_between_predictions_is_checked() {
        let good = r#"{"question_id": "a"}"#;
        assert_eq!(error(&format!("[{good} {good}]")), "p.json:1:23: no valid JSON: expected `,` or `]`");
        assert_eq!(error(&format!("[{good},\n ]")), "p.json:2:2: no valid JSON: trailing comma");
        assert_eq!(error(&format!("[{good}]\n\n]")), "p.json:3:1: no valid JSON: trailing characters");
        assert_eq!(error(&format!("[{good}")), "p.json:1:22: no valid JSON: the document ends too early");
        assert!(error(&format!("[{good}, {{\"question_id\": \"b\"")).contains("EOF"));
        assert!(error(&format!("[\n{good},\n{{\n\"question_id\": 7}}]")).starts_with("p.json:4: [1].question_id"));
        assert!(error("{\"question_id\"").contains("no valid JSON"));
    }

    /// What [`for_each`] makes of a file with these bytes: the answers, or the message without the file's name.
    fn answers(bytes: &[u8]) -> Result<Vec<String>, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let mut answers = Vec::new();
        for_each(file.path(), |prediction| answers.push(prediction.predicted_answer.to_string()))
            .map_err(|error| error.to_string().replace(&file.path().display().to_string(), "p.json"))?;
        Ok(answers)
    }

    #[test]
    fn a_file_is_read_as_its_text_is_wherever_it_is_cut() {
        // Predictions of all lengths around the portions, and one that is longer than a portion.
        let mut document = "\u{feff}[".to_owned();
        for number in 0..40 {
            let length = if number == 20 { 3 * PORTION } else { number * 997 };
            let answer = "é\\n x".repeat(length / 6);
            let comma = if number == 0 { "" } else { " ,\r\n" };
            document.push_str(&format!("{comma}{{\"question_id\":\"{number}\",\"predicted_answer\":\"{answer}\"}}"));
        }
        let whole = document.clone() + " ]\n ";
        let expected: Vec<String> =
            parse(whole.as_bytes(), "p.json").unwrap().into_iter().map(|found| found.predicted_answer.into()).collect();
        assert_eq!(expected.len(), 40);
        assert_eq!(answers(whole.as_bytes()).unwrap(), expected);
        for end in ["", ",", ", {\"question_id\": 3}]", "x", "]]", ", {\"question_id\": \"a", ", [\"a\"]]"] {
            let broken = document.clone() + end;
            assert_eq!(answers(broken.as_bytes()).unwrap_err(), error(&broken), "{end}");
        }
        assert_eq!(answers(b"").unwrap_err(), error(""));
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error_with_their_place() {
        for (bytes, place) in [
            (b"[{\"question_id\":\n\"\xff\"}]".as_slice(), "2:2"),
            (b"[{\"question_id\": \"a\"}]\xe2\x80", "1:23"),
            (b"\xef\xbb", "1:1"),
        ] {
            let message = format!("p.json:{place}: no valid JSON: what follows is not UTF-8");
            assert_eq!(parse(bytes, "p.json").unwrap_err().to_string(), message);
            assert_eq!(answers(bytes).unwrap_err(), message);
        }
    }
}
