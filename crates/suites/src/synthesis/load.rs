//! [`load`]: reads a case file and says everything that is wrong with it at once.

use probare_metrics::care::is_free_space;
use serde_json::Value as Json;

use super::javascript::shown;
use super::{Case, Schema};

/// A file of which at least one line is no case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Failed to load {} case(s)", lines.len())]
pub struct LoadError {
    /// The bad lines, in order.
    pub lines: Vec<BadLine>,
}

impl LoadError {
    /// The lines for the error stream: a heading, then one line for each bad line.
    pub fn messages(&self) -> Vec<String> {
        let heading = "\n❌ Schema validation errors:".to_owned();
        std::iter::once(heading).chain(self.lines.iter().map(|line| format!("  • {line}"))).collect()
    }
}

/// A line that is no case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLine {
    /// It is no JSON.
    #[error("Line {number}: Invalid JSON - {problem}")]
    Json {
        /// Number of the line, counted from the first that is not blank.
        number: usize,
        /// What the parser says.
        problem: String,
    },
    /// It is JSON of another form.
    #[error("Line {number} ({id}): {}", problems.join(", "))]
    Form {
        /// Number of the line, counted from the first that is not blank.
        number: usize,
        /// The id of the case, or `unknown`.
        id: String,
        /// What is wrong, each as `path: message`.
        problems: Vec<String>,
    },
}

/// Reads the cases of a file. Blank lines are skipped; those at the beginning do not count in line numbers.
pub fn load(content: &str, schema: &Schema) -> Result<Vec<Case>, LoadError> {
    let mut cases = Vec::new();
    let mut bad = Vec::new();
    for (index, line) in content.trim_matches(is_free_space).split('\n').enumerate() {
        let line = line.trim_matches(is_free_space);
        if line.is_empty() {
            continue;
        }
        match read(line, index + 1, schema) {
            Ok(case) => cases.push(case),
            Err(problem) => bad.push(problem),
        }
    }
    if bad.is_empty() { Ok(cases) } else { Err(LoadError { lines: bad }) }
}

fn read(line: &str, number: usize, schema: &Schema) -> Result<Case, BadLine> {
    let value: Json =
        serde_json::from_str(line).map_err(|error| BadLine::Json { number, problem: error.to_string() })?;
    let id = || shown(value.get("id")).unwrap_or_else(|| "unknown".to_owned());
    let problems = schema.problems(&value);
    if !problems.is_empty() {
        return Err(BadLine::Form { number, id: id(), problems });
    }
    // A schema of one's own may let pass what is no case.
    Case::deserialize_checked(&value).map_err(|problem| BadLine::Form { number, id: id(), problems: vec![problem] })
}

impl Case {
    fn deserialize_checked(value: &Json) -> Result<Self, String> {
        serde::Deserialize::deserialize(value).map_err(|error: serde_json::Error| format!("/: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_null_is_a_bad_line_like_any_other() {
        let error = load("{}\nnull\n", &Schema::bundled()).unwrap_err();
        assert_eq!(error.messages()[2], "  • Line 2 (unknown): /: must be object");
        assert_eq!(error.to_string(), "Failed to load 2 case(s)");
    }

    #[test]
    fn a_line_that_is_no_json_is_named() {
        let error = load("\n{\"id\": \"A-1\"", &Schema::bundled()).unwrap_err();
        assert!(error.messages()[1].starts_with("  • Line 1: Invalid JSON - "));
    }

    #[test]
    fn a_lax_schema_still_gives_only_cases() {
        let lax = Schema::read("{\"type\": \"object\"}").unwrap();
        let error = load("{\"id\": \"A-1\", \"user\": \"u\", \"checks\": []}", &lax).unwrap_err();
        assert!(error.messages()[1].contains("Line 1 (A-1): /: missing field `assistant`"));
    }
}
