//! [`LineSource`]: the lines of a case file, and what is wrong with those that are no case.

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;
use probare_core::{Case, CaseBatch, CaseSource, InputFile, Problem, SourceError};
use probare_metrics::care::is_js_whitespace;
use serde::Deserialize as _;
use serde_json::Value as Json;

use super::javascript::truthy_text;
use super::{CaseSchema, SynthesisCase};

/// Bytes of lines that travel together.
const BATCH: usize = 1 << 16;

/// A file of which at least one line is no case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Failed to load {} case(s)", lines.len())]
pub struct LoadError {
    /// The bad lines, in order, each as [`BadLine`] says it.
    pub lines: Vec<String>,
}

impl LoadError {
    /// What the published program writes on the error stream: a heading, then one text for each bad line.
    pub fn messages(&self) -> Vec<String> {
        let heading = "\n❌ Schema validation errors:".to_owned();
        std::iter::once(heading).chain(self.lines.iter().map(|line| format!("  • {line}"))).collect()
    }
}

/// A line that is no case, with its number, counted from the first that is not blank.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadLine(String);

/// The lines of a file with their numbers. Blank lines are skipped; those at the beginning do not count in line numbers.
pub fn lines(content: &str) -> impl Iterator<Item = (usize, &str)> {
    let content = content.trim_matches(is_js_whitespace);
    LineSplitter { content, next: Some(0), number: 0 }.filter_map(move |(number, range)| {
        let line = content[range].trim_matches(is_js_whitespace);
        (!line.is_empty()).then_some((number, line))
    })
}

/// Cuts a text as `split('\n')` does, many bytes at a time.
#[derive(Debug, Clone)]
struct LineSplitter<T> {
    content: T,
    next: Option<usize>,
    number: usize,
}

impl<T: AsRef<str>> Iterator for LineSplitter<T> {
    type Item = (usize, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.next?;
        let text = self.content.as_ref();
        let end = memchr(b'\n', &text.as_bytes()[start..]).map(|length| start + length);
        self.next = end.map(|end| end + 1);
        self.number += 1;
        Some((self.number, start..end.unwrap_or(text.len())))
    }
}

/// The case of a line, or what is wrong with it.
pub fn read_case<'a>(line: &'a str, number: usize, schema: &CaseSchema) -> Result<SynthesisCase<'a>, BadLine> {
    // A list would do for the types as well.
    if let Some(upstream) = schema.published()
        && line.starts_with('{')
        && let Ok(exchange) = serde_json::from_str::<SynthesisCase<'a>>(line)
        && exchange.is_as_published(upstream)
    {
        return Ok(exchange);
    }
    by_schema(line, number, schema)
}

/// The same by way of the schema, which alone knows what to say about a line that is not as it should be.
fn by_schema(line: &str, number: usize, schema: &CaseSchema) -> Result<SynthesisCase<'static>, BadLine> {
    let value: Json =
        serde_json::from_str(line).map_err(|error| BadLine(format!("Line {number}: Invalid JSON - {error}")))?;
    let misfit = |problems: &str| {
        let id = truthy_text(value.get("id")).unwrap_or_else(|| "unknown".to_owned());
        BadLine(format!("Line {number} ({id}): {problems}"))
    };
    let problems = schema.problems(&value);
    if !problems.is_empty() {
        return Err(misfit(&problems.join(", ")));
    }
    // A schema of one's own may let pass what is no case.
    owned(value.clone()).map_err(|error| misfit(&format!("/: {error}")))
}

fn owned(value: Json) -> Result<SynthesisCase<'static>, serde_json::Error> {
    SynthesisCase::deserialize(value)
}

/// The lines of a file on their way to the runner.
pub(super) struct LineSource {
    cut: LineSplitter<Arc<str>>,
    file: Arc<str>,
    schema: Arc<CaseSchema>,
    input: InputFile,
    rows: u64,
}

impl LineSource {
    /// The lines of a file that was read: its name, its bytes, and what a manifest says of it.
    pub(super) fn new(file: &str, content: Vec<u8>, schema: Arc<CaseSchema>, input: InputFile) -> Self {
        // Nearly every file is UTF-8; only one that is not needs a second look.
        let content =
            String::from_utf8(content).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        let content = Arc::from(content.trim_matches(is_js_whitespace));
        Self { cut: LineSplitter { content, next: Some(0), number: 0 }, file: file.into(), schema, input, rows: 0 }
    }
}

impl CaseSource for LineSource {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        let mut lines = Vec::new();
        let mut bytes = 0;
        while bytes < BATCH
            && let Some((number, range)) = self.cut.next()
        {
            bytes += range.len() + 1;
            lines.push((number, range));
        }
        self.rows += lines.len() as u64;
        let (content, file, schema) = (Arc::clone(&self.cut.content), Arc::clone(&self.file), Arc::clone(&self.schema));
        (!lines.is_empty()).then(|| Ok(Box::new(LineBatch { content, lines, file, schema }) as Box<dyn CaseBatch>))
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(vec![InputFile { rows: Some(self.rows), ..self.input.clone() }])
    }
}

/// Some lines, not yet looked into.
struct LineBatch {
    content: Arc<str>,
    lines: Vec<(usize, Range<usize>)>,
    file: Arc<str>,
    schema: Arc<CaseSchema>,
}

impl CaseBatch for LineBatch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let text = |range: &Range<usize>| self.content[range.clone()].trim_matches(is_js_whitespace);
        let lines = self.lines.iter().map(|(number, range)| (*number, text(range)));
        lines
            .filter(|(_, line)| !line.is_empty())
            .map(|(number, line)| {
                read_case(line, number, &self.schema).map(SynthesisCase::into_case).map_err(|bad| Problem {
                    file: self.file.to_string(),
                    line: Some(number as u64),
                    column: None,
                    reason: bad.to_string(),
                    hint: None,
                    lost: true,
                    id: None,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use probare_metrics::care::Upstream;

    use super::*;

    fn messages(content: &str, schema: &CaseSchema) -> Vec<String> {
        let bad = lines(content).filter_map(|(number, line)| read_case(line, number, schema).err());
        bad.map(|bad| bad.to_string()).collect()
    }

    #[test]
    fn a_bare_null_is_a_bad_line_like_any_other() {
        let error = LoadError { lines: messages("{}\nnull\n", &CaseSchema::bundled()) };
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
    fn the_types_and_the_schema_agree() {
        let schema = CaseSchema::bundled();
        let (mut plain, mut twice) = (0, 0);
        for line in variants() {
            let typed = serde_json::from_str::<SynthesisCase<'_>>(&line);
            let typed = typed.ok().filter(|exchange| line.starts_with('{') && exchange.is_as_published(Upstream::V1_0));
            let by_schema = by_schema(&line, 1, &schema);
            match typed {
                Some(exchange) => {
                    assert_eq!(by_schema, Ok(exchange), "{line}");
                    plain += 1;
                }
                None => twice += usize::from(by_schema.is_ok()),
            }
        }
        // What the schema alone accepts are keys that stand twice.
        assert!(plain > 20 && twice > 0, "{plain} {twice}");
    }

    #[test]
    fn a_line_that_is_no_json_is_named() {
        assert!(messages("\n{\"id\": \"A-1\"", &CaseSchema::bundled())[0].starts_with("Line 1: Invalid JSON - "));
    }

    #[test]
    fn a_lax_schema_still_gives_only_cases() {
        let lax = CaseSchema::read("{\"type\": \"object\"}").unwrap();
        let bad = messages("{\"id\": \"A-1\", \"user\": \"u\", \"checks\": []}", &lax);
        assert!(bad[0].contains("Line 1 (A-1): /: missing field `assistant`"));
    }
}
