//! [`ToolSet`]: the tools of an agent, opened once for a run, and what one call of them gives.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use probare_core::{AgentToolRecord, CodeSource, Program, ProgramResult, ProgramStep, Sha256, StepResult, Tool};
use probare_models::{JsonEndpoint, ModelContext, ProgramCache};
use serde_json::{Map, Value as Json};

use super::config::{AgentConfig, McpEntry, RecordedCall, ToolEntry};
use super::mcp::{McpClient, McpError};
use super::process::{DESCRIBE, Launcher};
use super::state::WorkingState;
use super::tool_result::ToolResult;
use crate::own_metrics::worker::WorkerFault;

/// Why a call has no result that the model could be told: the sample ends.
#[derive(Debug)]
pub(super) enum CallFault {
    /// It is not recorded.
    Missing(String),
    /// The tool cannot be used.
    Failed(String),
}

/// The tools of an agent.
pub(super) struct ToolSet {
    entries: Vec<OpenEntry>,
    /// What models are told, in order.
    pub tools: Vec<Tool>,
    /// By name: the entry.
    places: BTreeMap<String, usize>,
    /// What decides their results, as a digest.
    pub digest: String,
}

struct OpenEntry {
    entry: ToolEntry,
    /// SHA-256 of what decides its results: the entry, its files, and the definitions of its tools.
    digest: String,
    recorded: Vec<RecordedCall>,
    /// A server over HTTP.
    remote: Option<RemoteServer>,
}

/// A server over HTTP, which samples share: as many sessions as there are calls at once.
struct RemoteServer {
    url: String,
    headers: BTreeMap<String, String>,
    models: ModelContext,
    limit: Duration,
    idle: Mutex<Vec<McpClient>>,
}

impl RemoteServer {
    fn ask<T>(&self, work: impl FnOnce(&mut McpClient) -> Result<T, McpError>) -> Result<T, McpError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut client = if let Some(client) = idle {
            client
        } else {
            let endpoint = JsonEndpoint::open(&self.url, &self.headers, &self.models);
            let endpoint = endpoint.map_err(|error| McpError::Failed(error.to_string()))?;
            McpClient::over_http(endpoint, self.limit)?
        };
        let told = work(&mut client)?;
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(client);
        Ok(told)
    }
}

/// What tools are opened with.
pub(super) struct ToolAccess<'a> {
    /// Opens the sandbox, where a program has to be asked what it is.
    pub launcher: &'a dyn Fn() -> Result<&'a Launcher, String>,
    pub models: &'a ModelContext,
    pub record: &'a ProgramCache,
    pub offline: bool,
    /// Whether nothing is asked: tools that nobody knows are left out.
    pub only_looks: bool,
    /// Whether what is recorded is left aside.
    pub again: bool,
}

/// The tools of one sample that keep something: servers that run.
#[derive(Default)]
pub(super) struct LiveTools {
    servers: BTreeMap<usize, McpClient>,
}

impl ToolSet {
    /// Opens the tools: reads files, asks servers and functions what they are.
    pub fn open(config: &AgentConfig, access: &ToolAccess<'_>, seed: &WorkingStateMaker<'_>) -> Result<Self, String> {
        let mut set = Self { entries: Vec::new(), tools: Vec::new(), places: BTreeMap::new(), digest: String::new() };
        let mut digest = Sha256::default();
        for entry in &config.tools {
            let name = entry.display_name();
            let told = |reason: String| format!("tool `{name}`: {reason}");
            let sources = sources(entry).map_err(told)?;
            let mut open = OpenEntry {
                entry: entry.clone(),
                digest: String::new(),
                recorded: entry.results.clone(),
                remote: None,
            };
            if let Some(path) = &entry.fixtures {
                open.recorded.extend(read_fixtures(path).map_err(told)?);
            }
            let tools = open.describe(access, seed, &sources).map_err(told)?;
            digest.update(sources.as_bytes());
            let definitions = serde_json::to_string(&tools).unwrap_or_default();
            open.digest = Sha256::hex_digest(format!("{sources}{definitions}").as_bytes());
            for tool in tools {
                if !entry.only.is_empty() && !entry.only.contains(&tool.name) {
                    continue;
                }
                if set.places.insert(tool.name.clone(), set.entries.len()).is_some() {
                    return Err(format!("two tools are called `{}`", tool.name));
                }
                set.tools.push(tool);
            }
            let unknown = entry.only.iter().find(|name| !set.places.contains_key(*name));
            if let Some(unknown) = unknown.filter(|_| !access.only_looks) {
                return Err(format!("tool `{name}`: `only` names `{unknown}`, which the server does not have"));
            }
            set.entries.push(open);
        }
        digest.update(serde_json::to_string(&set.tools).unwrap_or_default().as_bytes());
        set.digest = digest.hex();
        Ok(set)
    }

    /// The entries, for a manifest. Of what may hold a secret it has the name alone: arguments of programs, addresses, headers
    /// and variables.
    pub fn records(&self) -> Vec<AgentToolRecord> {
        let file_name = |path: &str| {
            Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
        };
        let record = |(at, open): (usize, &OpenEntry)| {
            let entry = &open.entry;
            let python = entry.python.as_deref().and_then(CodeSource::python_parts);
            let python = python.map(|(file, name)| format!("{}:{name}", file_name(file)));
            let program = python.clone().or_else(|| entry.program().first().map(|word| file_name(word)));
            let server = entry.mcp.as_ref().and_then(|mcp| mcp.url.as_deref()).map(server_origin);
            let kind = match (entry.mcp.is_some(), python.is_some(), entry.command.is_empty()) {
                (true, _, _) => "mcp",
                (_, true, _) => "python",
                (_, _, false) => "command",
                _ => "recorded",
            };
            let own_name = Some(entry.name.clone()).filter(|name| !name.is_empty());
            let tools = self.tools.iter().filter(|tool| self.place(&tool.name) == Some(at));
            AgentToolRecord {
                name: own_name.or_else(|| server.clone()).or_else(|| program.clone()).unwrap_or_default(),
                kind: kind.to_owned(),
                tools: tools.map(|tool| tool.name.clone()).collect(),
                sha256: open.digest.clone(),
                headers: entry.mcp.iter().flat_map(|mcp| mcp.headers.keys().cloned()).collect(),
                network: entry.network,
                files: entry.files.iter().map(|file| file_name(file)).collect(),
                variables: entry.variables.clone(),
                memory: program.is_some().then(|| entry.mebibytes()),
                timeout: (kind != "recorded").then(|| entry.time_limit().as_secs_f64()),
                program,
                server,
            }
        };
        self.entries.iter().enumerate().map(record).collect()
    }

    /// Whether a tool runs beside the state of a sample: what it did goes with the sample, so it is done again with it. Others
    /// are asked once.
    pub fn is_local(&self, name: &str) -> bool {
        self.place(name).is_some_and(|at| self.entries[at].entry.is_local())
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Calls a tool.
    pub fn call(
        &self,
        name: &str,
        arguments: &Json,
        launcher: Option<&Launcher>,
        (live, folder): (&mut LiveTools, &Path),
    ) -> Result<ToolResult, CallFault> {
        let Some(at) = self.place(name) else {
            let known: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            return Ok(ToolResult::error(format!("there is no tool `{name}`; the tools are {}", known.join(", "))));
        };
        if !arguments.is_object() {
            return Ok(ToolResult::error("the arguments are not a JSON object"));
        }
        let OpenEntry { entry, recorded, remote, .. } = &self.entries[at];
        let failed = |reason: String| CallFault::Failed(format!("tool `{name}`: {reason}"));
        if let Some(remote) = remote {
            return tool_result(remote.ask(|client| client.call(name, arguments))).map_err(failed);
        }
        let limit = entry.time_limit();
        if entry.program().is_empty() && entry.python.is_none() {
            return entry.recorded_result(name, arguments, recorded);
        }
        let launcher = launcher.ok_or_else(|| failed("its result is not recorded, and nothing is run".to_owned()))?;
        if entry.mcp.is_some() {
            let server = match live.servers.entry(at) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let program = launcher.start(entry, folder, &[]).map_err(failed)?;
                    let server =
                        McpClient::over_program(program, limit).map_err(|error| failed(error.into_reason()))?;
                    place.insert(server)
                }
            };
            let result = server.call(name, arguments);
            if result.is_err() {
                live.servers.remove(&at);
            }
            return tool_result(result).map_err(failed);
        }
        let mut running = launcher.start(entry, folder, &[]).map_err(failed)?;
        match running.process.run_to_end(arguments.to_string().as_bytes(), limit) {
            Ok(ended) if ended.code == Some(0) => {
                Ok(ToolResult { text: String::from_utf8_lossy(&ended.output).trim_end().to_owned(), is_error: false })
            }
            Ok(ended) => {
                let said = String::from_utf8_lossy(&ended.output).trim().to_owned();
                let how = ended.code.map_or_else(|| "it was ended".to_owned(), |code| format!("exit code {code}"));
                let words = if said.is_empty() { ended.complaint } else { said };
                Ok(ToolResult::error(if words.is_empty() { how } else { words }))
            }
            Err(fault @ WorkerFault::Cancelled) => Err(failed(running.fault_reason(&fault, limit))),
            Err(fault) => Ok(ToolResult::error(running.fault_reason(&fault, limit))),
        }
    }
}

/// An answer that did not come in time is for the model to know; a server that fails ends the sample.
fn tool_result(result: Result<ToolResult, McpError>) -> Result<ToolResult, String> {
    match result {
        Ok(result) => Ok(result),
        Err(McpError::TimedOut(reason)) => Ok(ToolResult::error(reason)),
        Err(McpError::Failed(reason)) => Err(reason),
    }
}

/// Scheme, host and port of an address: a user, a path or a query may hold a key.
fn server_origin(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}")
}

/// Makes a state for a moment.
pub(super) type WorkingStateMaker<'a> = dyn Fn() -> std::io::Result<WorkingState> + 'a;

impl OpenEntry {
    /// What models are told about its tools.
    fn describe(
        &mut self,
        access: &ToolAccess<'_>,
        seed: &WorkingStateMaker<'_>,
        sources: &str,
    ) -> Result<Vec<Tool>, String> {
        let Self { entry, recorded, .. } = self;
        let own = || {
            let parameters = if entry.parameters.is_null() {
                serde_json::json!({"type": "object"})
            } else {
                entry.parameters.clone()
            };
            Tool { name: entry.name.clone(), description: entry.description.clone(), parameters }
        };
        if entry.mcp.is_none() && entry.python.is_none() {
            recorded.retain(|call| call.name.as_ref().is_none_or(|name| *name == entry.name));
            return Ok(vec![own()]);
        }
        if let Some(McpEntry { url: Some(url), headers, .. }) = &entry.mcp
            && !access.offline
            && !access.only_looks
        {
            self.remote = Some(RemoteServer {
                url: url.clone(),
                headers: headers.clone(),
                models: access.models.clone(),
                limit: entry.time_limit(),
                idle: Mutex::default(),
            });
        }
        let question = Program {
            files: vec![("tool".to_owned(), Sha256::hex_digest(sources.as_bytes()))],
            steps: vec![ProgramStep { command: vec!["tools/list".to_owned()], ..ProgramStep::default() }],
            ..Program::default()
        };
        let known = if access.again { None } else { recall(access.record, &question)? };
        if let Some(found) = known.and_then(|ran| serde_json::from_str(&ran.steps.first()?.output).ok()) {
            return Ok(found);
        }
        if access.only_looks {
            return Ok(Vec::new());
        }
        let tools = match &self.remote {
            Some(remote) => remote.ask(McpClient::tools).map_err(McpError::into_reason)?,
            None => self.ask_program(access, seed)?,
        };
        let told = StepResult {
            code: Some(0),
            output: serde_json::to_string(&tools).unwrap_or_default(),
            ..StepResult::default()
        };
        keep(access.record, &question, &ProgramResult { steps: vec![told], ..ProgramResult::default() })?;
        Ok(tools)
    }

    /// Asks a server or a function what it is.
    fn ask_program(&self, access: &ToolAccess<'_>, seed: &WorkingStateMaker<'_>) -> Result<Vec<Tool>, String> {
        let Self { entry, .. } = self;
        if access.offline {
            return Err("what it can do is not recorded, and nothing is started here".to_owned());
        }
        let launcher = (access.launcher)()?;
        let state = seed().map_err(|error| format!("the state cannot be made: {error}"))?;
        if entry.mcp.is_some() {
            let program = launcher.start(entry, &state.path(), &[])?;
            let mut client = McpClient::over_program(program, entry.time_limit()).map_err(McpError::into_reason)?;
            return client.tools().map_err(McpError::into_reason);
        }
        let mut running = launcher.start(entry, &state.path(), &[DESCRIBE])?;
        let ended = running.process.run_to_end(b"", entry.time_limit());
        let ended = ended.map_err(|fault| running.fault_reason(&fault, entry.time_limit()))?;
        if ended.code != Some(0) {
            return Err(format!("it cannot be loaded: {}", ended.complaint));
        }
        let mut tool: Tool = serde_json::from_slice(&ended.output).map_err(|error| error.to_string())?;
        if !entry.name.is_empty() {
            tool.name.clone_from(&entry.name);
        }
        if !entry.description.is_empty() {
            tool.description.clone_from(&entry.description);
        }
        if !entry.parameters.is_null() {
            tool.parameters.clone_from(&entry.parameters);
        }
        Ok(vec![tool])
    }
}

impl ToolEntry {
    /// The result of a recorded call: of the first with these arguments.
    fn recorded_result(
        &self,
        name: &str,
        arguments: &Json,
        recorded: &[RecordedCall],
    ) -> Result<ToolResult, CallFault> {
        let wanted = arguments.as_object();
        if let Some(found) = recorded.iter().find(|call| Some(&call.arguments) == wanted) {
            let text = probare_core::json_to_text(&found.result).into_owned();
            return Ok(ToolResult { text, is_error: found.error });
        }
        match &self.otherwise {
            Some(text) => Ok(ToolResult::error(text.clone())),
            None => Err(CallFault::Missing(format!("tool `{name}` has no recorded result for {arguments}"))),
        }
    }
}

fn read_fixtures(path: &str) -> Result<Vec<RecordedCall>, String> {
    let wrong = |error: std::io::Error| format!("`fixtures`: `{path}` cannot be read: {error}");
    let file = probare_files::open_plain(Path::new(path)).map_err(wrong)?;
    let mut calls = Vec::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(wrong)?;
        if line.trim().is_empty() {
            continue;
        }
        let call = serde_json::from_str(&line).map_err(|error| format!("`{path}`, line {}: {error}", number + 1))?;
        calls.push(call);
    }
    Ok(calls)
}

/// What decides the results of an entry: what it says, and what stands in the files that it names.
fn sources(entry: &ToolEntry) -> Result<String, String> {
    let mut digests = Map::new();
    let python = entry.python.as_deref().and_then(CodeSource::python_parts).map(|(file, _)| file);
    let words = entry.program().iter().map(String::as_str).chain(python).chain(entry.fixtures.as_deref());
    for file in words.chain(entry.files.iter().map(String::as_str)) {
        let path = Path::new(file);
        let digest = if path.is_dir() && entry.files.iter().any(|known| known == file) {
            probare_sandbox::folder_digest(path)
        } else if path.is_file() {
            probare_files::file_digest(path).map(|found| found.sha256)
        } else {
            continue;
        };
        let digest = digest.map_err(|error| format!("`{file}` cannot be read: {error}"))?;
        // By its own name: the folder in which somebody has it decides nothing.
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        digests.insert(name, digest.into());
    }
    let mut bare = entry.clone();
    (bare.timeout, bare.memory, bare.fixtures, bare.python) = (None, None, None, None);
    let shorten = |word: &mut String| {
        if let Some(name) = Path::new(&*word).file_name().filter(|_| Path::new(&*word).is_file()) {
            *word = name.to_string_lossy().into_owned();
        }
    };
    let of_server = bare.mcp.iter_mut().flat_map(|mcp| &mut mcp.command);
    bare.command.iter_mut().chain(of_server).chain(&mut bare.files).for_each(shorten);
    let function = entry.python.as_deref().and_then(CodeSource::python_parts).map(|(_, name)| name);
    Ok(serde_json::json!([bare, function, digests]).to_string())
}

/// What is recorded of a question to tools.
pub(super) fn recall(record: &ProgramCache, question: &Program) -> Result<Option<ProgramResult>, String> {
    record.recall(question).map_err(|error| error.to_string())
}

/// Records it; what was recorded before makes room.
pub(super) fn keep(record: &ProgramCache, question: &Program, told: &ProgramResult) -> Result<(), String> {
    record.store(question, told, true).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_recorded_call_is_found_by_its_arguments() {
        let entry: ToolEntry = serde_json::from_value(json!({
            "name": "weather", "results": [
                {"arguments": {"city": "Rome"}, "result": {"sky": "clear"}},
                {"arguments": {"city": "Oslo"}, "result": "no data", "error": true},
            ]
        }))
        .unwrap();
        let result = |entry: &ToolEntry, city: &str| {
            entry.recorded_result("weather", &json!({"city": city}), &entry.results).map_err(|_| ())
        };
        assert_eq!(result(&entry, "Rome"), Ok(ToolResult { text: r#"{"sky":"clear"}"#.into(), is_error: false }));
        assert_eq!(result(&entry, "Oslo"), Ok(ToolResult::error("no data")));
        assert_eq!(result(&entry, "Bonn"), Err(()));
        let polite = ToolEntry { otherwise: Some("unknown city".into()), ..entry };
        assert_eq!(result(&polite, "Bonn"), Ok(ToolResult::error("unknown city")));
    }
}
