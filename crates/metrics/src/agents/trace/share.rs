//! How much of an expected call's arguments is right, and what is wrong with the rest.

use probare_core::{Call, pointer_step};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::Equality;
use super::glob::fits;

/// The share of a pair in which everything is right, in millionths.
pub(in super::super) const WHOLE: i64 = 1_000_000;

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
pub(in super::super) struct PairRules {
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
pub(in super::super) enum Difference {
    /// Another value.
    Wrong(String),
    /// Expected and not there.
    Missing(String),
    /// There and not expected.
    Extra(String),
}

/// The share of right arguments, in millionths, and what is wrong.
pub(in super::super) fn compare(called: &Call, expected: &Call, rules: &PairRules) -> (i64, Vec<Difference>) {
    let mut found = Found { is_named: true, is_whole: true, differences: Vec::new() };
    let share = share_and(called, expected, rules, &mut found);
    (share, found.differences)
}

/// The share alone, without the names of what is wrong.
pub(in super::super) fn share(called: &Call, expected: &Call, rules: &PairRules) -> i64 {
    share_and(called, expected, rules, &mut Found { is_named: false, is_whole: true, differences: Vec::new() })
}

/// What was found to be wrong.
struct Found {
    /// Whether it is to be named.
    is_named: bool,
    is_whole: bool,
    differences: Vec<Difference>,
}

impl Found {
    fn push(&mut self, difference: impl FnOnce() -> Difference) {
        self.is_whole = false;
        if self.is_named {
            self.differences.push(difference());
        }
    }
}

fn share_and(called: &Call, expected: &Call, rules: &PairRules, found: &mut Found) -> i64 {
    if rules.arguments == ArgumentMode::Ignore {
        return WHOLE;
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
    let has_pointers = found.is_named || expected.accept.is_some() || !expected.optional.is_empty();
    let comparison = Comparison { expected, rules, has_pointers };
    let share = if rules.defaults.is_empty() {
        comparison.objects("", called.arguments(), expected.arguments(), true, found)
    } else {
        let (called, wanted) = (with_defaults(called.arguments()), with_defaults(expected.arguments()));
        comparison.objects("", &called, &wanted, true, found)
    };
    // A share that is nearly whole is not whole.
    if found.is_whole { WHOLE } else { share.min(WHOLE - 1) }
}

struct Comparison<'a> {
    expected: &'a Call,
    rules: &'a PairRules,
    /// Whether anybody asks for the pointers.
    has_pointers: bool,
}

impl Comparison<'_> {
    fn is_compared(&self, key: &str) -> bool {
        !self.rules.ignore.iter().any(|glob| fits(glob, key))
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
        found: &mut Found,
    ) -> i64 {
        let (mut sum, mut count) = (0, 0);
        let mode = self.rules.arguments;
        let wanted = expected.keys().filter(|key| mode != ArgumentMode::AtMost || called.contains_key(*key));
        let further = called.keys().filter(|key| mode != ArgumentMode::AtLeast && !expected.contains_key(*key));
        for key in wanted.chain(further).filter(|key| !is_top || self.is_compared(key)) {
            let pointer = self.pointer(at, || pointer_step(key).into_owned());
            match (called.get(key), expected.get(key)) {
                (Some(called), Some(expected)) => sum += self.values(&pointer, called, expected, found),
                (None, _) if self.is_optional(&pointer) => continue,
                (None, _) => found.push(|| Difference::Missing(pointer)),
                // An argument may be left out or have one of the values that are accepted.
                (Some(called), None) if self.is_accepted(&pointer, called) => sum += WHOLE,
                (Some(_), None) => found.push(|| Difference::Extra(pointer)),
            }
            count += 1;
        }
        if count == 0 { WHOLE } else { sum / count }
    }

    fn is_accepted(&self, pointer: &str, called: &Json) -> bool {
        let accepted = self.expected.accept.as_ref().and_then(|accept| accept.get(pointer)).and_then(Json::as_array);
        accepted.is_some_and(|values| values.iter().any(|value| self.rules.equality.equal(called, value)))
    }

    fn values(&self, pointer: &str, called: &Json, expected: &Json, found: &mut Found) -> i64 {
        if self.rules.equality.equal(called, expected) || self.is_accepted(pointer, called) {
            return WHOLE;
        }
        match (called, expected) {
            (Json::Object(called), Json::Object(expected)) => self.objects(pointer, called, expected, false, found),
            (Json::Array(called), Json::Array(expected)) => {
                let (mut sum, mut count) = (0, 0);
                for number in 0..called.len().max(expected.len()) {
                    let pointer = self.pointer(pointer, || number.to_string());
                    match (called.get(number), expected.get(number)) {
                        (Some(called), Some(expected)) => sum += self.values(&pointer, called, expected, found),
                        (None, _) => found.push(|| Difference::Missing(pointer)),
                        (Some(_), None) => found.push(|| Difference::Extra(pointer)),
                    }
                    count += 1;
                }
                if count == 0 { WHOLE } else { sum / count }
            }
            _ => {
                found.push(|| Difference::Wrong(pointer.to_owned()));
                0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(called: &str, expected: &str, rules: &PairRules) -> (i64, Vec<Difference>) {
        let call = |text: &str| serde_json::from_str::<Call>(text).unwrap();
        compare(&call(called), &call(expected), rules)
    }

    #[test]
    fn a_share_is_the_mean_over_the_keys_that_are_compared() {
        let called = r#"{"name":"f","arguments":{"city":"Rome","days":3,"at":{"x":1,"y":2},"z":0}}"#;
        let expected = r#"{"name":"f","arguments":{"city":"Paris","days":3.0,"at":{"x":1,"y":3}}}"#;
        let of = |arguments| shares(called, expected, &PairRules { arguments, ..PairRules::default() });
        assert_eq!(of(ArgumentMode::Exact).0, 1_500_000 / 4);
        assert_eq!(of(ArgumentMode::AtLeast).0, 500_000);
        assert_eq!(of(ArgumentMode::Ignore).0, WHOLE);
        let wrong = |pointer: &str| Difference::Wrong(pointer.into());
        assert_eq!(of(ArgumentMode::AtMost).1, [wrong("/city"), wrong("/at/y"), Difference::Extra("/z".into())]);
        let rules = PairRules { keys: Some(vec!["days".into()]), ..PairRules::default() };
        assert_eq!(shares(called, expected, &rules), (WHOLE, vec![]));
        let rules = PairRules { ignore: vec!["[".into(), "*".into()], ..PairRules::default() };
        assert_eq!(shares(called, expected, &rules).0, WHOLE);
    }

    #[test]
    fn what_is_accepted_optional_or_a_default_is_right() {
        let expected = r#"{"name":"f","arguments":{"city":"Paris","n":1},"accept":{"/city":["Rome"],"/unit":["C"]},"optional":["/n"]}"#;
        assert_eq!(
            shares(r#"{"name":"f","arguments":{"city":"Rome","unit":"C"}}"#, expected, &PairRules::default()).0,
            WHOLE
        );
        assert!(shares(r#"{"name":"f","arguments":{"city":"Oslo"}}"#, expected, &PairRules::default()).0 < WHOLE);
        let mut rules = PairRules::default();
        rules.defaults.insert("unit".into(), Json::from("C"));
        assert_eq!(shares(r#"{"name":"f","arguments":{"unit":"C"}}"#, r#"{"name":"f"}"#, &rules).0, WHOLE);
    }

    #[test]
    fn a_call_that_cannot_be_read_has_nothing_right_and_null_is_not_missing() {
        let broken = r#"{"name":"f","problem":"unparseable"}"#;
        assert_eq!(shares(broken, r#"{"name":"f"}"#, &PairRules::default()).0, 0);
        let null = shares(r#"{"name":"f","arguments":{"a":null}}"#, r#"{"name":"f"}"#, &PairRules::default());
        assert_eq!(null, (0, vec![Difference::Extra("/a".into())]));
    }
}
