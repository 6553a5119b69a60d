//! `POST /v1/traces`: OTLP in JSON and in protobuf, packed or not, becomes cases and result lines.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use probare_server::{ServerLimits, ServerSettings};
use serde_json::{Value as Json, json};

use crate::client::{Reply, TestServer};

fn fixture(name: &str) -> Vec<u8> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/otel");
    std::fs::read(folder.join(name)).unwrap()
}

fn send(server: &TestServer, query: &str, headers: &[&str], body: &[u8]) -> Reply {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    let mut request =
        format!("POST /v1/traces{query} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n")
            .into_bytes();
    request.extend_from_slice(body);
    server.send(&request)
}

const JSON: &str = "Content-Type: application/json";
const PROTOBUF: &str = "Content-Type: application/x-protobuf";
const GZIP: &str = "Content-Encoding: gzip";

fn lines(reply: &Reply) -> Vec<Json> {
    assert_eq!(reply.status, 200, "{reply:?}");
    assert!(reply.is_whole, "{reply:?}");
    reply.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut length = bytes.len();
    let mut field = vec![(number << 3) | 2];
    while length > 127 {
        field.push(u8::try_from(length % 128).unwrap() | 128);
        length /= 128;
    }
    field.push(u8::try_from(length).unwrap());
    field.extend_from_slice(bytes);
    field
}

/// A trace with one call of a model, in protobuf.
fn protobuf() -> Vec<u8> {
    let attribute =
        |key: &str, value: &str| field(9, &[field(1, key.as_bytes()), field(2, &field(1, value.as_bytes()))].concat());
    let message =
        |role: &str, text: &str| json!([{"role": role, "parts": [{"type": "text", "content": text}]}]).to_string();
    let span = [
        field(1, &[0x74; 16]),
        field(2, &[0x63; 8]),
        field(5, b"chat m"),
        attribute("gen_ai.operation.name", "chat"),
        attribute("gen_ai.input.messages", &message("user", "Say hello")),
        attribute("gen_ai.output.messages", &message("assistant", "hello")),
    ]
    .concat();
    field(1, &field(2, &field(2, &span)))
}

#[test]
fn traces_in_json_are_scored_and_tell_what_is_missing() {
    let server = TestServer::start(ServerSettings::default());
    let query = "?metric=said%3Dcontains%3Atexts%3D%5B%22rains%22%5D&metric=steps";
    let found = lines(&send(&server, query, &[JSON], &fixture("genai-agent-structured.json")));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["id"], "74310000000000000000000000000000");
    assert_eq!(found[0]["scores"]["said"]["value"], 1.0);
    assert!(found[0]["scores"]["steps"]["value"].is_number());

    let found = lines(&send(&server, "?metric=steps", &[JSON], &fixture("content-off.json")));
    let note = found[0]["note"].as_str().unwrap();
    assert!(note.contains("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"), "{note}");
    assert_eq!(found[1]["id"], "74310000000000000000000000000000");
}

#[test]
fn protobuf_and_gzip_give_the_same_lines() {
    let server = TestServer::start(ServerSettings::default());
    let query = "?metric=said%3Dcontains%3Atexts%3D%5B%22hello%22%5D";
    let plain = send(&server, query, &[PROTOBUF], &protobuf());
    let found = lines(&plain);
    assert_eq!((&found[0]["id"], &found[0]["scores"]["said"]["value"]), (&json!("74".repeat(16)), &json!(1.0)));
    assert_eq!(send(&server, query, &[PROTOBUF, GZIP], &packed(&protobuf())).body, plain.body);
    let json = fixture("two-traces.jsonl");
    let whole = send(&server, query, &[JSON], &json);
    assert_eq!(lines(&whole).len(), 2);
    assert_eq!(send(&server, query, &[JSON, GZIP], &packed(&json)).body, whole.body);
    let grouped = send(&server, &format!("{query}&group=conversation"), &[JSON], &json);
    assert_eq!(lines(&grouped)[0]["id"], "conv-1");
}

#[test]
fn a_small_body_of_very_many_messages_is_refused_before_they_are_made() {
    let server = TestServer::start(ServerSettings::default());
    // As a list, and as a text that is one.
    for (open, close) in [("{\"arrayValue\":{\"values\":[", "{}]}}"), ("{\"stringValue\":\"[", "{}]\"}")] {
        let mut body =
            b"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"aa\",\"spanId\":\"bb\",\"attributes\":[\
            {\"key\":\"gen_ai.input.messages\",\"value\":"
                .to_vec();
        body.extend(open.bytes());
        body.extend("{},".repeat(2_000_000).bytes());
        body.extend(close.bytes());
        body.extend(b"}]}]}]}]}");
        let packed = packed(&body);
        assert!(packed.len() < 30_000, "{}", packed.len());
        let told = lines(&send(&server, "?metric=steps", &[JSON, GZIP], &packed));
        assert!(told[0]["error"].as_str().unwrap().contains("far more values"), "{told:?}");
    }
}

#[test]
fn what_cannot_be_used_is_refused_with_what_was_expected() {
    let limits = ServerLimits { body: 10_000, ..ServerLimits::default() };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() });
    let fine = fixture("content-off.json");
    assert!(send(&server, "", &[JSON], &fine).expect_error(422).contains("metric"));
    assert!(send(&server, "?metric=steps&group=day", &[JSON], &fine).expect_error(422).contains("conversation"));
    assert!(
        send(&server, "?metric=steps", &["Content-Type: text/plain"], &fine).expect_error(415).contains("x-protobuf")
    );
    let brotli = "Content-Encoding: br";
    assert!(send(&server, "?metric=steps", &[JSON, brotli], &fine).expect_error(415).contains("gzip"));
    assert!(send(&server, "?metric=steps", &[JSON, GZIP], &fine).expect_error(400).contains("is not gzip"));
    assert!(send(&server, "?metric=steps", &[PROTOBUF], &fine).expect_error(400).contains("not OTLP protobuf"));
    // A small body that is large once it is unpacked.
    send(&server, "?metric=steps", &[JSON, GZIP], &packed(&vec![b' '; 1_000_000])).expect_error(413);
    let broken = lines(&send(&server, "?metric=steps", &[JSON], b"{\"resourceSpans\": 5}"));
    assert!(broken[0]["error"].as_str().unwrap().contains("the traces cannot be read"), "{broken:?}");
    assert_eq!(lines(&send(&server, "?metric=steps", &[JSON], b"{\"resourceSpans\": []}")), Vec::<Json>::new());
}

#[test]
fn a_token_guards_traces_as_it_guards_scores() {
    let token = probare_server::AuthToken::new("a-token-of-sixteen-signs").unwrap();
    let server = TestServer::start(ServerSettings { token: Some(token), ..ServerSettings::default() });
    let fine = fixture("content-off.json");
    send(&server, "?metric=steps", &[JSON], &fine).expect_error(401);
    let reply = send(&server, "?metric=steps", &[JSON, "Authorization: Bearer a-token-of-sixteen-signs"], &fine);
    assert_eq!(lines(&reply).len(), 2);
}
