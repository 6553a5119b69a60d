//! The program in a response, and its tests as data sets have them.

use std::ops::Range;

use probare_core::{ErrorKind, Sample, ScoreError};
use serde_json::Value as Json;

/// A program with its tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeTask {
    /// What is run before the tests.
    pub solution: String,
    /// What the task itself puts before the code: imports and helpers, which tests may use.
    pub before: String,
    /// The function that is to be written, where the case names it.
    pub entry: Option<String>,
    /// The tests, each by itself.
    pub tests: Vec<String>,
    /// Where the code stands in the response.
    pub span: Range<usize>,
    /// Whether the query stands before the code, which goes on where it ends.
    pub continues: bool,
}

/// The code of a response: of blocks between fences the first that defines `entry`, else the first; the whole response
/// where there is none.
pub fn code_span(response: &str, entry: Option<&str>) -> Range<usize> {
    let blocks = blocks(response);
    let defining = entry.and_then(|entry| blocks.iter().find(|block| defines(&response[(*block).clone()], entry)));
    defining.or_else(|| blocks.first()).cloned().unwrap_or(0..response.len())
}

/// What stands between lines that begin with three backticks. A block that is not closed goes on to the end.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_start().starts_with("```") {
            match open.take() {
                Some(start) => found.push(start..at),
                None => open = Some(end),
            }
        }
        at = end;
    }
    if let Some(start) = open.filter(|start| *start < text.len()) {
        found.push(start..text.len());
    }
    found
}

/// Whether a text defines a function or class of this name at the beginning of a line.
pub fn defines(code: &str, name: &str) -> bool {
    code.lines().any(|line| {
        let rest = ["def ", "async def ", "class "].iter().find_map(|word| line.strip_prefix(word));
        rest.is_some_and(|rest| {
            rest.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['(', ':']))
        })
    })
}

impl CodeTask {
    /// Reads a case; nothing where it has no tests.
    pub fn from_sample(sample: Sample<'_>) -> Result<Option<Self>, ScoreError> {
        let metadata = &sample.case.metadata;
        let text = |name: &str| match metadata.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(ScoreError::other(ErrorKind::Failed, format!("`{name}` is not text"))),
        };
        let entry = text("entry_point")?;
        let mut tests: Vec<String> = Vec::new();
        for name in ["test_list", "tests"] {
            match metadata.get(name) {
                None | Some(Json::Null) => {}
                Some(Json::String(test)) => tests.push(test.clone()),
                Some(Json::Array(items)) => {
                    for item in items {
                        let test = item.as_str().ok_or_else(|| {
                            ScoreError::other(ErrorKind::Failed, format!("`{name}` holds something that is not text"))
                        })?;
                        tests.push(test.to_owned());
                    }
                }
                Some(_) => {
                    return Err(ScoreError::other(ErrorKind::Failed, format!("`{name}` is not a list of tests")));
                }
            }
        }
        if let Some(test) = text("test")? {
            tests.push(test.to_owned());
        }
        if tests.is_empty() {
            return Ok(None);
        }
        let response = sample.response()?;
        let span = code_span(response, entry);
        let code = &response[span.clone()];
        let setup = text("test_setup_code")?.unwrap_or_default();
        let (before, continues) = match (sample.case.query.as_deref(), entry) {
            (Some(query), Some(entry)) if defines(query, entry) => {
                if defines(code, entry) {
                    (preamble(query, entry), false)
                } else {
                    (query, true)
                }
            }
            _ => ("", false),
        };
        let joint = if continues || before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let setup = if setup.is_empty() { String::new() } else { format!("{setup}\n") };
        let helpers = match (sample.case.query.as_deref(), entry) {
            (Some(query), Some(entry)) if defines(query, entry) => preamble(query, entry),
            _ => "",
        };
        Ok(Some(Self {
            solution: format!("{setup}{before}{joint}{code}"),
            before: format!("{setup}{helpers}"),
            entry: entry.map(str::to_owned),
            tests,
            span,
            continues,
        }))
    }
}

/// What stands before the function that is to be written: imports and helpers.
fn preamble<'a>(query: &'a str, entry: &str) -> &'a str {
    let mut at = 0;
    for line in query.split_inclusive('\n') {
        if defines(line, entry) {
            return &query[..at];
        }
        at += line.len();
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stands_between_fences_or_is_the_whole_response() {
        let response = "Here:\n```python\nimport math\n```\nand\n```\ndef f(x):\n    return x\n```\n";
        assert_eq!(&response[code_span(response, Some("f"))], "def f(x):\n    return x\n");
        assert_eq!(&response[code_span(response, None)], "import math\n");
        assert_eq!(code_span("    return 1", Some("f")), 0..12);
        assert_eq!(&"```\nx = 1"[code_span("```\nx = 1", None)], "x = 1");
        assert_eq!(code_span("```", None), 0..3);
    }

    #[test]
    fn a_definition_is_at_the_beginning_of_a_line() {
        assert!(defines("import x\ndef f (a):\n  pass", "f"));
        assert!(defines("class Solution:\n", "Solution"));
        assert!(!defines("  def f(a): pass", "f"));
        assert!(!defines("def ff(a): pass", "f"));
    }

    #[test]
    fn what_stands_before_the_function_is_kept() {
        let query =
            "from typing import List\n\ndef help(x): return x\n\ndef f(a: List[int]) -> int:\n    \"\"\"Doc.\"\"\"\n";
        assert_eq!(preamble(query, "f"), "from typing import List\n\ndef help(x): return x\n\n");
    }
}
