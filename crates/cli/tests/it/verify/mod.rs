//! `probare verify`: what was left alone agrees, what was touched is found and named.

mod agrees;
mod cells;
mod tampered;

use std::fs;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

use crate::program::run as probare;

/// Cases with everything that a result can be: scored with label, parts, evidence and support; not applicable; failed;
/// under a repeated id; of a model.
const CASES: &str = r#"{"id":"a","query":"What is the capital of Australia?","said":"The capital of Australia is Canberra, founded in 1913.","reference":["Canberra"],"context":["Canberra is the capital of Australia. It was founded in 1913."]}
{"id":"b","query":"Who wrote Middlemarch?","said":"George Eliot wrote it.","context":["Middlemarch was written by George Eliot."]}
{"id":"c","query":"Where?","reference":["Here"]}
{"id":"a","query":"What is the capital of Australia?","said":"Sydney.","reference":["Canberra"],"context":["Canberra is the capital."]}
{"id":"=d","query":"When?","said":"In 1871, or so.","reference":["In 1871"],"context":["It came out in 1871."]}
{broken
"#;

/// A folder with cases and the results of a run in every format.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(project.path().join("cases.jsonl"), CASES).unwrap();
        project.score(&[]);
        project
    }

    /// The run has lost a row and a failed case, so it ends with 1; its files are complete.
    fn score(&self, more: &[&str]) {
        let usual = [
            "score",
            "cases.jsonl",
            "--map",
            "response=said",
            "--profile",
            "improved",
            "-q",
            "--title",
            "A <title>",
            "-m",
            "token_f1",
            "-m",
            "hallucination",
            "-m",
            "right=answer_match",
            "-m",
            "verdict",
            "--fail-under",
            "token_f1=0.2",
            "-o",
            "r.jsonl",
            "-o",
            "r.json",
            "-o",
            "r.csv",
            "-o",
            "r.parquet",
            "-o",
            "r.html",
            "-o",
            "r.jsonl.gz",
            "-o",
            "r.csv.zst",
            "-o",
            "r.json.zst",
        ];
        let arguments: Vec<&str> = usual.iter().chain(more).copied().collect();
        let scored = probare(self.path(), &arguments);
        assert_eq!(scored.status.code(), Some(1), "{}", String::from_utf8_lossy(&scored.stderr));
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn verify(&self, arguments: &[&str]) -> ProgramOutcome {
        let all: Vec<&str> = ["verify"].iter().chain(arguments).copied().collect();
        ProgramOutcome::from_output(&probare(self.path(), &all))
    }

    /// Verifies a file after a change of it, or of one beside it, and puts everything back.
    fn after(&self, changed: &str, change: impl FnOnce(&str) -> String, verified: &str) -> ProgramOutcome {
        let before = self.read(changed);
        let after = change(&before);
        assert_ne!(before, after, "the change does nothing");
        self.write(changed, &after);
        let said = self.verify(&[verified]);
        self.write(changed, &before);
        said
    }
}

/// How the program ended and what it said.
struct ProgramOutcome {
    code: Option<i32>,
    text: String,
}

impl ProgramOutcome {
    fn from_output(output: &Output) -> Self {
        let text = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        Self { code: output.status.code(), text: String::from_utf8(text).unwrap() }
    }

    #[track_caller]
    fn agrees(&self) {
        assert_eq!(self.code, Some(0), "{}", self.text);
        assert!(self.text.contains(": all agree"), "{}", self.text);
    }

    #[track_caller]
    fn differs(&self, what: &str, named: &str) {
        assert_eq!(self.code, Some(1), "{what}: {}", self.text);
        assert!(self.text.contains(named), "{what}: `{named}` is not in\n{}", self.text);
    }
}
