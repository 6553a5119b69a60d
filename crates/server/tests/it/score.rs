//! `POST /v1/score`: the lines of a run, as they come.

use std::time::Duration;

use probare_core::MetricKind;
use probare_server::{ServerLimits, ServerSettings};
use serde_json::{Value as Json, json};

use crate::client::{Reply, TestServer};

fn lines(reply: &Reply) -> Vec<Json> {
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.head.contains("content-type: application/x-ndjson"), "{reply:?}");
    reply.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn both_ways_of_asking_give_the_same_lines() {
    let server = TestServer::start(ServerSettings::default());
    let cases: Vec<Json> = (0..700)
        .map(|at| json!({"id": format!("c{at}"), "question": "Who?", "answer": format!("Ada {at}"), "ground_truth": "Ada"}))
        .collect();
    let body = json!({
        "metrics": ["token_f1", "exact_match", {"id": "contains", "name": "words", "options": {"texts": ["Ada", "5"], "require": "all"}}],
        "cases": cases,
    });
    let whole = server.post("/v1/score", &body.to_string());
    assert!(whole.is_whole);
    let found = lines(&whole);
    assert_eq!(found.len(), 700);
    assert_eq!(found[699]["id"], "c699");
    assert_eq!(found[5]["scores"]["words"]["value"], 1.0);
    assert_eq!(found[6]["scores"]["words"]["value"], 0.0);

    let rows: Vec<String> = cases.iter().map(Json::to_string).collect();
    let path = "/v1/score?metric=token_f1&metric=exact_match&metric=words%3Dcontains%3Atexts%3D%5B%22Ada%22%2C%225%22%5D%2Crequire%3Dall";
    let streamed = server.ask("POST", path, &["Content-Type: application/x-ndjson"], &rows.join("\n"));
    assert_eq!(streamed.body, whole.body);
}

#[test]
fn every_example_of_a_page_has_its_value_here_too() {
    let server = TestServer::start(ServerSettings::default());
    let mut seen = 0;
    for definition in probare_benchmarks::registry().iter().filter(|known| known.kind == MetricKind::Pure) {
        for (line, example) in probare_testing::page_examples(definition.page) {
            let is_asked = ["replies", "vectors", "ran"].iter().any(|outside| example.get(outside).is_some());
            let Some(expected) = example["expect"].as_f64().filter(|_| !is_asked) else { continue };
            let options = example.get("params").cloned().unwrap_or_else(|| json!({}));
            let metric = json!({"id": definition.id, "name": "it", "options": options});
            let body = json!({"metrics": [metric], "cases": [example["case"]]}).to_string();
            let told = &lines(&server.post("/v1/score?profile=published", &body))[0]["scores"]["it"];
            let value = told["value"].as_f64();
            let tolerance = example["tolerance"].as_f64().unwrap_or(1e-9);
            let is_same = value.is_some_and(|value| (value - expected).abs() <= tolerance);
            assert!(is_same, "{}.md, line {line}: {told}", definition.id);
            seen += 1;
        }
    }
    assert!(seen > 240, "{seen} examples");
}

#[test]
fn the_query_adds_to_what_a_body_asks_for() {
    let server = TestServer::start(ServerSettings::default());
    let body = json!({"metrics": ["exact_match"], "cases": [{"response": "Ada", "reference": "Ada"}]}).to_string();
    let reply = server.post("/v1/score?metric=token_f1&profile=published", &body);
    let scores = &lines(&reply)[0]["scores"];
    assert_eq!([&scores["token_f1"]["value"], &scores["exact_match"]["value"]], [1.0, 1.0]);
    assert!(server.post("/v1/score?profile=hasty", &body).expect_error(422).contains("unknown profile"));
}

#[test]
fn a_body_may_limit_map_and_be_strict() {
    let server = TestServer::start(ServerSettings::default());
    let ask = |more: Json| {
        let mut body = json!({"metrics": ["exact_match"], "cases": [
            {"id": "a", "said": "Ada", "reference": "Ada"}, {"id": "b", "said": [1], "response": [1]}, {"id": "c", "said": "Bo"},
        ]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.post("/v1/score", &body.to_string())
    };
    let plain = lines(&ask(json!({})));
    assert_eq!((plain.len(), &plain[0]["scores"]["exact_match"]["kind"]), (3, &json!("missing")));
    assert_eq!(lines(&ask(json!({"map": ["response=said"]})))[0]["scores"]["exact_match"]["value"], 1.0);
    assert_eq!(lines(&ask(json!({"limit": 1}))).len(), 1);
    let strict = ask(json!({"strict": true}));
    assert!(!strict.is_whole, "a client must see that something is missing");
    assert_eq!(lines(&strict).last().unwrap()["error"], "a row could not be read, and `strict` ends there");
}

#[test]
fn decision_thresholds_stand_among_the_options_of_a_metric() {
    let server = TestServer::start(ServerSettings::default());
    let thresholds = json!({"pass": 0.8, "fail": 0.3, "error": 0.05, "confidence": 0.95});
    let cases = json!([
        {"response": "Ada", "reference": "Ada"},
        {"response": "Ada wrote", "reference": "Ada"},
        {"response": "Bo", "reference": "Ada"},
    ]);
    let ask = |thresholds: &Json| {
        let metric = json!({"id": "token_f1", "options": {"decision_thresholds": thresholds}});
        server.post("/v1/score", &json!({"metrics": [metric], "cases": cases}).to_string())
    };
    let found: Vec<Json> =
        lines(&ask(&thresholds)).iter().map(|line| line["scores"]["token_f1"]["label"].clone()).collect();
    assert_eq!(found, ["pass", "unsure", "fail"]);
    assert!(ask(&json!({"pass": "high"})).expect_error(422).contains("decision_thresholds"));
}

#[test]
fn a_row_that_cannot_be_read_is_a_line_of_its_own() {
    let server = TestServer::start(ServerSettings::default());
    let body = "{\"metrics\": [\"exact_match\"],\n \"cases\": [{\"response\": \"a\", \"reference\": \"a\"},\n  {\"response\": [1]},\n  5,\n  {\"response\": \"b\"}]}";
    let reply = server.post("/v1/score", body);
    let found = lines(&reply);
    assert!(reply.is_whole);
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found[0]["scores"]["exact_match"]["value"], 1.0);
    // Lines and columns are those of the body.
    assert_eq!((&found[1]["line"], &found[1]["id"]), (&json!(3), &Json::Null));
    assert_eq!((&found[2]["line"], &found[2]["column"]), (&json!(4), &json!(3)));
    assert!(found[2]["error"].as_str().unwrap().contains("a row must be an object"));
    assert_eq!(found[3]["id"], "4");
    assert!(found[3]["scores"]["exact_match"]["not_applicable"].is_string());
    assert!(!reply.body.contains("/work") && !reply.body.contains(env!("CARGO_MANIFEST_DIR")));
}

#[test]
fn no_cases_are_no_lines() {
    let server = TestServer::start(ServerSettings::default());
    let reply = server.post("/v1/score", r#"{"metrics":["exact_match"],"cases":[]}"#);
    assert_eq!((reply.status, reply.body.as_str(), reply.is_whole), (200, "", true));
}

#[test]
fn what_cannot_be_scored_is_refused_before_the_first_line() {
    let server = TestServer::start(ServerSettings::default());
    for (body, words) in [
        (r#"{"metrics":[],"cases":[]}"#, "no metric is named"),
        (r#"{"metrics":["token_f2"],"cases":[]}"#, "`token_f1`"),
        (r#"{"metrics":["token_f1","token_f1"],"cases":[]}"#, "two metrics are called `token_f1`"),
        (r#"{"metrics":["contains:nothing=1"],"cases":[]}"#, "/v1/metrics/{id}"),
        (r#"{"metrics":[{"id":"token_f1","colour":1}],"cases":[]}"#, "colour"),
        (r#"{"metrics":[5],"cases":[]}"#, "expected the id of a metric"),
        (r#"{"metrics":["token_f1"],"cases":{}}"#, "`cases` is not a list"),
        (r#"{"metrics":["token_f1"]}"#, "missing field `cases`"),
        (r#"{"metrics":["token_f1"],"cases":[],"more":1}"#, "unknown field `more`"),
        (r#"{"metrics":["token_f1"],"cases":[],"profile":"best"}"#, "unknown variant `best`"),
        (r#"{"metrics":["token_f1"],"cases":[],"map":["colour=x"]}"#, "colour"),
        (r#"{"metrics":["token_f1"],"cases":[],"limit":"many"}"#, "many"),
        // What reaches or writes anything is the operator's to say.
        (r#"{"metrics":["token_f1"],"cases":[],"output":["/tmp/x.jsonl"]}"#, "unknown field `output`"),
        (r#"{"metrics":["token_f1"],"cases":[],"record":"/etc/passwd"}"#, "unknown field `record`"),
        (
            r#"{"metrics":[{"id":"judge_rubric","options":{"prompt":"@/etc/passwd"}}],"cases":[]}"#,
            "`prompt` has two parts",
        ),
        // Whoever asks models spends money and reads files that a client names.
        (
            r#"{"metrics":[{"id":"judge_rubric","options":{"judges":["replay:/etc/passwd"]}}],"cases":[]}"#,
            "asks a model",
        ),
        (
            r#"{"metrics":[{"id":"embedding_similarity","options":{"model":"openai:text-embedding-3-small"}}],"cases":[]}"#,
            "only with models on its own machine",
        ),
    ] {
        let said = server.post("/v1/score", body).expect_error(422);
        assert!(said.contains(words), "{body}: {said}");
        assert!(!said.contains("root:"));
    }
    let many = json!({"metrics": vec!["token_f1"; 65], "cases": []}).to_string();
    assert!(server.post("/v1/score", &many).expect_error(422).contains("at most 64"));
    server.post("/v1/score", "{").expect_error(400);
    let typed = |path: &str, body: &str| server.ask("POST", path, &["Content-Type: application/x-ndjson"], body);
    typed("/v1/score", "{}").expect_error(422);
    typed("/v1/score?metric=", "{}").expect_error(422);
    typed("/v1/score?metric=token_f1&profile=best", "{}").expect_error(422);
    assert_eq!(typed("/v1/score?metric=token_f1&profile=improved", "{}\n").status, 200);
}

#[test]
fn a_run_that_takes_too_long_ends_and_says_so() {
    let server = TestServer::start(ServerSettings {
        limits: ServerLimits { time: Duration::from_millis(600), ..ServerLimits::default() },
        ..ServerSettings::default()
    });
    let text = "The annual pass costs $150 since 2019, and children pay half of it. ".repeat(40);
    let case = json!({"query": "What does it cost?", "response": text, "context": [text]});
    let body = json!({"metrics": ["hallucination"], "profile": "improved", "cases": vec![case; 2000]});
    let reply = server.post("/v1/score", &body.to_string());
    let found = lines(&reply);
    assert!(!reply.is_whole, "a client must see that something is missing");
    assert!(found.len() < 2000);
    assert_eq!(found.last().unwrap()["error"], "the time for this request is over");
}
