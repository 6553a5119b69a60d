//! [`BatchServer`]: the batch interfaces of `OpenAI` and Anthropic for tests. It works on nothing until it is told to, counts what
//! it would charge for, and can lose a reply.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::{HttpRequest, write_json_response};

/// A batch that was made.
#[derive(Debug, Clone)]
struct Batch {
    is_anthropic: bool,
    metadata: Json,
    /// Name and body of each request.
    requests: Vec<(String, Json)>,
    is_ended: bool,
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<String, Vec<u8>>,
    batches: BTreeMap<String, Batch>,
    /// Requests that were answered one by one.
    single: u64,
    /// Replies of 200 that were worked out in batches.
    answered: u64,
    loses_reply: bool,
    /// Questions with `LATE` that were expired once.
    expired: Vec<String>,
}

/// A server on a port of this machine, until it is dropped.
pub struct BatchServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    state: Arc<Mutex<State>>,
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BatchServer {
    /// Starts to take batches; every request waits so long.
    pub fn start(delay: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let (stop, state) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(State::default())));
        let (is_over, shared) = (Arc::clone(&stop), Arc::clone(&state));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&shared);
                // A client that goes away is no matter of the server.
                thread::spawn(move || drop(serve(stream, &shared, delay)));
            }
        });
        Ok(Self { address, stop, state })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ends all batches that were made so far. A question with `BAD` is refused; one with `LATE` expires, the first time.
    pub fn finish(&self) {
        let mut state = lock(&self.state);
        let mut answered = 0;
        let mut late = Vec::new();
        for batch in state.batches.values_mut().filter(|batch| !batch.is_ended) {
            batch.is_ended = true;
            for (_, body) in &batch.requests {
                let asked = last_text(body);
                if asked.contains("LATE") {
                    late.push(asked);
                } else if !asked.contains("BAD") {
                    answered += 1;
                }
            }
        }
        let again = late.iter().filter(|asked| state.expired.contains(asked)).count() as u64;
        state.answered += answered + again;
        state.expired.extend(late);
    }

    /// The next batch is taken, and the connection ends before anybody is told so.
    pub fn lose_next_reply(&self) {
        lock(&self.state).loses_reply = true;
    }

    /// Batches that were made.
    pub fn batches(&self) -> usize {
        lock(&self.state).batches.len()
    }

    /// Requests in all batches.
    pub fn requests(&self) -> usize {
        lock(&self.state).batches.values().map(|batch| batch.requests.len()).sum()
    }

    /// Requests that were answered one by one.
    pub fn single(&self) -> u64 {
        lock(&self.state).single
    }

    /// Replies that were charged for.
    pub fn answered(&self) -> u64 {
        lock(&self.state).answered
    }
}

impl Drop for BatchServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // The listener wakes up once more.
        drop(TcpStream::connect_timeout(&self.address, Duration::from_secs(1)));
    }
}

/// The last thing that was said in a question.
fn last_text(body: &Json) -> String {
    let last = body.get("messages").and_then(Json::as_array).and_then(|list| list.last());
    last.and_then(|message| message.get("content")?.as_str()).unwrap_or_default().to_owned()
}

/// The body of a reply: a verdict with its code for the model `judge`, else `reply to …`.
fn reply(body: &Json, is_anthropic: bool) -> Json {
    let asked = body.to_string();
    let code = asked.split("a text: ").nth(1).and_then(|rest| rest.split('.').next()).unwrap_or_default();
    let text = if body["model"] == "judge" {
        json!({"reason": "fine", "level": "good", "code": code}).to_string()
    } else {
        format!("reply to {}", last_text(body))
    };
    if is_anthropic {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 10, "output_tokens": 5}})
    } else {
        json!({"model": body["model"], "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
            "finish_reason": "stop"}], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
    }
}

/// The lines of the results of a batch, the last request first.
fn results(batch: &Batch, expired: &[String]) -> String {
    let line = |(name, body): &(String, Json)| {
        let asked = last_text(body);
        let is_late = asked.contains("LATE") && expired.iter().filter(|known| **known == asked).count() < 2;
        let error = json!({"type": "invalid_request_error", "message": "this is refused"});
        let line = match (batch.is_anthropic, asked.contains("BAD"), is_late) {
            (true, true, _) => {
                json!({"custom_id": name, "result": {"type": "errored", "error": {"type": "error", "error": error}}})
            }
            (true, _, true) => json!({"custom_id": name, "result": {"type": "expired"}}),
            (true, ..) => json!({"custom_id": name, "result": {"type": "succeeded", "message": reply(body, true)}}),
            (false, true, _) => json!({"id": "r", "custom_id": name, "error": null,
                "response": {"status_code": 400, "request_id": "q", "body": {"error": error}}}),
            (false, _, true) => json!({"id": "r", "custom_id": name, "response": null,
                "error": {"code": "batch_expired", "message": "it was not worked on in time"}}),
            (false, ..) => json!({"id": "r", "custom_id": name, "error": null,
                "response": {"status_code": 200, "request_id": "q", "body": reply(body, false)}}),
        };
        format!("{line}\n")
    };
    batch.requests.iter().rev().map(line).collect()
}

/// A batch as its vendor tells it.
fn batch_json(id: &str, batch: &Batch) -> Json {
    let total = batch.requests.len();
    let done = if batch.is_ended { total } else { 0 };
    if batch.is_anthropic {
        let status = if batch.is_ended { "ended" } else { "in_progress" };
        return json!({"id": id, "type": "message_batch", "processing_status": status, "results_url": null,
            "request_counts": {"processing": total - done, "succeeded": done, "errored": 0, "canceled": 0, "expired": 0}});
    }
    let (status, output) =
        if batch.is_ended { ("completed", json!(format!("out-{id}"))) } else { ("in_progress", Json::Null) };
    json!({"id": id, "object": "batch", "status": status, "metadata": batch.metadata, "output_file_id": output,
        "error_file_id": null, "request_counts": {"total": total, "completed": done, "failed": 0}})
}

/// What a request gets: status and body; nothing where the connection just ends.
fn answer(state: &mut State, method: &str, path: &str, head: &str, body: &[u8]) -> Option<(u16, String)> {
    let asked: Json = serde_json::from_slice(body).unwrap_or_default();
    let good = |json: Json| Some((200, json.to_string()));
    let (path, _) = path.split_once('?').unwrap_or((path, ""));
    let is_anthropic = path.starts_with("/v1/messages");
    let list_path = if is_anthropic { "/v1/messages/batches" } else { "/v1/batches" };
    let number = state.batches.len() + state.files.len() + 1;
    match (method, path) {
        ("POST", "/v1/files") => {
            let boundary = head.split("boundary=").nth(1)?.lines().next()?.trim().to_owned();
            let text = String::from_utf8_lossy(body).into_owned();
            let part = text.split(&format!("--{boundary}")).find(|part| part.contains("name=\"file\""))?;
            let content = part.split_once("\r\n\r\n")?.1.trim_end().as_bytes().to_vec();
            let id = format!("file-{number}");
            state.files.insert(id.clone(), content);
            good(json!({"id": id, "object": "file", "purpose": "batch"}))
        }
        ("POST", "/v1/batches" | "/v1/messages/batches") => {
            let requests: Vec<(String, Json)> = if is_anthropic {
                let list = asked["requests"].as_array()?;
                list.iter()
                    .map(|one| (one["custom_id"].as_str().unwrap_or_default().to_owned(), one["params"].clone()))
                    .collect()
            } else {
                let file = state.files.get(asked["input_file_id"].as_str()?)?;
                let lines = String::from_utf8_lossy(file).into_owned();
                let lines = lines.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
                lines
                    .map(|one| (one["custom_id"].as_str().unwrap_or_default().to_owned(), one["body"].clone()))
                    .collect()
            };
            let id = format!("batch_{number}");
            let batch = Batch { is_anthropic, metadata: asked["metadata"].clone(), requests, is_ended: false };
            let reply = batch_json(&id, &batch);
            state.batches.insert(id, batch);
            if std::mem::take(&mut state.loses_reply) { None } else { good(reply) }
        }
        ("GET", _) if path == list_path => {
            let of_vendor = state.batches.iter().filter(|(_, batch)| batch.is_anthropic == is_anthropic);
            let list: Vec<Json> = of_vendor.map(|(id, batch)| batch_json(id, batch)).collect();
            good(json!({"data": list, "has_more": false}))
        }
        ("GET", _) => {
            let id = path.trim_start_matches(list_path).trim_start_matches('/');
            let file = path.strip_prefix("/v1/files/out-").and_then(|rest| rest.strip_suffix("/content"));
            if let Some(batch) = file.or(id.strip_suffix("/results")).and_then(|id| state.batches.get(id)) {
                return Some((200, results(batch, &state.expired)));
            }
            match state.batches.get(id) {
                Some(batch) => good(batch_json(id, batch)),
                None => Some((404, json!({"error": {"message": "no such batch"}}).to_string())),
            }
        }
        _ => {
            state.single += 1;
            good(reply(&asked, path.ends_with("/messages")))
        }
    }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>, delay: Duration) -> io::Result<()> {
    let Some(request) = HttpRequest::read(&mut stream)? else { return Ok(()) };
    let (method, path) = request.method_and_path();
    thread::sleep(delay);
    let answered = answer(&mut lock(state), method, path, &request.head, &request.body);
    let Some((status, body)) = answered else { return Ok(()) };
    write_json_response(&mut stream, status, &body)
}
