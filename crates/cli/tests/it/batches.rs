//! Batches through the command line: sent and left alone, fetched by `resume`, nothing paid for twice.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use probare_testing::BatchServer;
use serde_json::{Value as Json, json};

use crate::program::{both_streams, command, run, run_expecting, run_successfully};
use crate::torture::{Dice, setting};

/// Price of a token that is sent, and of one that comes back, in dollars a million: of ten and five tokens a reply.
const PRICES: (f64, f64) = (10.0, 20.0);
const REPLY: f64 = (10.0 * PRICES.0 + 5.0 * PRICES.1) / 1e6;

fn project(server: &BatchServer, provider: &str, questions: &[&str], judge: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (questions.iter().enumerate())
        .map(|(at, query)| {
            format!("{}\n", json!({"id": format!("c{at}"), "query": query, "reference": format!("reply to {query}")}))
        })
        .collect();
    fs::write(folder.path().join("cases.jsonl"), lines).unwrap();
    let base_url = if provider == "anthropic" { server.url() } else { format!("{}/v1", server.url()) };
    let pricing = json!({"prompt_price_per_million": PRICES.0, "completion_price_per_million": PRICES.1});
    let model = |name: &str| {
        json!({"name": name, "api_model_name": name, "provider": provider, "base_url": base_url, "max_tokens": 40,
            "retry_wait": 0.01, "pricing": pricing})
    };
    let mut metrics = vec![json!({"id": "exact_match"})];
    if judge {
        metrics.push(json!({"id": "judge_rubric", "options": {"judges": ["judge"]}}));
    }
    let config = json!({"datasets": [{"path": "cases.jsonl"}], "models": [model("house"), model("judge")],
        "generate": {"prompt": "{{query}}", "models": ["house"]}, "metrics": metrics});
    fs::write(folder.path().join("probare.yaml"), config.to_string()).unwrap();
    folder
}

/// The values of a metric by case.
fn values(path: &Path, metric: &str) -> BTreeMap<String, Json> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let lines = lines.filter(|line| line["scores"].is_object());
    lines.map(|line| (line["id"].as_str().unwrap().to_owned(), line["scores"][metric].clone())).collect()
}

fn cost(place: &Path) -> f64 {
    let shown: Json = serde_json::from_slice(&run(place, &["runs", "show", "1", "--json"]).stdout).unwrap();
    shown["cost"]["total"].as_f64().unwrap_or_default()
}

#[test]
fn a_batch_is_sent_left_alone_and_fetched_and_its_replies_find_their_questions() {
    for provider in ["openai", "anthropic"] {
        let server = BatchServer::start(Duration::ZERO).unwrap();
        let folder = project(&server, provider, &["Q0", "Q1", "Q2", "Q3 BAD", "Q4 LATE", "Q5"], false);
        let place = folder.path();
        let text = run_expecting(place, 3, &["run", "probare.yaml", "--batch"]);
        assert!(text.contains("of house: 6 questions sent") && text.contains("probare resume 1"), "{provider}: {text}");
        assert!(text.contains("asked: 0 questions; 6 in a batch\n"), "{provider}: {text}");
        assert!(text.contains("for 6 calls whose reply has not come"), "{provider}: {text}");
        let text = run_expecting(place, 3, &["resume"]);
        assert!(text.contains("of house: 0 of 6 questions done"), "{provider}: {text}");
        assert_eq!((server.batches(), server.requests(), server.single()), (1, 6, 0), "{provider}");
        server.finish();
        // What expired is sent again; what was refused stays so.
        let text = run_expecting(place, 3, &["resume"]);
        assert!(text.contains("batches: 4 replies fetched; 2 questions without one"), "{provider}: {text}");
        assert!(text.contains("of house: 1 question sent"), "{provider}: {text}");
        server.finish();
        let text = run_expecting(place, 1, &["resume", "-o", "r.jsonl"]);
        assert_eq!((server.batches(), server.requests(), server.single()), (2, 7, 0), "{provider}: {text}");
        let found = values(&place.join("r.jsonl"), "exact_match");
        for (case, result) in &found {
            if case == "c3" {
                let error = result["error"].as_str().unwrap_or_default();
                assert!(error.contains("this is refused"), "{provider} {case}: {result}");
            } else {
                assert_eq!(result["value"], 1.0, "{provider} {case}: {result}");
            }
        }
        assert_eq!(found.len(), 6);
        // Half of the price, and nothing for what was refused or expired.
        assert!((cost(place) - 5.0 * REPLY / 2.0).abs() < 1e-9, "{provider}: {}", cost(place));
        assert_eq!(server.answered(), 5, "{provider}");
        // A complete run asks nobody; what failed is asked again where that is wanted.
        run_expecting(place, 0, &["resume", "1"]);
        assert_eq!(server.requests(), 7);
        run_expecting(place, 3, &["resume", "1", "--retry", "failed"]);
        assert_eq!((server.batches(), server.requests(), server.single()), (3, 8, 0), "{provider}");
    }
}

#[test]
fn judges_take_a_batch_of_their_own_and_make_no_verdict_before() {
    let server = BatchServer::start(Duration::ZERO).unwrap();
    let folder = project(&server, "openai", &["Q0", "Q1"], true);
    let place = folder.path();
    run_expecting(place, 3, &["run", "probare.yaml", "--batch"]);
    server.finish();
    let text = run_expecting(place, 3, &["resume"]);
    assert!(text.contains("of judge: 2 questions sent") && text.contains("; 2 in a batch\n"), "{text}");
    assert!(!text.contains("--refresh"), "it waits, and nothing is to be asked again: {text}");
    server.finish();
    run_successfully(place, &["resume", "-o", "r.jsonl"]);
    assert_eq!((server.batches(), server.requests(), server.single()), (2, 4, 0));
    let found = values(&place.join("r.jsonl"), "judge_rubric");
    assert!(found.len() == 2 && found.values().all(|result| result["label"] == "good"), "{found:?}");
    // The same run again is answered by what was recorded, with and without batches.
    for words in [&["run", "probare.yaml", "--batch"][..], &["run", "probare.yaml"]] {
        run_successfully(place, words);
    }
    assert_eq!((server.requests(), server.single()), (4, 0));
}

#[test]
fn resume_waits_for_batches_until_none_is_left() {
    let server = BatchServer::start(Duration::ZERO).unwrap();
    let folder = project(&server, "openai", &["Q0", "Q1"], true);
    let place = folder.path();
    run_expecting(place, 3, &["run", "probare.yaml", "--batch"]);
    // Ctrl-C ends the waiting, and the batch is still there.
    let mut waiting = command(place, &["resume", "--wait"]);
    let mut waiting = waiting.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(waiting.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.any(|line| line.contains("waiting: batch `") && line.contains("0 of 2 questions done")));
    assert!(Command::new("kill").args(["-INT", &waiting.id().to_string()]).status().unwrap().success());
    let said: Vec<String> = said.collect();
    assert_eq!(waiting.wait().unwrap().code(), Some(3), "{said:?}");
    assert_eq!((server.batches(), server.requests()), (1, 2));
    let text = thread::scope(|scope| {
        let waiting = scope.spawn(|| run_successfully(place, &["resume", "--wait", "-o", "r.jsonl"]));
        while !waiting.is_finished() {
            thread::sleep(Duration::from_millis(300));
            server.finish();
        }
        waiting.join().unwrap()
    });
    assert_eq!((server.batches(), server.requests(), server.single()), (2, 4, 0), "{text}");
    let found = values(&place.join("r.jsonl"), "judge_rubric");
    assert!(found.len() == 2 && found.values().all(|result| result["label"] == "good"), "{found:?}");
}

#[test]
fn waiting_is_refused_where_nobody_is_asked_in_batches() {
    let server = BatchServer::start(Duration::ZERO).unwrap();
    let folder = project(&server, "openai", &["Q0"], false);
    run_successfully(folder.path(), &["run", "probare.yaml"]);
    let text = run_expecting(folder.path(), 64, &["resume", "1", "--wait"]);
    assert!(text.contains("nothing to wait for"), "{text}");
}

#[test]
fn a_dry_run_counts_the_price_of_a_batch() {
    let server = BatchServer::start(Duration::ZERO).unwrap();
    let folder = project(&server, "openai", &["Q0", "Q1"], true);
    let place = folder.path();
    let alone = run_successfully(place, &["run", "probare.yaml", "--dry-run"]);
    let batch = run_successfully(place, &["run", "probare.yaml", "--dry-run", "--batch"]);
    let dollars = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("in all")).unwrap().to_owned();
        line.split(", ").find_map(|part| part.strip_suffix(" US dollars")).unwrap().parse::<f64>().unwrap()
    };
    // Shown with four decimals.
    assert!((dollars(&batch) - dollars(&alone) / 2.0).abs() < 1e-4, "{alone}{batch}");
    assert!(batch.contains("US dollars in a batch") && batch.contains("replies within a day"), "{batch}");
    assert!(!alone.contains("batch") && alone.contains("of waiting"), "{alone}");
    // It refuses what the run would refuse.
    let config = fs::read_to_string(place.join("probare.yaml")).unwrap();
    fs::write(place.join("probare.yaml"), config.replace("\"openai\"", "\"gemini\"")).unwrap();
    let text = run_expecting(place, 64, &["run", "probare.yaml", "--dry-run", "--batch"]);
    assert!(text.contains("no model of this run has a batch interface"), "{text}");
    assert_eq!((server.requests(), server.single()), (0, 0));
}

#[test]
fn a_batch_whose_name_was_never_heard_is_found_again_and_not_sent_twice() {
    for provider in ["openai", "anthropic"] {
        let server = BatchServer::start(Duration::ZERO).unwrap();
        let folder = project(&server, provider, &["Q0", "Q1", "Q2"], false);
        let place = folder.path();
        server.lose_next_reply();
        let text = run_expecting(place, 3, &["run", "probare.yaml", "--batch"]);
        assert!(text.contains("it is not known yet whether the provider took it"), "{provider}: {text}");
        run_expecting(place, 3, &["resume"]);
        assert_eq!((server.batches(), server.requests()), (1, 3), "{provider}");
        server.finish();
        run_successfully(place, &["resume"]);
        assert_eq!((server.batches(), server.requests(), server.single()), (1, 3, 0), "{provider}");
        assert!((cost(place) - 3.0 * REPLY / 2.0).abs() < 1e-9, "{provider}: {}", cost(place));
    }
}

#[test]
fn a_budget_holds_for_batches_and_what_is_settled_makes_room() {
    let server = BatchServer::start(Duration::ZERO).unwrap();
    let questions: Vec<String> = (0..30).map(|number| format!("Question {number}")).collect();
    let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
    let folder = project(&server, "openai", &questions, false);
    let place = folder.path();
    let mut codes = Vec::new();
    let ended = run(place, &["run", "probare.yaml", "--batch", "--budget-usd", "0.01"]);
    let text = both_streams(&ended);
    assert!(text.contains("were not sent in a batch, since the budget does not allow them now"), "{text}");
    for _ in 0..20 {
        // What is reserved counts at its upper bound, so the sum is never above the budget.
        assert!(cost(place) <= 0.01 + 1e-9, "{}", cost(place));
        server.finish();
        codes.push(run(place, &["resume"]).status.code());
        if codes.last() == Some(&Some(0)) {
            break;
        }
    }
    assert_eq!(codes.last(), Some(&Some(0)), "{codes:?}");
    assert!((cost(place) - 30.0 * REPLY / 2.0).abs() < 1e-9, "{}", cost(place));
    assert_eq!((server.requests(), server.single()), (30, 0));
}

#[test]
fn without_a_model_that_takes_batches_nothing_begins() {
    let server = BatchServer::start(Duration::ZERO).unwrap();
    let folder = project(&server, "groq", &["Q0"], false);
    let text = run_expecting(folder.path(), 64, &["run", "probare.yaml", "--batch"]);
    assert!(text.contains("no model of this run has a batch interface") && text.contains("anthropic"), "{text}");
    assert_eq!((server.requests(), server.single()), (0, 0));
}

#[test]
fn torture_of_batches_by_kills_pays_for_nothing_twice() {
    let kills = setting("PROBARE_BATCH_KILLS", 12);
    for provider in ["openai", "anthropic"] {
        let server = BatchServer::start(Duration::from_millis(15)).unwrap();
        let questions: Vec<String> = (0..40).map(|number| format!("Question {number}")).collect();
        let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
        let folder = project(&server, provider, &questions, false);
        let place = folder.path();
        let mut dice = Dice(7);
        for kill in 0..kills {
            let has_run = run(place, &["runs", "show", "1"]).status.success();
            let words: &[&str] =
                if has_run { &["resume", "1"] } else { &["run", "probare.yaml", "--batch", "--budget-usd", "1"] };
            let mut child = command(place, words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            thread::sleep(Duration::from_millis(dice.roll(400)));
            child.kill().unwrap();
            child.wait().unwrap();
            if kill % 4 == 3 {
                server.finish();
            }
        }
        let mut last = None;
        for _ in 0..6 {
            let has_run = run(place, &["runs", "show", "1"]).status.success();
            let words: &[&str] =
                if has_run { &["resume", "1"] } else { &["run", "probare.yaml", "--batch", "--budget-usd", "1"] };
            let ended = run(place, words);
            server.finish();
            last = Some((ended.status.code(), both_streams(&ended)));
            if ended.status.code() == Some(0) {
                break;
            }
        }
        assert_eq!(last.as_ref().map(|(code, _)| *code), Some(Some(0)), "{provider}: {last:?}");
        assert_eq!((server.requests(), server.single()), (40, 0), "{provider}: {} batches", server.batches());
        assert!(cost(place) >= 40.0 * REPLY / 2.0 - 1e-9, "{provider}: {}", cost(place));
    }
}
