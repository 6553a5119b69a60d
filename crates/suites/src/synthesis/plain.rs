//! [`plain_case`]: the short way to a case, for lines that are as the published schema wants them.
//!
//! Nearly every line is. Such a line is read straight into a case, with the rules of the schema checked on the way; all
//! others go the long way through [`super::Schema`], which alone knows what to say about them. A test holds the two ways
//! against each other.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use super::{Case, Check, Expected};

/// A line in the form of the published schema. Unlike [`Case`], it takes no null for an absent value.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    user: Cow<'a, str>,
    #[serde(borrow)]
    assistant: Cow<'a, str>,
    checks: Vec<Check>,
    #[serde(default, deserialize_with = "given")]
    expected: Option<BTreeMap<Check, bool>>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default, deserialize_with = "given")]
    notes: Option<String>,
}

fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// The case of a line that the published schema accepts; nothing where it may not.
pub(super) fn plain_case(line: &str) -> Option<Case<'_>> {
    // The derived reader would take an array for an object.
    if !line.starts_with('{') {
        return None;
    }
    let line: Line<'_> = serde_json::from_str(line).ok()?;
    let distinct = line.checks.iter().enumerate().all(|(number, check)| !line.checks[..number].contains(check));
    let fine = is_id(&line.id) && !line.user.is_empty() && !line.assistant.is_empty();
    (fine && distinct && !line.checks.is_empty()).then(|| Case {
        id: line.id,
        user: line.user,
        assistant: line.assistant,
        checks: line.checks,
        expected: line.expected.map(|labels| Expected {
            agency_language: labels.get(&Check::AgencyLanguage).copied(),
            unverifiable_reassurance: labels.get(&Check::UnverifiableReassurance).copied(),
            topic_pivot: labels.get(&Check::TopicPivot).copied(),
        }),
        tags: line.tags,
        notes: line.notes,
    })
}

/// Capital letters, a hyphen, digits.
fn is_id(id: &str) -> bool {
    let some = |text: &str, test: fn(u8) -> bool| !text.is_empty() && text.bytes().all(test);
    id.split_once('-').is_some_and(|(letters, digits)| {
        some(letters, |byte| byte.is_ascii_uppercase()) && some(digits, |byte| byte.is_ascii_digit())
    })
}
