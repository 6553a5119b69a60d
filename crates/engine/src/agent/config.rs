//! [`AgentConfig`]: `agent:` in a configuration: the tools of the model under test, who plays its user, what it may change, and
//! how far it may go.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// Replies of the model where nothing is said.
const USUAL_STEPS: u32 = 30;
/// Seconds of one call of a tool where nothing is said.
const USUAL_TOOL_SECONDS: f64 = 30.0;
/// Memory of one tool in MiB where nothing is said.
const USUAL_MEMORY: u32 = 1024;
/// What the simulated user says when the conversation is over, where nothing is said.
pub(crate) const USUAL_STOP: &str = "###STOP###";

/// A model under test that calls tools until it answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentConfig {
    /// What the model may call.
    pub tools: Vec<ToolEntry>,
    /// Who plays the user; without one the first answer without a call ends the sample.
    pub user: Option<UserEntry>,
    /// What tools may change, copied for each sample.
    pub state: Option<StateEntry>,
    /// Most replies of the model in one sample; 30 if absent. A sample that would take more has an error of kind `step_limit`.
    pub max_steps: Option<NonZeroU32>,
    /// Most tokens of the model in one sample, sent and received; kind `token_limit`.
    pub max_tokens: Option<u64>,
    /// Most US dollars of the model in one sample; kind `cost_limit`.
    #[schemars(range(min = 0))]
    pub max_cost_usd: Option<f64>,
    /// Most seconds of one sample: its replies and the results of its tools, one after the other; kind `timed_out`.
    #[schemars(range(min = 0))]
    pub timeout: Option<f64>,
}

/// A tool, or a server of tools: one of `command`, `python`, `results`, `fixtures` and `mcp`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ToolEntry {
    /// Its name; of a server the name in messages.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What it does, for the model.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of its arguments.
    #[serde(skip_serializing_if = "Json::is_null")]
    pub parameters: Json,
    /// A program that reads the arguments as JSON from standard input and writes the result to standard output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// A function of a Python file, `FILE.py:NAME`, called with the arguments; its signature and docstring describe it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
    /// Recorded calls and their results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<RecordedCall>,
    /// A file of such calls, one JSON object a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixtures: Option<String>,
    /// What a call that is not recorded gives; without it the sample has an error of kind `missing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<String>,
    /// A server of tools that speaks MCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpEntry>,
    /// Of a server, the tools that the model may call; all of them if absent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Files and folders beside the configuration that its program may read, beside those that `command` names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Whether its program may use the network.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// Names of environment variables that its program is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// Seconds of one call; 30 if absent. The model learns that there was no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 86400))]
    pub timeout: Option<f64>,
    /// Most memory of its program in MiB; 1024 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<NonZeroU32>,
}

/// A call and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedCall {
    /// The tool; that of the entry if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The arguments.
    #[serde(default)]
    pub arguments: Map<String, Json>,
    /// The result: a text, or a value that the model is given as JSON.
    pub result: Json,
    /// Whether the result is an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub error: bool,
}

/// A server that speaks MCP: one of `command` and `url`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpEntry {
    /// A program that speaks it over its standard streams, started for each sample.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The address of one that speaks it over HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers of every request to it; `${NAME}` is an environment variable.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// A model, or a list of messages, that plays the user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UserEntry {
    /// Name of the model, of `models`.
    pub model: Option<String>,
    /// Field of the case with a list of what the user says, in place of a model; the conversation ends when all is said.
    pub script: Option<String>,
    /// Who the user is, with `{{field}}` for fields of the case.
    pub persona: Option<String>,
    /// What the user wants, with `{{field}}` for fields of the case.
    pub goal: Option<String>,
    /// What the model says when the conversation is over; `###STOP###` if absent.
    pub stop: Option<String>,
}

/// What tools may change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateEntry {
    /// A folder, or one file such as a database of `SQLite`; every sample begins with a copy, in which its tools run.
    pub seed: String,
}

impl AgentConfig {
    /// What is wrong with it, each with its place.
    pub fn check(&self) -> Result<(), String> {
        for (at, tool) in self.tools.iter().enumerate() {
            tool.check().map_err(|reason| format!("`tools[{at}]`: {reason}"))?;
        }
        for (name, value) in [("max_cost_usd", self.max_cost_usd), ("timeout", self.timeout)] {
            if value.is_some_and(|value| !(value.is_finite() && value > 0.0)) {
                return Err(format!("`{name}` is a number above 0"));
            }
        }
        if let Some(user) = &self.user {
            if user.model.is_some() == user.script.is_some() {
                return Err("`user` has one of `model` and `script`".to_owned());
            }
            if user.script.is_some() && (user.persona.is_some() || user.goal.is_some() || user.stop.is_some()) {
                return Err("`user`: `persona`, `goal` and `stop` go with `model`".to_owned());
            }
            if user.model.is_some() && user.goal.is_none() {
                return Err("`user` has no `goal`; for example `goal: '{{goal}}'`, a field of the cases".to_owned());
            }
            if user.stop.as_ref().is_some_and(|stop| stop.trim().is_empty()) {
                return Err("`user.stop` is empty".to_owned());
            }
        }
        Ok(())
    }

    /// Most replies of the model.
    pub fn steps(&self) -> u32 {
        self.max_steps.map_or(USUAL_STEPS, NonZeroU32::get)
    }

    /// Files that lie beside the configuration are named from here on as they are found.
    pub fn resolve_paths(&mut self, folder: &Path) {
        let beside = |file: &str| folder.join(file).display().to_string();
        for tool in &mut self.tools {
            tool.fixtures = tool.fixtures.as_deref().map(beside);
            tool.python = tool.python.as_deref().map(beside);
            tool.files.iter_mut().for_each(|file| *file = beside(file));
            let words = tool.command.iter_mut().enumerate();
            let words = words.chain(tool.mcp.iter_mut().flat_map(|mcp| mcp.command.iter_mut().enumerate()));
            for (at, word) in words {
                if (at > 0 || word.contains('/')) && folder.join(&*word).is_file() {
                    *word = beside(word);
                }
            }
        }
        if let Some(state) = &mut self.state {
            state.seed = beside(&state.seed);
        }
    }

    /// Files that it names to be read.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let of_tools = self.tools.iter().flat_map(|tool| tool.files.iter().chain(&tool.fixtures));
        of_tools.map(String::as_str).chain(self.state.iter().map(|state| state.seed.as_str()))
    }

    /// What it would be trusted with, each as a phrase.
    pub fn permissions(&self) -> Vec<String> {
        let mut found = Vec::new();
        for tool in &self.tools {
            let name = tool.display_name();
            let server = tool.mcp.as_ref();
            for command in [Some(&tool.command), server.map(|mcp| &mcp.command)].into_iter().flatten() {
                if !command.is_empty() {
                    found.push(format!("to start the program `{}` (tool `{name}`)", command.join(" ")));
                }
            }
            if let Some(reference) = &tool.python {
                found.push(format!("to run the Python code `{reference}` (tool `{name}`)"));
            }
            if let Some(url) = server.and_then(|mcp| mcp.url.as_ref()) {
                found.push(format!("to send calls of tools to the address `{url}` (tool `{name}`)"));
            }
            if tool.network {
                found.push(format!("to give the network to the tool `{name}`"));
            }
            let headers = server.into_iter().flat_map(|mcp| &mcp.headers).filter(|(_, value)| value.contains("${"));
            let variables = tool.variables.iter().map(|variable| format!("`{variable}`"));
            for what in variables.chain(headers.map(|(header, _)| format!("the header `{header}`"))) {
                found.push(format!("to give a variable of your environment in {what} to the tool `{name}`"));
            }
        }
        found
    }
}

impl ToolEntry {
    fn check(&self) -> Result<(), String> {
        let is_recorded = !self.results.is_empty() || self.fixtures.is_some();
        let ways = [!self.command.is_empty(), self.python.is_some(), is_recorded, self.mcp.is_some()];
        if ways.into_iter().filter(|is_said| *is_said).count() != 1 {
            return Err("a tool has one of `command`, `python`, `results` or `fixtures`, and `mcp`".to_owned());
        }
        if self.name.trim().is_empty() && (is_recorded || !self.command.is_empty()) {
            return Err("it has no `name`".to_owned());
        }
        if let Some(McpEntry { command, url, headers }) = &self.mcp {
            if command.is_empty() == url.is_none() {
                return Err("`mcp` has one of `command` and `url`".to_owned());
            }
            if url.is_none() && !headers.is_empty() {
                return Err("`mcp.headers` goes with `mcp.url`".to_owned());
            }
            if url.as_ref().is_some_and(|url| !(url.starts_with("http://") || url.starts_with("https://"))) {
                return Err("`mcp.url` begins with `http://` or `https://`".to_owned());
            }
            if !self.parameters.is_null() || !self.description.is_empty() {
                return Err(
                    "a server says itself what its tools do; `description` and `parameters` have no place".to_owned()
                );
            }
        } else if !self.only.is_empty() {
            return Err("`only` goes with `mcp`".to_owned());
        }
        if self.otherwise.is_some() && !is_recorded {
            return Err("`otherwise` goes with `results` and `fixtures`".to_owned());
        }
        let has_program = !self.command.is_empty()
            || self.python.is_some()
            || self.mcp.as_ref().is_some_and(|mcp| !mcp.command.is_empty());
        let is_allowed_more =
            self.network || !self.files.is_empty() || !self.variables.is_empty() || self.memory.is_some();
        if is_allowed_more && !has_program {
            return Err("`network`, `files`, `variables` and `memory` go with a program".to_owned());
        }
        if self.python.as_ref().is_some_and(|python| probare_core::CodeSource::python_parts(python).is_none()) {
            return Err("`python` is written FILE.py:NAME".to_owned());
        }
        if self.timeout.is_some_and(|timeout| !(0.001..=86_400.0).contains(&timeout)) {
            return Err("`timeout` is a number of seconds from 0.001 to 86400".to_owned());
        }
        if !(self.parameters.is_null() || self.parameters.is_object()) {
            return Err("`parameters` is a JSON Schema, an object".to_owned());
        }
        Ok(())
    }

    /// What messages call it.
    pub fn display_name(&self) -> String {
        let server = self.mcp.as_ref().map(|mcp| mcp.url.clone().unwrap_or_else(|| mcp.command.join(" ")));
        let named = Some(self.name.clone()).filter(|name| !name.is_empty());
        named.or_else(|| self.python.clone()).or(server).unwrap_or_default()
    }

    /// The program that it starts, with its arguments.
    pub(crate) fn program(&self) -> &[String] {
        self.mcp.as_ref().map_or(&self.command, |mcp| &mcp.command)
    }

    /// Whether it starts a program of this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.python.is_some() || !self.program().is_empty()
    }

    pub(crate) fn time_limit(&self) -> std::time::Duration {
        std::time::Duration::from_secs_f64(self.timeout.unwrap_or(USUAL_TOOL_SECONDS))
    }

    pub(crate) fn mebibytes(&self) -> u32 {
        self.memory.map_or(USUAL_MEMORY, NonZeroU32::get)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        let config: AgentConfig = serde_json::from_value(crate::yaml::from_yaml(text).unwrap()).unwrap();
        config.check().unwrap_err()
    }

    #[test]
    fn a_configuration_that_was_found_tells_what_its_tools_would_start_and_reach() {
        let text = "agent:\n  tools:\n    - {name: a, command: [node, a.js], network: true, variables: [KEY], files: [../b]}\n    - {name: s, mcp: {url: \
                    'https://x.example/mcp', headers: {Authorization: 'Bearer ${KEY}'}}}\n    - {python: 't.py:f'}\n    - {name: r, results: \
                    [{result: 1}]}\n  state: {seed: /etc}\n";
        let told = crate::Config::parse(text, "probare.yaml").unwrap().permissions().join("\n");
        for phrase in [
            "to start the program `node a.js` (tool `a`)",
            "to give the network to the tool `a`",
            "to give a variable of your environment in `KEY` to the tool `a`",
            "the file `../b`, which lies outside of its folder",
            "to send calls of tools to the address `https://x.example/mcp` (tool `s`)",
            "to give a variable of your environment in the header `Authorization` to the tool `s`",
            "to run the Python code `t.py:f` (tool `t.py:f`)",
            "the file `/etc`, which lies outside of its folder",
        ] {
            assert!(told.contains(phrase), "{phrase}: {told}");
        }
        assert!(!told.contains("`r`"), "what is recorded asks for nothing: {told}");
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_place() {
        for (text, part) in [
            ("tools: [{name: a}]", "`tools[0]`: a tool has one of"),
            ("tools: [{name: a, command: [x], mcp: {url: 'http://x'}}]", "a tool has one of"),
            ("tools: [{command: [x]}]", "it has no `name`"),
            ("tools: [{mcp: {}}]", "`mcp` has one of"),
            ("tools: [{mcp: {url: 'ftp://x'}}]", "begins with `http://`"),
            ("tools: [{name: a, results: [{result: 1}], network: true}]", "go with a program"),
            ("tools: [{name: a, command: [x], otherwise: none}]", "`otherwise` goes with"),
            ("tools: [{name: a, command: [x], timeout: 0}]", "`timeout` is a number"),
            ("tools: [{name: a, command: [x], parameters: [1]}]", "an object"),
            ("tools: [{python: x.py}]", "FILE.py:NAME"),
            ("user: {}", "one of `model` and `script`"),
            ("user: {model: a}", "`user` has no `goal`"),
            ("user: {script: a, goal: b}", "go with `model`"),
            ("max_cost_usd: 0", "above 0"),
        ] {
            assert!(problem(text).contains(part), "{text}: {}", problem(text));
        }
    }
}
