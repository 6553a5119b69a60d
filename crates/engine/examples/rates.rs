//! Runs many cases at a local server whose replies take 50 ms: requests a second beside the ideal rate, the largest memory
//! and the most threads, for several numbers of requests at once. The server is a process of its own.
//!
//! `cargo run -p probare-engine --release --example rates -- [CASES] [REQUESTS AT ONCE…]`

#![expect(clippy::disallowed_methods, reason = "a measurement makes its own files and starts its own server")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use probare_engine::{Config, Evaluation, EvaluationOptions, Registries, RunProgress, RunRequest};
use probare_models::ModelSettings;
use probare_store::Store;
use probare_testing::{ServerBehaviour, TestServer};
use serde_json::json;

type Done = Result<(), Box<dyn std::error::Error>>;

/// How long a reply takes.
const DELAY: Duration = Duration::from_millis(50);

fn main() -> Done {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("serve") => serve(),
        Some("run") => run(Path::new(&words[1])),
        _ => measure(&words),
    }
}

/// Answers until standard input ends.
fn serve() -> Done {
    let server = TestServer::start(ServerBehaviour { delay: DELAY, ..ServerBehaviour::default() })?;
    println!("{}", server.url());
    std::io::stdout().flush()?;
    std::io::stdin().lines().for_each(drop);
    Ok(())
}

/// A number of this process, such as `VmHWM` in KiB.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}

/// One run, as `probare run` makes it.
fn run(folder: &Path) -> Done {
    let config = Config::load(Some(&folder.join("probare.yaml")))?;
    let settings = config.file_options();
    let store = Store::open(&folder.join("runs.db"))?;
    let (is_over, most) = (Arc::new(AtomicBool::new(false)), Arc::new(std::sync::atomic::AtomicU64::new(0)));
    let (over, threads) = (Arc::clone(&is_over), Arc::clone(&most));
    let watching = std::thread::spawn(move || {
        while !over.load(Ordering::Relaxed) {
            threads.fetch_max(status("Threads"), Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let evaluation = Evaluation::open(&settings, EvaluationOptions::default(), Registries::without_benchmarks())?;
    let number = store.begin(evaluation.plan())?;
    let start = Instant::now();
    let conclusion = evaluation.run(&store, number, RunRequest::from(settings), Arc::new(RunProgress::default()))?;
    let seconds = start.elapsed().as_secs_f64();
    is_over.store(true, Ordering::Relaxed);
    watching.join().map_err(|_| "the watching thread stopped")?;
    let counts = conclusion.hearing.map(|hearing| hearing.counts).unwrap_or_default();
    let told = json!({"seconds": seconds, "replied": counts.replied, "attempts": counts.attempts,
        "threads": most.load(Ordering::Relaxed), "kibibytes": status("VmHWM")});
    println!("{told}");
    Ok(())
}

fn measure(words: &[String]) -> Done {
    let cases: usize = words.first().map_or(Ok(5000), |word| word.parse())?;
    let given: Vec<u32> = words.iter().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let concurrencies = if given.is_empty() { vec![50, 200, 1000] } else { given };
    let own = std::env::current_exe()?;
    let mut server = Command::new(&own).arg("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut url = String::new();
    BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut url)?;
    println!("| at once | requests/s | ideal | share | MiB at most | threads at most |\n|---|---|---|---|---|---|");
    for concurrency in concurrencies {
        let folder = tempfile::tempdir()?;
        let lines: String = (0..cases)
            .map(|number| {
                format!(
                    "{}\n",
                    json!({"id": number.to_string(), "query": format!("Question {number}?"), "reference": "so"})
                )
            })
            .collect();
        std::fs::write(folder.path().join("cases.jsonl"), lines)?;
        let model = ModelSettings {
            api_model_name: Some("m".to_owned()),
            base_url: Some(format!("{}/v1", url.trim())),
            max_tokens: Some(40),
            concurrency: Some(concurrency),
            ..ModelSettings::from_name("house")
        };
        let config = json!({"datasets": [{"path": "cases.jsonl"}], "models": [model],
            "generate": {"prompt": "{{query}}", "models": ["house"]}, "metrics": [{"id": "contains"}],
            "run": {"record": folder.path().join("cache.db")}});
        std::fs::write(folder.path().join("probare.yaml"), config.to_string())?;
        let output = Command::new(&own).arg("run").arg(folder.path()).output()?;
        let Ok(told) = serde_json::from_slice::<BTreeMap<String, f64>>(&output.stdout) else {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        };
        if told["replied"] != cases as f64 {
            return Err(format!("{told:?}").into());
        }
        let (rate, ideal) = (cases as f64 / told["seconds"], f64::from(concurrency) / DELAY.as_secs_f64());
        println!(
            "| {concurrency} | {rate:.0} | {ideal:.0} | {:.0} % | {:.0} | {} |",
            100.0 * rate / ideal,
            told["kibibytes"] / 1024.0,
            told["threads"]
        );
    }
    drop(server.stdin.take());
    server.wait()?;
    Ok(())
}
