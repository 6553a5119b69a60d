//! Whether a regular expression matches the response.

use probare_core::{BuildError, Evidence, EvidenceKind, Field, Metric, Outcome, Sample, Score, ScoreError, metric};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::Deserialize;

/// Options of `regex_match`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegexMatch {
    /// The regular expression, in the syntax of Rust's `regex` crate.
    pub pattern: String,
    /// Where it has to match.
    #[serde(default)]
    pub mode: Mode,
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
pub enum Mode {
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
    prepare: Compiled::new,
    since: "0.1",
    version: 1,
    page: "regex_match.md",
});

/// The expression, ready to run.
struct Compiled {
    regex: Regex,
    pattern: String,
}

impl Compiled {
    fn new(options: RegexMatch) -> Result<Self, BuildError> {
        let pattern = options.pattern;
        // The anchors go around a group, so that they bind the whole of an alternation.
        let anchored = match options.mode {
            Mode::Search => pattern.clone(),
            Mode::Prefix => format!(r"\A(?:{pattern})"),
            Mode::Full => format!(r"\A(?:{pattern})\z"),
        };
        let build = |pattern: &str| {
            RegexBuilder::new(pattern)
                .case_insensitive(options.ignore_case)
                .multi_line(options.multi_line)
                .dot_matches_new_line(options.dot_matches_new_line)
                .build()
                .map_err(|error| BuildError::Options(format!("`pattern` is no regular expression: {error}")))
        };
        // Compiled on its own first: an unbalanced group must not be balanced by the anchors, and the message shows
        // the pattern as it was given.
        build(&pattern)?;
        Ok(Self { regex: build(&anchored)?, pattern })
    }
}

impl Metric for Compiled {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        let response = sample.response()?;
        let found = self.regex.find(response);
        let evidence = match &found {
            Some(found) => Evidence::at(EvidenceKind::Found, Field::Response, found.range(), response),
            None => Evidence::missing(self.pattern.clone()),
        };
        Ok(Score::from_bool(found.is_some()).because([evidence]).into())
    }
}
