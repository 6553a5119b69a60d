//! Fallback models through the command line: results stay those of the model that was asked, and name who answered.

use std::fs;

use probare_testing::{ReplyServer, ServerBehaviour, TestServer};
use serde_json::{Value as Json, json};

use crate::program::{run_expecting, run_successfully};
use crate::replies::project;

/// A project whose model `house` is at a server that always fails and has `spare` in its place.
fn project_with_spare(broken: &ReplyServer, spare: &TestServer, fallback: &str) -> tempfile::TempDir {
    let folder = project(spare, 4, "max_attempts: 1");
    let path = folder.path().join("probare.yaml");
    let text = fs::read_to_string(&path).unwrap();
    let entry = |name: &str, url: &str, more: &str| {
        format!(
            "  - {{name: {name}, base_url: {url}/v1, max_tokens: 100, max_attempts: 1, retry_wait: 0.01, \
             pricing: {{prompt_price_per_million: 10, completion_price_per_million: 20}}{more}}}\n"
        )
    };
    let models =
        entry("house", &broken.url(), &format!(", fallback: [{fallback}]")) + &entry("spare", &spare.url(), "");
    let (before, rest) = text.split_once("models:\n").unwrap();
    let after = &rest[rest.find("generate:").unwrap()..];
    fs::write(path, format!("{before}models:\n{models}{after}")).unwrap();
    folder
}

#[test]
fn results_of_a_fallback_are_those_of_the_model_that_was_asked_and_name_who_answered() {
    let broken = ReplyServer::start(|_| (500, json!({"error": "broken"}))).unwrap();
    let spare = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project_with_spare(&broken, &spare, "spare");
    let place = folder.path();
    let text = run_successfully(place, &["run", "probare.yaml", "-o", "r.jsonl", "-o", "r.html", "-o", "r.csv"]);
    assert!(text.contains("asked: 4 questions, 4 answered; 4 by a fallback model; "), "{text}");
    assert_eq!(spare.requests(), 4);
    let lines = fs::read_to_string(place.join("r.jsonl")).unwrap();
    assert_eq!(lines.matches("\"model\":\"house\",\"answered_by\":\"spare\"").count(), 4, "{lines}");
    assert!(fs::read_to_string(place.join("r.html")).unwrap().contains("house (answered by spare)"));
    let table = fs::read_to_string(place.join("r.csv")).unwrap();
    assert!(table.starts_with("id,model,answered_by,repeat,"), "{table}");
    assert_eq!(table.matches(",house,spare,0,").count(), 4, "{table}");
    // The store knows it, too, and nobody is asked again.
    run_successfully(place, &["runs", "export", "1", "-o", "e.jsonl", "-o", "e.csv"]);
    assert_eq!(fs::read_to_string(place.join("e.csv")).unwrap(), table);
    assert_eq!(fs::read_to_string(place.join("e.jsonl")).unwrap(), lines);
    run_successfully(place, &["runs", "export", "1", "--outputs", "outputs.jsonl"]);
    let outputs = fs::read_to_string(place.join("outputs.jsonl")).unwrap();
    assert_eq!(outputs.matches("\"model\":\"house\"").count(), 4, "{outputs}");
    assert_eq!(outputs.matches("\"answered_by\":\"spare\"").count(), 4, "{outputs}");
    run_successfully(place, &["resume", "1", "-o", "again.jsonl"]);
    assert_eq!((fs::read_to_string(place.join("again.jsonl")).unwrap(), spare.requests()), (lines, 4));
    // Another metric over the same outputs keeps who gave them.
    run_successfully(place, &["rescore", "1", "-m", "token_f1", "-o", "f1.jsonl"]);
    let rescored = fs::read_to_string(place.join("f1.jsonl")).unwrap();
    assert_eq!(rescored.matches("\"answered_by\":\"spare\"").count(), 4, "{rescored}");
    assert!(run_successfully(place, &["runs", "show", "1"]).contains("1 output a case; fallback spare"));
    // What it cost is told for the model that was paid.
    let shown: Json = serde_json::from_str(&run_successfully(place, &["runs", "show", "1", "--json"])).unwrap();
    let paid = |model: &str| {
        let lines = shown["cost"]["lines"].as_array().cloned().unwrap_or_default();
        lines.iter().filter(|line| line["model"] == model).filter_map(|line| line["cost_usd"].as_f64()).sum::<f64>()
    };
    assert!(paid("spare") > 0.0 && paid("house") == 0.0, "{}", shown["cost"]);
}

#[test]
fn a_fallback_that_nobody_knows_is_refused_before_the_run() {
    let broken = ReplyServer::start(|_| (500, json!({"error": "broken"}))).unwrap();
    let spare = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project_with_spare(&broken, &spare, "spair");
    let text = run_expecting(folder.path(), 64, &["run", "probare.yaml", "--dry-run"]);
    assert!(text.contains("`fallback` of model `house` names `spair`"), "{text}");
    assert!(text.contains("a model with a similar name exists: `spare`"), "{text}");
    assert!(spare.requests() == 0 && !folder.path().join(".probare/store.db").exists());
}
