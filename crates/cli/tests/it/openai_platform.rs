//! An export of the hosted Evals of OpenAI, as its SDK writes it, becomes a configuration that runs here. What cannot be run is said
//! before the run, counted, and never passed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::program;

fn fixture(name: &str) -> String {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../tests/foreign/openai_platform"].iter().collect();
    folder.join(name).display().to_string()
}

fn run(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let output = program::run(folder, words);
    (output.status.code(), program::both_streams(&output))
}

/// The export as a configuration, with a program in place of the judge: it finds an answer with a comma wordy.
fn imported(names: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<String> = names.iter().map(|name| fixture(name)).collect();
    let words: Vec<&str> =
        std::iter::once("import").chain(files.iter().map(String::as_str)).chain(["-o", "probare.yaml"]).collect();
    let (code, text) = run(folder.path(), &words);
    assert_eq!(code, Some(0), "{text}");
    fs::write(
        folder.path().join("judge.py"),
        "import json, sys\nasked = json.load(sys.stdin)\ntext = json.dumps(asked)\n\
         label = 'wordy' if 'I think' in text else 'plain'\n\
         code = __import__('re').search(r'`nonce`, a text: ([0-9a-z]+)', text)\n\
         reply = {'reason': 'seen', 'label': label}\n\
         if code: reply['nonce'] = code.group(1)\n\
         print(json.dumps({'text': json.dumps(reply)}))\n",
    )
    .unwrap();
    let path = folder.path().join("probare.yaml");
    let configuration = fs::read_to_string(&path).unwrap().replace(
        "api_model_name: \"openai:gpt-4.1-mini-2025-04-14\"",
        "provider: command\n    command: [python3, judge.py]",
    );
    fs::write(&path, configuration).unwrap();
    (folder, text)
}

fn results(folder: &Path) -> Vec<Json> {
    let text = fs::read_to_string(folder.join("out.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_export_runs_and_what_was_not_run_is_no_pass() {
    let (folder, said) = imported(&["eval.json", "run.json", "output_items.jsonl"]);
    assert!(said.contains("warning: `own` cannot be run here and counts as not_run, which is no pass"), "{said}");
    assert!(said.contains("next: probare score -c probare.yaml"), "{said}");

    let score = ["score", "-c", "probare.yaml", "-o", "out.jsonl"];
    let (code, text) = run(folder.path(), &score);
    assert_eq!(code, Some(1), "a check that was not run is no pass: {text}");
    assert!(
        text.starts_with("warning: `own` cannot be run and counts as not_run") || text.contains("\nwarning: `own`"),
        "{text}"
    );
    assert!(text.contains("error: 4 results were not run, and nothing of that passed"), "{text}");
    assert!(text.contains("--allow-not-run"), "{text}");

    let rows = results(folder.path());
    let names = ["exact_label", "close_label", "tone"];
    let expected =
        [["pass", "pass", "plain"], ["pass", "pass", "plain"], ["fail", "fail", "plain"], ["fail", "fail", "wordy"]];
    assert_eq!(rows.len(), 4);
    for (row, labels) in rows.iter().zip(expected) {
        let results = &row["scores"];
        for (name, label) in names.iter().zip(labels) {
            assert_eq!(results[name]["label"], label, "{name} of {row}");
        }
        assert_eq!(results["own"]["kind"], "not_run", "{row}");
        assert!(results["own"].get("value").is_none(), "{row}");
    }
    let (code, text) = run(folder.path(), &[&score[..], &["--allow-not-run"]].concat());
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("error:"), "{text}");
    // It lets nothing else pass.
    let (code, text) =
        run(folder.path(), &[&score[..], &["--allow-not-run", "--fail-labels", "exact_label:fail>0"]].concat());
    assert_eq!(code, Some(2), "{text}");
    let (code, text) = run(folder.path(), &[&score[..], &["--allow-not-run", "--fail-under", "own=0"]].concat());
    assert_eq!(code, Some(2), "a gate on what was not run fails: {text}");
}

#[test]
fn a_data_source_is_asked_with_the_messages_of_the_run() {
    let (folder, said) = imported(&["eval.json", "run.json", "data.jsonl"]);
    assert!(said.contains("4 cases, 4 without a response"), "{said}");
    assert!(said.contains("next: probare run probare.yaml"), "{said}");
    let configuration = fs::read_to_string(folder.path().join("probare.yaml")).unwrap();
    for part in [
        "system: \"Sort the ticket: Hardware, Software or Other. Answer with the label alone.\"",
        "prompt: \"{{item.ticket_text}}\"",
        "name: \"openai:gpt-4.1-nano-2025-04-14\"",
        "max_tokens: 50",
        "path: \"probare.cases.jsonl\"",
    ] {
        assert!(configuration.contains(part), "{part} in {configuration}");
    }
    let (code, text) = run(folder.path(), &["validate", "probare.yaml"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(folder.path(), &["run", "probare.yaml", "--dry-run"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("gpt-4.1-nano"), "{text}");
}

#[test]
fn a_download_of_the_dashboard_is_read_and_what_was_not_judged_did_not_pass() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text) = run(folder.path(), &["import", &fixture("download.jsonl"), "-o", "cases.jsonl"]);
    assert_eq!(code, Some(0), "{text}");
    let lines = fs::read_to_string(folder.path().join("cases.jsonl")).unwrap();
    let cases: Vec<Json> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(cases[0]["metadata"]["scores"]["Exact label"]["label"], "pass");
    assert!(cases[1]["metadata"]["scores"]["Exact label"].get("label").is_none(), "{}", cases[1]);
    assert!(cases[2].get("response").is_none(), "{}", cases[2]);
    assert_eq!(cases[2]["metadata"]["imported"]["error"], "the model took too long");
}

#[test]
fn what_does_not_go_together_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (eval, data, items) = (fixture("eval.json"), fixture("data.jsonl"), fixture("output_items.jsonl"));
    let (code, text) = run(folder.path(), &["import", &eval]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("name the file of its output items or of its data source too"), "{text}");
    let (code, text) = run(folder.path(), &["import", &data, "-o", "probare.yaml"]);
    assert_eq!(code, Some(64), "{text}");
    assert!(text.contains("holds no metrics and no prompts"), "{text}");
    let (_, text) = run(folder.path(), &["import", &eval, &data, "-o", "cases.jsonl"]);
    assert!(text.contains("write a configuration, `-o probare.yaml`"), "{text}");
    let (_, text) = run(folder.path(), &["import", &data, &items, "-o", "cases.jsonl"]);
    assert!(text.contains("4 rows of data sources are left out"), "{text}");
    let (code, text) = run(folder.path(), &["import", &eval, &items, "-o", "new.yaml", "--dry-run"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("lost: ") && text.contains("nothing was written"), "{text}");
    assert!(!folder.path().join("new.yaml").exists() && !folder.path().join("new.cases.jsonl").exists());
}

#[test]
fn a_file_names_no_file_and_no_program_of_the_reader() {
    let folder = tempfile::tempdir().unwrap();
    let run_object = serde_json::json!({
        "object": "eval.run", "eval_id": "e", "model": "command:sh",
        "data_source": {"type": "completions", "model": "command:sh", "source": {"type": "file_content",
            "content": [{"item": {"question": "Who?"}}]}, "input_messages": {"type": "template", "template": [
            {"role": "system", "content": "@secret.txt"}, {"role": "user", "content": "@secret.txt"}]}},
    });
    fs::write(folder.path().join("run.json"), run_object.to_string()).unwrap();
    fs::write(folder.path().join("secret.txt"), "the secret").unwrap();
    let (code, text) = run(folder.path(), &["import", "run.json", "-o", "probare.yaml"]);
    assert_eq!(code, Some(0), "{text}");
    let configuration = fs::read_to_string(folder.path().join("probare.yaml")).unwrap();
    assert!(configuration.contains("name: \"openai:command:sh\""), "{configuration}");
    assert!(
        configuration.contains("system: \" @secret.txt\"") && configuration.contains("prompt: \" @secret.txt\""),
        "{configuration}"
    );
}
