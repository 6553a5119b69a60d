//! What a judge's reply holds: the list or the object in it, read with patience.
//!
//! The original repairs the text and then evaluates it as Python, so a bare `true`, `false` or `null` anywhere in it voids the
//! whole reply. Here nothing is evaluated; the rule is kept where it is asked for.

use probare_core::{BackendAnswer, Profile, ReplyContent, ScoreError};
use probare_text::loose_json::{ParsedJson, find_values};
use serde_json::Value as Json;

/// The part of a score that counts replies of graders which came and could not be read; absent where all could.
pub const UNREADABLE: &str = "unreadable_replies";

/// The words of a reply that came; an error where none did, in every profile: an outage is no verdict. The published scorers
/// know no refusal, so theirs is a reply whose words cannot be read; the improved definition takes it for what it is.
pub fn reply_text(answer: &BackendAnswer, profile: Profile) -> Result<&str, ScoreError> {
    let reply = answer.reply()?;
    match &reply.content {
        ReplyContent::Refused(words) if profile == Profile::Published => Ok(words),
        _ => reply.response_text(),
    }
}

/// How a reply is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplyParseOptions {
    /// Bare `true`, `false` and `null` are constants, and void nothing.
    pub accepts_constants: bool,
    /// Of several lists the last one with objects in it counts, instead of everything between the first and the last
    /// bracket.
    pub takes_last: bool,
}

/// The list in a reply; nothing where it cannot be read.
pub fn reply_list(reply: &str, reading: ReplyParseOptions) -> Option<Vec<Json>> {
    let value = if reading.takes_last {
        let is_list = |found: &ParsedJson| match &found.value {
            Json::Array(items) => items.iter().any(Json::is_object),
            Json::Object(map) => map.values().any(Json::is_array),
            _ => false,
        };
        find_values(reply).into_iter().rfind(is_list).map(|found| found.value)?
    } else {
        value_between(reply, '[', ']')?
    };
    let value = accept_value(value, reading)?;
    match value {
        Json::Array(items) => Some(items),
        // A list inside an object.
        Json::Object(map) if reading.takes_last => map.into_iter().find_map(|(_, value)| match value {
            Json::Array(items) => Some(items),
            _ => None,
        }),
        _ => None,
    }
}

/// The object in a reply; nothing where it cannot be read. Of several the last one counts.
pub fn reply_object(reply: &str, reading: ReplyParseOptions) -> Option<serde_json::Map<String, Json>> {
    let start = reply.find('{')?;
    let end = reply.rfind('}').filter(|end| *end > start)?;
    let value = find_values(&reply[start..=end]).pop()?.value;
    match accept_value(value, reading)? {
        Json::Object(map) => Some(map),
        _ => None,
    }
}

/// What stands between the first opening and the last closing bracket. Several values are one list of them.
fn value_between(reply: &str, open: char, close: char) -> Option<Json> {
    let start = reply.find(open)?;
    let end = reply.rfind(close).filter(|end| *end > start)?;
    let mut found = find_values(&reply[start..=end]);
    match found.len() {
        0 => None,
        1 => found.pop().map(|found| found.value),
        _ => Some(Json::Array(found.into_iter().map(|found| found.value).collect())),
    }
}

fn accept_value(value: Json, reading: ReplyParseOptions) -> Option<Json> {
    (reading.accepts_constants || !has_constant(&value)).then_some(value)
}

/// Whether a truth value or `null` stands anywhere in it.
fn has_constant(value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(_) => true,
        Json::Array(items) => items.iter().any(has_constant),
        Json::Object(map) => map.values().any(has_constant),
        _ => false,
    }
}

/// Share of the steps that a judge calls correct. Nothing where the reply cannot be read: no list, an empty one, or a
/// verdict that is no text.
pub fn step_level_accuracy(reply: &str, reading: ReplyParseOptions) -> Option<(f64, Vec<JudgedStep>)> {
    let items = reply_list(reply, reading)?;
    if items.is_empty() {
        return None;
    }
    let mut steps = Vec::with_capacity(items.len());
    for item in &items {
        let word = |name: &str| item.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let verdict = match item.get("judge") {
            Some(Json::String(verdict)) => probare_text::python::lower(verdict) == "correct",
            Some(_) => return None,
            None => false,
        };
        steps.push(JudgedStep { is_correct: verdict, step: word("solution_step"), reason: word("reason") });
    }
    let correct = steps.iter().filter(|step| step.is_correct).count();
    Some((correct as f64 / steps.len() as f64, steps))
}

/// A step that was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedStep {
    /// Whether it is correct.
    pub is_correct: bool,
    /// The step, in the judge's words.
    pub step: String,
    /// Why.
    pub reason: String,
}
