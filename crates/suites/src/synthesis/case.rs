//! [`Case`]: one exchange, the checks to run on it, and what people expect of them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// One of the three checkers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Does the reply leave the choice to the user?
    AgencyLanguage,
    /// Does it promise only what can be known?
    UnverifiableReassurance,
    /// Does it stay with what hurts?
    TopicPivot,
}

impl Check {
    /// All checks, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::AgencyLanguage, Self::UnverifiableReassurance, Self::TopicPivot];

    /// The name in files, which is the id of the metric.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AgencyLanguage => "agency_language",
            Self::UnverifiableReassurance => "unverifiable_reassurance",
            Self::TopicPivot => "topic_pivot",
        }
    }

    /// The check of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|check| check.name() == name)
    }

    /// The name in titles.
    pub const fn title(self) -> &'static str {
        match self {
            Self::AgencyLanguage => "Agency Language",
            Self::UnverifiableReassurance => "Unverifiable Reassurance",
            Self::TopicPivot => "Topic Pivot",
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
                const NAMES: [&str; 3] = [Check::ALL[0].name(), Check::ALL[1].name(), Check::ALL[2].name()];
                Check::named(name).ok_or_else(|| E::unknown_variant(name, &NAMES))
            }
        }

        deserializer.deserialize_str(Name)
    }
}

/// One case of a file, in the words of the file where they need no unescaping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case<'a> {
    /// Capital letters, a hyphen, digits.
    pub id: Cow<'a, str>,
    /// What the user wrote.
    pub user: Cow<'a, str>,
    /// What the assistant replied.
    pub assistant: Cow<'a, str>,
    /// The checks to run, in the order in which they are reported.
    pub checks: Vec<Check>,
    /// The verdicts that people expect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// Labels; some of them mark a case that is meant to fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// A remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

impl Case<'_> {
    /// Whether the case is meant to fail: it has the tag `negative_example` or one that ends in `-fail`.
    pub fn is_negative_example(&self) -> bool {
        self.tags.iter().any(|tag| tag == "negative_example" || tag.ends_with("-fail"))
    }
}

/// Expected verdicts: true is fine, false a violation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expected {
    /// Of `agency_language`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agency_language: Option<bool>,
    /// Of `unverifiable_reassurance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverifiable_reassurance: Option<bool>,
    /// Of `topic_pivot`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic_pivot: Option<bool>,
}

impl Expected {
    /// The expected verdict of a check.
    pub const fn of(&self, check: Check) -> Option<bool> {
        match check {
            Check::AgencyLanguage => self.agency_language,
            Check::UnverifiableReassurance => self.unverifiable_reassurance,
            Check::TopicPivot => self.topic_pivot,
        }
    }

    pub(super) const fn of_mut(&mut self, check: Check) -> &mut Option<bool> {
        match check {
            Check::AgencyLanguage => &mut self.agency_language,
            Check::UnverifiableReassurance => &mut self.unverifiable_reassurance,
            Check::TopicPivot => &mut self.topic_pivot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_mark_negative_examples() {
        let case = |tag: &str| Case {
            id: "A-1".into(),
            user: "u".into(),
            assistant: "a".into(),
            checks: vec![Check::TopicPivot],
            expected: None,
            tags: vec![tag.into()],
            notes: None,
        };
        assert!(case("negative_example").is_negative_example());
        assert!(case("-fail").is_negative_example());
        assert!(!case("fail").is_negative_example());
        assert!(!case("x-FAIL").is_negative_example());
    }
}
