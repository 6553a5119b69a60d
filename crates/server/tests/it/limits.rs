//! Long bodies, slow clients, many of them: refused, and gone.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use probare_server::{ServerLimits, ServerSettings};

use crate::client::{TestServer, read};

fn limited(limits: ServerLimits) -> TestServer {
    TestServer::start(ServerSettings { limits, ..ServerSettings::default() })
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let server = limited(ServerLimits { exchange: 1000, body: 2000, ..ServerLimits::default() });
    let long = format!(r#"{{"query":"q","response":"r","context":["{}"]}}"#, "x".repeat(1000));
    let reply = server.post("/evaluate", &long);
    assert!(reply.expect_error(413).contains("at most 1000 bytes"));
    assert!(reply.head.contains("connection: close"));
    // In pieces, without saying how long it will be.
    let pieces = format!(
        "POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{long}\r\n0\r\n\r\n",
        long.len()
    );
    server.send(pieces.as_bytes()).expect_error(413);
    let cases = format!(r#"{{"metrics":["exact_match"],"cases":[{{"response":"{}"}}]}}"#, "x".repeat(2000));
    server.post("/v1/score", &cases).expect_error(413);
    // Announced and never sent: it is not waited for.
    let since = Instant::now();
    let announced = "POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n";
    server.send(announced.as_bytes()).expect_error(413);
    assert!(since.elapsed() < Duration::from_secs(5));
}

#[test]
fn bodies_have_a_common_room() {
    let server = limited(ServerLimits { bodies: 64 * 1024, ..ServerLimits::default() });
    let body = format!(r#"{{"query":"q","response":"r","context":["{}"]}}"#, "x".repeat(200_000));
    let reply = server.post("/evaluate", &body);
    reply.expect_error(503);
    // What was taken is given back.
    for _ in 0..100 {
        assert_eq!(server.post("/evaluate", r#"{"query":"q","response":"r","context":[]}"#).status, 200);
    }
}

#[test]
fn a_head_that_does_not_come_closes_the_connection() {
    let server = limited(ServerLimits { head_time: Duration::from_millis(200), ..ServerLimits::default() });
    for beginning in ["", "GET /health HTTP/1.1\r\nHost: loc"] {
        let mut stream = server.connect();
        stream.write_all(beginning.as_bytes()).unwrap();
        let since = Instant::now();
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(since.elapsed() < Duration::from_secs(5), "it was kept for {:?}", since.elapsed());
    }
    // One byte after the other does not help.
    let mut stream = server.connect();
    let since = Instant::now();
    while stream.write_all(b"x").is_ok() && since.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(since.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_body_that_does_not_come_is_refused() {
    let server = limited(ServerLimits { time: Duration::from_millis(300), ..ServerLimits::default() });
    let mut stream = server.connect();
    let head =
        "POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{";
    stream.write_all(head.as_bytes()).unwrap();
    assert!(read(&mut stream).expect_error(408).contains("in time"));
}

#[test]
fn connections_beyond_the_limit_wait_for_their_turn() {
    let server =
        limited(ServerLimits { connections: 2, head_time: Duration::from_millis(300), ..ServerLimits::default() });
    let lazy: Vec<_> = (0..2).map(|_| server.connect()).collect();
    // The lazy ones are sent away after their time, and then it is this one's turn.
    let since = Instant::now();
    assert_eq!(server.get("/health").status, 200);
    assert!(since.elapsed() >= Duration::from_millis(100));
    drop(lazy);
}

#[test]
fn a_client_that_takes_nothing_is_left() {
    let server = limited(ServerLimits { write_time: Duration::from_millis(300), ..ServerLimits::default() });
    let text = "x ".repeat(20_000);
    let case = format!(r#"{{"response":"{text}","reference":"{text}"}}"#);
    let cases = vec![case.as_str(); 100].join("\n");
    let head = format!(
        "POST /v1/score?metric=token_f1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: {}\r\n\r\n",
        cases.len()
    );
    let in_flight =
        |count: usize| server.get("/metrics").body.contains(&format!("probare_requests_in_flight {count}\n"));
    let mut streams = Vec::new();
    for _ in 0..4 {
        let mut stream = server.connect();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(cases.as_bytes()).unwrap();
        streams.push(stream);
    }
    let since = Instant::now();
    // The one that asks is in flight itself.
    while !in_flight(1) {
        assert!(since.elapsed() < Duration::from_secs(30), "they are kept");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(streams);
}

#[test]
fn counters_count() {
    let server = limited(ServerLimits::default());
    server.get("/health");
    server.get("/health");
    server.get("/nothing/secret-in-a-path");
    server.post("/evaluate", "x");
    // A connection is counted until the server has seen its end.
    let since = Instant::now();
    let mut reply = server.get("/metrics");
    while !reply.body.contains("probare_connections 1\n") && since.elapsed() < Duration::from_secs(10) {
        reply = server.get("/metrics");
    }
    assert!(reply.head.contains("content-type: text/plain; version=0.0.4"), "{reply:?}");
    for line in [
        r#"probare_requests_total{path="/health",status="200"} 2"#,
        r#"probare_requests_total{path="other",status="404"} 1"#,
        r#"probare_requests_total{path="/evaluate",status="400"} 1"#,
        r#"probare_request_duration_seconds_count{path="/health"} 2"#,
        "probare_requests_in_flight 1",
        "probare_connections 1",
    ] {
        assert!(reply.body.lines().any(|found| found == line), "{line} is not in\n{}", reply.body);
    }
    assert!(!reply.body.contains("secret"));
}
