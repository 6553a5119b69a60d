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
    for what in
        ["not run: `llm-rubric`: asks a model: `--judge MODEL` names one (once)", "not run: `javascript`: is code"]
    {
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
    assert!(said.contains("which is not run: `--allow-code` runs it (2 times)"), "{said}");
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
        ("providers: [echo]\nprompts: file://gone.txt\n", "there is no prompt file `gone.txt`"),
        ("providers: [echo]\ntests: [{ $ref: '#/nothing' }]\n", "names nothing"),
        (
            "providers: [echo]\ntests: [{ assert: [{ type: equals }] }, { assert: [{ value: x }] }]\n",
            "test 2: an assertion",
        ),
        ("providers: [echo]\ntests: book.xlsx\n", "save it as CSV"),
        ("providers: [echo]\nprompts: file://../*.txt\n", "put the configuration above it"),
        ("providers: [echo]\nprompts: file://no/*.txt\n", "no prompt file fits the pattern `no/*.txt`"),
        ("prompts: [x]\ntests: [{ vars: { a: 1 } }]\n", "no `providers` are given"),
        ("prompts: [x]\nproviders: [echo\ntests: []\n", "line 3"),
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

#[cfg(unix)]
/// A judge that finds every answer with an exclamation mark loud, and counts how often it was asked.
const JUDGE: &str = "#!/usr/bin/env python3
import json, re, sys
asked = sys.stdin.read()
open('asked.txt', 'a').write('x')
response = re.search(r'BEGIN response.*?END response', json.loads(asked)['messages'][-1]['text'], re.S).group(0)
reply = {'reason': 'heard', 'pass': '!' not in response, 'score': 0.25 if '!' in response else 1}
code = re.search(r'`nonce`, a text: ([0-9a-z]+)', asked)
if code: reply['nonce'] = code.group(1)
print(json.dumps({'text': json.dumps(reply)}))
";

const JUDGED: &str = "prompts: ['{{q}}']
providers: [echo]
tests:
  - vars: { q: 'Lima!' }
    assert: [{ type: contains, value: Lima, metric: place }, { type: llm-rubric, value: is calm }]
  - vars: { q: Oslo }
    assert: [{ type: llm-rubric, value: is calm, metric: tone }, { type: model-graded-closedqa, value: names a town }]
  - vars: { q: Bergen }
    assert: [{ type: llm-rubric, value: is calm }, { type: webhook, value: 'https://192.0.2.1' }]
";

#[cfg(unix)]
#[test]
fn what_a_model_decides_is_asked_of_the_judges_that_are_named() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder(JUDGED);
    let judge = folder.path().join("judge.py");
    fs::write(&judge, JUDGE).unwrap();
    fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
    let words = ["run", "promptfooconfig.yaml", "-o", "out.jsonl", "--judge", "command:./judge.py"];
    let said = run_expecting(folder.path(), 1, &words);
    let note =
        "`llm-rubric` (3 times), `model-graded-closedqa` (once) are asked of command:./judge.py in words of ours";
    assert!(said.contains(note), "{said}");
    let lines = results(&folder.path().join("out.jsonl"));
    let test = |line: usize| &lines[line]["scores"]["promptfoo_judged_test"];
    assert_eq!((&test(0)["label"], &test(0)["value"]), (&Value::from("fail"), &Value::from(0.625)), "{}", lines[0]);
    assert_eq!(test(0)["evidence"][2]["kind"], "asked", "{}", lines[0]);
    assert_eq!(lines[0]["scores"]["place"]["evidence"].as_array().unwrap().len(), 1, "{}", lines[0]);
    assert_eq!((&test(1)["label"], &test(1)["value"]), (&Value::from("pass"), &Value::from(1.0)), "{}", lines[1]);
    assert_eq!(lines[1]["scores"]["tone"]["value"], 1.0, "{}", lines[1]);
    assert_eq!(test(2)["kind"], "not_run", "{}", lines[2]);
    // What stops at something that cannot be run is not asked about.
    assert_eq!(fs::read_to_string(folder.path().join("asked.txt")).unwrap(), "xxx");
}

#[test]
fn a_configuration_names_its_judge_by_name_alone() {
    let named = |provider: &str| {
        format!(
            "{JUDGED}defaultTest: {{ options: {{ provider: {provider}, rubricPrompt: 'Grade {{{{output}}}}' }} }}\n"
        )
    };
    let folder = folder(&named("'openai:gpt-4.1-mini'"));
    let said = run_successfully(folder.path(), &["import", "promptfooconfig.yaml", "-o", "ours.yaml"]);
    assert!(said.contains("are asked of openai:gpt-4.1-mini in words of ours"), "{said}");
    assert!(said.contains("`rubricPrompt` is not used"), "{said}");
    let config = fs::read_to_string(folder.path().join("ours.yaml")).unwrap();
    assert!(config.contains("judges: [\"openai:gpt-4.1-mini\"]\n"), "{config}");
    assert!(config.contains("  - promptfoo_judged_test\n"), "{config}");
    let import = ["import", "promptfooconfig.yaml", "-o", "ours.yaml"];
    for (provider, reason) in [
        ("'exec:touch started'", "is code of the configuration, which is not run"),
        (
            "{ id: 'openai:gpt-4.1', config: { apiBaseUrl: 'http://127.0.0.1:9' } }",
            "at an address of the configuration",
        ),
        ("{ text: 'huggingface:x:y' }", "has no counterpart here"),
    ] {
        fs::write(folder.path().join("promptfooconfig.yaml"), named(provider)).unwrap();
        let said = run_successfully(folder.path(), &import);
        assert!(said.contains(reason) && said.contains("not run: `llm-rubric`"), "{provider}: {said}");
        let config = fs::read_to_string(folder.path().join("ours.yaml")).unwrap();
        assert!(!config.contains("judges:") && config.contains("  - promptfoo_test\n"), "{config}");
    }
    assert!(!folder.path().join("started").exists());
}

#[test]
fn a_dry_run_of_an_import_lists_what_is_lost_and_writes_nothing() {
    let folder = folder(JUDGED);
    for words in [
        &["import", "promptfooconfig.yaml", "--dry-run"][..],
        &["import", "promptfooconfig.yaml", "--dry-run", "-o", "o.yaml"],
    ] {
        let said = run_successfully(folder.path(), words);
        assert!(said.contains("not run: `webhook`: contacts an address of the configuration (once)"), "{said}");
        assert!(said.contains("nothing was written"), "{said}");
        assert!(!folder.path().join("o.yaml").exists());
    }
}

#[test]
fn slips_in_keys_are_noted_and_code_around_an_answer_is_not_passed_over() {
    let folder = folder(
        "prompts: [x]
providers: [echo, { id: echo, label: other, transform: output.trim() }]
tests:
  - asert: [{ type: contains, value: y }]
    vars: { a: 1 }
  - assert: [{ type: contains, value: x, treshold: 1 }]
  - assertScoringFunction: file://score.js
    providerOutput: given
    assert: [{ type: contains, value: given }]
  - options: { transform: output.trim() }
    providerOutput: given
    assert: [{ type: contains, value: given }]
",
    );
    let said = run_expecting(folder.path(), 1, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
    for what in [
        "note: the key `asert` of a test is not known and does nothing",
        "note: the key `treshold` of an assertion is not known and does nothing",
        "not run: an answer: its `transform` is code of the configuration, which is not run: `--allow-code` runs it (5 times)",
        "not run: an answer: `assertScoringFunction` of the test is code, which is not run (once)",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    let lines = results(&folder.path().join("out.jsonl"));
    let passed = lines.iter().filter(|line| line["scores"]["promptfoo_test"]["label"] == "pass").count();
    assert_eq!((lines.len(), passed), (8, 2), "{lines:?}");
}

#[test]
fn a_slip_in_the_name_of_a_variable_prints_nothing_and_is_noted() {
    let folder = folder(
        "prompts: ['Hello {{name}}, {{user.mail}}!', '{{name}}']
providers: [echo]
tests:
  - { vars: { nam: Ada, user: {} }, assert: [{ type: contains, value: '{{place}}Hello' }] }
  - { vars: { name: Eve, user: { mail: m } }, assert: [{ type: contains, value: Eve }] }
  - { providerOutput: given, assert: [{ type: contains, value: given }] }
",
    );
    let said = run_successfully(folder.path(), &["import", "promptfooconfig.yaml", "--dry-run"]);
    let note = "note: `name` (2 times), `place` (2 times), `user.mail` (once) have no value and print nothing, as in promptfoo";
    assert!(said.contains(note), "{said}");
}

#[test]
fn the_configuration_names_the_delimiter_of_its_tables() {
    for (env, notes, expected) in [
        ("", ["only column is `q;__expected`", "PROMPTFOO_CSV_DELIMITER"], "pass"),
        ("env: { PROMPTFOO_CSV_DELIMITER: ';' }\n", ["promptfoo: 1 test", "1 run"], "fail"),
    ] {
        let folder = folder(&format!("{env}prompts: ['{{{{q}}}}!']\nproviders: [echo]\ntests: cities.csv\n"));
        fs::write(folder.path().join("cities.csv"), "q;__expected\nLima;contains: Oslo\n").unwrap();
        let exit = if expected == "pass" { 0 } else { 2 };
        let said = run_expecting(folder.path(), exit, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
        assert!(notes.iter().all(|note| said.contains(note)), "{said}");
        assert_eq!(results(&folder.path().join("out.jsonl"))[0]["scores"]["promptfoo_test"]["label"], expected);
    }
}

#[test]
fn patterns_name_files_with_alternatives_and_classes() {
    let folder = folder("prompts: ['file://{a,b}/[p-q]*.txt']\nproviders: [echo]\ntests: 'cases/*.{yaml,csv}'\n");
    for (name, text) in [
        ("a/p1.txt", "first {{q}}"),
        ("b/q.txt", "second {{q}}"),
        ("b/r.txt", "third {{q}}"),
        ("cases/one.yaml", "[{ vars: { q: x } }]"),
        ("cases/two.csv", "q\ny\n"),
        ("cases/three.json", "[]"),
    ] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let said = run_successfully(folder.path(), &["import", "promptfooconfig.yaml", "-o", "ours.yaml"]);
    assert!(said.contains("promptfoo: 2 tests, 4 runs"), "{said}");
    assert!(said.contains("note: 4 runs have no assertions: that passes, as in promptfoo"), "{said}");
    assert_eq!(results(&folder.path().join("ours.cases/echo-1-prompt-2.jsonl"))[1]["query"], "second y");
}

#[test]
fn code_is_no_configuration() {
    let folder = folder(TWO_TESTS);
    fs::write(folder.path().join("promptfooconfig.js"), "module.exports = {}").unwrap();
    let said = run_expecting(folder.path(), 64, &["run", "promptfooconfig.js"]);
    assert!(said.contains("`promptfooconfig.js` is code, and a configuration is YAML or JSON"), "{said}");
}

/// Code of every kind that a configuration brings; `echo` answers with the prompt.
const WITH_CODE: &str = "prompts: ['{{q}}!']
providers: [echo, { id: echo, label: loud, transform: output.toUpperCase() }]
defaultTest:
  options: { transform: 'file://tidy.py' }
tests:
  - vars: { q: Lima, place: Lima }
    assert:
      - { type: javascript, value: 'output.includes(context.vars.place)', metric: place }
      - { type: python, value: 'len(output) / 8' }
  - vars: { q: Oslo }
    assert:
      - { type: javascript, value: 'file://check.js:graded', config: { least: 4 }, weight: 3 }
      - { type: not-python, value: 'file://check.py' }
  - vars: { q: Rome }
    assert:
      - { type: contains, value: 'file://check.js:expected' }
      - { type: equals, value: emor, transform: 'output.split(\"\").reverse().join(\"\").toLowerCase()' }
";

fn code_folder(config: &str) -> Option<TempDir> {
    if ["node", "python3"].iter().any(|program| probare_files::find_program(program).is_none()) {
        probare_testing::report_skipped("there is no `node` or no `python3`");
        return None;
    }
    let folder = folder(config);
    for (name, text) in [
        (
            "check.js",
            "module.exports = {
  graded: (output, { config }) => ({ pass: output.length >= config.least, score: output.length / 8, reason: `${output.length} letters` }),
  expected: async (output) => output.slice(1, 3),
};
",
        ),
        ("check.py", "def get_assert(output, context):\n    print('not an answer')\n    return {'pass': 'x' in output, 'score': 0.25, 'reason': 'looked for x'}\n"),
        ("tidy.py", "def get_transform(output, context):\n    return output.rstrip('!')\n"),
        (
            "provider.mjs",
            "export default class {
  constructor(options) { this.options = options; }
  id() { return 'mine'; }
  async callApi(prompt, context) { return { output: `${this.options.config.greeting} ${context.vars.q}` }; }
}
",
        ),
        ("provider.py", "def call_api(prompt, options, context):\n    return {'error': 'no answer'} if 'Oslo' in prompt else {'output': prompt[::-1]}\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    Some(folder)
}

/// Label or kind of error, and value, of every test.
fn tests_of(lines: &[Value]) -> Vec<(&str, f64)> {
    let mut found = Vec::new();
    for line in lines {
        let test = &line["scores"]["promptfoo_test"];
        let word = test["label"].as_str().or(test["kind"].as_str()).unwrap_or_default();
        found.push((word, test["value"].as_f64().unwrap_or(-1.0)));
    }
    found
}

#[test]
fn code_of_a_configuration_runs_where_the_user_allows_it_and_only_there() {
    let Some(folder) = code_folder(WITH_CODE) else { return };
    let place = folder.path();
    let said = run_expecting(place, 1, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
    assert!(said.contains("not run: an answer: its `transform` is code of the configuration"), "{said}");
    assert!(tests_of(&results(&place.join("out.jsonl"))).iter().all(|test| *test == ("not_run", -1.0)));

    let said = run_expecting(place, 2, &["run", "promptfooconfig.yaml", "--allow-code", "-o", "out.jsonl"]);
    let note = "note: code of the configuration is run, with your rights: 3 pieces of JavaScript, 1 piece of Python, \
                `check.js`, `check.py`, `tidy.py`";
    assert!(said.contains(note) && !said.contains("not run:"), "{said}");
    let lines = results(&place.join("out.jsonl"));
    let expected = [("pass", 0.75), ("pass", 0.4375), ("pass", 1.0), ("fail", 0.25), ("pass", 0.4375), ("pass", 1.0)];
    assert_eq!(tests_of(&lines), expected, "{lines:?}");
    assert_eq!(lines[0]["scores"]["place"]["value"], 1.0);
    let evidence = lines[1]["scores"]["promptfoo_test"]["evidence"].to_string();
    assert!(evidence.contains("javascript passes with 0.5: 4 letters"), "{evidence}");

    // A file of results is somebody's word: its code is started where the user says so, and as it was.
    let one = WITH_CODE.replace("[echo, { id: echo, label: loud, transform: output.toUpperCase() }]", "[echo]");
    fs::write(place.join("promptfooconfig.yaml"), one).unwrap();
    run_expecting(place, 0, &["run", "promptfooconfig.yaml", "--allow-code", "-o", "out.jsonl"]);
    let verified = run_expecting(place, 1, &["verify", "out.jsonl"]);
    assert!(verified.contains("it is computed by code of its author; --allow-code starts it"), "{verified}");
    run_expecting(place, 0, &["verify", "out.jsonl", "--allow-code"]);
    fs::write(place.join("tidy.py"), "def get_transform(output, context):\n    return 'Lima'\n").unwrap();
    let changed = run_expecting(place, 1, &["verify", "out.jsonl", "--allow-code"]);
    assert!(changed.contains("is not here as it was in the run"), "{changed}");
}

#[test]
fn sql_is_parsed_by_the_package_beside_the_configuration_where_code_may_run() {
    let config = "prompts: ['{{q}}']
providers: [echo]
defaultTest: { assert: [{ type: is-sql, value: { databaseType: Sqlite, allowedTables: ['select::null::towns'] } }] }
tests:
  - vars: { q: SELECT name FROM towns }
  - vars: { q: SELECT name FROM roads }
  - vars: { q: Name the towns }
  - vars: { q: SELECT name size FROM towns }
";
    let Some(folder) = code_folder(config) else { return };
    let place = folder.path();
    let said = run_expecting(place, 1, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
    let reason = "not run: `is-sql`: is decided by the package `node-sql-parser` beside the configuration: \
                  `--allow-code` runs it (4 times)";
    assert!(said.contains(reason), "{said}");
    // A rule before the parser decides the last.
    let expected = [("not_run", -1.0), ("not_run", -1.0), ("not_run", -1.0), ("fail", 0.0)];
    assert_eq!(tests_of(&results(&place.join("out.jsonl"))), expected);

    let said = run_expecting(place, 1, &["run", "promptfooconfig.yaml", "--allow-code", "-o", "out.jsonl"]);
    assert!(said.contains("is run, with your rights: `node-sql-parser`"), "{said}");
    let lines = results(&place.join("out.jsonl"));
    let told = lines[0]["scores"]["promptfoo_test"]["error"].to_string();
    assert!(told.contains("npm install node-sql-parser"), "{told}");

    // Another parser under its name, which knows one statement.
    let package = place.join("node_modules/node-sql-parser");
    fs::create_dir_all(&package).unwrap();
    let parser = "const table = (text) => /^SELECT name FROM (\\w+)$/.exec(text);
exports.Parser = class {
  astify(text, { database }) { if (database !== 'Sqlite' || !table(text)) throw new Error('unexpected'); }
  whiteListCheck(text, [allowed], { type }) { if (allowed !== `select::null::${table(text)[1]}`) throw new Error(`a ${type}`); }
};
";
    fs::write(package.join("index.js"), parser).unwrap();
    let said = run_expecting(place, 2, &["run", "promptfooconfig.yaml", "--allow-code", "-o", "out.jsonl"]);
    assert!(!said.contains("not run:"), "{said}");
    let lines = results(&place.join("out.jsonl"));
    assert_eq!(tests_of(&lines), [("pass", 1.0), ("fail", 0.0), ("fail", 0.0), ("fail", 0.0)]);
    let evidence = lines[1]["scores"]["promptfoo_test"]["evidence"].to_string();
    assert!(evidence.contains("a table that is not allowed: a table"), "{evidence}");
}

#[test]
fn an_imported_configuration_with_code_is_the_users_own_and_one_that_is_found_asks_for_trust() {
    let Some(folder) = code_folder(WITH_CODE) else { return };
    let place = folder.path();
    let said = run_expecting(place, 0, &["import", "promptfooconfig.yaml", "--allow-code", "-o", "probare.yaml"]);
    assert!(said.contains("next: probare run probare.yaml"), "{said}");
    let config = fs::read_to_string(place.join("probare.yaml")).unwrap();
    let command = r#"command: ["node","probare.cases/promptfoo_code.mjs","probare.cases/code.json","check.js","check.py","tidy.py"]"#;
    assert!(config.contains(command), "{config}");
    let cases = fs::read_to_string(place.join("probare.cases/echo-1-prompt-1.jsonl")).unwrap();
    // Cases say which of the configuration's code is run, and bring none.
    let changed = cases.replace("output.includes(context.vars.place)", "process.exit(9)");
    assert_ne!(changed, cases);
    fs::write(place.join("probare.cases/echo-1-prompt-1.jsonl"), changed).unwrap();
    run_expecting(place, 2, &["run", "probare.yaml", "-o", "out.jsonl"]);
    assert_eq!(tests_of(&results(&place.join("out.jsonl")))[..2], [("pass", 0.75), ("pass", 0.4375)]);
    let found = run_expecting(place, 1, &["run"]);
    assert!(found.contains("to start the program `node") && found.contains("probare trust"), "{found}");
    // The same cases under a configuration that names no program.
    fs::write(
        place.join("plain.yaml"),
        "datasets: [{path: probare.cases/echo-1-prompt-1.jsonl}]\nmetrics: [promptfoo_test]\n",
    )
    .unwrap();
    run_expecting(place, 1, &["run", "plain.yaml", "-o", "plain.jsonl"]);
    let plain = results(&place.join("plain.jsonl"));
    assert!(tests_of(&plain).iter().all(|test| *test == ("not_run", -1.0)), "{plain:?}");
}

#[test]
fn code_that_fails_is_an_error_and_never_a_score() {
    let Some(folder) = code_folder(
        "prompts: ['{{q}}']
providers: [echo]
tests:
  - { vars: { q: a }, assert: [{ type: javascript, value: 'nothing.here' }] }
  - { vars: { q: b }, assert: [{ type: python, value: '1 / 0' }] }
  - { vars: { q: c }, assert: [{ type: javascript, value: '\"yes\"' }, { type: contains, value: c }] }
  - { vars: { q: d }, assert: [{ type: javascript, value: 'process.exit(3)' }] }
  - { vars: { q: e }, assert: [{ type: not-javascript, value: 'output.length / 0' }] }
  - { vars: { q: f }, assert: [{ type: equals, value: f, transform: 'undefined' }] }
  - { vars: { q: g }, assert: [{ type: python, value: 'file://check.py:nowhere' }] }
  - { vars: { q: h }, assert: [{ type: javascript, value: 'file://gone.js' }] }
  - { vars: { q: i }, assert: [{ type: llm-rubric, value: 'file://check.js' }] }
  - { vars: { q: j }, assert: [{ type: ruby, value: 'true' }] }
  - { vars: { q: k }, assert: [{ type: javascript, value: 'console.log(1); true' }, { type: python, value: 'print(output) is None' }] }
",
    ) else {
        return;
    };
    let place = folder.path();
    let said = run_expecting(place, 1, &["run", "promptfooconfig.yaml", "--allow-code", "-o", "out.jsonl"]);
    for what in [
        "not run: `javascript`: its code `gone.js` is not there (once)",
        "not run: `llm-rubric`: takes code to ask a model",
        "not run: `ruby`: is Ruby, which is not run here (once)",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    let lines = results(&place.join("out.jsonl"));
    let kinds: Vec<&str> = tests_of(&lines).iter().map(|test| test.0).collect();
    let failed = "failed";
    assert_eq!(
        kinds,
        [failed, failed, failed, failed, failed, failed, failed, "not_run", "not_run", "not_run", "failed"],
        "{lines:?}"
    );
    for (line, reason) in [
        (0, "nothing is not defined"),
        (1, "ZeroDivisionError"),
        (2, "returned \"yes\"; expected true or false"),
        (3, "ended"),
        (4, "Infinity"),
        (5, "returned nothing"),
        (6, "check.py has no function nowhere"),
    ] {
        let error = lines[line]["scores"]["promptfoo_test"]["error"].as_str().unwrap();
        assert!(error.contains(reason), "{reason}: {error}");
    }
}

#[test]
fn outputs_are_compared_where_code_sees_their_texts_alone() {
    for (prompts, transform, expected) in [
        ("['{{q}}', 'Say {{q}}']", "", [("not_run", -1.0); 4]),
        ("['{{q}}']", "", [("pass", 0.5), ("pass", 0.25), ("fail", 0.0), ("fail", 0.0)]),
        ("['{{q}}']", ", transform: output + output", [("not_run", -1.0); 4]),
    ] {
        let Some(folder) = code_folder(&format!(
            "prompts: {prompts}
providers: [echo, {{ id: echo, label: other{transform} }}]
tests:
  - {{ vars: {{ q: Rome }}, assert: [{{ type: max-score }}, {{ type: javascript, value: output.length / 8 }}] }}
  - {{ vars: {{ q: Po }}, assert: [{{ type: max-score }}, {{ type: javascript, value: output.length / 8 }}] }}
"
        )) else {
            return;
        };
        let exit = if expected[0].0 == "pass" { 2 } else { 1 };
        run_expecting(folder.path(), exit, &["run", "promptfooconfig.yaml", "--allow-code", "-o", "out.jsonl"]);
        let lines = results(&folder.path().join("out.jsonl"));
        assert_eq!(tests_of(&lines)[..4], expected, "{prompts}{transform}: {lines:?}");
    }
}

#[test]
fn code_that_does_not_end_is_timed_out() {
    let Some(folder) = code_folder(
        "prompts: ['{{q}}']
providers: [echo]
tests:
  - { vars: { q: a }, assert: [{ type: javascript, value: '(() => { while (true) {} })()' }] }
  - { vars: { q: b }, assert: [{ type: javascript, value: 'output === \"b\"' }] }
",
    ) else {
        return;
    };
    let place = folder.path();
    run_successfully(place, &["import", "promptfooconfig.yaml", "--allow-code", "-o", "ours.yaml"]);
    let config = fs::read_to_string(place.join("ours.yaml")).unwrap();
    fs::write(
        place.join("ours.yaml"),
        config.replace("promptfoo_test, command", "promptfoo_test, timeout: 0.5, command"),
    )
    .unwrap();
    run_expecting(place, 1, &["run", "ours.yaml", "-o", "out.jsonl"]);
    let lines = results(&place.join("out.jsonl"));
    assert_eq!(tests_of(&lines), [("timed_out", -1.0), ("pass", 1.0)], "{lines:?}");
}

#[test]
fn providers_that_are_programs_answer_where_the_user_allows_it() {
    let Some(folder) = code_folder(
        "prompts: ['Ask {{q}}']
providers:
  - { id: file://provider.mjs, label: mine, config: { greeting: Hello, apiKey: not-written } }
  - python:provider.py
  - 'exec:printf %s-'
defaultTest: { options: { transform: 'output + \"?\"' } }
tests:
  - { vars: { q: Lima }, assert: [{ type: regex, value: '^(Hello Lima|amiL ksA|Ask Lima.*)\\?$' }] }
  - { vars: { q: Oslo }, assert: [{ type: contains, value: Oslo }] }
",
    ) else {
        return;
    };
    let place = folder.path();
    let said = run_expecting(place, 1, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
    assert!(
        said.contains(
            "its `transform` is code of the configuration, which is not run: `--allow-code` runs it (6 times)"
        ),
        "{said}"
    );
    let said = run_expecting(place, 1, &["run", "promptfooconfig.yaml", "--allow-code", "-o", "out.jsonl"]);
    assert!(said.contains("note: the provider `mine` is code that is run, with your rights"), "{said}");
    assert!(said.contains("since they look like secrets: `apiKey`; its code finds your environment"), "{said}");
    let lines = results(&place.join("out.jsonl"));
    assert_eq!(lines.len(), 6, "{lines:?}");
    for line in &lines {
        let id = line["id"].as_str().unwrap();
        let test = &line["scores"]["promptfoo_test"];
        let is_failure = line.to_string().contains("python:provider.py") && id.contains("test-2");
        assert_eq!(test["label"] == "pass", !is_failure, "{line}");
        assert_eq!(test["value"].is_null(), is_failure, "{line}");
    }
}

#[test]
fn a_model_is_not_judged_in_place_of_an_answer_that_is_known() {
    let Some(folder) = code_folder(
        "prompts: ['Ask {{q}}']
providers: [{ id: file://provider.mjs, config: { greeting: Hello } }, echo]
tests:
  - { vars: { q: Lima }, assert: [{ type: starts-with, value: Hello }] }
  - { vars: { q: Lima }, providerOutput: Bergen, assert: [{ type: contains, value: Lima }] }
",
    ) else {
        return;
    };
    let place = folder.path();
    let said = run_expecting(place, 1, &["run", "promptfooconfig.yaml", "--allow-code", "-o", "out.jsonl"]);
    let reason = "not run: an answer: it is known, and a run here asks its models for every case: \
                  put it into a configuration of its own (3 times)";
    assert!(said.contains(reason), "{said}");
    let lines = results(&place.join("out.jsonl"));
    let not_run = ("not_run", -1.0);
    assert_eq!(tests_of(&lines), [("pass", 1.0), not_run, not_run, not_run], "{lines:?}");
}

#[test]
fn a_transform_of_one_model_is_not_done_to_the_answers_of_another() {
    let Some(folder) = code_folder(
        "prompts: ['{{q}}']
providers: [{ id: 'python:provider.py', transform: output.trim() }, 'exec:printf %s-']
tests: [{ vars: { q: Lima }, assert: [{ type: contains, value: Lima }] }]
",
    ) else {
        return;
    };
    let said = run_expecting(folder.path(), 1, &["run", "promptfooconfig.yaml", "--allow-code"]);
    assert!(said.contains("not run: an answer: the models have a `transform` of their own each"), "{said}");
}

#[test]
fn the_flag_is_refused_where_there_is_no_such_code() {
    let folder = folder(TWO_TESTS);
    fs::write(folder.path().join("probare.yaml"), "datasets: [{path: c.jsonl}]\nmetrics: [token_f1]\n").unwrap();
    fs::write(folder.path().join("chat.jsonl"), "{\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]}\n")
        .unwrap();
    for words in [["run", "probare.yaml", "--allow-code"], ["import", "chat.jsonl", "--allow-code"]] {
        let said = run_expecting(folder.path(), 64, &words);
        assert!(said.contains("--allow-code is for configurations of promptfoo"), "{said}");
    }
}

/// An embedding model that counts letters.
#[cfg(unix)]
const EMBED: &str = "#!/usr/bin/env python3
import json, sys
asked = json.load(sys.stdin)
assert asked['embedding']
text = asked['messages'][-1]['text']
print(json.dumps({'text': json.dumps([text.count('a'), text.count('b')])}))
";

#[cfg(unix)]
#[test]
fn similar_is_decided_by_vectors_of_the_model_that_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder(
        "prompts: ['{{q}}']
providers: [echo]
tests:
  - { vars: { q: aab }, assert: [{ type: similar, value: [b, aaaabb], metric: near }] }
  - { vars: { q: b }, assert: [{ type: similar, value: a }, { type: contains, value: b }] }
  - { vars: { q: bb }, assert: [{ type: 'not-similar:euclidean', value: b, threshold: 1 }] }
  - { vars: { q: none } , assert: [{ type: similar, value: '' }, { type: webhook, value: 'https://192.0.2.1' }] }
",
    );
    let embed = folder.path().join("embed.py");
    fs::write(&embed, EMBED).unwrap();
    fs::set_permissions(&embed, fs::Permissions::from_mode(0o755)).unwrap();
    let said = run_expecting(folder.path(), 1, &["run", "promptfooconfig.yaml", "-o", "out.jsonl"]);
    let missing = "not run: `similar`: needs vectors of an embedding model: `--embedding MODEL` names one (3 times)";
    assert!(said.contains(missing), "{said}");
    let words = ["run", "promptfooconfig.yaml", "--embedding", "command:./embed.py", "-o", "out.jsonl"];
    let said = run_expecting(folder.path(), 1, &words);
    assert!(said.contains("note: `similar` (4 times) is decided by vectors of command:./embed.py"), "{said}");
    let lines = results(&folder.path().join("out.jsonl"));
    let test = |line: usize| {
        let test = &lines[line]["scores"]["promptfoo_judged_test"];
        let value = test["value"].as_f64().map(|value| (value * 1e9).round() / 1e9);
        (test["label"].as_str().or(test["kind"].as_str()).unwrap().to_owned(), value)
    };
    assert_eq!(test(0), ("pass".to_owned(), Some(1.0)), "{}", lines[0]);
    assert_eq!(lines[0]["scores"]["near"]["label"], Value::Null);
    assert_eq!(test(1), ("fail".to_owned(), Some(0.5)), "{}", lines[1]);
    assert_eq!(test(2), ("pass".to_owned(), Some(0.5)), "{}", lines[2]);
    assert_eq!(test(3), ("not_run".to_owned(), None), "{}", lines[3]);
}

#[test]
fn derived_metrics_are_formulas_over_the_sums_of_a_column() {
    let folder = folder(
        "prompts: ['{{q}}', '{{q}}{{q}}']
providers: [echo]
derivedMetrics:
  - { name: share, value: hits / __count }
  - { name: twice, value: '2 * share' }
  - { name: many, value: 'hits > 1' }
  - { name: again, value: again + 1 }
tests:
  - { vars: { q: ab }, assert: [{ type: contains, value: a, metric: hits, weight: 3 }, { type: contains, value: baba, metric: hits }] }
  - { vars: { q: b }, assert: [{ type: not-contains, value: a, metric: hits }] }
",
    );
    let said = run_expecting(folder.path(), 2, &["run", "promptfooconfig.yaml"]);
    for line in [
        "derived metric `share` (echo-1-prompt-1, echo): 2",
        "derived metric `twice` (echo-1-prompt-2, echo): 4",
        "derived metric `many` (echo-1-prompt-1, echo): not computed: `> 1` is not expected",
        "derived metric `again` (echo-1-prompt-1, echo): not computed: it names itself",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let said = run_successfully(folder.path(), &["import", "promptfooconfig.yaml", "-o", "ours.yaml"]);
    assert!(
        said.contains("note: derived metrics are computed where the configuration of promptfoo itself is run"),
        "{said}"
    );
}
