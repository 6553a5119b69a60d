//! The rows of a subtask: one JSON object a line, read into cases. Fields that nobody knows are kept.

use std::path::Path;

use probare_cases::{LARGEST_DOCUMENT, read_whole};
use probare_core::{BenchmarkError, Case, InputFile};
use serde_json::{Map, Value as Json};

use super::Subtask;

/// The disciplines of the benchmark.
pub const DISCIPLINES: [&str; 10] = [
    "astronomy",
    "chemistry",
    "earth",
    "energy",
    "information",
    "life",
    "material",
    "mathematics",
    "neuroscience",
    "physics",
];

/// Fields that a row must have.
const fn needed(subtask: Subtask) -> &'static [&'static str] {
    match subtask {
        Subtask::DeepResearch | Subtask::WetExperiment => &["question", "answer"],
        Subtask::IdeaGeneration => &["question", "core_idea"],
        Subtask::DryExperiment => &["question", "incomplete_main_code", "incomplete_functions"],
    }
}

/// A file of rows, read.
#[derive(Debug, Clone, Default)]
pub struct SubtaskRows {
    /// The cases, in the order of the file.
    pub cases: Vec<Case>,
    /// The file, for a manifest.
    pub input: InputFile,
    /// Digest of the rows with their prompts, as a collector takes it.
    pub fingerprint: String,
}

/// Reads the rows of a subtask from JSON lines or a JSON array, which may be compressed.
pub fn read(
    subtask: Subtask,
    path: &Path,
    discipline: Option<&str>,
    limit: Option<u64>,
) -> Result<SubtaskRows, BenchmarkError> {
    let name = path.display().to_string();
    let (bytes, mut input) = read_whole(&name, LARGEST_DOCUMENT).map_err(|error| BenchmarkError::from_error(&error))?;
    let text = std::str::from_utf8(&bytes).map_err(|_| BenchmarkError::data(format!("`{name}` is not valid UTF-8")))?;
    let found = objects(&name, text)?;
    let mut cases = Vec::with_capacity(found.len());
    for (line, row) in found {
        if discipline.is_some_and(|wanted| row.get("discipline").and_then(Json::as_str) != Some(wanted)) {
            continue;
        }
        if limit.is_some_and(|limit| cases.len() as u64 >= limit) {
            break;
        }
        cases.push(case(subtask, row, cases.len()).map_err(|reason| {
            BenchmarkError::data(format!("`{name}`, line {line}: {reason}")).hint(format!(
                "a row of {} has the fields {}",
                subtask.dataset_id(),
                needed(subtask).join(", ")
            ))
        })?);
    }
    if cases.is_empty() {
        return Err(match discipline {
            Some(discipline) => BenchmarkError::data(format!("`{name}` has no row of the discipline `{discipline}`"))
                .hint(format!("the benchmark knows {}", DISCIPLINES.join(", "))),
            None => BenchmarkError::data(format!("`{name}` holds no row")),
        });
    }
    input.rows = Some(cases.len() as u64);
    let rows: Vec<Map<String, Json>> = cases.iter().map(prompted).collect();
    let fingerprint = super::fingerprint::fingerprint(&super::fingerprint::columns(&rows.iter().collect::<Vec<_>>()));
    Ok(SubtaskRows { cases, input, fingerprint })
}

/// An object and the line it begins at.
pub(super) type NumberedRow = (usize, Map<String, Json>);

/// The objects of a text with the lines they begin at.
pub(super) fn objects(name: &str, text: &str) -> Result<Vec<NumberedRow>, BenchmarkError> {
    let wrong = |line: usize, reason: String| {
        BenchmarkError::data(format!("`{name}`, line {line}: {reason}"))
            .hint("one JSON object a line is expected, or one JSON array of objects")
    };
    if text.trim_start().starts_with('[') {
        let rows: Vec<Json> = serde_json::from_str(text).map_err(|error| wrong(error.line(), error.to_string()))?;
        let object = |(at, row): (usize, Json)| match row {
            Json::Object(row) => Ok((at + 1, row)),
            _ => Err(wrong(1, format!("item {} is no object", at + 1))),
        };
        return rows.into_iter().enumerate().map(object).collect();
    }
    let lines = text.trim_start_matches('\u{feff}').split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).map(|row| (at + 1, row)).map_err(|error| wrong(at + 1, error.to_string()))
        })
        .collect()
}

/// A row as a case: the question with what the subtask adds to it, the right answer, and everything else in `metadata`.
fn case(subtask: Subtask, row: Map<String, Json>, at: usize) -> Result<Case, String> {
    for field in needed(subtask) {
        if row.get(*field).is_none_or(Json::is_null) && *field != "answer" {
            return Err(format!("there is no `{field}`"));
        }
    }
    let text = |name: &str| row.get(name).and_then(Json::as_str);
    let question = text("question").ok_or("`question` is no text")?;
    let id = match row.get("idx") {
        Some(Json::String(id)) => id.clone(),
        Some(Json::Number(id)) => id.to_string(),
        _ => (at + 1).to_string(),
    };
    let reference = match subtask {
        Subtask::DeepResearch | Subtask::WetExperiment => text("answer").map(|answer| vec![answer.to_owned()]),
        Subtask::IdeaGeneration => text("core_idea").map(|idea| vec![idea.to_owned()]),
        Subtask::DryExperiment => text("main_code").map(|code| vec![code.to_owned()]),
    };
    let mut tags = vec![subtask.tag()];
    tags.extend(text("discipline").filter(|name| !name.is_empty()).map(|name| format!("discipline:{name}")));
    let query = Some(format!("{question}{}", subtask.suffix().trim_end_matches('\n')));
    Ok(Case { id, query, reference, tags, metadata: row, ..Case::default() })
}

/// A row with its prompt.
fn prompted(case: &Case) -> Map<String, Json> {
    let mut row = case.metadata.clone();
    row.insert("prompt".to_owned(), case.query.clone().into());
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_kept_and_null_is_absent() {
        let row = serde_json::from_str(
            r#"{"idx": 3, "question": "Q?", "answer": "7", "colour": "blue", "discipline": "life"}"#,
        );
        let case = case(Subtask::DeepResearch, row.unwrap(), 0).unwrap();
        assert_eq!((case.id.as_str(), &case.metadata["colour"]), ("3", &Json::from("blue")));
        assert!(case.query.unwrap().starts_with("Q?\n\nWork towards"));
        assert_eq!(case.tags, ["subtask:deep_research", "discipline:life"]);
        let row = serde_json::from_str(r#"{"question": "Q?", "core_idea": null}"#).unwrap();
        assert_eq!(super::case(Subtask::IdeaGeneration, row, 0).unwrap_err(), "there is no `core_idea`");
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_its_line() {
        let error = objects("f", "{}\n\n[1]\n").unwrap_err();
        assert!(error.to_string().starts_with("`f`, line 3"), "{error}");
        assert_eq!(objects("f", "[{}, {}]").unwrap().len(), 2);
    }
}
