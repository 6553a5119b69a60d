//! Runs whose cases have tools: models answer with calls, which are recorded, kept, shown and scored.

use std::fs;
use std::path::Path;
use std::time::Duration;

use probare_testing::{ServerBehaviour, TestServer, Trouble};
use serde_json::{Value as Json, json};

use crate::program::{command, run, run_expecting, run_successfully};

const METRICS: [&str; 4] = ["tool_calls", "tool_call_f1", "tool_schema", "function_call"];

/// A tool in the shapes of both providers, whichever is asked.
fn tool(number: usize) -> Json {
    let schema = json!({"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]});
    if number.is_multiple_of(2) {
        json!({"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": schema}})
    } else {
        json!({"name": "look", "description": "Looks.", "input_schema": schema})
    }
}

/// Cases that want `look` to be called; in every third the call is another than the server makes.
fn project(model: &str, cases: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (0..cases)
        .map(|number| {
            let at = if number % 3 == 2 { "elsewhere".to_owned() } else { format!("reply to Q{number}") };
            let case = json!({"id": format!("c{number}"), "query": format!("Q{number}"), "tools": [tool(number)],
                "response": "of the file", "tool_calls": [{"name": "of_the_file"}],
                "expected_tool_calls": [{"name": "look", "arguments": {"at": at}, "allowed": {"at": [at]}}]});
            format!("{case}\n")
        })
        .collect();
    fs::write(folder.path().join("cases.jsonl"), lines).unwrap();
    configure(folder.path(), model);
    folder
}

fn configure(folder: &Path, model: &str) {
    let config = format!(
        "datasets: [{{path: cases.jsonl}}]\nmodels:\n  - name: house\n    {model}\nmetrics: [{}]\n",
        METRICS.join(", ")
    );
    fs::write(folder.join("probare.yaml"), config).unwrap();
}

/// A model at the server, for each way of speaking.
fn ways(server: &TestServer) -> [(String, &'static str); 2] {
    [
        (format!("base_url: {}/v1\n    max_tokens: 100", server.url()), "/v1/chat/completions"),
        (format!("provider: anthropic\n    base_url: {}\n    max_tokens: 100", server.url()), "/v1/messages"),
    ]
}

fn calling() -> ServerBehaviour {
    ServerBehaviour { share: 1.0, troubles: vec![Trouble::ToolCall], ..ServerBehaviour::default() }
}

/// The value of a metric, case by case.
fn values(file: &Path, metric: &str) -> Vec<Option<f64>> {
    let text = fs::read_to_string(file).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    rows.map(|row| row["scores"][metric]["value"].as_f64()).collect()
}

#[test]
fn tools_are_sent_in_both_forms_and_the_calls_are_scored_kept_and_found_again() {
    for at in 0..2 {
        let server = TestServer::start(calling()).unwrap();
        let (model, path) = &ways(&server)[at];
        let folder = project(model, 3);
        let place = folder.path();
        run_successfully(place, &["run", "probare.yaml", "-q", "-o", "r.jsonl", "-o", "r.html", "-o", "r.md"]);
        let sent = server.raw_requests();
        assert_eq!(sent.len(), 3);
        let body: Json = serde_json::from_str(sent[0].split_once("\r\n\r\n").unwrap().1).unwrap();
        assert!(sent[0].starts_with(&format!("POST {path} ")), "{}", sent[0]);
        let (name, schema) = if at == 0 {
            ("/tools/0/function/name", "/tools/0/function/parameters")
        } else {
            ("/tools/0/name", "/tools/0/input_schema")
        };
        assert_eq!(body.pointer(name), Some(&json!("look")), "{body}");
        assert_eq!(body.pointer(schema).unwrap()["required"], json!(["at"]));
        for (metric, expected) in [
            ("tool_calls", [1.0, 1.0, 0.0]),
            ("tool_call_f1", [1.0, 1.0, 0.0]),
            ("function_call", [1.0, 1.0, 0.0]),
            ("tool_schema", [1.0; 3]),
        ] {
            assert_eq!(values(&place.join("r.jsonl"), metric), expected.map(Some), "{metric} {path}");
        }
        let results = fs::read(place.join("r.jsonl")).unwrap();
        let line = String::from_utf8_lossy(&results).lines().nth(2).unwrap().to_owned();
        assert!(line.contains(r#""field":"tool_calls","index":0,"path":"/arguments/at""#), "{line}");
        let page = fs::read_to_string(place.join("r.html")).unwrap();
        assert!(page.contains("Call 1") && !page.contains("of_the_file"), "the calls of the answer are shown");
        let text = fs::read_to_string(place.join("r.md")).unwrap();
        assert!(text.contains(r"look\(") && text.contains("reply to Q2"), "{text}");

        // The same from the store, from the record, and from the outputs as cases.
        run_successfully(place, &["runs", "export", "1", "-o", "e.jsonl", "--outputs", "o.jsonl"]);
        assert_eq!(fs::read(place.join("e.jsonl")).unwrap(), results);
        run_successfully(place, &["run", "probare.yaml", "-q", "--offline", "-o", "again.jsonl"]);
        assert_eq!((fs::read(place.join("again.jsonl")).unwrap(), server.requests()), (results.clone(), 3));
        let outputs = fs::read_to_string(place.join("o.jsonl")).unwrap();
        let first: Json = serde_json::from_str(outputs.lines().next().unwrap()).unwrap();
        assert_eq!(first["tool_calls"], json!([{"id": "1", "name": "look", "arguments": {"at": "reply to Q0"}}]));
        assert_eq!((&first["response"]["text"], first["tools"].as_array().map(Vec::len)), (&json!(""), Some(1)));
        let mut words = vec!["score", "o.jsonl", "-c", "probare.yaml", "-q", "-o", "s.jsonl"];
        words.extend(METRICS.iter().flat_map(|metric| ["-m", metric]));
        run_successfully(place, &words);
        for metric in METRICS {
            assert_eq!(values(&place.join("s.jsonl"), metric), values(&place.join("r.jsonl"), metric), "{metric}");
        }
        assert!(run_successfully(place, &["verify", "s.jsonl"]).contains("all agree"));
        let shown = run_successfully(place, &["show", "s.jsonl", "--id", "c2", "--metric", "tool_calls"]);
        assert!(shown.contains("Call 1") && shown.contains("reply to Q2"), "{shown}");

        // A file of recorded replies stands for the model.
        run_successfully(place, &["models", "record", "export", "replies.jsonl"]);
        configure(place, "api_model_name: 'replay:replies.jsonl'");
        run_successfully(place, &["run", "probare.yaml", "-q", "-o", "replayed.jsonl"]);
        assert_eq!((fs::read(place.join("replayed.jsonl")).unwrap(), server.requests()), (results, 3));
    }
}

#[test]
fn bad_calls_are_kept_as_they_were_written_and_scored_as_wrong() {
    let chat = json!({"model": "t", "choices": [{"message": {"content": null, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{\"at\": \"the sea"}},
        {"type": "function", "function": {"name": "look", "arguments": "\"{\\\"at\\\": \\\"reply to Q0\\\"}\""}},
        {"id": 7, "function": {"arguments": "[1]"}}]}, "finish_reason": "tool_calls"}]});
    let messages = json!({"model": "t", "content": [
        {"type": "tool_use", "id": "1", "name": "look", "input": "{\"at\": \"the sea"},
        {"type": "tool_use", "name": "look", "input": "\"{\\\"at\\\": \\\"reply to Q0\\\"}\""},
        {"type": "tool_use", "input": [1]}], "stop_reason": "tool_use"});
    let files = [("/v1/chat/completions", chat), ("/v1/messages", messages)];
    let files = files.map(|(path, body)| (path.to_owned(), body.to_string().into_bytes())).into();
    let server = TestServer::start(ServerBehaviour { files, ..ServerBehaviour::default() }).unwrap();
    for (model, path) in ways(&server) {
        let folder = project(&model, 1);
        let place = folder.path();
        run(place, &["run", "probare.yaml", "-q", "-o", "r.jsonl"]);
        run_successfully(place, &["runs", "export", "1", "--outputs", "o.jsonl"]);
        let row: Json = serde_json::from_str(&fs::read_to_string(place.join("o.jsonl")).unwrap()).unwrap();
        let expected = json!([
            {"id": "1", "name": "look", "arguments_text": "{\"at\": \"the sea", "problem": "unparseable", "fault": 14},
            {"name": "look", "arguments_text": "\"{\\\"at\\\": \\\"reply to Q0\\\"}\"", "problem": "not_an_object"},
            {"name": "", "arguments_text": "[1]", "problem": "not_an_object"}]);
        assert_eq!(row["tool_calls"], expected, "{path}");
        assert_eq!(values(&place.join("r.jsonl"), "tool_calls"), [Some(0.0)], "{path}");
        assert_eq!(values(&place.join("r.jsonl"), "tool_schema"), [Some(0.0)], "{path}");
        // An original that would raise is an error of its kind and no number.
        let results = fs::read_to_string(place.join("r.jsonl")).unwrap();
        let row: Json = serde_json::from_str(&results).unwrap();
        assert_eq!(row["scores"]["tool_call_f1"]["kind"], json!("unparseable"), "{row}");
        run_successfully(place, &["score", "o.jsonl", "-c", "probare.yaml", "-q", "-m", "tool_calls", "-o", "s.jsonl"]);
        assert_eq!(values(&place.join("s.jsonl"), "tool_calls"), [Some(0.0)], "{path}");
    }
}

#[test]
fn a_run_that_was_killed_goes_on_with_the_calls_that_it_has() {
    let server = TestServer::start(ServerBehaviour { delay: Duration::from_millis(100), ..calling() }).unwrap();
    let (model, _) = &ways(&server)[0];
    let model = format!("{model}\n    concurrency: 2");
    let (folder, whole) = (project(&model, 30), project(&model, 30));
    let mut child = command(folder.path(), &["run", "probare.yaml", "-q"]).spawn().unwrap();
    while server.requests() < 12 {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = server.requests();
    run_successfully(folder.path(), &["resume", "1", "-q", "-o", "r.jsonl"]);
    assert!(server.requests() - before < 30, "what was answered is not asked again");
    run_successfully(whole.path(), &["run", "probare.yaml", "-q", "-o", "r.jsonl"]);
    run_successfully(folder.path(), &["runs", "export", "1", "--outputs", "o.jsonl"]);
    run_successfully(whole.path(), &["runs", "export", "1", "--outputs", "o.jsonl"]);
    for file in ["r.jsonl", "o.jsonl"] {
        let read = |place: &Path| fs::read_to_string(place.join(file)).unwrap();
        assert_eq!(read(folder.path()), read(whole.path()), "{file}");
    }
    let all = values(&folder.path().join("r.jsonl"), "tool_calls");
    assert_eq!(all.iter().flatten().sum::<f64>(), 20.0);
}

#[test]
fn a_conversation_is_sent_with_its_calls_and_results_and_the_answer_comes_behind_it() {
    let server = TestServer::start(calling()).unwrap();
    let messages = json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Q0"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{\"at\": \"the sky\"}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "grey"}, {"role": "assistant", "content": "It will rain."}]);
    let case = json!({"id": "c0", "messages": messages, "tools": [tool(0)], "expected_tool_calls": [{"name": "look", "arguments": {"at": "reply to grey"}, "allowed": {"at": ["reply to grey"]}}]});
    for (model, path) in ways(&server) {
        let folder = project(&model, 1);
        let place = folder.path();
        fs::write(place.join("cases.jsonl"), format!("{case}\n")).unwrap();
        run_successfully(place, &["run", "probare.yaml", "-q", "-o", "r.jsonl"]);
        let sent = server.raw_requests().pop().unwrap();
        assert!(sent.contains("grey") && sent.contains("the sky") && sent.contains("Be brief."), "{path}: {sent}");
        assert!(!sent.contains("It will rain."), "the answer of the file is not told: {sent}");
        assert_eq!(values(&place.join("r.jsonl"), "tool_calls").len(), 1);
        run_successfully(place, &["runs", "export", "1", "--outputs", "o.jsonl"]);
        let row: Json = serde_json::from_str(&fs::read_to_string(place.join("o.jsonl")).unwrap()).unwrap();
        let said = row["messages"].as_array().unwrap();
        assert_eq!((said.len(), &said[4]["tool_calls"][0]["name"]), (5, &json!("look")), "{row}");
    }
}

#[test]
fn whoever_cannot_be_given_tools_is_refused_before_the_run() {
    let server = TestServer::start(ServerBehaviour::default()).unwrap();
    let folder = project(&format!("provider: prompt\n    base_url: {}/prompt", server.url()), 2);
    let text = run_expecting(folder.path(), 64, &["run", "probare.yaml"]);
    let reason = "case `c0` of `cases.jsonl` has tools, and model `house` at `prompt` cannot be given any";
    assert!(text.contains(reason) && text.contains("hint: "), "{text}");
    assert_eq!(server.requests(), 0);
}

#[test]
fn the_example_runs_offline_and_tells_the_two_models_apart() {
    let folder = tempfile::tempdir().unwrap();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tools");
    for name in ["cases.jsonl", "probare.yaml", "exact.jsonl", "hasty.jsonl"] {
        fs::copy(example.join(name), folder.path().join(name)).unwrap();
    }
    run(folder.path(), &["run", "probare.yaml", "-q"]);
    let text = fs::read_to_string(folder.path().join("out/results.jsonl")).unwrap();
    let rows: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let right = |model: &str| -> Vec<&str> {
        let of_model = rows.iter().filter(|row| row["model"] == model);
        let right = of_model.filter(|row| row["scores"]["tool_calls"]["value"].as_f64() == Some(1.0));
        right.filter_map(|row| row["id"].as_str()).collect()
    };
    assert_eq!((rows.len(), right("exact").len()), (16, 8));
    assert_eq!(right("hasty"), ["free"]);
}
