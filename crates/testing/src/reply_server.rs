//! [`ReplyServer`]: a chat server for tests that answers whatever a function says.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;

/// Gives the reply to a request: status and body.
type ReplyFn = dyn Fn(&Json) -> (u16, Json) + Send + Sync;

/// A server on a port of this machine, until it is dropped. Every request has a thread of its own.
pub struct ReplyServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
}

impl ReplyServer {
    /// Starts to answer with what `reply` says about the JSON of a request.
    pub fn start(reply: impl Fn(&Json) -> (u16, Json) + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let (address, stop) = (listener.local_addr()?, Arc::new(AtomicBool::new(false)));
        let (reply, is_over): (Arc<ReplyFn>, _) = (Arc::new(reply), Arc::clone(&stop));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let reply = Arc::clone(&reply);
                // A client that goes away is no matter of the server.
                thread::spawn(move || drop(answer(stream, &*reply)));
            }
        });
        Ok(Self { address, stop })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for ReplyServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The listener wakes up once more.
        drop(TcpStream::connect_timeout(&self.address, Duration::from_secs(1)));
    }
}

fn answer(mut stream: TcpStream, reply: &ReplyFn) -> io::Result<()> {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 8192]);
    let (start, length) = loop {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(start) = bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4) {
            let head = String::from_utf8_lossy(&bytes[..start]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
            break (start, length.unwrap_or(0));
        }
    };
    while bytes.len() < start + length {
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        bytes.extend_from_slice(&buffer[..count]);
    }
    let (status, body) = reply(&serde_json::from_slice(&bytes[start..start + length]).unwrap_or_default());
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
