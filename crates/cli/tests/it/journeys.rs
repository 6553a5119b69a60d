//! Whole ways through the program: start a project, score it, verify it, break it.

use std::fs;
use std::process::Output;

use crate::program::{code, run};

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("it prints UTF-8")
}

#[test]
fn a_new_project_is_scored_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["init"])), 0);
    assert_eq!(code(&run(folder.path(), &["init"])), 1, "nothing is overwritten without --force");
    let scored = run(folder.path(), &["score"]);
    assert_eq!(code(&scored), 0, "{}", String::from_utf8_lossy(&scored.stderr));
    assert!(folder.path().join("out/report.html").is_file());
    assert_eq!(code(&run(folder.path(), &["validate", "probare.yaml"])), 0);
    let verified = run(folder.path(), &["verify", "out/results.jsonl"]);
    assert_eq!(code(&verified), 0);
    assert!(stdout(&verified).contains("all agree"));
}

#[test]
fn a_changed_result_is_found_out() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["init"]);
    run(folder.path(), &["score"]);
    let path = folder.path().join("out/results.jsonl");
    let results = fs::read_to_string(&path).unwrap();
    let changed = results.replacen("\"value\":1.0", "\"value\":0.9", 1);
    assert_ne!(results, changed);
    fs::write(&path, changed).unwrap();
    let verified = run(folder.path(), &["verify", "out/results.jsonl"]);
    assert_eq!(code(&verified), 1);
    assert!(stdout(&verified).contains("differ"), "{}", stdout(&verified));
    fs::write(&path, results.replacen("\"start\":", "\"start\":1", 1)).unwrap();
    assert_eq!(code(&run(folder.path(), &["verify", "out/results.jsonl"])), 1);
}

#[test]
fn the_number_of_threads_does_not_change_a_byte() {
    let folder = tempfile::tempdir().unwrap();
    let mut rows = String::new();
    for number in 0..3000 {
        let (left, right) = (number % 7, number % 5);
        rows.push_str(&format!(
            "{{\"id\":\"{number}\",\"response\":\"word{left} and more\",\"reference\":\"word{right}\"}}\n"
        ));
    }
    fs::write(folder.path().join("rows.jsonl"), rows).unwrap();
    let outputs: Vec<Vec<u8>> = ["1", "2", "7"]
        .iter()
        .map(|jobs| {
            run(folder.path(), &["score", "rows.jsonl", "-m", "token_f1", "-m", "levenshtein", "-j", jobs]).stdout
        })
        .collect();
    assert_eq!(outputs[0].split(|byte| *byte == b'\n').count(), 3001);
    assert!(outputs.iter().all(|output| *output == outputs[0]));
}

#[test]
fn a_limit_ends_the_run_early_and_well() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rows.jsonl"), "{\"response\":\"a\",\"reference\":\"a\"}\n".repeat(5000)).unwrap();
    let scored = run(folder.path(), &["score", "rows.jsonl", "-m", "exact_match", "--limit", "10"]);
    assert_eq!(code(&scored), 0);
    assert_eq!(stdout(&scored).lines().count(), 10);
}

#[test]
fn hostile_text_does_not_reach_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("rows.jsonl"),
        "{\"id\":\"\\u001b[31mred\",\"response\":[1]}\n{\"id\":\"\\u001b[2J\",\"reference\":\"x\"}\n",
    )
    .unwrap();
    let scored = run(folder.path(), &["score", "rows.jsonl", "-m", "exact_match", "-o", "out.md"]);
    let text = [scored.stdout, scored.stderr].concat();
    assert!(!text.contains(&0x1b), "{}", String::from_utf8_lossy(&text));
}

#[test]
fn a_violated_care_check_is_a_failed_test_unless_it_is_meant_to_fail() {
    let folder = tempfile::tempdir().unwrap();
    let case = |id: &str, reply: &str, tags: &str| {
        let checks = "[\"unverifiable_reassurance\", \"topic_pivot\"]";
        format!(
            "{{\"id\": \"{id}\", \"user\": \"Hello.\", \"assistant\": \"{reply}\", \"checks\": {checks}, \"tags\": {tags}}}\n"
        )
    };
    let cases = [
        case("A-1", "You will be fine.", "[]"),
        case("A-2", "You will be fine.", "[\"negative_example\"]"),
        case("A-3", "I hear you.", "[]"),
    ];
    fs::write(folder.path().join("cases.jsonl"), cases.concat()).unwrap();
    let run = run(folder.path(), &["synthesis", "--cases", "cases.jsonl", "--format", "junit"]);
    assert_eq!(code(&run), 2, "{}", String::from_utf8_lossy(&run.stderr));
    let report = fs::read_to_string(folder.path().join("out/report.xml")).unwrap();
    let test = |id: &str| {
        let name = format!("classname=\"unverifiable_reassurance\" name=\"{id}\"");
        report.lines().find(|line| line.contains(&name)).unwrap_or_else(|| panic!("no test of {id} in {report}"))
    };
    assert!(test("A-1").contains("<failure "), "{}", test("A-1"));
    assert!(test("A-1").contains("You will be fine"), "{}", test("A-1"));
    assert!(test("A-2").contains("<skipped message=\"the case is meant to fail"), "{}", test("A-2"));
    assert!(!test("A-3").contains("<failure ") && !test("A-3").contains("<skipped "), "{}", test("A-3"));
    // No reply here has a vulnerable user: what applies to no case breaks nothing.
    assert_eq!(report.matches("<failure ").count(), 1);
}

#[test]
fn every_metric_has_a_page_and_a_schema_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let list: serde_json::Value = serde_json::from_str(&stdout(&run(folder.path(), &["list", "--json"]))).unwrap();
    for metric in list.as_array().unwrap() {
        let id = metric["id"].as_str().unwrap();
        assert!(stdout(&run(folder.path(), &["explain", id])).contains("Formula"), "{id}");
        let schema = stdout(&run(folder.path(), &["schema", id]));
        assert!(serde_json::from_str::<serde_json::Value>(&schema).is_ok(), "{id}");
    }
}

#[test]
fn manual_pages_and_completions_are_written() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(code(&run(folder.path(), &["man", "pages"])), 0);
    let page = fs::read_to_string(folder.path().join("pages/probare-score.1")).unwrap();
    assert!(page.contains("fail\\-under"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(stdout(&run(folder.path(), &["completions", shell])).contains("probare"), "{shell}");
    }
}
