//! Transcripts as the packages of other tools write them: what becomes of every file in `tests/transcripts`, and that unknown
//! parts of them are always reported.

use std::path::PathBuf;

use probare_core::{Case, CaseMessage, Role};
use probare_formats::{CaseFormat, CaseReader, ReadOptions};
use serde_json::{Value as Json, json};

/// The files, or those that the packages have just written.
fn folder() -> PathBuf {
    let own = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/transcripts"));
    std::env::var_os("PROBARE_TRANSCRIPTS").map_or_else(own, PathBuf::from)
}

fn fixtures() -> Vec<(String, Json)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        (path.file_stem().unwrap().to_string_lossy().into_owned(), serde_json::from_str(&text).unwrap())
    };
    files.iter().map(read).collect()
}

/// The case of a row, or why there is none.
fn case(row: &Json) -> Result<Case, String> {
    let reader = std::io::Cursor::new(row.to_string().into_bytes());
    let mut rows = CaseReader::from_reader(reader, "row", CaseFormat::JsonLines, &ReadOptions::default()).unwrap();
    let mut cases = rows.next().unwrap().unwrap().cases();
    assert_eq!(cases.len(), 1);
    cases.pop().unwrap().map_err(|problem| problem.reason)
}

fn unread(case: &Case) -> Vec<String> {
    let messages = case.messages.as_deref().unwrap_or_default();
    messages.iter().flat_map(CaseMessage::unread_parts).map(|(_, kind)| kind.to_owned()).collect()
}

/// Name, arguments and result of every call, in order; the result by id, else by the order of calls.
fn calls(case: &Case) -> Vec<(String, Json, String)> {
    let messages = case.messages.as_deref().unwrap();
    let results: Vec<&CaseMessage> = messages.iter().filter(|message| message.has_role(Role::Tool)).collect();
    let calls =
        messages.iter().filter(|message| message.has_role(Role::Assistant)).flat_map(|message| &message.tool_calls);
    let mut next = 0;
    calls
        .map(|call| {
            let by_id = results.iter().find(|result| result.id.is_some() && result.id == call.id);
            let result = by_id.copied().or_else(|| {
                next += 1;
                results.iter().filter(|result| result.id.is_none()).nth(next - 1).copied()
            });
            let text = result.and_then(CaseMessage::spoken_text).unwrap_or_default().into_owned();
            (call.name.clone(), Json::Object(call.arguments().clone()), text)
        })
        .collect()
}

#[test]
fn every_package_tells_the_same_story() {
    let fixtures = fixtures();
    assert!(fixtures.len() >= 20, "{}", fixtures.len());
    for (name, fixture) in fixtures {
        let from = fixture["from"].as_str().unwrap();
        assert!(from.chars().any(|sign| sign.is_ascii_digit()), "{name}: no version in `{from}`");
        let case = case(&fixture["row"]).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(unread(&case), Vec::<String>::new(), "{name}: {case:#?}");
        let told = calls(&case);
        let weather: Vec<_> = told.iter().filter(|(name, ..)| name == "weather").collect();
        let cities: Vec<&Json> = weather.iter().map(|(_, arguments, _)| arguments).collect();
        assert_eq!(cities, [&json!({"city": "Rome"}), &json!({"city": "Oslo"})], "{name}: {case:#?}");
        for (call, word) in weather.iter().zip(["dry", "wet"]) {
            assert!(call.2.contains(word), "{name}: {told:?}");
        }
        assert_eq!(case.query.as_deref(), Some("Rain in Rome and Oslo?"), "{name}");
        assert_eq!(case.response.unwrap().text, "Rome is dry, Oslo is wet.", "{name}");
    }
}

#[test]
fn lines_lists_and_imports_tell_the_same_story() {
    let story = |case: &Case| {
        let answer = case.response.as_ref().map(|output| output.text.clone());
        (case.query.clone(), answer, calls(case))
    };
    let mut imports = 0;
    for (name, fixture) in fixtures() {
        let row = &fixture["row"];
        let told = story(&case(row).unwrap());
        let list = std::io::Cursor::new(json!([row]).to_string().into_bytes());
        let mut rows = CaseReader::from_reader(list, "list", CaseFormat::Json, &ReadOptions::default()).unwrap();
        let listed = rows.next().unwrap().unwrap().cases().pop().unwrap().map_err(|problem| problem.reason);
        assert_eq!(story(&listed.unwrap()), told, "{name}");
        if row.get("messages").is_some() {
            let (_, imported) = probare_formats::read_foreign(row.to_string().into_bytes(), "f", None, None).unwrap();
            assert_eq!(story(&imported.cases[0]), told, "{name}");
            imports += 1;
        }
    }
    assert!(imports >= 20, "{imports}");
}

#[test]
fn tools_that_providers_run_are_calls_with_their_results() {
    let fixtures = fixtures();
    let told = |name: &str| {
        let (_, fixture) = fixtures.iter().find(|(known, _)| known == name).unwrap();
        calls(&case(&fixture["row"]).unwrap())
    };
    let names = |told: &[(String, Json, String)]| told.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>();
    let openai = told("openai_responses_tools");
    assert_eq!(
        names(&openai),
        ["weather", "weather", "web_search", "stations", "code_interpreter", "file_search", "note"]
    );
    assert_eq!((&openai[3].1, openai[3].2.as_str()), (&json!({"near": "Rome"}), "LIRA"));
    assert_eq!(openai[2].1["query"], "rain");
    assert_eq!(openai[6].1, json!({"input": "look up both"}));
    let anthropic = told("anthropic_server_tools");
    assert_eq!(names(&anthropic), ["weather", "weather", "web_search", "stations"]);
    assert!(anthropic[2].2.contains("example.org"), "{anthropic:?}");
    assert_eq!(anthropic[3].2, "LIRA");
}

#[test]
fn an_import_counts_and_names_what_it_cannot_read() {
    let row = json!({"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "x"}, {"type": "y"}]}]});
    let (_, imported) = probare_formats::read_foreign(row.to_string().into_bytes(), "f", None, None).unwrap();
    let note = imported.notes.iter().find(|note| note.contains("cannot be read")).unwrap();
    assert!(note.starts_with("2 parts") && note.contains("`x`, `y`; the first is message 2, part 1"), "{note}");
}

#[test]
fn a_session_of_claude_code_is_one_case_and_each_agent_that_it_called_another() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/transcripts/claude_code.json");
    let fixture: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut lines = fixture["row"]["messages"].as_array().unwrap().clone();
    let mut of_agent = lines[5].clone();
    of_agent["isSidechain"] = json!(true);
    of_agent["agentId"] = json!("a7");
    lines.push(of_agent);
    let text: Vec<String> = lines.iter().map(Json::to_string).collect();
    let (format, imported) = probare_formats::read_foreign(text.join("\n").into_bytes(), "f", None, None).unwrap();
    assert_eq!(format, probare_formats::ImportFormat::Chat);
    let [session, agent] = &imported.cases[..] else { panic!("{imported:?}") };
    assert_eq!((calls(session).len(), calls(agent).len()), (2, 1));
    assert_eq!(session.response.as_ref().unwrap().model.as_deref(), Some("m"));
    assert!(agent.id.ends_with("/a7"), "{}", agent.id);
}

#[test]
fn columns_are_opened_wherever_messages_stand_in_them() {
    let talk = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}]);
    for row in [
        json!({"messages": talk}),
        json!({"messages": talk.to_string()}),
        json!({"trajectory": {"messages": talk}}),
        json!({"user_input": talk}),
        json!({"input": [talk[0]], "output": [talk[1]]}),
        json!({"input": "q", "output": [talk[1]]}),
    ] {
        let case = case(&row).unwrap();
        assert_eq!((case.query.as_deref(), calls(&case).len()), (Some("q"), 1), "{row}");
    }
    // One call in the form of OpenAI is expected, and nobody speaks.
    let expected = json!([{"id": "z", "type": "function", "function": {"name": "f", "arguments": "{\"q\":1}"}}]);
    let read = case(&json!({"messages": talk, "expected_tool_calls": expected})).unwrap();
    assert_eq!(read.expected_tool_calls.unwrap()[0].arguments()["q"], 1);
    assert_eq!(read.expected_messages, None);
    let bare = case(&json!({"messages": talk, "expected_tool_calls": ["f"]})).unwrap();
    assert_eq!(bare.expected_tool_calls.unwrap()[0].any, [String::new()]);
    for (column, value) in [
        ("expected_tool_calls", json!([{"x": 1}])),
        ("tool_calls", json!([1])),
        ("tools", json!(["f", {"description": "d"}])),
    ] {
        let error = case(&json!({"messages": talk, column: value})).unwrap_err();
        assert!(error.contains(column), "{error}");
    }
}

#[test]
fn what_is_given_or_shown_beside_the_words_may_be_no_call() {
    let passage = json!({"type": "search_result", "source": "https://x.example", "title": "t", "content": [{"type": "text", "text": "p"}]});
    let upload = json!({"type": "container_upload", "file_id": "f1"});
    let shown = json!({"type": "data-weather", "id": "1", "data": {"city": "Rome"}});
    let read = case(&json!({"messages": [
        {"role": "user", "content": [passage, upload, {"type": "text", "text": "q"}]},
        {"role": "assistant", "parts": [shown, {"type": "step-start"}, {"type": "text", "text": "a"}]}
    ]}));
    let read = read.unwrap();
    assert_eq!(unread(&read), Vec::<String>::new());
    assert_eq!((read.query.as_deref(), read.response.unwrap().text.as_str()), (Some("q"), "a"));
    let unknown = json!({"messages": [{"role": "assistant", "parts": [{"type": "data-call", "name": "weather"}]}]});
    assert_eq!(unread(&case(&unknown).unwrap()), ["data-call"]);
}

#[test]
fn calls_that_stand_apart_from_the_others_are_read() {
    let result = json!({"content": [{"type": "text", "text": "dry"}], "isError": false});
    let of_server = json!([{"name": "weather", "args": {"city": "Rome"}, "result": result}]);
    // DeepEval has a list for servers beside that of its own tools, and others that nobody knows.
    for own in [json!([]), Json::Null] {
        let turn = json!({"role": "assistant", "content": "a", "tools_called": own, "mcp_tools_called": of_server});
        let read = case(&json!({"turns": [{"role": "user", "content": "q"}, turn]})).unwrap();
        assert_eq!(calls(&read), [("weather".to_owned(), json!({"city": "Rome"}), "dry".to_owned())], "{read:#?}");
        assert_eq!((unread(&read), read.response.unwrap().text.as_str()), (Vec::<String>::new(), "a"));
    }
    let resources =
        json!({"role": "assistant", "content": "a", "tools_called": [], "mcp_resources_called": [{"uri": "x"}]});
    let read = case(&json!({"turns": [{"role": "user", "content": "q"}, resources]})).unwrap();
    assert_eq!(unread(&read), ["mcp_resources_called"]);
    // A tool without a schema, in a stream.
    let chunk = |custom: Json| {
        let call = json!({"index": 0, "id": "c", "type": "custom", "custom": custom});
        json!({"id": "1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    };
    let chunks = [chunk(json!({"name": "note", "input": "both "})), chunk(json!({"input": "cities"}))];
    let read = case(&json!({"messages": [{"role": "user", "content": "q"}, chunks[0], chunks[1]]})).unwrap();
    assert_eq!(calls(&read), [("note".to_owned(), json!({"input": "both cities"}), String::new())]);
    // What is cited at Amazon may be more than texts.
    let cited = json!({"content": [{"text": "a"}, {"telepathy": {}}]});
    let read = case(&json!({"messages": [{"role": "assistant", "content": [{"citationsContent": cited}]}]})).unwrap();
    assert_eq!(unread(&read), ["citationsContent"]);
}

#[test]
fn a_result_of_an_mcp_server_says_that_it_is_an_error() {
    let result = json!({"content": [{"type": "text", "text": "boom"}], "isError": true});
    let read = case(&json!({"messages": [{"role": "tool", "tool_call_id": "1", "content": result}]})).unwrap();
    let message = &read.messages.unwrap()[0];
    assert_eq!((message.text.as_deref(), message.error.is_some()), (Some("boom"), true));
}

#[test]
fn a_list_of_calls_that_a_later_version_brings_is_told_in_every_shape() {
    // There the last item is a wrapper, a piece, or a result.
    let others = ["langchain_dumpd", "langchain_to_dict", "openai_chat_stream", "openai_responses"];
    let mut tried = 0;
    for (name, fixture) in fixtures().into_iter().filter(|(name, _)| !others.contains(&name.as_str())) {
        let mut row = fixture["row"].clone();
        let lists = ["messages", "contents", "chat_history", "turns"];
        let list = lists.into_iter().find(|name| row.get(name).is_some()).unwrap();
        let last = row[list].as_array_mut().unwrap().last_mut().unwrap();
        last["telepathic_calls"] = json!([{"name": "weather", "arguments": {}}]);
        let read = case(&row).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(unread(&read), ["telepathic_calls"], "{name}: {read:#?}");
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}

/// Puts an unknown part into the lists of messages and parts, one at a time: how many variants there are, and each of them.
fn injected(value: &Json, is_list_of_parts: bool, part: &Json, into: &mut Vec<Json>) {
    match value {
        Json::Array(list) => {
            // Lists of numbers and texts hold no parts.
            if is_list_of_parts && list.iter().all(Json::is_object) && !list.is_empty() {
                for at in [0, list.len() / 2, list.len()] {
                    let mut list = list.clone();
                    list.insert(at, part.clone());
                    into.push(Json::Array(list));
                }
            }
            for (at, item) in list.iter().enumerate() {
                let mut inner = Vec::new();
                injected(item, false, part, &mut inner);
                into.extend(inner.into_iter().map(|item| {
                    let mut list = list.clone();
                    list[at] = item;
                    Json::Array(list)
                }));
            }
        }
        Json::Object(object) => {
            const PARTS: [&str; 9] =
                ["messages", "contents", "chat_history", "turns", "content", "parts", "input", "output", "user_input"];
            const INSIDE: [&str; 5] = ["raw_item", "data", "kwargs", "message", "model"];
            for (name, item) in object {
                let is_parts = PARTS.contains(&name.as_str());
                if !is_parts && !INSIDE.contains(&name.as_str()) {
                    continue;
                }
                let mut inner = Vec::new();
                injected(item, is_parts, part, &mut inner);
                into.extend(inner.into_iter().map(|item| {
                    let mut object = object.clone();
                    object[name] = item;
                    Json::Object(object)
                }));
            }
        }
        _ => {}
    }
}

#[test]
fn fuzz_unknown_parts_are_never_passed_over() {
    let parts = [
        json!({"type": "telepathy", "payload": {"name": "weather"}}),
        json!({"kind": "telepathy", "part_kind": "telepathy", "content": "x"}),
        json!({"telepathy": {"name": "weather", "input": {}}}),
        json!({"type": "telepathy_call", "id": "t", "status": "completed"}),
        json!({"role": "assistant", "telepathic_calls": [{"name": "weather"}]}),
    ];
    let mut tried = 0;
    for (name, fixture) in fixtures() {
        for part in &parts {
            let mut variants = Vec::new();
            injected(&fixture["row"], false, part, &mut variants);
            assert!(!variants.is_empty(), "{name}");
            for row in variants {
                tried += 1;
                match case(&row) {
                    // A row that is no case is told with its place.
                    Err(_) => {}
                    Ok(read) => {
                        let is_told = !unread(&read).is_empty();
                        // What stands in a result is a value, and all of it is there.
                        let in_result = serde_json::to_string(&read.messages).unwrap().contains("telepath");
                        assert!(is_told || in_result, "{name}: {part}\n{row:#}\n{read:#?}");
                    }
                }
            }
        }
    }
    assert!(tried > 500, "{tried}");
}
