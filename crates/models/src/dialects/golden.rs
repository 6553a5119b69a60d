//! Requests and replies of every dialect, written by hand after what the provider publishes: `tests/golden/PROVIDER.json`. No live
//! request was made, so they hold us to our reading of a description and to nothing more.

use std::time::{Duration, SystemTime};

use probare_core::{Image, Message, MessagePart, ModelReply, Parameters, Role, Tool, ToolCall};
use reqwest::header::HeaderMap;
use serde_json::{Value as Json, json};

use super::tests_support::request;
use super::{Feature, RawReply, ReplyError};
use crate::{ModelRequest, Provider};

/// Providers that speak over HTTP.
fn providers() -> impl Iterator<Item = (Provider, Json)> {
    let spoken = |provider: &Provider| !matches!(provider, Provider::Command | Provider::Prompt | Provider::Replay);
    Provider::ALL.into_iter().filter(spoken).map(|provider| {
        let path = format!("{}/tests/golden/{provider}.json", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        (provider, serde_json::from_str(&text).unwrap())
    })
}

/// The question of a name, with whatever the provider can express.
fn golden_request(provider: Provider, name: &str) -> ModelRequest {
    let base_url = match provider {
        Provider::Azure => "https://house.openai.azure.com",
        Provider::Bedrock => "https://bedrock-runtime.us-east-1.amazonaws.com",
        _ => provider.base_url().unwrap(),
    };
    let mut model_request =
        ModelRequest { base_url: base_url.into(), parameters: Parameters::default(), ..request(provider) };
    let can = |feature| provider.supports(feature);
    match name {
        "plain" => {
            let schema = json!({"type": "object", "properties": {"verdict": {"type": "boolean"}},
                "required": ["verdict"], "additionalProperties": false});
            model_request.parameters = Parameters {
                temperature: Some(0.2),
                max_tokens: Some(50),
                seed: can(Feature::Seed).then_some(7),
                stop: if can(Feature::Stop) { vec!["END".into()] } else { Vec::new() },
                schema: Some(schema),
                ..Parameters::default()
            };
        }
        "tools" => {
            let call = ToolCall {
                id: "call_1".into(),
                name: "weather".into(),
                arguments: json!({"city": "Rome"}),
                signature: None,
            };
            let result = MessagePart::ToolResult {
                id: "call_1".into(),
                name: "weather".into(),
                text: "warm".into(),
                is_error: false,
            };
            model_request.messages = vec![
                Message::user("How is the weather in Rome?"),
                Message::assistant("").with_part(MessagePart::ToolCall(call)),
                Message::new(Role::Tool, "").with_part(result),
            ];
            model_request.parameters.tools = vec![Tool {
                name: "weather".into(),
                description: "Says how the weather is.".into(),
                parameters: json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
            }];
        }
        // Two results of parallel calls, as messages of their own and the second without the name of its tool.
        "parallel_tools" => {
            model_request = golden_request(provider, "tools");
            let signature = (provider == Provider::Gemini).then(|| "c2lnbmVk".to_owned());
            let call = |id: &str, city: &str, signature| {
                let arguments = json!({ "city": city });
                MessagePart::ToolCall(ToolCall { id: id.into(), name: "weather".into(), arguments, signature })
            };
            model_request.messages[1] = Message::assistant("")
                .with_part(call("call_1", "Rome", signature))
                .with_part(call("call_2", "Oslo", None));
            let result = MessagePart::ToolResult {
                id: "call_2".into(),
                name: String::new(),
                text: "unknown".into(),
                is_error: true,
            };
            model_request.messages.push(Message::new(Role::Tool, "").with_part(result));
        }
        "image" => {
            let image = Image::new(*b"\x89PNG\r\n\x1a\n").unwrap();
            model_request.messages = vec![Message::user("What is it?").with_part(MessagePart::Image(image))];
        }
        "stream" => model_request.messages = vec![Message::user("Why?")],
        "effort" => {
            model_request.messages = vec![Message::user("Why?")];
            model_request.reasoning_effort = Some("high".to_owned());
        }
        other => panic!("`{other}` is no known request"),
    }
    model_request
}

#[test]
fn requests_are_written_as_the_documentation_was_read() {
    for (provider, golden) in providers() {
        let requests = golden["requests"].as_object().unwrap();
        for required in ["plain", "tools", "image"] {
            assert!(requests.contains_key(required), "{provider} has no `{required}`");
        }
        assert_eq!(requests.contains_key("stream"), provider.supports(Feature::Streaming), "{provider}");
        assert_eq!(requests.contains_key("vectors"), provider.supports(Feature::Embeddings), "{provider}");
        for (name, expected) in requests {
            let raw = if name == "vectors" {
                let vector = |text: &str| ModelRequest {
                    messages: vec![Message::user(text)],
                    embedding: true,
                    ..golden_request(provider, "stream")
                };
                provider.dialect().write_vectors(&[vector("a"), vector("b")]).unwrap()
            } else {
                provider.dialect().write(&golden_request(provider, name), name == "stream").unwrap()
            };
            let body: Json = serde_json::from_slice(&raw.body).unwrap();
            assert_eq!(body, expected["body"], "{provider} {name}");
            assert_eq!(raw.url, expected["url"].as_str().unwrap(), "{provider} {name}");
        }
    }
}

fn compare(read: Result<RawReply, ReplyError>, expected: &Json, what: &str) {
    match (read, expected.get("fault").and_then(Json::as_str)) {
        (Ok(raw), None) => {
            let expected_reply: ModelReply = serde_json::from_value(expected["reply"].clone()).unwrap();
            assert_eq!(raw.reply, expected_reply, "{what}");
            assert_eq!(raw.cost, expected.get("cost").and_then(Json::as_f64), "{what}");
        }
        (Err(error), Some(fault)) => assert_eq!(format!("{:?}", error.fault), fault, "{what}: {}", error.reason),
        (read, _) => panic!("{what}: {read:?}"),
    }
}

#[test]
fn replies_are_read_as_the_documentation_means_them() {
    for (provider, golden) in providers() {
        let plain = golden_request(provider, "stream");
        for expected in golden["replies"].as_array().unwrap() {
            let read = provider.dialect().read(&plain, expected["body"].to_string().as_bytes());
            compare(read, expected, &format!("{provider} {}", expected["name"]));
        }
    }
}

#[test]
fn streams_are_joined_to_what_would_have_come_at_once() {
    for (provider, golden) in providers().filter(|(provider, _)| provider.supports(Feature::Streaming)) {
        let plain = golden_request(provider, "stream");
        assert!(!golden["streams"].as_array().unwrap().is_empty(), "{provider}");
        for expected in golden["streams"].as_array().unwrap() {
            let events = expected["events"].as_array().unwrap();
            let dialect = provider.dialect();
            let read = dialect.join(events).and_then(|whole| dialect.read(&plain, whole.to_string().as_bytes()));
            compare(read, expected, &format!("{provider} {}", expected["name"]));
        }
    }
}

#[test]
fn complaints_are_known_for_what_they_are() {
    for (provider, golden) in providers() {
        for expected in golden["faults"].as_array().unwrap() {
            let (status, body) = (expected["status"].as_u64().unwrap(), expected["body"].to_string());
            let fault = provider.dialect().fault(u16::try_from(status).unwrap(), &body);
            assert_eq!(format!("{fault:?}"), expected["fault"], "{provider} {body}");
            let delay = provider.dialect().retry_after(&HeaderMap::new(), &body, SystemTime::UNIX_EPOCH);
            assert_eq!(delay, expected["seconds"].as_u64().map(Duration::from_secs), "{provider} {body}");
        }
    }
}
