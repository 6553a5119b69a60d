//! A folder of catalogue files: `SynthLink_*.md` in it and one level below.

use std::fs;
use std::path::{Path, PathBuf};

use probare_core::Problem;
use probare_formats::{CaseFileError, LARGEST_DOCUMENT, bundled_below, is_bundled, read_whole};

use super::question::LocatedQuestion;
use super::{CatalogueError, markdown};

/// The questions of all files. Files without a table of questions are passed over: scoring documents bear the same name.
pub(super) fn read(folder: &Path) -> Result<(Vec<LocatedQuestion>, Vec<Problem>), CatalogueError> {
    let (mut questions, mut problems) = (Vec::new(), Vec::new());
    for file in files(folder)? {
        let (found, wrong) = read_file(&file)?;
        questions.extend(found);
        problems.extend(wrong);
    }
    Ok((questions, problems))
}

/// The questions of one Markdown file.
pub(super) fn read_file(path: &Path) -> Result<(Vec<LocatedQuestion>, Vec<Problem>), CatalogueError> {
    let (bytes, _) = read_whole(&path.display().to_string(), LARGEST_DOCUMENT).map_err(CatalogueError::Read)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(markdown::questions(&text, &path.display().to_string()))
}

/// Paths in the order of their names, so that messages do not depend on the file system.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, CatalogueError> {
    let mut files = Vec::new();
    let name = folder.display().to_string();
    if is_bundled(&name) {
        files.extend(bundled_below(&name).into_iter().map(PathBuf::from).filter(|path| is_table(path)));
        files.sort();
        return Ok(files);
    }
    for entry in entries(folder)? {
        if entry.is_dir() {
            // A folder below that cannot be read is nobody's catalogue.
            files.extend(entries(&entry).unwrap_or_default().into_iter().filter(|path| is_catalogue(path)));
        } else if is_catalogue(&entry) {
            files.push(entry);
        }
    }
    files.sort();
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, CatalogueError> {
    let entries = fs::read_dir(folder).map_err(|source| unreadable(folder, source))?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(|source| unreadable(folder, source))).collect()
}

/// Whether a file that the program carries is a table of questions: its notice is not.
fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

fn is_catalogue(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("SynthLink_") && name.ends_with(".md") && path.is_file()
}

pub(super) fn unreadable(path: &Path, source: std::io::Error) -> CatalogueError {
    CatalogueError::Read(CaseFileError::Io { file: path.display().to_string(), source })
}
