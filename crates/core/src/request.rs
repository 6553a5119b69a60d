//! [`MetricRequest`]: a metric as the user asks for it.

use std::str::FromStr;

use serde_json::{Map, Value as Json};

use crate::{CodeSource, MetricCode, MetricInfo, Profile};

/// Stands for another metric, turn by turn: `trajectory:metric=ID` is `ID:per=turn`.
pub const TRAJECTORY: &str = "trajectory";

/// A metric as the user asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricRequest {
    /// Name in the results.
    pub name: String,
    /// Id in the registry.
    pub id: String,
    /// Options; an object, or `Null` for none.
    pub options: Json,
    /// Profile of this metric alone.
    pub profile: Option<Profile>,
    /// The code that computes it, where it is the user's own.
    pub code: Option<MetricCode>,
}

impl MetricRequest {
    /// The request that gave a metric of a finished run.
    pub fn again(info: &MetricInfo) -> Self {
        Self {
            name: info.name.clone(),
            id: info.id.clone().into_owned(),
            options: info.options.clone(),
            profile: info.profile,
            code: info.code.clone(),
        }
    }

    /// A metric with its defaults.
    pub fn plain(id: impl Into<String>) -> Self {
        let id = id.into();
        Self { name: id.clone(), id, options: Json::Null, profile: None, code: None }
    }

    /// The function or class of a Python file, `FILE.py:NAME`: called as the function is, with the file's own name in its id.
    pub fn python(reference: &str) -> Option<Self> {
        let (file, name) = CodeSource::python_parts(reference)?;
        let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
        let code = MetricCode::new(CodeSource::Python(reference.to_owned()));
        Some(Self { name: name.to_owned(), code: Some(code), ..Self::plain(format!("{file}:{name}")) })
    }
}

/// Reads `ID`, `ID:KEY=VALUE,KEY=VALUE` or `NAME=ID:KEY=VALUE`. A value is JSON where it can be read as such and text
/// otherwise; commas inside brackets and quotes do not separate. Without a name of its own the metric is called as it is
/// written, so that a file of results says with which options it was made. `trajectory:metric=ID` is `ID:per=turn`. In the
/// place of an id may stand a function of a Python file, `FILE.py:NAME`.
impl FromStr for MetricRequest {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        let bad = |reason: &str| RequestError { text: text.to_owned(), reason: reason.to_owned() };
        let file = python_file(text);
        let (head, tail) = match file {
            Some(file) => split_once_after(text, file + 1, ':'),
            None => split_once_after(text, 0, ':'),
        };
        let (name, id) = match head.split_once('=') {
            Some((name, id)) => (name.trim(), id.trim()),
            None => (file.map_or(text, |file| &text[file + 1..]).trim(), head.trim()),
        };
        if file.is_some() && name.is_empty() {
            return Err(bad("a Python metric is written FILE.py:NAME"));
        }
        if id.is_empty() || name.is_empty() {
            return Err(bad("it names no metric"));
        }
        let own = file.map(|_| Self::python(id).ok_or_else(|| bad("a Python metric is written FILE.py:NAME")));
        let own = own.transpose()?;
        let mut options = Map::new();
        for pair in tail.map(split_pairs).unwrap_or_default() {
            let (key, value) = pair.split_once('=').ok_or_else(|| match head {
                // As promptfoo names a function.
                "python" | "file" => bad("a Python metric is written FILE.py:NAME"),
                _ => bad("options are written KEY=VALUE"),
            })?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Json::String(value.to_owned()));
            if options.insert(key.trim().to_owned(), value).is_some() {
                return Err(bad("an option occurs twice"));
            }
        }
        let mut id = id.to_owned();
        if id == TRAJECTORY {
            let Some(Json::String(metric)) = options.shift_remove("metric") else {
                return Err(bad("`trajectory` wants `metric=ID`, the metric that is taken turn by turn"));
            };
            if metric == TRAJECTORY || options.insert("per".to_owned(), "turn".into()).is_some_and(|per| per != "turn")
            {
                return Err(bad("`trajectory` takes a metric turn by turn and nothing else"));
            }
            id = metric;
        }
        let options = if options.is_empty() { Json::Null } else { Json::Object(options) };
        match own {
            Some(own) => Ok(Self { name: name.to_owned(), options, ..own }),
            None => Ok(Self { name: name.to_owned(), id, options, profile: None, code: None }),
        }
    }
}

/// Where the `:` after the name of a Python file stands, if the text names one: nothing but the letter of a Windows drive has a
/// colon before it.
fn python_file(text: &str) -> Option<usize> {
    let at = text.find(".py:")? + 3;
    let file = &text[..at];
    let (name, file) = file.split_once('=').unwrap_or(("", file));
    let is_drive = |at: usize| at == 1 && file.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let is_path = file.match_indices(':').all(|(at, _)| is_drive(at));
    (is_path && !name.contains(':')).then_some(at)
}

/// Cuts at the first `separator` from a byte on.
fn split_once_after(text: &str, from: usize, separator: char) -> (&str, Option<&str>) {
    match text[from..].find(separator) {
        Some(at) => (&text[..from + at], Some(&text[from + at + separator.len_utf8()..])),
        None => (text, None),
    }
}

/// Cuts at commas that stand outside of brackets and quotes.
fn split_pairs(text: &str) -> Vec<&str> {
    let (mut pairs, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0_usize, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                pairs.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pairs.push(&text[start..]);
    pairs
}

/// A metric that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the metric `{text}`: {reason}")]
pub struct RequestError {
    /// What was written.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_may_carry_a_name_and_options() {
        let plain: MetricRequest = "token_f1".parse().unwrap();
        assert_eq!(plain, MetricRequest::plain("token_f1"));
        let with: MetricRequest = "precision_at_k:k=3".parse().unwrap();
        assert_eq!(
            (with.name.as_str(), with.id.as_str(), &with.options["k"]),
            ("precision_at_k:k=3", "precision_at_k", &Json::from(3))
        );
        let named: MetricRequest = r#"words=contains:all=["a,b","c"],mode=any"#.parse().unwrap();
        assert_eq!((named.name.as_str(), named.id.as_str()), ("words", "contains"));
        assert_eq!(named.options["all"][0], "a,b");
        assert_eq!(named.options["mode"], "any");
    }

    #[test]
    fn a_function_of_a_python_file_is_a_metric() {
        let source = |text: &str| {
            let request: MetricRequest = text.parse().unwrap();
            let code = request.code.map(|code| code.source.to_string()).unwrap_or_default();
            (request.name, request.id, code, request.options)
        };
        let plain = source("a/checks.py:brand_voice");
        assert_eq!(
            plain,
            ("brand_voice".into(), "checks.py:brand_voice".into(), "a/checks.py:brand_voice".into(), Json::Null)
        );
        let with = source("checks.py:brand_voice:words=[\"a:b\"],k=3");
        assert_eq!(with.0, "brand_voice:words=[\"a:b\"],k=3");
        assert_eq!(with.3, serde_json::json!({"words": ["a:b"], "k": 3}));
        let named = source("voice=./checks.py:brand_voice:k=3");
        assert_eq!((named.0.as_str(), named.2.as_str()), ("voice", "./checks.py:brand_voice"));
        assert_eq!(source(r"C:\x\checks.py:f").1, "checks.py:f");
        for text in [r#"contains:all=["x.py:"]"#, "contains:text=x.py:y"] {
            let other: MetricRequest = text.parse().unwrap();
            assert_eq!((other.id.as_str(), other.code), ("contains", None), "{text}");
        }
        for text in ["checks.py:", "python:checks.py:f", "file://checks.py:f"] {
            assert!(text.parse::<MetricRequest>().unwrap_err().to_string().contains("FILE.py:NAME"), "{text}");
        }
    }

    #[test]
    fn a_trajectory_is_its_metric_turn_by_turn() {
        let found: MetricRequest = "trajectory:metric=token_f1,over=min".parse().unwrap();
        assert_eq!((found.name.as_str(), found.id.as_str()), ("trajectory:metric=token_f1,over=min", "token_f1"));
        assert_eq!(found.options, serde_json::json!({"over": "min", "per": "turn"}));
        for bad in [
            "trajectory",
            "t=trajectory:metric=3",
            "trajectory:metric=token_f1,per=case",
            "trajectory:metric=trajectory",
        ] {
            let error = bad.parse::<MetricRequest>().unwrap_err().to_string();
            assert!(error.contains("`trajectory`"), "{error}");
        }
    }

    #[test]
    fn a_request_that_cannot_be_read_says_why() {
        for (text, part) in
            [("", "names no metric"), ("a:b", "KEY=VALUE"), ("a:k=1,k=2", "twice"), ("=a", "names no metric")]
        {
            let error = text.parse::<MetricRequest>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
