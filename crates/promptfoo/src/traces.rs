//! Assertions on the spans of a trace.

use serde_json::{Map, Value};

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, Verdict, error};
use crate::js;

/// A pattern of names: `*` is any run without line breaks, `?` one UTF-16 unit, upper and lower case are the same.
pub(crate) struct Glob(Vec<u16>);

impl Glob {
    pub(crate) fn new(pattern: &str) -> Self {
        Self(js::units(&pattern.to_lowercase()))
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let name = js::units(&name.to_lowercase());
        let is_break = |unit: u16| matches!(unit, 10 | 13 | 0x2028 | 0x2029);
        let (mut at, mut from, mut star) = (0, 0, None);
        while from < name.len() {
            match self.0.get(at) {
                Some(&unit) if unit == u16::from(b'*') => {
                    star = Some((at, from));
                    at += 1;
                }
                Some(&unit) if unit == u16::from(b'?') && !is_break(name[from]) || unit == name[from] => {
                    at += 1;
                    from += 1;
                }
                _ => match star {
                    Some((pattern, taken)) if !is_break(name[taken]) => {
                        star = Some((pattern, taken + 1));
                        (at, from) = (pattern + 1, taken + 1);
                    }
                    _ => return false,
                },
            }
        }
        self.0[at..].iter().all(|unit| *unit == u16::from(b'*'))
    }
}

/// The spans of the trace, which has to be there.
pub(crate) fn spans<'a>(assertion: &Assertion, answer: &Answer<'a>) -> Result<&'a [Value], Fault> {
    match answer.trace.and_then(|trace| trace.get("spans")).and_then(Value::as_array) {
        Some(spans) => Ok(spans),
        None => error(format!("`{}` needs a trace, and there is none", assertion.name())),
    }
}

pub(crate) fn span_name(span: &Value) -> &str {
    span.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// `not-` is ignored by the original.
pub(crate) fn judge(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let spans = spans(assertion, answer)?;
    match assertion.kind.as_str() {
        "trace-span-count" => span_count(assertion, spans),
        "trace-span-duration" => span_duration(assertion, spans),
        _ => Ok(error_spans(assertion, spans)),
    }
}

fn object(assertion: &Assertion) -> Result<&Map<String, Value>, Fault> {
    match &assertion.value {
        Some(Value::Object(value)) => Ok(value),
        _ => error(format!("`{}` needs an object", assertion.name())),
    }
}

/// Spans whose name fits the pattern; all without one.
fn matching<'a>(spans: &'a [Value], pattern: Option<&str>) -> Vec<&'a Value> {
    let glob = Glob::new(pattern.unwrap_or("*"));
    spans.iter().filter(|span| pattern.is_none() || glob.matches(span_name(span))).collect()
}

fn span_count(assertion: &Assertion, spans: &[Value]) -> AssertionResult {
    let value = object(assertion)?;
    let Some(pattern) = value.get("pattern").and_then(Value::as_str).filter(|pattern| !pattern.is_empty()) else {
        return error("`trace-span-count` needs a `pattern`");
    };
    let found = matching(spans, Some(pattern)).len() as f64;
    let bound = |key: &str| value.get(key).map(js::to_number);
    let pass = bound("min").is_none_or(|least| found >= least) && bound("max").is_none_or(|most| found <= most);
    Ok(Verdict::new(pass).because(format!("{found} spans fit")))
}

fn span_duration(assertion: &Assertion, spans: &[Value]) -> AssertionResult {
    let value = object(assertion)?;
    let Some(most) = value.get("max").and_then(Value::as_f64) else {
        return error("`trace-span-duration` needs `max`");
    };
    let time = |span: &Value, key: &str| span.get(key).and_then(Value::as_f64);
    let duration = |span: &&Value| Some(time(span, "endTime")? - time(span, "startTime")?);
    let spans = matching(spans, value.get("pattern").and_then(Value::as_str));
    let mut durations: Vec<f64> = spans.iter().filter_map(duration).collect();
    if let Some(percentile) = value.get("percentile") {
        if percentile.is_null() {
            return error("`percentile` is not a number from 0 to 100");
        }
        let percentile = js::to_number(percentile);
        if !(0.0..=100.0).contains(&percentile) {
            return error("`percentile` is not a number from 0 to 100");
        }
        durations.sort_by(f64::total_cmp);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index, from 0 on")]
        let index = ((percentile / 100.0 * durations.len() as f64).ceil() - 1.0).max(0.0) as usize;
        let found = durations.get(index);
        return Ok(Verdict::new(found.is_none_or(|found| *found <= most)));
    }
    Ok(Verdict::new(durations.iter().all(|duration| *duration <= most)))
}

/// Words of a status that tell of an error.
const ERROR_WORDS: [&str; 6] = ["error", "failed", "failure", "exception", "timeout", "abort"];

/// Attributes that tell of an error where they are true.
const ERROR_ATTRIBUTES: [&str; 4] = ["error", "exception", "failed", "failure"];

fn is_error(span: &Value) -> bool {
    let number = |value: &Value| value.as_f64();
    let code = span.get("statusCode").and_then(number);
    if code.is_some_and(|code| code == 2.0 || code >= 400.0) {
        return true;
    }
    let attribute = |key: &str| span.get("attributes").and_then(|attributes| attributes.get(key));
    let is_set = |key: &&str| match attribute(key) {
        Some(Value::Bool(value)) => *value,
        Some(Value::String(text)) => text == "true",
        Some(Value::Object(_) | Value::Array(_)) => true,
        _ => false,
    };
    if ERROR_ATTRIBUTES.iter().any(is_set) {
        return true;
    }
    if attribute("http.status_code").map(js::to_number).is_some_and(|code| code >= 400.0) {
        return true;
    }
    if ["otel.status_code", "status.code"].iter().any(|key| attribute(key).and_then(Value::as_str) == Some("ERROR")) {
        return true;
    }
    let message = span.get("statusMessage").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    ERROR_WORDS.iter().any(|word| message.contains(word))
}

fn error_spans(assertion: &Assertion, spans: &[Value]) -> Verdict {
    let (mut most_count, mut most_share, mut pattern) = (None, None, None);
    match &assertion.value {
        Some(Value::Number(number)) => most_count = Some(js::number(number)),
        Some(Value::Object(value)) => {
            most_count = value.get("max_count").and_then(Value::as_f64);
            most_share = value.get("max_percentage").and_then(Value::as_f64);
            pattern = value.get("pattern").and_then(Value::as_str).filter(|pattern| !pattern.is_empty());
        }
        _ => {}
    }
    let spans = matching(spans, pattern);
    if spans.is_empty() {
        return Verdict::new(true).because("no span fits");
    }
    let errors = spans.iter().filter(|span| is_error(span)).count() as f64;
    let share = errors / spans.len() as f64 * 100.0;
    if most_count.is_none() && most_share.is_none() {
        most_count = Some(0.0);
    }
    let pass = most_count.is_none_or(|most| errors <= most) && most_share.is_none_or(|most| share <= most);
    Verdict::new(pass).because(format!("{errors} spans with an error"))
}
