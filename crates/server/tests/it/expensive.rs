//! Requests that are small to send and would be long to answer: each ends in its time, and the server is there for the next.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use probare_server::{ServerLimits, ServerSettings};
use serde_json::{Map, Value as Json, json};

use crate::client::TestServer;

const TIME: Duration = Duration::from_secs(3);

/// What a reply may take beyond its time: the last words, and a machine that is busy.
const LEEWAY: Duration = Duration::from_secs(4);

/// Forty parts that refer to the next one twice.
fn doubled() -> Json {
    let mut parts: Map<String, Json> = (0..40)
        .map(|at| {
            let next = json!({"$ref": format!("#/$defs/a{}", at + 1)});
            (format!("a{at}"), json!({"allOf": [next, next]}))
        })
        .collect();
    parts.insert("a40".to_owned(), json!({"type": "integer"}));
    json!({"$ref": "#/$defs/a0", "$defs": parts})
}

/// A value inside of a value, so deep.
fn nested(depth: usize) -> String {
    "{\"x\":".repeat(depth) + "1" + &"}".repeat(depth)
}

fn chain() -> Json {
    let parts: Map<String, Json> =
        (0..20_000).map(|at| (format!("a{at}"), json!({"$ref": format!("#/$defs/a{}", at + 1)}))).collect();
    json!({"$ref": "#/$defs/a0", "$defs": parts})
}

fn score(metric: &Json, response: &str) -> (&'static str, Json) {
    let case =
        json!({"query": "When was it?", "response": response, "reference": "12 March 1999", "context": [response]});
    ("/v1/score", json!({"metrics": [metric], "cases": [case]}))
}

fn schema(schema: &Json, response: &str) -> (&'static str, Json) {
    score(&json!({"id": "json_schema", "options": {"schema": schema}}), response)
}

fn pattern(pattern: &str, response: &str) -> (&'static str, Json) {
    score(&json!({"id": "regex_match", "options": {"pattern": pattern}}), response)
}

fn requests() -> Vec<(&'static str, Json)> {
    let brackets = "(".repeat(200_000) + &")".repeat(200_000);
    let dates = "12 March 1999, 1/2/2003; ".repeat(20_000);
    let mut numbers = String::new();
    for number in 0..60_000 {
        let _ = write!(numbers, "{number} cats and {number}.5 kg. ");
    }
    let evaluate = |response: &str, path: &'static str| {
        (path, json!({"query": "Which cats?", "response": response, "context": [response]}))
    };
    vec![
        schema(&doubled(), "1"),
        schema(
            &json!({"allOf": [{"properties": {"x": {"$ref": "#"}}}, {"additionalProperties": {"$ref": "#"}}]}),
            &nested(100),
        ),
        schema(&json!({"$ref": "#"}), "1"),
        schema(&chain(), "1"),
        schema(&json!({"pattern": "^(?=(a+))\\1+b$"}), &format!("\"{}\"", "a".repeat(300_000))),
        pattern("(?:a?){300}(?:a?){300}b", &"a".repeat(3_000_000)),
        pattern(r"\w{300}{300}", "a"),
        score(&json!({"id": "hallucination", "profile": "published"}), &brackets),
        score(&json!({"id": "hallucination", "profile": "improved"}), &"1-".repeat(400_000)),
        score(&json!("answer_match"), &dates),
        evaluate(&"(".repeat(150_000), "/evaluate"),
        evaluate(&numbers[..400_000], "/evaluate?profile=improved"),
        score(&json!({"id": "verdict", "profile": "improved"}), &numbers),
        score(&json!("json_valid"), &"[".repeat(2_000_000)),
    ]
}

#[test]
fn expensive_requests_end_in_time_and_leave_the_server_free() {
    let limits = ServerLimits { time: TIME, jobs: NonZeroUsize::MIN, ..ServerLimits::default() };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() });
    let small = json!({"metrics": ["exact_match"], "cases": [{"response": "a", "reference": "a"}]}).to_string();
    // What is loaded with the first request is no part of the others.
    let warm = json!({"query": "q", "response": "It is 5.", "context": ["It is 5."]}).to_string();
    assert!(matches!(server.post("/evaluate?profile=improved", &warm).status, 200 | 504));
    for (number, (path, body)) in requests().into_iter().enumerate() {
        let since = Instant::now();
        let reply = server.post(path, &body.to_string());
        let took = since.elapsed();
        assert!(took < TIME + LEEWAY, "request {number} took {took:?}");
        assert!(matches!(reply.status, 200 | 422 | 504), "request {number}: {reply:?}");
        // A reply that is not whole says so; one that is has a result or an error for the case.
        if reply.status == 200 && !reply.is_whole {
            assert!(reply.body.contains("the time for this request is over"), "request {number}: {}", reply.body);
        }
        println!("request {number}: {} in {took:.2?}", reply.status);
        let since = Instant::now();
        assert_eq!(server.get("/health").status, 200, "after request {number}");
        // The one thread that computes is free: no request waits for one that was given up.
        let next = server.post("/v1/score", &small);
        assert!(next.body.contains("\"value\":1"), "after request {number}: {next:?}");
        let waited = since.elapsed();
        assert!(waited < Duration::from_secs(2), "after request {number} the next one waited {waited:?}");
        println!("the next after {waited:.2?}");
    }
}
