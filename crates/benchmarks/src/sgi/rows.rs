//! The rows of a subtask: one JSON object per line, read into cases. Fields that nobody knows are kept.

use std::path::Path;

use probare_core::{BenchmarkError, Case, Field, InputFile, Problem};
use probare_formats::{CaseFormat, CaseReader, FieldMap, LARGEST_DOCUMENT, ReadOptions, read_whole};
use serde_json::{Map, Value as Json};

use super::{SgiPrompts, Subtask};
use crate::sgi::metrics::reasoning::{key_letter, option_letter};

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
        Subtask::DeepResearch | Subtask::DeepResearchGold | Subtask::WetExperiment => &["question", "answer"],
        Subtask::IdeaGeneration => &["question", "core_idea"],
        Subtask::DryExperiment => &["question", "incomplete_main_code", "incomplete_functions"],
        Subtask::ExperimentalReasoning => &["question", "options", "answer"],
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

/// Reads the rows of a subtask from JSON lines, a JSON array or CSV, which may be compressed.
pub fn read(
    subtask: Subtask,
    path: &Path,
    discipline: Option<&str>,
    limit: Option<u64>,
    prompts: &SgiPrompts,
) -> Result<SubtaskRows, BenchmarkError> {
    let name = path.display().to_string();
    let (bytes, mut input) = read_whole(&name, LARGEST_DOCUMENT).map_err(|error| BenchmarkError::from_error(&error))?;
    let found = objects(&name, &bytes)?;
    let mut cases = Vec::with_capacity(found.len());
    for (line, row) in found {
        if discipline.is_some_and(|chosen| row.get("discipline").and_then(Json::as_str) != Some(chosen)) {
            continue;
        }
        if limit.is_some_and(|limit| cases.len() as u64 >= limit) {
            break;
        }
        cases.push(case(subtask, row, cases.len(), prompts).map_err(|reason| {
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

/// The rows of a file with the lines they begin at.
pub(super) fn objects(name: &str, bytes: &[u8]) -> Result<Vec<NumberedRow>, BenchmarkError> {
    if CaseReader::format_of(name, &ReadOptions::default()).is_ok_and(|format| format == CaseFormat::Csv) {
        return table_rows(name, bytes);
    }
    let text = std::str::from_utf8(bytes);
    json_rows(name, text.map_err(|_| BenchmarkError::data(format!("`{name}` is not valid UTF-8")))?)
}

/// Fields that are lists, which a cell of a table holds as JSON: `["first step", "second step"]`.
const LISTS: [&str; 6] = ["steps", "options", "images", "step_images", "incomplete_functions", "keywords"];

/// The rows of a table under the names of their columns; an empty cell is an absent field.
#[expect(clippy::disallowed_methods, reason = "rows become rows of the benchmark here; nothing is scored")]
fn table_rows(name: &str, bytes: &[u8]) -> Result<Vec<NumberedRow>, BenchmarkError> {
    // No column becomes a field of a case by its name: a question stays a question.
    let nowhere = |field: &str| (field.to_owned(), format!("no column for {field}"));
    let pairs = Field::ALL.map(|field| nowhere(field.name())).into_iter().chain([nowhere("id")]);
    let fields = FieldMap::from_pairs(pairs).map_err(|error| BenchmarkError::from_error(&error))?;
    let options = ReadOptions { fields, ..ReadOptions::default() };
    let mut rows = Vec::new();
    let reader = CaseReader::from_reader(std::io::Cursor::new(bytes.to_vec()), name, CaseFormat::Csv, &options);
    for batch in reader.map_err(|error| BenchmarkError::from_error(&error))? {
        for case in batch.map_err(|error| BenchmarkError::from_error(&error))?.cases() {
            let mut row = case.map_err(|problem| unread_row(name, problem))?.metadata;
            row.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
            for list in LISTS {
                if let Some(Json::String(text)) = row.get(list)
                    && text.trim_start().starts_with('[')
                {
                    let number = rows.len() + 1;
                    let read = serde_json::from_str(text).map_err(|error| {
                        BenchmarkError::data(format!("`{name}`, row {number}: `{list}` is not a JSON list: {error}"))
                    })?;
                    row.insert(list.to_owned(), read);
                }
            }
            rows.push((rows.len() + 1, row));
        }
    }
    Ok(rows)
}

/// A row of a table that cannot be read.
fn unread_row(name: &str, problem: Problem) -> BenchmarkError {
    let line = problem.line.map(|line| format!(", line {line}")).unwrap_or_default();
    let error = BenchmarkError::data(format!("`{name}`{line}: {}", problem.reason));
    match problem.hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// The objects of a text with the lines they begin at.
fn json_rows(name: &str, text: &str) -> Result<Vec<NumberedRow>, BenchmarkError> {
    let wrong = |line: usize, reason: String| {
        BenchmarkError::data(format!("`{name}`, line {line}: {reason}"))
            .hint("one JSON object per line is expected, or one JSON array of objects")
    };
    if text.trim_start().starts_with('[') {
        let rows: Vec<Json> = serde_json::from_str(text).map_err(|error| wrong(error.line(), error.to_string()))?;
        let object = |(at, row): (usize, Json)| match row {
            Json::Object(row) => Ok((at + 1, row)),
            _ => Err(wrong(1, format!("item {} is not an object", at + 1))),
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
fn case(subtask: Subtask, row: Map<String, Json>, at: usize, prompts: &SgiPrompts) -> Result<Case, String> {
    for field in needed(subtask) {
        if row.get(*field).is_none_or(Json::is_null) && *field != "answer" {
            return Err(format!("there is no `{field}`"));
        }
    }
    let text = |name: &str| row.get(name).and_then(Json::as_str);
    let question = text("question").ok_or("`question` is not text")?;
    let id = match row.get("idx") {
        Some(Json::String(id)) => id.clone(),
        Some(Json::Number(id)) => id.to_string(),
        _ => (at + 1).to_string(),
    };
    let options: Vec<&str> = match row.get("options") {
        Some(Json::Array(items)) if subtask == Subtask::ExperimentalReasoning => {
            items.iter().map(Json::as_str).collect::<Option<_>>().ok_or("`options` is not a list of texts")?
        }
        _ if subtask == Subtask::ExperimentalReasoning => return Err("`options` is not a list of texts".to_owned()),
        _ => Vec::new(),
    };
    if !options.is_empty() && option_letter(options.len() - 1).is_none() {
        return Err(format!("there are {} options, and letters for 26", options.len()));
    }
    let reference = match subtask {
        Subtask::ExperimentalReasoning => {
            let key = row.get("answer").and_then(|answer| key_letter(answer, Some(options.len())).ok().flatten());
            key.map(|letter| vec![letter.to_string()])
        }
        Subtask::DeepResearch | Subtask::DeepResearchGold | Subtask::WetExperiment => {
            text("answer").map(|answer| vec![answer.to_owned()])
        }
        Subtask::IdeaGeneration => text("core_idea").map(|idea| vec![idea.to_owned()]),
        Subtask::DryExperiment => text("main_code").map(|code| vec![code.to_owned()]),
    };
    let mut tags = vec![subtask.tag()];
    tags.extend(text("discipline").filter(|name| !name.is_empty()).map(|name| format!("discipline:{name}")));
    let query = Some(prompts.task_prompt(subtask, question, &options));
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
        let own = SgiPrompts::default();
        let case = case(Subtask::DeepResearch, row.unwrap(), 0, &own).unwrap();
        assert_eq!((case.id.as_str(), &case.metadata["colour"]), ("3", &Json::from("blue")));
        assert!(case.query.unwrap().starts_with("Q?\n\nWork towards"));
        assert_eq!(case.tags, ["subtask:deep_research", "discipline:life"]);
        let row = serde_json::from_str(r#"{"question": "Q?", "core_idea": null}"#).unwrap();
        assert_eq!(super::case(Subtask::IdeaGeneration, row, 0, &own).unwrap_err(), "there is no `core_idea`");
    }

    #[test]
    fn a_question_with_options_has_a_letter_for_each() {
        let row = |options: Json| {
            let row =
                serde_json::json!({"idx": "r", "question": "Q?", "options": options, "answer": 1, "images": ["a.png"]});
            case(Subtask::ExperimentalReasoning, row.as_object().unwrap().clone(), 0, &SgiPrompts::default())
        };
        let case = row(serde_json::json!(["one", "two"])).unwrap();
        let query = case.query.unwrap();
        assert!(query.contains("Question:\nQ?\n\nOptions:\nA. one\nB. two"), "{query}");
        assert_eq!(case.reference.unwrap()[0], "B");
        assert_eq!(row(serde_json::json!(["one", 2])).unwrap_err(), "`options` is not a list of texts");
        assert_eq!(row(vec!["x"; 27].into()).unwrap_err(), "there are 27 options, and letters for 26");
    }

    #[test]
    fn a_table_keeps_the_names_of_its_columns_and_reads_its_lists() {
        let table = "idx,question,answer,steps,discipline\na,\"Who, and when?\",7,\"[\"\"one\"\", \"\"two\"\"]\",\nb,R?,8,plain,life\n";
        let rows = objects("rows.csv", table.as_bytes()).unwrap();
        assert_eq!(rows[0].1["question"], "Who, and when?");
        assert_eq!((&rows[0].1["steps"], rows[0].1.get("discipline")), (&serde_json::json!(["one", "two"]), None));
        assert_eq!((&rows[1].1["answer"], &rows[1].1["steps"]), (&Json::from("8"), &Json::from("plain")));
        let broken = objects("rows.csv", b"idx,steps\na,\"[1,\"\n").unwrap_err().to_string();
        assert!(broken.contains("row 1: `steps` is not a JSON list"), "{broken}");
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_its_line() {
        let error = objects("f", b"{}\n\n[1]\n").unwrap_err();
        assert!(error.to_string().starts_with("`f`, line 3"), "{error}");
        assert_eq!(objects("f", b"[{}, {}]").unwrap().len(), 2);
    }
}
