//! How many calls came to a result that is no error.

use probare_core::{Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::trace::{CallResult, trace_of};
use crate::bounded::Bounded;

/// Options of `tool_errors`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolErrors {
    /// Which results are errors beside those that the source says are.
    pub texts: ErrorTexts,
}

/// Which texts of results are errors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorTexts {
    /// A JSON object that says so.
    #[default]
    Json,
    /// That, and a text that begins like an error.
    All,
    /// None.
    None,
}

metric!(ToolErrors as Pure {
    summary: "Share of answered calls whose result is no error",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| Some((parts.get("answered")? - parts.get("errors")?) / parts.get("answered")?),
    since: "0.3",
    version: 1,
    page: "tool_errors.md",
});

/// Whether a result is an error.
pub(super) fn is_error(result: &CallResult<'_>, texts: ErrorTexts) -> bool {
    result.error.is_some()
        || match texts {
            ErrorTexts::None => false,
            ErrorTexts::Json => says_error(&result.text),
            ErrorTexts::All => says_error(&result.text) || begins_like_one(&result.text),
        }
}

/// A JSON object with an error in it, or with the word that it failed.
fn says_error(text: &str) -> bool {
    if !text.trim_start().starts_with('{') {
        return false;
    }
    let Ok(Json::Object(object)) = serde_json::from_str(text) else { return false };
    let is_something = |name: &str| match object.get(name) {
        None | Some(Json::Null | Json::Bool(false)) => false,
        Some(Json::String(text)) => !text.is_empty(),
        Some(Json::Array(list)) => !list.is_empty(),
        Some(Json::Object(map)) => !map.is_empty(),
        Some(_) => true,
    };
    let is_false = |name: &str| object.get(name) == Some(&Json::Bool(false));
    let status = object.get("status").and_then(Json::as_str).map(str::to_lowercase);
    is_something("error")
        || is_something("errors")
        || is_false("ok")
        || is_false("success")
        || matches!(status.as_deref(), Some("error" | "failed" | "failure"))
}

/// A text that begins with a word for an error, or with an HTTP status of one.
fn begins_like_one(text: &str) -> bool {
    let start = text.trim_start();
    let word: String = start.chars().take_while(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if matches!(word.as_str(), "error" | "exception" | "traceback" | "fatal") {
        return true;
    }
    let is_status =
        |word: &str| word.len() == 3 && word.starts_with(['4', '5']) && word.bytes().all(|byte| byte.is_ascii_digit());
    if is_status(&word) {
        return true;
    }
    let rest = start.get(word.len()..).unwrap_or_default();
    word == "http" && {
        let rest = rest.trim_start_matches(|sign: char| {
            sign == '/' || sign == '.' || (sign.is_ascii_digit() && rest.starts_with('/'))
        });
        is_status(rest.split_whitespace().next().unwrap_or_default().trim_end_matches([':', ',']))
    }
}

impl Metric for ToolErrors {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let trace = match trace_of(sample) {
            Ok(trace) => trace,
            Err(outcome) => return Ok(outcome),
        };
        let calls = &trace.calls;
        let answered = calls.iter().filter(|made| made.result.is_some()).count();
        let unanswered = calls.len() - answered;
        if answered == 0 {
            let reason = match unanswered {
                0 => "no call was made".to_owned(),
                _ => format!("no call has a result ({unanswered} unanswered)"),
            };
            return Ok(Outcome::not_applicable(reason));
        }
        let mut evidence = Bounded::default();
        if let Some(remark) = trace.remark() {
            evidence.push(|| remark);
        }
        let is_bad = |at: usize| calls[at].result.as_ref().is_some_and(|result| is_error(result, self.texts));
        let (mut errors, mut recovered) = (0_usize, 0_usize);
        // By tool and turn, the last call that succeeded.
        let mut good: rustc_hash::FxHashMap<(&str, Option<usize>), usize> = rustc_hash::FxHashMap::default();
        for (at, made) in calls.iter().enumerate() {
            if made.result.is_some() && !is_bad(at) {
                good.insert((made.call.name.as_str(), made.turn), at);
            }
        }
        for (at, made) in calls.iter().enumerate().filter(|(at, _)| is_bad(*at)) {
            errors += 1;
            recovered += usize::from(good.get(&(made.call.name.as_str(), made.turn)).is_some_and(|last| *last > at));
            let spot = made.result.as_ref().and_then(|result| result.spot.as_ref());
            evidence.push(|| match spot.and_then(|spot| spot.whole(sample.case, EvidenceKind::Found)) {
                Some(piece) => piece.with_support(made.name_place()),
                None => made.named(EvidenceKind::Found).with_note("its result is an error"),
            });
        }
        for made in calls.iter().filter(|made| made.result.is_none()) {
            evidence.push(|| made.named(EvidenceKind::Note).with_note("the call has no result"));
        }
        for index in &trace.orphans {
            evidence.push(|| Evidence::note(format!("message {} is the result of no call", index + 1)));
        }
        let score = Score::ratio(answered - errors, answered)?
            .with_part("calls", calls.len() as f64)?
            .with_part("answered", answered as f64)?
            .with_part("errors", errors as f64)?
            .with_part("unanswered", unanswered as f64)?
            .with_part("orphans", trace.orphans.len() as f64)?
            .with_part("recovered", recovered as f64)?;
        Ok(score.because(evidence.finish()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_say_error() {
        for (text, json, all) in [
            (r#"{"error":"locked"}"#, true, true),
            (r#"{"error":null,"ok":true}"#, false, false),
            (r#"{"success":false}"#, true, true),
            (r#"{"status":"Failed"}"#, true, true),
            ("Error: no such file", false, true),
            ("errors were found in 3 files", false, false),
            ("  TRACEBACK (most recent call last)", false, true),
            ("404 Not Found", false, true),
            ("HTTP 503: busy", false, true),
            ("HTTP/1.1 500 Internal", false, true),
            ("4040 rows", false, false),
            ("all went well", false, false),
        ] {
            assert_eq!((says_error(text), says_error(text) || begins_like_one(text)), (json, all), "{text}");
        }
    }
}
