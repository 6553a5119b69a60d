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
pub fn reply_list(reply: &str, options: ReplyParseOptions) -> Option<Vec<Json>> {
    let value = if options.takes_last {
        let is_list = |found: &ParsedJson| match &found.value {
            Json::Array(items) => items.iter().any(Json::is_object),
            Json::Object(map) => map.values().any(Json::is_array),
            _ => false,
        };
        find_values(reply).into_iter().rfind(is_list).map(|found| found.value)?
    } else {
        value_between(reply, '[', ']')?
    };
    let value = accept_value(value, options)?;
    match value {
        Json::Array(items) => Some(items),
        // A list inside an object.
        Json::Object(map) if options.takes_last => map.into_iter().find_map(|(_, value)| match value {
            Json::Array(items) => Some(items),
            _ => None,
        }),
        _ => None,
    }
}

/// The object in a reply; nothing where it cannot be read. Of several the last one counts.
pub fn reply_object(reply: &str, options: ReplyParseOptions) -> Option<serde_json::Map<String, Json>> {
    let start = reply.find('{')?;
    let end = reply.rfind('}').filter(|end| *end > start)?;
    let value = find_values(&reply[start..=end]).pop()?.value;
    match accept_value(value, options)? {
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

fn accept_value(value: Json, options: ReplyParseOptions) -> Option<Json> {
    (options.accepts_constants || !has_constant(&value)).then_some(value)
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
/// verdict that is not text.
pub fn step_level_accuracy(reply: &str, options: ReplyParseOptions) -> Option<(f64, Vec<JudgedStep>)> {
    let items = reply_list(reply, options)?;
    if items.is_empty() {
        return None;
    }
    let mut steps = Vec::with_capacity(items.len());
    for item in &items {
        let is_correct = match item.get("judge") {
            Some(Json::String(verdict)) => probare_text::python::lower(verdict) == "correct",
            Some(_) => return None,
            None => false,
        };
        steps.push(JudgedStep::new(is_correct, item));
    }
    let correct = steps.iter().filter(|step| step.is_correct).count();
    Some((correct as f64 / steps.len() as f64, steps))
}

/// The same as the official scripts of 2026 read it. Nothing where they give no list: none is there, it cannot be read, or an item
/// is not an object with `judge`. Only the word `correct` as it stands is correct, and an empty list has no correct step.
pub fn official_step_accuracy(reply: &str) -> Option<(f64, Vec<JudgedStep>)> {
    let items = reply_list(reply, ReplyParseOptions::default())?;
    let mut steps = Vec::with_capacity(items.len());
    for item in &items {
        let is_correct = item.as_object()?.get("judge")?.as_str() == Some("correct");
        steps.push(JudgedStep::new(is_correct, item));
    }
    let correct = steps.iter().filter(|step| step.is_correct).count();
    let accuracy = if steps.is_empty() { 0.0 } else { correct as f64 / steps.len() as f64 };
    Some((accuracy, steps))
}

/// What a judge says about an answer as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerJudgment {
    /// 1 for right, 0 for wrong; whatever else the judge wrote is kept, as the official scripts do.
    pub judge: f64,
    /// What stands under `reason`, of any kind; an empty text where nothing does.
    pub reason: Json,
}

/// The judgment in a reply: the object between the first and the last brace, whose `judge` Python's `int` takes. A judge that says
/// nothing says 0. The reason where it cannot be read.
pub fn answer_judgment(reply: &str) -> Result<AnswerJudgment, String> {
    let options = ReplyParseOptions { accepts_constants: true, ..ReplyParseOptions::default() };
    let map = reply_object(reply, options).ok_or("it holds no JSON object")?;
    let judge = match map.get("judge") {
        None => 0.0,
        Some(value) => python_int(value).ok_or_else(|| format!("`judge` is {value}, where 0 or 1 is expected"))?,
    };
    Ok(AnswerJudgment { judge, reason: map.get("reason").cloned().unwrap_or_else(|| "".into()) })
}

/// `int(value)` of a JSON value as a float; nothing where Python raises.
pub fn python_int(value: &Json) -> Option<f64> {
    match value {
        Json::Bool(yes) => Some(f64::from(u8::from(*yes))),
        Json::Number(number) => number.as_f64().filter(|number| number.is_finite()).map(f64::trunc),
        Json::String(text) => {
            // Digits alone: what `float` takes beside them, `int` refuses.
            let bare = probare_text::python::strip(text);
            let unsigned = bare.strip_prefix(['+', '-']).unwrap_or(bare);
            let is_integer = unsigned.chars().all(|sign| sign == '_' || probare_text::python::is_decimal(sign));
            probare_text::python::float(text).filter(|number| is_integer && number.is_finite())
        }
        _ => None,
    }
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

impl JudgedStep {
    fn new(is_correct: bool, item: &Json) -> Self {
        let word = |name: &str| item.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        Self { is_correct, step: word("solution_step"), reason: word("reason") }
    }
}
