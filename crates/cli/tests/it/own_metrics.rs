//! Metrics of the user's own: Python functions and programs, from the command line to `verify`, and what strangers cannot do.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::program::{both_streams, code, command, run, run_expecting, run_successfully};

const CHECKS: &str = include_str!("../../../../examples/own_metrics/checks.py");
const CHECK_MJS: &str = include_str!("../../../../examples/own_metrics/check.mjs");

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("checks.py"), CHECKS).unwrap();
    fs::write(folder.path().join("check.mjs"), CHECK_MJS).unwrap();
    fs::write(folder.path().join("cases.jsonl"), cases(6)).unwrap();
    folder
}

/// Cases with words of the brand, banned words, letters of every width and an empty response.
fn cases(count: usize) -> String {
    let pieces =
        ["we ship", "our team", "you get it", "cheap", "Grüße", "東京", "😀 fast", "guarantee", "", "Dear customer"];
    let mut text = String::new();
    for number in 0..count {
        let words: Vec<&str> =
            (0..number % 5).map(|at| pieces[(number * 7 + at * 3 + number / 10) % pieces.len()]).collect();
        let case = json!({"id": format!("c{number}"), "query": "Where is my parcel?", "response": words.join(" ")});
        writeln!(text, "{case}").unwrap();
    }
    text
}

/// The results of a metric by case, as the file has them.
fn results(path: &Path, metric: &str) -> Vec<Json> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()["scores"][metric].clone()).collect()
}

fn has_node() -> bool {
    let found = probare_files::find_program("node").is_some();
    if !found {
        probare_testing::report_skipped("there is no `node`");
    }
    found
}

#[test]
fn a_python_function_has_evidence_gates_reports_and_a_page() {
    let folder = folder();
    let place = folder.path();
    let score = ["score", "cases.jsonl", "-m", "checks.py:brand_voice", "-o", "out.jsonl", "-o", "out.html"];
    let printed = run_successfully(place, &score);
    assert!(printed.contains("brand_voice") && printed.contains("off brand"), "{printed}");
    let second = &results(&place.join("out.jsonl"), "brand_voice")[2];
    assert_eq!(second["parts"].as_object().unwrap().len(), 2, "{second}");
    assert!(second["evidence"][0]["kind"].is_string(), "{second}");
    let manifest: Json = serde_json::from_slice(&fs::read(place.join("out.jsonl.run.json")).unwrap()).unwrap();
    let metric = &manifest["metrics"][0];
    assert_eq!((&metric["id"], &metric["version"]), (&json!("checks.py:brand_voice"), &json!(1)));
    assert_eq!(metric["code"]["source"], json!({"python": "checks.py:brand_voice"}));
    assert_eq!(metric["code"]["files"]["checks.py"].as_str().unwrap().len(), 64);
    let failed =
        run(place, &["score", "cases.jsonl", "-m", "checks.py:brand_voice", "--fail-under", "brand_voice=0.99"]);
    assert_eq!(code(&failed), 2, "{}", both_streams(&failed));
    let page = run_successfully(place, &["explain", "checks.py:brand_voice"]);
    for part in [
        "Share of the words of the brand",
        "values from 0 to 1",
        "words   array",
        "version 1",
        "Each word that is there",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // Options, a name, async, a class, a label alone, another range.
    let printed = run_successfully(
        place,
        &[
            "score",
            "cases.jsonl",
            "-m",
            r#"voice=checks.py:brand_voice:words=["team"]"#,
            "-m",
            "checks.py:answers_the_question",
            "-m",
            "checks.py:MaxLength:characters=10",
            "-m",
            "checks.py:tone",
            "-m",
            "checks.py:words",
            "--fail-labels",
            "tone:formal>90%",
            "-o",
            "more.jsonl",
            "-o",
            "more.csv",
        ],
    );
    let more = place.join("more.jsonl");
    assert_eq!(results(&more, "tone")[0], json!({"label": "casual"}), "{printed}");
    assert!(printed.contains("tone is formal in 0 of 6 scored cases, 0 %"), "{printed}");
    assert_eq!(results(&more, "words")[0]["value"], json!(0.0));
    assert_eq!(results(&more, "max_length:characters=10").first(), Some(&Json::Null), "the name is as it is written");
    assert_eq!(results(&more, "MaxLength:characters=10")[0]["value"], json!(1.0));
    assert!(fs::read_to_string(place.join("more.csv")).unwrap().contains(",scored,casual"));
}

#[test]
fn what_is_wrong_with_python_code_is_told_with_its_line() {
    let folder = folder();
    let place = folder.path();
    fs::write(
        place.join("bad.py"),
        "import probare\n\n@probare.metric\ndef none(case):\n    pass\n\n@probare.metric\ndef large(case):\n    return 3\n\n\
         @probare.metric\ndef wrong(case):\n    return 1 / 0\n\n@probare.metric\ndef leaves(case):\n    import sys; sys.exit(3)\n\n\
         @probare.metric\ndef nan(case):\n    return float('nan')\n\n@probare.metric\ndef span(case):\n    return probare.Score(1, evidence=[probare.Evidence.matched('response', 0, 999)])\n\n\
         @probare.metric\ndef prints(case):\n    print('hello'); return True\n\n@probare.metric\ndef late(case):\n    import time; time.sleep(9)\n\n\
         @probare.metric\ndef elsewhere(case):\n    return 'we' in case.actual_output\n\n@probare.metric\ndef slip(case):\n    return case['respnse'] == 'we'\n\n\
         @probare.metric\ndef fields(response, reference):\n    return response == reference\n",
    )
    .unwrap();
    for (name, kind, reason) in [
        ("none", "failed", "returned None; expected a number, a bool, a label (text) or a probare.Score (bad.py:3)"),
        ("large", "failed", "the value 3 is outside of the announced range, 0 to 1 (bad.py:7)"),
        ("wrong", "failed", "ZeroDivisionError: division by zero (bad.py:13)"),
        ("leaves", "failed", "SystemExit: 3 (bad.py:17)"),
        ("nan", "failed", "returned nan, which is no score (bad.py:19)"),
        ("span", "failed", "`response` from 0 to 999 is not a range of its text (bad.py:23)"),
        ("elsewhere", "failed", "a case has no attribute `actual_output`: here it is `response` (bad.py:37)"),
        ("slip", "failed", "other columns of the row are in `metadata`' (bad.py:41)"),
    ] {
        let reference = format!("bad.py:{name}");
        run_expecting(place, 1, &["score", "cases.jsonl", "-m", &reference, "-o", "bad.jsonl"]);
        let told = &results(&place.join("bad.jsonl"), name)[0];
        assert_eq!(told["kind"], json!(kind), "{name}: {told}");
        assert!(told["error"].as_str().unwrap().ends_with(reason), "{name}: {told}");
    }
    run_successfully(place, &["score", "cases.jsonl", "-m", "bad.py:prints"]);
    let text = "metrics: [{python: 'bad.py:late', timeout: 0.3}]\ndatasets: [{path: cases.jsonl}]\nrun: {limit: 1, output: [late.jsonl]}\n";
    fs::write(place.join("late.yaml"), text).unwrap();
    run_expecting(place, 1, &["score", "--config", "late.yaml"]);
    assert_eq!(results(&place.join("late.jsonl"), "late")[0]["kind"], json!("timed_out"));
    for (argument, reason) in [
        ("bad.py:nothing", "has no metric `nothing`; its metrics are none, large, wrong"),
        ("absent.py:f", "there is no file `absent.py`"),
        ("checks.py", "name a function of the file: checks.py:NAME"),
        ("check.mjs", "metrics: [{name: NAME, command: [PROGRAM, check.mjs]}]"),
        ("node check.mjs", "metrics: [{name: NAME, command: [node, check.mjs]}]"),
        ("checks.py:brand_voice:word=1", "has no option `word`; it has words, banned"),
        (
            "bad.py:fields",
            "`fields` needs the option `reference`; its first parameter is the case, the others are options (bad.py:43)",
        ),
        (
            "checks.py:brand_voice:words=we",
            "the option `words` of `brand_voice` is a list such as [\"a\",\"b\"], not 'we'",
        ),
        ("checks.py:MaxLength:characters=ten", "the option `characters` of `max_length` is a whole number, not 'ten'"),
    ] {
        let refused = run(place, &["score", "cases.jsonl", "-m", argument]);
        assert_ne!(code(&refused), 0, "{argument}");
        assert!(both_streams(&refused).contains(reason), "{argument}: {}", both_streams(&refused));
    }
    fs::write(place.join("broken.py"), "import probare\nimport no_such_module\n").unwrap();
    let refused = both_streams(&run(place, &["score", "cases.jsonl", "-m", "broken.py:f"]));
    assert!(refused.contains("No module named 'no_such_module'") && refused.contains("broken.py:2"), "{refused}");
}

#[test]
fn python_code_finds_modules_as_programs_of_the_user_do_but_not_in_the_working_folder() {
    let folder = folder();
    let place = folder.path();
    for (file, text) in [
        // A file may have the name of a module, which stays what it is.
        (
            "own/json.py",
            "import colorsys, json\nimport beside, installed\nimport probare\n\n@probare.metric\ndef f(case):\n    \
             return len(json.dumps(case.id)) > 0 and beside.YES and installed.YES and hasattr(colorsys, 'rgb_to_hsv')\n\n\
             class Group:\n    @staticmethod\n    def g(case):\n        return True\n",
        ),
        ("own/beside.py", "YES = True\n"),
        ("lib/installed.py", "YES = True\n"),
        ("colorsys.py", "open('started', 'w')\n"),
    ] {
        fs::create_dir_all(place.join(file).parent().unwrap()).unwrap();
        fs::write(place.join(file), text).unwrap();
    }
    for name in ["f", "Group.g"] {
        let reference = format!("own/json.py:{name}");
        let score = ["score", "cases.jsonl", "-m", reference.as_str(), "-o", "out.jsonl"];
        let told = command(place, &score).env("PYTHONPATH", place.join("lib")).output().unwrap();
        assert_eq!(code(&told), 0, "{}", both_streams(&told));
        assert_eq!(results(&place.join("out.jsonl"), name)[1], json!({"value": 1.0}), "{name}");
    }
    assert!(!place.join("started").exists(), "the working folder is no place for modules");
}

#[test]
fn a_node_program_and_a_python_function_give_the_same_results_on_1000_cases() {
    if !has_node() {
        return;
    }
    let folder = folder();
    let place = folder.path();
    fs::write(place.join("cases.jsonl"), cases(1000)).unwrap();
    fs::write(
        place.join("own.yaml"),
        "metrics:\n  - {python: 'checks.py:brand_voice', name: a}\n  - {name: b, command: [node, check.mjs]}\n",
    )
    .unwrap();
    run_successfully(place, &["score", "cases.jsonl", "--config", "own.yaml", "-o", "out.jsonl", "-j", "2"]);
    let (python, node) = (results(&place.join("out.jsonl"), "a"), results(&place.join("out.jsonl"), "b"));
    assert_eq!(python.len(), 1000);
    assert_eq!(python, node);
    let of_value = |value: f64| python.iter().filter(|result| result["value"] == json!(value)).count();
    assert!(of_value(0.0) > 100 && of_value(1.0 / 3.0) > 50, "the cases differ");
    assert!(python.iter().any(|result| result["evidence"].to_string().contains("contradicted")));
    for (metric, reason) in [
        ("{name: b, command: [node, check.mjs], options: {wrods: [a]}}", "has no option `wrods`; it has words, banned"),
        ("{name: b, command: [node, chekc.mjs]}", "Error: Cannot find module"),
        ("{name: b, command: [echo, hello]}", "what is no message of the protocol: \"hello\""),
        ("{python: 'checks.py:brand_voice:words=[a]'}", "is not written FILE.py:NAME, with `options` beside it"),
        ("{id: 'checks.py:tone'}", "write `python: checks.py:tone` in place of `id`"),
    ] {
        fs::write(place.join("slip.yaml"), format!("metrics: [{metric}]\n")).unwrap();
        let refused = both_streams(&run(place, &["score", "cases.jsonl", "--config", "slip.yaml"]));
        assert!(refused.contains(reason), "{metric}: {refused}");
    }
    let first = fs::read(place.join("out.jsonl")).unwrap();
    run_successfully(place, &["score", "cases.jsonl", "--config", "own.yaml", "-o", "out.jsonl", "-j", "1"]);
    assert!(fs::read(place.join("out.jsonl")).unwrap() == first, "bytes do not depend on threads");
    // The same metric of a Rust program is held against these values in the facade's tests.
    let checked = run_successfully(place, &["metric", "check", "--", "node", "check.mjs"]);
    assert!(checked.contains("all passed"), "{checked}");
    let checked = run_successfully(place, &["metric", "check", "checks.py:brand_voice"]);
    assert!(checked.contains("all passed"), "{checked}");
}

/// A worker that behaves as its first argument says for the response that it is given.
const UNRULY: &str = r#"
import json, os, sys, time
def say(message):
    sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "ready", "protocol": 1, "name": "unruly"}); continue
    what, result = message["case"]["response"], {"type": "result", "seq": message["seq"], "value": 1}
    if what == "crash": sys.stderr.write("out of paper\n"); sys.stderr.flush(); os._exit(7)
    if what == "killed": os.kill(os.getpid(), 9)
    if what == "hang": time.sleep(60)
    if what == "noise": print("hello", flush=True)
    if what == "nonsense": print('{"type": "result"', flush=True); continue
    if what == "other": say({**result, "seq": 1000000}); continue
    if what == "silent": os.close(1); time.sleep(60)
    if what == "nan": print(json.dumps({**result, "value": float("nan")}), flush=True); continue
    if what == "endless":
        while True: sys.stdout.write("x" * 65536)
    if what == "chatty": sys.stderr.write("x" * 3000000); sys.stderr.flush()
    say(result)
"#;

#[test]
fn unruly_workers_end_each_case_in_one_kind_and_nothing_hangs() {
    let folder = folder();
    let place = folder.path();
    fs::write(place.join("unruly.py"), UNRULY).unwrap();
    let expected = [
        ("fine", None, ""),
        ("crash", Some("failed"), "exit status: 7; standard error: out of paper"),
        ("fine", None, ""),
        ("killed", Some("failed"), "signal: 9"),
        ("hang", Some("timed_out"), "no answer within 1.5 s"),
        ("noise", Some("failed"), "what is no message of the protocol: \"hello\""),
        ("fine", None, ""),
        ("nonsense", Some("failed"), "what is no message of the protocol"),
        ("other", Some("failed"), "answered number 1000000"),
        ("silent", Some("failed"), "it closed its standard output"),
        ("fine", None, ""),
        ("nan", Some("failed"), "no message of the protocol"),
        ("endless", Some("failed"), "longer than any answer"),
        ("chatty", None, ""),
        ("fine", None, ""),
    ];
    let mut text = String::new();
    for (number, (response, ..)) in expected.iter().enumerate() {
        writeln!(text, "{}", json!({"id": number.to_string(), "response": response})).unwrap();
    }
    fs::write(place.join("cases.jsonl"), text).unwrap();
    let config = "metrics: [{name: unruly, command: [python3, unruly.py], timeout: 1.5}]\n";
    fs::write(place.join("own.yaml"), config).unwrap();
    for threads in ["1", "4"] {
        let start = Instant::now();
        let score = ["score", "cases.jsonl", "--config", "own.yaml", "-o", "out.jsonl", "-j", threads];
        run_expecting(place, 1, &score);
        assert!(start.elapsed() < Duration::from_secs(30), "it takes {:?}", start.elapsed());
        for ((response, kind, reason), told) in expected.iter().zip(results(&place.join("out.jsonl"), "unruly")) {
            assert_eq!(told["kind"].as_str(), *kind, "{response}: {told}");
            assert!(told["error"].as_str().unwrap_or_default().contains(reason), "{response}: {told}");
            assert_eq!(told["value"].is_number(), kind.is_none(), "{response}: {told}");
        }
    }
    // One that always fails is not started for ever.
    let crashes: String =
        (0..40).map(|number| format!("{{\"id\": \"{number}\", \"response\": \"crash\"}}\n")).collect();
    fs::write(place.join("cases.jsonl"), crashes).unwrap();
    run_expecting(place, 1, &["score", "cases.jsonl", "--config", "own.yaml", "-o", "out.jsonl", "-j", "1"]);
    let told = results(&place.join("out.jsonl"), "unruly");
    let is_given_up = |told: &&Json| told["error"].as_str().unwrap().contains("failed 10 times in a row");
    assert_eq!(told.iter().filter(is_given_up).count(), 30);
}

#[test]
fn verify_recomputes_own_metrics_only_where_their_code_is_allowed() {
    let folder = folder();
    let place = folder.path();
    let score =
        ["score", "cases.jsonl", "-m", "checks.py:brand_voice", "-m", "contains:texts=[\"we\"]", "-o", "out.jsonl"];
    run_successfully(place, &score);
    let plain = run_expecting(place, 1, &["verify", "out.jsonl"]);
    assert!(plain.contains("brand_voice: not verified: it is computed by code of its author"), "{plain}");
    assert!(plain.contains("all agree, 1 metric not checked"), "{plain}");
    run_successfully(place, &["verify", "out.jsonl", "--allow-unchecked"]);
    let allowed = run_successfully(place, &["verify", "out.jsonl", "--allow-code"]);
    assert!(allowed.contains("12 scores computed again") && allowed.contains("all agree\n"), "{allowed}");
    let text = fs::read_to_string(place.join("out.jsonl")).unwrap();
    let at = text.find("\"value\":0.0").unwrap();
    fs::write(place.join("changed.jsonl"), format!("{}\"value\":1.0{}", &text[..at], &text[at + 11..])).unwrap();
    fs::copy(place.join("out.jsonl.run.json"), place.join("changed.jsonl.run.json")).unwrap();
    let changed = run_expecting(place, 1, &["verify", "changed.jsonl", "--allow-code"]);
    assert!(changed.contains("`value` is 1.0 in the file and 0.0 now"), "{changed}");
    let shown = run_successfully(place, &["show", "out.jsonl", "--id", "c2"]);
    assert!(shown.contains("brand_voice"), "{shown}");
    // Code that is not the one of the run is not started.
    fs::write(place.join("checks.py"), "import os\nos.system('touch started')\n").unwrap();
    let other = run_expecting(place, 1, &["verify", "out.jsonl", "--allow-code"]);
    assert!(other.contains("is not here as it was in the run") && !place.join("started").exists(), "{other}");
}

/// Writes the same Python file and program, which leave a mark when they start.
fn arm(place: &Path) {
    fs::write(place.join("checks.py"), "open('started', 'w')\n").unwrap();
    fs::write(place.join("helper.sh"), "#!/bin/sh\ntouch started\n").unwrap();
    fs::set_permissions(place.join("helper.sh"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_a_stranger_names_is_not_started() {
    let folder = folder();
    let place = folder.path();
    fs::write(place.join("helper.sh"), "#!/bin/sh\nread hello\necho '{\"type\":\"ready\",\"protocol\":1,\"name\":\"h\"}'\nwhile read line; do echo '{}'; done\n").unwrap();
    fs::set_permissions(place.join("helper.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let config = "datasets: [{path: cases.jsonl}]\nmetrics: [{python: 'checks.py:brand_voice'}, {name: h, command: [./helper.sh]}]\n";
    fs::write(place.join("probare.yaml"), config).unwrap();
    let named = place.join("probare.yaml");
    let probare = |words: &[&str], home: &str| {
        let mut all = command(place, words);
        all.env("HOME", place.join(home)).env_remove("XDG_CONFIG_HOME").env_remove("PROBARE_KEY");
        all.output().unwrap()
    };
    for format in ["jsonl", "json", "csv", "parquet", "html"] {
        let output = format!("out.{format}");
        probare(&["score", "--config", named.to_str().unwrap(), "-o", &output], "attacker");
        assert!(place.join(&output).exists(), "{output}");
    }
    let ran = probare(&["run", named.to_str().unwrap(), "-o", "run.jsonl"], "attacker");
    assert!(place.join(".probare/store.db").exists(), "{}", both_streams(&ran));
    arm(place);
    for format in ["jsonl", "json", "csv", "parquet", "html"] {
        let output = format!("out.{format}");
        for words in [
            &["verify", &output][..],
            &["verify", &output, "--allow-unchecked"],
            &["show", &output, "--case", "c1"],
            &["compare", &output, &output],
            &["export", &output, "-o", "exported.json"],
        ] {
            let told = both_streams(&probare(words, "victim"));
            assert!(!place.join("started").exists(), "{words:?}: {told}");
        }
    }
    for words in [
        // The configuration was found: nothing of it is used without trust.
        &["score", "cases.jsonl"][..],
        &["run"],
        &["score"],
        &["resume", "1"],
        &["rescore", "1"],
        &["runs", "list"],
        &["runs", "show", "1"],
        &["runs", "export", "1", "-o", "again.jsonl"],
        &["compare", "1", "1"],
        &["explain", "h"],
        &["validate", "probare.yaml"],
        &["config", "probare.yaml"],
        &["list"],
    ] {
        let told = both_streams(&probare(words, "victim"));
        assert!(!place.join("started").exists(), "{words:?}: {told}");
    }
    let refused = both_streams(&probare(&["score", "cases.jsonl"], "victim"));
    assert!(refused.contains("to run the Python code `checks.py:brand_voice`"), "{refused}");
    assert!(refused.contains("to start the program `./helper.sh`"), "{refused}");
    // A data set that names one is data.
    fs::remove_file(place.join("probare.yaml")).unwrap();
    fs::write(
        place.join("rows.jsonl"),
        "{\"id\":\"a\",\"response\":\"x\",\"python\":\"checks.py:f\",\"metric\":\"checks.py:f\"}\n",
    )
    .unwrap();
    probare(&["score", "rows.jsonl", "-m", "json_valid"], "victim");
    assert!(!place.join("started").exists());
    // The canary is no blind one.
    probare(&["score", "rows.jsonl", "-m", "checks.py:f"], "victim");
    assert!(place.join("started").exists());
}

#[test]
fn the_example_runs_resumes_compares_and_is_rescored() {
    if !has_node() {
        return;
    }
    let folder = folder();
    let place = folder.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/own_metrics");
    for name in ["probare.yaml", "cases.jsonl"] {
        fs::copy(root.join(name), place.join(name)).unwrap();
    }
    let dry = run_successfully(place, &["run", "probare.yaml", "--dry-run"]);
    assert!(dry.contains("5 samples through 4 metrics"), "{dry}");
    let ran = run_expecting(place, 1, &["run", "probare.yaml", "-o", "first.jsonl"]);
    for part in ["brand_voice", "short_enough", "tone", "casual"] {
        assert!(ran.contains(part), "{part}: {ran}");
    }
    let (python, node) =
        (results(&place.join("first.jsonl"), "brand_voice"), results(&place.join("first.jsonl"), "brand_voice_js"));
    assert_eq!(python, node);
    assert_eq!(python[4]["kind"], json!("missing"), "a case without a response is no score");
    run(place, &["resume", "1", "--config", "probare.yaml", "-o", "again.jsonl"]);
    assert_eq!(fs::read(place.join("again.jsonl")).unwrap(), fs::read(place.join("first.jsonl")).unwrap());
    let rescored = run_expecting(place, 1, &["rescore", "1", "-m", "checks.py:words", "-o", "words.jsonl"]);
    assert!(rescored.contains("words"), "{rescored}");
    run_successfully(place, &["compare", "1", "1"]);
    let page = run_successfully(place, &["explain", "--markdown", "checks.py:MaxLength"]);
    assert!(page.contains("| `characters` | integer | `300` |"), "{page}");
    // Other code is another metric.
    fs::write(place.join("checks.py"), format!("{CHECKS}\n# changed\n")).unwrap();
    let changed = both_streams(&run(place, &["resume", "1", "--config", "probare.yaml"]));
    assert!(changed.contains("the code of metric `brand_voice` changed"), "{changed}");
}
