//! Whether a regular expression matches the response.

mod pattern;

use probare_core::{BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use schemars::JsonSchema;
use serde::Deserialize;

use self::pattern::{Pattern, TextTooLong};

/// Options of `regex_match`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegexMatch {
    /// The regular expression, in the syntax of Rust's `regex` crate.
    pub pattern: String,
    /// Where it has to match.
    #[serde(default)]
    pub mode: MatchMode,
    /// Whether upper and lower case are the same.
    #[serde(default)]
    pub ignore_case: bool,
    /// Whether `^` and `$` match at the lines of the response, and not at its ends alone.
    #[serde(default)]
    pub multi_line: bool,
    /// Whether `.` matches a line feed too.
    #[serde(default)]
    pub dot_matches_new_line: bool,
}

/// Where the expression has to match.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchMode {
    /// Somewhere in the response.
    #[default]
    Search,
    /// From its beginning on.
    Prefix,
    /// From its beginning to its end.
    Full,
}

metric!(RegexMatch as Pure {
    summary: "Whether a regular expression matches the response",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    prepare: RegexMetric::new,
    since: "0.1",
    version: 1,
    page: "regex_match.md",
});

/// The expression, ready to run, and as it was given.
struct RegexMetric {
    pattern: Pattern,
    given: String,
}

impl RegexMetric {
    fn new(options: RegexMatch) -> Result<Self, BuildError> {
        let pattern = Pattern::new(&options)
            .map_err(|error| BuildError::Options(format!("`pattern` is no regular expression: {error}")))?;
        Ok(Self { pattern, given: options.pattern })
    }
}

impl Metric for RegexMetric {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let found = self.pattern.find(response).map_err(|TextTooLong| ScoreError::BadField {
            field: Field::Response,
            reason: "is too long for an expression of this size with a word boundary".to_owned(),
        })?;
        let evidence = match &found {
            Some(found) => Evidence::at(EvidenceKind::Matched, Field::Response, found.clone(), response),
            None => Evidence::missing(self.given.clone()),
        };
        Ok(Score::from_bool(found.is_some()).because([evidence]).into())
    }
}
