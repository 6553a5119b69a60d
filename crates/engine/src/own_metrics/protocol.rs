//! The protocol between the program and a worker that computes a metric: JSON Lines, one message a line, version 1.
//!
//! `hello` → `ready` (or `error`), then `score` → `result` for one case after the other. docs/own-metric.md is its reference. What
//! a worker says is data: every number is finite and in the announced range, every span lies in the text, or the case fails.

use std::borrow::Cow;

use probare_core::{
    Better, Case, ErrorKind, Evidence, EvidenceKind, Field, FieldSpan, LabelOnly, Outcome, Sample, Score, ScoreError,
    ScoreParts, Value,
};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json, json};

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;

/// Most pieces of evidence, and of parts, of one result.
const MOST_PIECES: usize = 1000;
/// Bytes of the longest label.
const LONGEST_LABEL: usize = 200;
/// Bytes of the longest text that evidence without a place, a reason or a summary has.
const LONGEST_WORDS: usize = 4096;

/// The first line to a worker.
pub fn hello(options: &Json) -> String {
    let options = if options.is_null() { &json!({}) } else { options };
    let message =
        json!({"type": "hello", "protocol": PROTOCOL, "probare": env!("CARGO_PKG_VERSION"), "options": options});
    format!("{message}\n")
}

/// The line with a case.
pub fn score_line(number: u64, sample: Sample<'_>) -> Result<String, ScoreError> {
    let message = ScoreMessage { kind: "score", seq: number, case: CaseFields(sample) };
    let mut line = serde_json::to_string(&message)
        .map_err(|error| ScoreError::other(ErrorKind::Failed, format!("the case cannot be written: {error}")))?;
    line.push('\n');
    Ok(line)
}

#[derive(Serialize)]
struct ScoreMessage<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    seq: u64,
    case: CaseFields<'a>,
}

/// A case as workers get it: the fields of a case file, with the output under test as `response`, `model` and `repeat`.
struct CaseFields<'a>(Sample<'a>);

impl Serialize for CaseFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn put<M: SerializeMap, T: Serialize>(map: &mut M, name: &str, value: Option<&T>) -> Result<(), M::Error> {
            value.map_or(Ok(()), |value| map.serialize_entry(name, value))
        }
        let Self(sample) = self;
        let Case {
            id,
            query,
            response: _,
            context,
            reference,
            citations,
            retrieved,
            relevant,
            messages,
            tools,
            tool_calls,
            expected_tool_calls,
            expected_messages,
            turns,
            tags,
            metadata,
            sample: _,
            spent: _,
            own_messages: _,
        } = sample.case;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", id)?;
        put(&mut map, "query", query.as_ref())?;
        if let Some(output) = sample.output() {
            map.serialize_entry("response", &output.text)?;
            put(&mut map, "model", output.model.as_ref())?;
            put(&mut map, "repeat", Some(&output.repeat).filter(|repeat| **repeat > 0))?;
        }
        put(&mut map, "context", context.as_ref())?;
        put(&mut map, "reference", reference.as_ref())?;
        put(&mut map, "citations", citations.as_ref())?;
        put(&mut map, "retrieved", retrieved.as_ref())?;
        put(&mut map, "relevant", relevant.as_ref())?;
        put(&mut map, "messages", messages.as_ref())?;
        put(&mut map, "tools", tools.as_ref())?;
        put(&mut map, "tool_calls", tool_calls.as_ref())?;
        put(&mut map, "expected_tool_calls", expected_tool_calls.as_ref())?;
        put(&mut map, "expected_messages", expected_messages.as_ref())?;
        put(&mut map, "turns", turns.as_ref())?;
        put(&mut map, "tags", Some(tags).filter(|tags| !tags.is_empty()))?;
        put(&mut map, "metadata", Some(metadata).filter(|metadata| !metadata.is_empty()))?;
        map.end()
    }
}

/// What the offsets of spans count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Offsets {
    /// Bytes of UTF-8.
    #[default]
    Bytes,
    /// Characters (code points), as in Python.
    Characters,
    /// Units of UTF-16, as in JavaScript, Java and C#.
    Utf16,
}

/// What a worker says about its metric.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    #[serde(rename = "type")]
    _kind: String,
    /// The version that it speaks.
    pub protocol: u32,
    /// Name of the metric.
    pub name: String,
    /// One line for readers.
    #[serde(default)]
    pub summary: String,
    /// Its page, in Markdown.
    #[serde(default)]
    pub page: String,
    /// Which direction is better.
    #[serde(default = "higher")]
    pub better: Better,
    /// Least and greatest value; `null` for a side without an end.
    #[serde(default = "unit_range")]
    range: (Option<f64>, Option<f64>),
    /// Raised when any score could change.
    #[serde(default = "first")]
    pub version: u32,
    /// Fields a case must have.
    #[serde(default = "response")]
    pub needs: Vec<Field>,
    /// JSON Schema of its options.
    #[serde(default)]
    pub options: Json,
    #[serde(default)]
    offsets: Offsets,
    /// Where its code stands, as `FILE:LINE`.
    #[serde(default)]
    pub location: Option<String>,
}

const fn higher() -> Better {
    Better::Higher
}

const fn unit_range() -> (Option<f64>, Option<f64>) {
    (Some(0.0), Some(1.0))
}

const fn first() -> u32 {
    1
}

fn response() -> Vec<Field> {
    vec![Field::Response]
}

#[derive(Deserialize)]
struct MessageHead {
    #[serde(rename = "type")]
    kind: Option<String>,
    seq: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorMessage {
    #[serde(rename = "type")]
    _kind: String,
    error: String,
    #[serde(default)]
    location: Option<String>,
}

/// A reason with the place in the author's code, where that is known.
fn at_location(reason: &str, location: Option<&str>) -> String {
    location.map_or_else(|| reason.to_owned(), |location| format!("{reason} ({location})"))
}

impl Ready {
    /// Reads the answer to `hello`; else says what is wrong with it.
    pub fn read(line: &[u8]) -> Result<Self, String> {
        let head: MessageHead = serde_json::from_slice(line).map_err(|_| noise(line))?;
        match head.kind.as_deref() {
            Some("ready") => {}
            Some("error") => {
                let told: ErrorMessage =
                    serde_json::from_slice(line).map_err(|error| format!("its `error`: {error}"))?;
                return Err(at_location(&shortened(&told.error), told.location.as_deref()));
            }
            _ => return Err(format!("expected a message of type `ready` or `error`, but {}", noise(line))),
        }
        let ready: Self = serde_json::from_slice(line).map_err(|error| format!("its `ready`: {error}"))?;
        ready.check().map_err(|reason| format!("its `ready`: {reason}"))?;
        Ok(ready)
    }

    fn check(&self) -> Result<(), String> {
        if self.protocol != PROTOCOL {
            return Err(format!("it speaks protocol {}, and this program speaks {PROTOCOL}", self.protocol));
        }
        if self.name.is_empty() || self.name.len() > LONGEST_LABEL || self.name.contains(char::is_control) {
            return Err("`name` is empty, too long or has control characters".to_owned());
        }
        let (low, high) = self.range();
        if low >= high {
            return Err(format!("`range` is {low} to {high}; the least value comes first, and they differ"));
        }
        if self.version == 0 {
            return Err("`version` is 0; versions count from 1".to_owned());
        }
        if self.summary.len() > LONGEST_WORDS || self.summary.contains('\n') {
            return Err("`summary` is more than one line".to_owned());
        }
        if !(self.options.is_null() || self.options.is_object()) {
            return Err("`options` is not a JSON Schema (an object)".to_owned());
        }
        Ok(())
    }

    /// What of the given options is none of those that it announced, or lacks, where its schema lists all of them.
    pub fn check_options(&self, given: &Json) -> Result<(), String> {
        if self.options.get("additionalProperties") != Some(&Json::Bool(false)) {
            return Ok(());
        }
        let known: Vec<&str> = self
            .options
            .get("properties")
            .and_then(Json::as_object)
            .into_iter()
            .flat_map(Map::keys)
            .map(String::as_str)
            .collect();
        let has = |name: &str| given.get(name).is_some();
        if let Some(unknown) =
            given.as_object().into_iter().flat_map(Map::keys).find(|name| !known.contains(&name.as_str()))
        {
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(format!("`{}` has no option `{unknown}`; it has {known}", self.name));
        }
        let needed =
            self.options.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
        match needed.into_iter().find(|name| !has(name)) {
            Some(name) => Err(format!("`{}` needs the option `{name}`", self.name)),
            None => Ok(()),
        }
    }

    /// Least and greatest value.
    pub fn range(&self) -> (f64, f64) {
        (self.range.0.unwrap_or(f64::NEG_INFINITY), self.range.1.unwrap_or(f64::INFINITY))
    }
}

/// A result as a worker writes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultMessage<'a> {
    #[serde(rename = "type", borrow)]
    message: Cow<'a, str>,
    seq: u64,
    #[serde(default, deserialize_with = "number_or_bool")]
    value: Option<f64>,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    parts: Map<String, Json>,
    #[serde(default)]
    evidence: Vec<WorkerEvidence>,
    #[serde(default)]
    not_applicable: Option<String>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default, rename = "kind")]
    error_kind: Option<ErrorKind>,
    #[serde(default)]
    location: Option<String>,
}

/// 1 for yes, 0 for no.
fn number_or_bool<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    match Json::deserialize(deserializer)? {
        Json::Bool(yes) => Ok(Some(f64::from(u8::from(yes)))),
        Json::Number(number) => Ok(number.as_f64()),
        Json::Null => Err(serde::de::Error::custom("`value` is null; leave it out, or write a number")),
        _ => Err(serde::de::Error::custom("`value` is neither a number nor a bool")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkerEvidence {
    kind: EvidenceKind,
    field: Option<Field>,
    index: Option<usize>,
    path: Option<String>,
    start: Option<usize>,
    end: Option<usize>,
    text: Option<String>,
    note: Option<String>,
}

/// Kinds of errors that a worker may give to a case.
const AUTHOR_KINDS: [ErrorKind; 5] =
    [ErrorKind::Failed, ErrorKind::Refused, ErrorKind::Unparseable, ErrorKind::Missing, ErrorKind::TimedOut];

/// What is wrong with the answer of a worker.
#[derive(Debug)]
pub enum AnswerFault {
    /// It is the answer to this case, and no result: the case fails.
    Result(ScoreError),
    /// It is no answer to this case: nothing that follows can be trusted.
    Noise(String),
}

/// The line that asks for what the code of a test, by its number, makes of an output.
pub fn call_line(number: u64, script: u64, output: &Json, context: &Json) -> String {
    let message = json!({"type": "call", "seq": number, "script": script, "output": output, "context": context});
    format!("{message}\n")
}

/// An answer to [`call_line`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReturnMessage {
    #[serde(rename = "type")]
    message: String,
    seq: u64,
    #[serde(default)]
    value: Json,
    #[serde(default)]
    error: Option<String>,
}

/// Reads what code returned.
pub fn read_return(line: &[u8], number: u64) -> Result<Json, AnswerFault> {
    let read: Option<ReturnMessage> = serde_json::from_slice(line).ok();
    match read.filter(|read| read.message == "return" && read.seq == number) {
        None => Err(AnswerFault::Noise(format!("expected a message of type `return`, but {}", noise(line)))),
        Some(ReturnMessage { error: Some(error), .. }) => {
            Err(AnswerFault::Result(ScoreError::other(ErrorKind::Failed, shortened(&error))))
        }
        Some(ReturnMessage { value, .. }) => Ok(value),
    }
}

/// Reads the answer to a case.
pub fn read_result(line: &[u8], number: u64, ready: &Ready, sample: Sample<'_>) -> Result<Outcome, AnswerFault> {
    let failed = |reason: String| {
        let told = at_location(&reason, ready.location.as_deref());
        AnswerFault::Result(ScoreError::other(ErrorKind::Failed, format!("`{}`: {told}", ready.name)))
    };
    let message: ResultMessage<'_> = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(error) => {
            let head: Option<MessageHead> = serde_json::from_slice(line).ok();
            let is_answer = head.is_some_and(|head| head.kind.as_deref() == Some("result") && head.seq == Some(number));
            return Err(if is_answer {
                failed(format!("its result: {}", without_place(&error)))
            } else {
                AnswerFault::Noise(noise(line))
            });
        }
    };
    if message.message != "result" {
        return Err(AnswerFault::Noise(format!("expected a message of type `result`, but {}", noise(line))));
    }
    if message.seq != number {
        let reason = format!("answered number {} when it was asked number {number}", message.seq);
        return Err(AnswerFault::Noise(reason));
    }
    outcome(message, ready, sample).map_err(|fault| match fault {
        ResultFault::Reason(reason) => failed(reason),
        ResultFault::Author { kind, reason } => AnswerFault::Result(ScoreError::other(kind, reason)),
    })
}

enum ResultFault {
    /// What is wrong with the result.
    Reason(String),
    /// What the author's code says went wrong.
    Author { kind: ErrorKind, reason: String },
}

impl From<String> for ResultFault {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}

fn outcome(message: ResultMessage<'_>, ready: &Ready, sample: Sample<'_>) -> Result<Outcome, ResultFault> {
    let ResultMessage { value, label, parts, evidence, not_applicable, error, error_kind, location, .. } = message;
    if let (None, None, None, Some(error)) = (value, &label, &not_applicable, &error) {
        let kind = error_kind.unwrap_or(ErrorKind::Failed);
        if !AUTHOR_KINDS.contains(&kind) {
            return Err(format!("`kind` is `{}`, which the program alone says of a case", kind.name()).into());
        }
        let place = location.as_deref().or(ready.location.as_deref());
        let reason = format!("`{}`: {}", ready.name, at_location(&shortened(error), place));
        return Err(ResultFault::Author { kind, reason });
    }
    if let (None, None, Some(reason), None) = (value, &label, &not_applicable, &error) {
        return Ok(Outcome::not_applicable(shortened(reason)));
    }
    if not_applicable.is_some() || error.is_some() || (value.is_none() && label.is_none()) {
        let expected = "a result has `value` or `label` or both, or `not_applicable`, or `error`";
        return Err(expected.to_owned().into());
    }
    if label.as_ref().is_some_and(|label| label.trim().is_empty() || label.len() > LONGEST_LABEL) {
        return Err(format!("`label` is empty or longer than {LONGEST_LABEL} bytes").into());
    }
    if parts.len() > MOST_PIECES || evidence.len() > MOST_PIECES {
        return Err(format!("more than {MOST_PIECES} parts or pieces of evidence").into());
    }
    let mut kept = ScoreParts::EMPTY;
    for (name, part) in parts {
        let number = part.as_f64().ok_or_else(|| format!("the part `{name}` is not a number"))?;
        kept.push(name, Value::new(number).map_err(|error| error.to_string())?);
    }
    let mut pieces = Vec::with_capacity(evidence.len());
    for (at, piece) in evidence.into_iter().enumerate() {
        let read = piece.into_evidence(ready.offsets, sample);
        pieces.push(read.map_err(|reason| format!("evidence {}: {reason}", at + 1))?);
    }
    let label = label.map(Cow::Owned);
    match (value, label) {
        (None, label) => {
            let label = label.unwrap_or_default();
            if ErrorKind::from_name(&label).is_some() || label == "not_applicable" {
                return Err(format!(
                    "the label `{label}` is the name of an outcome without a score; choose another word"
                )
                .into());
            }
            Ok(Outcome::Labelled(LabelOnly { label, by: None, parts: kept, evidence: pieces }))
        }
        (Some(number), label) => {
            let (low, high) = ready.range();
            if !(low..=high).contains(&number) {
                return Err(format!("the value {number} is outside of the announced range, {low} to {high}").into());
            }
            let value = Value::new(number).map_err(|error| error.to_string())?;
            Ok(Score { value, label, by: None, parts: kept, evidence: pieces }.into())
        }
    }
}

impl WorkerEvidence {
    fn into_evidence(self, offsets: Offsets, sample: Sample<'_>) -> Result<Evidence, String> {
        let Self { kind, field, index, path, start, end, text, note } = self;
        if [&text, &note].into_iter().flatten().any(|words| words.len() > LONGEST_WORDS) {
            return Err(format!("`text` or `note` is longer than {LONGEST_WORDS} bytes"));
        }
        let mut evidence = match (field, start, end) {
            (Some(field), Some(start), Some(end)) => {
                let place = FieldSpan { field, index, path, start: 0, end: 0 };
                let whole = match (field, sample.output()) {
                    (Field::Response, Some(output)) => Some(Cow::Borrowed(output.text.as_str())),
                    _ => sample.case.text_at(&place),
                };
                let shown = index.map(|index| format!("[{index}]")).unwrap_or_default();
                let whole = whole.ok_or_else(|| format!("the case has no text `{field}{shown}`"))?;
                let span = (byte_offset(&whole, start, offsets), byte_offset(&whole, end, offsets));
                let (Some(from), Some(to)) = span else {
                    return Err(format!("`{field}{shown}` from {start} to {end} is not a range of its text"));
                };
                if from > to {
                    return Err(format!("`{field}{shown}` ends at {end}, before it starts at {start}"));
                }
                let words = &whole[from..to];
                if text.is_some_and(|text| text != words) {
                    return Err(format!("`text` is not what stands in `{field}{shown}` from {start} to {end}"));
                }
                let mut made = Evidence::at(kind, field, from..to, &whole);
                if let Some(span) = &mut made.place {
                    (span.index, span.path) = (place.index, place.path);
                }
                made
            }
            (None, None, None) if index.is_none() && path.is_none() => {
                let mut made = Evidence::note(text.ok_or("it has neither a place nor a `text`")?);
                made.kind = kind;
                made
            }
            _ => return Err("a place is `field`, `start` and `end` together".to_owned()),
        };
        evidence.note = note.map(Cow::Owned);
        Ok(evidence)
    }
}

/// The byte at which an offset stands; nothing outside of the text or inside a character.
fn byte_offset(text: &str, offset: usize, offsets: Offsets) -> Option<usize> {
    if offsets == Offsets::Bytes || text.is_ascii() {
        return text.is_char_boundary(offset).then_some(offset);
    }
    let mut left = offset;
    for (at, character) in text.char_indices() {
        if left == 0 {
            return Some(at);
        }
        let width = if offsets == Offsets::Utf16 { character.len_utf16() } else { 1 };
        left = left.checked_sub(width)?;
    }
    (left == 0).then_some(text.len())
}

/// What serde says, without the place in a line that nobody sees.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

/// A line that is no message.
fn noise(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    format!("it wrote to standard output what is no message of the protocol: {:?}", excerpt(text.trim(), 100))
}

fn excerpt(text: &str, most: usize) -> String {
    let end = text.floor_char_boundary(most);
    if end < text.len() { format!("{}…", &text[..end]) } else { text.to_owned() }
}

fn shortened(text: &str) -> String {
    excerpt(text, LONGEST_WORDS)
}

#[cfg(test)]
mod tests {
    use probare_core::{Output, Passage};

    use super::*;

    fn ready(extra: &str) -> Ready {
        let line = format!(r#"{{"type":"ready","protocol":1,"name":"m","location":"m.py:3"{extra}}}"#);
        Ready::read(line.as_bytes()).unwrap()
    }

    fn case() -> Case {
        Case {
            id: "a".to_owned(),
            response: Some(Output { model: Some("x".into()), ..Output::new("Größe 😀 zählt") }),
            context: Some(vec![Passage::from("eins"), Passage::from("zwei")]),
            ..Case::default()
        }
    }

    fn read(result: &str, ready: &Ready) -> Result<Outcome, String> {
        let case = case();
        let line = format!(r#"{{"type":"result","seq":4{result}}}"#);
        read_result(line.as_bytes(), 4, ready, Sample::from_case(&case)).map_err(|fault| match fault {
            AnswerFault::Result(error) => error.to_string(),
            AnswerFault::Noise(reason) => format!("noise: {reason}"),
        })
    }

    #[test]
    fn a_case_is_written_with_its_output_as_text() {
        let case = case();
        let line = score_line(7, Sample::from_case(&case)).unwrap();
        assert_eq!(
            line,
            "{\"type\":\"score\",\"seq\":7,\"case\":{\"id\":\"a\",\"response\":\"Größe 😀 zählt\",\"model\":\"x\",\"context\":[{\"text\":\"eins\"},{\"text\":\"zwei\"}]}}\n"
        );
    }

    #[test]
    fn every_form_of_a_result_is_read() {
        let ready = ready("");
        let value = |text: &str| read(text, &ready).unwrap().score().unwrap().value.get();
        assert_eq!((value(r#","value":0.25"#), value(r#","value":true"#)), (0.25, 1.0));
        assert_eq!(read(r#","label":"formal""#, &ready).unwrap().label(), Some("formal"));
        let full = read(r#","value":1,"label":"good","parts":{"a":2}"#, &ready).unwrap();
        assert_eq!((full.label(), full.parts().get("a")), (Some("good"), Some(2.0)));
        assert_eq!(read(r#","not_applicable":"no question""#, &ready).unwrap(), Outcome::not_applicable("no question"));
        let error = read(r#","error":"ValueError: x","location":"m.py:9""#, &ready).unwrap_err();
        assert_eq!(error, "`m`: ValueError: x (m.py:9)");
    }

    #[test]
    fn what_is_wrong_with_a_result_is_told_with_the_place_of_its_code() {
        let ready = ready("");
        for (result, reason) in [
            ("", "a result has `value` or `label` or both"),
            (r#","value":null"#, "`value` is null"),
            (r#","value":"0.5""#, "neither a number nor a bool"),
            (r#","value":1.5"#, "the value 1.5 is outside of the announced range, 0 to 1"),
            (r#","value":1e999"#, "number out of range"),
            (r#","score":1"#, "unknown field `score`"),
            (r#","value":1,"error":"x""#, "a result has `value`"),
            (r#","error":"x","kind":"cancelled""#, "`kind` is `cancelled`"),
            (r#","label":"""#, "`label` is empty"),
            (r#","label":"failed""#, "choose another word"),
            (r#","value":1,"parts":{"a":"b"}"#, "the part `a` is not a number"),
            (r#","value":1,"evidence":[{"kind":"matched"}]"#, "evidence 1: it has neither a place nor a `text`"),
            (
                r#","value":1,"evidence":[{"kind":"matched","field":"query","start":0,"end":1}]"#,
                "the case has no text `query`",
            ),
            (
                r#","value":1,"evidence":[{"kind":"matched","field":"context","index":2,"start":0,"end":1}]"#,
                "no text `context[2]`",
            ),
            (
                r#","value":1,"evidence":[{"kind":"matched","field":"response","start":0,"end":99}]"#,
                "is not a range of its text",
            ),
            (
                r#","value":1,"evidence":[{"kind":"matched","field":"response","start":3,"end":4}]"#,
                "is not a range of its text",
            ),
            (r#","value":1,"evidence":[{"kind":"matched","field":"response","start":2,"end":1}]"#, "before it starts"),
            (
                r#","value":1,"evidence":[{"kind":"matched","field":"response","start":0,"end":1,"text":"x"}]"#,
                "`text` is not what",
            ),
            (
                r#","value":1,"evidence":[{"kind":"matched","field":"response","start":0}]"#,
                "`field`, `start` and `end` together",
            ),
            (r#","value":1,"evidence":[{"kind":"seen","text":"x"}]"#, "unknown variant `seen`"),
        ] {
            let error = read(result, &ready).unwrap_err();
            assert!(error.contains(reason) && error.ends_with("(m.py:3)"), "{result}: {error}");
        }
    }

    #[test]
    fn what_is_no_answer_to_this_case_is_noise() {
        let (ready, case) = (ready(""), case());
        for line in
            ["hello", "{}", r#"{"type":"result","seq":3,"value":1}"#, r#"{"type":"ready","seq":4}"#, "[1]", "\u{0}"]
        {
            let fault = read_result(line.as_bytes(), 4, &ready, Sample::from_case(&case)).unwrap_err();
            assert!(matches!(fault, AnswerFault::Noise(_)), "{line}: {fault:?}");
        }
    }

    #[test]
    fn spans_count_what_the_worker_says() {
        let place = |extra: &str, start: usize, end: usize| {
            let result = format!(
                r#","value":1,"evidence":[{{"kind":"matched","field":"response","start":{start},"end":{end}}}]"#
            );
            let told = read(&result, &ready(extra))?;
            Ok::<_, String>(told.evidence()[0].text.clone())
        };
        assert_eq!(place("", 13, 19).unwrap(), "zählt");
        assert_eq!(place(r#","offsets":"characters""#, 8, 13).unwrap(), "zählt");
        assert_eq!(place(r#","offsets":"utf16""#, 9, 14).unwrap(), "zählt");
        assert_eq!(place(r#","offsets":"characters""#, 6, 7).unwrap(), "😀");
        assert!(place(r#","offsets":"utf16""#, 6, 7).is_err(), "half a character");
        let item = read(
            r#","value":1,"evidence":[{"kind":"matched","field":"context","index":1,"start":0,"end":2,"note":"n"}]"#,
            &ready(""),
        )
        .unwrap();
        let piece = &item.evidence()[0];
        assert_eq!((piece.text.as_str(), piece.note.as_deref()), ("zw", Some("n")));
        assert_eq!(piece.place.as_ref().unwrap().index, Some(1));
    }

    #[test]
    fn an_announcement_that_cannot_be_used_is_refused_in_words() {
        let refused = |line: &str| Ready::read(line.as_bytes()).unwrap_err();
        for (line, reason) in [
            ("starting up", "no message of the protocol: \"starting up\""),
            (r#"{"type":"error","error":"no such word list","location":"c.mjs:4"}"#, "no such word list (c.mjs:4)"),
            (r#"{"type":"ready","protocol":2,"name":"m"}"#, "it speaks protocol 2, and this program speaks 1"),
            (r#"{"type":"ready","protocol":1}"#, "missing field `name`"),
            (r#"{"type":"ready","protocol":1,"name":"m","range":[1,0]}"#, "`range` is 1 to 0"),
            (r#"{"type":"ready","protocol":1,"name":"m","better":"more"}"#, "unknown variant `more`"),
            (r#"{"type":"ready","protocol":1,"name":"m","version":0}"#, "versions count from 1"),
            (r#"{"type":"ready","protocol":1,"name":"m","needs":["answer"]}"#, "unknown variant `answer`"),
            (r#"{"type":"ready","protocol":1,"name":"m","color":1}"#, "unknown field `color`"),
        ] {
            let told = refused(line);
            assert!(told.contains(reason), "{line}: {told}");
        }
        assert_eq!(ready(r#","range":[null,0]"#).range(), (f64::NEG_INFINITY, 0.0));
    }

    #[test]
    fn options_are_those_that_were_announced_where_all_of_them_were() {
        let closed = ready(
            r#","options":{"properties":{"words":{},"limit":{}},"required":["limit"],"additionalProperties":false}"#,
        );
        assert_eq!(closed.check_options(&json!({"limit": 1})), Ok(()));
        let unknown = closed.check_options(&json!({"limit": 1, "wrods": []})).unwrap_err();
        assert_eq!(unknown, "`m` has no option `wrods`; it has words, limit");
        assert_eq!(closed.check_options(&Json::Null).unwrap_err(), "`m` needs the option `limit`");
        assert_eq!(ready("").check_options(&json!({"anything": 1})), Ok(()));
        assert_eq!(ready(r#","options":{"properties":{}}"#).check_options(&json!({"anything": 1})), Ok(()));
    }
}
