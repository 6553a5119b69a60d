//! [`Manifest`]: what a finished run says about itself, so that anybody can compute it again.
//!
//! It stands inside `.json`, `.html` and `.parquet` files and beside `.jsonl` and `.csv` files as `NAME.run.json`. It holds
//! no clock: the same run gives the same bytes, but for what its calls cost.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::{FileDigest, MetricInfo, Panel, Parameters, RunCosts};

/// Raised when an old reader could misread a new file.
///
/// | format | releases | what is different |
/// |---|---|---|
/// | 1 | 0.1 | no manifest; `.json` holds metrics and results |
/// | 2 | 0.2 | a manifest in or beside every file; means over outputs |
/// | 3 | 0.3 | means over cases; model and repeat in every table; who decided (`by`), `unsure`, `truncated`; where gates come from; panels of benchmarks |
/// | 4 | 0.4 | the words of the glossary (`decided_by`, `matched`, `published`, `benchmark`, …); further kinds of evidence and errors |
pub const FORMAT: u32 = 4;

/// The oldest format whose manifests are read.
pub const OLDEST_FORMAT: u32 = 2;

/// How a run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// All cases were looked at.
    #[default]
    Complete,
    /// The first bad row ended it, as `--strict` asks.
    Strict,
    /// The user ended it.
    Interrupted,
}

/// What describes a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The program that wrote it.
    pub probare: ProgramVersion,
    /// The benchmark that was run, if it was one.
    #[serde(alias = "suite", default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<BenchmarkCall>,
    /// Title of pages, where one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Files that were read.
    pub inputs: Vec<InputFile>,
    /// How cases were read from them.
    #[serde(rename = "input_options", alias = "reading", default)]
    pub reading: ReadSettings,
    /// The metrics, in the order of all results.
    pub metrics: Vec<MetricInfo>,
    /// Models that were asked, where any were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelRecord>,
    /// Prompts of the metrics that asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<PromptRecord>,
    /// Models whose vectors metrics used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub embeddings: Vec<EmbeddingRecord>,
    /// How programs were run, where any were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxRecord>,
    /// Data sets and models of a run that has several samples of a case, or several data sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<GenerationRecord>,
    /// Whether replies that were cut at their longest length were scored as if they were whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub score_truncated: bool,
    /// What the calls of models took, where any were made.
    #[serde(default, rename = "cost", skip_serializing_if = "Option::is_none")]
    pub costs: Option<RunCosts>,
    /// What the means of the summary are over.
    #[serde(default, skip_serializing_if = "MeansOver::is_unsaid")]
    pub means_over: MeansOver,
    /// SHA-256 of the settings of the run, by what they are of, as far as they were handed in.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// How the run ended.
    pub stop: Stop,
    /// Counts, means and distributions, as the program sums them up.
    pub summary: Json,
    /// What became of the gates.
    pub gates: Json,
    /// What the verdicts of a run follow from that may end before its last case, beside the values.
    #[serde(default, rename = "stopped_early", skip_serializing_if = "Option::is_none")]
    pub early_stop: Option<EarlyStopRecord>,
    /// What the benchmark says about the run as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panels: Vec<Panel>,
    /// SHA-256 of all result lines, each with its line break.
    pub lines: String,
    /// The file that this manifest stands beside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<FileDigest>,
    /// SHA-256 of this manifest without this line, set when it is written. It shows a slip of the hand in what nothing
    /// else can be held against (a title, a limit); it is no signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
}

/// A run that takes its cases in a seeded order and ends once its gates are decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlyStopRecord {
    /// The seed of the order.
    pub seed: u64,
    /// Cases of the complete run.
    pub cases: u64,
    /// Cases up to the verdict: the first of the order. All of them where nothing was decided before the last.
    pub seen: u64,
    /// All gates with where they were set, also those that were still open.
    pub gates: Json,
    /// The results that the run was compared with, as they were named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
}

/// What the means of a summary are over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeansOver {
    /// Single outputs: what files of format 2 have, which do not say so.
    #[default]
    Outputs,
    /// Cases: several outputs of one case are averaged within it first.
    Cases,
}

impl MeansOver {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    const fn is_unsaid(&self) -> bool {
        matches!(self, Self::Outputs)
    }
}

/// A model that was asked: everything of it that decides a reply, and nothing secret.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRecord {
    /// Name in the run.
    pub name: String,
    /// Who answers.
    pub provider: String,
    /// What the provider calls it.
    pub model: String,
    /// Where it is found, if it is a server.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub base_url: String,
    /// How it is asked.
    pub parameters: Parameters,
    /// How long a reasoning model thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Further fields of the request.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub extra_body: Json,
    /// What else decides its replies: headers that are no secret, digests of files that a program names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub also: BTreeMap<String, String>,
    /// Models that answer in its place when it fails, by name and in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback: Vec<String>,
}

/// The model whose vectors a metric used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingRecord {
    /// Name of the metric.
    pub metric: String,
    /// The model.
    pub model: String,
    /// SHA-256 over its files; nothing for a model that a server computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// How programs were run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxRecord {
    /// How far they were shut in: `full`, `ns` or `none`.
    pub level: String,
    /// By which means, with its version.
    pub by: String,
    /// The interpreters: environment, and version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub interpreters: BTreeMap<String, String>,
    /// What programs are not kept from at this level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_held: Vec<String>,
}

/// The prompt that a metric asked with. Its text is among the options of the metric where it is not the metric's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromptRecord {
    /// Name of the metric.
    pub metric: String,
    /// SHA-256 of the text.
    pub sha256: String,
}

/// A prompt of the models under test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedPromptRecord {
    /// Its name.
    pub name: String,
    /// SHA-256 of its instructions, examples, text and parameters.
    pub sha256: String,
}

impl GenerationRecord {
    /// Whether result lines name the prompt: a dimension with one value is left out of them.
    pub const fn names_prompts(&self) -> bool {
        self.prompts.len() > 1
    }
}

/// What made the models under test agents. Nothing secret: of a server its origin, of headers and variables their names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentRecord {
    /// SHA-256 of all that decides what it does: tools with their files and definitions, state, user, limits.
    pub sha256: String,
    /// Its tools and servers of tools, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<AgentToolRecord>,
    /// By what programs of tools are shut in, as it was chosen: `auto`, `bubblewrap` or `none`; absent without programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// SHA-256 of the state that every sample begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Who plays the user: the name of a model, or of the field with what is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<AgentUserRecord>,
    /// Most replies of the model in one sample.
    pub max_steps: u32,
    /// Most tokens of the model in one sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Most US dollars of the model in one sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    /// Most seconds of one sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
}

/// A tool of an agent, or a server of tools, with what it is allowed beyond the sandbox.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentToolRecord {
    /// What the configuration calls it.
    pub name: String,
    /// What it is: `command`, `python`, `recorded` or `mcp`.
    pub kind: String,
    /// Names of the tools that the model was told of.
    pub tools: Vec<String>,
    /// SHA-256 of its entry with the files that it names, and of the definitions of its tools.
    pub sha256: String,
    /// The program that it starts, without its arguments, or the Python function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Scheme, host and port of a server over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Names of the headers that a server over HTTP is sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// Whether its program may use the network.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// Names of the files and folders that its program may read beside those of its command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Names of the environment variables that its program is given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// Most memory of its program in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u32>,
    /// Most seconds of one call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
}

/// Who plays the user of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentUserRecord {
    /// The name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The field of the cases with what is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
}

/// How the outputs of a run came about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationRecord {
    /// Names of the data sets, in the order of the first inputs.
    pub datasets: Vec<String>,
    /// Names of the models that answered; none where the responses of the files were scored.
    pub models: Vec<String>,
    /// Outputs of each model for each case.
    pub repeats: u32,
    /// SHA-256 of instructions, examples and prompt, where models answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The prompts that have names, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<NamedPromptRecord>,
    /// How passages were found for each case, where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval: Option<Json>,
    /// What made the models agents, where they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentRecord>,
}

/// Which program wrote a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramVersion {
    /// Version of the program.
    pub version: String,
    /// Version of the form of the file.
    pub format: u32,
}

/// A benchmark and the options that it was called with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchmarkCall {
    /// Its id.
    pub id: String,
    /// Its options.
    pub options: Json,
}

/// One file, or folder, that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Path as given; `-` is standard input, which cannot be opened again.
    pub path: String,
    /// JSON Pointer to the option of the benchmark that names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// SHA-256 of the bytes as they are stored; of a folder, of the lines `SHA-256  name` of its files.
    pub sha256: String,
    /// How many bytes.
    pub bytes: u64,
    /// Rows that were read, where it has rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Name of the version of the data set, where it was given one; the digest is its version in any case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// How cases were read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReadSettings {
    /// Columns by the field that they become.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mapping: BTreeMap<String, String>,
    /// Format, where the name of the file does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Sign between the cells of a table, where it was given.
    #[serde(rename = "delimiter", alias = "separator", skip_serializing_if = "Option::is_none")]
    pub separator: Option<char>,
    /// What becomes one case of a file of traces, where it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Bytes of the longest row that is read.
    #[serde(rename = "max_row_size", alias = "longest_row", skip_serializing_if = "Option::is_none")]
    pub longest_row: Option<u64>,
    /// Most cases that are scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Whether a row that cannot be read is a case that failed in every metric, as results of Python have it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub lost_rows_fail: bool,
}
