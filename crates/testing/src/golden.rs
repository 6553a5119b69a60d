//! Reads golden files and holds code against them.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

use crate::GoldenTally;

/// Holds `check` against every line of `tests/golden/<family>/<file>` and panics when any disagrees.
///
/// `check` returns what differs, both sides named, as [`close`](crate::close) and [`same`](crate::same) do. Where
/// `PROBARE_GOLDEN_DIR` is set, `<family>/<file>` is read from there instead; absent there it is skipped by name.
pub fn golden(family: &str, file: &str, check: impl FnMut(&Value) -> Result<(), String>) {
    Golden::new(family, file).check_lines(check);
}

/// Like [`golden`] for a file that is one JSON document: `check` walks it and records each vector in the [`GoldenTally`].
pub fn golden_json(family: &str, file: &str, check: impl FnOnce(&Value, &mut GoldenTally)) {
    Golden::new(family, file).check_document(check);
}

/// A golden file, with what is known about disagreements.
#[derive(Debug)]
pub struct Golden {
    folder: GoldenFolder,
    family: String,
    file: String,
    known: Vec<(String, String)>,
    least_share: f64,
}

#[derive(Debug)]
enum GoldenFolder {
    /// `tests/golden` of the workspace, where every file must exist.
    Own(PathBuf),
    /// The folder that `PROBARE_GOLDEN_DIR` names, which may hold a part of the files.
    Other(PathBuf),
}

impl Golden {
    /// The file of this name in the folder of this family.
    pub fn new(family: &str, file: &str) -> Self {
        let folder = match env::var_os("PROBARE_GOLDEN_DIR") {
            Some(path) => GoldenFolder::Other(PathBuf::from(path)),
            None => GoldenFolder::Own(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden")),
        };
        Self { folder, family: family.to_owned(), file: file.to_owned(), known: Vec::new(), least_share: 1.0 }
    }

    /// A vector that is known to disagree, and why. It is printed and counted and does not fail the test.
    #[must_use]
    pub fn with_known_disagreement(mut self, id: &str, reason: &str) -> Self {
        self.known.push((id.to_owned(), reason.to_owned()));
        self
    }

    /// The share of vectors that must agree, for families that are graded rather than exact. 1 unless given.
    #[must_use]
    pub fn with_least_share(mut self, share: f64) -> Self {
        self.least_share = share;
        self
    }

    /// Checks a file of one JSON value per line. The id of a vector is its `id`, its `name`, or its line
    /// number.
    pub fn check_lines(self, mut check: impl FnMut(&Value) -> Result<(), String>) {
        self.run(|content, tally| {
            for (number, line) in content.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                match serde_json::from_str::<Value>(line) {
                    Ok(case) => tally.check(&id(&case, number + 1), check(&case)),
                    Err(error) => tally.check(&format!("line {}", number + 1), Err(error.to_string())),
                }
            }
        });
    }

    /// Checks a file that is one JSON document.
    pub fn check_document(self, check: impl FnOnce(&Value, &mut GoldenTally)) {
        self.run(|content, tally| match serde_json::from_str::<Value>(content) {
            Ok(document) => check(&document, tally),
            Err(error) => tally.check("the document", Err(error.to_string())),
        });
    }

    fn run(self, check: impl FnOnce(&str, &mut GoldenTally)) {
        let name = format!("{}/{}", self.family, self.file);
        let (folder, own) = match &self.folder {
            GoldenFolder::Own(path) => (path, true),
            GoldenFolder::Other(path) => (path, false),
        };
        let path = folder.join(&self.family).join(&self.file);
        if !own && !path.exists() {
            eprintln!("golden {name}: skipped, `{}` does not hold it", folder.display());
            return;
        }
        let content = fs::read_to_string(&path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()));
        let mut tally = GoldenTally::new(self.known);
        check(&content, &mut tally);
        if let Err(reason) = tally.finish(&format!("golden {name}"), self.least_share, own) {
            panic!("{reason}");
        }
    }
}

/// The id that the vector gives itself, or its line.
fn id(case: &Value, line: usize) -> String {
    match case.get("id").or_else(|| case.get("name")) {
        Some(Value::String(id)) => id.clone(),
        Some(other) if !other.is_null() => other.to_string(),
        _ => format!("line {line}"),
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use tempfile::TempDir;

    use super::*;
    use crate::{close, number, same};

    #[expect(clippy::disallowed_methods, reason = "a test writes its own input")]
    fn folder_with(content: &str) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("numbers")).unwrap();
        fs::write(folder.path().join("numbers/double.jsonl"), content).unwrap();
        folder
    }

    fn golden_in(folder: GoldenFolder) -> Golden {
        Golden { folder, ..Golden::new("numbers", "double.jsonl") }
    }

    fn double(case: &Value) -> Result<(), String> {
        close("double", number(case, "double")?, number(case, "number")? * 2.0, 0.0)
    }

    #[test]
    fn agreeing_lines_pass_and_a_differing_one_panics_with_the_count() {
        let good = folder_with("{\"id\":\"a\",\"number\":1,\"double\":2}\n\n{\"number\":2,\"double\":4}\n");
        golden_in(GoldenFolder::Own(good.path().into())).check_lines(double);

        let bad = folder_with("{\"id\":\"a\",\"number\":1,\"double\":2}\n{\"id\":\"b\",\"number\":2,\"double\":5}\n");
        let path = bad.path().to_path_buf();
        let panic = catch_unwind(|| golden_in(GoldenFolder::Own(path)).check_lines(double)).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.contains("1 of 2 agreed"), "{message}");

        golden_in(GoldenFolder::Own(bad.path().into()))
            .with_known_disagreement("b", "a slip of the original")
            .check_lines(double);
        golden_in(GoldenFolder::Own(bad.path().into())).with_least_share(0.5).check_lines(double);
    }

    #[test]
    fn a_line_that_is_no_json_disagrees() {
        let bad = folder_with("{\"id\":\"a\"");
        let path = bad.path().to_path_buf();
        assert!(catch_unwind(|| golden_in(GoldenFolder::Own(path)).check_lines(|_| Ok(()))).is_err());
    }

    #[test]
    fn a_file_that_another_folder_lacks_is_skipped_and_one_of_ours_is_not() {
        let empty = tempfile::tempdir().unwrap();
        golden_in(GoldenFolder::Other(empty.path().into())).check_lines(|_| Err("not reached".into()));
        let path = empty.path().to_path_buf();
        assert!(catch_unwind(|| golden_in(GoldenFolder::Own(path)).check_lines(|_| Ok(()))).is_err());
    }

    #[test]
    fn a_document_is_walked_by_the_check() {
        let folder = folder_with("{\"words\": [\"a\", \"b\"]}");
        golden_in(GoldenFolder::Own(folder.path().into())).check_document(|document, tally| {
            for (at, word) in document["words"].as_array().unwrap().iter().enumerate() {
                tally.check(&format!("words {at}"), same("length", &1, &word.as_str().unwrap().len()));
            }
        });
    }
}
