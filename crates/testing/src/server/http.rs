//! One connection: just enough of HTTP/1.1 for a client that sends a length with every body.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::{Shared, Trouble};

/// Requests up to this size are looked at before they are taken, so that a connection can be reset.
const PEEK: usize = 32 << 10;

/// A request as it arrived.
struct Arrived {
    path: String,
    key: String,
    body: Vec<u8>,
    /// Bytes that are still in the socket.
    waiting: usize,
}

/// Answers requests until the connection ends.
pub(super) fn serve(mut stream: TcpStream, shared: &Shared) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    while let Ok(Some(request)) = arrived(&mut stream, shared) {
        match answer(&mut stream, &request, shared) {
            Ok(true) => {}
            Ok(false) | Err(_) => return,
        }
    }
}

/// Waits for a whole request; nothing when the connection or the server ends.
fn arrived(stream: &mut TcpStream, shared: &Shared) -> io::Result<Option<Arrived>> {
    let mut buffer = vec![0; PEEK];
    let (mut before, mut wait) = (0, SHORTEST_WAIT);
    loop {
        if shared.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let length = match stream.peek(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(length) => length,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => continue,
            Err(error) => return Err(error),
        };
        let bytes = buffer.get(..length).unwrap_or_default();
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4) else {
            if length == PEEK {
                return Ok(None);
            }
            rest(&mut wait);
            continue;
        };
        let head = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned();
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let header = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
        };
        let size: usize = header("content-length").and_then(|text| text.parse().ok()).unwrap_or_default();
        let names = ["authorization", "x-api-key", "x-goog-api-key"];
        let key = names.iter().find_map(|name| header(name)).unwrap_or_default();
        let key = key.trim_start_matches("Bearer ").to_owned();
        if end + size <= length {
            let body = bytes.get(end..end + size).unwrap_or_default().to_vec();
            return Ok(Some(Arrived { path, key, body, waiting: end + size }));
        }
        if end + size > PEEK {
            // Too long to look at first: taken as it comes.
            let mut body = vec![0; end + size];
            read_whole(stream, &mut body, shared)?;
            return Ok(Some(Arrived { path, key, body: body.split_off(end), waiting: 0 }));
        }
        if length == before {
            rest(&mut wait);
        }
        before = length;
    }
}

/// What is waited for the rest of a request at first; then twice as long each time, so that hundreds of slow clients do not keep
/// the machine busy with waiting.
const SHORTEST_WAIT: Duration = Duration::from_micros(200);
const LONGEST_WAIT: Duration = Duration::from_millis(20);

fn rest(wait: &mut Duration) {
    sleep(*wait);
    *wait = (*wait * 2).min(LONGEST_WAIT);
}

/// Like `read_exact`, but patient while the server runs.
fn read_whole(stream: &mut TcpStream, mut place: &mut [u8], shared: &Shared) -> io::Result<()> {
    while !place.is_empty() {
        match stream.read(place) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => place = place.get_mut(count..).unwrap_or_default(),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                if shared.stop.load(Ordering::Relaxed) {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The last thing that was said in a question, in any of the three forms.
fn question(body: &[u8]) -> String {
    let json: Json = serde_json::from_slice(body).unwrap_or_default();
    let last = |field: &str| json.get(field).and_then(Json::as_array).and_then(|list| list.last().cloned());
    let said = last("messages").and_then(|message| message.get("content").cloned());
    let said = said.or_else(|| last("contents").and_then(|content| content.pointer("/parts/0/text").cloned()));
    let said = said.or_else(|| json.get("input").cloned());
    said.as_ref().and_then(Json::as_str).unwrap_or_default().to_owned()
}

/// Numbers that say something about a text: how often it has letters of four kinds.
fn vector(text: &str) -> [f32; 4] {
    let mut counts = [0.0; 4];
    text.bytes().for_each(|byte| counts[usize::from(byte % 4)] += 1.0);
    counts
}

/// A good reply in the form of the path.
fn reply(path: &str, text: &str, refusal: bool) -> Json {
    let tokens = text.len() / 4 + 1;
    if path.ends_with("/v1/messages") {
        let stop = if refusal { "refusal" } else { "end_turn" };
        return json!({"model": "test", "content": [{"type": "text", "text": text}], "stop_reason": stop,
            "usage": {"input_tokens": tokens, "output_tokens": tokens}});
    }
    if path.ends_with(":generateContent") {
        let stop = if refusal { "SAFETY" } else { "STOP" };
        return json!({"modelVersion": "test",
            "candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": stop}],
            "usageMetadata": {"promptTokenCount": tokens, "candidatesTokenCount": tokens}});
    }
    if path.ends_with("/embeddings") {
        return json!({"model": "test", "data": [{"embedding": vector(text)}], "usage": {"prompt_tokens": tokens}});
    }
    let message = if refusal { json!({"content": null, "refusal": text}) } else { json!({"content": text}) };
    json!({"model": "test", "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": tokens, "completion_tokens": tokens}})
}

/// Answers one request; says whether the connection goes on.
fn answer(stream: &mut TcpStream, request: &Arrived, shared: &Shared) -> io::Result<bool> {
    let behaviour = &shared.behaviour;
    if let Some(file) = behaviour.files.get(&request.path) {
        read_whole(stream, &mut vec![0; request.waiting], shared)?;
        return write(stream, "200 OK", "application/octet-stream", "", file).map(|()| true);
    }
    let question = question(&request.body);
    let trouble = shared.arrive(&question);
    if trouble == Some(Trouble::Reset) && request.waiting > 0 {
        // Closing a socket with bytes that nobody read resets the connection.
        return Ok(false);
    }
    let mut taken = vec![0; request.waiting];
    read_whole(stream, &mut taken, shared)?;
    let echo = if behaviour.echoes_keys { format!(" (key {})", request.key) } else { String::new() };
    let good = reply(&request.path, &format!("reply to {question}{echo}"), false).to_string();
    let complaint = json!({"error": {"message": format!("trouble{echo}"), "type": "test"}}).to_string();
    let json = "application/json";
    match trouble {
        None | Some(Trouble::None) => {
            sleep(behaviour.delay);
            write(stream, "200 OK", json, "", good.as_bytes())?;
            shared.answered(&question);
            Ok(true)
        }
        Some(Trouble::Refusal) => {
            let words = reply(&request.path, &format!("I will not answer{echo}"), true).to_string();
            write(stream, "200 OK", json, "", words.as_bytes())?;
            shared.answered(&question);
            Ok(true)
        }
        Some(Trouble::TooMany) => whole(stream, "429 Too Many Requests", "", &complaint),
        Some(Trouble::TooManyWithDelay) => {
            let header = format!("Retry-After: {}\r\n", behaviour.retry_after);
            whole(stream, "429 Too Many Requests", &header, &complaint)
        }
        Some(Trouble::ServerError) => whole(stream, "500 Internal Server Error", "", &complaint),
        Some(Trouble::Overloaded) => {
            let header = "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
            whole(stream, "503 Service Unavailable", header, &complaint)
        }
        Some(Trouble::BadRequest) => whole(stream, "400 Bad Request", "", &complaint),
        Some(Trouble::Unauthorized) => whole(stream, "401 Unauthorized", "", &complaint),
        Some(Trouble::Redirect) => whole(stream, "302 Found", "Location: http://127.0.0.1:9/\r\n", &complaint),
        Some(Trouble::WrongContentType) => {
            write(stream, "200 OK", "text/html", "", format!("<p>Please log in{echo}</p>").as_bytes())?;
            Ok(true)
        }
        Some(Trouble::InvalidJson) => {
            write(stream, "200 OK", json, "", b"{\"choices\": [{\"message\": {\"content\": \"a\nb\"}}]")?;
            Ok(true)
        }
        Some(Trouble::EmptyChoices) => whole(stream, "200 OK", "", r#"{"model":"test","choices":[],"content":[]}"#),
        Some(Trouble::Huge) => huge(stream).map(|()| false),
        Some(Trouble::CutBody) => {
            half(stream, &good)?;
            Ok(false)
        }
        Some(Trouble::SlowBody) => {
            half(stream, &good)?;
            hold(stream, shared);
            Ok(false)
        }
        Some(Trouble::Reset | Trouble::Closed) => Ok(false),
    }
}

fn whole(stream: &mut TcpStream, status: &str, header: &str, body: &str) -> io::Result<bool> {
    write(stream, status, "application/json", header, body.as_bytes()).map(|()| true)
}

fn write(stream: &mut TcpStream, status: &str, kind: &str, header: &str, body: &[u8]) -> io::Result<()> {
    let mut bytes =
        format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{header}\r\n", body.len())
            .into_bytes();
    bytes.extend_from_slice(body);
    stream.write_all(&bytes)
}

/// The head and the first half of a body.
fn half(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes().get(..body.len() / 2).unwrap_or_default())?;
    stream.flush()
}

/// Waits until the other side has gone, or too long.
fn hold(stream: &mut TcpStream, shared: &Shared) {
    let end = Instant::now() + shared.behaviour.slow;
    let mut byte = [0];
    while Instant::now() < end && !shared.stop.load(Ordering::Relaxed) {
        match stream.peek(&mut byte) {
            Ok(0) => return,
            Ok(_) => sleep(Duration::from_millis(20)),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(_) => return,
        }
    }
}

/// More than anybody should read.
fn huge(stream: &mut TcpStream) -> io::Result<()> {
    let size = 64 << 20;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let piece = vec![b' '; 1 << 16];
    for _ in 0..size / piece.len() {
        stream.write_all(&piece)?;
    }
    Ok(())
}
