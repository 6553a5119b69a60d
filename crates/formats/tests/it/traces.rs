//! Traces: what becomes of every file in `tests/otel`, and of traces that nobody meant well with.

use std::path::{Path, PathBuf};
use std::time::Instant;

use probare_core::{Case, Problem};
use probare_formats::{
    CaseFormat, CaseReader, Grouping, ImportFormat, MODEL_CALLS, ReadOptions, TRACE, TraceLoss, read_foreign,
};
use serde_json::{Map, Value as Json, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/otel")
}

/// A case in the words of `expected.jsonl`, which has no place for what we keep beside.
fn told(case: &Case) -> Json {
    let mut told = Map::new();
    let mut put = |name: &str, value: Json| {
        if !value.is_null() {
            told.insert(name.to_owned(), value);
        }
    };
    put("id", json!(case.id));
    put("query", json!(case.query));
    put("response", json!(case.response.as_ref().map(|output| &output.text)));
    let mut messages = serde_json::to_value(&case.messages).unwrap();
    for message in messages.as_array_mut().into_iter().flatten() {
        message.as_object_mut().unwrap().shift_remove("role_given");
        for part in message.get_mut("parts").and_then(Json::as_array_mut).into_iter().flatten() {
            part.as_object_mut().unwrap().shift_remove("source");
        }
        for call in message.get_mut("tool_calls").and_then(Json::as_array_mut).into_iter().flatten() {
            call.as_object_mut().unwrap().shift_remove("fault");
        }
    }
    put("messages", messages);
    put("tools", json!(case.tools));
    let texts = case.context.as_ref().map(|list| list.iter().map(|passage| passage.text.clone()).collect::<Vec<_>>());
    put("context", json!(texts));
    put("retrieved", json!(case.retrieved));
    for name in ["model", "tokens"] {
        put(name, case.metadata.get(name).cloned().unwrap_or_default());
    }
    Json::Object(told)
}

fn lost(list: &[TraceLoss]) -> Vec<Json> {
    let one = |lost: &TraceLoss| {
        let mut told = json!({"kind": lost.kind.name(), "span": lost.span});
        if let Some(what) = &lost.what {
            told["what"] = json!(what);
        }
        told
    };
    let mut all: Vec<Json> = list.iter().map(one).collect();
    all.sort_by_key(Json::to_string);
    all
}

/// Compares all files of a folder with what is expected of them; how many there were.
fn compare(folder: &Path) -> usize {
    let expected = std::fs::read_to_string(folder.join("expected.jsonl")).unwrap();
    let mut files = 0;
    for line in expected.lines() {
        let expected: Json = serde_json::from_str(line).unwrap();
        let name = expected["file"].as_str().unwrap();
        let group = expected["group"].as_str().map(|group| group.parse::<Grouping>().unwrap());
        let path = folder.join(name);
        let cases: Vec<Case> = match read_foreign(std::fs::read(&path).unwrap(), name, None, group) {
            Ok((format, imported)) => {
                assert_eq!(format, ImportFormat::Otlp, "{name}");
                let mut wanted = expected["lost"].as_array().unwrap().clone();
                wanted.sort_by_key(Json::to_string);
                assert_eq!(lost(&imported.lost), wanted, "{name}");
                imported.cases
            }
            Err(error) => {
                assert!(error.to_string().contains("it holds no samples"), "{name}: {error}");
                Vec::new()
            }
        };
        let read: Vec<Json> = cases.iter().map(told).collect();
        assert_eq!(Json::Array(read), expected["cases"], "{name}");
        // The same as a file of cases, recognised by itself.
        let options = ReadOptions { group, ..ReadOptions::default() };
        let rows = CaseReader::open(path.to_str().unwrap(), &options).unwrap();
        let mut rows: Vec<Case> = rows.flat_map(|batch| batch.unwrap().cases()).filter_map(Result::ok).collect();
        for case in &mut rows {
            case.metadata.insert("imported".to_owned(), json!({"from": "otlp"}));
        }
        assert_eq!(rows, cases, "{name}");
        files += 1;
    }
    files
}

#[test]
fn every_fixture_becomes_the_expected_cases() {
    assert_eq!(compare(&folder()), 24);
}

#[test]
fn published_documents_become_the_expected_cases() {
    let what = "documents of the GenAI conventions in `data/otel`";
    if let Some(folder) = probare_testing::external_data("PROBARE_OTEL", "otel", what) {
        assert_eq!(compare(&folder), 35);
    }
}

#[test]
fn a_case_knows_its_trace() {
    let bytes = std::fs::read(folder().join("sub-agent.json")).unwrap();
    let (_, imported) = read_foreign(bytes, "f", None, None).unwrap();
    let trace = |case: usize| &imported.cases[case].metadata[TRACE];
    assert_eq!(trace(0)["answer"]["span_id"], "6333000000000000");
    assert_eq!(trace(0)["agent_span"]["span_id"], "6167000000000000");
    assert_eq!((&trace(0)["agent"], &trace(1)["agent"]), (&json!("lead"), &json!("helper")));
    assert_eq!((&trace(0)["parent"], &trace(1)["parent"]), (&Json::Null, &json!("7831000000000000")));
    assert_eq!(trace(1)["answer"]["end"], "1790000000000004500");
    assert_eq!(imported.cases[0].response.as_ref().unwrap().model.as_deref(), Some("m-1"));
}

#[test]
fn spans_without_texts_name_the_setting() {
    let text = std::fs::read_to_string(folder().join("content-off.json")).unwrap();
    let told = |text: String| read_foreign(text.into_bytes(), "f", None, None).unwrap().1.notes;
    let note = |setting: &str| {
        format!("no_content: 1 model call without text; turn content capture on (OpenTelemetry: {setting})")
    };
    let now = "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and \
               OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY";
    assert_eq!(told(text.clone()), [note(now)]);
    // Before version 1.37 of the conventions the variable was a switch.
    let older = text.replace("gen_ai.provider.name", "gen_ai.system");
    assert_eq!(told(older), [note("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true")]);
}

#[test]
fn a_file_of_memory_operations_alone_is_a_file_of_traces_without_samples() {
    let memory = [("gen_ai.operation.name", json!("search_memory")), ("gen_ai.memory.records", json!("[]"))];
    let text = json!({"resourceSpans": [{"scopeSpans": [{"spans": [span(0, None, 1, &memory)]}]}]}).to_string();
    let error = read_foreign(text.into_bytes(), "m.json", None, None).unwrap_err().to_string();
    assert_eq!(error, "`m.json` was read, but it holds no samples: not_read: 1 known attribute not used");
}

#[test]
fn a_part_without_what_its_type_calls_for_is_told() {
    let parts = json!([
        {"role": "assistant", "parts": [
            {"type": "server_tool_call", "id": "s", "name": "search"},
            {"type": "tool_call", "id": "c", "name": "f"}
        ]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c"}, {"type": "server_tool_call_response", "id": "s"}]}
    ]);
    let chat = [
        ("gen_ai.operation.name", json!("chat")),
        ("gen_ai.input.messages", Json::from(parts.to_string())),
        ("gen_ai.tool.definitions", Json::from(json!([{"type": "function"}, {"name": "f"}]).to_string())),
    ];
    let text = json!({"resourceSpans": [{"scopeSpans": [{"spans": [span(0, None, 1, &chat)]}]}]}).to_string();
    let (_, imported) = read_foreign(text.into_bytes(), "f", None, None).unwrap();
    let places: Vec<&str> = (imported.lost.iter())
        .filter(|lost| lost.kind.name() == "not_in_schema")
        .filter_map(|lost| lost.what.as_deref())
        .collect();
    assert_eq!(
        places,
        [
            "gen_ai.input.messages/0/parts/0/server_tool_call",
            "gen_ai.input.messages/1/parts/0/response",
            "gen_ai.input.messages/1/parts/1/server_tool_call_response",
            // A definition without a name is left out, and told.
            "gen_ai.tool.definitions/0",
        ]
    );
    let tools = imported.cases[0].tools.as_ref().unwrap();
    assert_eq!((tools.len(), &*tools[0].name), (1, "f"));
}

#[test]
fn a_call_in_the_form_from_before_there_were_tools_is_none_for_agentevals() {
    let line = json!({"id": "a", "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": ""}}
    ]});
    let rows = CaseReader::from_reader(
        std::io::Cursor::new(line.to_string()),
        "f",
        CaseFormat::JsonLines,
        &ReadOptions::default(),
    );
    let case = rows.unwrap().next().unwrap().unwrap().cases().remove(0).unwrap();
    let call = &case.messages.unwrap()[1].tool_calls[0];
    assert_eq!((call.kind.as_deref(), call.arguments().len(), &call.problem), (Some("function_call"), 0, &None));
}

fn attributes(list: &[(&str, Json)]) -> Json {
    let value = |value: &Json| match value {
        Json::String(text) => json!({"stringValue": text}),
        other => json!({"intValue": other}),
    };
    list.iter().map(|(key, held)| json!({"key": key, "value": value(held)})).collect()
}

fn span(id: usize, parent: Option<usize>, start: usize, list: &[(&str, Json)]) -> Json {
    let hex = |id: usize| format!("{:016x}", id + 1);
    json!({"traceId": "74310000000000000000000000000000", "spanId": hex(id), "parentSpanId": parent.map(hex),
        "name": "s", "startTimeUnixNano": start.to_string(), "endTimeUnixNano": (start + 1).to_string(), "attributes": attributes(list)})
}

fn file(spans: &[Json]) -> Vec<u8> {
    serde_json::to_vec(&json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})).unwrap()
}

fn messages(role: &str, text: &str) -> Json {
    json!(json!([{"role": role, "parts": [{"type": "text", "content": text}]}]).to_string())
}

fn chat(id: usize, parent: Option<usize>, input: &str, output: &str) -> Json {
    let list = [
        ("gen_ai.operation.name", json!("chat")),
        ("gen_ai.input.messages", messages("user", input)),
        ("gen_ai.output.messages", messages("assistant", output)),
    ];
    span(id, parent, id, &list)
}

fn read(bytes: Vec<u8>) -> (Vec<Case>, Vec<Problem>) {
    let rows =
        CaseReader::from_reader(std::io::Cursor::new(bytes), "f", CaseFormat::Otlp, &ReadOptions::default()).unwrap();
    let (mut cases, mut problems) = (Vec::new(), Vec::new());
    for row in rows.flat_map(|batch| batch.unwrap().cases()) {
        match row {
            Ok(case) => cases.push(case),
            Err(problem) => problems.push(problem),
        }
    }
    (cases, problems)
}

#[test]
fn each_call_of_a_model_says_what_it_took() {
    let took = [
        ("gen_ai.provider.name", json!("openai")),
        ("gen_ai.request.model", json!("m-1")),
        ("gen_ai.usage.input_tokens", json!(20)),
        ("gen_ai.usage.output_tokens", json!(8)),
        ("llm.cost.total", json!("0.25")),
    ];
    let call = |id: usize, more: &[(&str, Json)]| {
        let start = 1_000_000_000 * (id + 1);
        let said =
            [("gen_ai.operation.name", json!("chat")), ("gen_ai.output.messages", messages("assistant", "hello"))];
        let mut call = span(id, None, start, &[&said[..], more].concat());
        call["endTimeUnixNano"] = json!((start + 850_000_000).to_string());
        call
    };
    let trace = |spans: &[Json]| read(file(spans)).0[0].metadata[TRACE].clone();
    let some = trace(&[call(0, &took), call(1, &took[..4])]);
    let record = |id: &str| json!({"span_id": id, "provider": "openai", "model": "m-1", "input": 20, "output": 8, "latency_ms": 850});
    let mut priced = record("0000000000000001");
    priced["cost_usd"] = json!(0.25);
    assert_eq!(some[MODEL_CALLS], json!([priced, record("0000000000000002")]));
    assert_eq!((some.get("cost_usd"), &some["latency_ms"]), (None, &json!(1_850)), "not all say what they cost");
    assert_eq!(trace(&[call(0, &took), call(1, &took)])["cost_usd"], 0.5);
}

#[test]
fn circles_and_duplicates_give_a_case_and_are_told() {
    let spans = [
        chat(0, Some(1), "q", "old"),
        chat(1, Some(2), "r", "b"),
        chat(2, Some(0), "s", "c"),
        chat(0, Some(1), "q", "a"),
        span(3, Some(3), 9, &[("openinference.span.kind", json!("CHAIN"))]),
    ];
    let (_, imported) = read_foreign(file(&spans), "f", None, None).unwrap();
    let kinds: Vec<&str> = imported.lost.iter().map(|lost| lost.kind.name()).collect();
    assert_eq!(kinds, ["duplicate_span", "cycle", "cycle"]);
    assert_eq!(imported.lost[1].span.as_deref(), Some("0000000000000001"));
    assert_eq!(imported.cases.len(), 1);
}

#[test]
fn a_call_that_encloses_others_repeats_them() {
    let outer = span(0, None, 0, &[("ai.response.text", json!("done")), ("ai.usage.promptTokens", json!(9))]);
    let inner = |id: usize, list: &[(&str, Json)]| span(id, Some(0), id, list);
    let prompt = json!(json!([{"role": "user", "content": "q"}]).to_string());
    let first =
        [("ai.prompt.messages", prompt), ("ai.response.text", json!("done")), ("ai.usage.promptTokens", json!(9))];
    let (_, imported) = read_foreign(file(&[outer, inner(1, &first)]), "f", None, None).unwrap();
    let case = &imported.cases[0];
    assert_eq!(case.messages.as_ref().unwrap().len(), 2);
    assert_eq!((case.query.as_deref(), &case.metadata["tokens"]["input"]), (Some("q"), &json!(9)));
    assert!(imported.lost.is_empty(), "{:?}", imported.lost);
}

#[test]
fn what_is_damaged_is_told_with_its_place_and_the_rest_is_read() {
    let mut bytes = file(&[chat(0, None, "q", "a")]);
    bytes.extend_from_slice(
        b"\n{\"resourceSpans\": [{\"scopeSpans\": 7}]}\n{\"resourceSpans\": \"\xff\"}\n{\"other\": 1}\n",
    );
    let deep = format!("{{\"resourceSpans\": {}{}}}\n", "[".repeat(1_000_000), "]".repeat(1_000_000));
    bytes.extend_from_slice(deep.as_bytes());
    let (cases, problems) = read(bytes);
    assert_eq!(cases.len(), 1);
    let told: Vec<(Option<u64>, &str)> =
        problems.iter().map(|problem| (problem.line, problem.reason.as_str())).collect();
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(told[0].1.contains("invalid type") && told[0].0 == Some(2), "{told:?}");
    assert!(told[1].1.contains("not valid UTF-8") && told[1].0 == Some(3), "{told:?}");
    assert!(told[2].1.contains("neither `resourceSpans` nor `resourceLogs`") && told[2].0 == Some(4), "{told:?}");
    assert!(
        told[3].0 == Some(5)
            && problems[3].hint.as_deref().is_some_and(|hint| hint.contains("128 deep") || hint.contains("OTLP")),
        "{problems:?}"
    );
}

#[test]
fn more_spans_than_anybody_has_are_refused_before_they_take_room() {
    // Three bytes each in the file, a hundred times as many in memory.
    let list = format!("{}{{}}", "{},".repeat(1_000_001));
    let (cases, problems) =
        read(format!("{{\"resourceSpans\": [{{\"scopeSpans\": [{{\"spans\": [{list}]}}]}}]}}").into_bytes());
    assert!(cases.is_empty());
    assert!(problems[0].reason.contains("more than 1,000,000 spans"), "{problems:?}");
}

#[test]
fn huge_numbers_and_deep_arguments_give_a_case() {
    let arguments = format!("{}{}", "{\"a\":".repeat(250_000), "}".repeat(250_000));
    let list = [
        ("gen_ai.operation.name", json!("execute_tool")),
        ("gen_ai.tool.name", json!("f")),
        ("gen_ai.tool.call.arguments", json!(arguments)),
        ("gen_ai.usage.input_tokens", json!("99999999999999999999")),
    ];
    let mut one = span(0, None, 0, &list);
    one["startTimeUnixNano"] = json!(1e300);
    one["endTimeUnixNano"] = json!("999999999999999999999999");
    let huge = [("gen_ai.operation.name", json!("chat")), ("gen_ai.usage.input_tokens", json!(i64::MAX))];
    let (cases, _) = read(file(&[one, span(1, None, 1, &huge), span(2, None, 2, &huge), span(3, None, 3, &huge)]));
    let call = &cases[0].messages.as_ref().unwrap()[0].tool_calls[0];
    assert_eq!(call.problem.map(probare_core::ArgumentsProblem::name), Some("unparseable"));
    assert_eq!(cases[0].metadata["tokens"]["input"], json!(u64::MAX));
}

/// The seconds that it takes to read this many spans of one trace: models, tools, and steps inside of each other.
fn seconds(spans: usize) -> f64 {
    let tool = |id: usize| {
        let list = [
            ("gen_ai.operation.name", json!("execute_tool")),
            ("gen_ai.tool.name", json!("f")),
            ("gen_ai.tool.call.result", json!("r")),
        ];
        span(id, id.checked_sub(1), id, &list)
    };
    let step = |id: usize| span(id, id.checked_sub(3), id, &[("openinference.span.kind", json!("CHAIN"))]);
    let one = |id: usize| match id % 3 {
        0 => step(id),
        1 => chat(id, Some(id - 1), &format!("q{id}"), "same"),
        _ => tool(id),
    };
    let all: Vec<Json> = (0..spans).map(one).collect();
    let bytes = file(&all);
    let began = Instant::now();
    let (cases, _) = read(bytes);
    assert!(!cases.is_empty());
    began.elapsed().as_secs_f64()
}

#[test]
fn a_long_trace_takes_time_by_its_length() {
    // Eight times as much, with room for a busy machine: quadratic growth would be 64 times.
    let small = seconds(500).max(0.005);
    let large = seconds(4_000);
    assert!(large < small * 8.0 * 4.0, "500 spans took {small} s, 4,000 took {large} s");
}

#[test]
fn a_mapping_or_a_grouping_where_there_is_none_is_refused() {
    let fields = probare_formats::FieldMap::parse(&["response=said"]).unwrap();
    let mapped = ReadOptions { fields, ..ReadOptions::default() };
    let path = folder().join("content-off.json");
    let error = CaseReader::open(path.to_str().unwrap(), &mapped).unwrap_err().to_string();
    assert!(error.contains("traces have no columns"), "{error}");
    let grouped = ReadOptions { group: Some(Grouping::Conversation), ..ReadOptions::default() };
    let path = folder().join("expected.jsonl");
    let error = CaseReader::open(path.to_str().unwrap(), &grouped).unwrap_err().to_string();
    assert!(error.contains("a grouping is for traces"), "{error}");
    assert!(
        probare_formats::columns(folder().join("content-off.json").to_str().unwrap(), &ReadOptions::default())
            .unwrap()
            .is_empty()
    );
    let bytes = std::fs::read(folder().join("expected.jsonl")).unwrap();
    assert!(read_foreign(bytes, "f", Some(ImportFormat::Chat), Some(Grouping::Trace)).is_err());
}

fn read_spans(spans: &Json) -> Vec<Case> {
    let document = json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]});
    read_foreign(document.to_string().into_bytes(), "f", None, None).unwrap().1.cases
}

fn openinference_span(id: u64, parent: u64, kind: &str, start: u64, more: &[(&str, Json)]) -> Json {
    let own = [("openinference.span.kind", json!(kind))];
    let parent = if parent == 0 { String::new() } else { format!("{parent:016x}") };
    json!({
        "traceId": "74310000000000000000000000000000", "spanId": format!("{id:016x}"), "parentSpanId": parent,
        "name": kind, "startTimeUnixNano": start.to_string(), "endTimeUnixNano": (start + 1).to_string(),
        "attributes": attributes(&[&own[..], more].concat()),
    })
}

fn asks(question: &str, calls: &[(&str, &str, &str)]) -> Vec<(String, Json)> {
    let mut held = vec![
        ("llm.input_messages.0.message.role".to_owned(), json!("user")),
        ("llm.input_messages.0.message.content".to_owned(), json!(question)),
        ("llm.output_messages.0.message.role".to_owned(), json!("assistant")),
    ];
    for (number, (id, name, arguments)) in calls.iter().enumerate() {
        let place = format!("llm.output_messages.0.message.tool_calls.{number}.tool_call");
        held.push((format!("{place}.id"), json!(id)));
        held.push((format!("{place}.function.name"), json!(name)));
        held.push((format!("{place}.function.arguments"), json!(arguments)));
    }
    held
}

fn pairs(held: &[(String, Json)]) -> Vec<(&str, Json)> {
    held.iter().map(|(name, value)| (name.as_str(), value.clone())).collect()
}

#[test]
fn parallel_tools_of_langgraph_get_their_own_results() {
    let asked = asks("q", &[("c1", "weather", r#"{"city": "Rome"}"#), ("c2", "weather", r#"{"city": "Oslo"}"#)]);
    let ran = |id: u64, start: u64, city: &str, text: &str, call: &str, shown: bool| {
        let message =
            json!({"content": text, "type": "tool", "name": "weather", "tool_call_id": call, "status": "success"});
        let output = if shown {
            json!(format!("content='{text}' name='weather' tool_call_id='{call}'"))
        } else {
            json!(message.to_string())
        };
        let more = [
            ("tool.name", json!("weather")),
            ("input.value", json!(format!("{{'city': '{city}'}}"))),
            ("output.value", output),
        ];
        openinference_span(id, 1, "TOOL", start, &more)
    };
    for shown in [true, false] {
        let cases = read_spans(&json!([
            openinference_span(1, 0, "CHAIN", 1, &[]),
            openinference_span(2, 1, "LLM", 2, &pairs(&asked)),
            // The second call begins first.
            ran(3, 3, "Oslo", "wet", "c2", shown),
            ran(4, 4, "Rome", "dry", "c1", shown),
        ]));
        let told: Vec<(Option<&str>, Option<&str>)> = cases[0].messages.as_deref().unwrap()[2..]
            .iter()
            .map(|message| (message.id.as_deref(), message.text.as_deref()))
            .collect();
        assert_eq!(told, [(Some("c2"), Some("wet")), (Some("c1"), Some("dry"))], "{shown}");
    }
}

#[test]
fn an_agent_below_a_tool_is_a_case_of_its_own() {
    let outer = asks("plan", &[("c1", "research", r#"{"topic": "rain"}"#)]);
    let inner = asks("rain", &[("d1", "search", r#"{"q": "rain"}"#)]);
    for kind in ["CHAIN", "AGENT"] {
        let cases = read_spans(&json!([
            openinference_span(1, 0, "CHAIN", 1, &[]),
            openinference_span(2, 1, "LLM", 2, &pairs(&outer)),
            openinference_span(
                3,
                1,
                "TOOL",
                3,
                &[
                    ("tool.name", json!("research")),
                    ("input.value", json!("{\"topic\": \"rain\"}")),
                    ("output.value", json!("it rains"))
                ]
            ),
            openinference_span(4, 3, kind, 4, &[]),
            openinference_span(5, 4, "LLM", 5, &pairs(&inner)),
            openinference_span(
                6,
                4,
                "TOOL",
                6,
                &[
                    ("tool.name", json!("search")),
                    ("input.value", json!("{\"q\": \"rain\"}")),
                    ("output.value", json!("drops"))
                ]
            ),
        ]));
        let [caller, agent] = &cases[..] else { panic!("{kind}: {cases:#?}") };
        let calls = |case: &Case| -> Vec<String> {
            let messages = case.messages.as_deref().unwrap();
            messages.iter().flat_map(|message| message.tool_calls.iter().map(|call| call.name.clone())).collect()
        };
        assert_eq!((calls(caller), calls(agent)), (vec!["research".to_owned()], vec!["search".to_owned()]), "{kind}");
        assert_eq!(agent.metadata[TRACE]["parent"], "0000000000000003", "{kind}");
        assert_eq!(caller.messages.as_deref().unwrap()[2].text.as_deref(), Some("it rains"));
    }
}
