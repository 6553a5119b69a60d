//! One connection: just enough of HTTP/1.1 for a client that sends a length with every body.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::{ServerState, Trouble};

/// Requests up to this size are looked at before they are taken, so that a connection can be reset.
const MAX_PEEK: usize = 32 << 10;

/// A request as it arrived.
struct HttpRequest {
    path: String,
    head: String,
    key: String,
    body: Vec<u8>,
    /// Bytes that are still in the socket.
    waiting: usize,
}

/// Answers requests until the connection ends.
pub(super) fn serve(mut stream: TcpStream, shared: &ServerState) {
    let _ = stream.set_nodelay(true);
    let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    while let Ok(Some(request)) = read_request(&mut stream, shared) {
        shared.begin();
        let went = answer(&mut stream, &request, shared);
        shared.end();
        if !matches!(went, Ok(true)) {
            return;
        }
    }
}

/// Waits for a whole request; nothing when the connection or the server ends.
fn read_request(stream: &mut TcpStream, shared: &ServerState) -> io::Result<Option<HttpRequest>> {
    let mut buffer = vec![0; MAX_PEEK];
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
            if length == MAX_PEEK {
                return Ok(None);
            }
            back_off(&mut wait);
            continue;
        };
        let head = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned();
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let header = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
        };
        let size: usize = header("content-length").and_then(|text| text.parse().ok()).unwrap_or_default();
        let names = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];
        let key = names.iter().find_map(|name| header(name)).unwrap_or_default();
        let key = key.trim_start_matches("Bearer ").to_owned();
        if end + size <= length {
            let body = bytes.get(end..end + size).unwrap_or_default().to_vec();
            return Ok(Some(HttpRequest { path, head, key, body, waiting: end + size }));
        }
        if end + size > MAX_PEEK {
            // Too long to look at first: taken as it comes.
            let mut body = vec![0; end + size];
            read_whole(stream, &mut body, shared)?;
            return Ok(Some(HttpRequest { path, head, key, body: body.split_off(end), waiting: 0 }));
        }
        if length == before {
            back_off(&mut wait);
        }
        before = length;
    }
}

/// What is waited for the rest of a request at first; then twice as long each time, so that hundreds of slow clients do not keep
/// the machine busy with waiting.
const SHORTEST_WAIT: Duration = Duration::from_micros(200);
const LONGEST_WAIT: Duration = Duration::from_millis(20);

fn back_off(wait: &mut Duration) {
    sleep(*wait);
    *wait = (*wait * 2).min(LONGEST_WAIT);
}

/// Like `read_exact`, but patient while the server runs.
fn read_whole(stream: &mut TcpStream, mut place: &mut [u8], shared: &ServerState) -> io::Result<()> {
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

/// The last thing that was said in a question, in any of the forms.
fn last_message_text(json: &Json) -> String {
    let last = |field: &str| json.get(field).and_then(Json::as_array).and_then(|list| list.last().cloned());
    let text = |value: &Json| -> Option<String> {
        match value {
            Json::String(text) => Some(text.clone()),
            Json::Array(parts) => parts.iter().find_map(|part| part.get("text")?.as_str().map(ToOwned::to_owned)),
            _ => None,
        }
    };
    let said = last("messages").and_then(|message| text(message.get("content")?));
    let said = said.or_else(|| last("contents").and_then(|content| text(content.get("parts")?)));
    let said = said.or_else(|| last("input").and_then(|item| text(item.get("content")?)));
    said.unwrap_or_else(|| embedding_inputs(json).join("\n"))
}

/// The texts whose vectors are wanted.
fn embedding_inputs(json: &Json) -> Vec<String> {
    match json.get("input").or_else(|| json.get("requests")) {
        Some(Json::String(text)) => vec![text.clone()],
        Some(Json::Array(texts)) => texts
            .iter()
            .filter_map(|item| item.as_str().or_else(|| item.pointer("/content/parts/0/text")?.as_str()))
            .map(ToOwned::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// Numbers that say something about a text: how often it has letters of four kinds.
fn vector(text: &str) -> [f32; 4] {
    let mut counts = [0.0; 4];
    text.bytes().for_each(|byte| counts[usize::from(byte % 4)] += 1.0);
    counts
}

/// How a good reply is unusual.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplyForm {
    Plain,
    Refusal,
    Filtered,
    Length,
    LengthInThoughts,
    ThoughtsOnly,
    Null,
    Empty,
    ToolCall,
}

/// The form of a good reply under this trouble.
fn form(trouble: Trouble) -> ReplyForm {
    match trouble {
        Trouble::Refusal => ReplyForm::Refusal,
        Trouble::Filtered => ReplyForm::Filtered,
        Trouble::Length => ReplyForm::Length,
        Trouble::LengthInThoughts => ReplyForm::LengthInThoughts,
        Trouble::ThoughtsOnly => ReplyForm::ThoughtsOnly,
        Trouble::NullContent => ReplyForm::Null,
        Trouble::EmptyText => ReplyForm::Empty,
        Trouble::ToolCall => ReplyForm::ToolCall,
        _ => ReplyForm::Plain,
    }
}

/// A good reply in the form of the path.
fn reply(path: &str, asked: &Json, text: &str, form: ReplyForm, has_usage: bool) -> Json {
    let tokens = text.len() / 4 + 1;
    let is_cut = matches!(form, ReplyForm::Length | ReplyForm::LengthInThoughts);
    let has_text = matches!(form, ReplyForm::Plain | ReplyForm::Length | ReplyForm::Refusal | ReplyForm::Empty);
    let text = if form == ReplyForm::Empty { "" } else { text };
    let stop = |end: &'static str, length: &'static str, tool: &'static str, refusal: &'static str| match form {
        ReplyForm::Refusal | ReplyForm::Filtered => refusal,
        ReplyForm::ToolCall => tool,
        _ if is_cut => length,
        _ => end,
    };
    let usage = |input: &str, output: &str| {
        if has_usage { json!({input: tokens, output: tokens}) } else { Json::Null }
    };
    if path.ends_with("/v1/messages") {
        let mut content = Vec::new();
        if matches!(form, ReplyForm::ThoughtsOnly | ReplyForm::LengthInThoughts) {
            content.push(json!({"type": "thinking", "thinking": "hm"}));
        }
        if has_text {
            content.push(json!({"type": "text", "text": text}));
        }
        if form == ReplyForm::ToolCall {
            content.push(json!({"type": "tool_use", "id": "1", "name": "look", "input": {"at": text}}));
        }
        let stop = stop("end_turn", "max_tokens", "tool_use", "refusal");
        return json!({"model": "test", "content": content, "stop_reason": stop, "usage": usage("input_tokens", "output_tokens")});
    }
    if path.ends_with(":batchEmbedContents") {
        let vectors: Vec<Json> = embedding_inputs(asked).iter().map(|text| json!({"values": vector(text)})).collect();
        return json!({"embeddings": vectors});
    }
    if path.contains(":generateContent") || path.contains(":streamGenerateContent") {
        let mut parts = Vec::new();
        if matches!(form, ReplyForm::ThoughtsOnly | ReplyForm::LengthInThoughts) {
            parts.push(json!({"text": "hm", "thought": true}));
        }
        if has_text {
            parts.push(json!({"text": text}));
        }
        if form == ReplyForm::ToolCall {
            parts.push(json!({"functionCall": {"name": "look", "args": {"at": text}}}));
        }
        let stop = stop("STOP", "MAX_TOKENS", "STOP", "SAFETY");
        return json!({"modelVersion": "test", "candidates": [{"content": {"parts": parts}, "finishReason": stop}],
            "usageMetadata": usage("promptTokenCount", "candidatesTokenCount")});
    }
    if path.ends_with("/converse") {
        let content: Vec<Json> = if has_text {
            vec![json!({"text": text})]
        } else if form == ReplyForm::ToolCall {
            vec![json!({"toolUse": {"toolUseId": "1", "name": "look", "input": {"at": text}}})]
        } else {
            Vec::new()
        };
        let stop = stop("end_turn", "max_tokens", "tool_use", "content_filtered");
        return json!({"output": {"message": {"role": "assistant", "content": content}}, "stopReason": stop,
            "usage": usage("inputTokens", "outputTokens")});
    }
    if path.ends_with("/responses") {
        let mut output = Vec::new();
        if matches!(form, ReplyForm::ThoughtsOnly | ReplyForm::LengthInThoughts) {
            output.push(json!({"type": "reasoning", "summary": []}));
        }
        if form == ReplyForm::Refusal {
            output.push(json!({"type": "message", "content": [{"type": "refusal", "refusal": text}]}));
        } else if has_text {
            output.push(json!({"type": "message", "content": [{"type": "output_text", "text": text}]}));
        }
        if form == ReplyForm::ToolCall {
            let arguments = json!({"at": text}).to_string();
            output.push(json!({"type": "function_call", "call_id": "1", "name": "look", "arguments": arguments}));
        }
        let reason = if is_cut { "max_output_tokens" } else { "content_filter" };
        let is_whole = !is_cut && form != ReplyForm::Filtered;
        let details = if is_whole { Json::Null } else { json!({"reason": reason}) };
        return json!({"model": "test", "status": if is_whole { "completed" } else { "incomplete" },
            "incomplete_details": details, "output": output, "usage": usage("input_tokens", "output_tokens")});
    }
    if path.ends_with("/api/embed") {
        let vectors: Vec<_> = embedding_inputs(asked).iter().map(|text| vector(text)).collect();
        let count = if has_usage { json!(tokens) } else { Json::Null };
        return json!({"model": "test", "embeddings": vectors, "prompt_eval_count": count});
    }
    if path.ends_with("/api/chat") {
        let message = match form {
            ReplyForm::ThoughtsOnly | ReplyForm::LengthInThoughts => {
                json!({"role": "assistant", "content": "", "thinking": "hm"})
            }
            ReplyForm::Null | ReplyForm::Filtered => json!({"role": "assistant"}),
            ReplyForm::ToolCall => json!({"role": "assistant", "content": "",
                "tool_calls": [{"function": {"name": "look", "arguments": {"at": text}}}]}),
            _ => json!({"role": "assistant", "content": text}),
        };
        let mut whole = json!({"model": "test", "message": message, "done": true,
            "done_reason": stop("stop", "length", "stop", "content_filter")});
        if has_usage {
            whole["prompt_eval_count"] = json!(tokens);
            whole["eval_count"] = json!(tokens);
        }
        return whole;
    }
    if path.contains("/embeddings") {
        let vectors = embedding_inputs(asked);
        let data: Vec<Json> =
            vectors.iter().enumerate().map(|(at, text)| json!({"index": at, "embedding": vector(text)})).collect();
        return json!({"model": "test", "data": data, "usage": if has_usage { json!({"prompt_tokens": tokens}) } else { Json::Null }});
    }
    let message = match form {
        ReplyForm::Refusal => json!({"content": null, "refusal": text}),
        ReplyForm::ThoughtsOnly | ReplyForm::LengthInThoughts => json!({"content": null, "reasoning_content": "hm"}),
        ReplyForm::Null | ReplyForm::Filtered => json!({"content": null}),
        ReplyForm::ToolCall => json!({"content": null, "tool_calls": [{"id": "1", "type": "function",
            "function": {"name": "look", "arguments": json!({"at": text}).to_string()}}]}),
        _ => json!({"content": text}),
    };
    // A model that declines ends as usual here.
    let stop = if form == ReplyForm::Refusal { "stop" } else { stop("stop", "length", "tool_calls", "content_filter") };
    json!({"model": "test", "choices": [{"message": message, "finish_reason": stop}],
        "usage": usage("prompt_tokens", "completion_tokens")})
}

/// A good reply of `/chat/completions` in pieces.
fn stream_chunks(text: &str) -> Vec<String> {
    let tokens = text.len() / 4 + 1;
    let chunk = |json: Json| format!("data: {json}\n\n");
    let (first, second) = text.split_at(text.floor_char_boundary(text.len() / 2));
    let delta = |text: &str| json!({"model": "test", "choices": [{"index": 0, "delta": {"content": text}}]});
    vec![
        chunk(delta(first)),
        ": keep-alive\n\n".to_owned(),
        chunk(delta(second)),
        chunk(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})),
        chunk(json!({"choices": [], "usage": {"prompt_tokens": tokens, "completion_tokens": tokens}})),
        "data: [DONE]\n\n".to_owned(),
    ]
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let _ = packer.write_all(bytes);
    packer.finish().unwrap_or_default()
}

/// Answers one request; says whether the connection goes on.
fn answer(stream: &mut TcpStream, request: &HttpRequest, shared: &ServerState) -> io::Result<bool> {
    let behaviour = &shared.behaviour;
    if let Some(file) = behaviour.files.get(&request.path) {
        read_whole(stream, &mut vec![0; request.waiting], shared)?;
        return write(stream, "200 OK", "application/octet-stream", "", file).map(|()| true);
    }
    let asked: Json = serde_json::from_slice(&request.body).unwrap_or_default();
    let question = last_message_text(&asked);
    shared.record_request(&request.head, &request.body);
    let trouble = shared.register_request(&question).unwrap_or(Trouble::None);
    if trouble == Trouble::Reset && request.waiting > 0 {
        // Closing a socket with bytes that nobody read resets the connection.
        return Ok(false);
    }
    let mut taken = vec![0; request.waiting];
    read_whole(stream, &mut taken, shared)?;
    if let Some(fixed) = behaviour.fixed.as_ref().filter(|_| trouble == Trouble::None) {
        let status = if fixed.status.is_empty() { "200 OK" } else { &fixed.status };
        let kind = if fixed.content_type.is_empty() { "application/json" } else { &fixed.content_type };
        shared.count_answered(&question);
        return write(stream, status, kind, &fixed.headers, &fixed.body).map(|()| true);
    }
    let echo = if behaviour.echoes_keys { format!(" (key {})", request.key) } else { String::new() };
    let complaint = json!({"error": {"message": format!("trouble{echo}"), "type": "test"}}).to_string();
    if let Some((status, header, body)) = failure(trouble, behaviour.retry_after, &echo) {
        return send_json(stream, status, &header, body.as_deref().unwrap_or(&complaint));
    }
    let words = match trouble {
        Trouble::Refusal => format!("I will not answer{echo}"),
        _ => format!("reply to {question}{echo}"),
    };
    if asked.get("stream") == Some(&Json::Bool(true)) {
        return send_stream(stream, &words, trouble, shared, &question);
    }
    let good = reply(&request.path, &asked, &words, form(trouble), trouble != Trouble::NoUsage).to_string();
    let json = "application/json";
    // What a provider has answered it charges, whether we can read it or not.
    let charged = |written: io::Result<bool>| {
        if written.is_ok() {
            shared.count_answered(&question);
        }
        written
    };
    match trouble {
        Trouble::WrongContentType => {
            let page = format!("<p>Please log in{echo}</p>");
            write(stream, "200 OK", "text/html", "", page.as_bytes()).map(|()| true)
        }
        Trouble::OddContentType => charged(write(stream, "200 OK", "text/plain", "", good.as_bytes()).map(|()| true)),
        Trouble::NoContentType => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{good}", good.len());
            charged(stream.write_all(head.as_bytes()).map(|()| true))
        }
        Trouble::NoLength => {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {json}\r\nConnection: close\r\n\r\n{good}");
            charged(stream.write_all(head.as_bytes()).map(|()| false))
        }
        Trouble::Gzip => {
            let header = "Content-Encoding: gzip\r\n";
            charged(write(stream, "200 OK", json, header, &gzip(good.as_bytes())).map(|()| true))
        }
        Trouble::GzipUnannounced => charged(write(stream, "200 OK", json, "", &gzip(good.as_bytes())).map(|()| true)),
        Trouble::GzipCut => {
            let packed = gzip(good.as_bytes());
            let part = packed.get(..packed.len() / 2).unwrap_or_default();
            write(stream, "200 OK", json, "Content-Encoding: gzip\r\n", part).map(|()| true)
        }
        Trouble::Brotli => write(stream, "200 OK", json, "Content-Encoding: br\r\n", b"\x0b\x02").map(|()| true),
        Trouble::InvalidJson => {
            write(stream, "200 OK", json, "", b"{\"choices\": [{\"message\": {\"content\": \"a\nb\"}}]").map(|()| true)
        }
        Trouble::OddJson => send_json(stream, "200 OK", "", "[1, 2]"),
        Trouble::EmptyBody => send_json(stream, "200 OK", "", ""),
        Trouble::EmptyChoices => send_json(stream, "200 OK", "", r#"{"model":"test","choices":[],"content":[]}"#),
        Trouble::ErrorInBody => send_json(stream, "200 OK", "", r#"{"error":{"message":"behind us","code":502}}"#),
        Trouble::Huge => send_huge(stream, 64 << 20).map(|()| false),
        Trouble::TwentyMegabytes => send_huge(stream, 20_000_000).map(|()| false),
        Trouble::CutBody => send_half(stream, &good).map(|()| false),
        Trouble::SlowBody => {
            send_half(stream, &good)?;
            hold(stream, shared);
            Ok(false)
        }
        Trouble::SlowHead => {
            hold(stream, shared);
            Ok(false)
        }
        Trouble::Reset | Trouble::Closed => Ok(false),
        _ => {
            sleep(behaviour.delay);
            charged(write(stream, "200 OK", json, "", good.as_bytes()).map(|()| true))
        }
    }
}

/// Status, headers and body of a failure; no body for the usual complaint.
fn failure(trouble: Trouble, retry_after: u32, echo: &str) -> Option<(&'static str, String, Option<String>)> {
    let plain = |status| Some((status, String::new(), None));
    let says = |status, message: &str| {
        Some((status, String::new(), Some(json!({"error": {"message": format!("{message}{echo}")}}).to_string())))
    };
    let named = |status, code: &str| {
        let body = json!({"error": {"code": code, "message": format!("trouble{echo}")}}).to_string();
        Some((status, String::new(), Some(body)))
    };
    let too_many = "429 Too Many Requests";
    match trouble {
        Trouble::TooMany => plain(too_many),
        Trouble::TooManyWithDelay => Some((too_many, format!("Retry-After: {retry_after}\r\n"), None)),
        Trouble::TooManyWithMilliseconds => {
            let milliseconds = u64::from(retry_after) * 1000;
            Some((too_many, format!("retry-after-ms: {milliseconds}\r\n"), None))
        }
        Trouble::TooManyWithDelayInBody => {
            let detail =
                json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": format!("{retry_after}s")});
            let body = json!({"error": {"code": 429, "message": "slower", "details": [detail]}}).to_string();
            Some((too_many, String::new(), Some(body)))
        }
        Trouble::NoCredit => named(too_many, "insufficient_quota"),
        Trouble::PaymentRequired => plain("402 Payment Required"),
        Trouble::RequestTimeout => plain("408 Request Timeout"),
        Trouble::Conflict => plain("409 Conflict"),
        Trouble::ServerError => plain("500 Internal Server Error"),
        Trouble::BadGateway => Some(("502 Bad Gateway", String::new(), Some("<h1>Bad gateway</h1>".to_owned()))),
        Trouble::Overloaded => {
            let header = "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n".to_owned();
            Some(("503 Service Unavailable", header, None))
        }
        Trouble::GatewayTimeout => plain("504 Gateway Timeout"),
        Trouble::SiteOverloaded => plain("529 Site Overloaded"),
        Trouble::NoContent => Some(("204 No Content", String::new(), Some(String::new()))),
        Trouble::Redirect => Some(("302 Found", "Location: http://127.0.0.1:9/\r\n".to_owned(), None)),
        Trouble::BadRequest => plain("400 Bad Request"),
        Trouble::ModeratedAs400 => named("400 Bad Request", "content_filter"),
        Trouble::WrongKeyAs400 => says("400 Bad Request", "API key not valid. Please pass a valid API key."),
        Trouble::Unauthorized => plain("401 Unauthorized"),
        Trouble::Forbidden => plain("403 Forbidden"),
        Trouble::Moderated => {
            let error = json!({"code": 403, "message": format!("the input was flagged{echo}"), "metadata": {"reasons": ["violence"]}});
            Some(("403 Forbidden", String::new(), Some(json!({ "error": error }).to_string())))
        }
        Trouble::WrongKeyAs403 => says("403 Forbidden", "Incorrect API key provided"),
        Trouble::NotFound => plain("404 Not Found"),
        Trouble::TooLargeRequest => plain("413 Content Too Large"),
        Trouble::Unprocessable => plain("422 Unprocessable Content"),
        _ => None,
    }
}

/// A reply in pieces; says whether the connection goes on.
fn send_stream(
    stream: &mut TcpStream,
    words: &str,
    trouble: Trouble,
    shared: &ServerState,
    question: &str,
) -> io::Result<bool> {
    if trouble == Trouble::SlowHead {
        hold(stream, shared);
        return Ok(false);
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")?;
    for (at, piece) in stream_chunks(words).iter().enumerate() {
        match trouble {
            Trouble::CutStream if at == 2 => return Ok(false),
            Trouble::SilentStream if at == 2 => {
                hold(stream, shared);
                return Ok(false);
            }
            Trouble::SlowStream => sleep(shared.behaviour.slow),
            _ => {}
        }
        stream.write_all(piece.as_bytes())?;
        stream.flush()?;
    }
    shared.count_answered(question);
    Ok(false)
}

fn send_json(stream: &mut TcpStream, status: &str, header: &str, body: &str) -> io::Result<bool> {
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
fn send_half(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes().get(..body.len() / 2).unwrap_or_default())?;
    stream.flush()
}

/// Waits until the other side has gone, or too long.
fn hold(stream: &mut TcpStream, shared: &ServerState) {
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
fn send_huge(stream: &mut TcpStream, size: usize) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    stream.set_write_timeout(Some(Duration::from_secs(5)))?;
    let piece = vec![b' '; 1 << 16];
    for _ in 0..size.div_ceil(piece.len()) {
        stream.write_all(&piece)?;
    }
    Ok(())
}
