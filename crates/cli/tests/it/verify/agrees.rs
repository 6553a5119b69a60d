//! What was left alone agrees, wherever it is verified, without any flag.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use super::{CASES, ProgramOutcome, Project, probare};

const VERIFIABLE: [&str; 8] =
    ["r.jsonl", "r.json", "r.csv", "r.parquet", "r.html", "r.jsonl.gz", "r.csv.zst", "r.json.zst"];

#[test]
fn every_format_agrees_without_a_flag() {
    let project = Project::new();
    for name in VERIFIABLE {
        project.verify(&[name]).agrees();
    }
    project.score(&["--limit", "3"]);
    for name in VERIFIABLE {
        let said = project.verify(&[name]);
        said.agrees();
        assert!(said.text.contains("3 cases, 12 scores"), "{}", said.text);
    }
}

#[test]
fn a_limit_gives_the_same_manifest_however_far_the_reader_had_come() {
    let project = Project::new();
    let line = CASES.lines().next().unwrap().to_owned() + "\n";
    project.write("cases.jsonl", &line.repeat(4000));
    let manifest = |jobs: &str| {
        let score = ["score", "cases.jsonl", "--map", "response=said", "-m", "exact_match", "--limit", "700", "-q"];
        let more = ["-j", jobs, "-o", "limited.jsonl"];
        assert!(probare(project.path(), &[score.as_slice(), more.as_slice()].concat()).status.success());
        project.read("limited.jsonl.run.json")
    };
    let first = manifest("1");
    assert!(first.contains("\"rows\": 700"), "{first}");
    assert!(["2", "7"].iter().all(|jobs| manifest(jobs) == first));
    project.verify(&["limited.jsonl"]).agrees();
}

#[test]
fn inputs_are_found_from_elsewhere_and_those_given_win() {
    let project = Project::new();
    let away = tempfile::tempdir().unwrap();
    for name in VERIFIABLE {
        let results = project.path().join(name);
        let results = results.to_str().unwrap();
        ProgramOutcome::from_output(&probare(away.path(), &["verify", results])).agrees();
        fs::write(away.path().join("copy.jsonl"), CASES).unwrap();
        fs::rename(project.path().join("cases.jsonl"), project.path().join("gone.jsonl")).unwrap();
        let lost = ProgramOutcome::from_output(&probare(away.path(), &["verify", results]));
        lost.differs("no input", "the input `cases.jsonl` is neither beside the results nor here");
        ProgramOutcome::from_output(&probare(away.path(), &["verify", results, "copy.jsonl"])).agrees();
        fs::rename(project.path().join("gone.jsonl"), project.path().join("cases.jsonl")).unwrap();
    }
    let two = project.verify(&["r.json", "cases.jsonl", "cases.jsonl"]);
    assert_eq!(two.code, Some(64), "{}", two.text);
}

#[test]
fn results_in_a_folder_of_their_own_are_verified_from_there() {
    let project = Project::new();
    project.score(&["-o", "out/deep/r.csv"]);
    ProgramOutcome::from_output(&probare(&project.path().join("out/deep"), &["verify", "r.csv"])).agrees();
}

#[test]
fn standard_input_is_verified_with_a_copy_of_it() {
    let project = Project::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_probare"))
        .current_dir(project.path())
        .args(["score", "-", "--map", "response=said", "-m", "token_f1", "-q", "-o", "piped.json", "-o", "piped.html"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(CASES.as_bytes()).unwrap();
    child.wait().unwrap();
    for name in ["piped.json", "piped.html"] {
        project.verify(&[name]).differs("standard input", "came from standard input, which cannot be read again");
        project.verify(&[name, "cases.jsonl"]).agrees();
    }
    fs::copy(project.path().join("cases.jsonl"), project.path().join("kept")).unwrap();
    project.verify(&["piped.json", "kept"]).agrees();
}

#[test]
fn what_cannot_be_verified_says_so() {
    let project = Project::new();
    project.score(&["-o", "r.md", "-o", "r.xml"]);
    for (name, why) in [("r.md", "a few rounded numbers"), ("r.xml", "no values"), ("r.txt", "no known extension")] {
        let said = project.verify(&[name]);
        assert_eq!(said.code, Some(64), "{}", said.text);
        assert!(said.text.contains(why) && said.text.contains("-o results.jsonl"), "{}", said.text);
    }
}

#[test]
fn files_without_a_manifest_say_what_to_do() {
    let project = Project::new();
    fs::remove_file(project.path().join("r.jsonl.run.json")).unwrap();
    project.write("old.json", r#"{"probare":{"version":"0.1.0","format":1},"source":"c","metrics":[],"results":[]}"#);
    project.write("old.html", "<!doctype html>\n<p>page</p>\n");
    for name in ["r.jsonl", "old.json", "old.html"] {
        let said = project.verify(&[name]);
        said.differs(name, "does not say how it was made");
        assert!(said.text.contains("`probare score CASES -m METRIC -o results.jsonl`"), "{}", said.text);
    }
    project.verify(&["nowhere.jsonl"]).differs("no file", "cannot read `nowhere.jsonl`");
}
