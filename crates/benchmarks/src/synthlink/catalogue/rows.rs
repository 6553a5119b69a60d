//! Catalogues as rows: one object a line, or a table with a column for each.

use std::path::Path;

use probare_core::{Case, Problem};
use probare_formats::{CaseReader, ReadOptions};
use serde_json::Value as Json;

use super::CatalogueError;
use super::markdown::COLUMNS;
use super::question::{CatalogueQuestion, LocatedQuestion};
use crate::synthlink::deep_search::measures::{parse_steps, parse_topics};

/// The questions of a file of rows.
///
/// A row has `id` (or `question_id`), `question`, `reference`, `topics`, `steps` and perhaps `category`, or the column
/// names of the Markdown tables. Topics and steps are lists, or texts as the tables write them.
#[expect(clippy::disallowed_methods, reason = "rows of a catalogue are questions, which nobody scores")]
pub(super) fn read(path: &Path) -> Result<(Vec<LocatedQuestion>, Vec<Problem>), CatalogueError> {
    let name = path.display().to_string();
    let (mut questions, mut problems) = (Vec::new(), Vec::new());
    let mut row = 0_u64;
    for batch in CaseReader::open(&name, &ReadOptions::default())? {
        for case in batch?.cases() {
            row += 1;
            let wrong = |reason: String| Problem {
                file: name.clone(),
                line: None,
                column: None,
                reason: format!("row {row}: {reason}"),
                hint: None,
                lost: true,
                id: None,
            };
            match case {
                Ok(case) => match question(&case) {
                    Ok(question) => questions.push(LocatedQuestion { question, file: name.clone(), line: None }),
                    Err(reason) => problems.push(wrong(reason)),
                },
                Err(problem) => problems.push(problem),
            }
        }
    }
    Ok((questions, problems))
}

/// Whether the first row of a file has the columns of the Markdown tables, or a reference with topics and steps and
/// nothing that a system gave.
#[expect(clippy::disallowed_methods, reason = "rows of a catalogue are questions, which nobody scores")]
pub(super) fn begins_with_question(path: &Path) -> bool {
    let rows = CaseReader::open(&path.display().to_string(), &ReadOptions::default());
    let first = rows.ok().and_then(|mut rows| rows.next()).and_then(Result::ok);
    let Some(Ok(case)) = first.and_then(|batch| batch.cases().into_iter().next()) else { return false };
    let has = |name: &str| case.metadata.contains_key(name);
    let is_answered =
        case.response.is_some() || case.context.is_some() || case.retrieved.is_some() || has("iterations");
    COLUMNS.iter().all(|column| has(column))
        || (case.reference.is_some() && has("topics") && has("steps") && !is_answered)
}

fn question(case: &Case) -> Result<CatalogueQuestion, String> {
    let column = |at: usize| case.metadata.get(COLUMNS[at]);
    let text = |at: usize| column(at).and_then(Json::as_str);
    let id = text(0).unwrap_or(&case.id).trim();
    if id.is_empty() {
        return Err("the question has no id".to_owned());
    }
    let summary = match case.reference.as_deref() {
        Some([one]) => one,
        Some([_, ..]) => return Err(format!("question `{id}` has several references; a catalogue has one summary")),
        _ => text(2).ok_or_else(|| format!("question `{id}` has no `reference`"))?,
    };
    let topics = list(case.metadata.get("topics").or_else(|| column(3)), parse_topics);
    let steps = list(case.metadata.get("steps").or_else(|| column(4)), parse_steps);
    let category = case.metadata.get("category").and_then(Json::as_str).map(str::trim).filter(|name| !name.is_empty());
    Ok(CatalogueQuestion {
        id: id.to_owned(),
        category: category.unwrap_or_else(|| CatalogueQuestion::category_of(id)).to_owned(),
        text: case.query.as_deref().or_else(|| text(1)).unwrap_or_default().to_owned(),
        summary: summary.to_owned(),
        topics: topics.map_err(|reason| format!("question `{id}`: `topics` {reason}"))?,
        steps: steps.map_err(|reason| format!("question `{id}`: `steps` {reason}"))?,
    })
}

fn list(value: Option<&Json>, written: impl Fn(&str) -> Vec<&str>) -> Result<Vec<String>, &'static str> {
    match value {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::String(cell)) => Ok(written(cell).into_iter().map(str::to_owned).collect()),
        Some(Json::Array(items)) => items
            .iter()
            .map(|item| item.as_str().map(|item| item.trim().to_owned()).ok_or("holds something that is no string"))
            .collect(),
        Some(_) => Err("is neither a list nor a string"),
    }
}
