//! Requests per second of processor time, ours beside those of Python's `openai` client, against the same local server.
//!
//! `cargo run -p probare-models --release --example throughput -- [QUESTIONS] [CONCURRENCY]`; `PYTHON` names a Python that has
//! the client. The server and the clients are processes of their own, so that each is charged for itself alone.

#![allow(clippy::disallowed_methods, reason = "tests and measurements start programs of their own")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use probare_core::{ChatRequest, Message};
use probare_models::{Client, ModelContext, ModelOptions, ModelSettings};
use probare_testing::{ServerBehaviour, TestServer};
use serde_json::json;

type Done = Result<(), Box<dyn std::error::Error>>;

/// Processor seconds of all threads of this program.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(ticks as f64 / 100.0)
}

fn main() -> Done {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("serve") => serve(),
        Some("ask") => ask(&words[1], words[2].parse()?, words[3].parse()?, words[4] == "record"),
        _ => side_by_side(&words),
    }
}

/// Answers until standard input ends.
fn serve() -> Done {
    let server = TestServer::start(ServerBehaviour::default())?;
    println!("{}", server.url());
    std::io::stdout().flush()?;
    std::io::stdin().lines().for_each(drop);
    Ok(())
}

fn ask(url: &str, count: usize, concurrency: u32, records: bool) -> Done {
    let folder = tempfile::tempdir()?;
    let record = records.then(|| folder.path().join("replies.db").into());
    let shared = ModelContext::open(ModelOptions { record, ..ModelOptions::new(probare_core::Trust::Trusted) })?;
    let settings = ModelSettings {
        base_url: Some(url.to_owned()),
        concurrency: Some(concurrency),
        ..ModelSettings::from_name("test")
    };
    let client = Client::open(settings, &shared)?;
    let question = |number| ChatRequest {
        messages: vec![Message::user(format!("rust question {records} {number}"))],
        ..ChatRequest::default()
    };
    let questions: Vec<ChatRequest> = (0..count).map(question).collect();
    let (before, start) = (processor_seconds().unwrap_or_default(), Instant::now());
    let replies = client.ask(&questions);
    let (seconds, wall) = (processor_seconds().unwrap_or_default() - before, start.elapsed().as_secs_f64());
    let answered = replies.iter().filter(|reply| reply.response_text().is_ok()).count();
    println!("{}", json!({"answered": answered, "seconds": seconds, "wall": wall, "version": "probare"}));
    Ok(())
}

fn side_by_side(words: &[String]) -> Done {
    let count = words.first().map_or("10000", String::as_str);
    let concurrency = words.get(1).map_or("256", String::as_str);
    let own = std::env::current_exe()?;
    let mut server = Command::new(&own).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut url = String::new();
    BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut url)?;
    let url = format!("{}/v1", url.trim());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/python/openai_client.py").display().to_string();
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let own = own.display().to_string();
    for (what, program, first, last) in [
        ("probare, without a record", &own, "ask", "plain"),
        ("probare, every reply recorded", &own, "ask", "record"),
        ("Python's client", &python, script.as_str(), "plain"),
    ] {
        let output = Command::new(program).args([first, &url, count, concurrency, last]).output()?;
        let Ok(report) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
            println!("{what:32} left out: {}", String::from_utf8_lossy(&output.stderr).trim());
            continue;
        };
        let number = |key: &str| report[key].as_f64().unwrap_or_default();
        let (cpu, wall) = (number("answered") / number("seconds"), number("answered") / number("wall"));
        println!(
            "{what:32} {cpu:>8.0} requests/CPU-second, {wall:>8.0} requests/second, {} answered ({})",
            report["answered"],
            report["version"].as_str().unwrap_or_default()
        );
    }
    drop(server.stdin.take());
    server.wait()?;
    Ok(())
}
