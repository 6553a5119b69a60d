//! A reply, read: strict JSON first, JSON with patience second. What cannot be read for certain is not read at all.

use probare_core::has_nonce;
use probare_text::loose_json;
use serde_json::{Map, Value as Json};

/// Makes a verdict of an object, or says what is wrong with it.
pub type ObjectReader<'a, T> = dyn Fn(&Map<String, Json>) -> Result<T, String> + 'a;

/// What a judge replied.
#[derive(Debug, Clone, Copy)]
pub struct JudgeReply<'a> {
    /// Its words.
    pub text: &'a str,
    /// What nobody but the judge was told; nothing where the reply is older than codes, and is read as it was then.
    pub code: Option<&'a str>,
}

/// The one verdict of a reply, which stands under `key`, once or in each item of a list. An object is a verdict only if it
/// carries the code that the judge was told. Where several objects can be read as verdicts they have to agree, and outside of
/// strict JSON the key must not stand anywhere else: a judge that repeats what it was shown must not be taken at that word.
pub fn read_verdict<T: PartialEq>(reply: &JudgeReply<'_>, key: &str, read: &ObjectReader<'_, T>) -> Result<T, String> {
    let mut verdict: Option<T> = None;
    let mut problem: Option<String> = None;
    let mut key_count = 0;
    let mut is_strict = false;
    for found in loose_json::find_values(reply.text) {
        let Json::Object(object) = &found.value else { continue };
        key_count += keys(&found.value, key);
        if reply.code.is_some_and(|code| !has_nonce(object, code)) {
            problem = problem.or_else(|| Some("its object does not carry the code".to_owned()));
            continue;
        }
        is_strict = found.is_strict();
        match read(object) {
            Ok(later) if verdict.as_ref().is_some_and(|earlier| *earlier != later) => {
                return Err("it holds different verdicts".to_owned());
            }
            Ok(later) => verdict = Some(later),
            Err(reason) => problem = problem.or(Some(reason)),
        }
    }
    if !is_strict && verdict.is_some() && mentions(reply.text, key) > key_count {
        return Err(format!("it speaks of `{key}` also outside of its verdict"));
    }
    verdict.ok_or_else(|| problem.unwrap_or_else(|| "it holds no JSON object".to_owned()))
}

/// How often a value holds the key, in itself and below.
fn keys(value: &Json, key: &str) -> usize {
    match value {
        Json::Object(object) => object.iter().map(|(name, value)| usize::from(name == key) + keys(value, key)).sum(),
        Json::Array(items) => items.iter().map(|item| keys(item, key)).sum(),
        _ => 0,
    }
}

/// How often a text writes the key as a key: with a colon behind it, quotes and white space aside.
fn mentions(text: &str, key: &str) -> usize {
    let behind =
        |at: usize| text[at + key.len()..].trim_start_matches(|c: char| c.is_whitespace() || "\"'“”‘’`\\*".contains(c));
    text.match_indices(key).filter(|(at, _)| behind(*at).starts_with([':', '='])).count()
}

/// A text of a reply.
pub fn text_field<'a>(object: &'a Map<String, Json>, name: &str) -> Result<&'a str, String> {
    object.get(name).and_then(Json::as_str).ok_or_else(|| format!("it has no text `{name}`"))
}

/// A number of a reply.
pub fn number_field(object: &Map<String, Json>, name: &str) -> Result<f64, String> {
    let value = object.get(name).ok_or_else(|| format!("it has no number `{name}`"))?;
    let read = value.as_f64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()));
    read.filter(|number: &f64| number.is_finite()).ok_or_else(|| format!("`{name}` is not a number"))
}

/// A yes or no of a reply.
pub fn bool_field(object: &Map<String, Json>, name: &str) -> Result<bool, String> {
    let value = object.get(name).ok_or_else(|| format!("it has no `{name}`"))?;
    let word = value.as_str().map(|text| text.trim().to_ascii_lowercase());
    match (value.as_bool(), word.as_deref()) {
        (Some(yes), _) => Ok(yes),
        (None, Some("true" | "yes")) => Ok(true),
        (None, Some("false" | "no")) => Ok(false),
        _ => Err(format!("`{name}` is neither true nor false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(text: &str) -> Result<bool, String> {
        read_verdict(&JudgeReply { text, code: None }, "same", &|object| bool_field(object, "same"))
    }

    #[test]
    fn an_object_without_the_code_is_no_verdict() {
        let same = |text: &str| {
            read_verdict(&JudgeReply { text, code: Some("k7") }, "same", &|object| bool_field(object, "same"))
        };
        for reply in [
            r#"{"same": true, "code": "k7"}"#,
            r#"{"same": false} is what it says. {"same": true, "code": "k7"}"#,
            "```json\n{'same': True, 'code': 'k7',}\n```",
        ] {
            assert_eq!(same(reply), Ok(true), "{reply}");
        }
        for reply in [
            r#"{"same": true}"#,
            r#"{"same": true, "code": "k8"}"#,
            r#"{"same": true} {"code": "k7"}"#,
            r#"{"same": true, "x": {"code": "k7"}}"#,
            r#"k7 {"same": true}"#,
            r#"{"same": true, "code": ["k7"]}"#,
        ] {
            assert!(same(reply).is_err(), "{reply}");
        }
        let two = r#"{"same": true, "code": "k7"} {"same": false, "code": "k7"}"#;
        assert!(same(two).unwrap_err().contains("different verdicts"));
    }

    #[test]
    fn verdicts_are_read_with_patience_and_without_guessing() {
        for reply in [
            r#"{"reason": "x", "same": true}"#,
            "```json\n{'same': True,}\n```",
            "I think {\"same\": \"yes\"} is right.",
            "{\"same\": true} — in short: {\"same\": true}",
        ] {
            assert_eq!(same(reply), Ok(true), "{reply}");
        }
        for (reply, reason) in [
            ("Yes.", "no JSON object"),
            ("{\"same\": \"maybe\"}", "neither true nor false"),
            ("{\"verdict\": true}", "no `same`"),
            ("It says {\"same\": true}. My verdict: {\"same\": false}", "different verdicts"),
            ("true", "no JSON object"),
            ("It says {\"same\": true, \"x\": \". So: {\"same\": false}", "outside of its verdict"),
        ] {
            assert!(same(reply).unwrap_err().contains(reason), "{reply}: {:?}", same(reply));
        }
    }
}
