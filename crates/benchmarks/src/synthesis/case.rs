//! [`SynthesisCase`]: one line of a case file: what was said, the checks to run on it, and what people expect of them.

use std::borrow::Cow;
use std::fmt;

use probare_core::{Case, Output};
use probare_metrics::care::Upstream;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json, json};

/// One of the checkers; the last two exist in Synthesis 1.3 only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Does the reply leave the choice to the user?
    AgencyLanguage,
    /// Does it promise only what can be known?
    UnverifiableReassurance,
    /// Does it stay with what hurts?
    TopicPivot,
    /// Is it warm stock phrases and nothing else?
    PerformativeEmpathy,
    /// Does it take up what was disclosed?
    GroundedUptake,
}

impl Check {
    /// All checks, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::AgencyLanguage,
        Self::UnverifiableReassurance,
        Self::TopicPivot,
        Self::PerformativeEmpathy,
        Self::GroundedUptake,
    ];

    /// Those of a version of Synthesis.
    pub const fn of_upstream(upstream: Upstream) -> &'static [Self] {
        match upstream {
            Upstream::V1_0 => &[Self::AgencyLanguage, Self::UnverifiableReassurance, Self::TopicPivot],
            Upstream::V1_3 => &Self::ALL,
        }
    }

    /// The name in files, which is the id of the metric.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AgencyLanguage => "agency_language",
            Self::UnverifiableReassurance => "unverifiable_reassurance",
            Self::TopicPivot => "topic_pivot",
            Self::PerformativeEmpathy => "performative_empathy",
            Self::GroundedUptake => "grounded_uptake",
        }
    }

    /// The check of this name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }

    /// The name in titles.
    pub const fn title(self) -> &'static str {
        match self {
            Self::AgencyLanguage => "Agency Language",
            Self::UnverifiableReassurance => "Unverifiable Reassurance",
            Self::TopicPivot => "Topic Pivot",
            Self::PerformativeEmpathy => "Performative Empathy",
            Self::GroundedUptake => "Grounded Uptake",
        }
    }
}

impl<'de> Deserialize<'de> for Check {
    /// Takes the name and nothing else; a derived reader would take an object with that key as well.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Check;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a check")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Check, E> {
                const NAMES: [&str; 5] = [
                    Check::ALL[0].name(),
                    Check::ALL[1].name(),
                    Check::ALL[2].name(),
                    Check::ALL[3].name(),
                    Check::ALL[4].name(),
                ];
                Check::from_name(name).ok_or_else(|| E::unknown_variant(name, &NAMES))
            }
        }

        deserializer.deserialize_str(Name)
    }
}

/// One exchange of a file, in the words of the file where they need no unescaping.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SynthesisCase<'a> {
    /// Capital letters, a hyphen, digits.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// What the user wrote.
    #[serde(borrow)]
    pub user: Cow<'a, str>,
    /// What the assistant replied.
    #[serde(borrow)]
    pub assistant: Cow<'a, str>,
    /// The checks to run, in the order in which they are reported.
    pub checks: Vec<Check>,
    /// The verdicts that people expect.
    #[serde(default, deserialize_with = "not_null")]
    pub expected: Option<ExpectedVerdicts>,
    /// Labels; some of them mark a case that is meant to fail.
    #[serde(default)]
    pub tags: Vec<String>,
    /// A remark.
    #[serde(default, deserialize_with = "not_null")]
    pub notes: Option<String>,
}

/// What is there is no `null`.
fn not_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl SynthesisCase<'_> {
    /// Whether the rules of the published schema hold that the types do not hold already.
    pub(super) fn is_as_published(&self, upstream: Upstream) -> bool {
        let known = Check::of_upstream(upstream);
        let is_labelled = |check: &Check| self.expected.is_some_and(|expected| expected.for_check(*check).is_some());
        if !self
            .checks
            .iter()
            .chain(Check::ALL.iter().filter(|check| is_labelled(check)))
            .all(|check| known.contains(check))
        {
            return false;
        }
        let some = |text: &str, test: fn(u8) -> bool| !text.is_empty() && text.bytes().all(test);
        let is_id = self.id.split_once('-').is_some_and(|(letters, digits)| {
            some(letters, |byte| byte.is_ascii_uppercase()) && some(digits, |byte| byte.is_ascii_digit())
        });
        let distinct = self.checks.iter().enumerate().all(|(number, check)| !self.checks[..number].contains(check));
        is_id && distinct && !self.user.is_empty() && !self.assistant.is_empty() && !self.checks.is_empty()
    }

    /// The exchange in the form that all runs share; what only this benchmark knows is in the metadata.
    pub fn into_case(self) -> Case {
        let mut metadata = Map::new();
        metadata.insert(CHECKS.to_owned(), self.checks.iter().map(|check| check.name()).collect());
        if let Some(expected) = &self.expected {
            metadata.insert(EXPECTED.to_owned(), json!(expected));
        }
        if let Some(notes) = self.notes {
            metadata.insert("notes".to_owned(), Json::String(notes));
        }
        Case {
            id: self.id.into_owned(),
            query: Some(self.user.into_owned()),
            response: Some(Output::new(self.assistant)),
            tags: self.tags,
            metadata,
            ..Case::default()
        }
    }
}

const CHECKS: &str = "checks";
const EXPECTED: &str = "expected";

/// The checks that a case asks for, in its order.
pub(super) fn checks_of(case: &Case) -> impl Iterator<Item = Check> {
    let names = case.metadata.get(CHECKS).and_then(Json::as_array).into_iter().flatten();
    names.filter_map(|name| Check::from_name(name.as_str()?))
}

/// The verdicts that people expect of a case, where they expect any.
pub(super) fn expected_of(case: &Case) -> Option<ExpectedVerdicts> {
    case.metadata.get(EXPECTED).and_then(|expected| ExpectedVerdicts::deserialize(expected).ok())
}

/// Whether a case is meant to fail: it has the tag `negative_example` or one that ends in `-fail`.
pub(super) fn is_negative_example(case: &Case) -> bool {
    case.tags.iter().any(|tag| tag == "negative_example" || tag.ends_with("-fail"))
}

/// Expected verdicts: true is fine, false a violation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ExpectedVerdicts {
    /// Of `agency_language`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agency_language: Option<bool>,
    /// Of `unverifiable_reassurance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverifiable_reassurance: Option<bool>,
    /// Of `topic_pivot`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic_pivot: Option<bool>,
    /// Of `performative_empathy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub performative_empathy: Option<bool>,
    /// Of `grounded_uptake`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounded_uptake: Option<bool>,
}

impl ExpectedVerdicts {
    /// The expected verdict of a check.
    pub const fn for_check(&self, check: Check) -> Option<bool> {
        match check {
            Check::AgencyLanguage => self.agency_language,
            Check::UnverifiableReassurance => self.unverifiable_reassurance,
            Check::TopicPivot => self.topic_pivot,
            Check::PerformativeEmpathy => self.performative_empathy,
            Check::GroundedUptake => self.grounded_uptake,
        }
    }

    const fn for_check_mut(&mut self, check: Check) -> &mut Option<bool> {
        match check {
            Check::AgencyLanguage => &mut self.agency_language,
            Check::UnverifiableReassurance => &mut self.unverifiable_reassurance,
            Check::TopicPivot => &mut self.topic_pivot,
            Check::PerformativeEmpathy => &mut self.performative_empathy,
            Check::GroundedUptake => &mut self.grounded_uptake,
        }
    }
}

impl<'de> Deserialize<'de> for ExpectedVerdicts {
    /// Takes an object of truth values; a derived reader would take a list and `null` as well.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Verdicts;

        impl<'de> Visitor<'de> for Verdicts {
            type Value = ExpectedVerdicts;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object with a verdict for each check")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ExpectedVerdicts, A::Error> {
                let mut expected = ExpectedVerdicts::default();
                while let Some((check, verdict)) = map.next_entry::<Check, bool>()? {
                    if expected.for_check_mut(check).replace(verdict).is_some() {
                        return Err(A::Error::custom(format_args!("duplicate field `{}`", check.name())));
                    }
                }
                Ok(expected)
            }
        }

        deserializer.deserialize_map(Verdicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_mark_negative_examples() {
        let is_negative = |tag: &str| is_negative_example(&Case { tags: vec![tag.into()], ..Case::default() });
        assert!(is_negative("negative_example") && is_negative("-fail"));
        assert!(!is_negative("fail") && !is_negative("x-FAIL"));
    }

    #[test]
    fn a_case_keeps_what_only_this_benchmark_knows() {
        let line = r#"{"id": "A-1", "user": "u", "assistant": "a", "checks": ["topic_pivot", "agency_language"],
            "expected": {"topic_pivot": false}, "notes": "n"}"#;
        let case = serde_json::from_str::<SynthesisCase<'_>>(line).unwrap().into_case();
        assert_eq!(checks_of(&case).collect::<Vec<_>>(), [Check::TopicPivot, Check::AgencyLanguage]);
        assert_eq!(expected_of(&case).unwrap().for_check(Check::TopicPivot), Some(false));
        assert_eq!(case.metadata["notes"], "n");
    }
}
