//! A client of the Model Context Protocol, as far as tools need it: `initialize`, `tools/list`, `tools/call`, over the standard
//! streams of a program or over HTTP.
//!
//! What a server says is data: its texts go to the model and into results, and nothing that it asks of us is done.

use std::time::{Duration, Instant};

use probare_core::Tool;
use probare_models::JsonEndpoint;
use serde_json::{Value as Json, json};

use super::process::RunningTool;
use super::tool_result::ToolResult;
use crate::own_metrics::worker::WorkerFault;

/// The version of the protocol that is offered; a server may answer with an older one.
const VERSION: &str = "2025-06-18";
/// The header in which a server over HTTP is told the version that it chose.
const VERSION_HEADER: &str = "mcp-protocol-version";
/// Pages of a list of tools.
const MOST_PAGES: usize = 100;
/// Messages that a server may send before its answer.
const MOST_OTHERS: usize = 10_000;

/// A server that is spoken with.
pub(super) struct McpClient {
    transport: Transport,
    next: u64,
    limit: Duration,
}

enum Transport {
    Program(Box<RunningTool>),
    Http(JsonEndpoint),
}

/// What went wrong between us and a server.
#[derive(Debug)]
pub(super) enum McpError {
    /// There was no answer in time.
    TimedOut(String),
    /// Anything else.
    Failed(String),
}

impl McpError {
    pub fn into_reason(self) -> String {
        match self {
            Self::TimedOut(reason) | Self::Failed(reason) => reason,
        }
    }
}

impl McpClient {
    /// Speaks with a program.
    pub fn over_program(program: RunningTool, limit: Duration) -> Result<Self, McpError> {
        Self { transport: Transport::Program(Box::new(program)), next: 0, limit }.initialize()
    }

    /// Speaks with a server over HTTP.
    pub fn over_http(endpoint: JsonEndpoint, limit: Duration) -> Result<Self, McpError> {
        Self { transport: Transport::Http(endpoint), next: 0, limit }.initialize()
    }

    fn initialize(mut self) -> Result<Self, McpError> {
        let client = json!({"name": "probare", "version": env!("CARGO_PKG_VERSION")});
        let wanted = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client});
        let told = self.request("initialize", &wanted)?;
        let Some(version) = told.get("protocolVersion").and_then(Json::as_str) else {
            return Err(McpError::Failed(format!("it answers `initialize` with {}", shown(&told))));
        };
        if let Transport::Http(endpoint) = &mut self.transport {
            endpoint.set_header(VERSION_HEADER, version).map_err(McpError::Failed)?;
        }
        self.notify("notifications/initialized")?;
        Ok(self)
    }

    /// The tools of the server.
    pub fn tools(&mut self) -> Result<Vec<Tool>, McpError> {
        let mut tools = Vec::new();
        let mut cursor = Json::Null;
        for _ in 0..MOST_PAGES {
            let wanted = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            let mut page = self.request("tools/list", &wanted)?;
            let list = page.get_mut("tools").map(Json::take);
            let Some(Json::Array(list)) = list else {
                return Err(McpError::Failed(format!("it answers `tools/list` with {}", shown(&page))));
            };
            for mut tool in list {
                let Some(name) = tool.get("name").and_then(Json::as_str).map(str::to_owned) else {
                    return Err(McpError::Failed("it has a tool without a name".to_owned()));
                };
                let description = tool.get("description").and_then(Json::as_str).unwrap_or_default().to_owned();
                let parameters = tool.get_mut("inputSchema").map(Json::take).unwrap_or_default();
                tools.push(Tool { name, description, parameters });
            }
            cursor = page.get_mut("nextCursor").map(Json::take).unwrap_or_default();
            if cursor.is_null() {
                return Ok(tools);
            }
        }
        Err(McpError::Failed(format!("its list of tools has more than {MOST_PAGES} pages")))
    }

    /// Calls a tool.
    pub fn call(&mut self, name: &str, arguments: &Json) -> Result<ToolResult, McpError> {
        let told = match self.exchange("tools/call", &json!({"name": name, "arguments": arguments}))? {
            Ok(told) => told,
            // What the protocol says about a call is for the model to know, as what the tool says.
            Err(error) => return Ok(ToolResult::error(error)),
        };
        let parts = told.get("content").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut texts = Vec::new();
        for part in parts {
            match part.get("type").and_then(Json::as_str) {
                Some("text") => texts.push(part.get("text").and_then(Json::as_str).unwrap_or_default().to_owned()),
                Some(kind) => texts.push(format!("[{kind}]")),
                None => {}
            }
        }
        if texts.is_empty() {
            texts.extend(told.get("structuredContent").map(Json::to_string));
        }
        let is_error = told.get("isError").and_then(Json::as_bool).unwrap_or_default();
        Ok(ToolResult { text: texts.join("\n"), is_error })
    }

    /// A request whose error is an error of the server.
    fn request(&mut self, method: &str, wanted: &Json) -> Result<Json, McpError> {
        self.exchange(method, wanted)?.map_err(|error| McpError::Failed(format!("it refuses `{method}`: {error}")))
    }

    /// Sends a request and waits for its answer: the result, or what the server says is wrong.
    fn exchange(&mut self, method: &str, wanted: &Json) -> Result<Result<Json, String>, McpError> {
        self.next += 1;
        let id = self.next;
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": wanted});
        let until = Instant::now() + self.limit;
        let mut messages = self.send(&line, until)?;
        for _ in 0..MOST_OTHERS {
            for mut message in std::mem::take(&mut messages) {
                if message.get("method").is_some() {
                    if let Some(asked) = message.get("id").filter(|id| !id.is_null()) {
                        let answer = if message["method"] == "ping" {
                            json!({"jsonrpc": "2.0", "id": asked, "result": {}})
                        } else {
                            let refusal = json!({"code": -32601, "message": "not supported"});
                            json!({"jsonrpc": "2.0", "id": asked, "error": refusal})
                        };
                        self.write(&answer)?;
                    }
                    continue;
                }
                if message.get("id").and_then(Json::as_u64) != Some(id) {
                    continue;
                }
                if let Some(error) = message.get("error") {
                    let words = error.get("message").and_then(Json::as_str).map(str::to_owned);
                    return Ok(Err(words.unwrap_or_else(|| shown(error))));
                }
                return Ok(Ok(message.get_mut("result").map(Json::take).unwrap_or_default()));
            }
            messages = self.receive(until)?;
        }
        Err(McpError::Failed("it sends messages and no answer".to_owned()))
    }

    fn notify(&mut self, method: &str) -> Result<(), McpError> {
        self.write(&json!({"jsonrpc": "2.0", "method": method}))
    }

    /// Sends a message to which no answer is awaited.
    fn write(&mut self, message: &Json) -> Result<(), McpError> {
        let limit = self.limit;
        match &mut self.transport {
            Transport::Program(tool) => {
                let sent = tool.process.write(&line_of(message), limit);
                sent.map_err(|fault| failure(tool, &fault, limit))
            }
            Transport::Http(endpoint) => endpoint.post(message, limit).map(|_| ()).map_err(McpError::Failed),
        }
    }

    /// Sends a request and gives what came back for it so far.
    fn send(&mut self, message: &Json, until: Instant) -> Result<Vec<Json>, McpError> {
        let (whole, limit) = (self.limit, until.saturating_duration_since(Instant::now()));
        match &mut self.transport {
            Transport::Program(_) => self.write(message).map(|()| Vec::new()),
            Transport::Http(endpoint) => endpoint.post(message, limit).map_err(|reason| {
                if Instant::now() < until {
                    McpError::Failed(reason)
                } else {
                    McpError::TimedOut(format!("no result within {} s", whole.as_secs_f64()))
                }
            }),
        }
    }

    /// Waits for a further message.
    fn receive(&mut self, until: Instant) -> Result<Vec<Json>, McpError> {
        let whole = self.limit;
        let limit = until.saturating_duration_since(Instant::now());
        match &mut self.transport {
            Transport::Program(tool) => {
                let line = tool.process.exchange(b"", limit).map_err(|fault| failure(tool, &fault, whole))?;
                if line.trim_ascii().is_empty() {
                    return Ok(Vec::new());
                }
                // A server that prints something else on its standard output does not speak the protocol.
                let message = serde_json::from_slice(&line).map_err(|_| {
                    let words: String = String::from_utf8_lossy(&line).chars().take(200).collect();
                    McpError::Failed(format!("it writes something else than the protocol: {words}"))
                })?;
                Ok(match message {
                    Json::Array(batch) => batch,
                    one => vec![one],
                })
            }
            Transport::Http(_) => Err(McpError::Failed("it ended its answer without a result".to_owned())),
        }
    }
}

fn line_of(message: &Json) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

fn failure(tool: &mut RunningTool, fault: &WorkerFault, limit: Duration) -> McpError {
    let reason = tool.fault_reason(fault, limit);
    if matches!(fault, WorkerFault::TimedOut) { McpError::TimedOut(reason) } else { McpError::Failed(reason) }
}

fn shown(value: &Json) -> String {
    value.to_string().chars().take(200).collect()
}
