//! Assertions on the text alone.

use std::ops::Range;

use probare_text::distance::levenshtein_items;
use serde_json::Value;

use crate::assertion::{Answer, Assertion, AssertionResult, Fault, Verdict, error};
use crate::js;
use crate::js_regex::JsRegex;

/// UTF-16 units of two texts, multiplied, up to which a distance is computed.
const MOST_CELLS: usize = 1 << 34;

/// Distance up to which `levenshtein` passes.
const DEFAULT_DISTANCE: f64 = 5.0;

pub(crate) fn equals(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let pass = match &assertion.value {
        None => answer.text == "undefined",
        Some(value @ (Value::Object(_) | Value::Array(_) | Value::Null)) => match js::parse_json(&answer.text) {
            Ok(parsed) => js::deep_equal(value, &parsed),
            Err(js::JsonFault::Malformed) => false,
            Err(js::JsonFault::Unreadable) => return Err(unreadable()),
        },
        Some(value) => js::text(value) == answer.text,
    };
    Ok(Verdict::new(pass))
}

/// The answer is JSON beyond what is read.
pub(crate) fn unreadable() -> Fault {
    Fault::NotRun("the answer is JSON nested too deeply, or with numbers too large, to be read".to_owned())
}

pub(crate) fn contains(assertion: &Assertion, answer: &Answer<'_>, ignore_case: bool) -> AssertionResult {
    let needle = match &assertion.value {
        Some(Value::String(text)) if !text.is_empty() => text.clone(),
        Some(Value::Number(number)) => js::number_text(js::number(number)),
        _ => return error(format!("`{}` needs a text that is not empty, or a number", assertion.name())),
    };
    let span = find(&answer.text, &needle, ignore_case);
    Ok(Verdict::new(span.is_some()).found_at(span.filter(|_| !ignore_case)))
}

/// Where a text stands in another; with lower case, in the lower-cased one.
fn find(text: &str, needle: &str, ignore_case: bool) -> Option<Range<usize>> {
    if ignore_case {
        let needle = needle.to_lowercase();
        return text.to_lowercase().find(&needle).map(|at| at..at + needle.len());
    }
    text.find(needle).map(|at| at..at + needle.len())
}

pub(crate) fn contains_list(
    assertion: &Assertion,
    answer: &Answer<'_>,
    ignore_case: bool,
    all: bool,
) -> AssertionResult {
    let wrong = || error(format!("`{}` needs a list, or a text of items with commas between", assertion.name()));
    let items = match &assertion.value {
        Some(Value::Array(items)) => items.iter().map(js::text).collect(),
        Some(Value::String(text)) if !text.is_empty() => match split_list(text) {
            Ok(items) => items,
            Err(reason) => return error(format!("the value of `{}` {reason}", assertion.name())),
        },
        _ => return wrong(),
    };
    let text = if ignore_case { answer.text.to_lowercase() } else { answer.text.clone() };
    let is_found = |item: &String| find(&text, &if ignore_case { item.to_lowercase() } else { item.clone() }, false);
    if all {
        let missing = items.iter().find(|item| is_found(item).is_none());
        let verdict = Verdict::new(missing.is_none());
        return Ok(match missing {
            Some(item) => verdict.because(format!("{} is missing", js::quote(item))),
            None => verdict,
        });
    }
    let found = items.iter().find_map(is_found);
    Ok(Verdict::new(found.is_some()).found_at(found.filter(|_| !ignore_case)))
}

/// The items of a text with commas between, quoted where they hold one.
pub(crate) fn split_list(text: &str) -> Result<Vec<String>, &'static str> {
    let letters: Vec<char> = text.chars().collect();
    let (mut items, mut at) = (Vec::new(), 0);
    loop {
        while letters.get(at).is_some_and(|letter| js::is_space(*letter) || *letter == ',') {
            at += 1;
        }
        let Some(first) = letters.get(at) else { return Ok(items) };
        if *first != '"' {
            let end = letters[at..].iter().position(|letter| *letter == ',').map_or(letters.len(), |end| at + end);
            let item: String = letters[at..end].iter().collect();
            let item = js::trim(&item);
            if !item.is_empty() {
                items.push(item.to_owned());
            }
            at = end;
            continue;
        }
        let mut item = String::new();
        at += 1;
        loop {
            match (letters.get(at), letters.get(at + 1)) {
                (None, _) => return Err("has a quotation mark that is not closed"),
                (Some('\\'), Some(next @ ('"' | '\\'))) => {
                    item.push(*next);
                    at += 2;
                }
                (Some('"'), Some('"')) => {
                    item.push('"');
                    at += 2;
                }
                (Some('"'), _) => {
                    at += 1;
                    break;
                }
                (Some(letter), _) => {
                    item.push(*letter);
                    at += 1;
                }
            }
        }
        items.push(item);
        while letters.get(at).is_some_and(|letter| js::is_space(*letter)) {
            at += 1;
        }
        if letters.get(at).is_some_and(|letter| *letter != ',') {
            return Err("has text after a closing quotation mark");
        }
    }
}

pub(crate) fn starts_with(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let Some(prefix) = text_value(assertion) else {
        return error("`starts-with` needs a text that is not empty");
    };
    let found = answer.text.starts_with(prefix).then_some(0..prefix.len());
    Ok(Verdict::new(found.is_some()).found_at(found))
}

/// The value, where it is a text that is not empty.
fn text_value(assertion: &Assertion) -> Option<&str> {
    assertion.value.as_ref().and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A pattern that does not compile fails, behind `not-` too.
pub(crate) fn regex(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let Some(pattern) = text_value(assertion) else {
        return error("`regex` needs a text that is not empty");
    };
    let regex = match JsRegex::new(pattern) {
        Ok(regex) => regex,
        Err(reason) => {
            let reason = format!("the regular expression cannot be used ({reason}); it fails, also with `not-`");
            return Ok(Verdict::new(false).because(reason));
        }
    };
    let units = js::units(&answer.text);
    let found = regex
        .find(&units)
        .map_err(|_| Fault::NotRun("the regular expression takes too many steps on this answer".to_owned()))?;
    let span = found.and_then(|(start, end)| byte_span(&answer.text, start, end));
    Ok(Verdict::new(found.is_some() != assertion.negated).found_at(span))
}

/// A span of units in bytes, where it does not cut a character.
fn byte_span(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let (mut unit, mut from) = (0, None);
    for (at, character) in text.char_indices().chain([(text.len(), '\0')]) {
        if unit == start {
            from = from.or(Some(at));
        }
        if unit == end {
            return from.map(|from| from..at);
        }
        unit += character.len_utf16();
    }
    None
}

pub(crate) fn levenshtein(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let Some(expected) = assertion.value.as_ref().and_then(Value::as_str) else {
        return error("`levenshtein` needs a text");
    };
    let limit = assertion.threshold().unwrap_or(DEFAULT_DISTANCE);
    let (left, right) = (js::units(&answer.text), js::units(expected));
    if left.len().saturating_mul(right.len()) > MOST_CELLS {
        return Err(Fault::NotRun("the texts are too long for an edit distance".to_owned()));
    }
    let distance = levenshtein_items(&left, &right);
    Ok(Verdict::new(distance as f64 <= limit).because(format!("the distance is {distance}")))
}

pub(crate) fn word_count(assertion: &Assertion, answer: &Answer<'_>) -> AssertionResult {
    let count = js::words(&answer.text).count();
    let exact = match &assertion.value {
        Some(Value::Number(number)) => js::number(number),
        Some(Value::String(text)) => js::parse_number(text),
        Some(Value::Object(bounds)) => {
            let (least, most) = (bounds.get("min"), bounds.get("max"));
            if least.is_none() && most.is_none() {
                return error("`word-count` needs `min` or `max`");
            }
            let is_reversed = match (least, most) {
                (Some(Value::String(least)), Some(Value::String(most))) => js::units(least) > js::units(most),
                (Some(least), Some(most)) => js::to_number(least) > js::to_number(most),
                _ => false,
            };
            if is_reversed {
                return error("`word-count` has `min` above `max`");
            }
            let count_number = count as f64;
            let pass = least.is_none_or(|least| js::to_number(least) <= count_number)
                && most.is_none_or(|most| count_number <= js::to_number(most));
            return Ok(Verdict::new(pass).because(format!("{count} words")));
        }
        _ => return error("`word-count` needs a number, or `min` and `max`"),
    };
    if exact.is_nan() {
        return error("`word-count` needs a number");
    }
    Ok(Verdict::new(count as f64 == exact).because(format!("{count} words")))
}
