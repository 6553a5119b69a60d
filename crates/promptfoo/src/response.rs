//! Assertions on what came beside the text: cost, latency, why it ended, log probabilities, guardrails, skills.

use serde_json::{Map, Value};

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, Verdict, error};
use crate::js;
use crate::traces::Glob;

pub(crate) fn judge(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    match assertion.kind.as_str() {
        "cost" => limit(assertion, answer.field("cost").and_then(Value::as_f64), "cost"),
        "latency" => limit(assertion, answer.field("latencyMs").and_then(Value::as_f64), "latency"),
        "finish-reason" => finish_reason(assertion, answer),
        "guardrails" => Ok(guardrails(assertion, answer)),
        kind => perplexity(assertion, answer, kind == "perplexity-score"),
    }
}

fn limit(assertion: &Assertion, found: Option<f64>, what: &str) -> AssertionResult {
    let Some(threshold) = assertion.threshold() else {
        return error(format!("`{}` needs a `threshold`", assertion.name()));
    };
    let Some(found) = found else {
        return error(format!("the {what} of the answer is not known"));
    };
    let reason = format!("the {what} is {}", js::number_text(found));
    Ok(Verdict::new((found <= threshold) != assertion.negated).because(reason))
}

fn finish_reason(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let Some(Value::String(expected)) = &assertion.value else {
        return error("`finish-reason` needs a text");
    };
    let found = answer.field("finishReason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
    let pass = found.is_some_and(|found| found.to_lowercase() == expected.to_lowercase());
    Ok(Verdict::new(pass != assertion.negated))
}

fn guardrails(assertion: &Assertion, answer: &Answer<'_>) -> Verdict {
    let history = || answer.field("metadata")?.get("redteamHistory")?.as_array()?.last()?.get("guardrails");
    let found = answer.field("guardrails").or_else(history);
    let is_flagged = found.and_then(|found| found.get("flagged")).is_some_and(js::is_truthy);
    Verdict::new(is_flagged == assertion.negated)
}

fn perplexity(assertion: &Assertion, answer: &Answer<'_>, is_score: bool) -> AssertionResult {
    let numbers: Option<Vec<f64>> = answer
        .field("logProbs")
        .and_then(Value::as_array)
        .filter(|list| !list.is_empty())
        .and_then(|list| list.iter().map(Value::as_f64).collect());
    let Some(numbers) = numbers else {
        return error("the log probabilities of the answer are not known");
    };
    let perplexity = (-numbers.iter().sum::<f64>() / numbers.len() as f64).exp();
    if !is_score {
        return Ok(match assertion.threshold() {
            Some(threshold) => Verdict::new((perplexity <= threshold) != assertion.negated),
            None => Verdict::new(true),
        });
    }
    let score = 1.0 / (1.0 + perplexity);
    let pass = assertion.threshold().is_none_or(|threshold| (score >= threshold) != assertion.negated);
    Ok(Verdict::scored(pass, if assertion.negated { 1.0 - score } else { score }))
}

/// A number of uses, whole and not negative.
fn count(value: &Map<String, Value>, key: &str) -> Result<Option<f64>, Fault> {
    match value.get(key) {
        None => Ok(None),
        Some(Value::Number(number)) => match number.as_f64() {
            Some(number) if number >= 0.0 && number.fract() == 0.0 => Ok(Some(number)),
            _ => error(format!("`{key}` is no whole number from 0 on")),
        },
        Some(_) => error(format!("`{key}` is no whole number from 0 on")),
    }
}

pub(crate) fn skill_used(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let calls = answer.field("metadata").and_then(|metadata| metadata.get("skillCalls")).and_then(Value::as_array);
    let used: Vec<&str> = calls
        .into_iter()
        .flatten()
        .filter(|call| call.get("is_error") != Some(&Value::Bool(true)))
        .filter_map(|call| call.get("name").and_then(Value::as_str))
        .collect();
    let wrong = || error(format!("`{}` needs the name of a skill", assertion.name()));
    let names = |items: &[Value]| -> Option<Vec<String>> {
        let name = |item: &Value| item.as_str().map(|name| js::trim(name).to_owned()).filter(|name| !name.is_empty());
        items.iter().map(name).collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())
    };
    let listed = match &assertion.value {
        Some(text @ Value::String(_)) => names(std::slice::from_ref(text)),
        Some(Value::Array(items)) => names(items),
        Some(Value::Object(value)) => return skill_counted(assertion, value, &used),
        _ => None,
    };
    let Some(listed) = listed else { return wrong() };
    let is_used = |name: &String| used.contains(&name.as_str());
    let pass = if assertion.negated { !listed.iter().any(is_used) } else { listed.iter().all(is_used) };
    Ok(Verdict::new(pass))
}

fn skill_counted(assertion: &Assertion, value: &Map<String, Value>, used: &[&str]) -> AssertionResult {
    let text = |key: &str| match value.get(key) {
        None => Ok(None),
        Some(Value::String(text)) if !js::trim(text).is_empty() => Ok(Some(js::trim(text).to_owned())),
        Some(_) => error(format!("`{key}` is not text, or blank")),
    };
    let (name, pattern) = (text("name")?, text("pattern")?);
    if name.is_none() && pattern.is_none() {
        return error(format!("`{}` needs `name` or `pattern`", assertion.name()));
    }
    let (least, most) = (count(value, "min")?, count(value, "max")?);
    let glob = pattern.as_deref().map(Glob::new);
    let fits = |skill: &&&str| {
        name.as_deref().is_none_or(|name| name == **skill) && glob.as_ref().is_none_or(|glob| glob.matches(skill))
    };
    let found = used.iter().filter(fits).count() as f64;
    if assertion.negated {
        if least.is_some() || most.is_some_and(|most| most != 0.0) {
            return error("`not-skill-used` takes no counts but `max: 0`");
        }
        return Ok(Verdict::new(found == 0.0));
    }
    let default = if most.is_some() { 0.0 } else { 1.0 };
    if let (Some(least), Some(most)) = (least, most)
        && least > most
    {
        return error("`min` is above `max`");
    }
    Ok(Verdict::new(found >= least.unwrap_or(default) && most.is_none_or(|most| found <= most)))
}
