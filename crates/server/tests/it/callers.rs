//! Who may ask: tokens, and names of this machine.

use probare_server::{AuthToken, Server, ServerSettings};

use crate::client::{Reply, TestServer};

/// What must never come back.
const CANARY: &str = "canary-7f3b9d1e5a2c4068";

const EXCHANGE: &str = r#"{"query":"q","response":"r","context":["c"]"#;

fn guarded() -> TestServer {
    TestServer::start(ServerSettings { token: Some(AuthToken::new(CANARY).unwrap()), ..ServerSettings::default() })
}

/// Whether any eight characters of the token came back.
fn leaks(reply: &Reply) -> bool {
    let text = format!("{}{}", reply.head, reply.body);
    CANARY.as_bytes().windows(8).any(|run| text.contains(std::str::from_utf8(run).unwrap()))
}

#[test]
fn without_the_token_nothing_but_health_answers() {
    let server = guarded();
    assert_eq!(server.get("/health").status, 200);
    for path in ["/v1/metrics", "/v1/metrics/token_f1", "/metrics", "/openapi.json"] {
        let reply = server.get(path);
        assert!(reply.expect_error(401).contains("Bearer"), "{reply:?}");
        assert!(reply.head.contains("www-authenticate: bearer"), "{reply:?}");
        let wrong = server.ask("GET", path, &["Authorization: Bearer canary-7f3b9d1e5a2c4069"], "");
        wrong.expect_error(401);
        assert!(!leaks(&wrong));
        let right = server.ask("GET", path, &[&format!("Authorization: bearer {CANARY}")], "");
        assert_eq!(right.status, 200);
        assert!(!leaks(&right));
    }
    let json = "Content-Type: application/json";
    server.ask("POST", "/v1/score", &[json], r#"{"metrics":["token_f1"],"cases":[]}"#).expect_error(401);
    // In the body of /v1 a token is an unknown field, and nobody reads the body before the header is right.
    let body = format!(r#"{{"metrics":["token_f1"],"cases":[],"auth":"{CANARY}"}}"#);
    let reply = server.ask("POST", "/v1/score", &[json], &body);
    reply.expect_error(401);
    assert!(!leaks(&reply));
}

#[test]
fn published_paths_take_the_token_from_their_body_too() {
    let server = guarded();
    let json = "Content-Type: application/json";
    let post = |headers: &[&str], body: &str| server.ask("POST", "/evaluate", headers, body);
    assert_eq!(post(&[json], &format!("{EXCHANGE},\"auth\":\"{CANARY}\"}}")).status, 200);
    assert_eq!(post(&[json, &format!("Authorization: Bearer {CANARY}")], &format!("{EXCHANGE}}}")).status, 200);
    post(&[json], &format!("{EXCHANGE}}}")).expect_error(401);
    post(&[json], &format!("{EXCHANGE},\"auth\":null}}")).expect_error(401);
    post(&[json], &format!("{EXCHANGE},\"auth\":\"{CANARY}x\"}}")).expect_error(401);
    // A wrong header is not made good by the body.
    let both = post(&[json, "Authorization: Basic x"], &format!("{EXCHANGE},\"auth\":\"{CANARY}\"}}"));
    both.expect_error(401);
    // A token of the wrong shape is not repeated either.
    let shape = post(&[json], &format!("{EXCHANGE},\"auth\":[\"{CANARY}\"]}}"));
    assert!(shape.expect_error(422).contains("`auth` is not a text"));
    assert!(!leaks(&both) && !leaks(&shape));
    for path in ["/prompt", "/evaluation-prompt"] {
        server.post(path, r#"{"question":"Who?"}"#).expect_error(401);
        let reply = server.post(path, &format!(r#"{{"question":"Who?","auth":"{CANARY}"}}"#));
        assert!(reply.expect_error(404).contains("no corpus"), "{reply:?}");
        assert!(!leaks(&reply));
    }
}

#[test]
fn other_machines_need_a_token() {
    for address in ["0.0.0.0:0", "[::]:0"] {
        let Err(error) = Server::bind(address, ServerSettings::default()) else { panic!("{address} is open to all") };
        assert!(error.to_string().contains("no token is set"), "{error}");
    }
    let settings = ServerSettings { token: Some(AuthToken::new(CANARY).unwrap()), ..ServerSettings::default() };
    assert!(Server::bind("0.0.0.0:0", settings).is_ok());
    for address in ["", "localhost", "127.0.0.1:99999", "no such host:80"] {
        assert!(Server::bind(address, ServerSettings::default()).is_err(), "{address}");
    }
}

#[test]
fn a_page_of_another_site_gets_nothing() {
    let server = TestServer::start(ServerSettings::default());
    let body = format!("{EXCHANGE}}}");
    // A name that somebody points at this machine.
    let rebound = server.send(
        format!(
            "POST /evaluate HTTP/1.1\r\nHost: evil.example:8080\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .as_bytes(),
    );
    rebound.expect_error(421);
    // A form that a browser sends without asking.
    server.ask("POST", "/evaluate", &["Content-Type: text/plain"], &body).expect_error(415);
    let asked = server.ask("OPTIONS", "/evaluate", &["Origin: http://evil.example"], "");
    assert!(!asked.head.contains("access-control"), "{asked:?}");
}
