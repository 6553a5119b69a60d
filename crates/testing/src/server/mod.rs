//! A chat server for tests that makes trouble on purpose, the same trouble for the same seed.
//!
//! It speaks the ways of asking (`/chat/completions`, `/responses`, `/v1/messages`, `:generateContent`, `/converse`, `/api/chat`) and of vectors,
//! answers `reply to …` with the last message of the question, in pieces where a stream is wanted, and counts what it saw by
//! question.

mod http;
mod trouble;

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

pub use trouble::Trouble;

/// How many requests are noted as they are.
const MOST_NOTED: usize = 50;

/// How the server behaves.
#[derive(Debug, Clone)]
pub struct ServerBehaviour {
    /// What is drawn depends on this alone, on the question and on how often it was asked.
    pub seed: u64,
    /// Share of requests that get trouble.
    pub share: f64,
    /// Which trouble.
    pub troubles: Vec<Trouble>,
    /// Troubles of the first requests, whatever their question; `share` holds after them.
    pub script: Vec<Trouble>,
    /// Trouble of every first request of a question.
    pub first: Option<Trouble>,
    /// Trouble of every question that holds a text.
    pub marked: Vec<(String, Trouble)>,
    /// Time before a good reply.
    pub delay: Duration,
    /// Longest time that a slow body takes.
    pub slow: Duration,
    /// Seconds that `Retry-After` asks for.
    pub retry_after: u32,
    /// What every request without trouble gets, whatever it asks.
    pub fixed: Option<FixedReply>,
    /// Files that are given away as they are, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Whether good replies and complaints hold the key that was sent.
    pub echoes_keys: bool,
}

impl Default for ServerBehaviour {
    fn default() -> Self {
        Self {
            seed: 1,
            share: 0.0,
            troubles: Trouble::ALL.to_vec(),
            script: Vec::new(),
            first: None,
            marked: Vec::new(),
            delay: Duration::ZERO,
            slow: Duration::from_secs(30),
            retry_after: 1,
            fixed: None,
            files: BTreeMap::new(),
            echoes_keys: false,
        }
    }
}

/// A reply to every request.
#[derive(Debug, Clone, Default)]
pub struct FixedReply {
    /// Status line without the version; `200 OK` if empty.
    pub status: String,
    /// `application/json` if empty.
    pub content_type: String,
    /// Further header lines, each with its end.
    pub headers: String,
    pub body: Vec<u8>,
}

impl FixedReply {
    /// A body with status 200.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..Self::default() }
    }
}

/// What the server saw of one question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuestionStats {
    /// Requests that arrived.
    pub requests: u64,
    /// Replies, refusals and whatever else a provider would charge among them, that were written whole.
    pub answered: u64,
}

#[derive(Default)]
struct RequestLog {
    requests: u64,
    seen: BTreeMap<String, QuestionStats>,
    troubles: BTreeMap<Trouble, u64>,
    bodies: Vec<String>,
    under_way: u64,
    most_under_way: u64,
}

struct ServerState {
    behaviour: ServerBehaviour,
    book: Mutex<RequestLog>,
    stop: AtomicBool,
}

impl ServerState {
    fn request_log(&self) -> MutexGuard<'_, RequestLog> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request and says what it gets.
    fn register_request(&self, question: &str) -> Option<Trouble> {
        let mut book = self.request_log();
        let total = book.requests;
        book.requests += 1;
        let seen = book.seen.entry(question.to_owned()).or_default();
        let before = seen.requests;
        seen.requests += 1;
        let scripted = usize::try_from(total).ok().and_then(|at| self.behaviour.script.get(at)).copied();
        let trouble = match scripted {
            Some(Trouble::None) => None,
            Some(trouble) => Some(trouble),
            None => trouble::draw_trouble(&self.behaviour, question, before),
        };
        *book.troubles.entry(trouble.unwrap_or(Trouble::None)).or_default() += 1;
        trouble
    }

    /// Notes what arrived, for whoever looks at it afterwards.
    fn record_request(&self, head: &str, body: &[u8]) {
        let mut book = self.request_log();
        if book.bodies.len() < MOST_NOTED {
            book.bodies.push(format!("{head}{}", String::from_utf8_lossy(body)));
        }
    }

    fn begin(&self) {
        let mut book = self.request_log();
        book.under_way += 1;
        book.most_under_way = book.most_under_way.max(book.under_way);
    }

    fn end(&self) {
        self.request_log().under_way -= 1;
    }

    fn count_answered(&self, question: &str) {
        self.request_log().seen.entry(question.to_owned()).or_default().answered += 1;
    }
}

/// A server on a port of this machine, until it is dropped.
pub struct TestServer {
    address: SocketAddr,
    shared: Arc<ServerState>,
}

impl TestServer {
    /// Starts a server.
    pub fn start(behaviour: ServerBehaviour) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(ServerState { behaviour, book: Mutex::default(), stop: AtomicBool::new(false) });
        let accepting = Arc::clone(&shared);
        thread::Builder::new().name("test server".to_owned()).spawn(move || {
            for connection in listener.incoming() {
                if accepting.stop.load(Ordering::Relaxed) {
                    return;
                }
                if let Ok(stream) = connection {
                    let shared = Arc::clone(&accepting);
                    // A connection without a thread is closed, which is one more trouble for the caller.
                    let _ = thread::Builder::new().stack_size(256 << 10).spawn(move || http::serve(stream, &shared));
                }
            }
        })?;
        Ok(Self { address, shared })
    }

    /// The address, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// All requests that arrived.
    pub fn requests(&self) -> u64 {
        self.shared.request_log().requests
    }

    /// Most requests that were under way at once.
    pub fn most_under_way(&self) -> u64 {
        self.shared.request_log().most_under_way
    }

    /// Requests as they arrived, head and body; the first few.
    pub fn raw_requests(&self) -> Vec<String> {
        self.shared.request_log().bodies.clone()
    }

    /// What was seen, by question.
    pub fn question_stats(&self) -> BTreeMap<String, QuestionStats> {
        self.shared.request_log().seen.clone()
    }

    /// How often which trouble was made.
    pub fn troubles(&self) -> BTreeMap<Trouble, u64> {
        self.shared.request_log().troubles.clone()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
    }
}
