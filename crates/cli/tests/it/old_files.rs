//! What release 0.2 wrote opens: results in every form, a store, a record of replies, an index, judged scores, a suite's results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_probare");

/// A copy of the old files, since opening a store may bring it into its new form.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/old/0.2");
    copy(&old, folder.path());
    folder
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).current_dir(folder).env("XDG_CACHE_HOME", folder).output().unwrap()
}

/// What a command printed on both streams; it has to end well.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{arguments:?}: {text}");
    text
}

fn inside(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

#[test]
fn results_of_release_0_2_are_verified_in_every_form() {
    let folder = copied();
    for name in ["scored.jsonl", "scored.jsonl.gz", "scored.json", "scored.csv", "scored.parquet", "scored.html"] {
        let text = said(folder.path(), &["verify", name]);
        assert!(text.contains("6 cases, 18 scores computed again") && text.contains("all agree"), "{name}: {text}");
    }
    let judged = said(&inside(&folder, "judged"), &["verify", "judged.jsonl"]);
    assert!(judged.contains("24 cases, 48 scores computed again"), "{judged}");
    let suite = said(&inside(&folder, "synthesis"), &["verify", "synthesis.jsonl"]);
    assert!(suite.contains("4 cases, 12 scores computed again"), "{suite}");
}

#[test]
fn results_of_release_0_2_are_shown_and_compared() {
    let folder = copied();
    let shown = said(folder.path(), &["show", "scored.jsonl", "--id", "capital-au"]);
    assert!(shown.contains("Canberra"), "{shown}");
    for name in ["scored.json", "scored.csv", "scored.parquet"] {
        let text = said(folder.path(), &["compare", "scored.jsonl", name]);
        assert!(text.contains("6 cases in both"), "{name}: {text}");
    }
}

#[test]
fn a_run_of_release_0_2_is_listed_exported_and_compared() {
    let folder = copied();
    let place = inside(&folder, "run");
    fs::create_dir(place.join(".probare")).unwrap();
    for name in ["store.db", "replies.db"] {
        fs::rename(place.join(name), place.join(".probare").join(name)).unwrap();
    }
    let list = said(&place, &["runs", "list"]);
    assert!(list.contains("20"), "{list}");
    said(&place, &["runs", "export", "1", "-o", "again.jsonl"]);
    let lines = |name: &str| -> Vec<serde_json::Value> {
        let text = fs::read_to_string(place.join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (again, before) = (lines("again.jsonl"), lines("results.jsonl"));
    assert_eq!(again.len(), before.len());
    for (again, before) in again.iter().zip(&before) {
        for key in ["id", "model", "repeat", "scores"] {
            assert_eq!(again.get(key), before.get(key), "{key}");
        }
    }
    let compared = said(&place, &["compare", "1@plain", "1@dotted"]);
    assert!(compared.contains("5 cases in both"), "{compared}");
    let record = said(&place, &["models", "record", "list"]);
    assert!(record.contains("plain") && record.contains("dotted"), "{record}");
}

#[test]
fn an_index_of_release_0_2_is_searched() {
    let folder = copied();
    let found = said(folder.path(), &["rag", "search", "index", "how long is the bridge"]);
    assert!(found.contains("7,845 metres"), "{found}");
}
