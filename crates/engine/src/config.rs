//! `probare.yaml`: what a project scores, so that the command line can stay short.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use probare_core::{CodeSource, MetricCode, MetricRequest, Profile, RequestError};
use probare_formats::{CaseFileError, FieldMap, MapError};
use probare_models::{ModelName, ModelSettings, Provider, SettingsError};
use probare_report::{Gate, LabelUnit, Relation};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};

use crate::agent::AgentConfig;
use crate::model_access::is_rubric_file;
use crate::own_metrics::takes_scripts;
use crate::run_options::{ConfiguredGates, OldName, RENAMED, RunOptions, SettingOrigin};
use crate::yaml;

/// Bytes of the largest configuration that is read.
pub(crate) const LARGEST_CONFIG: u64 = 16 * 1024 * 1024;

/// A project's settings.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Files of cases to score when the command line names none.
    pub datasets: Vec<Dataset>,
    /// Metrics to compute when the command line names none.
    pub metrics: Vec<MetricEntry>,
    /// Models that may be asked.
    pub models: Vec<ModelSettings>,
    /// What the models under test are asked; read by `probare run` alone.
    pub generate: Generate,
    /// An index whose passages are put into every case; read by `probare run` alone.
    pub retrieval: Option<Retrieval>,
    /// Makes the models under test agents, which call tools until they answer; read by `probare run` alone.
    pub agent: Option<AgentConfig>,
    /// Names of the models that judge, where a metric names none of its own: of `models`, or `provider:model`.
    pub judges: Vec<String>,
    /// Limits that the run must keep.
    pub gates: Vec<GateEntry>,
    /// Which definition of the metrics: `published` or `improved`.
    pub profile: Option<Profile>,
    /// How to run.
    #[schemars(schema_with = "run_schema")]
    pub run: RunOptions,
    /// The file, as it was named; nothing where there is none.
    #[serde(skip)]
    pub path: Option<PathBuf>,
    /// Words of an earlier release that stand in the file, each with the word of now.
    #[serde(skip)]
    pub old_names: Vec<(&'static str, &'static str)>,
}

/// What the models under test are asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Generate {
    /// Names of the models under test; all of `models` that do not judge if absent.
    pub models: Vec<String>,
    /// Instructions, with `{{field}}` for fields of the case; `@FILE` reads them from a file.
    pub system: Option<String>,
    /// What is asked, with `{{field}}` for fields of the case (`query`, `context`, `reference`, `tags`, and the keys of
    /// `metadata`); `{{query}}` if absent. `@FILE` reads it from a file.
    pub prompt: Option<String>,
    /// Several prompts by name, in place of `prompt`: every model is asked every case with each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<NamedPrompt>,
    /// Questions with good answers that come before the question.
    pub examples: Vec<Example>,
    /// Outputs of each model for each case; one if absent.
    pub repeats: Option<std::num::NonZeroU32>,
}

/// One of several prompts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedPrompt {
    /// Its name in results.
    pub name: String,
    /// Instructions; those of `generate` if absent. `@FILE` reads them from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What is asked, with `{{field}}` for fields of the case; `{{query}}` if absent. `@FILE` reads it from a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The file with what is asked, in place of `prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Questions with good answers; those of `generate` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<Vec<Example>>,
    /// Parameters of models with this prompt; what is absent is as `models` has it.
    #[serde(default, skip_serializing_if = "PromptParameters::is_empty")]
    pub parameters: PromptParameters,
}

/// Parameters of a model that hold with one prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PromptParameters {
    /// How freely the model chooses its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub temperature: Option<f64>,
    /// Share of the likeliest words that it chooses from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub top_p: Option<f64>,
    /// Most tokens of a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Seed, where the model takes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Texts at which a reply ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
}

impl PromptParameters {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An index that is searched for every case. Its passages become the context of the case; models under test answer from them,
/// with citations, unless `generate` has a prompt of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Retrieval {
    /// Folder of the index, relative to the configuration.
    pub index: String,
    /// Most passages; 10 if absent.
    pub k: Option<std::num::NonZeroUsize>,
    /// Which documents are searched, by their metadata: `{COUNTRY: France, YEAR: {from: 2018}}`; a case may bring its own
    /// `filter`.
    #[serde(default)]
    pub filter: Map<String, Json>,
    /// How passages are ranked: `hybrid`, `words` or `vectors`.
    #[serde(default)]
    pub mode: probare_retrieval::Mode,
    /// Model of the vectors, where the index has those of a server or program: of `models`, or `provider:model`. The index
    /// does not decide who is asked.
    #[serde(default)]
    pub embedding: Option<String>,
}

/// A question with a good answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// What is asked, with `{{field}}` for fields of the case.
    pub prompt: String,
    /// What a good answer says.
    pub response: String,
}

/// One file of cases.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dataset {
    /// Name in runs of several data sets; the name of the file without its extensions if absent.
    pub name: Option<String>,
    /// The file, relative to the configuration.
    pub path: String,
    /// Name of its version, such as `2026-03`. The digest of the file is its version in any case; `compare` and `history`
    /// show both.
    pub version: Option<String>,
    /// Columns under other names: `response: model_output`.
    #[serde(default)]
    pub mapping: Map<String, Json>,
}

/// A metric by its id, or with options; as a text, too, as the command line takes it: `token_f1`, `NAME=ID:OPTION=VALUE`. A metric
/// of your own has `python` or `command` in the place of `id`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = or_text)]
pub struct MetricEntry {
    /// Id of the metric.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Function or class of a Python file, `FILE.py:NAME`, in place of `id`; the file lies beside the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<String>,
    /// A program that computes the metric, with its arguments, in place of `id`; `name` is needed then. With `promptfoo_test` it
    /// runs the code of the tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// With `python` or `command`: seconds that one case may take; 60 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 86400))]
    pub timeout: Option<f64>,
    /// Name in the results; the id, or the name of the function, if absent.
    pub name: Option<String>,
    /// Options of the metric.
    #[serde(default)]
    pub options: Map<String, Json>,
    /// Profile of this metric alone.
    pub profile: Option<Profile>,
}

/// The same, or a text.
fn or_text(schema: &mut Schema) {
    let object = std::mem::take(schema);
    *schema = json_schema!({ "anyOf": [{ "type": "string" }, object] });
}

/// The fields of an entry that is not text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MetricFields {
    #[serde(default)]
    id: String,
    python: Option<String>,
    #[serde(default)]
    command: Vec<String>,
    timeout: Option<f64>,
    name: Option<String>,
    #[serde(default)]
    options: Map<String, Json>,
    profile: Option<Profile>,
}

impl<'de> Deserialize<'de> for MetricEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = MetricEntry;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the id of a metric, or `{id: …, options: {…}}`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<MetricEntry, E> {
                text.parse::<MetricRequest>().map(MetricEntry::from).map_err(E::custom)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MetricEntry, A::Error> {
                let MetricFields { id, python, command, timeout, name, options, profile } =
                    MetricFields::deserialize(MapAccessDeserializer::new(map))?;
                let entry = MetricEntry { id, python, command, timeout, name, options, profile };
                entry.check().map_err(A::Error::custom)?;
                Ok(entry)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl FromStr for MetricEntry {
    type Err = RequestError;

    fn from_str(text: &str) -> Result<Self, RequestError> {
        text.parse::<MetricRequest>().map(Self::from)
    }
}

impl From<MetricRequest> for MetricEntry {
    fn from(MetricRequest { name, id, options, profile, code }: MetricRequest) -> Self {
        let options = if let Json::Object(options) = options { options } else { Map::new() };
        let timeout = code.as_ref().and_then(|code| code.timeout);
        let (id, python, command) = match code.map(|code| code.source) {
            Some(CodeSource::Python(reference)) => (String::new(), Some(reference), Vec::new()),
            Some(CodeSource::Command(command)) if takes_scripts(&id) => (id, None, command),
            Some(CodeSource::Command(command)) => (String::new(), None, command),
            Some(CodeSource::Rust) | None => (id, None, Vec::new()),
        };
        Self { id, python, command, timeout, name: Some(name), options, profile }
    }
}

/// Limits on one metric.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateEntry {
    /// Name of the metric.
    pub metric: String,
    /// The run fails if the mean is below.
    pub fail_under: Option<f64>,
    /// The run fails if the mean is above.
    pub fail_over: Option<f64>,
    /// The run fails if a quantile is beyond a limit.
    pub fail_quantile: Option<QuantileEntry>,
    /// The run fails if the value of any scored case is below.
    pub fail_if_any_under: Option<f64>,
    /// The run fails if the value of any scored case is above.
    pub fail_if_any_over: Option<f64>,
    /// The run fails if too small a share of the scored cases reaches a threshold.
    pub fail_pass_rate: Option<PassRateEntry>,
    /// The run fails if too many scored cases have a label.
    #[serde(default)]
    pub fail_labels: Vec<LabelEntry>,
    /// With `run: {stop_when_decided: true, baseline: RESULTS}` the run fails unless it is worse than the baseline, case by case,
    /// by at most this much, in units of the metric.
    pub not_worse_by: Option<f64>,
    /// The run fails if the metric is unsure about a larger share of the scored cases than this, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub max_unsure: Option<f64>,
}

/// A quantile and its limits.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuantileEntry {
    /// Which one, from 0 to 1: the least value that at least this share of the scored cases does not exceed.
    #[schemars(range(min = 0, max = 1))]
    pub quantile: f64,
    /// The run fails if it is below.
    pub under: Option<f64>,
    /// The run fails if it is above.
    pub over: Option<f64>,
}

/// A share of the scored cases that has to reach a threshold.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PassRateEntry {
    /// A case passes if its value is this or above.
    pub at_least: Option<f64>,
    /// A case passes if its value is this or below.
    pub at_most: Option<f64>,
    /// Share of the scored cases that has to pass, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
}

/// A limit on how many scored cases have a label.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LabelEntry {
    /// The label, letter by letter.
    pub label: String,
    /// The run fails if more cases than this have it.
    pub over: Option<u64>,
    /// The run fails if a larger share of the scored cases than this has it, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub over_share: Option<f64>,
}

/// Options that are keys of their own in a configuration, or none at all.
const NOT_BELOW_RUN: [&str; 10] =
    ["config", "datasets", "models", "generate", "retrieval", "agent", "metrics", "profile", "judges", "gates"];

/// The schema of `run`: the options of a run but for those that stand beside it.
fn run_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = RunOptions::json_schema(generator);
    if let Some(Json::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !NOT_BELOW_RUN.contains(&name.as_str()));
    }
    schema
}

impl Config {
    /// The configuration in a file, as it stands there.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<Self, ConfigError> {
        let shown = path.display().to_string();
        let text = String::from_utf8(bytes)
            .map_err(|_| ConfigError::Form { name: shown.clone(), reason: "it is not valid UTF-8".to_owned() })?;
        let mut config = Self::parse(&text, &shown)?;
        config.path = Some(path.to_owned());
        Ok(config)
    }

    /// The folder of the file, from which what it names is looked for.
    pub fn folder(&self) -> &Path {
        self.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""))
    }

    /// Files that metrics, models and decision thresholds name lie beside the configuration that names them: from here on they are named so.
    pub fn resolve_paths(&mut self) {
        let folder = self.folder().to_owned();
        let beside = |file: &str| folder.join(file).display().to_string();
        for metric in &mut self.metrics {
            if let Some(Json::String(prompt)) = metric.options.get_mut("prompt")
                && let Some(file) = prompt.strip_prefix('@')
            {
                *prompt = format!("@{}", beside(file));
            }
            if let Some(reference) = &mut metric.python {
                *reference = beside(reference);
            }
            // Of a program, its files: a name without a folder is looked up among the programs of the machine.
            for (at, word) in metric.command.iter_mut().enumerate() {
                if (at > 0 || word.contains('/')) && folder.join(&*word).is_file() {
                    *word = beside(word);
                }
            }
        }
        for metric in &mut self.metrics {
            if let Some(Json::String(rubric)) = metric.options.get_mut("rubric")
                && is_rubric_file(rubric)
            {
                *rubric = beside(rubric);
            }
        }
        if let Some(agent) = &mut self.agent {
            agent.resolve_paths(&folder);
        }
        self.run.decision_thresholds.iter_mut().for_each(|file| *file = folder.join(&*file));
        if let Some(baseline) = &mut self.run.baseline
            && baseline.parse::<u64>().is_err()
        {
            *baseline = beside(baseline);
        }
        // A judge may be such a file without an entry of its own.
        let named = self.metrics.iter().filter_map(|metric| metric.options.get("judges").and_then(Json::as_array));
        let named = named.flatten().filter_map(Json::as_str).map(str::to_owned);
        let judges: Vec<String> = named.chain(self.judges.iter().cloned()).collect();
        for judge in judges {
            let is_file = ModelName::parse(&judge).is_ok_and(|name| name.provider == Provider::Replay);
            if is_file && self.models.iter().all(|model| model.name != judge) {
                self.models.push(ModelSettings::from_name(judge));
            }
        }
        for model in &mut self.models {
            if let Ok(name) = model.model_name()
                && name.provider == Provider::Replay
            {
                (model.provider, model.api_model_name) = (Some(name.provider), Some(beside(&name.model)));
            }
        }
    }

    /// Reads the text of a configuration; `name` is what messages call it.
    pub fn parse(text: &str, name: &str) -> Result<Self, ConfigError> {
        let mut config: Self =
            yaml::from_yaml(text).map_err(|reason| ConfigError::Form { name: name.to_owned(), reason })?;
        config.old_names = old_names(text);
        for model in &config.models {
            model.check().map_err(|source| ConfigError::Model { name: name.to_owned(), source })?;
        }
        let wrong = |reason: String| ConfigError::Form { name: name.to_owned(), reason };
        if let Some(key) = config.run.names().into_iter().find(|name| NOT_BELOW_RUN.contains(name)) {
            return Err(wrong(format!("`{key}` stands below `run`, where it is no key")));
        }
        config.run.check().map_err(|reason| wrong(format!("run: {reason}")))?;
        config.generate.check().map_err(|reason| wrong(format!("generate: {reason}")))?;
        config.agent.iter().try_for_each(AgentConfig::check).map_err(|reason| wrong(format!("agent: {reason}")))?;
        for gate in &config.gates {
            gate.check().map_err(|what| match what {
                GateProblem::NoLimit => {
                    ConfigError::GateWithoutLimit { name: name.to_owned(), metric: gate.metric.clone() }
                }
                GateProblem::Reason(reason) => {
                    ConfigError::Gate { name: name.to_owned(), metric: gate.metric.clone(), reason }
                }
            })?;
        }
        config.run = config.run.set_by(&SettingOrigin::File(name.to_owned()));
        Ok(config)
    }

    /// What the configuration says, as options of a run; `name` is what readers call it.
    pub fn options(&self, name: &str) -> RunOptions {
        let origin = SettingOrigin::File(name.to_owned());
        let gates = self.gates.iter().flat_map(GateEntry::gates);
        let beside = RunOptions {
            config: self.path.clone(),
            datasets: self.datasets.clone(),
            models: self.models.clone(),
            generate: Some(self.generate.clone()).filter(|generate| *generate != Generate::default()),
            retrieval: self.retrieval.clone(),
            agent: self.agent.clone(),
            metrics: self.metrics.clone(),
            profile: self.profile,
            judges: self.judges.clone(),
            gates: ConfiguredGates::new(gates, &origin),
            ..RunOptions::default()
        };
        // What was read is called as it was named; what a program put there has the name that it gives.
        let mut options = self.run.clone().combine(beside.set_by(&origin)).set_by(&origin);
        let old = self.old_names.iter().map(|(old, new)| OldName { old, new, from: origin.clone() });
        options.old_names.extend(old);
        options
    }

    /// The same under the name of its file.
    pub fn file_options(&self) -> RunOptions {
        self.options(&self.path.as_deref().unwrap_or(Path::new("")).display().to_string())
    }

    pub fn requests(&self) -> Vec<MetricRequest> {
        self.metrics.iter().map(MetricEntry::request).collect()
    }
}

/// Words of an earlier release in a configuration that was read; `bands` is a setting of its own and told as one.
fn old_names(text: &str) -> Vec<(&'static str, &'static str)> {
    let Ok(whole) = yaml::from_yaml::<Json>(text) else { return Vec::new() };
    let run = whole.get("run").and_then(Json::as_object);
    let renamed = RENAMED.into_iter().map(|option| (option.old, option.new));
    let renamed = renamed.filter(|(old, _)| run.is_some_and(|run| run.contains_key(*old)));
    let metrics = whole.get("metrics").and_then(Json::as_array).into_iter().flatten();
    let holders: Vec<&Json> = std::iter::once(&whole).chain(metrics).collect();
    let is_used = |name: &str| holders.iter().any(|holder| holder.get("profile").and_then(Json::as_str) == Some(name));
    let profiles = Profile::ALL.into_iter().map(|profile| (profile.old_name(), profile.name()));
    renamed.chain(profiles.filter(|(old, _)| is_used(old))).collect()
}

impl MetricEntry {
    pub fn request(&self) -> MetricRequest {
        let own = self.python.as_deref().and_then(MetricRequest::python);
        let command = || {
            let code = MetricCode::new(CodeSource::Command(self.command.clone()));
            let id = if self.id.is_empty() { "command" } else { &self.id };
            MetricRequest { code: Some(code), ..MetricRequest::plain(id) }
        };
        let plain = || MetricRequest::plain(self.id.clone());
        let mut request = own.unwrap_or_else(|| if self.command.is_empty() { plain() } else { command() });
        if let Some(code) = &mut request.code {
            code.timeout = self.timeout;
        }
        MetricRequest {
            name: self.name.clone().unwrap_or(request.name),
            options: if self.options.is_empty() { Json::Null } else { Json::Object(self.options.clone()) },
            profile: self.profile,
            ..request
        }
    }

    /// Name in the results.
    pub fn display_name(&self) -> String {
        self.request().name
    }

    /// A metric is named in one way.
    fn check(&self) -> Result<(), String> {
        // The code of a promptfoo test is run by a program, and the metric of ours puts it together.
        let has_helper = takes_scripts(&self.id) && !self.command.is_empty() && self.python.is_none();
        let ways = [!self.id.is_empty() && !has_helper, self.python.is_some(), !self.command.is_empty()];
        if ways.into_iter().filter(|is_said| *is_said).count() != 1 {
            return Err("a metric has one of `id`, `python` and `command`".to_owned());
        }
        if let Some(reference) = &self.python
            && CodeSource::python_parts(reference).is_none_or(|(_, name)| name.contains(':'))
        {
            return Err(format!("`python: {reference}` is not written FILE.py:NAME, with `options` beside it"));
        }
        if !self.command.is_empty() && !has_helper && self.name.as_deref().is_none_or(str::is_empty) {
            return Err("a metric with `command` needs a `name`".to_owned());
        }
        if self.python.is_none() && self.command.is_empty() && self.timeout.is_some() {
            return Err("`timeout` goes with `python` or `command`".to_owned());
        }
        Ok(())
    }
}

impl Generate {
    /// What is wrong with the prompts that have names.
    fn check(&self) -> Result<(), String> {
        if self.prompts.is_empty() {
            return Ok(());
        }
        if self.prompt.is_some() {
            return Err("`prompt` and `prompts` exclude each other; put it among `prompts`, with a name".to_owned());
        }
        for (at, prompt) in self.prompts.iter().enumerate() {
            let name = &prompt.name;
            if name.trim().is_empty() || name.chars().any(char::is_control) {
                return Err(format!("`prompts[{at}].name` is empty or has control characters"));
            }
            if self.prompts[..at].iter().any(|other| other.name == *name) {
                return Err(format!("two prompts are called `{name}`"));
            }
            if prompt.prompt.is_some() && prompt.file.is_some() {
                return Err(format!("prompt `{name}` has `prompt` and `file`; one of them is enough"));
            }
            let PromptParameters { temperature, top_p, max_tokens, .. } = prompt.parameters;
            let is_bad = |number: Option<f64>, most: f64| number.is_some_and(|number| !(0.0..=most).contains(&number));
            if is_bad(temperature, f64::MAX) || is_bad(top_p, 1.0) || max_tokens == Some(0) {
                return Err(format!("prompt `{name}`: `temperature`, `top_p` or `max_tokens` is out of range"));
            }
        }
        Ok(())
    }
}

/// What is wrong with the limits on a metric.
enum GateProblem {
    NoLimit,
    Reason(&'static str),
}

impl GateEntry {
    /// The limits, as gates.
    pub fn gates(&self) -> Vec<Gate> {
        let metric = || self.metric.clone();
        let mut gates = Vec::new();
        for (limit, relation) in [(self.fail_under, Relation::Under), (self.fail_over, Relation::Over)] {
            gates.extend(limit.map(|limit| Gate::Mean { metric: metric(), relation, limit }));
        }
        for (limit, relation) in [(self.fail_if_any_under, Relation::Under), (self.fail_if_any_over, Relation::Over)] {
            gates.extend(limit.map(|limit| Gate::Any { metric: metric(), relation, limit }));
        }
        if let Some(QuantileEntry { quantile, under, over }) = self.fail_quantile {
            for (limit, relation) in [(under, Relation::Under), (over, Relation::Over)] {
                gates.extend(limit.map(|limit| Gate::Quantile { metric: metric(), quantile, relation, limit }));
            }
        }
        if let Some(rate) = &self.fail_pass_rate {
            let share = rate.share;
            for (limit, relation) in [(rate.at_least, Relation::AtLeast), (rate.at_most, Relation::AtMost)] {
                gates.extend(limit.map(|limit| Gate::PassRate { metric: metric(), relation, limit, share }));
            }
        }
        for LabelEntry { label, over, over_share } in &self.fail_labels {
            let count = over.map(|count| (LabelUnit::Count, count as f64));
            for (of, limit) in count.into_iter().chain(over_share.map(|share| (LabelUnit::Share, share))) {
                let (label, relation) = (label.clone(), Relation::Over);
                gates.push(Gate::Labels { metric: metric(), label, of, relation, limit });
            }
        }
        gates.extend(self.not_worse_by.map(|margin| Gate::NotWorse { metric: metric(), margin }));
        gates.extend(self.max_unsure.map(|share| Gate::unsure_over(&self.metric, share)));
        gates
    }

    fn check(&self) -> Result<(), GateProblem> {
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        if self.max_unsure.is_some_and(|share| !is_share(share)) {
            return Err(GateProblem::Reason("`max_unsure` is a number from 0 to 1"));
        }
        if self.not_worse_by.is_some_and(|margin| !margin.is_finite() || margin < 0.0) {
            return Err(GateProblem::Reason("`not_worse_by` is a number of at least 0, in units of the metric"));
        }
        if let Some(entry) = &self.fail_quantile {
            if entry.under.is_none() && entry.over.is_none() {
                return Err(GateProblem::Reason("`fail_quantile` needs `under` or `over`"));
            }
            if !is_share(entry.quantile) {
                return Err(GateProblem::Reason("`quantile` is a number from 0 to 1"));
            }
        }
        if let Some(rate) = &self.fail_pass_rate {
            if rate.at_least.is_some() == rate.at_most.is_some() {
                return Err(GateProblem::Reason("`fail_pass_rate` needs one of `at_least` and `at_most`"));
            }
            if !is_share(rate.share) {
                return Err(GateProblem::Reason("`share` is a number from 0 to 1"));
            }
        }
        for entry in &self.fail_labels {
            if entry.over.is_none() && entry.over_share.is_none() {
                return Err(GateProblem::Reason("an entry of `fail_labels` needs `over` or `over_share`"));
            }
            if entry.over_share.is_some_and(|share| !is_share(share)) {
                return Err(GateProblem::Reason("`over_share` is a number from 0 to 1"));
            }
        }
        let plain = [self.fail_under, self.fail_over, self.fail_if_any_under, self.fail_if_any_over];
        let quantiles = self.fail_quantile.iter().flat_map(|entry| [entry.under, entry.over]);
        if plain.into_iter().chain(quantiles).flatten().any(|limit| !limit.is_finite()) {
            return Err(GateProblem::Reason("a limit is a finite number"));
        }
        if self.gates().is_empty() { Err(GateProblem::NoLimit) } else { Ok(()) }
    }
}

impl Dataset {
    /// Name in a run.
    pub fn display_name(&self) -> String {
        let file = Path::new(&self.path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = file.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&file).to_owned();
        self.name.clone().unwrap_or(stem)
    }

    /// Which column becomes which field.
    pub fn fields(&self) -> Result<FieldMap, MapError> {
        let columns = self.mapping.iter().map(|(field, column)| match column {
            Json::String(column) => (field.as_str(), column.clone()),
            other => (field.as_str(), other.to_string()),
        });
        FieldMap::from_pairs(columns)
    }
}

/// A configuration cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] CaseFileError),
    /// It does not have the form of a configuration.
    #[error("the configuration `{name}` is not valid: {reason}")]
    Form {
        name: String,
        /// What is wrong, with its place.
        reason: String,
    },
    /// A gate cannot be used.
    #[error("`{name}`: the gate on `{metric}`: {reason}")]
    Gate { name: String, metric: String, reason: &'static str },
    /// A model cannot be used.
    #[error("`{name}`: {source}")]
    Model {
        name: String,
        /// What is wrong, without any key.
        source: SettingsError,
    },
    /// It was found, not named, and belongs to somebody else.
    #[error("`{name}` in this folder belongs to another user (number {owner}) and is not read by itself")]
    OfAnother {
        name: String,
        /// Number of the user.
        owner: u32,
    },
    /// It was found, not named, and asks for more than data.
    #[error("`{name}` in this folder was found, not named, and asks for more than data:{}", wants.iter().map(|want| format!("\n  {want}")).collect::<String>())]
    Untrusted {
        name: String,
        /// What it asks for, each as a phrase.
        wants: Vec<String>,
    },
    /// A gate says nothing.
    #[error("`{name}`: the gate on `{metric}` has no limit")]
    GateWithoutLimit { name: String, metric: String },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read() {
        let text = "datasets:\n  - path: cases.jsonl\n    mapping: {response: model_output}\nmetrics:\n  - id: token_f1\n  - id: precision_at_k\n    name: p3\n    options: {k: 3}\ngates:\n  - {metric: token_f1, fail_under: 0.5}\n";
        let config = Config::parse(text, "test").unwrap();
        let requests = config.requests();
        assert_eq!(requests[0], MetricRequest::plain("token_f1"));
        assert_eq!((requests[1].name.as_str(), &requests[1].options["k"]), ("p3", &Json::from(3)));
        assert_eq!(config.datasets[0].fields().unwrap().iter().collect::<Vec<_>>(), [("response", "model_output")]);
    }

    #[test]
    fn every_kind_of_gate_can_be_configured() {
        let text = "gates:\n  - {metric: a, fail_under: 0.5, fail_over: 0.9, fail_if_any_under: 0.1, fail_if_any_over: 0.95, fail_quantile: {quantile: 0.1, under: 0.2}}\n  - {metric: b, fail_pass_rate: {at_least: 0.5, share: 0.9}}\n  - metric: verdict\n    fail_labels: [{label: FAIL, over: 0}, {label: WARN, over_share: 0.1}]\n    max_unsure: 0.2\n";
        let config = Config::parse(text, "test").unwrap();
        let gates: Vec<String> = config.gates.iter().flat_map(GateEntry::gates).map(|gate| gate.to_string()).collect();
        assert_eq!(
            gates,
            [
                "a < 0.5",
                "a > 0.9",
                "any a < 0.1",
                "any a > 0.95",
                "10 % quantile of a < 0.2",
                "b >= 0.5 in less than 90 %",
                "verdict: FAIL > 0",
                "verdict: WARN > 10 %",
                "verdict: unsure > 20 %"
            ]
        );
        let message = |text: &str| Config::parse(text, "p.yaml").unwrap_err().to_string();
        assert_eq!(message("gates: [{metric: a}]"), "`p.yaml`: the gate on `a` has no limit");
        assert_eq!(
            message("gates: [{metric: a, fail_pass_rate: {at_least: 1, share: 90}}]"),
            "`p.yaml`: the gate on `a`: `share` is a number from 0 to 1"
        );
        assert!(message("gates: [{metric: a, fail_quantile: {quantile: 0.5}}]").contains("needs `under` or `over`"));
        assert!(message("gates: [{metric: a, fail_pass_rate: {share: 0.5}}]").contains("one of `at_least`"));
        assert!(message("gates: [{metric: a, fail_labels: [{label: x}]}]").contains("`over` or `over_share`"));
        assert!(message("gates: [{metric: a, max_unsure: 20}]").contains("`max_unsure` is a number from 0 to 1"));
    }

    #[test]
    fn a_literal_key_is_refused_and_no_mistake_shows_one() {
        let key = "sk-proj-AbCdEfGh0123456789";
        let model = |rest: &str| format!("models:\n  - name: openai:gpt-4o\n{rest}");
        let error = |text: &str| Config::parse(text, "p.yaml").unwrap_err().to_string();
        let literal = error(&model(&format!("    api_key: {key}\n")));
        assert!(literal.contains("`api_key: OPENAI_API_KEY`"), "{literal}");
        for text in [
            model(&format!("    api_key: {key}\n    temprature: 0\n")),
            model(&format!("    temperature: {key}\n")),
            model(&format!("    api_key: {key}\n    headers: [1\n")),
            model(&format!("    {key}: 1\n")),
        ] {
            assert!(!error(&text).contains("AbCdEfGh"), "{}", error(&text));
        }
        let good = Config::parse(&model("    api_key: MY_KEY\njudges: [openai:gpt-4o]\n"), "p.yaml").unwrap();
        assert_eq!(good.judges, ["openai:gpt-4o"]);
    }

    #[test]
    fn a_slip_is_reported_with_its_line() {
        let failure = Config::parse("metrics:\n  - id: token_f1\n    optoins: {}\n", "suite.yaml").unwrap_err();
        let text = failure.to_string();
        assert!(text.contains("suite.yaml") && text.contains("optoins") && text.contains('3'), "{text}");
    }
}
