//! How much of an expected call's arguments is right, and what is wrong with the rest.

use probare_core::{CaseToolCall, ErrorKind, ScoreError, escape_pointer_key, json_to_text};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::Equality;
use super::glob::matches_glob;

/// The share of a pair in which everything is right, in millionths.
pub(in super::super) const FULL_SHARE: i64 = 1_000_000;

/// The size of a compiled pattern at most.
const LARGEST_PATTERN: usize = 1 << 20;

/// The error where a pattern of an expected call is none.
pub(in super::super) fn check_patterns(expected: &CaseToolCall) -> Result<(), ScoreError> {
    for (pointer, pattern) in expected.alternatives().flat_map(|call| call.regex.iter().flatten()) {
        let reason = match pattern.as_str() {
            None => "is not text".to_owned(),
            Some(pattern) => {
                match regex::RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(LARGEST_PATTERN).build() {
                    Ok(_) => continue,
                    Err(error) => format!("is no regular expression: {error}"),
                }
            }
        };
        let reason =
            format!("`regex` of the expected call of `{}`: the pattern of `{pointer}` {reason}", expected.name);
        return Err(ScoreError::other(ErrorKind::Failed, reason));
    }
    Ok(())
}

/// Relation of the called arguments to the expected ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentMode {
    /// The same keys.
    #[default]
    Exact,
    /// All expected ones, and perhaps more.
    AtLeast,
    /// Nothing beyond the expected ones.
    AtMost,
    /// Not compared.
    Ignore,
}

/// How the arguments of a pair are compared.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct ArgumentRules {
    pub arguments: ArgumentMode,
    /// Globs of arguments that are left out on both sides.
    pub ignore: Vec<String>,
    /// The only arguments that are compared, where it names any.
    pub keys: Option<Vec<String>>,
    /// Values of arguments that are missing.
    pub defaults: Map<String, Json>,
    pub equality: Equality,
}

/// What is wrong with an argument; the pointer begins inside of the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum ArgumentDifference {
    /// Another value.
    Wrong(String),
    /// Expected and not there.
    Missing(String),
    /// There and not expected.
    Extra(String),
}

/// The share of right arguments, in millionths, and what is wrong.
pub(in super::super) fn compare_arguments(
    called: &CaseToolCall,
    expected: &CaseToolCall,
    rules: &ArgumentRules,
) -> (i64, Vec<ArgumentDifference>) {
    let mut found = DifferenceLog { is_recorded: true, is_whole: true, differences: Vec::new() };
    let share = share_with_differences(called, expected, rules, &mut found);
    (share, found.differences)
}

/// The share alone, without the names of what is wrong.
pub(in super::super) fn argument_share(called: &CaseToolCall, expected: &CaseToolCall, rules: &ArgumentRules) -> i64 {
    share_with_differences(
        called,
        expected,
        rules,
        &mut DifferenceLog { is_recorded: false, is_whole: true, differences: Vec::new() },
    )
}

/// What was found to be wrong.
struct DifferenceLog {
    /// Whether it is to be named.
    is_recorded: bool,
    is_whole: bool,
    differences: Vec<ArgumentDifference>,
}

impl DifferenceLog {
    fn push(&mut self, difference: impl FnOnce() -> ArgumentDifference) {
        self.is_whole = false;
        if self.is_recorded {
            self.differences.push(difference());
        }
    }
}

fn share_with_differences(
    called: &CaseToolCall,
    expected: &CaseToolCall,
    rules: &ArgumentRules,
    found: &mut DifferenceLog,
) -> i64 {
    if rules.arguments == ArgumentMode::Ignore {
        return FULL_SHARE;
    }
    if called.problem.is_some() {
        return 0;
    }
    let with_defaults = |arguments: &Map<String, Json>| {
        let mut arguments = arguments.clone();
        for (key, value) in &rules.defaults {
            arguments.entry(key.as_str()).or_insert_with(|| value.clone());
        }
        arguments
    };
    if expected.any.iter().any(String::is_empty) {
        return FULL_SHARE;
    }
    let has_pointers = found.is_recorded || expected.open_expectation().is_some();
    let comparison = Comparison { expected, rules, has_pointers };
    let share = if rules.defaults.is_empty() {
        comparison.objects("", called.arguments(), expected.arguments(), true, found)
    } else {
        let (called, expected_arguments) = (with_defaults(called.arguments()), with_defaults(expected.arguments()));
        comparison.objects("", &called, &expected_arguments, true, found)
    };
    // A share that is nearly whole is not whole.
    if found.is_whole { FULL_SHARE } else { share.min(FULL_SHARE - 1) }
}

struct Comparison<'a> {
    expected: &'a CaseToolCall,
    rules: &'a ArgumentRules,
    /// Whether anybody asks for the pointers.
    has_pointers: bool,
}

impl Comparison<'_> {
    fn is_compared(&self, key: &str) -> bool {
        !self.rules.ignore.iter().any(|glob| matches_glob(glob, key))
            && self.rules.keys.as_ref().is_none_or(|keys| keys.iter().any(|known| known == key))
    }

    fn is_optional(&self, pointer: &str) -> bool {
        self.expected.optional.iter().any(|known| known == pointer)
    }

    fn pointer(&self, at: &str, step: impl FnOnce() -> String) -> String {
        if self.has_pointers { format!("{at}/{}", step()) } else { String::new() }
    }

    fn objects(
        &self,
        at: &str,
        called: &Map<String, Json>,
        expected: &Map<String, Json>,
        is_top: bool,
        found: &mut DifferenceLog,
    ) -> i64 {
        let (mut sum, mut count) = (0, 0);
        let mode = self.rules.arguments;
        let expected_keys = expected.keys().filter(|key| mode != ArgumentMode::AtMost || called.contains_key(*key));
        // An argument whose value is left open is expected without standing among the arguments.
        let open = if self.has_pointers { self.open_keys(at) } else { Vec::new() };
        let open = open.iter().filter(|key| !expected.contains_key(*key));
        let open = open.filter(|key| mode != ArgumentMode::AtMost || called.contains_key(*key));
        let open: Vec<&String> = open.collect();
        let is_further = |key: &&String| !expected.contains_key(*key) && !open.contains(key);
        let further = called.keys().filter(is_further).filter(|_| mode != ArgumentMode::AtLeast);
        for key in
            expected_keys.chain(open.iter().copied()).chain(further).filter(|key| !is_top || self.is_compared(key))
        {
            let pointer = self.pointer(at, || escape_pointer_key(key).into_owned());
            match (called.get(key), expected.get(key)) {
                (Some(called), Some(expected)) => sum += self.values(&pointer, called, expected, found),
                (Some(called), None) if open.contains(&key) => match called {
                    called if self.is_accepted(&pointer, called) => sum += FULL_SHARE,
                    Json::Object(called) if !self.open_keys(&pointer).is_empty() => {
                        sum += self.objects(&pointer, called, &Map::new(), false, found);
                    }
                    _ => found.push(|| ArgumentDifference::Wrong(pointer)),
                },
                (None, _) if self.is_optional(&pointer) => continue,
                (None, _) => found.push(|| ArgumentDifference::Missing(pointer)),
                // An argument may be left out or have one of the values that are accepted.
                (Some(called), None) if self.is_accepted(&pointer, called) => sum += FULL_SHARE,
                (Some(_), None) => found.push(|| ArgumentDifference::Extra(pointer)),
            }
            count += 1;
        }
        if count == 0 { FULL_SHARE } else { sum / count }
    }

    /// The members of the object at a pointer that the expectation leaves open, or something inside of them.
    fn open_keys(&self, at: &str) -> Vec<String> {
        let named = self.expected.any.iter().chain(self.expected.regex.iter().flat_map(Map::keys));
        let inside = named.filter_map(|pointer| pointer.strip_prefix(at)?.strip_prefix('/')?.split('/').next());
        let mut keys: Vec<String> = Vec::new();
        for key in inside.map(|key| key.replace("~1", "/").replace("~0", "~")) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// Whether the expectation takes any value here, or the text of this one fits its pattern.
    fn is_open(&self, pointer: &str, called: &Json) -> bool {
        let fits = |pattern: &Json| {
            probare_cancellation::count_steps(1_000);
            let pattern = pattern.as_str().unwrap_or_default();
            let built = regex::RegexBuilder::new(&format!("^(?:{pattern})$")).size_limit(LARGEST_PATTERN).build();
            built.is_ok_and(|pattern| pattern.is_match(&json_to_text(called)))
        };
        self.expected.any.iter().any(|known| known == pointer)
            || self.expected.regex.as_ref().and_then(|regex| regex.get(pointer)).is_some_and(fits)
    }

    fn is_accepted(&self, pointer: &str, called: &Json) -> bool {
        if self.is_open(pointer, called) {
            return true;
        }
        let accepted = self.expected.accept.as_ref().and_then(|accept| accept.get(pointer)).and_then(Json::as_array);
        accepted.is_some_and(|values| values.iter().any(|value| self.rules.equality.equal(called, value)))
    }

    fn values(&self, pointer: &str, called: &Json, expected: &Json, found: &mut DifferenceLog) -> i64 {
        if self.rules.equality.equal(called, expected) || self.is_accepted(pointer, called) {
            return FULL_SHARE;
        }
        match (called, expected) {
            (Json::Object(called), Json::Object(expected)) => self.objects(pointer, called, expected, false, found),
            (Json::Array(called), Json::Array(expected)) => {
                let (mut sum, mut count) = (0, 0);
                for number in 0..called.len().max(expected.len()) {
                    let pointer = self.pointer(pointer, || number.to_string());
                    match (called.get(number), expected.get(number)) {
                        (Some(called), Some(expected)) => sum += self.values(&pointer, called, expected, found),
                        (None, _) => found.push(|| ArgumentDifference::Missing(pointer)),
                        (Some(_), None) => found.push(|| ArgumentDifference::Extra(pointer)),
                    }
                    count += 1;
                }
                if count == 0 { FULL_SHARE } else { sum / count }
            }
            _ => {
                found.push(|| ArgumentDifference::Wrong(pointer.to_owned()));
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(called: &str, expected: &str, rules: &ArgumentRules) -> (i64, Vec<ArgumentDifference>) {
        let call = |text: &str| serde_json::from_str::<CaseToolCall>(text).unwrap();
        compare_arguments(&call(called), &call(expected), rules)
    }

    #[test]
    fn a_share_is_the_mean_over_the_keys_that_are_compared() {
        let called = r#"{"name":"f","arguments":{"city":"Rome","days":3,"at":{"x":1,"y":2},"z":0}}"#;
        let expected = r#"{"name":"f","arguments":{"city":"Paris","days":3.0,"at":{"x":1,"y":3}}}"#;
        let of = |arguments| shares(called, expected, &ArgumentRules { arguments, ..ArgumentRules::default() });
        assert_eq!(of(ArgumentMode::Exact).0, 1_500_000 / 4);
        assert_eq!(of(ArgumentMode::AtLeast).0, 500_000);
        assert_eq!(of(ArgumentMode::Ignore).0, FULL_SHARE);
        let wrong = |pointer: &str| ArgumentDifference::Wrong(pointer.into());
        assert_eq!(
            of(ArgumentMode::AtMost).1,
            [wrong("/city"), wrong("/at/y"), ArgumentDifference::Extra("/z".into())]
        );
        let rules = ArgumentRules { keys: Some(vec!["days".into()]), ..ArgumentRules::default() };
        assert_eq!(shares(called, expected, &rules), (FULL_SHARE, vec![]));
        let rules = ArgumentRules { ignore: vec!["[".into(), "*".into()], ..ArgumentRules::default() };
        assert_eq!(shares(called, expected, &rules).0, FULL_SHARE);
    }

    #[test]
    fn what_is_accepted_optional_or_a_default_is_right() {
        let expected = r#"{"name":"f","arguments":{"city":"Paris","n":1},"accept":{"/city":["Rome"],"/unit":["C"]},"optional":["/n"]}"#;
        assert_eq!(
            shares(r#"{"name":"f","arguments":{"city":"Rome","unit":"C"}}"#, expected, &ArgumentRules::default()).0,
            FULL_SHARE
        );
        assert!(
            shares(r#"{"name":"f","arguments":{"city":"Oslo"}}"#, expected, &ArgumentRules::default()).0 < FULL_SHARE
        );
        let mut rules = ArgumentRules::default();
        rules.defaults.insert("unit".into(), Json::from("C"));
        assert_eq!(shares(r#"{"name":"f","arguments":{"unit":"C"}}"#, r#"{"name":"f"}"#, &rules).0, FULL_SHARE);
    }

    #[test]
    fn what_is_left_open_takes_any_value_or_one_that_fits_the_pattern() {
        let expected =
            r#"{"name":"f","arguments":{"n":1},"any":["/id","/at/x"],"regex":{"/q":"(?i)paris.*","/year":"20\\d\\d"}}"#;
        let share = |arguments: &str| {
            shares(&format!(r#"{{"name":"f","arguments":{arguments}}}"#), expected, &ArgumentRules::default())
        };
        assert_eq!(share(r#"{"n":1,"id":"x9","at":{"x":5},"q":"PARIS fr","year":2026}"#), (FULL_SHARE, vec![]));
        let (value, differences) = share(r#"{"n":1,"at":{"x":5,"y":6},"q":"in Paris","year":1999}"#);
        assert_eq!(value, 1_500_000 / 5);
        let named = [
            ArgumentDifference::Missing("/id".into()),
            ArgumentDifference::Extra("/at/y".into()),
            ArgumentDifference::Wrong("/q".into()),
            ArgumentDifference::Wrong("/year".into()),
        ];
        assert_eq!(differences, named);
        // A name alone expects no arguments in particular.
        let any =
            shares(r#"{"name":"f","arguments":{"a":1}}"#, r#"{"name":"f","any":[""]}"#, &ArgumentRules::default());
        assert_eq!(any, (FULL_SHARE, vec![]));
    }

    #[test]
    fn a_pattern_that_is_none_is_an_error() {
        let call: CaseToolCall =
            serde_json::from_str(r#"{"name":"f","one_of":[{"name":"g","regex":{"/q":"("}}]}"#).unwrap();
        let error = check_patterns(&call).unwrap_err().to_string();
        assert!(error.contains("`/q` is no regular expression"), "{error}");
    }

    #[test]
    fn a_call_that_cannot_be_read_has_nothing_right_and_null_is_not_missing() {
        let broken = r#"{"name":"f","problem":"unparseable"}"#;
        assert_eq!(shares(broken, r#"{"name":"f"}"#, &ArgumentRules::default()).0, 0);
        let null = shares(r#"{"name":"f","arguments":{"a":null}}"#, r#"{"name":"f"}"#, &ArgumentRules::default());
        assert_eq!(null, (0, vec![ArgumentDifference::Extra("/a".into())]));
    }
}
