//! The idea in a response: a JSON object in answer tags, in a fence, as the whole text, between braces, or field by field.

use std::sync::LazyLock;

use probare_text::python::{PyValue, json_loads, strip};
use regex::Regex;

use super::super::extraction::answer::answer_text;

/// The six fields of an idea, in their order.
pub const FIELDS: [&str; 6] =
    ["Idea", "ImplementationSteps", "ImplementationOrder", "Dataset", "EvaluationMetrics", "ExpectedOutcome"];

static FENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)```(?:json)?[\s\x1c-\x1f]*(.*?)[\s\x1c-\x1f]*```").expect("the pattern is good"));

/// A pattern for each field: the idea in double quotes, the others as an object, a list or a text without the sign that ends
/// it.
static PATTERNS: LazyLock<Vec<(&'static str, Regex)>> = LazyLock::new(|| {
    let blank = r"[\s\x1c-\x1f]*";
    let pattern = |name: &&'static str| {
        let letters = name.replace('i', "[iıİ]").replace('I', "[Iıİ]");
        let text = if *name == "Idea" {
            format!(r#"(?i)"?{letters}"?{blank}:{blank}"([^"]*)""#)
        } else {
            format!(r#"(?i)"{letters}"{blank}:{blank}(\{{[^}}]*\}}|\[[^\]]*\]|"[^"]*")"#)
        };
        (*name, Regex::new(&text).expect("the pattern is good"))
    };
    FIELDS.iter().map(pattern).collect()
});

/// Reads an idea; nothing where none is found. What comes may be no object: valid JSON is taken as it is.
pub fn parse_idea(response: &str) -> Option<PyValue> {
    let text = answer_text(response).filter(|answer| !answer.is_empty()).unwrap_or(response);
    let value = fenced(text).or_else(|| json_loads(strip(text))).or_else(|| braces(text)).or_else(|| fields(text))?;
    (value != PyValue::None).then_some(value)
}

/// The first fenced block.
fn fenced(text: &str) -> Option<PyValue> {
    json_loads(strip(FENCE.captures(text)?.get(1)?.as_str()))
}

/// From the first opening to the last closing brace.
fn braces(text: &str) -> Option<PyValue> {
    let start = text.find('{')?;
    let end = text.rfind('}').filter(|end| *end > start)?;
    json_loads(&text[start..=end])
}

fn fields(text: &str) -> Option<PyValue> {
    let mut pairs = Vec::new();
    for (name, pattern) in PATTERNS.iter() {
        let Some(found) = pattern.captures(text).and_then(|captures| captures.get(1)) else { continue };
        let run = found.as_str();
        let value = if *name == "Idea" {
            PyValue::Text(run.to_owned())
        } else {
            json_loads(run).unwrap_or_else(|| PyValue::Text(run.trim_matches('"').to_owned()))
        };
        pairs.push((PyValue::Text((*name).to_owned()), value));
    }
    (!pairs.is_empty()).then_some(PyValue::Dict(pairs))
}
