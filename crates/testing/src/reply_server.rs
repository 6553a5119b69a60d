//! [`ReplyServer`]: a chat server for tests that answers whatever a function says.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;

use crate::{HttpRequest, write_json_response};

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
    let Some(request) = HttpRequest::read(&mut stream)? else { return Ok(()) };
    let (status, body) = reply(&serde_json::from_slice(&request.body).unwrap_or_default());
    write_json_response(&mut stream, status, &body.to_string())
}
