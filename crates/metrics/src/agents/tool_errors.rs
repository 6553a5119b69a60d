//! How many calls came to a result that is no error.

use probare_core::{Evidence, EvidenceKind, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::trace::{CallResult, require_trace};
use crate::bounded_evidence::BoundedEvidence;

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
    summary: "Share of answered calls whose result is not an error",
    range: (0.0, 1.0),
    better: Higher,
    needs: [],
    whole: |parts| Some((parts.get("answered")? - parts.get("errors")?) / parts.get("answered")?),
    since: "0.3",
    version: 2,
    page: "tool_errors.md",
});

/// Whether a result is an error.
pub(super) fn is_error(result: &CallResult<'_>, texts: ErrorTexts) -> bool {
    result.error.is_some()
        || match texts {
            ErrorTexts::None => false,
            ErrorTexts::Json => says_error(&result.text),
            ErrorTexts::All => says_error(&result.text) || begins_like_error(&result.text),
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
fn begins_like_error(text: &str) -> bool {
    let start = text.trim_start();
    let word: String = start.chars().take_while(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    if matches!(word.as_str(), "error" | "exception" | "traceback" | "fatal") {
        return true;
    }
    let (is_http, rest) = match word.as_str() {
        "http" => {
            let rest = &start[word.len()..];
            (
                true,
                rest.trim_start_matches(|sign: char| {
                    sign == '/' || sign == '.' || (sign.is_ascii_digit() && rest.starts_with('/'))
                }),
            )
        }
        _ => (false, start),
    };
    let rest = rest.trim_start();
    let digits = rest.len() - rest.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
    let (code, rest) = rest.split_at(digits);
    let Some((_, phrase)) = STATUSES.iter().find(|(status, _)| *status == code) else { return false };
    // A number alone is a status; one before other words is the beginning of a sentence ("500 g of flour added"), unless
    // they are the words of that status.
    let rest = rest.trim_start().to_lowercase();
    is_http || rest.is_empty() || rest.starts_with(':') || rest.starts_with(phrase) || rest.starts_with("error")
}

/// Statuses of HTTP that are errors, with how the words after them begin.
const STATUSES: [(&str, &str); 23] = [
    ("400", "bad request"),
    ("401", "unauthorized"),
    ("402", "payment required"),
    ("403", "forbidden"),
    ("404", "not found"),
    ("405", "method not allowed"),
    ("406", "not acceptable"),
    ("407", "proxy auth"),
    ("408", "request timeout"),
    ("409", "conflict"),
    ("410", "gone"),
    ("411", "length required"),
    ("412", "precondition failed"),
    ("413", "payload too large"),
    ("415", "unsupported media"),
    ("422", "unprocessable"),
    ("423", "locked"),
    ("429", "too many requests"),
    ("500", "internal"),
    ("501", "not implemented"),
    ("502", "bad gateway"),
    ("503", "service unavailable"),
    ("504", "gateway time"),
];

impl Metric for ToolErrors {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let trace = match require_trace(sample)? {
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
        let mut evidence = BoundedEvidence::default();
        if let Some(remark) = trace.mismatch_note() {
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
            let spot = made.result.as_ref().and_then(|result| result.location.as_ref());
            evidence.push(|| match spot.and_then(|spot| spot.whole_evidence(sample.case, EvidenceKind::Matched)) {
                Some(piece) => piece.with_support(made.name_place()),
                None => made.name_evidence(EvidenceKind::Matched).with_note("its result is an error"),
            });
        }
        for made in calls.iter().filter(|made| made.result.is_none()) {
            evidence.push(|| made.name_evidence(EvidenceKind::Note).with_note("the call has no result"));
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
            ("500 g of flour added", false, false),
            ("404 items were found", false, false),
            ("403 forbidden", false, true),
            ("503: busy", false, true),
            ("500", false, true),
            ("500 Error", false, true),
            ("599 euros", false, false),
            ("all went well", false, false),
        ] {
            assert_eq!((says_error(text), says_error(text) || begins_like_error(text)), (json, all), "{text}");
        }
    }
}
