//! `probare serve` as a process: what it prints, the lines of `probare score`, the guide's examples, signals and tokens.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};

use crate::program::{PROGRAM, root};

/// What must never be printed.
const CANARY: &str = "canary-5c0d2b7e91fa4436";

struct ServeProcess {
    child: Child,
    rest: BufReader<std::process::ChildStderr>,
    address: String,
}

impl ServeProcess {
    fn start(configure: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--listen", "127.0.0.1:0"]).env_remove("PROBARE_SERVE_TOKEN").stderr(Stdio::piped());
        let mut child = configure(&mut command).spawn().unwrap();
        let mut rest = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        rest.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, rest, address }
    }

    /// Asks with curl, as a user would; nothing where it is not installed.
    fn curl(&self, arguments: &[&str], path: &str) -> Option<Output> {
        Command::new("curl").arg("-s").args(arguments).arg(format!("{}{path}", self.address)).output().ok()
    }

    /// Sends a signal, and gives the exit code and what was printed after the first line.
    fn signalled(mut self, signal: &str) -> (Option<i32>, String) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
        let mut rest = String::new();
        self.rest.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

impl Drop for ServeProcess {
    fn drop(&mut self) {
        // One that has ended already cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn has_curl() -> bool {
    let has = Command::new("curl").arg("--version").output().is_ok();
    if !has {
        probare_testing::report_skipped("curl is not installed");
    }
    has
}

#[test]
fn lines_are_those_of_score() {
    if !has_curl() {
        return;
    }
    let server = ServeProcess::start(|command| command);
    for (file, metrics) in [
        ("examples/quickstart.jsonl", &["token_f1", "rouge_l", "exact_match", "chrf"][..]),
        ("tests/labelled/rag/development.jsonl", &["relevance", "hallucination"][..]),
    ] {
        let file = root().join(file);
        let mut score = Command::new(PROGRAM);
        score.args(["score", "--quiet"]).arg(&file);
        for metric in metrics {
            score.args(["-m", metric]);
        }
        let scored = score.output().unwrap();
        assert!(!scored.stdout.is_empty());
        let query = metrics.iter().map(|metric| format!("metric={metric}")).collect::<Vec<_>>().join("&");
        let body = format!("@{}", file.display());
        let arguments = ["-H", "Content-Type: application/x-ndjson", "--data-binary", &body];
        let served = server.curl(&arguments, &format!("/v1/score?{query}")).unwrap();
        assert_eq!(String::from_utf8_lossy(&served.stdout), String::from_utf8_lossy(&scored.stdout));
    }
}

/// Every metric of agents, over the whole case and, where it can be, turn by turn.
#[test]
fn metrics_of_agents_have_the_values_of_score() {
    if !has_curl() {
        return;
    }
    let server = ServeProcess::start(|command| command);
    let file = root().join("examples/agents/transcripts.jsonl");
    let mut metrics: Vec<String> = Vec::new();
    for metric in probare_benchmarks::registry().iter().filter(|metric| metric.family == "agents") {
        metrics.push(metric.id.to_owned());
        let by_turn = serde_json::json!({"per": "turn"});
        if metric.build(by_turn, probare_core::Profile::Published).is_ok() {
            metrics.push(format!("{}:per=turn", metric.id));
        }
    }
    assert!(metrics.len() >= 30, "{metrics:?}");
    let mut score = Command::new(PROGRAM);
    score.args(["score", "--quiet"]).arg(&file);
    for metric in &metrics {
        score.args(["-m", metric]);
    }
    let scored = score.output().unwrap();
    let scored = String::from_utf8_lossy(&scored.stdout);
    let query = metrics.iter().map(|metric| format!("metric={metric}")).collect::<Vec<_>>().join("&");
    let body = format!("@{}", file.display());
    let arguments = ["-H", "Content-Type: application/x-ndjson", "--data-binary", &body];
    let served = server.curl(&arguments, &format!("/v1/score?{query}")).unwrap();
    assert_eq!(String::from_utf8_lossy(&served.stdout), scored);
    // Each has a value somewhere, so that equal lines say something.
    for metric in &metrics {
        let has_value = scored.lines().any(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["scores"][metric]["value"].is_number()
        });
        let needs_more = [
            "trajectory_match",
            "json_diff",
            "json_match",
            "list_contains",
            "numeric_diff",
            "function_call",
            "end_state",
            "usage",
        ];
        assert!(has_value || needs_more.iter().any(|other| metric.starts_with(other)), "{metric} has no value");
    }
}

/// A model of recorded replies answers from an index, under both published paths; whom it is not told of is not asked.
#[test]
fn questions_are_answered_from_an_index() {
    if !has_curl() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let corpus = root().join("examples/socioscope/corpus.json").canonicalize().unwrap();
    let index = ["rag", "index", corpus.to_str().unwrap(), "-o", "index", "--no-vectors"];
    assert!(Command::new(PROGRAM).args(index).current_dir(folder.path()).output().unwrap().status.success());
    let replies = root().join("examples/retrieval/replies.jsonl").canonicalize().unwrap();
    let model = format!("replay:{}", replies.display());
    let server =
        ServeProcess::start(|command| command.args(["--index", "index", "--model", &model]).current_dir(folder.path()));
    let asked = |path: &str, body: &serde_json::Value| -> (String, serde_json::Value) {
        let body = body.to_string();
        let arguments = ["-H", "Content-Type: application/json", "-d", &body, "-w", "\n%{http_code}"];
        let text = String::from_utf8(server.curl(&arguments, path).unwrap().stdout).unwrap();
        let (reply, status) = text.rsplit_once('\n').unwrap();
        (status.to_owned(), serde_json::from_str(reply).unwrap_or_else(|error| panic!("{error}: {text}")))
    };
    let question = "How did villagers show that they disagreed with the closure?";
    for path in ["/prompt", "/evaluation-prompt"] {
        let body = serde_json::json!({"question": question, "k": 5, "filter": {}, "model": model, "auth": ""});
        let (status, reply) = asked(path, &body);
        assert_eq!(status, "200", "{reply:#}");
        assert_eq!((&reply["question"], reply["context"].as_array().map(Vec::len)), (&question.into(), Some(5)));
        let citations = reply["answer"]["citations"].as_array().unwrap();
        assert!(!citations.is_empty() && reply["answer"]["answer"].as_str().is_some_and(|text| !text.is_empty()));
        for citation in citations {
            let source = usize::try_from(citation["source_index"].as_u64().unwrap()).unwrap();
            let passage = reply["context"][source]["page_content"].as_str().unwrap();
            assert!(passage.contains(citation["quote"].as_str().unwrap()), "{citation}");
        }
    }
    let (status, reply) = asked("/prompt", &serde_json::json!({"question": "Who else?", "model": model}));
    assert_eq!(status, "502", "{reply}");
    assert!(reply["error"].as_str().unwrap().contains("no reply of the model is recorded"), "{reply}");
    let (status, reply) = asked("/prompt", &serde_json::json!({"question": question, "model": "openai:gpt-4o"}));
    assert!(status.starts_with('4'), "{status} {reply}");
    let filter = serde_json::json!({"question": question, "model": model, "filter": {"CONTRY": "Poland"}});
    let (status, reply) = asked("/prompt", &filter);
    assert_eq!(status, "422", "{reply}");
    let everything = reply.to_string();
    assert!(!everything.contains(folder.path().to_str().unwrap()), "no path of this machine: {everything}");
}

/// Commands of the guide's `console` blocks, with what they print.
fn examples(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for block in text.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
        let mut is_command = false;
        for line in block.lines() {
            if let Some(command) = line.strip_prefix("$ ") {
                found.push((command.to_owned(), String::new()));
                is_command = true;
            } else if is_command && line.starts_with("    ") {
                let command = &mut found.last_mut().unwrap().0;
                command.push('\n');
                command.push_str(line);
            } else {
                is_command = false;
                let printed = &mut found.last_mut().unwrap().1;
                printed.push_str(line);
                printed.push('\n');
            }
        }
    }
    found
}

/// The text without the time, which is never the same.
fn timeless(text: &str) -> String {
    match text.split_once("\"latency_ms\":") {
        Some((before, after)) => {
            let end = after.find([',', '}']).unwrap_or(after.len());
            format!("{before}\"latency_ms\":…{}", &after[end..])
        }
        None => text.to_owned(),
    }
}

#[test]
fn the_guide_says_what_is_answered() {
    if !has_curl() {
        return;
    }
    let server = ServeProcess::start(|command| command);
    let guide = fs::read_to_string(root().join("docs/guides/server.md")).unwrap();
    let examples = examples(&guide);
    assert!(examples.len() >= 4, "only {} examples were found", examples.len());
    for (command, printed) in examples {
        let command = command.replace("http://127.0.0.1:8080", &server.address);
        let output = Command::new("sh").args(["-c", &command]).output().unwrap();
        let answered = String::from_utf8_lossy(&output.stdout);
        assert_eq!(timeless(answered.trim_end()), timeless(printed.trim_end()), "{command}");
    }
}

#[test]
fn a_signal_ends_it_well() {
    for signal in ["-INT", "-TERM"] {
        let server = ServeProcess::start(|command| command);
        let (code, said) = server.signalled(signal);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.ends_with("stopped\n"), "{said}");
    }
}

#[test]
fn the_token_is_never_printed() {
    if !has_curl() {
        return;
    }
    let server = ServeProcess::start(|command| command.arg("--verbose").env("PROBARE_SERVE_TOKEN", CANARY));
    let right = format!("Authorization: Bearer {CANARY}");
    let wrong = format!("Authorization: Bearer {CANARY}0");
    let body = format!(r#"{{"query":"q","response":"r {CANARY}","context":["c"],"auth":"{CANARY}"}}"#);
    let mut answered = String::new();
    for (arguments, path) in [
        (vec!["-H", &right], "/v1/metrics/token_f1"),
        (vec!["-H", &wrong], "/metrics"),
        (vec!["-H", "Content-Type: application/json", "-d", &body], "/evaluate"),
        (vec![], "/canary-5c0d2b7e91fa4436?token=canary-5c0d2b7e91fa4436"),
    ] {
        answered.push_str(&String::from_utf8_lossy(&server.curl(&arguments, path).unwrap().stdout));
    }
    let (code, said) = server.signalled("-TERM");
    assert_eq!(code, Some(0));
    for line in ["GET /v1/metrics/{id} 200 ", "GET /metrics 401 ", "POST /evaluate 200 ", "GET other 404 "] {
        assert!(said.contains(line), "{said}");
    }
    for run in CANARY.as_bytes().windows(8) {
        let run = std::str::from_utf8(run).unwrap();
        assert!(!said.contains(run) && !answered.contains(run), "{run} in {said}{answered}");
    }
}

#[test]
fn a_token_that_cannot_be_used_is_refused_without_being_shown() {
    let folder = tempfile::tempdir().unwrap();
    let run = |configure: &dyn Fn(&mut Command)| {
        let mut command = Command::new(PROGRAM);
        command.current_dir(folder.path()).args(["serve", "--listen", "127.0.0.1:0"]).env_remove("PROBARE_SERVE_TOKEN");
        configure(&mut command);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = run(&|command| {
        command.env("PROBARE_SERVE_TOKEN", "hunter2");
    });
    assert_eq!(code, Some(64));
    assert!(said.contains("the token has 7 characters") && !said.contains("hunter2"), "{said}");
    fs::write(folder.path().join("token"), "eight words with spaces between\n").unwrap();
    let (code, said) = run(&|command| {
        command.args(["--token-file", "token"]);
    });
    assert_eq!(code, Some(64));
    assert!(said.contains("cannot be sent") && !said.contains("words"), "{said}");
    let (code, said) = run(&|command| {
        command.args(["--token-file", "token"]).env("PROBARE_SERVE_TOKEN", CANARY);
    });
    assert_eq!(code, Some(64));
    assert!(said.contains("both --token-file and `PROBARE_SERVE_TOKEN`") && !said.contains(CANARY), "{said}");
}

#[test]
fn what_a_collector_has_taken_survives_its_death() {
    if !has_curl() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let start = |quiet: &str| {
        let quiet = quiet.to_owned();
        ServeProcess::start(|command| {
            command.args(["--collect", "-m", "steps", "--store", "store.db", "--quiet-time", &quiet]);
            command.current_dir(folder.path())
        })
    };
    let traces = root().join("examples/agents/traces.jsonl");
    let body = format!("@{}", traces.display());
    let server = start("3600");
    let arguments = ["-H", "Content-Type: application/json", "--data-binary", &body];
    let reply = server.curl(&arguments, "/v1/traces").unwrap();
    assert_eq!(String::from_utf8_lossy(&reply.stdout), "{}");
    server.signalled("-KILL");
    let finished = || {
        let mut listed = Command::new(PROGRAM);
        listed.args(["runs", "list", "--json", "--store", "store.db"]).current_dir(folder.path());
        let listed = listed.output().unwrap();
        let runs: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
        runs[0]["finished"].as_u64().unwrap()
    };
    assert_eq!(finished(), 0);
    let server = start("1");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while finished() == 0 {
        assert!(std::time::Instant::now() < until);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    let (code, told) = server.signalled("-TERM");
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("collecting traces into run 1 of `store.db`, scored by steps"), "{told}");
    // The cases are those of the file.
    let scored = Command::new(PROGRAM).args(["score", "-q", "-m", "steps"]).arg(&traces).output().unwrap();
    assert_eq!(finished(), String::from_utf8_lossy(&scored.stdout).lines().count() as u64);
    let resumed = |arguments: &[&str]| {
        let output = Command::new(PROGRAM).args(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for command in ["resume", "rescore"] {
        let (code, told) = resumed(&[command, "1", "--store", "store.db"]);
        assert!(code == Some(64) && told.contains("collected traces"), "{code:?} {told}");
    }
    let (code, told) = resumed(&["resume", "--store", "store.db"]);
    assert!(code != Some(0) && told.contains("no run is open"), "{told}");
}

#[test]
fn a_variable_for_other_commands_does_not_stop_a_server_that_collects_nothing() {
    let server = ServeProcess::start(|command| command.env("PROBARE_METRIC", "steps"));
    assert_eq!(server.signalled("-TERM").0, Some(0));
}

#[test]
fn options_of_a_collector_without_one_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (&["-m", "steps"][..], "add --collect"),
        (&["--collect"], "--collect needs metrics"),
        (&["--sample", "10%"], "--collect"),
        (&["--collect", "-m", "steps", "--sample", "0.1"], "a percentage from 0% to 100%"),
        (&["--collect", "-m", "nothing_like_it"], "unknown metric `nothing_like_it`"),
        (&["--collect", "-m", "steps", "--export-header", "a=b"], "--export-scores"),
        (&["--store", "x.db"], "--collect"),
    ] {
        let output = Command::new(PROGRAM)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(64) && told.contains(expected), "{arguments:?}: {told}");
    }
}
