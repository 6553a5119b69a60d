//! A server that collects: what exporters send in pieces becomes one case of the run of the day, scored again when something
//! comes late, and its scores are handed on.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use probare_analysis::{CasesQuery, RunViewer};
use probare_benchmarks::registries;
use probare_core::{Case, MetricResult, Outcome, Usage};
use probare_engine::{Config, RunOptions, TraceScoring, TraceScoringOptions};
use probare_models::ModelName;
use probare_models::prices::find_price;
use probare_server::{Collector, CollectorSettings, ServerSettings};
use probare_store::{Cursor, RunState, Store, StoredSamples, TracePiece};
use serde_json::{Value as Json, json};

use crate::client::TestServer;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";

/// A server that collects into a store of its own.
struct CollectingServer {
    server: TestServer,
    collector: Arc<Collector>,
    store: PathBuf,
    told: Arc<Mutex<Vec<String>>>,
    _folder: tempfile::TempDir,
}

impl CollectingServer {
    fn start(config: &str, change: impl FnOnce(&mut CollectorSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store.db");
        let told = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&told);
        let mut settings = CollectorSettings {
            store: store.clone(),
            options: options(config, folder.path()),
            quiet_time: Duration::from_millis(300),
            judged_share: 1.0,
            most_bytes: u64::MAX,
            keep_days: None,
            export: None,
            log: Arc::new(move |text| log.lock().unwrap().push(text.to_owned())),
        };
        change(&mut settings);
        let collector = Collector::start(settings).unwrap();
        let server =
            TestServer::start(ServerSettings { collector: Some(Arc::clone(&collector)), ..ServerSettings::default() });
        Self { server, collector, store, told, _folder: folder }
    }

    fn send(&self, path: &str, body: &Json) -> Json {
        let reply = self.server.post(path, &body.to_string());
        assert_eq!(reply.status, 200, "{reply:?}");
        serde_json::from_str(&reply.body).unwrap()
    }

    /// The cases of the run with their results, once they are as is wanted.
    fn wait_for(&self, is_wanted: impl Fn(&[(Case, Vec<MetricResult>)]) -> bool) -> Vec<(Case, Vec<MetricResult>)> {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let found = cases(&self.store, self.collector.run());
            if is_wanted(&found) {
                return found;
            }
            assert!(Instant::now() < until, "{found:?} {:?}", self.told.lock().unwrap());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn options(config: &str, folder: &Path) -> RunOptions {
    let config = Config::parse(config, "probare.yaml").unwrap();
    RunOptions { cache: Some(folder.join("cache.db")), ..config.file_options() }
}

fn cases(store: &Path, run: i64) -> Vec<(Case, Vec<MetricResult>)> {
    let store = Store::open_existing(store).unwrap();
    let plan = store.run(run).unwrap().plan;
    let known = StoredSamples::open(&store, run, plan.names(), &plan.metrics).unwrap();
    let mut found = Vec::new();
    let mut cursor = Cursor::start();
    loop {
        let samples = store.samples(run, &mut cursor, 100).unwrap();
        if samples.is_empty() {
            return found;
        }
        for sample in samples {
            // A case that was scored since the results were read is found the next time.
            if let Some(results) = known.find(&sample.case).unwrap().results {
                found.push((sample.case, results));
            }
        }
    }
}

fn attributes(list: &[(&str, &str)]) -> Json {
    list.iter().map(|(key, value)| json!({"key": key, "value": {"stringValue": value}})).collect()
}

fn span(trace: &str, id: &str, name: &str, list: &[(&str, &str)]) -> Json {
    json!({"traceId": trace, "spanId": id, "name": name, "startTimeUnixNano": "1790000000000000000",
        "endTimeUnixNano": "1790000001500000000", "attributes": attributes(list)})
}

fn spans(list: &[Json]) -> Json {
    json!({"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "t"}, "spans": list}]}]})
}

fn message(role: &str, text: &str) -> String {
    json!([{"role": role, "parts": [{"type": "text", "content": text}]}]).to_string()
}

fn chat(trace: &str, id: &str, said: &str, answer: &str) -> Json {
    let (input, output) = (message("user", said), message("assistant", answer));
    let mut chat = span(
        trace,
        id,
        "chat m",
        &[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.input.messages", &input),
            ("gen_ai.output.messages", &output),
            ("gen_ai.provider.name", "openai"),
            ("gen_ai.request.model", "gpt-4o"),
        ],
    );
    for (key, tokens) in [("gen_ai.usage.input_tokens", 7), ("gen_ai.usage.output_tokens", 3)] {
        chat["attributes"].as_array_mut().unwrap().push(json!({"key": key, "value": {"intValue": tokens}}));
    }
    chat
}

/// What a request with one call of a model says of its trace.
fn piece(trace: &str, id: &str, answer: &str) -> TracePiece {
    let text = spans(&[chat(trace, id, "Say hello", answer)]).to_string();
    let split = probare_formats::split_export(&text).unwrap().traces.remove(0);
    TracePiece { trace: split.trace, text: split.text, has_error: split.has_error }
}

fn value(result: &MetricResult) -> Option<f64> {
    result.as_ref().ok().and_then(Outcome::score).map(|score| score.value.get())
}

const CONTAINS: &str = "metrics: [{id: contains, options: {texts: [hello]}}, steps]";

#[test]
fn a_trace_in_pieces_is_one_case_and_what_comes_late_is_scored_with_it() {
    let server = CollectingServer::start(CONTAINS, |settings| settings.quiet_time = Duration::from_secs(2));
    assert_eq!(server.send("/v1/traces", &spans(&[chat(TRACE, "6331000000000000", "Say hello", "hello")])), json!({}));
    let mut tool = span(
        TRACE,
        "7431000000000000",
        "execute_tool f",
        &[("gen_ai.operation.name", "execute_tool"), ("gen_ai.tool.name", "f"), ("gen_ai.tool.call.result", "1")],
    );
    tool["startTimeUnixNano"] = json!("1789999999000000000");
    server.send("/v1/traces", &spans(&[tool]));
    let found = server.wait_for(|found| found.len() == 1);
    let (case, results) = &found[0];
    assert_eq!((case.id.as_str(), case.query.as_deref()), (TRACE, Some("Say hello")));
    assert_eq!((value(&results[0]), value(&results[1])), (Some(1.0), Some(1.0)), "{results:?}");
    let spent = case.spent.as_ref().unwrap();
    assert_eq!((spent.usage.input_tokens, spent.latency_ms), (7, Some(2_500)));
    let model = find_price(&ModelName::parse("openai:gpt-4o").unwrap()).unwrap();
    assert_eq!(spent.cost_usd, Some(model.price.cost(Usage::new(7, 3)).in_dollars()));
    assert_eq!(case.metadata["trace"].get("revision"), None);

    // Late: the same trace goes on.
    let history = json!([
        {"role": "user", "parts": [{"type": "text", "content": "Say hello"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "hello"}]},
        {"role": "user", "parts": [{"type": "text", "content": "And now goodbye"}]}
    ]);
    let mut late = chat(TRACE, "6332000000000000", "", "goodbye");
    late["attributes"][1]["value"]["stringValue"] = json!(history.to_string());
    late["startTimeUnixNano"] = json!("1790000002000000000");
    late["endTimeUnixNano"] = json!("1790000003000000000");
    server.send("/v1/traces", &spans(&[late]));
    let found = server.wait_for(|found| found.len() == 1 && value(&found[0].1[0]) == Some(0.0));
    assert_eq!(found[0].0.metadata["trace"]["revision"], 1);
    assert_eq!(found[0].0.spent.as_ref().unwrap().usage.output_tokens, 6);
    let run = Store::open_existing(&server.store).unwrap().run(server.collector.run()).unwrap();
    assert_eq!((run.state, run.finished, run.plan.samples()), (RunState::Open, 1, 1));
    // A duplicate is no news.
    server.send("/v1/traces", &spans(&[chat(TRACE, "6331000000000000", "Say hello", "hello")]));
    std::thread::sleep(Duration::from_millis(2_500));
    assert_eq!(cases(&server.store, server.collector.run())[0].0.metadata["trace"]["revision"], 1);
    // So says the viewer.
    let viewer = RunViewer::open(&server.store, &[server.store.display().to_string()], registries()).unwrap();
    let runs = serde_json::to_value(viewer.runs().unwrap()).unwrap();
    assert_eq!(
        (&runs["runs"][0]["collected"], run.plan.collected.is_some()),
        (&json!(run.plan.collected), true),
        "{runs}"
    );
    let asked = CasesQuery { run: runs["runs"][0]["key"].as_str().unwrap().to_owned(), ..CasesQuery::default() };
    let place = viewer.case_position(&asked.run, TRACE, 0).unwrap();
    let case = serde_json::to_value(viewer.case(&asked, place).unwrap()).unwrap();
    let notes = case["outputs"][0]["trace_notes"].to_string();
    assert!(notes.contains("scored again, revision 1"), "{notes}");
    assert!(notes.contains("model call 1: gpt-4o, 7 tokens in, 3 out, 1500 ms, 0.0000"), "{notes}");
    assert!(notes.contains("model call 2: gpt-4o, 7 tokens in, 3 out, 1000 ms, 0.0000"), "{notes}");
}

#[test]
fn content_that_comes_as_log_records_is_joined_with_the_spans() {
    let server = CollectingServer::start(CONTAINS, |_| {});
    let record = |name: &str, body: Json| json!({"timeUnixNano": "1790000000000000001", "eventName": name, "traceId": TRACE, "spanId": "6331000000000000", "body": body});
    let text = |key: &str, text: &str| json!({"key": key, "value": {"stringValue": text}});
    let said = json!({"kvlistValue": {"values": [text("content", "Say hello")]}});
    let answer = json!({"kvlistValue": {"values": [{"key": "index", "value": {"intValue": 0}},
        {"key": "message", "value": {"kvlistValue": {"values": [text("content", "hello")]}}}]}});
    let records = json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [
        record("gen_ai.user.message", said), record("gen_ai.choice", answer), record("app.started", json!({"stringValue": "x"}))]}]}]});
    // They may come before their span.
    assert_eq!(server.send("/v1/logs", &records), json!({}));
    server
        .send("/v1/traces", &spans(&[span(TRACE, "6331000000000000", "chat m", &[("gen_ai.operation.name", "chat")])]));
    let found = server.wait_for(|found| found.len() == 1 && found[0].0.response.is_some());
    assert_eq!((found[0].0.query.as_deref(), value(&found[0].1[0])), (Some("Say hello"), Some(1.0)));
    let metrics = server.server.get("/metrics").body;
    assert!(metrics.contains("probare_collected_other_records_total 1\n"), "{metrics}");
    assert!(metrics.contains("probare_collected_traces_waiting 0\n"), "{metrics}");
}

#[test]
fn what_cannot_be_used_is_told_and_takes_nothing_else_with_it() {
    let server = CollectingServer::start(CONTAINS, |_| {});
    let nameless = span("", "6333000000000000", "chat m", &[]);
    let reply = server.send("/v1/traces", &spans(&[nameless, chat(TRACE, "6331000000000000", "Say hello", "hello")]));
    assert_eq!(
        reply,
        json!({"partialSuccess": {"rejectedSpans": "1", "errorMessage": "a span cannot be used: has no id of a trace"}})
    );
    server.wait_for(|found| found.len() == 1);
    let refused = server.server.post("/v1/traces", "{\"spans\": []}");
    assert!(refused.expect_error(400).contains("neither"), "{refused:?}");
    let protobuf =
        server.server.ask("POST", "/v1/logs", &["Content-Type: application/x-protobuf"], "\u{1}no protobuf at all");
    assert_eq!(protobuf.status, 400);
    assert!(protobuf.head.contains("content-type: application/x-protobuf"), "{protobuf:?}");
    assert!(protobuf.body.contains("not OTLP protobuf"), "{protobuf:?}");
    let empty = server.server.ask("POST", "/v1/traces", &["Content-Type: application/x-protobuf"], "");
    assert_eq!((empty.status, empty.body.as_str()), (200, ""));
    // A query still scores at once, and without a collector nothing is kept.
    let body = spans(&[chat(TRACE, "6331000000000000", "Say hello", "hello")]).to_string();
    assert!(server.server.post("/v1/traces?metric=steps", &body).body.contains("\"scores\""));
    let other = TestServer::start(ServerSettings::default());
    assert!(other.post("/v1/logs", "{\"resourceLogs\": []}").expect_error(422).contains("--collect"));
    assert!(other.post("/v1/traces", &body).expect_error(422).contains("--collect"));
}

#[test]
fn a_collector_that_was_stopped_scores_what_it_kept_when_it_starts_again() {
    let server = CollectingServer::start(CONTAINS, |settings| settings.quiet_time = Duration::from_hours(1));
    server.send("/v1/traces", &spans(&[chat(TRACE, "6331000000000000", "Say hello", "hello")]));
    let settings = CollectorSettings {
        store: server.store.clone(),
        options: options(CONTAINS, server.store.parent().unwrap()),
        quiet_time: Duration::ZERO,
        judged_share: 1.0,
        most_bytes: u64::MAX,
        keep_days: Some(30),
        export: None,
        log: Arc::new(|_| {}),
    };
    let busy = Collector::start(settings.clone()).err().unwrap().to_string();
    assert!(busy.contains("another process collects"), "{busy}");
    let run = server.collector.run();
    server.collector.stop();
    assert_eq!(cases(&server.store, run).len(), 0);
    let CollectingServer { server: http, collector, store, _folder, .. } = server;
    let refused = http.post("/v1/traces", &spans(&[chat(TRACE, "63", "x", "y")]).to_string());
    assert!(refused.status == 503 && refused.head.contains("retry-after: 1"), "{refused:?}");
    drop((http, collector));
    let again = Collector::start(settings).unwrap();
    assert_eq!(again.run(), run, "the run of the day goes on");
    let until = Instant::now() + Duration::from_secs(20);
    while cases(&store, run).is_empty() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_store_that_is_full_refuses_spans_until_there_is_room() {
    let server = CollectingServer::start(CONTAINS, |settings| settings.most_bytes = 1);
    let refused = server.server.post("/v1/traces", &spans(&[chat(TRACE, "6331000000000000", "a", "b")]).to_string());
    assert!(refused.status == 503 && refused.head.contains("retry-after: 1"), "{refused:?}");
    let told = server.told.lock().unwrap();
    assert!(told.len() == 1 && told[0].contains("it holds the 0.0 GiB that it may"), "{told:?}");
}

#[test]
fn judges_see_a_share_of_the_traces_and_all_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let replies = folder.path().join("replies.jsonl");
    std::fs::write(&replies, "").unwrap();
    let config = format!(
        "metrics: [steps, {{id: judge_rubric, options: {{question: 'Good?', levels: [{{label: bad}}, {{label: good}}]}}}}]\n\
         judges: ['replay:{}']\n",
        replies.display()
    );
    let server = CollectingServer::start(&config, |settings| settings.judged_share = 0.0);
    let mut failed = chat("bb000000000000000000000000000001", "6331000000000000", "Say hello", "hello");
    failed["status"] = json!({"code": 2});
    server.send("/v1/traces", &spans(&[chat(TRACE, "6331000000000000", "Say hello", "hello"), failed]));
    let found = server.wait_for(|found| found.len() == 2);
    for (case, results) in &found {
        assert!(value(&results[0]).is_some(), "metrics that compute see every trace");
        if case.id == TRACE {
            let Ok(Outcome::NotApplicable { reason }) = &results[1] else { panic!("{results:?}") };
            assert!(reason.contains("not sampled"), "{reason}");
        } else {
            // Nobody recorded a reply: it was asked for.
            assert!(results[1].is_err(), "{results:?}");
        }
    }
}

/// A judge that declines, takes 100,020 tokens, and writes into `asked.log` that it was asked.
fn costly_judge(folder: &Path, budget_tokens: u64) -> String {
    let (script, log) = (folder.join("judge.sh"), folder.join("asked.log"));
    let declines = r#"{"refused": "no", "usage": {"input_tokens": 100000, "output_tokens": 20}}"#;
    std::fs::write(&script, format!("cat > /dev/null\necho asked >> '{}'\necho '{declines}'\n", log.display()))
        .unwrap();
    format!(
        "metrics: [steps, {{id: judge_rubric, options: {{question: 'Good?', levels: [{{label: bad}}, {{label: good}}]}}}}]\n\
         models: [{{name: judge, api_model_name: 'command:judge', command: [sh, '{}'], max_tokens: 20}}]\n\
         judges: [judge]\n\
         run: {{budget_tokens: {budget_tokens}}}\n",
        script.display()
    )
}

#[test]
fn judges_are_asked_within_the_budget_of_a_day_whenever_the_process_was_started() {
    let folder = tempfile::tempdir().unwrap();
    let config = costly_judge(folder.path(), 50_000);
    let store = Store::open(&folder.path().join("store.db")).unwrap();
    let asked = || std::fs::read_to_string(folder.path().join("asked.log")).unwrap_or_default().lines().count();
    // Each trace is scored by a process of its own, which knows nothing but the store.
    let judged = |day: &str, number: u32| {
        let scoring = TraceScoring::open(&options(&config, folder.path()), registries(), &store, day).unwrap();
        let trace = format!("{number:032x}");
        store.collect(scoring.run(), 1, &[piece(&trace, "6331000000000000", &format!("hello {number}"))]).unwrap();
        let traces = store.quiet_traces(i64::MAX, 10, u64::MAX).unwrap();
        let how = TraceScoringOptions { judged_share: 1.0, exports: false };
        assert_eq!(scoring.score(&store, traces, how, &Arc::default()).unwrap().unwrap().traces, 1);
        let found = cases(store.path(), scoring.run());
        let (_, results) = found.iter().find(|(case, _)| case.id == trace).unwrap();
        assert!(value(&results[0]).is_some(), "metrics that compute go on: {results:?}");
        (asked(), results[1].as_ref().unwrap_err().to_string().contains("the budget is reached"))
    };
    assert_eq!(judged("2026-11-18", 1), (1, false));
    assert_eq!(judged("2026-11-18", 2), (1, true));
    assert_eq!(judged("2026-11-19", 3), (2, false));
    assert_eq!(store.waiting_traces().unwrap(), 0, "what the budget refused is not asked again");
}

#[test]
fn the_operator_learns_once_that_the_budget_of_the_day_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let server = CollectingServer::start(&costly_judge(folder.path(), 1), |_| {});
    for (trace, count) in [("aa", 1), ("bb", 2)] {
        let trace = format!("{trace:0>32}");
        server.send("/v1/traces", &spans(&[chat(&trace, "6331000000000000", "Say hello", &trace)]));
        server.wait_for(|found| found.len() == count);
    }
    // The second was scored, and so there is nothing more to be said of it.
    let until = Instant::now() + Duration::from_secs(20);
    while !server.server.get("/metrics").body.contains("probare_collected_traces_total 2\n") {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    }
    let told = server.told.lock().unwrap();
    assert_eq!(told.iter().filter(|told| told.contains("the budget of the day is reached")).count(), 1, "{told:?}");
}

#[test]
fn a_trace_whose_spans_are_damaged_is_skipped_and_told_once_and_the_others_are_scored() {
    const DAMAGED: &str = "bb000000000000000000000000000001";
    let server = CollectingServer::start(CONTAINS, |settings| {
        let store = Store::open(&settings.store).unwrap();
        let run = TraceScoring::open(&settings.options, registries(), &store, "2020-01-01").unwrap().run();
        let pieces = [DAMAGED, TRACE].map(|trace| piece(trace, "6331000000000000", "hello"));
        store.collect(run, 1, &pieces).unwrap();
        let connection = rusqlite::Connection::open(&settings.store).unwrap();
        assert_eq!(connection.execute("UPDATE spans SET packed = x'00' WHERE trace = 1", []).unwrap(), 1);
    });
    // A second round of scoring does not meet it again.
    server.wait_for(|_| cases(&server.store, 1).len() == 1);
    server.send("/v1/traces", &spans(&[chat(&format!("{:0>32}", "aa"), "6331000000000000", "Say hello", "hello")]));
    let until = Instant::now() + Duration::from_secs(20);
    while !server.server.get("/metrics").body.contains("probare_collected_traces_total 2\n") {
        assert!(Instant::now() < until, "{:?}", server.told.lock().unwrap());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(cases(&server.store, 1)[0].0.id, TRACE);
    assert_eq!(Store::open_existing(&server.store).unwrap().waiting_traces().unwrap(), 0);
    let told = server.told.lock().unwrap();
    let skipped: Vec<&String> = told.iter().filter(|told| told.contains("is skipped")).collect();
    let [skipped] = skipped[..] else { panic!("{told:?}") };
    assert!(skipped.starts_with(&format!("error: trace {DAMAGED} is skipped: the store")), "{skipped}");
    assert!(skipped.ends_with("row 1 of `spans` is not as it was written"), "{skipped}");
}

#[test]
fn days_that_are_too_old_are_removed_with_their_spans() {
    let server = CollectingServer::start(CONTAINS, |settings| {
        settings.keep_days = Some(30);
        let store = Store::open(&settings.store).unwrap();
        let old = TraceScoring::open(&settings.options, registries(), &store, "2020-01-01").unwrap();
        assert_eq!(old.run(), 1);
        store.collect(1, 1, &[piece(TRACE, "6331000000000000", "hello")]).unwrap();
    });
    let until = Instant::now() + Duration::from_secs(20);
    let store = Store::open_existing(&server.store).unwrap();
    while store.runs().unwrap().len() > 1 {
        assert!(Instant::now() < until, "{:?}", server.told.lock().unwrap());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!((store.runs().unwrap()[0].run, store.waiting_traces().unwrap()), (2, 0));
    let told = server.told.lock().unwrap();
    assert!(told.iter().any(|told| told == "removed 1 run of traces older than 30 days"), "{told:?}");
}

#[test]
fn a_day_has_a_run_and_other_metrics_have_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::open(&folder.path().join("store.db")).unwrap();
    let open = |store: &Store, config: &str, day: &str| {
        TraceScoring::open(&options(config, folder.path()), registries(), store, day).unwrap()
    };
    let piece = |id: &str, answer: &str| piece(TRACE, id, answer);
    let score = |store: &Store, scoring: &TraceScoring| {
        let traces = store.quiet_traces(i64::MAX, 10, u64::MAX).unwrap();
        let how = TraceScoringOptions { judged_share: 1.0, exports: false };
        scoring.score(store, traces, how, &Arc::default()).unwrap().unwrap()
    };
    let path = store.path().to_owned();
    let first = open(&store, CONTAINS, "2026-11-18");
    store.collect(first.run(), 1, &[piece("6331000000000000", "hello")]).unwrap();
    assert_eq!(score(&store, &first).cases, 1);
    let second = open(&store, CONTAINS, "2026-11-19");
    assert_eq!((first.run(), second.run()), (1, 2));
    let state = |run: i64| store.run(run).unwrap().state;
    assert_eq!((state(1), state(2)), (RunState::Complete, RunState::Open));
    assert_eq!(open(&store, CONTAINS, "2026-11-19").run(), 2, "a process that starts again goes on with it");
    // What comes late is scored where its trace is.
    store.collect(2, 2, &[piece("6332000000000000", "goodbye")]).unwrap();
    assert_eq!(score(&store, &second).traces, 1);
    assert_eq!((cases(&path, 1).len(), cases(&path, 2).len()), (1, 0));
    assert_eq!(cases(&path, 1)[0].0.metadata["trace"]["revision"], 1);
    // Unless that has other metrics: then the trace belongs to the run of the day from then on.
    let third = open(&store, "metrics: [steps]", "2026-11-19");
    assert_eq!(third.run(), 3);
    store.collect(3, 3, &[piece("6333000000000000", "hello")]).unwrap();
    score(&store, &third);
    assert_eq!((cases(&path, 1).len(), cases(&path, 3).len()), (1, 1));
    assert_eq!(cases(&path, 3)[0].0.metadata["trace"].get("revision"), None);
    // A case that is forgotten takes its spans along.
    store.forget(3, TRACE).unwrap();
    store.collect(3, 4, &[piece("6334000000000000", "again")]).unwrap();
    score(&store, &third);
    assert_eq!(cases(&path, 3)[0].0.messages.as_ref().unwrap().len(), 2);
    assert_eq!(store.remove_days_before("2026-11-19").unwrap(), 1);
    assert_eq!(store.runs().unwrap().iter().map(|run| run.run).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn scores_are_handed_on_until_they_are_taken() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, received) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let mut text = String::new();
            let mut bytes = [0; 4096];
            // Headers and body come as they like.
            loop {
                let read = stream.read(&mut bytes).unwrap();
                text.push_str(&String::from_utf8_lossy(&bytes[..read]));
                let body = text.split_once("\r\n\r\n").map(|(head, body)| (head.to_ascii_lowercase(), body));
                let length = body
                    .as_ref()
                    .and_then(|(head, _)| head.split("content-length: ").nth(1)?.split("\r\n").next()?.parse().ok());
                if read == 0 || body.is_some_and(|(_, body)| Some(body.len()) == length) {
                    break;
                }
            }
            let status = if number == 0 { "503 Service Unavailable" } else { "200 OK" };
            let reply = format!(
                "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
            );
            stream.write_all(reply.as_bytes()).unwrap();
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    let server = CollectingServer::start(CONTAINS, |settings| {
        let headers = [("x-who".to_owned(), "probare".to_owned())].into();
        settings.export = Some((format!("http://{address}/v1/logs"), headers));
    });
    server.send("/v1/traces", &spans(&[chat(TRACE, "6331000000000000", "Say hello", "hello")]));
    for _ in 0..2 {
        let request = received.recv_timeout(Duration::from_secs(20)).unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("POST /v1/logs ") && head.contains("x-who: probare"), "{head}");
        let body: Json = serde_json::from_str(body).unwrap();
        let records = body["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap();
        assert_eq!(records.len(), 2, "{body}");
        assert_eq!(
            (&records[0]["traceId"], &records[0]["eventName"]),
            (&json!(TRACE), &json!("gen_ai.evaluation.result"))
        );
        // Who sends them back to us changes nothing.
        assert_eq!(server.send("/v1/logs", &body), json!({}));
    }
    assert!(received.recv_timeout(Duration::from_secs(1)).is_err(), "each is taken once");
    assert!(server.told.lock().unwrap().iter().any(|told| told.contains("scores cannot be handed on")));
    assert!(server.server.get("/metrics").body.contains("probare_collected_exports_total 1\n"));
}
