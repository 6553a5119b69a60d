//! Catalogues of questions: the published Markdown tables, and the same as JSON lines, JSON or CSV.

mod folder;
mod markdown;
mod question;
mod rows;
mod validation;

use std::path::{Path, PathBuf};

use probare_core::Problem;
use probare_formats::CaseFileError;

pub use question::{Catalogue, CatalogueQuestion, PUBLISHED_CATEGORIES};
pub use validation::{Validation, is_catalogue, validate};

/// A catalogue could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// The name of a file does not say how it is written.
    #[error(
        "cannot tell from its name what `{path}` is; a catalogue ends in .md, .jsonl, .json, .csv, .tsv or .parquet"
    )]
    UnknownFormat { path: String },
    /// A file or folder could not be read.
    #[error(transparent)]
    Read(CaseFileError),
    /// A row is wrong. The first one is named; `probare validate` shows all.
    #[error("{}", place(.first) + &further(*.more))]
    Row { first: Problem, more: usize },
    /// There is no question.
    #[error("no catalogue of questions in `{path}`")]
    Empty { path: String },
}

impl From<CaseFileError> for CatalogueError {
    fn from(error: CaseFileError) -> Self {
        match error {
            // Its own words advise an option for files of cases.
            CaseFileError::UnknownFormat { file } => Self::UnknownFormat { path: file },
            other => Self::Read(other),
        }
    }
}

/// What a catalogue at `path` holds, by what stands there: for the message where no question was found.
pub fn expected_content(path: &Path) -> String {
    let table = format!("a table of the columns {}", listed(&markdown::COLUMNS));
    if path.is_dir() {
        format!("files SynthLink_*.md are looked for in the folder and one level below, each with {table}")
    } else if is_markdown(path) {
        format!("{table} is looked for")
    } else {
        format!("rows with {} are looked for", listed(&["id", "question", "reference", "topics", "steps"]))
    }
}

/// `a`, `b` and `c`.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => quoted.concat(),
    }
}

/// `file:line: reason`.
pub(crate) fn place(problem: &Problem) -> String {
    let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {}", problem.file, problem.reason)
}

fn further(more: usize) -> String {
    if more == 0 { String::new() } else { format!(" (and {more} more)") }
}

/// Reads the catalogue at `path`: a folder with files `SynthLink_*.md` (also one level below), a Markdown file, or a
/// file of rows (`.jsonl`, `.json`, `.csv`, `.tsv`, `.parquet`).
///
/// A question that stands in two files in the same words is taken once.
pub fn load(path: &Path) -> Result<Catalogue, CatalogueError> {
    let (catalogue, problems) = read(path)?;
    let mut lost = problems.into_iter().filter(|problem| problem.lost);
    if let Some(first) = lost.next() {
        return Err(CatalogueError::Row { first, more: lost.count() });
    }
    if catalogue.questions().is_empty() {
        return Err(CatalogueError::Empty { path: path.display().to_string() });
    }
    Ok(catalogue)
}

/// The files that the catalogue at `path` is read from.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, CatalogueError> {
    if is_folder(path) { folder::files(path) } else { Ok(vec![path.to_owned()]) }
}

/// Reads what can be read, and says what is wrong with the rest.
fn read(path: &Path) -> Result<(Catalogue, Vec<Problem>), CatalogueError> {
    // Asked first, because a name that leads nowhere tells no format either; `-` is the standard input.
    if path != Path::new("-") && !probare_formats::is_bundled(&path.display().to_string()) {
        std::fs::metadata(path).map_err(|source| folder::unreadable(path, source))?;
    }
    let (located, mut problems) = if is_folder(path) {
        folder::read(path)?
    } else if is_markdown(path) {
        folder::read_file(path)?
    } else {
        rows::read(path)?
    };
    let catalogue = question::merge_questions(located, &mut problems);
    Ok((catalogue, problems))
}

/// Whether a path is a folder, on disk or of those that the program carries.
pub(crate) fn is_folder(path: &Path) -> bool {
    let name = path.display().to_string();
    path.is_dir() || (probare_formats::is_bundled(&name) && !probare_formats::bundled_below(&name).is_empty())
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
}
