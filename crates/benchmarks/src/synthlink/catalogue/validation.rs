//! What there is to say about a catalogue before it is used.

use std::collections::BTreeMap;
use std::path::Path;

use probare_core::Problem;

use super::{Catalogue, CatalogueError, expected_content, is_markdown, read, rows};

/// What a catalogue holds and what is wrong with it.
#[derive(Debug)]
pub struct Validation {
    /// What could be read.
    pub catalogue: Catalogue,
    /// Rows that were lost, and remarks on others.
    pub problems: Vec<Problem>,
}

impl Validation {
    /// Questions per category.
    pub fn categories(&self) -> BTreeMap<&str, usize> {
        let mut categories = BTreeMap::new();
        for question in self.catalogue.questions() {
            *categories.entry(question.category.as_str()).or_default() += 1;
        }
        categories
    }

    /// Whether the catalogue can be used: it has questions and no row was lost.
    pub fn is_good(&self) -> bool {
        !self.catalogue.questions().is_empty() && !self.problems.iter().any(|problem| problem.lost)
    }
}

/// Whether what stands at `path` can be told to be a catalogue: a folder, a Markdown file, or a file whose first row has
/// what a catalogue has and nothing that a system answered.
///
/// Only files on a disk are looked into: what comes through a pipe can be read once.
pub fn is_catalogue(path: &Path) -> bool {
    path.is_dir() || is_markdown(path) || (path.is_file() && rows::begins_with_question(path))
}

/// Reads the catalogue at `path` (see [`super::load`]) and looks at every question.
///
/// Fails where the path cannot be read at all; everything else is in the result.
pub fn validate(path: &Path) -> Result<Validation, CatalogueError> {
    let (catalogue, mut problems) = read(path)?;
    let file = path.display().to_string();
    if catalogue.questions().is_empty() {
        problems.push(Problem {
            file: file.clone(),
            line: None,
            column: None,
            reason: "no question was found".to_owned(),
            hint: Some(expected_content(path)),
            lost: true,
            id: None,
        });
    }
    for question in catalogue.questions() {
        let lacks = [
            ("question text", question.text.is_empty()),
            ("summary", question.summary.is_empty()),
            ("topics", question.topics.is_empty()),
            ("steps", question.steps.is_empty()),
        ];
        for (what, _) in lacks.iter().filter(|(_, lacks)| *lacks) {
            problems.push(Problem {
                file: file.clone(),
                line: None,
                column: None,
                reason: format!("question `{}` has no {what}", question.id),
                hint: None,
                lost: false,
                id: None,
            });
        }
    }
    Ok(Validation { catalogue, problems })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_catalogue_is_told_from_cases_by_what_its_first_row_has() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str, content: &str| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            path
        };
        assert!(is_catalogue(folder.path()));
        assert!(is_catalogue(&path("a.md", "no table")));
        assert!(is_catalogue(&path("a.jsonl", r#"{"id": "A-1", "reference": "x", "topics": [], "steps": []}"#)));
        let columns =
            "Question ID,Question Text,Expected Answer Summary,Traceable Sources,Reasoning Steps\nA-1,a,b,c,d\n";
        assert!(is_catalogue(&path("a.csv", columns)));
        let answered = r#"{"id": "A-1", "reference": "x", "topics": [], "steps": [], "response": "y"}"#;
        for (name, content) in
            [("b.jsonl", answered), ("c.jsonl", r#"{"id": "a", "reference": "x"}"#), ("d.csv", ""), ("e.bin", "?")]
        {
            assert!(!is_catalogue(&path(name, content)), "{name}");
        }
        assert!(!is_catalogue(&folder.path().join("none.jsonl")));
    }
}
