//! What a user reads in passing: hints, help, summaries, and a configuration as one would write it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{self, PROGRAM, both_streams};

fn run(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = program::run(folder, words);
    (output.status.code(), both_streams(&output))
}

#[test]
fn suggestions_are_near_or_absent() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = run(folder.path(), &["explain", "f1"]);
    assert_eq!(code, Some(64), "{text}");
    assert!(text.contains("the nearest here, defined in another way: `token_f1`"), "{text}");
    let (code, text) = run(folder.path(), &["score", "x.jsonl", "--threshold", "0.5"]);
    assert_eq!(code, Some(64), "{text}");
    assert!(text.contains("'--fail-under'") && !text.contains("--record"), "{text}");
    let (_, text) = run(folder.path(), &["score", "x.jsonl", "--limt", "5"]);
    assert!(text.contains("'--limit'"), "{text}");
    let (_, text) = run(folder.path(), &["score", "x.jsonl", "--zzzz"]);
    assert!(!text.contains("similar"), "{text}");
}

#[test]
fn help_shows_metrics_as_a_shell_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    for verb in ["score", "run", "synthesis"] {
        let (_, text) = run(folder.path(), &[verb, "--help"]);
        let shell = text.lines().filter(|line| line.contains("for example \""));
        for line in shell {
            assert!(!line.contains('`'), "{line}");
        }
    }
}

#[test]
fn a_table_from_windows_is_told_how_to_become_utf_8() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("w.csv"), b"id,r\xe9ponse\n1,caf\xe9\n").unwrap();
    let (code, text) = run(folder.path(), &["score", "w.csv", "-m", "token_f1"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("Windows-1252") && text.contains("iconv -f WINDOWS-1252"), "{text}");
    assert!(!text.contains("is no CSV file"), "{text}");
}

fn write_cases(folder: &Path) {
    let case = |number: usize| {
        format!(
            "{{\"id\": \"{number}\", \"query\": \"q{number}\", \"response\": \"a\", \"reference\": \"b\", \"tags\": [\"t\"]}}\n"
        )
    };
    fs::write(folder.join("cases.jsonl"), (0..6).map(case).collect::<String>()).unwrap();
}

#[test]
fn a_gate_of_a_configuration_that_was_found_is_named_as_such() {
    let folder = tempfile::tempdir().unwrap();
    write_cases(folder.path());
    let yaml = "metrics: [token_f1, 'p=precision_at_k:k=3']\ngates: [{metric: token_f1, fail_under: 0.5}]\n";
    fs::write(folder.path().join("probare.yaml"), yaml).unwrap();
    let (code, text) = run(folder.path(), &["score", "cases.jsonl", "-o", "out.md"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("set in probare.yaml"), "{text}");
    let page = fs::read_to_string(folder.path().join("out.md")).unwrap();
    assert!(page.contains("probare.yaml"), "{page}");
}

#[test]
fn two_models_have_their_own_means_beside_another_grouping_and_one_cause_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    write_cases(folder.path());
    let yaml = "datasets: [{path: cases.jsonl}]\n\
                models: [{name: alpha, provider: command, command: [sh, answer.sh]}, {name: beta, provider: command, command: [sh, answer.sh]}]\n\
                metrics: [token_f1, contains, exact_match]\nrun: {by: tags}\n";
    fs::write(folder.path().join("probare.yaml"), yaml).unwrap();
    fs::write(folder.path().join("answer.sh"), "cat > /dev/null; echo '{\"text\": \"b\"}'\n").unwrap();
    let (code, text) = run(folder.path(), &["run", "probare.yaml"]);
    assert_eq!(code, Some(0), "{text}");
    for group in ["alpha", "beta", " t "] {
        assert!(text.contains(group), "{group}: {text}");
    }
    let none = yaml.replace("provider: command, command: [sh, answer.sh]", "api_model_name: 'replay:none.jsonl'");
    fs::write(folder.path().join("probare.yaml"), none).unwrap();
    fs::write(folder.path().join("none.jsonl"), "").unwrap();
    let (code, text) = run(folder.path(), &["run", "probare.yaml"]);
    assert_eq!(code, Some(1), "{text}");
    let failed: Vec<&str> = text.lines().filter(|line| line.starts_with("failed: ")).collect();
    assert_eq!(failed.len(), 1, "{text}");
    assert!(failed[0].contains("token_f1, contains, exact_match"), "{}", failed[0]);
}

#[test]
fn an_index_is_tested_with_the_gates_of_the_configuration_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("corpus")).unwrap();
    fs::write(at.join("corpus/a.txt"), "Mussels grow on ropes near the harbour.").unwrap();
    fs::write(
        at.join("questions.jsonl"),
        "{\"id\": \"1\", \"question\": \"Where do mussels grow?\", \"relevant\": [\"a.txt\"]}\n",
    )
    .unwrap();
    fs::write(
        at.join("probare.yaml"),
        "gates: [{metric: reciprocal_rank, fail_under: 2}, {metric: token_f1, fail_under: 2}]\n",
    )
    .unwrap();
    let (code, text) = run(at, &["rag", "index", "corpus", "-o", "index"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(at, &["rag", "test", "index", "--questions", "questions.jsonl", "--mode", "words"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("reciprocal_rank") && text.contains("set in probare.yaml"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn score_shows_a_summary_on_a_terminal_and_lines_in_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    write_cases(folder.path());
    let line = format!("{PROGRAM} score cases.jsonl -m token_f1");
    // `script` runs it at a terminal of its own.
    let Ok(output) = Command::new("script").args(["-qec", &line, "/dev/null"]).current_dir(folder.path()).output()
    else {
        probare_testing::report_skipped("`script` is not installed, so no terminal can be had");
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("6 cases") && !text.contains("{\"id\""), "{text}");
    let output = Command::new(PROGRAM)
        .args(["score", "cases.jsonl", "-m", "token_f1"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().filter(|line| line.starts_with("{\"id\"")).count(), 6);
}
