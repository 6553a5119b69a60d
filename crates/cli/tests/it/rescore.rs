//! Outputs that are scored again: nobody under test is asked, and what changed is refused.

use std::fs;
use std::path::Path;

use probare_testing::{ServerBehaviour, TestServer, Trouble};

use crate::program::{both_streams, command, run, run_expecting, run_successfully};
use crate::replies::project;

fn samples(place: &Path, run_number: &str) -> u64 {
    let shown = run_successfully(place, &["runs", "show", run_number, "--json"]);
    let run: serde_json::Value = serde_json::from_str(&shown).unwrap();
    run["finished"].as_u64().unwrap_or_default()
}

#[test]
fn outputs_are_scored_with_other_metrics_without_server_key_or_money() {
    let marked = vec![("Q002".to_owned(), Trouble::Refusal)];
    let server = TestServer::start(ServerBehaviour { marked, ..ServerBehaviour::default() }).unwrap();
    let folder = project(&server, 5, "api_key: RESCORE_KEY");
    let place = folder.path();
    let first = command(place, &["run", "probare.yaml", "-o", "first.jsonl"]).env("RESCORE_KEY", "k-1234").output();
    assert_eq!(first.unwrap().status.code(), Some(1), "one is refused");
    assert_eq!(server.requests(), 5);
    drop(server);
    fs::remove_file(place.join(".probare/cache.db")).unwrap();
    let before = fs::read(place.join("first.jsonl")).unwrap();
    let text = run_expecting(place, 1, &["rescore", "1", "-m", "token_f1", "-m", "contains", "-o", "again.jsonl"]);
    assert!(text.contains("4 outputs of run 1; no model under test is asked"), "{text}");
    let lines = fs::read_to_string(place.join("again.jsonl")).unwrap();
    assert_eq!(lines.matches("\"token_f1\"").count(), 5, "{lines}");
    assert!(!lines.contains("exact_match"), "{lines}");
    assert_eq!(lines.matches("run 1 has no output for this sample").count(), 2, "{lines}");
    assert!(lines.contains("\"model\":\"house\"") && lines.contains("reply to Q003"), "{lines}");
    assert_eq!(fs::read(place.join("first.jsonl")).unwrap(), before, "the other run's report stays");
    assert_eq!((samples(place, "1"), samples(place, "2")), (5, 5));
    // It is a run like any other: what is complete is not done again, and its own outputs can be scored again.
    run(place, &["resume", "2", "-o", "more.jsonl"]);
    assert_eq!(fs::read_to_string(place.join("more.jsonl")).unwrap(), lines);
    let third = run_expecting(place, 1, &["rescore", "2", "-m", "exact_match"]);
    assert!(third.contains("4 outputs of run 2"), "{third}");
    run_successfully(place, &["compare", "1", "3"]);
}

#[test]
fn outputs_of_other_cases_are_refused() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project(&server, 3, "temperature: 0");
    let place = folder.path();
    run_successfully(place, &["run", "probare.yaml", "-q"]);
    let text = fs::read_to_string(place.join("cases.jsonl")).unwrap();
    fs::write(place.join("cases.jsonl"), text.replace("Q001", "Q009")).unwrap();
    let refused = run_expecting(place, 1, &["rescore", "1", "-m", "token_f1"]);
    assert!(refused.contains("the outputs of run 1 are not those") && refused.contains("`cases`"), "{refused}");
    let unknown = run(place, &["rescore", "1", "-m", "nothing_of_the_kind"]);
    assert!(!unknown.status.success(), "{}", both_streams(&unknown));
    assert_eq!(server.requests(), 3);
}
