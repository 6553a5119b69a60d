//! `probare serve` as a process: what it prints, the lines of `probare score`, the guide's examples, signals and tokens.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_probare");

/// What must never be printed.
const CANARY: &str = "canary-5c0d2b7e91fa4436";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

struct Served {
    child: Child,
    rest: BufReader<std::process::ChildStderr>,
    address: String,
}

impl Served {
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

impl Drop for Served {
    fn drop(&mut self) {
        // One that has ended already cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn has_curl() -> bool {
    let has = Command::new("curl").arg("--version").output().is_ok();
    if !has {
        println!("left out: curl is not installed");
    }
    has
}

#[test]
fn lines_are_those_of_score() {
    if !has_curl() {
        return;
    }
    let server = Served::start(|command| command);
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
    let server = Served::start(|command| command);
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
        let server = Served::start(|command| command);
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
    let server = Served::start(|command| command.arg("--verbose").env("PROBARE_SERVE_TOKEN", CANARY));
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
