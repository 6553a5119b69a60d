//! `POST /prompt`: who answers, what is refused, what happens when the answerer does not behave; and the end of a server.

use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use probare_retrieval::answer::{CitedAnswer, ContextItem, PromptReply, PromptRequest};
use probare_server::{PromptAnswerer, PromptError, ServerLimits, ServerSettings};
use serde_json::{Map, json};

use crate::client::{TestServer, read, request};

/// Answers by what is asked; a question `wait` is answered once the test says so.
struct Puppet {
    models: Vec<String>,
    leave: Mutex<Receiver<()>>,
    waiting: AtomicUsize,
}

impl Puppet {
    fn new() -> (Arc<Self>, Sender<()>) {
        let (leave, taken) = channel();
        let models = vec!["openai:gpt-4o-mini".to_owned(), "groq:small".to_owned()];
        (Arc::new(Self { models, leave: Mutex::new(taken), waiting: AtomicUsize::new(0) }), leave)
    }
}

impl PromptAnswerer for Puppet {
    fn models(&self) -> &[String] {
        &self.models
    }

    fn answer(&self, asked: &PromptRequest) -> Result<PromptReply, PromptError> {
        match asked.question.as_str() {
            "panic" => panic!("words of a panic"),
            "filter" => return Err(PromptError::Question { reason: "there is no column `PLACE`".into() }),
            "model" => return Err(PromptError::Model { reason: "the model declined".into() }),
            "late" => return Err(PromptError::TimedOut),
            "corpus" => return Err(PromptError::Corpus),
            "wait" => {
                self.waiting.fetch_add(1, Ordering::SeqCst);
                let _ = self.leave.lock().unwrap().recv_timeout(Duration::from_secs(20));
            }
            _ => {}
        }
        let metadata = asked.filter.clone();
        Ok(PromptReply {
            question: asked.question.clone(),
            context: vec![ContextItem { page_content: "we grow mussels".into(), metadata }; asked.k.min(2)],
            answer: CitedAnswer {
                answer: format!("{} says mussels", asked.model),
                citations: vec![json!({"source_index": 0, "quote": "mussels"})],
            },
        })
    }
}

fn start_with_answerer(limits: ServerLimits) -> (TestServer, Arc<Puppet>, Sender<()>) {
    let (puppet, leave) = Puppet::new();
    let settings = ServerSettings { answerer: Some(puppet.clone()), limits, ..ServerSettings::default() };
    (TestServer::start(settings), puppet, leave)
}

#[test]
fn a_question_is_answered_in_the_published_form() {
    let (server, ..) = start_with_answerer(ServerLimits::default());
    let body =
        r#"{"k":1.0,"filter":{"PROJECT":"DK-019"},"question":"Which species?","model":"groq:small","auth":"unused"}"#;
    for path in ["/prompt", "/evaluation-prompt", "/"] {
        let reply = server.post(path, body);
        assert_eq!(
            reply.body,
            concat!(
                r#"{"question":"Which species?","context":[{"page_content":"we grow mussels","metadata":{"PROJECT":"DK-019"}}],"#,
                r#""answer":{"answer":"groq:small says mussels","citations":[{"source_index":0,"quote":"mussels"}]}}"#
            )
        );
    }
    let short = server.post("/prompt", r#"{"question":"Which species?"}"#).json();
    assert_eq!(short["answer"]["answer"], "openai:gpt-4o-mini says mussels");
    assert_eq!(short["context"][1]["metadata"], json!(Map::new()));
}

#[test]
fn a_question_that_cannot_be_answered_is_refused() {
    let (server, ..) = start_with_answerer(ServerLimits::default());
    let ask = |body: &str, status| server.post("/prompt", body).expect_error(status);
    assert!(ask(r#"{"question":" "}"#, 422).contains("empty"));
    assert!(ask(r#"{"question":"q","k":0}"#, 422).contains("from 1 to 100"));
    assert!(ask(r#"{"question":"q","k":-1}"#, 422).contains("does not fit"));
    assert!(ask(r#"{"question":"q","k":1.5}"#, 422).contains("does not fit"));
    assert!(ask(r#"{"question":"q","filter":[]}"#, 422).contains("does not fit"));
    // Files of this machine, other servers: whatever is not offered is refused without being tried.
    for model in ["replay:/etc/passwd", "command:sh", "openai:gpt-5", ""] {
        let said = ask(&json!({"question": "q", "model": model}).to_string(), 422);
        assert!(said.contains("`openai:gpt-4o-mini`, `groq:small`"), "{said}");
    }
    assert!(ask(r#"{"question":"filter"}"#, 422).contains("`PLACE`"));
    assert!(ask(r#"{"question":"model"}"#, 502).contains("declined"));
    assert!(ask(r#"{"question":"late"}"#, 504).contains("in time"));
    assert!(ask(r#"{"question":"corpus"}"#, 500).contains("could not be searched"));
    assert!(!ask(r#"{"question":"panic"}"#, 500).contains("words of a panic"));
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn an_answer_that_does_not_come_is_waited_for_only_so_long() {
    let (server, _, leave) =
        start_with_answerer(ServerLimits { time: Duration::from_millis(300), ..ServerLimits::default() });
    let since = Instant::now();
    server.post("/prompt", r#"{"question":"wait"}"#).expect_error(504);
    assert!(since.elapsed() < Duration::from_secs(10));
    leave.send(()).unwrap();
}

#[test]
fn when_all_is_full_a_client_is_told_to_come_back() {
    // As many as are answered at once, one that waits, and one too many.
    const AT_ONCE: usize = 32;
    let (server, puppet, leave) = start_with_answerer(ServerLimits { waiting: 1, ..ServerLimits::default() });
    let text = request("POST", "/prompt", &["Content-Type: application/json"], r#"{"question":"wait"}"#);
    let mut streams = Vec::new();
    for at in 0..=AT_ONCE {
        let mut stream = server.connect();
        stream.write_all(text.as_bytes()).unwrap();
        streams.push(stream);
        until(|| puppet.waiting.load(Ordering::SeqCst) >= (at + 1).min(AT_ONCE));
    }
    until(|| server.get("/metrics").body.contains("probare_requests_waiting 1\n"));
    let refused = server.send(text.as_bytes());
    assert!(refused.expect_error(503).contains("try again"));
    assert!(refused.head.contains("retry-after: 1"), "{refused:?}");
    for _ in 0..streams.len() {
        leave.send(()).unwrap();
    }
    for mut stream in streams {
        assert_eq!(read(&mut stream).status, 200);
    }
}

#[test]
fn what_is_under_way_is_finished_before_the_end() {
    let (server, puppet, leave) = start_with_answerer(ServerLimits::default());
    let mut idle = server.connect();
    idle.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut stream = server.connect();
    let text = request("POST", "/prompt", &["Content-Type: application/json"], r#"{"question":"wait"}"#);
    stream.write_all(text.as_bytes()).unwrap();
    until(|| puppet.waiting.load(Ordering::SeqCst) == 1);
    server.stop.stop();
    let address = server.address;
    until(|| std::net::TcpStream::connect(address).is_err());
    leave.send(()).unwrap();
    assert_eq!(read(&mut stream).status, 200);
    assert!(read(&mut idle).body.contains("ok"), "an idle connection is closed");
    server.wait_until_stopped();
}

/// Waits until something is so.
#[track_caller]
fn until(is_so: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < Duration::from_secs(20), "it does not come to be");
        std::thread::sleep(Duration::from_millis(2));
    }
}
