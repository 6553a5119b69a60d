//! `POST /evaluate` says what the rag benchmark says.

use std::fs;
use std::path::Path;

use probare_benchmarks::rag::{Exchange, ExchangeEvaluator};
use probare_core::{Profile, Sample};
use probare_metrics::rag::verdict::Verdict;
use probare_server::ServerSettings;
use serde_json::{Value as Json, json};

use crate::client::TestServer;

fn exchanges() -> Vec<Exchange> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/rag_metrics/hallucination.jsonl");
    let texts = |list: &Json| list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    fs::read_to_string(file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap())
        .filter(|line| line["response"].as_str().is_some_and(|response| !response.is_empty()))
        .map(|line| Exchange {
            query: "What does the annual pass cost, and since when?".to_owned(),
            response: line["response"].as_str().unwrap().to_owned(),
            context: texts(&line["context"]),
        })
        .collect()
}

fn body(exchange: &Exchange) -> String {
    json!({ "query": exchange.query, "response": exchange.response, "context": exchange.context }).to_string()
}

/// The report without the time, which is never the same.
fn timeless(mut report: Json) -> Json {
    for part in ["metrics", "unrounded"] {
        if let Some(part) = report.get_mut(part).and_then(Json::as_object_mut) {
            part.remove("latency_ms");
        }
    }
    report
}

#[test]
fn every_exchange_is_judged_as_by_the_suite() {
    let server = TestServer::start(ServerSettings::default());
    let all = exchanges();
    assert!(all.len() > 50, "only {} exchanges were found", all.len());
    for (at, exchange) in all.iter().enumerate() {
        for profile in [Profile::Published, Profile::Improved] {
            // The improved definition takes longer and is the same code.
            if profile == Profile::Improved && at % 8 != 0 {
                continue;
            }
            let path = format!("/evaluate?detail=true&profile={profile}");
            let reply = server.post(&path, &body(exchange));
            assert_eq!(reply.status, 200, "{reply:?}");
            let judging = ExchangeEvaluator::new(Verdict { profile, ..Verdict::default() }).unwrap();
            let case = exchange.clone().into_case("1");
            let expected = judging.report(Sample::from_case(&case)).unwrap();
            assert!(reply.json()["metrics"]["latency_ms"].as_f64().is_some_and(|time| time >= 0.0));
            assert_eq!(timeless(reply.json()), timeless(expected), "{}", exchange.response);
        }
    }
}

#[test]
fn the_published_report_has_its_bytes() {
    let server = TestServer::start(ServerSettings::default());
    let exchange = Exchange { query: "Where?".into(), response: "Paris é.".into(), context: vec!["Paris".into()] };
    let reply = server.post("/evaluate", &body(&exchange));
    let (before, rest) = reply.body.split_once(r#""latency_ms":"#).unwrap();
    let (latency, after) = rest.split_once(',').unwrap();
    assert_eq!(before, r#"{"metrics":{"relevance":0.0,"completeness":1.0,"hallucination":0.0,"#);
    assert!(latency.parse::<f64>().is_ok() && latency.contains('.'), "{latency}");
    // 19 characters are 4.75 tokens: 9.5e-06 dollars, which Python rounds to 1e-05 and writes so.
    assert_eq!(after, r#""estimated_cost_usd":1e-05},"verdict":{"status":"FAIL","reasons":["Irrelevant"]}}"#);
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let server = TestServer::start(ServerSettings::default());
    for (body, status, words) in [
        (r#"{"query":"","response":"r","context":[]}"#, 400, "`query` is empty"),
        (r#"{"query":"q","response":"","context":[]}"#, 400, "`response` is empty"),
        (r#"{"query":"q","response":"r"}"#, 422, "missing field `context`"),
        (r#"{"query":"q","response":"r","context":"c"}"#, 422, "expected a sequence"),
        (r#"{"query":"q","response":5,"context":[]}"#, 422, "expected a string"),
        (r#"{"query":"q""#, 400, "not valid JSON"),
        ("", 400, "not valid JSON"),
        ("[]", 422, "does not fit"),
        ("\"\u{1}\"", 400, "not valid JSON"),
    ] {
        let said = server.post("/evaluate", body).expect_error(status);
        assert!(said.contains(words), "{body}: {said}");
    }
    let deep = format!("{{\"query\":{}", "[".repeat(100_000));
    server.post("/evaluate", &deep).expect_error(422);
    let unknown = server.post("/evaluate?verbose=1", "{}").expect_error(422);
    assert!(unknown.contains("`verbose`") && unknown.contains("detail, profile"), "{unknown}");
    assert!(server.post("/evaluate?profile=best", "{}").expect_error(422).contains("published or improved"));
    // No context at all is a finding, not a mistake.
    let alone = server.post("/evaluate", r#"{"query":"q","response":"r","context":[],"more":1}"#);
    assert_eq!(alone.json()["metrics"]["hallucination"], 1.0);
}
