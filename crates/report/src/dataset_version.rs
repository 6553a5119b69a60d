//! [`DatasetVersion`]: which version of a data set a run was over: its digest, and a name where it was given one.

use serde::Serialize;

/// A data set as a run read it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DatasetVersion {
    /// Its name in the run.
    pub name: String,
    /// Name of the version, where it was given one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// SHA-256 of the file. Nothing where the file holds the responses that were scored: it differs from run to run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl DatasetVersion {
    /// Whether it is known that this is another version than that.
    pub fn differs(&self, other: &Self) -> bool {
        match (&self.sha256, &other.sha256) {
            (Some(own), Some(other)) => own != other,
            _ => matches!((&self.version, &other.version), (Some(own), Some(other)) if own != other),
        }
    }

    /// The one among `others` that should be the same: of the same name, or the only one where this is the only one.
    pub fn counterpart<'a>(&self, others: &'a [Self], is_only: bool) -> Option<&'a Self> {
        let only = if is_only { others.first().filter(|_| others.len() == 1) } else { None };
        others.iter().find(|other| other.name == self.name).or(only)
    }

    /// Version and digest in words.
    pub fn describe(&self) -> String {
        let digest = self.sha256.as_deref().map(|sha256| format!("sha256 {}", sha256.get(..12).unwrap_or(sha256)));
        match (&self.version, digest) {
            (Some(version), Some(digest)) => format!("version `{version}` ({digest})"),
            (Some(version), None) => format!("version `{version}`"),
            (None, Some(digest)) => digest,
            (None, None) => "an unknown version".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(version: Option<&str>, sha256: Option<&str>) -> DatasetVersion {
        let text = |text: Option<&str>| text.map(str::to_owned);
        DatasetVersion { name: "facts".into(), version: text(version), sha256: text(sha256) }
    }

    #[test]
    fn the_digest_decides_and_names_where_there_is_none() {
        let (one, two) = (Some("1"), Some("2"));
        for (left, right, differs) in [
            (version(None, one), version(None, two), true),
            (version(one, one), version(one, two), true),
            (version(one, one), version(two, one), false),
            (version(one, None), version(two, one), true),
            (version(one, None), version(one, one), false),
            (version(None, None), version(two, two), false),
        ] {
            assert_eq!(left.differs(&right), differs, "{left:?} {right:?}");
            assert_eq!(right.differs(&left), differs, "{right:?} {left:?}");
        }
    }

    #[test]
    fn counterparts_have_the_same_name_or_are_alone() {
        let one = Some("1");
        let (own, other) = (version(one, None), DatasetVersion { name: "other".into(), ..version(one, None) });
        let only = [other.clone()];
        assert_eq!(own.counterpart(&only, true), Some(&other));
        assert_eq!(own.counterpart(&only, false), None);
        assert_eq!(own.counterpart(&[other, own.clone()], false), Some(&own));
        assert_eq!(version(Some("2"), Some("0123456789abcdef")).describe(), "version `2` (sha256 0123456789ab)");
    }
}
