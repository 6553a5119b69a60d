//! The two JSON values that are compared: the answer, or what stands at a path of the case, and what was expected.

use std::borrow::Cow;

use probare_core::{Evidence, EvidenceKind, Field, FieldSpan, Outcome, Sample, Score, ScoreError, json_to_text};
use serde_json::Value as Json;

use super::equality::value_excerpt;
use super::{FieldLocation, Trace};

/// The options of a metric that holds one JSON value against another, after those of its own.
macro_rules! two_values {
    ($(#[$about:meta])* $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            $($own)*
            /// JSON Pointer to the value in place of the response: `/metadata/…`, `/tool_calls/0/arguments/…`.
            pub at_path: Option<String>,
            /// The expected value in place of the reference.
            pub expected: Option<Json>,
        }
    };
}
pub(in super::super) use two_values;

/// A value that came, with its place.
#[derive(Debug)]
pub(in super::super) struct JsonAnswer<'a> {
    /// The value; a text that is not JSON is that text.
    pub value: Cow<'a, Json>,
    place: Option<FieldSpan>,
    text: Cow<'a, str>,
}

impl JsonAnswer<'_> {
    /// Evidence at the whole of it.
    pub fn evidence(&self, kind: EvidenceKind) -> Evidence {
        let mut evidence = Evidence::at(kind, Field::Response, 0..self.text.len(), &self.text);
        evidence.place.clone_from(&self.place);
        evidence
    }
}

/// The response read as JSON, or the value at a JSON Pointer into the case: `/metadata/…`, `/tool_calls/0/arguments/…`, where
/// calls are counted over all messages. The outcome where the case has nothing there.
pub(in super::super) fn json_answer<'a>(
    sample: Sample<'a>,
    at: Option<&str>,
) -> Result<Result<JsonAnswer<'a>, Outcome>, ScoreError> {
    let Some(at) = at else {
        let text = sample.response()?;
        let parsed: Option<Json> = serde_json::from_str(text).ok();
        return Ok(Ok(JsonAnswer {
            value: Cow::Owned(parsed.unwrap_or_else(|| Json::from(text))),
            place: Some(FieldSpan::new(Field::Response, 0..text.len())),
            text: Cow::Borrowed(text),
        }));
    };
    let found = at.strip_prefix("/metadata").map_or_else(
        || argument_answer(sample, at),
        |path| {
            let value = sample.case.metadata_at(path)?;
            let text = json_to_text(value);
            // Evidence in the metadata points into texts alone.
            let place = value.is_string().then(|| FieldSpan::in_metadata(path, 0..text.len()));
            Some(JsonAnswer { value: Cow::Borrowed(value), place, text })
        },
    );
    Ok(found.ok_or_else(|| Outcome::not_applicable(format!("the case has nothing at `{at}`"))))
}

fn argument_answer<'a>(sample: Sample<'a>, at: &str) -> Option<JsonAnswer<'a>> {
    let (number, path) = at.strip_prefix("/tool_calls/")?.split_once('/')?;
    let trace = Trace::from_case(sample.case)?;
    let made = trace.calls.get(number.parse::<usize>().ok()?)?;
    let path = path.strip_prefix("arguments").filter(|path| path.is_empty() || path.starts_with('/'))?;
    let call = made.call;
    let spot: &FieldLocation = &made.location;
    let (value, text) = if path.is_empty() {
        let whole = Json::Object(call.arguments.clone()?);
        let text = whole.to_string();
        (Cow::Owned(whole), Cow::Owned(text))
    } else {
        let key_end = path[1..].find('/').map_or(path.len(), |at| at + 1);
        let key = path[1..key_end].replace("~1", "/").replace("~0", "~");
        let value = call.arguments.as_ref()?.get(&key)?.pointer(&path[key_end..])?;
        (Cow::Borrowed(value), json_to_text(value))
    };
    let place = Some(spot.place(&format!("/arguments{path}"), &text));
    Some(JsonAnswer { value, place, text })
}

/// What was expected: the option, else the references, each read as JSON where it is.
pub(in super::super) fn expected_values(sample: Sample<'_>, option: Option<&Json>) -> Result<Vec<Json>, Outcome> {
    if let Some(value) = option {
        return Ok(vec![value.clone()]);
    }
    match &sample.case.reference {
        Some(list) if !list.is_empty() => Ok(list
            .iter()
            .map(|text| serde_json::from_str(text).unwrap_or_else(|_| Json::from(text.as_str())))
            .collect()),
        _ => Err(Outcome::not_applicable("there is neither a `reference` nor the option `expected`")),
    }
}

/// The likeness of the answer to the expected value that it is most like, with what it was held against. The outcome where nothing is
/// there to be compared.
pub(in super::super) fn score_best_expected(
    sample: Sample<'_>,
    at_path: Option<&str>,
    expected: Option<&Json>,
    likeness: impl Fn(&Json, &Json) -> Result<f64, ScoreError>,
) -> Result<Outcome, ScoreError> {
    let answer = match json_answer(sample, at_path)? {
        Ok(answer) => answer,
        Err(outcome) => return Ok(outcome),
    };
    let expected = match expected_values(sample, expected) {
        Ok(values) => values,
        Err(outcome) => return Ok(outcome),
    };
    let mut best: Option<(f64, &Json)> = None;
    for value in &expected {
        let likeness = likeness(&answer.value, value)?;
        if best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, value));
        }
    }
    let Some((likeness, value)) = best else { return Ok(Outcome::not_applicable("nothing is expected")) };
    let note = format!("expected {}", value_excerpt(value));
    Ok(Score::from_number(likeness)?.because([answer.evidence(EvidenceKind::Compared).with_note(note)]).into())
}
