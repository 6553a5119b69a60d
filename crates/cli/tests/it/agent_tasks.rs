//! Runs with `agent:`: a model calls tools until it answers, against a state of its own, within limits; killed and resumed.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::program::{PROGRAM, run_expecting, run_successfully};

/// A model that buys what the question names, one thing a call, and then says so. `loop` never answers. Every request is noted.
const MODEL: &str = r#"
import json, os, sys, time
asked = json.load(sys.stdin)
with open("asked.log", "a") as log:
    log.write(json.dumps([asked["messages"], asked["repeat"]]) + "\n")
time.sleep(float(os.environ.get("SLOW", "0")))
words = " ".join(m["text"] for m in asked["messages"] if m["role"] == "user").split()
results = [p["text"] for m in asked["messages"] for p in m.get("parts", []) if p["type"] == "tool_result"]
wanted = [word for word in words if word.islower()]
usage = {"input_tokens": 100, "output_tokens": 10}
if "LOOP" in words or len(results) < len(wanted):
    thing = "milk" if "LOOP" in words else wanted[len(results)]
    call = {"name": "nothing" if "UNKNOWN" in words else "buy", "arguments": {"thing": thing}}
    print(json.dumps({"text": "", "tool_calls": [call], "usage": usage}))
else:
    print(json.dumps({"text": "Bought: " + ", ".join(results), "usage": usage}))
"#;

/// A tool that writes what was bought into a file of the state.
const TOOL: &str = r#"
import json, os, sys, time
thing = json.load(sys.stdin)["thing"]
if thing == "gold":
    sys.exit("too dear")
if thing == "patience":
    time.sleep(60)
bought = open("list.txt").read().split() if os.path.exists("list.txt") else []
open("list.txt", "w").write(" ".join(bought + [thing]))
print(json.dumps({"bought": thing, "number": len(bought) + 1}))
"#;

fn has_python() -> bool {
    let found = probare_files::find_program("python3").is_some();
    if !found {
        probare_testing::report_skipped("python3 is not installed");
    }
    found
}

const CONFIG: &str = "datasets: [{path: cases.jsonl}]
models: [{name: buyer, api_model_name: 'command:buyer', command: [python3, model.py], pricing: {prompt_price_per_million: 1000, completion_price_per_million: 1000}}]
agent:
  tools:
    - {name: buy, description: Buys one thing., parameters: {type: object, properties: {thing: {type: string}}, required: [thing]}, command: [python3, tool.py]}
  state: {seed: seed}
";

/// A project with these cases; `more` is added to the configuration, in which `agent` is the last key.
fn project(cases: &[Json], more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    let lines: String = cases.iter().map(|case| format!("{case}\n")).collect();
    fs::create_dir(place.join("seed")).unwrap();
    for (name, text) in
        [("cases.jsonl", lines.as_str()), ("model.py", MODEL), ("tool.py", TOOL), ("seed/list.txt", "bread")]
    {
        fs::write(place.join(name), text).unwrap();
    }
    fs::write(place.join("probare.yaml"), format!("{CONFIG}{more}")).unwrap();
    folder
}

fn results(file: &Path) -> Vec<Json> {
    fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn logged_requests(place: &Path) -> Vec<String> {
    fs::read_to_string(place.join("asked.log")).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn shopping() -> Vec<Json> {
    let expected = |text: &str| json!([{"file": "list.txt", "text": text}, {"unchanged": true}]);
    vec![
        json!({"id": "two", "query": "Buy milk eggs", "expected_state": expected("bread milk eggs"),
            "expected_tool_calls": [{"name": "buy", "arguments": {"thing": "milk"}}, {"name": "buy", "arguments": {"thing": "eggs"}}]}),
        json!({"id": "dear", "query": "Buy gold", "expected_state": expected("bread gold")}),
        json!({"id": "none", "query": "Buy", "expected_state": expected("bread")}),
    ]
}

const METRICS: &str =
    "metrics: [end_state, steps, {id: usage, name: cost, options: {count: cost_usd}}, usage, tool_calls]\n";

#[test]
fn an_agent_calls_tools_until_it_answers_and_its_state_is_looked_at() {
    if !has_python() {
        return;
    }
    let folder = project(&shopping(), METRICS);
    let place = folder.path();
    let flags = ["run", "probare.yaml", "-q", "--sandbox", "none", "-o", "r.jsonl", "-o", "r.html"];
    run_successfully(place, &flags);
    let found = results(&place.join("r.jsonl"));
    let value = |row: usize, metric: &str| found[row]["scores"][metric]["value"].as_f64();
    assert_eq!([0, 1, 2].map(|row| value(row, "end_state")), [Some(1.0), Some(0.0), Some(1.0)], "{found:?}");
    assert_eq!([0, 1, 2].map(|row| value(row, "steps")), [Some(2.0), Some(1.0), Some(0.0)]);
    assert_eq!((value(0, "usage"), value(0, "tool_calls")), (Some(330.0), Some(1.0)));
    assert!((value(0, "cost").unwrap() - 0.33).abs() < 1e-9);
    assert!(found[1].to_string().contains(r#"says \"bread\", not \"bread gold\""#), "{}", found[1]);
    assert_eq!(logged_requests(place).len(), 3 + 2 + 1, "each reply is asked for once");
    let page = fs::read_to_string(place.join("r.html")).unwrap();
    assert!(page.contains("too dear"), "the conversation is on the page");

    // From the record; and from the store, as cases that are scored again.
    run_successfully(place, &["run", "probare.yaml", "-q", "--offline", "-o", "again.jsonl"]);
    assert_eq!(results(&place.join("again.jsonl")), found);
    run_successfully(place, &["runs", "export", "1", "-o", "e.jsonl", "--outputs", "o.jsonl"]);
    assert_eq!(results(&place.join("e.jsonl")), found);
    run_successfully(
        place,
        &[
            "score",
            "o.jsonl",
            "--config=/dev/null",
            "-q",
            "-m",
            "end_state",
            "-m",
            "steps",
            "-m",
            "cost=usage:count=cost_usd",
            "-o",
            "s.jsonl",
        ],
    );
    let scored = results(&place.join("s.jsonl"));
    for (row, metric) in [(0, "end_state"), (1, "end_state"), (0, "steps"), (0, "cost")] {
        assert_eq!(scored[row]["scores"][metric]["value"].as_f64(), value(row, metric), "{metric}");
    }
    let first = results(&place.join("o.jsonl")).swap_remove(0);
    let roles: Vec<&str> =
        first["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "tool", "assistant"]);
    assert_eq!(logged_requests(place).len(), 6);
    // Another tool is another record.
    fs::write(place.join("tool.py"), format!("{TOOL}# changed\n")).unwrap();
    run_expecting(place, 1, &["run", "probare.yaml", "-q", "--offline", "-o", "other.jsonl"]);
    let missing = results(&place.join("other.jsonl"))[0]["scores"]["steps"].clone();
    assert_eq!(missing, json!({"error": "the result of call 1 (`buy`) is not recorded", "kind": "missing"}));
}

#[test]
fn every_limit_ends_a_sample_as_a_kind_of_its_own() {
    if !has_python() {
        return;
    }
    let cases = [json!({"id": "a", "query": "LOOP"}), json!({"id": "b", "query": "Buy"})];
    for (limit, kind, words) in [
        ("max_steps: 3", "step_limit", "no answer after 3 steps"),
        ("max_tokens: 200", "token_limit", "no answer after 220 tokens"),
        ("max_cost_usd: 0.3", "cost_limit", "no answer after 0.3300 US dollars"),
        ("timeout: 0.001", "timed_out", "(`agent.timeout`)"),
    ] {
        let folder = project(&cases, &format!("  {limit}\nmetrics: [steps, end_state]\n"));
        let place = folder.path();
        run_expecting(place, 1, &["run", "probare.yaml", "-q", "--sandbox", "none", "-o", "r.jsonl"]);
        let found = results(&place.join("r.jsonl"));
        let error = &found[0]["scores"]["steps"];
        assert_eq!(error["kind"], kind, "{found:?}");
        assert!(error["error"].as_str().unwrap().contains(words), "{error}");
        assert!(error.get("value").is_none() && found[1]["scores"]["steps"]["value"] == 0.0, "{found:?}");
        run_successfully(place, &["runs", "export", "1", "--outputs", "o.jsonl"]);
        let kept = results(&place.join("o.jsonl"));
        assert!(kept[0]["messages"].as_array().unwrap().len() > 1, "its conversation is kept: {}", kept[0]);
        if kind != "timed_out" {
            let asked = logged_requests(place).len();
            let again = run_expecting(place, 1, &["run", "probare.yaml", "--sandbox", "none"]);
            assert_eq!(logged_requests(place).len(), asked, "{again}");
            assert!(again.contains("from the response cache") && !again.contains("--refresh"), "{again}");
        }
    }
}

#[test]
fn a_killed_run_is_resumed_and_nobody_is_asked_twice() {
    if !has_python() {
        return;
    }
    let cases: Vec<Json> = (0..6)
        .map(|number| {
            let things = ["milk", "eggs", "tea", "salt"][..=number % 4].join(" ");
            json!({"id": number.to_string(), "query": format!("N{number} {things}"), "expected_state": [{"file": "list.txt", "text": format!("bread {things}")}]})
        })
        .collect();
    let flags = ["run", "probare.yaml", "-q", "--sandbox", "none", "-j", "2"];
    let whole = project(&cases, METRICS);
    run_successfully(whole.path(), &[&flags[..], &["-o", "r.jsonl"]].concat());
    let requests = logged_requests(whole.path()).len();
    let folder = project(&cases, METRICS);
    let place = folder.path();
    // One request is under way when the program is killed, and its reply is lost.
    let config =
        fs::read_to_string(place.join("probare.yaml")).unwrap().replace("pricing:", "concurrency: 1, pricing:");
    fs::write(place.join("probare.yaml"), config).unwrap();
    for kill_after in [3, 9] {
        let words: &[&str] = if kill_after == 3 { &flags } else { &["resume", "-q"] };
        let mut child = Command::new(PROGRAM)
            .args(words)
            .env("SLOW", "0.05")
            .current_dir(place)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_mins(1);
        while logged_requests(place).len() < kill_after && Instant::now() < until {
            thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!((9..requests).contains(&logged_requests(place).len()), "{} of {requests}", logged_requests(place).len());
    run_successfully(place, &["resume", "-q"]);
    run_successfully(place, &["runs", "export", "1", "-o", "r.jsonl"]);
    let strip = |mut rows: Vec<Json>| {
        // How long a reply took is another time.
        for row in &mut rows {
            row["scores"]["usage"]["parts"]["latency_ms"] = Json::Null;
            row["scores"]["cost"]["parts"]["latency_ms"] = Json::Null;
        }
        rows
    };
    assert_eq!(strip(results(&place.join("r.jsonl"))), strip(results(&whole.path().join("r.jsonl"))));
    let mut all = logged_requests(place);
    let sent = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), requests);
    assert!(sent - requests <= 2, "{sent} requests for {requests} replies");
}

#[test]
fn a_script_plays_the_user_and_recorded_results_answer_for_tools() {
    if !has_python() {
        return;
    }
    let folder = project(
        &[
            json!({"id": "a", "says": ["Buy milk", "And eggs", "UNKNOWN tea"]}),
            json!({"id": "b", "query": "Buy salt", "says": []}),
        ],
        "",
    );
    let place = folder.path();
    let config = "datasets: [{path: cases.jsonl}]
models: [{name: buyer, api_model_name: 'command:buyer', command: [python3, model.py]}]
agent:
  tools:
    - {name: buy, results: [{arguments: {thing: milk}, result: bought}, {arguments: {thing: eggs}, result: {left: 2}}], fixtures: more.jsonl}
  user: {script: says}
metrics: [steps, tool_errors]
";
    fs::write(place.join("probare.yaml"), config).unwrap();
    fs::write(place.join("more.jsonl"), "{\"name\": \"sell\", \"arguments\": {\"thing\": \"salt\"}, \"result\": 1}\n")
        .unwrap();
    let told = run_expecting(place, 1, &["run", "probare.yaml", "-q", "-o", "r.jsonl"]);
    let reason = "error: steps failed in 1 case: tool `buy` has no recorded result for {\"thing\":\"salt\"}";
    assert!(told.contains(reason), "{told}");
    let found = results(&place.join("r.jsonl"));
    assert_eq!(found[0]["scores"]["steps"]["value"], 3.0, "{}", found[0]);
    let missing = &found[1]["scores"]["steps"];
    assert_eq!(
        (
            &missing["kind"],
            missing["error"].as_str().unwrap().contains("`buy` has no recorded result for {\"thing\":\"salt\"}")
        ),
        (&json!("missing"), true),
        "{missing}"
    );
    run_successfully(place, &["runs", "export", "1", "--outputs", "o.jsonl"]);
    let kept = results(&place.join("o.jsonl")).swap_remove(0);
    let texts: Vec<&str> =
        kept["messages"].as_array().unwrap().iter().filter_map(|message| message["text"].as_str()).collect();
    assert_eq!(
        texts,
        [
            "Buy milk",
            "bought",
            "Bought: bought",
            "And eggs",
            "{\"left\":2}",
            "Bought: bought, {\"left\":2}",
            "UNKNOWN tea",
            "there is no tool `nothing`; the tools are buy",
            "Bought: bought, {\"left\":2}, there is no tool `nothing`; the tools are buy"
        ]
    );
}

/// A user who wants one thing and then takes leave. What it was told is noted.
const USER: &str = r#"
import json, sys
asked = json.load(sys.stdin)
with open("told.txt", "w") as told:
    told.write(asked["messages"][0]["text"])
said = sum(message["role"] == "assistant" for message in asked["messages"])
print(json.dumps({"text": ["Buy milk", "Thanks. GOODBYE"][said]}))
"#;

#[test]
fn a_model_plays_the_user_by_persona_and_goal_until_it_says_the_word() {
    if !has_python() {
        return;
    }
    let folder = project(&[json!({"id": "a", "wish": "some milk"})], "");
    let place = folder.path();
    fs::write(place.join("user.py"), USER).unwrap();
    let config = "datasets: [{path: cases.jsonl}]
models:
  - {name: buyer, api_model_name: 'command:buyer', command: [python3, model.py]}
  - {name: ann, api_model_name: 'command:ann', command: [python3, user.py]}
generate: {models: [buyer]}
agent:
  tools: [{name: buy, results: [{arguments: {thing: milk}, result: bought}]}]
  user: {model: ann, persona: 'Ann, in a hurry', goal: 'You want {{wish}}.', stop: GOODBYE}
metrics: [steps]
";
    fs::write(place.join("probare.yaml"), config).unwrap();
    run_successfully(place, &["run", "probare.yaml", "-q"]);
    let told = fs::read_to_string(place.join("told.txt")).unwrap();
    for words in ["Who you are: Ann, in a hurry", "What you want: You want some milk.", "write GOODBYE"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    run_successfully(place, &["runs", "export", "1", "--outputs", "o.jsonl"]);
    let kept = results(&place.join("o.jsonl")).swap_remove(0);
    let texts: Vec<&str> =
        kept["messages"].as_array().unwrap().iter().filter_map(|message| message["text"].as_str()).collect();
    assert_eq!(texts, ["Buy milk", "bought", "Bought: bought"], "{kept}");
}

#[test]
fn a_tool_that_takes_too_long_is_an_error_that_the_model_is_told() {
    if !has_python() {
        return;
    }
    let folder = project(&[json!({"id": "a", "query": "Buy patience"})], "metrics: [tool_errors]\n");
    let place = folder.path();
    let config = fs::read_to_string(place.join("probare.yaml")).unwrap();
    fs::write(place.join("probare.yaml"), config.replace("tool.py]}", "tool.py], timeout: 0.5}")).unwrap();
    run_successfully(place, &["run", "probare.yaml", "-q", "--sandbox", "none", "-o", "r.jsonl"]);
    let found = results(&place.join("r.jsonl"));
    assert_eq!(found[0]["scores"]["tool_errors"]["value"], 0.0, "{found:?}");
    assert!(found[0].to_string().contains("no result within 0.5 s"), "{found:?}");
}

/// A tool that tells what it can reach, in Python: a file beside the configuration, one that it is allowed, an address, a variable.
const LOOK: &str = r#"
import os, socket

def reach(work):
    try:
        return work()
    except OSError as error:
        return type(error).__name__

def buy(thing: str) -> dict:
    """Looks around."""
    print("noise")
    open("mark", "w").write(thing)
    return {
        "secret": reach(lambda: open("FOLDER/secret.txt").read()),
        "data": reach(lambda: open("FOLDER/data/open.txt").read()),
        "network": reach(lambda: socket.create_connection(("127.0.0.1", PORT), 2) and "open"),
        "colour": os.environ.get("SHOP_COLOUR"),
        "home": os.path.exists("/root/.bashrc"),
        "files": sorted(os.listdir(".")),
    }
"#;

#[test]
fn tools_run_in_the_sandbox_with_what_they_are_allowed() {
    if !has_python() {
        return;
    }
    if probare_files::find_program("bwrap").is_none() {
        return probare_testing::report_skipped("bubblewrap is not installed");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let folder = project(&[json!({"id": "a", "query": "Look a"}), json!({"id": "b", "query": "Look b"})], "");
    let place = folder.path();
    let look = LOOK.replace("FOLDER", &place.display().to_string()).replace("PORT", &port);
    fs::create_dir(place.join("data")).unwrap();
    for (name, text) in [("secret.txt", "hidden"), ("data/open.txt", "shown"), ("look.py", look.as_str())] {
        fs::write(place.join(name), text).unwrap();
    }
    let seen = |run: &str, allowance: &str| -> Vec<Json> {
        let config = format!(
            "datasets: [{{path: cases.jsonl}}]
models: [{{name: buyer, api_model_name: 'command:buyer', command: [python3, model.py]}}]
agent:
  tools: [{{python: 'look.py:buy'{allowance}}}]
  state: {{seed: seed}}
metrics: [tool_errors, tool_schema]
"
        );
        fs::write(place.join("probare.yaml"), config).unwrap();
        let words = ["run", "probare.yaml", "-q"];
        let output = Command::new(PROGRAM).args(words).env("SHOP_COLOUR", "blue").current_dir(place).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        run_successfully(place, &["runs", "export", run, "--outputs", "o.jsonl"]);
        let told = results(&place.join("o.jsonl")).into_iter().map(|kept| {
            assert_eq!(kept["tools"][0]["parameters"]["required"], json!(["thing"]), "{kept}");
            let told = kept["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool").unwrap();
            serde_json::from_str(told["text"].as_str().unwrap()).unwrap()
        });
        told.collect()
    };
    for seen in seen("1", "") {
        assert_eq!(
            (&seen["secret"], &seen["data"]),
            (&json!("FileNotFoundError"), &json!("FileNotFoundError")),
            "{seen}"
        );
        assert_eq!((&seen["colour"], &seen["home"]), (&Json::Null, &json!(false)), "{seen}");
        assert_eq!(seen["files"], json!(["list.txt", "mark"]), "each sample has a state of its own: {seen}");
        assert_ne!(seen["network"], "open", "{seen}");
    }
    for seen in seen("2", ", files: [data], network: true, variables: [SHOP_COLOUR]") {
        assert_eq!((&seen["secret"], &seen["data"]), (&json!("FileNotFoundError"), &json!("shown")), "{seen}");
        assert_eq!((&seen["colour"], &seen["network"]), (&json!("blue"), &json!("open")), "{seen}");
    }
    drop(listener);
}

/// The example, as its README says: offline, without a program of its own.
#[test]
fn the_shop_of_the_examples_gives_pass_3_and_the_state_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shop");
    for entry in fs::read_dir(shop).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let place = folder.path();
    let output =
        Command::new(PROGRAM).args(["run", "probare.yaml"]).env("PATH", "").current_dir(place).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let found = results(&place.join("out/results.jsonl"));
    assert_eq!(found.len(), 60);
    let right = |row: &Json| row["scores"]["end_state"]["value"] == 1.0;
    let always = found.chunks(3).filter(|repeats| repeats.iter().all(right)).count();
    assert!(always > 5 && always < 20, "{always}");
    assert!(told.contains(&format!("pass^3 {:.4}", always as f64 / 20.0)), "{told}");
    assert!(found.iter().all(|row| row["scores"]["cost"]["value"].as_f64().is_some_and(|cost| cost > 0.0)));

    // Every sample may take all its steps: 60 samples, 12 of each model.
    let dry = run_successfully(place, &["run", "probare.yaml", "--dry-run"]);
    for words in ["clerk answers: at most 720 calls", "shopper answers: at most 720 calls", "US dollars"] {
        assert!(dry.contains(words), "{words}: {dry}");
    }

    // The server itself, in the sandbox, comes to the same.
    if !has_python() || probare_files::find_program("bwrap").is_none() {
        return probare_testing::report_skipped("python3 or bubblewrap is not installed");
    }
    let config = fs::read_to_string(place.join("probare.yaml")).unwrap().replace("offline: true", "offline: false");
    fs::write(place.join("probare.yaml"), config).unwrap();
    run_successfully(place, &["run", "probare.yaml", "-q", "--run-again", "--limit", "6", "-o", "live.jsonl"]);
    let values = |row: &Json| {
        ["end_state", "tool_calls", "correct_prefix", "steps", "tokens"]
            .map(|name| row["scores"][name]["value"].clone())
    };
    let live = results(&place.join("live.jsonl"));
    assert_eq!(live.iter().map(values).collect::<Vec<_>>(), found[..18].iter().map(values).collect::<Vec<_>>());
}

/// A server of tools over HTTP: `initialize` and the list as JSON, calls as a stream of events, which stays open for the thing
/// `open`. It notes every call.
fn http_server() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let calls: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = Arc::clone(&calls);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let noted = Arc::clone(&noted);
            thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                loop {
                    let (mut head, mut length) = (String::new(), 0);
                    loop {
                        let mut line = String::new();
                        if reader.read_line(&mut line).unwrap_or(0) == 0 {
                            return;
                        }
                        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                            length = value.trim().parse().unwrap();
                        }
                        if line.trim().is_empty() {
                            break;
                        }
                        head.push_str(&line);
                    }
                    let mut body = vec![0; length];
                    reader.read_exact(&mut body).unwrap();
                    let message: Json = serde_json::from_slice(&body).unwrap();
                    let is_known = head.contains("mcp-session-id: s1")
                        && head.contains("mcp-protocol-version: 2025-03-26")
                        || message["method"] == "initialize";
                    let is_allowed = head.contains("authorization: Bearer sk-tools-0123456789");
                    let result = match message["method"].as_str().unwrap() {
                        "initialize" => json!({"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {}}),
                        "tools/list" if message["params"]["cursor"].is_null() => {
                            json!({"tools": [{"name": "sell", "inputSchema": {"type": "object"}}], "nextCursor": "2"})
                        }
                        "tools/list" => {
                            json!({"tools": [{"name": "buy", "description": "Buys.", "inputSchema": {"type": "object"}}]})
                        }
                        "tools/call" => {
                            let thing = message["params"]["arguments"]["thing"].to_string();
                            thread::sleep(Duration::from_secs(if thing.contains("slow") { 4 } else { 0 }));
                            noted.lock().unwrap().push(thing);
                            json!({"content": [{"type": "text", "text": "sent"}]})
                        }
                        _ => Json::Null,
                    };
                    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                    let (status, kind, text) = match message["method"].as_str().unwrap() {
                        _ if !is_known || !is_allowed => ("401 Unauthorized", "text/plain", String::new()),
                        "tools/call" => {
                            let other = json!({"jsonrpc": "2.0", "method": "notifications/progress"});
                            (
                                "200 OK",
                                "text/event-stream",
                                format!("event: message\ndata: {other}\n\nevent: message\ndata: {answer}\n\n"),
                            )
                        }
                        "notifications/initialized" => ("202 Accepted", "text/plain", String::new()),
                        _ => ("200 OK", "application/json", answer.to_string()),
                    };
                    let (framing, text) = if message["params"]["arguments"]["thing"] == "open" {
                        ("Transfer-Encoding: chunked".to_owned(), format!("{:x}\r\n{text}\r\n", text.len()))
                    } else {
                        (format!("Content-Length: {}", text.len()), text)
                    };
                    let told = format!(
                        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nMcp-Session-Id: s1\r\n{framing}\r\n\r\n{text}"
                    );
                    if reader.get_mut().write_all(told.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    (url, calls)
}

#[test]
fn a_server_over_http_is_asked_once_with_the_key_that_the_user_names() {
    if !has_python() {
        return;
    }
    let (url, calls) = http_server();
    let folder = project(&[json!({"id": "a", "query": "Buy milk eggs"})], "");
    let place = folder.path();
    let config = format!(
        "datasets: [{{path: cases.jsonl}}]
models: [{{name: buyer, api_model_name: 'command:buyer', command: [python3, model.py]}}]
agent:
  tools: [{{name: shop, mcp: {{url: '{url}', headers: {{Authorization: 'Bearer ${{TOOLS_KEY}}'}}}}, only: [buy]}}]
metrics: [steps, tool_errors]
"
    );
    fs::write(place.join("probare.yaml"), config).unwrap();
    let run = |more: &[&str]| {
        let words = [&["run", "probare.yaml", "-o", "r.jsonl"][..], more].concat();
        let output = Command::new(PROGRAM)
            .args(words)
            .env("TOOLS_KEY", "sk-tools-0123456789")
            .current_dir(place)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(!told.contains("sk-tools"), "{told}");
        results(&place.join("r.jsonl"))
    };
    let found = run(&[]);
    assert_eq!(
        (&found[0]["scores"]["steps"]["value"], &found[0]["scores"]["tool_errors"]["value"]),
        (&json!(2.0), &json!(1.0)),
        "{found:?}"
    );
    assert_eq!(*calls.lock().unwrap(), ["\"milk\"", "\"eggs\""]);
    assert_eq!(run(&[]), found);
    assert_eq!(run(&["--offline"]), found);
    assert_eq!(calls.lock().unwrap().len(), 2, "what is recorded is not done again");
    run(&["--run-again"]);
    assert_eq!(calls.lock().unwrap().len(), 4);
    for name in [".probare/cache.db", ".probare/runs.db"] {
        let bytes = fs::read(place.join(name)).unwrap_or_default();
        assert!(!bytes.windows(8).any(|words| words == b"sk-tools"), "{name}");
    }
}

/// A stream that stays open has answered; a call that takes too long is an error that the model is told.
#[test]
fn a_call_over_http_ends_with_its_answer_or_with_its_time() {
    if !has_python() {
        return;
    }
    let (url, _) = http_server();
    for (thing, timeout, right, told) in [("slow", 1.5, 0.0, "no result within 1.5 s"), ("open", 10.0, 1.0, "sent")] {
        let folder = project(&[json!({"id": "a", "query": format!("Buy {thing}")})], "");
        let place = folder.path();
        let config = format!(
            "datasets: [{{path: cases.jsonl}}]
models: [{{name: buyer, api_model_name: 'command:buyer', command: [python3, model.py]}}]
agent:
  tools: [{{mcp: {{url: '{url}', headers: {{Authorization: 'Bearer ${{TOOLS_KEY}}'}}}}, only: [buy], timeout: {timeout}}}]
metrics: [steps, tool_errors]
"
        );
        fs::write(place.join("probare.yaml"), config).unwrap();
        let words = ["run", "probare.yaml", "-q", "-o", "r.jsonl"];
        let key = ("TOOLS_KEY", "sk-tools-0123456789");
        let output = Command::new(PROGRAM).args(words).env(key.0, key.1).current_dir(place).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let scores = &results(&place.join("r.jsonl"))[0]["scores"];
        assert_eq!(
            (&scores["steps"]["value"], &scores["tool_errors"]["value"]),
            (&json!(1.0), &json!(right)),
            "{scores}"
        );
        run_successfully(place, &["runs", "export", "1", "--outputs", "o.jsonl"]);
        let kept = results(&place.join("o.jsonl")).swap_remove(0);
        assert_eq!(kept["response"]["text"], format!("Bought: {told}"), "{kept}");
    }
}

#[test]
fn the_manifest_names_tools_servers_and_allowances_and_nothing_secret() {
    if !has_python() {
        return;
    }
    let (url, _) = http_server();
    let folder = project(&[json!({"id": "a", "query": "Buy milk", "says": ["Buy milk"]})], "");
    let place = folder.path();
    fs::create_dir(place.join("data")).unwrap();
    let with_secrets = url.replace("/mcp", "/mcp?account=team-secret-7");
    let config = format!(
        "datasets: [{{path: cases.jsonl}}]
models: [{{name: buyer, api_model_name: 'command:buyer', command: [python3, model.py]}}]
agent:
  tools:
    - {{name: buy, command: [python3, tool.py, --code=word-secret-7], files: [data], network: true, variables: [SHOP_COLOUR], memory: 2048}}
    - {{mcp: {{url: '{with_secrets}', headers: {{Authorization: 'Bearer ${{TOOLS_KEY}}', X-Team: head-secret-7}}}}, only: [sell]}}
    - {{name: weather, results: [{{arguments: {{}}, result: clear}}]}}
  user: {{script: says}}
  state: {{seed: seed}}
  max_steps: 7
  max_cost_usd: 0.5
metrics: [steps]
"
    );
    fs::write(place.join("probare.yaml"), config).unwrap();
    let words = ["run", "probare.yaml", "-q", "--sandbox", "none", "-o", "r.jsonl", "-o", "r.json"];
    let variables = [("TOOLS_KEY", "sk-tools-0123456789"), ("SHOP_COLOUR", "colour-secret-7")];
    let output = Command::new(PROGRAM).args(words).envs(variables).current_dir(place).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(place.join("r.jsonl.run.json")).unwrap();
    let manifest: Json = serde_json::from_str(&text).unwrap();
    let mut agent = manifest["generation"]["agent"].clone();
    let is_digest = |value: Json| value.as_str().is_some_and(|text| text.len() == 64);
    assert!(is_digest(agent["sha256"].take()) && is_digest(agent["state"].take()), "{manifest}");
    for tool in agent["tools"].as_array_mut().unwrap() {
        assert!(is_digest(tool["sha256"].take()), "{tool}");
    }
    let origin = url.strip_suffix("/mcp").unwrap();
    assert_eq!(
        agent,
        json!({
            "sha256": null, "sandbox": "none", "state": null, "user": {"script": "says"}, "max_steps": 7, "max_cost_usd": 0.5,
            "tools": [
                {"name": "buy", "kind": "command", "tools": ["buy"], "sha256": null, "program": "python3", "network": true,
                    "files": ["data"], "variables": ["SHOP_COLOUR"], "memory": 2048, "timeout": 30.0},
                {"name": origin, "kind": "mcp", "tools": ["sell"], "sha256": null, "server": origin,
                    "headers": ["Authorization", "X-Team"], "timeout": 30.0},
                {"name": "weather", "kind": "recorded", "tools": ["weather"], "sha256": null},
            ],
        })
    );
    for name in ["r.jsonl", "r.jsonl.run.json", "r.json"] {
        let text = fs::read_to_string(place.join(name)).unwrap();
        assert!(!text.contains("secret-7") && !text.contains("sk-tools"), "{name}");
    }
    // What is exported from the store says the same.
    run_successfully(place, &["runs", "export", "1", "-o", "e.jsonl"]);
    let exported: Json = serde_json::from_str(&fs::read_to_string(place.join("e.jsonl.run.json")).unwrap()).unwrap();
    assert_eq!(exported["generation"]["agent"], manifest["generation"]["agent"]);
}

#[test]
fn what_a_configuration_says_wrongly_about_an_agent_is_an_error_before_anything_is_asked() {
    let folder = project(&[json!({"id": "a", "query": "Buy", "expected_state": {"tabel": "x"}})], METRICS);
    let place = folder.path();
    let told = run_expecting(place, 64, &["run", "probare.yaml", "-q", "--sandbox", "none"]);
    assert!(
        told.contains("case `a`") && told.contains("it is about a `table`, a `file`, or says `unchanged: true`"),
        "{told}"
    );
    let write = |text: &str| fs::write(place.join("probare.yaml"), text).unwrap();
    let models = "datasets: [{path: cases.jsonl}]\nmodels: [{name: 'command:x'}]\nmetrics: [steps]\n";
    for (agent, part) in [
        ("tools: [{name: a}]", "`tools[0]`: a tool has one of `command`, `python`, `results` or `fixtures`, and `mcp`"),
        ("tools: [{name: a, comand: [x]}]", "comand"),
        ("user: {model: nobody, goal: x}", "nobody"),
        ("state: {seed: nowhere.db}", "nowhere.db"),
        ("tools: [{name: a, fixtures: none.jsonl}]", "none.jsonl"),
    ] {
        fs::write(place.join("cases.jsonl"), "{\"id\": \"a\", \"query\": \"x\"}\n").unwrap();
        write(&format!("{models}agent:\n  {agent}\n"));
        let output = crate::program::run(place, &["run", "probare.yaml", "-q", "--sandbox", "none"]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() != Some(0) && told.contains(part), "{agent}: {told}");
    }
    assert!(logged_requests(place).is_empty());
}
