//! [`load`]: reads a case file and says everything that is wrong with it at once.

use memchr::memchr;
use probare_metrics::care::is_free_space;
use serde::Deserialize as _;
use serde_json::Value as Json;

use super::javascript::shown;
use super::plain::plain_case;
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
pub fn load<'a>(content: &'a str, schema: &Schema) -> Result<Vec<Case<'a>>, LoadError> {
    let mut cases = Vec::new();
    let mut bad = Vec::new();
    let published = schema.is_published();
    let mut rest = Some(content.trim_matches(is_free_space));
    // As `split('\n')`, many bytes at a time.
    let lines = std::iter::from_fn(|| {
        let text = rest?;
        let end = memchr(b'\n', text.as_bytes());
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    });
    for (index, line) in lines.enumerate() {
        let line = line.trim_matches(is_free_space);
        if line.is_empty() {
            continue;
        }
        let plain = if published { plain_case(line) } else { None };
        match plain.map_or_else(|| read(line, index + 1, schema), Ok) {
            Ok(case) => cases.push(case),
            Err(problem) => bad.push(problem),
        }
    }
    if bad.is_empty() { Ok(cases) } else { Err(LoadError { lines: bad }) }
}

fn read(line: &str, number: usize, schema: &Schema) -> Result<Case<'static>, BadLine> {
    let value: Json =
        serde_json::from_str(line).map_err(|error| BadLine::Json { number, problem: error.to_string() })?;
    let id = || shown(value.get("id")).unwrap_or_else(|| "unknown".to_owned());
    let problems = schema.problems(&value);
    if !problems.is_empty() {
        return Err(BadLine::Form { number, id: id(), problems });
    }
    // A schema of one's own may let pass what is no case.
    Case::deserialize(&value).map_err(|error| BadLine::Form { number, id: id(), problems: vec![format!("/: {error}")] })
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

    /// Lines that differ from a case in one place, and what may stand there.
    fn variants() -> Vec<String> {
        let values = [
            "null",
            "true",
            "0",
            "1.5",
            "\"\"",
            "\"u\"",
            "\"A-1\"",
            "\"A-1\\n\"",
            "\"a-1\"",
            "\"A-1-2\"",
            "\"Ä-1\"",
            "\"A-٣\"",
            "\"\\ud83d\\ude00\"",
            "[]",
            "[\"topic_pivot\"]",
            "[\"topic_pivot\", \"agency_language\"]",
            "[\"topic_pivot\", \"topic_pivot\"]",
            "[\"tone\"]",
            "[{\"topic_pivot\": null}]",
            "[null]",
            "[\"x-fail\", \"\"]",
            "{}",
            "{\"topic_pivot\": true}",
            "{\"topic_pivot\": false, \"topic_pivot\": true}",
            "{\"topic_pivot\": null}",
            "{\"tone\": true}",
            "{\"topic_pivot\": 1}",
            "[true, false, true]",
        ];
        let names = ["id", "user", "assistant", "checks", "expected", "tags", "notes", "other"];
        let usual = [("id", "\"A-1\""), ("user", "\"u\""), ("assistant", "\"a\""), ("checks", "[\"topic_pivot\"]")];
        let line = |fields: &[(&str, &str)]| {
            let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
            format!("{{{}}}", fields.join(", "))
        };
        let mut lines = vec![line(&usual), "[\"A-1\", \"u\", \"a\", [\"topic_pivot\"]]".to_owned(), "null".to_owned()];
        for name in names {
            lines.push(line(&usual.into_iter().filter(|(usual, _)| *usual != name).collect::<Vec<_>>()));
            for value in values {
                let mut fields = usual.to_vec();
                fields.push((name, value));
                lines.push(line(&fields));
                fields.retain(|(usual, known)| *usual != name || *known == value);
                lines.push(line(&fields));
            }
        }
        lines
    }

    #[test]
    fn the_short_way_gives_what_the_long_way_gives() {
        let schema = Schema::bundled();
        let (mut short, mut long) = (0, 0);
        for line in variants() {
            let read = read(&line, 1, &schema);
            match plain_case(&line) {
                Some(case) => {
                    assert_eq!(read, Ok(case), "{line}");
                    short += 1;
                }
                None => long += usize::from(read.is_ok()),
            }
        }
        // What the long way alone accepts are keys that stand twice.
        assert!(short > 20 && long > 0, "{short} {long}");
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
