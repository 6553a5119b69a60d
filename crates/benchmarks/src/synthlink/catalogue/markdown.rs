//! The first table of a Markdown text whose first column is `Question ID`.

use probare_core::Problem;
use probare_text::python;

use super::question::{CatalogueQuestion, LocatedQuestion};
use crate::synthlink::deep_search::measures::{parse_steps, parse_topics};

/// The columns of a catalogue.
pub(super) const COLUMNS: [&str; 5] =
    ["Question ID", "Question Text", "Expected Answer Summary", "Traceable Sources", "Reasoning Steps"];

/// The questions of a text and what is wrong with the rest; nothing of both where there is no such table.
pub(super) fn questions(text: &str, file: &str) -> (Vec<LocatedQuestion>, Vec<Problem>) {
    let (mut questions, mut problems) = (Vec::new(), Vec::new());
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut columns: Option<[Option<usize>; 5]> = None;
    for (number, line) in text.lines().enumerate() {
        let number = number as u64 + 1;
        if !line.contains('|') {
            if columns.is_some() {
                // The table has ended.
                break;
            }
            continue;
        }
        let cells = cells(line);
        let problem = |reason: String| Problem {
            file: file.to_owned(),
            line: Some(number),
            column: None,
            reason,
            hint: None,
            lost: true,
            id: None,
        };
        match &columns {
            None if is_column(&cells[0], COLUMNS[0]) => {
                let places = COLUMNS.map(|name| cells.iter().position(|cell| is_column(cell, name)));
                if let Some(at) = places.iter().position(Option::is_none) {
                    problems.push(problem(format!("the table has no column `{}`", COLUMNS[at])));
                    break;
                }
                columns = Some(places);
            }
            None => {}
            Some(_) if is_separator(line) => {}
            Some(places) => match question(&cells, places) {
                Ok(question) => {
                    questions.push(LocatedQuestion { question, file: file.to_owned(), line: Some(number) });
                }
                Err(reason) => problems.push(problem(reason)),
            },
        }
    }
    (questions, problems)
}

/// The cells of a row: outer pipes go, and so do stars and backquotes. A pipe behind a backslash is part of its cell, as in
/// tables of GitHub.
fn cells(line: &str) -> Vec<String> {
    let line = python::strip(line);
    let line = line.strip_prefix('|').unwrap_or(line);
    let is_closed = line.ends_with('|') && !line.ends_with("\\|");
    let line = if is_closed { &line[..line.len() - 1] } else { line };
    let mut cells = vec![String::new()];
    for piece in line.split('|') {
        let Some(cell) = cells.last_mut() else { break };
        if let Some(before) = piece.strip_suffix('\\') {
            cell.push_str(before);
            cell.push('|');
        } else {
            cell.push_str(piece);
            cells.push(String::new());
        }
    }
    // Behind the last pipe that divides.
    if cells.last().is_some_and(String::is_empty) {
        cells.pop();
    }
    cells.iter().map(|cell| python::strip(&cell.replace(['*', '`'], "")).to_owned()).collect()
}

fn is_column(cell: &str, name: &str) -> bool {
    cell.eq_ignore_ascii_case(name)
}

/// Whether the row only divides the head from the body.
fn is_separator(line: &str) -> bool {
    line.contains('-')
        && line.chars().all(|character| matches!(character, '|' | '-' | ':') || python::is_space(character))
}

fn question(cells: &[String], places: &[Option<usize>; 5]) -> Result<CatalogueQuestion, String> {
    let cell = |column: usize| {
        let place = places[column].unwrap_or(column);
        cells.get(place).ok_or_else(|| format!("the row has {} cells and none for `{}`", cells.len(), COLUMNS[column]))
    };
    if cells.len() > COLUMNS.len() && places.iter().flatten().max() == Some(&(COLUMNS.len() - 1)) {
        return Err(format!(
            "the row has {} cells; a `|` inside a cell divides it, unless a backslash stands before it",
            cells.len()
        ));
    }
    let id = cell(0)?;
    if id.is_empty() {
        return Err("the row has no question id".to_owned());
    }
    let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
    Ok(CatalogueQuestion {
        id: id.clone(),
        category: CatalogueQuestion::category_of(id).to_owned(),
        text: cell(1)?.clone(),
        summary: cell(2)?.clone(),
        topics: owned(parse_topics(cell(3)?)),
        steps: owned(parse_steps(cell(4)?)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\u{feff}# Title\r\n\r\n| Metric | Weight |\r\n|--|--|\r\n| F1 | 0.3 |\r\n\r\n\
        | **Question ID** | Question Text | Expected Answer Summary | Traceable Sources | Reasoning Steps |\r\n\
        |:---|---|---|---|---:|\r\n\
        | `RIV-01` | Why *so*? | Because. | Topics: Aral Sea, Cotton | 1. Confirm a. 2. Link b. |\r\n\
        | RIV-02 | Why? | Since. | Topic: Suez | 1. Trace c |\r\n\
        \r\n| Question ID | later table |\r\n";

    #[test]
    fn the_first_fitting_table_is_read_and_marks_go() {
        let (found, problems) = questions(TABLE, "a.md");
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].line, Some(9));
        let first = &found[0].question;
        assert_eq!((first.id.as_str(), first.category.as_str(), first.text.as_str()), ("RIV-01", "RIV", "Why so?"));
        assert_eq!(first.topics, ["Aral Sea", "Cotton"]);
        assert_eq!(first.steps, ["Confirm a", "Link b"]);
        assert_eq!(found[1].question.topics, ["Suez"]);
    }

    #[test]
    fn rows_that_do_not_fit_are_named_with_their_line() {
        let text = "|Question ID|Question Text|Expected Answer Summary|Traceable Sources|Reasoning Steps|\n\
                    |-|-|-|-|-|\n|A-1|x|\n| |q|s|t|1. a|\n|A-2|q|one|two|three|four|\n";
        let (found, problems) = questions(text, "a.md");
        assert!(found.is_empty());
        assert_eq!(problems.iter().filter_map(|problem| problem.line).collect::<Vec<_>>(), [3, 4, 5]);
        let (found, problems) = questions("| Question ID | Question Text |\n", "a.md");
        assert!(found.is_empty() && problems[0].reason.contains("`Expected Answer Summary`"));
    }

    #[test]
    fn a_pipe_behind_a_backslash_belongs_to_its_cell() {
        for (line, expected) in [
            (r"| a \| b | c |", vec!["a | b", "c"]),
            (r"|a\|b\|c|", vec!["a|b|c"]),
            (r"| a | b \|", vec!["a", "b |"]),
            ("| a | |", vec!["a", ""]),
            ("a|b", vec!["a", "b"]),
        ] {
            assert_eq!(cells(line), expected, "{line}");
        }
        let text = "|Question ID|Question Text|Expected Answer Summary|Traceable Sources|Reasoning Steps|\n\
                    |-|-|-|-|-|\n|A-1|What is P(A \\| B)?|s|Topic: t|1. a|\n";
        let (found, problems) = questions(text, "a.md");
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(found[0].question.text, "What is P(A | B)?");
    }

    #[test]
    fn a_text_without_a_table_holds_nothing() {
        for text in ["", "no table", "|", "| a |\n|--|\n| b |"] {
            let (found, problems) = questions(text, "a.md");
            assert!(found.is_empty() && problems.is_empty());
        }
    }
}
