//! What is not there, not understood or not allowed is refused in JSON.

use probare_server::ServerSettings;

use crate::client::TestServer;

#[test]
fn unknown_paths_and_methods_are_refused_in_json() {
    let server = TestServer::start(ServerSettings::default());
    assert!(server.get("/nothing?x=1").expect_error(404).contains("/openapi.json"));
    // A person at a browser sees what there is.
    let browser = |path: &str| server.ask("GET", path, &["Accept: text/html,*/*;q=0.8"], "");
    let (home, lost) = (browser("/"), browser("/nothing"));
    assert_eq!((home.status, lost.status), (200, 404));
    assert!(home.head.contains("text/html") && home.body.contains("href=\"/openapi.json\""), "{home:?}");
    assert!(server.get("/v1/metrics/%FF").expect_error(400).contains("UTF-8"));
    let unknown = server.get("/v1/metrics/token_f2").expect_error(404);
    assert!(unknown.contains("`token_f2`") && unknown.contains("`token_f1`"), "{unknown}");
    for (method, path, allowed) in
        [("GET", "/evaluate", "post"), ("DELETE", "/health", "get"), ("BREW", "/metrics", "get")]
    {
        let reply = server.ask(method, path, &[], "");
        reply.expect_error(405);
        assert!(reply.head.contains(&format!("allow: {allowed}")), "{reply:?}");
    }
}

#[test]
fn what_is_no_request_gets_no_further() {
    let server = TestServer::start(ServerSettings::default());
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01"[..],
        b"GET\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /evaluate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nxx",
    ] {
        let reply = server.send(bytes);
        assert!(matches!(reply.status, 0 | 400..=499 | 505), "{reply:?}");
    }
    let long = format!("GET /health HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(200_000));
    assert!(matches!(server.send(long.as_bytes()).status, 0 | 431), "a head has an end");
    assert_eq!(server.get("/health").status, 200);
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a test writes what it needs")]
fn a_client_of_a_server_starts_no_code() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("client_code");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let (file, mark) = (folder.join("checks.py").display().to_string(), folder.join("started").display().to_string());
    std::fs::write(&file, format!("open({mark:?}, 'w')\n")).unwrap();
    let server = TestServer::start(ServerSettings::default());
    for metric in [
        serde_json::json!(format!("{file}:f")),
        serde_json::json!({"python": format!("{file}:f")}),
        serde_json::json!({"name": "n", "command": ["touch", mark]}),
    ] {
        let body = serde_json::json!({"metrics": [metric], "cases": [{"id": "a", "response": "x"}]});
        let refused = server.post("/v1/score", &body.to_string()).expect_error(422);
        assert!(refused.contains("only the user's own flags and configuration may name"), "{refused}");
        assert!(!std::path::Path::new(&mark).exists(), "{metric}");
    }
}

#[test]
fn the_catalogue_is_that_of_the_program() {
    let server = TestServer::start(ServerSettings::default());
    let list = server.get("/v1/metrics").json();
    let metrics = list["metrics"].as_array().unwrap();
    assert_eq!(metrics.len(), probare_benchmarks::registry().iter().count());
    let one = server.get("/v1/metrics/token_f1").json();
    assert!(metrics.contains(&one["metric"]));
    assert_eq!(one["page"].as_str(), Some(probare_benchmarks::registry().get("token_f1").unwrap().page));
}
