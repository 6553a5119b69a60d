//! [`Settings`]: what a run is. Flags, environment, configuration and defaults are [`SettingsLayer`]s that are merged once, and of
//! every setting it is known where it came from.
//!
//! A layer is a map from names of settings to values, made from whatever the layer is: nothing is copied by hand, a name that
//! no setting has is an error, and so is a value of the wrong kind. A run keeps its settings, so that it goes on as it began.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use probare_cases::{CaseFormat, FieldMap, Grouping, MapError, ReadOptions};
use probare_core::{MetricRequest, Profile, Trust};
use probare_models::{CacheFile, ModelSettings};
use probare_report::{Cluster, Gate, GateOrigin as SetBy, Gates, GroupBy};
use probare_sandbox::SandboxChoice;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::config::{Config, ConfigError, Dataset, GateEntry, Generate, MetricEntry, Retrieval};
use crate::{ModelAccess, ProgramOptions};

/// What a run is: what is evaluated, how, and what comes out.
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The configuration that was read.
    pub config: Option<PathBuf>,
    /// Files of cases.
    pub datasets: Vec<Dataset>,
    /// Columns for fields, each as `FIELD=COLUMN`.
    pub map: Vec<String>,
    /// Format of the cases; where it is absent the name of the file tells.
    pub format: Option<CaseFormat>,
    /// The sign between the cells of a CSV file; found by itself if absent.
    pub sep: Option<char>,
    /// What becomes one case of a file of traces; a trace if absent.
    pub group: Option<Grouping>,
    /// Rows longer than this many MiB are passed over; 64 if absent.
    pub longest_row: Option<usize>,
    /// Metrics.
    pub metrics: Vec<MetricEntry>,
    /// Models that may be asked.
    pub models: Vec<ModelSettings>,
    /// What the models under test are asked.
    pub generate: Generate,
    /// An index whose passages are put into every case.
    pub retrieval: Option<Retrieval>,
    /// Names of the models that judge, where a metric names none.
    pub judges: Vec<String>,
    /// Which reading of the metrics, where a metric does not say.
    pub profile: Profile,
    /// Files of decision thresholds, as `probare calibrate` writes them.
    pub decision_thresholds: Vec<PathBuf>,
    /// Limits that the run has to keep.
    pub gates: Vec<ConfiguredGate>,
    /// Whether a gate fails only if the interval excludes the limit.
    pub confident: bool,
    /// Whether gates hold for each group, too.
    pub each_group: bool,
    /// By what the summary is grouped.
    pub by: Option<String>,
    /// The column that says which cases hang together, for intervals.
    pub cluster: Option<String>,
    /// Scoring threads; all cores if absent.
    pub jobs: Option<NonZeroUsize>,
    /// At most this many cases; of each data set in a run.
    pub limit: Option<u64>,
    /// End at the first row that cannot be read.
    pub strict: bool,
    /// Whether a run without a single case is a good one.
    pub allow_empty: bool,
    /// Answer judges from recorded replies only.
    pub offline: bool,
    /// Ask models again also where their replies are recorded.
    pub refresh: bool,
    /// Ask models in batches, where they have an interface for them.
    pub batch: bool,
    /// Most money, in US dollars.
    pub budget_usd: Option<f64>,
    /// Most tokens, sent and received.
    pub budget_tokens: Option<u64>,
    /// Score replies that were cut off at their longest length.
    pub score_truncated: bool,
    /// The record of replies; the usual one if absent.
    pub record: Option<PathBuf>,
    /// Seed of the waits between attempts.
    pub seed: u64,
    /// By what programs are shut in.
    pub sandbox: SandboxChoice,
    /// Run programs although what became of them is recorded.
    pub run_again: bool,
    /// Reports to write; `-` is standard output.
    pub output: Vec<PathBuf>,
    /// Title of pages.
    pub title: Option<String>,
    /// When annotations for GitHub are printed; never if absent.
    pub github: Option<When>,
    /// No summary and no progress.
    pub quiet: bool,
    /// The summary as JSON.
    pub json: bool,
    /// When colours are used; on a terminal if absent.
    pub color: Option<When>,
    /// Where each setting came from; what is not named is a default.
    pub origins: BTreeMap<String, SettingOrigin>,
    /// Settings that were given by the name of an earlier release.
    #[serde(skip)]
    pub old_names: Vec<OldName>,
}

/// Settings by the names of release 0.3 and of this one.
const RENAMED: [(&str, &str); 1] = [("bands", "decision_thresholds")];

/// A setting that was given by the name of an earlier release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldName {
    old: &'static str,
    new: &'static str,
    from: SettingOrigin,
}

impl fmt::Display for OldName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { old, new, from } = self;
        match from {
            SettingOrigin::Flag(_) => write!(formatter, "`--{old}` is now `--{}`", new.replace('_', "-")),
            SettingOrigin::Variable(name) => write!(formatter, "`{name}` is now `PROBARE_{}`", new.to_uppercase()),
            SettingOrigin::File(name) => write!(formatter, "`{old}` in {name} is now `{new}`"),
            SettingOrigin::Caller | SettingOrigin::Default => write!(formatter, "`{old}` is now `{new}`"),
        }
    }
}

/// When something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Where it fits.
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// A gate, and where it was set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfiguredGate {
    /// The limit.
    pub gate: Gate,
    /// Where it came from.
    pub from: SettingOrigin,
}

/// Where a setting came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingOrigin {
    /// A flag, by its name.
    Flag(String),
    /// A variable of the environment, by its name.
    Variable(String),
    /// A configuration, by its path.
    File(String),
    /// Whoever called: the cases themselves, or another program.
    Caller,
    /// Nobody said anything.
    Default,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Variable(name) | Self::File(name) => formatter.write_str(name),
            Self::Caller => formatter.write_str("the run itself"),
            Self::Default => formatter.write_str("default"),
        }
    }
}

/// Settings of one origin, or of several of the same strength.
#[derive(Debug, Clone, Default)]
pub struct SettingsLayer {
    values: Map<String, Json>,
    from: BTreeMap<String, SettingOrigin>,
    old_names: Vec<OldName>,
}

/// Settings in which nothing is named that a run could reach or write: these hold whoever made the store of a run.
const HARMLESS: [&str; 11] =
    ["profile", "strict", "limit", "by", "cluster", "confident", "each_group", "gates", "allow_empty", "seed", "title"];

/// The names under which the command line has gates.
const GATES: &str = "fail_";

/// The name of the gate on what metrics abstain from.
const MAX_UNSURE: &str = "max_unsure";

impl SettingsLayer {
    /// The values of which it is known where they came from.
    pub fn new(mut values: Map<String, Json>, origin: impl Fn(&str) -> Option<SettingOrigin>) -> Self {
        let mut from: BTreeMap<String, SettingOrigin> =
            values.keys().filter_map(|name| Some((name.clone(), origin(name)?))).collect();
        values.retain(|name, _| from.contains_key(name));
        let mut old_names = Vec::new();
        for (old, new) in RENAMED {
            rename(&mut values, old, new);
            if let Some(origin) = from.remove(old) {
                old_names.push(OldName { old, new, from: origin.clone() });
                from.entry(new.to_owned()).or_insert(origin);
            }
        }
        Self { values, from, old_names }
    }

    /// What another program says; what is null, false or empty is not said.
    pub fn from_caller(values: Json) -> Self {
        let Json::Object(mut values) = values else { return Self::default() };
        values.retain(|_, value| !matches!(value, Json::Null | Json::Bool(false)) && *value != Json::Array(Vec::new()));
        Self::new(values, |_| Some(SettingOrigin::Caller))
    }

    /// What a configuration says; `name` is what readers call it.
    pub fn from_config(config: &Config, name: &str) -> Self {
        let usual = flat(&Config::default());
        let mut values = flat(config);
        values.retain(|name, value| usual.get(name) != Some(value));
        if !config.gates.is_empty() {
            let gates: Vec<Gate> = config.gates.iter().flat_map(GateEntry::gates).collect();
            values.insert("gates".to_owned(), json(&gates));
        }
        values.extend(config.path.as_ref().map(|path| ("config".to_owned(), json(path))));
        Self::new(values, |_| Some(SettingOrigin::File(name.to_owned())))
    }

    /// What a run began with. Of a run that somebody else may have written down only what reaches and writes nothing.
    pub fn from_run(stored: &Json, is_own: bool) -> Result<Self, ConfigError> {
        let mut values = stored.as_object().cloned().unwrap_or_default();
        for (old, new) in RENAMED {
            rename(&mut values, old, new);
            if let Some(Json::Object(origins)) = values.get_mut("origins") {
                rename(origins, old, new);
            }
        }
        let Settings { origins, .. } = read(Json::Object(values.clone()), "the run")?;
        values.retain(|name, _| is_own || HARMLESS.contains(&name.as_str()));
        let has_gates = values.get("gates").and_then(Json::as_array).is_some_and(|gates| !gates.is_empty());
        let origin = |name: &str| match name {
            "gates" => has_gates.then_some(SettingOrigin::Caller),
            _ => origins.get(name).cloned(),
        };
        Ok(Self::new(values, origin))
    }

    /// Only what the command line or the environment said: a configuration that is read again says the rest.
    #[must_use]
    pub fn without_files(mut self) -> Self {
        self.values.retain(|name, value| match name.as_str() {
            "gates" => {
                if let Json::Array(gates) = value {
                    gates.retain(|gate| gate.pointer("/from/file").is_none());
                }
                true
            }
            name => !matches!(self.from.get(name), Some(SettingOrigin::File(_))),
        });
        self
    }

    /// Only these settings.
    #[must_use]
    pub fn only(mut self, names: &[&str]) -> Self {
        self.values.retain(|name, _| names.contains(&name.as_str()));
        self
    }

    /// Whether it says something about a setting.
    pub fn contains(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Without one setting.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.values.shift_remove(name);
        self
    }

    /// One setting more, from whoever calls.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Serialize) -> Self {
        self.values.insert(name.to_owned(), json(&value));
        self.from.insert(name.to_owned(), SettingOrigin::Caller);
        self
    }

    /// The gates of one value: gates as they are, or with where they came from.
    fn gates(value: Json, from: &SettingOrigin) -> Result<Vec<ConfiguredGate>, serde_json::Error> {
        let Json::Array(gates) = value else { return Ok(Vec::new()) };
        let read = |gate: Json| match gate.get("gate") {
            Some(_) => serde_json::from_value(gate),
            None => serde_json::from_value(gate).map(|gate| ConfiguredGate { gate, from: from.clone() }),
        };
        gates.into_iter().map(read).collect()
    }
}

/// Gives a value its new name; a list goes before one that has the new name already.
fn rename(values: &mut Map<String, Json>, old: &str, new: &str) {
    match (values.shift_remove(old), values.get_mut(new)) {
        (Some(Json::Array(mut former)), Some(Json::Array(list))) => {
            former.append(list);
            *list = former;
        }
        (Some(value), None) => {
            values.insert(new.to_owned(), value);
        }
        _ => {}
    }
}

/// All settings of a configuration side by side.
fn flat(config: &Config) -> Map<String, Json> {
    let Json::Object(mut values) = json(config) else { return Map::new() };
    if let Some(Json::Object(run)) = values.shift_remove("run") {
        values.extend(run);
    }
    // Entries with several limits each; the gates stand for them.
    values.shift_remove("gates");
    values
}

fn json(value: &impl Serialize) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}

fn read(values: Json, name: &str) -> Result<Settings, ConfigError> {
    serde_json::from_value(values)
        .map_err(|error| ConfigError::Form { name: name.to_owned(), reason: error.to_string() })
}

impl Settings {
    /// Merges layers, the strongest first. Of each setting the first that says something is right; gates add up, those of
    /// the weakest layer first.
    pub fn merge(layers: impl IntoIterator<Item = SettingsLayer>) -> Result<Self, ConfigError> {
        let (mut merged, mut origins, mut gates) = (Map::new(), BTreeMap::new(), Vec::new());
        let mut old_names = Vec::new();
        for SettingsLayer { values, from, old_names: of_layer } in layers {
            let mut own = Vec::new();
            old_names.extend(of_layer);
            for (name, value) in values {
                let origin = from.get(&name).cloned().unwrap_or(SettingOrigin::Caller);
                if name == "gates" || name == MAX_UNSURE || name.starts_with(GATES) {
                    let read = SettingsLayer::gates(value, &origin);
                    own.extend(read.map_err(|error| ConfigError::Form {
                        name: origin.to_string(),
                        reason: format!("{name}: {error}"),
                    })?);
                } else if !merged.contains_key(&name) {
                    origins.insert(name.clone(), origin);
                    merged.insert(name, value);
                }
            }
            gates.splice(0..0, own);
        }
        let settings = read(Json::Object(merged), "the settings")?;
        Ok(Self { gates, origins, old_names, ..settings })
    }

    /// These settings, but for what a layer says.
    pub fn but(self, layer: SettingsLayer) -> Result<Self, ConfigError> {
        Self::merge([layer, SettingsLayer::from_run(&json(&self), true)?])
    }

    /// Where a setting came from.
    pub fn origin(&self, name: &str) -> SettingOrigin {
        self.origins.get(name).cloned().unwrap_or(SettingOrigin::Default)
    }

    /// Every setting with its value and where it came from, in a fixed order; gates one by one.
    pub fn told(&self) -> Vec<(String, Json, SettingOrigin)> {
        let Json::Object(values) = json(self) else { return Vec::new() };
        let mut told = Vec::new();
        for (name, value) in values {
            match name.as_str() {
                "origins" => {}
                "gates" => {
                    let gate =
                        |set: &ConfiguredGate| ("gate".to_owned(), Json::from(set.gate.to_string()), set.from.clone());
                    told.extend(self.gates.iter().map(gate));
                }
                _ => {
                    let origin = self.origin(&name);
                    told.push((name, value, origin));
                }
            }
        }
        told
    }

    /// The metrics as requests.
    pub fn requests(&self) -> Vec<MetricRequest> {
        self.metrics.iter().map(MetricEntry::request).collect()
    }

    /// How the cases of a file are read, with what a configuration maps where nothing else is said.
    pub fn reading(&self, configured: &FieldMap) -> Result<ReadOptions, MapError> {
        let usual = ReadOptions::default();
        Ok(ReadOptions {
            fields: FieldMap::parse(&self.map)?.or(configured),
            format: self.format,
            separator: self.sep.and_then(|sign| u8::try_from(sign).ok()),
            group: self.group,
            longest_row: self.longest_row.map_or(usual.longest_row, |most| most.saturating_mul(1024 * 1024)),
        })
    }

    /// All gates, and how strict they are. A gate knows where it was set where that is not the command line itself.
    pub fn limits(&self) -> Gates {
        let from = |set: &ConfiguredGate| match set.from.clone() {
            SettingOrigin::Flag(name) => Some(SetBy::Flag(name)),
            SettingOrigin::Variable(name) => Some(SetBy::Variable(name)),
            SettingOrigin::File(name) => Some(SetBy::Configuration(name)),
            SettingOrigin::Caller | SettingOrigin::Default => None,
        };
        Gates::new(self.gates.iter().map(|set| set.gate.clone()).collect())
            .set_by(self.gates.iter().map(from))
            .confident(self.confident)
            .in_each_group(self.each_group)
    }

    /// By what the summary is grouped.
    pub fn groups(&self) -> Option<GroupBy> {
        // Any text is something to group by.
        self.by.as_ref().and_then(|by| by.parse().ok())
    }

    /// The column that says which cases hang together.
    pub fn cluster(&self) -> Option<Cluster> {
        // Any text is the name of a column.
        self.cluster.as_ref().and_then(|name| name.parse().ok())
    }

    /// Whether annotations for GitHub are printed, here.
    pub fn annotates(&self) -> bool {
        match self.github {
            None | Some(When::Never) => false,
            Some(When::Auto) => std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true"),
            Some(When::Always) => true,
        }
    }

    /// The files to write, without standard output.
    pub fn files(&self) -> Vec<PathBuf> {
        self.output.iter().filter(|output| *output != Path::new("-")).cloned().collect()
    }

    /// The folder of the configuration, from which its files are looked for.
    pub fn folder(&self) -> &Path {
        self.config.as_deref().and_then(Path::parent).unwrap_or(Path::new(""))
    }

    /// The response cache: one that is named, or the one in the default place.
    pub fn record(&self) -> CacheFile {
        CacheFile::from_flag(self.record.as_deref())
    }

    /// Which models may be asked, and on which terms.
    pub fn asking(&self) -> ModelAccess {
        ModelAccess {
            // Flags, environment and configuration are the user's own word.
            trust: Trust::Trusted,
            cassettes: Vec::new(),
            models: self.models.clone(),
            judges: self.judges.clone(),
            under_test: Vec::new(),
            has_outputs: false,
            refresh: self.refresh,
            batch: self.batch,
            offline: self.offline,
            dry_run: false,
            whole: false,
            budget_usd: self.budget_usd,
            budget_tokens: self.budget_tokens,
            score_truncated: self.score_truncated,
            is_published: false,
            record: self.record(),
            seed: self.seed,
            // What a configuration names lies beside it and is named so; what the command line names lies here.
            folder: PathBuf::new(),
        }
    }

    /// How programs are run.
    pub fn sandboxing(&self) -> ProgramOptions {
        ProgramOptions {
            choice: self.sandbox,
            record: Some(self.record()),
            again: self.run_again,
            offline: self.offline,
            recorded_only: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn flags(values: Json) -> SettingsLayer {
        let Json::Object(values) = values else { panic!("an object") };
        SettingsLayer::new(values, |name| Some(SettingOrigin::Flag(format!("--{}", name.replace('_', "-")))))
    }

    fn file(text: &str) -> SettingsLayer {
        SettingsLayer::from_config(&Config::parse(text, "p.yaml").unwrap(), "p.yaml")
    }

    #[test]
    fn the_strongest_layer_that_says_something_is_right_and_it_is_known_which() {
        let settings = Settings::merge([
            flags(json!({"limit": 5, "fail_under": [{"kind": "mean", "metric": "a", "relation": "<", "limit": 0.5}]})),
            file(
                "run: {limit: 7, concurrency: 3, strict: true}\nprofile: careful\ngates: [{metric: b, fail_over: 1}]\n",
            ),
        ])
        .unwrap();
        assert_eq!((settings.limit, settings.jobs, settings.strict), (Some(5), NonZeroUsize::new(3), true));
        assert_eq!(settings.origin("limit"), SettingOrigin::Flag("--limit".into()));
        assert_eq!(settings.origin("jobs"), SettingOrigin::File("p.yaml".into()));
        assert_eq!(settings.origin("seed"), SettingOrigin::Default);
        let gates: Vec<String> = settings.gates.iter().map(|set| format!("{} {}", set.gate, set.from)).collect();
        assert_eq!(gates, ["b > 1 p.yaml", "a < 0.5 --fail-under"]);
        assert_eq!(settings.profile, Profile::Careful);
    }

    #[test]
    fn a_setting_that_nobody_knows_is_an_error_and_not_dropped() {
        assert!(Settings::merge([flags(json!({"limitt": 5}))]).unwrap_err().to_string().contains("limitt"));
        assert!(Settings::merge([flags(json!({"limit": "many"}))]).is_err());
    }

    #[test]
    fn every_setting_of_a_configuration_arrives() {
        let text = "datasets: [{path: a.jsonl}]\nmetrics: [token_f1, {id: ndcg, options: {k: 3}}]\nmodels: [{name: 'openai:x'}]\n\
                    generate: {prompt: p}\nretrieval: {index: i}\njudges: [j]\ngates: [{metric: a, fail_under: 1}]\nprofile: careful\n\
                    run: {output: [o.csv], concurrency: 2, limit: 1, strict: true, by: tags, cluster: c, each_group: true, confident: true, \
                    offline: true, budget_usd: 1, budget_tokens: 2, score_truncated: true, record: r, sandbox: none, seed: 9, allow_empty: true, decision_thresholds: [b.json]}\n";
        let settings = Settings::merge([file(text)]).unwrap();
        let Json::Object(schema) = schemars::schema_for!(crate::config::Run).to_value() else { panic!("an object") };
        for name in schema["properties"].as_object().unwrap().keys() {
            let name = match name.as_str() {
                "concurrency" => "jobs",
                "bands" => "decision_thresholds",
                name => name,
            };
            assert_eq!(settings.origin(name), SettingOrigin::File("p.yaml".into()), "{name}");
        }
        for name in ["datasets", "metrics", "models", "generate", "retrieval", "judges", "profile"] {
            assert_eq!(settings.origin(name), SettingOrigin::File("p.yaml".into()), "{name}");
        }
        assert_eq!(settings.requests()[0], MetricRequest::plain("token_f1"));
    }

    #[test]
    fn a_run_begins_again_with_what_it_began_with() {
        let begun = Settings::merge([
            flags(json!({"profile": "careful", "output": ["o.csv"]})),
            file("models: [{name: 'openai:x'}]\nrun: {strict: true}\ngates: [{metric: b, fail_over: 1}]\n"),
        ])
        .unwrap();
        let stored = json(&begun);
        let own = Settings::merge([SettingsLayer::from_run(&stored, true).unwrap()]).unwrap();
        assert_eq!(json(&own), stored);
        let foreign = Settings::merge([SettingsLayer::from_run(&stored, false).unwrap()]).unwrap();
        assert_eq!((foreign.profile, foreign.strict, foreign.gates.len()), (Profile::Careful, true, 1));
        assert!(foreign.models.is_empty() && foreign.output.is_empty());
        let said = Settings::merge([SettingsLayer::from_run(&stored, true).unwrap().without_files()]).unwrap();
        assert_eq!((said.profile, said.strict, said.gates.len()), (Profile::Careful, false, 0));
    }
}
