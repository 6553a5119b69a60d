//! A server on a free port, and a client that does what it is told, also what a good one would not do.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use probare_server::{ServeError, Server, ServerSettings, StopHandle};
use serde_json::Value as Json;

/// A server that is stopped with its last use.
pub struct TestServer {
    pub address: SocketAddr,
    pub stop: StopHandle,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

/// What came back.
#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
    /// Whether a reply in pieces had its end.
    pub is_whole: bool,
}

impl TestServer {
    pub fn start(settings: ServerSettings) -> Self {
        let server = Server::bind("127.0.0.1:0", settings).unwrap();
        let (address, stop) = (server.address(), server.stop());
        let thread = std::thread::spawn(move || server.run());
        Self { address, stop, thread: Some(thread) }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends bytes as they are and reads to the end.
    pub fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // A server that has refused already may have closed its end.
        let _ = stream.write_all(bytes);
        read(&mut stream)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.ask("GET", path, &[], "")
    }

    pub fn post(&self, path: &str, body: &str) -> Reply {
        self.ask("POST", path, &["Content-Type: application/json"], body)
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Reply {
        self.send(request(method, path, headers, body).as_bytes())
    }

    /// Waits for the end of a server that was stopped.
    pub fn wait_until_stopped(mut self) {
        self.thread.take().unwrap().join().unwrap().unwrap();
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub fn request(method: &str, path: &str, headers: &[&str], body: &str) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    for header in headers {
        text.push_str(&format!("{header}\r\n"));
    }
    text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    text
}

/// Reads a reply to its end.
pub fn read(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // A connection that is reset has an end too.
    let _ = stream.read_to_end(&mut bytes);
    let _ = stream.shutdown(Shutdown::Both);
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, rest)) = text.split_once("\r\n\r\n") else {
        return Reply { status: 0, head: text.into_owned(), body: String::new(), is_whole: false };
    };
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    let head = head.to_ascii_lowercase();
    if !head.contains("transfer-encoding: chunked") {
        return Reply { status, head, body: rest.to_owned(), is_whole: true };
    }
    let (mut body, mut rest, mut is_whole) = (String::new(), rest, false);
    while let Some((size, more)) = rest.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size, 16) else { break };
        if size == 0 {
            is_whole = true;
            break;
        }
        let Some(piece) = more.get(..size) else { break };
        body.push_str(piece);
        rest = more.get(size + 2..).unwrap_or_default();
    }
    Reply { status, head, body, is_whole }
}

impl Reply {
    #[track_caller]
    pub fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A refusal with this status, whose words are JSON.
    #[track_caller]
    pub fn expect_error(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{self:?}");
        assert!(self.head.contains("content-type: application/json"), "{self:?}");
        let json = self.json();
        let error = json["error"].as_str().unwrap_or_else(|| panic!("no error in {self:?}"));
        assert!(!error.is_empty() && !error.contains("panicked"));
        format!("{error} ({})", json["expected"].as_str().unwrap_or_default())
    }
}
