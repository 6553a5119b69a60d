//! [`plain_case`]: the short way to a case, for lines that are as the published schema wants them.
//!
//! Nearly every line is. Such a line is read straight into a case, with the rules of the schema checked on the way; all
//! others go the long way through [`super::Schema`], which alone knows what to say about them. A test holds the two ways
//! against each other.

use super::{Case, Check, Expected};
use crate::quick_json::Reader;

/// The case of a line that the published schema accepts; nothing where it may not.
pub(super) fn plain_case(line: &str) -> Option<Case<'_>> {
    let mut reader = Reader::new(line);
    let (mut id, mut user, mut assistant, mut checks) = (None, None, None, None);
    let (mut expected, mut tags, mut notes) = (None, None, None);
    reader.object(|reader, key| match key {
        "id" => once(&mut id, reader.string()?),
        "user" => once(&mut user, reader.string()?),
        "assistant" => once(&mut assistant, reader.string()?),
        "checks" => once(&mut checks, reader.list(|reader| Check::named(&reader.string()?))?),
        "expected" => once(&mut expected, verdicts(reader)?),
        "tags" => once(&mut tags, reader.list(|reader| Some(reader.string()?.into_owned()))?),
        "notes" => once(&mut notes, reader.string()?.into_owned()),
        _ => None,
    })?;
    let case = Case {
        id: id.filter(|id| is_id(id))?,
        user: user.filter(|user| !user.is_empty())?,
        assistant: assistant.filter(|reply| !reply.is_empty())?,
        checks: checks.filter(|checks| !checks.is_empty())?,
        expected,
        tags: tags.unwrap_or_default(),
        notes,
    };
    let distinct = case.checks.iter().enumerate().all(|(number, check)| !case.checks[..number].contains(check));
    (distinct && reader.at() == line.len()).then_some(case)
}

/// Takes a value that has not been given before.
fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

fn verdicts(reader: &mut Reader<'_>) -> Option<Expected> {
    let mut expected = Expected::default();
    reader.object(|reader, key| once(expected.of_mut(Check::named(key)?), reader.flag()?))?;
    Some(expected)
}

/// Capital letters, a hyphen, digits.
fn is_id(id: &str) -> bool {
    let some = |text: &str, test: fn(u8) -> bool| !text.is_empty() && text.bytes().all(test);
    id.split_once('-').is_some_and(|(letters, digits)| {
        some(letters, |byte| byte.is_ascii_uppercase()) && some(digits, |byte| byte.is_ascii_digit())
    })
}
