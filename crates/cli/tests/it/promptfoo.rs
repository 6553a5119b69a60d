//! Configurations of promptfoo: run as they are, translated, and what cannot be run.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::program::{run_expecting, run_successfully};

fn folder(config: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("promptfooconfig.yaml"), config).unwrap();
    folder
}

fn results(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const TWO_TESTS: &str = "prompts: ['{{q}}!']
providers: [echo]
tests:
  - vars: { q: Lima }
    assert: [{ type: contains, value: Lima, metric: place }]
  - vars: { q: Oslo }
    assert: [{ type: equals, value: Bergen }, { type: word-count, value: 1 }]
";

#[test]
fn a_configuration_runs_as_it_is_and_a_failed_test_is_a_failed_gate() {
    let folder = folder(TWO_TESTS);
    let said = run_expecting(folder.path(), 2, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
    assert!(said.contains("promptfoo: 2 tests, 2 runs, 2 of them answered without asking anybody"), "{said}");
    let lines = results(&folder.path().join("out.jsonl"));
    assert_eq!(lines[0]["scores"]["promptfoo_test"]["label"], "pass");
    assert_eq!(lines[0]["scores"]["place"]["value"], 1.0);
    assert_eq!(lines[1]["scores"]["promptfoo_test"]["label"], "fail");
    assert_eq!(lines[1]["scores"]["promptfoo_test"]["value"], 0.5);
    assert!(lines[1]["scores"]["place"]["not_applicable"].is_string());
    run_expecting(folder.path(), 0, &["verify", "out.jsonl"]);
}

#[test]
fn the_translation_gives_the_same_results() {
    let folder = folder(TWO_TESTS);
    let said = run_successfully(folder.path(), &["import", "promptfooconfig.yaml", "-o", "ours.yaml"]);
    assert!(said.contains("wrote ours.yaml"), "{said}");
    run_expecting(folder.path(), 2, &["run", "ours.yaml", "-o", "a.jsonl"]);
    run_expecting(folder.path(), 2, &["run", "promptfooconfig.yaml", "-o", "b.jsonl"]);
    assert_eq!(results(&folder.path().join("a.jsonl")), results(&folder.path().join("b.jsonl")));
}

#[test]
fn what_is_not_run_is_listed_and_never_passes() {
    let folder = folder(
        "prompts: ['{{q}}!']
providers: [echo]
tests:
  - vars: { q: a }
    assert: [{ type: contains, value: a }, { type: llm-rubric, value: is nice }]
  - vars: { q: b }
    assert: [{ type: javascript, value: 'output.length > 0' }]
  - vars: { q: c }
    threshold: 0
    assert: [{ type: is-sql }]
  - vars: { q: d }
    assert: [{ type: contains, value: d }]
",
    );
    let said = run_expecting(folder.path(), 1, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
    for what in ["not run: `llm-rubric`: asks a model (1 times)", "not run: `javascript`: is code"] {
        assert!(said.contains(what), "{what}: {said}");
    }
    let lines = results(&folder.path().join("out.jsonl"));
    for (line, kind) in lines.iter().zip([Some("not_run"), Some("not_run"), Some("not_run"), None]) {
        let test = &line["scores"]["promptfoo_test"];
        assert_eq!(test["kind"].as_str(), kind, "{test}");
        assert_eq!(test["value"].is_null(), kind.is_some(), "{test}");
    }
    run_expecting(folder.path(), 0, &["run", "promptfooconfig.yaml", "--allow-not-run"]);
}

#[test]
fn errors_stay_errors_where_what_is_not_run_is_allowed() {
    let folder = folder("prompts: ['x']\nproviders: [echo]\ntests: [{ assert: [{ type: contains, value: '' }] }]\n");
    run_expecting(folder.path(), 1, &["run", "promptfooconfig.yaml", "--allow-not-run"]);
}

#[test]
fn a_foreign_configuration_starts_nothing_contacts_nobody_and_reads_no_environment() {
    let folder = folder(
        "prompts: ['{{ env.HOME }}|{{ env.SHOP }}']
env: { SHOP: books }
providers:
  - 'exec:touch started'
  - file://provider.py
  - https://192.0.2.1/chat
  - { id: 'openai:gpt-4.1-mini', config: { apiBaseUrl: 'http://127.0.0.1:9' } }
  - echo
tests:
  - assert: [{ type: equals, value: '|books' }, { type: javascript, value: file://check.js }]
  - assert: [{ type: equals, value: '|books' }]
",
    );
    fs::write(folder.path().join("check.js"), "require('fs').writeFileSync('started', '')").unwrap();
    let said = run_expecting(folder.path(), 1, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
    assert!(said.contains("is code of the configuration, which is not run (2 times)"), "{said}");
    assert!(said.contains("names an address, which is not contacted (2 times)"), "{said}");
    assert!(!folder.path().join("started").exists());
    let passed = results(&folder.path().join("out.jsonl"));
    let passed = passed.iter().filter(|line| line["scores"]["promptfoo_test"]["label"] == "pass").count();
    assert_eq!(passed, 1, "echo in the second test alone");
}

#[test]
fn files_outside_of_the_folder_are_not_read() {
    let outer = tempfile::tempdir().unwrap();
    fs::write(outer.path().join("secret.txt"), "the secret").unwrap();
    let inner = outer.path().join("project");
    fs::create_dir(&inner).unwrap();
    let config = "prompts: ['{{s}}!']\nproviders: [echo]\ntests: [{ vars: { s: 'file://../secret.txt' } }]\n";
    fs::write(inner.join("promptfooconfig.yaml"), config).unwrap();
    let said = run_expecting(&inner, 1, &["run", "promptfooconfig.yaml"]);
    assert!(said.contains("lies outside of the configuration's folder"), "{said}");
    assert!(!said.contains("the secret"), "{said}");
}

#[test]
fn models_are_asked_by_name_and_prompts_in_json_are_conversations() {
    let folder = folder(
        "prompts:
  - 'Capital of {{country}}!'
  - '[{\"role\": \"system\", \"content\": \"Be brief.\"}, {\"role\": \"user\", \"content\": \"{{country}}?\"}]'
providers:
  - { id: 'openai:chat:gpt-4.1-mini', label: small, config: { temperature: 0, apiKey: 'sk-nothing-to-see-here' } }
tests: [{ vars: { country: Peru }, assert: [{ type: contains, value: Lima }, { type: cost, threshold: 1 }] }]
",
    );
    let said = run_successfully(folder.path(), &["import", "promptfooconfig.yaml", "-o", "ours.yaml"]);
    assert!(said.contains("settings of the provider `small` that are not taken over: `apiKey`"), "{said}");
    assert!(said.contains("not run: `cost`: what a model says beside its text"), "{said}");
    let config = fs::read_to_string(folder.path().join("ours.yaml")).unwrap();
    assert!(config.contains("openai:gpt-4.1-mini") && config.contains("\"temperature\":0"), "{config}");
    assert!(!config.contains("sk-nothing"), "{config}");
    let case = |name: &str| results(&folder.path().join("ours.cases").join(name)).remove(0);
    assert_eq!(case("prompt-1.jsonl")["query"], "Capital of Peru!");
    assert_eq!(case("prompt-2.jsonl")["messages"][0]["text"], "Be brief.");
    let said = run_successfully(folder.path(), &["run", "ours.yaml", "--dry-run"]);
    assert!(said.contains("2 samples"), "{said}");
}

#[test]
fn a_configuration_is_no_file_of_cases() {
    let folder = folder(TWO_TESTS);
    let said = run_expecting(folder.path(), 64, &["import", "promptfooconfig.yaml"]);
    assert!(said.contains("-o probare.yaml"), "{said}");
}

#[test]
fn mistakes_name_the_file_and_what_is_wrong() {
    for (config, what) in [
        ("providers: [echo]\ntests: [{ assert: [{ value: x }] }]\n", "an assertion has no `type`"),
        ("providers: [echo]\ntests: missing.csv\n", "`missing.csv` is not there"),
        ("providers: [echo]\nprompts: file://gone.txt\n", "the prompt file `gone.txt` is not there"),
        ("providers: [echo]\ntests: [{ $ref: '#/nothing' }]\n", "names nothing"),
        ("providers: [echo]\ntargets: [echo]\n", "both `providers` and `targets`"),
        ("providers: [echo]\nprompts: ['exec:ls']\n", "is code"),
    ] {
        let folder = folder(config);
        let said = run_expecting(folder.path(), 1, &["run", "promptfooconfig.yaml"]);
        assert!(said.contains(what) && said.contains("promptfooconfig.yaml"), "{what}: {said}");
    }
}

#[test]
fn the_example_of_the_page_fails_where_it_says() {
    let example = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/promptfoo/promptfooconfig.yaml");
    let folder = folder(&fs::read_to_string(example).unwrap());
    run_expecting(folder.path(), 2, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
    let lines = results(&folder.path().join("out.jsonl"));
    let labels: Vec<&Value> = lines.iter().map(|line| &line["scores"]["promptfoo_test"]["label"]).collect();
    assert_eq!(labels, ["fail", "pass", "pass", "pass", "pass", "pass"]);
}
