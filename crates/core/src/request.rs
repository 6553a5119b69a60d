//! [`MetricRequest`]: a metric as the user asks for it.

use std::str::FromStr;

use serde_json::{Map, Value as Json};

use crate::{MetricInfo, Profile};

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
}

impl MetricRequest {
    /// The request that gave a metric of a finished run.
    pub fn again(info: &MetricInfo) -> Self {
        Self {
            name: info.name.clone(),
            id: info.id.clone().into_owned(),
            options: info.options.clone(),
            profile: info.profile,
        }
    }

    /// A metric with its defaults.
    pub fn plain(id: impl Into<String>) -> Self {
        let id = id.into();
        Self { name: id.clone(), id, options: Json::Null, profile: None }
    }
}

/// Reads `ID`, `ID:KEY=VALUE,KEY=VALUE` or `NAME=ID:KEY=VALUE`. A value is JSON where it can be read as such and text
/// otherwise; commas inside brackets and quotes do not separate. Without a name of its own the metric is called as it is
/// written, so that a file of results says with which options it was made. `trajectory:metric=ID` is `ID:per=turn`.
impl FromStr for MetricRequest {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        let bad = |reason: &str| RequestError { text: text.to_owned(), reason: reason.to_owned() };
        let (head, tail) = text.split_once(':').map_or((text, None), |(head, tail)| (head, Some(tail)));
        let (name, id) = match head.split_once('=') {
            Some((name, id)) => (name.trim(), id.trim()),
            None => (text.trim(), head.trim()),
        };
        if id.is_empty() || name.is_empty() {
            return Err(bad("it names no metric"));
        }
        let mut options = Map::new();
        for pair in tail.map(split_pairs).unwrap_or_default() {
            let (key, value) = pair.split_once('=').ok_or_else(|| bad("options are written KEY=VALUE"))?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Json::String(value.to_owned()));
            if options.insert(key.trim().to_owned(), value).is_some() {
                return Err(bad("an option stands there twice"));
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
        Ok(Self { name: name.to_owned(), id, options, profile: None })
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
