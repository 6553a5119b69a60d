//! The text of a PDF file, through the program `pdftotext` of Poppler.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use super::CorpusError;

/// The text of a file; pages end in a form feed.
pub(super) fn text(path: &Path) -> Result<String, CorpusError> {
    let file = path.display().to_string();
    let failed = |reason: String, is_missing| CorpusError::Pdf { file: file.clone(), reason, is_missing };
    // A path that starts with a dash would be taken for an option.
    let shown = if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) };
    let ran = Command::new("pdftotext")
        .args(["-q", "-enc", "UTF-8"])
        .arg(&shown)
        .arg("-")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => failed("`pdftotext` is not installed".to_owned(), true),
            _ => failed(format!("`pdftotext` cannot be started: {error}"), false),
        })?;
    if !ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr);
        let said = said.lines().next().unwrap_or("it said nothing").trim().to_owned();
        return Err(failed(format!("`pdftotext` cannot read it: {said}"), false));
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}
