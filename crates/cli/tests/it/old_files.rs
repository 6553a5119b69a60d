//! What release 0.2 wrote opens: results in every form, a store, a record of replies, an index, judged scores, a suite's results.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::program::PROGRAM;

/// A copy of the old files, since opening a store may bring it into its new form.
fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/old/0.2");
    copy(&old, folder.path());
    folder
}

pub(crate) fn copy(from: &Path, to: &Path) {
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
fn run_successfully(folder: &Path, arguments: &[&str]) -> String {
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
        // Tables and texts of a page of another release are not checked, so that has to be allowed.
        let output = run(folder.path(), &["verify", "--allow-unchecked", name]);
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert_eq!(text.contains("not checked"), name == "scored.html", "{name}: {text}");
        // Two of the metrics have another version now, which is told; nothing else differs.
        assert!(text.contains("6 cases, 18 scores computed again"), "{name}: {text}");
        assert!(text.contains("2 places differ"), "{name}: {text}");
        for place in
            ["`metrics[0].version` is 1 in the file and 2 now", "`metrics[2].version` is 1 in the file and 2 now"]
        {
            assert!(text.contains(place), "{name}: {text}");
        }
    }
    let judged = run(&inside(&folder, "judged"), &["verify", "judged.jsonl"]);
    let judged = [judged.stdout, judged.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(
        judged.contains("24 cases, 47 scores computed again") && judged.contains("right: 1 score not checked"),
        "{judged}"
    );
    assert!(judged.contains("places differ"), "{judged}");
    for version in [3, 5] {
        assert!(judged.contains(&format!("version` is 1 in the file and {version} now")), "{judged}");
    }
    // The improved checks have another version, too, and the same values.
    let suite = run(&inside(&folder, "synthesis"), &["verify", "synthesis.jsonl"]);
    let suite = [suite.stdout, suite.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(suite.contains("4 cases, 12 scores computed again"), "{suite}");
    assert!(suite.contains("3 places differ"), "{suite}");
    assert_eq!(suite.matches("version` is 5 in the file and 10 now").count(), 3, "{suite}");
}

#[test]
fn a_page_of_another_release_is_checked_case_by_case_and_is_no_proof() {
    let folder = copied();
    let page = fs::read_to_string(inside(&folder, "scored.html")).unwrap();
    let unchanged = run(folder.path(), &["verify", "scored.html"]);
    assert_eq!(unchanged.status.code(), Some(1), "nothing may pass that was not checked");
    let at = page.find("{\"line\":").unwrap();
    let value = at + page[at..].find("\"value\":").unwrap() + "\"value\":".len();
    let end = value + page[value..].find([',', '}']).unwrap();
    let changed = format!("{}0.123{}", &page[..value], &page[end..]);
    fs::write(inside(&folder, "scored.html"), changed).unwrap();
    let output = run(folder.path(), &["verify", "--allow-unchecked", "scored.html"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("`value` is 0.123 in the file"), "{text}");
}

#[test]
fn a_seal_is_no_proof() {
    let folder = copied();
    let place = folder.path();
    run_successfully(place, &["score", "cases.jsonl", "-m", "token_f1", "-q", "-o", "now.html"]);
    run_successfully(place, &["verify", "now.html"]);
    let page = fs::read_to_string(place.join("now.html")).unwrap();
    // Another version, another value, and then the seal that `verify` itself says.
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(page.contains(&version), "the manifest names the version");
    let line = page.find("{\"line\":").unwrap();
    let value = line + page[line..].find("\"value\":").unwrap() + "\"value\":".len();
    let end = value + page[value..].find([',', '}']).unwrap();
    let forged = format!("{}0.123{}", &page[..value], &page[end..]).replace(&version, "\"version\":\"0.1.1\"");
    fs::write(place.join("now.html"), &forged).unwrap();
    let first = String::from_utf8_lossy(&run(place, &["verify", "now.html"]).stderr).into_owned();
    let words = first.split_once("its digest is ").unwrap_or_else(|| panic!("{first}")).1;
    let (seal, rest) = words.split_once(", but it says ").unwrap();
    let old = rest.split_whitespace().next().unwrap();
    fs::write(place.join("now.html"), forged.replace(old, seal)).unwrap();
    let output = run(place, &["verify", "--allow-unchecked", "now.html"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(!text.contains("its digest is") && text.contains("`value` is 0.123"), "{text}");
}

#[test]
fn columns_that_meant_nothing_then_mean_nothing_when_an_old_file_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/old/0.2");
    let cases = fs::read_to_string(old.join("cases.jsonl")).unwrap();
    // The same results, of cases that name a model and a repeat in columns: 0.2 would have written these very rows.
    let named = cases
        .lines()
        .map(|line| format!("{},\"model\":\"m\",\"repeat\":1}}\n", line.trim().strip_suffix('}').unwrap()));
    let named = named.collect::<String>();
    fs::write(folder.path().join("cases.jsonl"), &named).unwrap();
    fs::copy(old.join("scored.jsonl"), folder.path().join("scored.jsonl")).unwrap();
    fs::copy(old.join("scored.jsonl.run.json"), folder.path().join("scored.jsonl.run.json")).unwrap();
    let output = run(folder.path(), &["verify", "scored.jsonl"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    // The input is another one, and nothing else is.
    assert!(text.contains("the input `cases.jsonl` has changed") && !text.contains("row"), "{text}");
}

#[test]
fn a_table_of_release_0_2_with_repeats_is_not_compared_by_guesswork() {
    let folder = copied();
    let place = inside(&folder, "run");
    let output = run(&place, &["compare", "results.csv", "results.csv"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("does not say which row is of which model and repeat"), "{text}");
    for name in ["results.jsonl", "results.json", "results.parquet"] {
        run_successfully(&place, &["compare", "results.jsonl", name]);
    }
}

#[test]
fn results_of_release_0_2_are_shown_and_compared() {
    let folder = copied();
    let shown = run_successfully(folder.path(), &["show", "scored.jsonl", "--id", "capital-au"]);
    assert!(shown.contains("Canberra"), "{shown}");
    for name in ["scored.json", "scored.csv", "scored.parquet"] {
        let text = run_successfully(folder.path(), &["compare", "scored.jsonl", name]);
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
    let list = run_successfully(&place, &["runs", "list"]);
    assert!(list.contains("20"), "{list}");
    run_successfully(&place, &["runs", "export", "1", "-o", "again.jsonl"]);
    let lines = |name: &str| -> Vec<serde_json::Value> {
        let text = fs::read_to_string(place.join(name)).unwrap();
        // The export has the words of format 4.
        let text = text.replace("\"kind\":\"found\"", "\"kind\":\"matched\"");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (again, before) = (lines("again.jsonl"), lines("results.jsonl"));
    assert_eq!(again.len(), before.len());
    for (again, before) in again.iter().zip(&before) {
        for key in ["id", "model", "repeat", "scores"] {
            assert_eq!(again.get(key), before.get(key), "{key}");
        }
    }
    let compared = run_successfully(&place, &["compare", "1@plain", "1@dotted"]);
    assert!(compared.contains("5 cases in both"), "{compared}");
    let record = run_successfully(&place, &["models", "record", "list"]);
    assert!(record.contains("plain") && record.contains("dotted"), "{record}");
}

#[test]
fn an_index_of_release_0_2_is_searched() {
    let folder = copied();
    let found = run_successfully(folder.path(), &["rag", "search", "index", "how long is the bridge"]);
    assert!(found.contains("7,845 metres"), "{found}");
}
