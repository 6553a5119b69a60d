//! Replies and money through the command line: what a cut, empty, refused or unmeasured reply comes to, and what it costs.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use probare_models::list_cached_models;
use probare_testing::{ServerBehaviour, TestServer, Trouble};

use crate::program::{both_streams, command, run};

/// So many cases and a model at a server.
pub fn project(server: &TestServer, cases: usize, model: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (0..cases)
        .map(|number| {
            format!("{{\"id\":\"c{number}\",\"query\":\"Q{number:03}\",\"reference\":\"reply to Q{number:03}\"}}\n")
        })
        .collect();
    fs::write(folder.path().join("cases.jsonl"), lines).unwrap();
    let config = format!(
        "datasets: [{{path: cases.jsonl}}]\nmodels:\n  - name: house\n    base_url: {}/v1\n    max_tokens: 100\n    retry_wait: 0.01\n    \
         breaker_wait: 0.05\n    pricing: {{prompt_price_per_million: 10, completion_price_per_million: 20}}\n    {model}\n\
         generate: {{prompt: \"{{{{query}}}}\", models: [house]}}\nmetrics: [{{id: exact_match}}]\n",
        server.url()
    );
    fs::write(folder.path().join("probare.yaml"), config).unwrap();
    folder
}

fn recorded(folder: &Path) -> u64 {
    list_cached_models(&folder.join(".probare/cache.db")).unwrap().iter().map(|kept| kept.replies).sum()
}

#[test]
fn a_cut_reply_is_not_scored_unless_somebody_wants_it() {
    let marked = vec![("Q002".to_owned(), Trouble::Length)];
    let server = TestServer::start(ServerBehaviour { marked, ..ServerBehaviour::default() }).unwrap();
    let folder = project(&server, 5, "temperature: 0");
    let place = folder.path();
    let first = run(place, &["run", "probare.yaml", "-o", "cut.jsonl"]);
    let lines = fs::read_to_string(place.join("cut.jsonl")).unwrap();
    assert!(lines.lines().nth(2).unwrap().contains("\"kind\":\"truncated\""), "{lines}\n{}", both_streams(&first));
    assert_eq!(lines.matches("\"kind\":\"truncated\"").count(), 1, "{lines}");
    assert_eq!(first.status.code(), Some(1), "{}", both_streams(&first));
    let again = both_streams(&run(place, &["run", "probare.yaml"]));
    assert!(again.contains("hint: what failed was answered from recorded replies; --refresh asks again"), "{again}");
    let wanted = run(place, &["run", "probare.yaml", "--score-truncated", "-o", "whole.jsonl"]);
    let lines = fs::read_to_string(place.join("whole.jsonl")).unwrap();
    assert_eq!(lines.matches("\"kind\":\"truncated\"").count(), 0, "{lines}");
    assert_eq!(wanted.status.code(), Some(0), "{}", both_streams(&wanted));
    assert_eq!(server.requests(), 5, "the later runs take the text from the record");
    let text = fs::read_to_string(place.join("probare.yaml")).unwrap();
    fs::write(place.join("probare.yaml"), format!("{text}run: {{score_truncated: true}}\n")).unwrap();
    let set = run(place, &["run", "probare.yaml", "-o", "set.jsonl"]);
    assert_eq!(set.status.code(), Some(0), "{}", both_streams(&set));
}

#[test]
fn a_budget_binds_without_usage() {
    for (trouble, most) in [(None, 200), (Some(Trouble::NoUsage), 30)] {
        let troubles = trouble.into_iter().collect::<Vec<_>>();
        let share = if troubles.is_empty() { 0.0 } else { 1.0 };
        let server = TestServer::start(ServerBehaviour { troubles, share, ..ServerBehaviour::default() }).unwrap();
        let folder = project(&server, 200, "concurrency: 64");
        let ended = run(folder.path(), &["run", "probare.yaml", "--budget-usd", "0.02"]);
        let text = both_streams(&ended);
        assert_eq!(ended.status.code(), Some(4), "{text}");
        assert!(server.requests() > 3 && server.requests() < most, "{} requests\n{text}", server.requests());
        assert_eq!(text.contains("without usage"), trouble.is_some(), "{text}");
        println!("{trouble:?}: {} of 200 sent with 0.02 US dollars", server.requests());
    }
}

#[test]
fn one_forbidden_prompt_and_failing_first_attempts_lose_nobody_else() {
    let marked = vec![("Q077".to_owned(), Trouble::Forbidden)];
    let server = TestServer::start(ServerBehaviour { marked, ..ServerBehaviour::default() }).unwrap();
    let folder = project(&server, 200, "concurrency: 1");
    let ended = run(folder.path(), &["run", "probare.yaml", "-o", "r.jsonl"]);
    let lines = fs::read_to_string(folder.path().join("r.jsonl")).unwrap();
    assert_eq!(lines.matches("\"kind\":\"failed\"").count(), 1, "{}", both_streams(&ended));
    assert_eq!((server.requests(), recorded(folder.path())), (200, 199));

    for first in [Trouble::ServerError, Trouble::SiteOverloaded, Trouble::CutBody] {
        let server = TestServer::start(ServerBehaviour { first: Some(first), ..ServerBehaviour::default() }).unwrap();
        let folder = project(&server, 100, "concurrency: 16");
        let ended = run(folder.path(), &["run", "probare.yaml"]);
        assert_eq!(ended.status.code(), Some(0), "{first:?}: {}", both_streams(&ended));
        assert_eq!((server.requests(), recorded(folder.path())), (200, 100), "{first:?}");
        let charged = first == Trouble::CutBody;
        assert_eq!(both_streams(&ended).contains("may have been charged"), charged, "{}", both_streams(&ended));
    }
}

#[test]
fn what_was_paid_for_is_kept_when_the_user_ends_it() {
    let server =
        TestServer::start(ServerBehaviour { delay: Duration::from_millis(600), ..ServerBehaviour::default() }).unwrap();
    let folder = project(&server, 300, "concurrency: 8");
    let place = folder.path();
    let cases: String = (0..300)
        .map(|number| format!("{{\"id\":\"c{number}\",\"query\":\"Q\",\"response\":\"A {number}\"}}\n"))
        .collect();
    fs::write(place.join("judged.jsonl"), cases).unwrap();
    let judged =
        ["score", "judged.jsonl", "-c", "probare.yaml", "-m", "judge_rubric", "--judge", "house", "-o", "j.jsonl"];
    for arguments in [&judged[..], &["run", "probare.yaml"]] {
        let before = (server.requests(), if place.join(".probare/cache.db").exists() { recorded(place) } else { 0 });
        let mut running = command(place, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(2500));
        let signal = Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap();
        assert!(signal.success());
        let ended = running.wait().unwrap();
        assert!(!ended.success());
        let sent = server.requests() - before.0;
        assert!(sent > 0 && sent < 300, "{arguments:?}: {sent}");
        assert_eq!(recorded(place) - before.1, sent, "{arguments:?}: every reply that was asked for is recorded");
        println!("{}: {sent} received, {sent} recorded", arguments[0]);
    }
}

#[test]
fn images_below_the_data_set_are_sent_and_others_are_refused() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project(&server, 0, "generator_type: multimodal");
    let place = folder.path();
    fs::create_dir(place.join("pictures")).unwrap();
    fs::write(place.join("pictures/a.png"), b"\x89PNG\r\n\x1a\nrest").unwrap();
    fs::write(place.join("pictures/text.png"), "no picture").unwrap();
    std::os::unix::fs::symlink("a.png", place.join("pictures/link.png")).unwrap();
    let named = ["pictures/a.png", "../secret.png", "/etc/passwd", "pictures/link.png", "pictures/text.png"];
    let lines: String = named
        .iter()
        .enumerate()
        .map(|(number, path)| {
            format!("{{\"id\":\"c{number}\",\"query\":\"Q{number:03}\",\"reference\":\"x\",\"metadata\":{{\"images\":[\"{path}\"]}}}}\n")
        })
        .collect();
    fs::write(place.join("cases.jsonl"), lines).unwrap();
    let ended = run(place, &["run", "probare.yaml", "-o", "r.jsonl"]);
    assert_eq!(server.requests(), 1, "{}", both_streams(&ended));
    assert!(server.raw_requests()[0].contains("data:image/png;base64,"), "{}", server.raw_requests()[0]);
    let results = fs::read_to_string(place.join("r.jsonl")).unwrap();
    for reason in ["is not below the folder", "through a link", "is not an image"] {
        assert!(results.contains(reason), "{reason}: {results}");
    }
}

#[test]
fn what_a_provider_cannot_express_is_refused_before_the_run() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    for (wish, word) in [
        ("provider: anthropic\n    seed: 3", "`seed`"),
        ("provider: mistral\n    reasoning_effort: low", "`reasoning_effort`"),
        ("provider: groq\n    generator_type: embedding", "`generator_type`"),
        ("provider: bedrock\n    stream: true", "`stream`"),
        ("idle_timeout: 3", "`idle_timeout`"),
        ("api_version: 2024-10-21", "`api_version`"),
    ] {
        let folder = project(&server, 2, wish);
        let ended = run(folder.path(), &["run", "probare.yaml"]);
        assert!(!ended.status.success());
        assert!(both_streams(&ended).contains(word), "{wish}: {}", both_streams(&ended));
        assert_eq!(server.requests(), 0, "{wish}");
    }
}
