//! [`RunOptions`]: everything that can be set about a run, declared once. Command line, environment, configuration, Python, HTTP
//! and the settings that a store keeps all read this type; [`RunOptions::combine`] merges them field by field.
//!
//! Every option is optional: what nobody says keeps its default where it is used. Of every option it is known where it came
//! from.

mod gates;
mod old_names;
mod origin;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::Resettable;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, ValueEnum};
use probare_core::{MetricRequest, Profile, Trust};
use probare_formats::{CaseFormat, FieldMap, Grouping, MapError, ReadOptions};
use probare_models::{CacheFile, ModelOptions, ModelSettings};
use probare_report::{Cluster, Gate, GateOrigin, Gates, GroupBy};
use probare_sandbox::SandboxChoice;
use probare_store::RunPlan;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value as Json;

pub use self::gates::{ConfiguredGate, ConfiguredGates};
pub use self::old_names::{RENAMED, RenamedOption};
pub use self::origin::{OldName, SettingOrigin};

use self::gates::is_gate_flag;
use crate::agent::AgentConfig;
use crate::config::{ConfigError, Dataset, Generate, MetricEntry, Retrieval};
use crate::{MOST_JOBS, ModelAccess, ProgramOptions};

/// Declares the options with what has to be done for each of them, so that none can be forgotten.
macro_rules! run_options {
    ($(#[$about:meta])* pub struct RunOptions { $($(#[$attribute:meta])* pub $name:ident: $type:ty,)* }) => {
        $(#[$about])*
        pub struct RunOptions {
            $($(#[$attribute])* pub $name: $type,)*
            /// Where each option came from; what is not named is a default.
            #[arg(skip)]
            #[schemars(skip)]
            pub origins: BTreeMap<String, SettingOrigin>,
            /// Options that were given by the name of an earlier release.
            #[arg(skip)]
            #[serde(skip)]
            pub old_names: Vec<OldName>,
        }

        impl RunOptions {
            /// These options where they are set, else those of `weaker`. Gates add up, the weaker ones first.
            #[must_use]
            pub fn combine(mut self, mut weaker: Self) -> Self {
                $(if OptionField::is_set(&weaker.$name) && OptionField::fill(&mut self.$name, weaker.$name) {
                    self.move_origin(stringify!($name), &mut weaker.origins);
                })*
                self.old_names.append(&mut weaker.old_names);
                self
            }

            /// Only the options whose names satisfy a condition.
            #[must_use]
            pub fn retain(mut self, keep: impl Fn(&str) -> bool) -> Self {
                $(if !keep(stringify!($name)) {
                    self.$name = OptionField::unset();
                    self.origins.remove(stringify!($name));
                })*
                self
            }

            /// The names of the options that are set.
            pub fn names(&self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if OptionField::is_set(&self.$name) {
                    names.push(stringify!($name));
                })*
                names
            }

            fn set_from_argument(&mut self, id: &str, matches: &ArgMatches) {
                $(if id == stringify!($name) {
                    self.$name = OptionField::from_matches(matches, id);
                })*
            }
        }
    };
}

run_options! {
    /// What can be set about a run: what is evaluated, how, and what comes out.
    #[derive(Debug, Clone, Default, Args, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, default)]
    pub struct RunOptions {
        /// The configuration that was read
        #[arg(skip)]
        pub config: Option<PathBuf>,

        /// Files of cases
        #[arg(skip)]
        pub datasets: Vec<Dataset>,

        /// Models that may be asked
        #[arg(skip)]
        pub models: Vec<ModelSettings>,

        /// What the models under test are asked
        #[arg(skip)]
        pub generate: Option<Generate>,

        /// Ask only with this prompt of `generate.prompts` (repeatable)
        #[arg(long = "prompt", value_name = "NAME", env = "PROBARE_PROMPT")]
        pub prompts: Vec<String>,

        /// An index whose passages are put into every case
        #[arg(skip)]
        pub retrieval: Option<Retrieval>,

        /// Tools, simulated user and limits of models under test that are agents
        #[arg(skip)]
        pub agent: Option<AgentConfig>,

        /// Metric to compute: ID, ID:OPTION=VALUE,… or NAME=ID:OPTION=VALUE (repeatable)
        #[arg(short, long = "metric", value_name = "METRIC", env = "PROBARE_METRIC")]
        pub metrics: Vec<MetricEntry>,

        /// Which definition of the metrics: published (as their authors define them) or improved (our own, where a metric has one)
        #[arg(long, value_name = "PROFILE", value_parser = parse_profile, env = "PROBARE_PROFILE")]
        pub profile: Option<Profile>,

        /// Column for a field, for example `response=model_output` (repeatable)
        #[arg(long = "map", value_name = "FIELD=COLUMN", env = "PROBARE_MAP")]
        pub map: Vec<String>,

        /// Format of the cases if the file name does not tell: jsonl, json, csv, tsv, parquet or otlp (traces)
        #[arg(long, value_name = "FORMAT", env = "PROBARE_FORMAT")]
        #[serde(deserialize_with = "from_text")]
        #[schemars(with = "Option<String>")]
        pub format: Option<CaseFormat>,

        /// Delimiter of a CSV file; detected by default: comma, semicolon, tab or |
        #[arg(long, value_name = "CHAR", value_parser = parse_separator, env = "PROBARE_DELIMITER")]
        #[serde(alias = "sep")]
        pub delimiter: Option<char>,

        /// What one case of a file of traces is: trace (the default) or conversation
        #[arg(long, value_name = "WHAT", env = "PROBARE_GROUP")]
        #[serde(deserialize_with = "from_text")]
        #[schemars(with = "Option<String>")]
        pub group: Option<Grouping>,

        /// Report and skip rows larger than this many MiB; 64 by default
        #[arg(long, value_name = "MIB", env = "PROBARE_MAX_ROW_SIZE")]
        #[serde(alias = "longest_row")]
        pub max_row_size: Option<usize>,

        /// File to write; its extension says what (repeatable); - is standard output
        #[arg(short, long, value_name = "OUT", env = "PROBARE_OUTPUT")]
        pub output: Vec<PathBuf>,

        /// Limits that the run has to keep
        #[command(flatten)]
        #[schemars(skip)]
        pub gates: ConfiguredGates,

        /// Fail a gate only if the 95 % interval excludes its limit
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_SIGNIFICANT")]
        #[serde(alias = "confident")]
        pub significant: Option<bool>,

        /// Apply the gates to each group of --by, too
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_PER_GROUP")]
        #[serde(alias = "each_group")]
        pub per_group: Option<bool>,

        /// Print an annotation for GitHub Actions for each failed gate: always if no value is given, auto only in a workflow; never by default
        #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always", env = "PROBARE_GITHUB")]
        pub github: Option<When>,

        /// File of decision thresholds, as `probare calibrate` writes it: the labels of its metric are then pass, fail and unsure (repeatable)
        #[arg(long, value_name = "FILE", env = "PROBARE_DECISION_THRESHOLDS")]
        pub decision_thresholds: Vec<PathBuf>,

        /// The name of `decision_thresholds` up to release 0.3
        #[arg(long, value_name = "FILE", env = "PROBARE_BANDS", hide = true)]
        #[serde(skip_serializing)]
        pub bands: Vec<PathBuf>,

        /// Report means per group of cases: tags, a tag (lang for lang:en), metadata.KEY, model, prompt or model+prompt; model,tags for
        /// both
        #[arg(long, value_name = "TAG|tags|metadata.KEY|model|prompt", env = "PROBARE_BY")]
        pub by: Option<String>,

        /// Compute intervals for cases that are not independent because they share a source: the column that names it
        #[arg(long, value_name = "COLUMN", env = "PROBARE_CLUSTER")]
        pub cluster: Option<String>,

        /// Number of scoring threads; all cores by default. The output does not depend on it
        #[arg(short, long, value_name = "N", value_parser = parse_jobs, env = "PROBARE_JOBS")]
        #[serde(rename(deserialize = "concurrency"), alias = "jobs")]
        pub jobs: Option<NonZeroUsize>,

        /// Judge for metrics that ask a model: a name from the configuration, or provider:model (repeatable: a panel)
        #[arg(long = "judge", value_name = "MODEL", env = "PROBARE_JUDGE")]
        pub judges: Vec<String>,

        /// Send no request: answer from the response cache and from recorded replies only; what is missing is listed
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_OFFLINE")]
        pub offline: Option<bool>,

        /// Ask models again even if their replies are cached, and replace the cached replies
        #[arg(long, action = ArgAction::SetTrue, conflicts_with = "offline", env = "PROBARE_REFRESH")]
        pub refresh: Option<bool>,

        /// Use the batch interface of providers that have one: replies within a day, for half the price. Ends with exit code 3; `probare
        /// resume` fetches the replies
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_BATCH")]
        pub batch: Option<bool>,

        /// Budget of the run in US dollars, over all resumes; exit code 4 when it is reached
        #[arg(long, value_name = "DOLLARS", value_parser = parse_dollars, env = "PROBARE_BUDGET_USD")]
        pub budget_usd: Option<f64>,

        /// Budget of the run in tokens, sent and received, over all resumes; exit code 4 when it is reached
        #[arg(long, value_name = "N", env = "PROBARE_BUDGET_TOKENS")]
        pub budget_tokens: Option<u64>,

        /// Score replies that were truncated at their token limit, instead of counting them as errors of kind `truncated`
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_SCORE_TRUNCATED")]
        pub score_truncated: Option<bool>,

        /// The response cache; by default your own entries of .probare/cache.db
        #[arg(long, value_name = "FILE", env = "PROBARE_CACHE")]
        #[serde(alias = "record")]
        pub cache: Option<PathBuf>,

        /// Seed of what is drawn at random: the order of the cases with --stop-when-decided, and the waits between attempts
        #[arg(long, value_name = "N", env = "PROBARE_SEED")]
        pub seed: Option<u64>,

        /// End as soon as all gates are decided, and ask no further model: cases are taken in an order drawn by --seed, and the
        /// verdict differs from that of the complete run in at most 5 of 100 orders
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_STOP_WHEN_DECIDED")]
        pub stop_when_decided: Option<bool>,

        /// Results that --not-worse compares with: a file, or in `run` the number of a run in the store; append @MODEL for the
        /// outputs of one model
        #[arg(long, value_name = "RESULTS", env = "PROBARE_BASELINE")]
        pub baseline: Option<String>,

        /// Sandbox for programs that metrics run: auto, bubblewrap or none (only for programs you trust)
        #[arg(long, value_name = "SANDBOX", env = "PROBARE_SANDBOX")]
        #[serde(deserialize_with = "from_text")]
        #[schemars(with = "Option<String>")]
        pub sandbox: Option<SandboxChoice>,

        /// Run programs again even if their outcome is cached
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_RUN_AGAIN")]
        pub run_again: Option<bool>,

        /// Score at most this many cases
        #[arg(long, value_name = "N", env = "PROBARE_LIMIT")]
        pub limit: Option<u64>,

        /// Exit with code 0 even if there is no case
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_ALLOW_EMPTY")]
        pub allow_empty: Option<bool>,

        /// Exit with code 0 even if checks were not run, because this program cannot or may not run them
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_ALLOW_NOT_RUN")]
        pub allow_not_run: Option<bool>,

        /// Title of the report pages
        #[arg(long, value_name = "TEXT", env = "PROBARE_TITLE")]
        pub title: Option<String>,

        /// Print no summary and no progress
        #[arg(short, long, action = ArgAction::SetTrue, env = "PROBARE_QUIET")]
        pub quiet: Option<bool>,

        /// Print the summary as JSON instead of a table
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_JSON")]
        pub json: Option<bool>,

        /// Use colours; by default on a terminal, unless `NO_COLOR` is set
        #[arg(long, value_name = "WHEN", overrides_with = "color", env = "PROBARE_COLOR")]
        pub color: Option<When>,

        /// Stop at the first row that cannot be read
        #[arg(long, action = ArgAction::SetTrue, env = "PROBARE_STRICT")]
        pub strict: Option<bool>,
    }
}

/// What merging needs to know of a field.
trait OptionField: Sized {
    /// The value that says nothing.
    fn unset() -> Self;

    fn is_set(&self) -> bool;

    /// What the command line or the environment says.
    fn from_matches(matches: &ArgMatches, id: &str) -> Self;

    /// Takes over a weaker value; says whether that is now the value.
    fn fill(&mut self, weaker: Self) -> bool {
        let is_filled = !self.is_set();
        if is_filled {
            *self = weaker;
        }
        is_filled
    }
}

impl<T: Clone + Send + Sync + 'static> OptionField for Option<T> {
    fn unset() -> Self {
        None
    }

    fn is_set(&self) -> bool {
        self.is_some()
    }

    fn from_matches(matches: &ArgMatches, id: &str) -> Self {
        matches.get_one(id).cloned()
    }
}

/// A list that is empty says nothing.
impl<T: Clone + Send + Sync + 'static> OptionField for Vec<T> {
    fn unset() -> Self {
        Self::new()
    }

    fn is_set(&self) -> bool {
        !self.is_empty()
    }

    fn from_matches(matches: &ArgMatches, id: &str) -> Self {
        matches.get_many(id).into_iter().flatten().cloned().collect()
    }
}

/// Gates know one by one where they came from.
impl OptionField for ConfiguredGates {
    fn unset() -> Self {
        Self::default()
    }

    fn is_set(&self) -> bool {
        !self.0.is_empty()
    }

    fn from_matches(_: &ArgMatches, _: &str) -> Self {
        Self::default()
    }

    fn fill(&mut self, weaker: Self) -> bool {
        self.0.splice(0..0, weaker.0);
        false
    }
}

/// When something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Where it fits: colours on a terminal, annotations in a workflow of GitHub
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

/// Options in which nothing is named that a run could reach or write: these hold whoever made the store of a run.
const HARMLESS: [&str; 14] = [
    "prompts",
    "profile",
    "strict",
    "stop_when_decided",
    "limit",
    "by",
    "cluster",
    "significant",
    "per_group",
    "gates",
    "allow_empty",
    "allow_not_run",
    "seed",
    "title",
];

/// Reads an option as the command line does.
fn from_text<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = String>,
{
    let text = Option::<String>::deserialize(deserializer)?;
    text.map(|text| text.parse().map_err(D::Error::custom)).transpose()
}

/// Reads the name of a profile.
fn parse_profile(name: &str) -> Result<Profile, String> {
    Profile::from_name(name).ok_or_else(|| "the profiles are `published` and `improved`".to_owned())
}

/// Reads a delimiter: one character, or `tab`.
fn parse_separator(text: &str) -> Result<char, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok('\t'),
        [sign] if !sign.is_ascii_alphanumeric() && *sign != b'"' => Ok(char::from(*sign)),
        _ => Err("a single character is expected, such as ; or | or tab".to_owned()),
    }
}

/// Reads a number of threads that a machine can have.
pub fn parse_jobs(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(jobs) if jobs.get() <= MOST_JOBS => Ok(jobs),
        _ => Err(format!("a whole number from 1 to {MOST_JOBS} is expected")),
    }
}

fn parse_dollars(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if is_amount(number) => Ok(number),
        _ => Err("an amount of US dollars is expected, such as 0.50".to_owned()),
    }
}

fn is_amount(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

impl RunOptions {
    /// All options that have a flag, as arguments of a command.
    pub fn arguments() -> Vec<Arg> {
        let command = Self::augment_args(Command::new("options"));
        // Their place in the help is that of the command which takes them.
        command.get_arguments().cloned().map(|argument| argument.display_order(Resettable::Reset)).collect()
    }

    /// What a command line and its environment say about the options that it `takes`. What nobody said is not set, whatever
    /// default the command shows.
    pub fn from_matches(matches: &ArgMatches, takes: impl Fn(&str) -> bool) -> Self {
        let mut options = Self::default();
        for argument in Self::arguments() {
            let id = argument.get_id().as_str();
            let Some(origin) = SettingOrigin::from_matches(&argument, matches).filter(|_| takes(id)) else { continue };
            if is_gate_flag(id) {
                let gates = matches.get_many::<Gate>(id).into_iter().flatten().cloned();
                options.gates.0.extend(ConfiguredGates::new(gates, &origin).0);
            } else {
                options.set_from_argument(id, matches);
                options.origins.insert(id.to_owned(), origin);
            }
        }
        options.rename_old()
    }

    /// What a run began with; nothing of a run that an older version began. Of one that somebody else may have written down
    /// only what reaches and writes nothing.
    pub fn from_plan(plan: &RunPlan) -> Result<Option<Self>, ConfigError> {
        plan.settings.as_ref().map(|settings| Self::from_run(settings, plan.has_valid_owner_tag())).transpose()
    }

    fn from_run(stored: &Json, is_own: bool) -> Result<Self, ConfigError> {
        let options: Self = serde_json::from_value(stored.clone())
            .map_err(|error| ConfigError::Form { name: "the run".to_owned(), reason: error.to_string() })?;
        let mut options = options.rename_old();
        options.old_names.clear();
        for renamed in &RENAMED {
            if let Some(origin) = options.origins.remove(renamed.old) {
                options.origins.entry(renamed.new.to_owned()).or_insert(origin);
            }
        }
        // Old stores hold the defaults, too.
        let said = options.origins.clone();
        let is_said = |name: &str| name == "gates" || said.contains_key(name);
        Ok(options.retain(|name| is_said(name) && (is_own || HARMLESS.contains(&name))))
    }

    /// The same with one origin for everything that is set.
    #[must_use]
    pub fn set_by(mut self, origin: &SettingOrigin) -> Self {
        for name in self.names().into_iter().filter(|name| *name != "gates") {
            self.origins.insert(name.to_owned(), origin.clone());
        }
        self.gates.0.iter_mut().for_each(|gate| gate.from = origin.clone());
        self.rename_old()
    }

    /// Options that another program sets.
    #[must_use]
    pub fn set_by_caller(self) -> Self {
        self.set_by(&SettingOrigin::Caller)
    }

    /// Gives options their new names; a former list goes before one that has the new name already.
    fn rename_old(mut self) -> Self {
        let former = std::mem::take(&mut self.bands);
        let from = self.origins.remove("bands").unwrap_or(SettingOrigin::Caller);
        if !former.is_empty() {
            self.decision_thresholds.splice(0..0, former);
            self.origins.entry("decision_thresholds".to_owned()).or_insert_with(|| from.clone());
            self.old_names.push(OldName { old: "bands", new: "decision_thresholds", from });
        }
        self
    }

    fn move_origin(&mut self, name: &str, weaker: &mut BTreeMap<String, SettingOrigin>) {
        match weaker.remove_entry(name) {
            Some((name, origin)) => self.origins.insert(name, origin),
            None => self.origins.remove(name),
        };
    }

    /// Says what is wrong with a value that the types allow.
    pub fn check(&self) -> Result<(), String> {
        if self.jobs.is_some_and(|jobs| jobs.get() > MOST_JOBS) {
            return Err(format!("`jobs` must be a whole number from 1 to {MOST_JOBS}"));
        }
        if self.budget_usd.is_some_and(|dollars| !is_amount(dollars)) {
            return Err("`budget_usd` must be an amount of US dollars, such as 0.50".to_owned());
        }
        Ok(())
    }

    /// Only what the command line or the environment said: a configuration that is read again says the rest.
    #[must_use]
    pub fn without_files(mut self) -> Self {
        self.gates.0.retain(|gate| !gate.from.is_file());
        let origins = self.origins.clone();
        self.retain(|name| origins.get(name).is_none_or(|origin| !origin.is_file()))
    }

    /// Where an option came from.
    pub fn origin(&self, name: &str) -> SettingOrigin {
        self.origins.get(name).cloned().unwrap_or(SettingOrigin::Default)
    }

    /// What holds where nobody says anything, as far as it is a value.
    fn defaults() -> Self {
        let no = Some(false);
        Self {
            generate: Some(Generate::default()),
            profile: Some(Profile::default()),
            max_row_size: Some(ReadOptions::default().longest_row / MEBIBYTE),
            significant: no,
            per_group: no,
            github: Some(When::Never),
            offline: no,
            refresh: no,
            score_truncated: no,
            seed: Some(0),
            stop_when_decided: no,
            sandbox: Some(SandboxChoice::default()),
            run_again: no,
            allow_empty: no,
            allow_not_run: no,
            quiet: no,
            json: no,
            color: Some(When::Auto),
            strict: no,
            ..Self::default()
        }
    }

    /// Every option with its value and where it came from, in a fixed order; gates one by one.
    pub fn listed(&self) -> Vec<(String, Json, SettingOrigin)> {
        let whole = serde_json::to_value(self.clone().combine(Self::defaults())).unwrap_or_default();
        let Json::Object(values) = whole else { return Vec::new() };
        let mut listed = Vec::new();
        for (name, value) in values {
            match name.as_str() {
                "origins" => {}
                "gates" => listed.extend(
                    self.gates
                        .0
                        .iter()
                        .map(|set| ("gate".to_owned(), Json::from(set.gate.to_string()), set.from.clone())),
                ),
                _ => {
                    let origin = self.origin(&name);
                    listed.push((name, value, origin));
                }
            }
        }
        listed
    }

    /// Which definition of the metrics, where a metric does not say.
    pub fn profile(&self) -> Profile {
        self.profile.unwrap_or_default()
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
            separator: self.delimiter.and_then(|sign| u8::try_from(sign).ok()),
            group: self.group,
            longest_row: self.max_row_size.map_or(usual.longest_row, |most| most.saturating_mul(MEBIBYTE)),
        })
    }

    /// All gates, and how strict they are. A gate knows where it was set where that is not the command line itself.
    pub fn limits(&self) -> Gates {
        let from = |set: &ConfiguredGate| match set.from.clone() {
            SettingOrigin::Flag(name) => Some(GateOrigin::Flag(name)),
            SettingOrigin::Variable(name) => Some(GateOrigin::Variable(name)),
            SettingOrigin::File(name) => Some(GateOrigin::Configuration(name)),
            SettingOrigin::Caller | SettingOrigin::Default => None,
        };
        Gates::new(self.gates.0.iter().map(|set| set.gate.clone()).collect())
            .set_by(self.gates.0.iter().map(from))
            .confident(self.significant.unwrap_or_default())
            .in_each_group(self.per_group.unwrap_or_default())
    }

    /// Means over several models or prompts say little: each has its own, whatever else is asked for.
    pub fn group_by_source(&mut self, plan: &RunPlan) {
        let source = match (plan.models.len() > 1, plan.names_prompts()) {
            (true, true) => "model+prompt",
            (true, false) => "model",
            (false, true) => "prompt",
            (false, false) => return,
        };
        self.by = Some(match self.by.take() {
            None => source.to_owned(),
            Some(by) if by.split(',').any(|by| ["model", "prompt", "model+prompt"].contains(&by)) => by,
            Some(by) => format!("{source},{by}"),
        });
    }

    /// By what the summary is grouped.
    pub fn groups(&self) -> Option<GroupBy> {
        // Any text is something to group by.
        self.by.as_ref().and_then(|by| by.parse().ok())
    }

    /// The column that names the cluster of a case.
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
        CacheFile::from_flag(self.cache.as_deref())
    }

    /// Which models may be asked, and under which limits. Flags, environment and configuration are the user's own word.
    pub fn model_access(&self) -> ModelAccess {
        ModelAccess {
            models: self.models.clone(),
            judges: self.judges.clone(),
            ..ModelAccess::new(ModelOptions {
                record: Some(self.record()),
                offline: self.offline.unwrap_or_default(),
                refresh: self.refresh.unwrap_or_default(),
                batch: self.batch.unwrap_or_default(),
                budget_usd: self.budget_usd,
                budget_tokens: self.budget_tokens,
                score_truncated: self.score_truncated.unwrap_or_default(),
                seed: self.seed.unwrap_or_default(),
                ..ModelOptions::new(Trust::Trusted)
            })
        }
    }

    /// How programs are run.
    pub fn sandboxing(&self) -> ProgramOptions {
        ProgramOptions {
            choice: self.sandbox.unwrap_or_default(),
            record: Some(self.record()),
            again: self.run_again.unwrap_or_default(),
            offline: self.offline.unwrap_or_default(),
            recorded_only: false,
        }
    }
}

const MEBIBYTE: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Config;

    fn flags(words: &[&str]) -> RunOptions {
        let command = Command::new("probare").no_binary_name(true).args(RunOptions::arguments());
        RunOptions::from_matches(&command.get_matches_from(words), |_| true)
    }

    fn file(text: &str) -> RunOptions {
        Config::parse(text, "p.yaml").unwrap().options("p.yaml")
    }

    fn as_json(options: &RunOptions) -> Json {
        serde_json::to_value(options).unwrap()
    }

    #[test]
    fn the_strongest_that_says_something_is_right_and_it_is_known_which() {
        let text =
            "run: {limit: 7, concurrency: 3, strict: true}\nprofile: improved\ngates: [{metric: b, fail_over: 1}]\n";
        let options = flags(&["--limit=5", "--fail-under=a=0.5"]).combine(file(text));
        assert_eq!((options.limit, options.jobs, options.strict), (Some(5), NonZeroUsize::new(3), Some(true)));
        assert_eq!(options.origin("limit"), SettingOrigin::Flag("--limit".into()));
        assert_eq!(options.origin("jobs"), SettingOrigin::File("p.yaml".into()));
        assert_eq!(options.origin("seed"), SettingOrigin::Default);
        let gates: Vec<String> = options.gates.0.iter().map(|set| format!("{} {}", set.gate, set.from)).collect();
        assert_eq!(gates, ["b > 1 p.yaml", "a < 0.5 --fail-under"]);
        assert_eq!(options.profile(), Profile::Improved);
    }

    #[test]
    fn an_option_that_a_program_sets_has_no_origin_of_a_weaker_one() {
        let options =
            RunOptions { limit: Some(5), ..RunOptions::default() }.combine(file("run: {limit: 7, seed: 3}\n"));
        assert_eq!((options.limit, options.seed), (Some(5), Some(3)));
        assert_eq!(options.origin("limit"), SettingOrigin::Default);
        assert_eq!(options.origin("seed"), SettingOrigin::File("p.yaml".into()));
    }

    #[test]
    fn what_is_switched_off_in_a_stronger_place_stays_off() {
        let off: RunOptions = serde_json::from_value(json!({"strict": false})).unwrap();
        let options = off.set_by_caller().combine(file("run: {strict: true}\n"));
        assert_eq!((options.strict, options.origin("strict")), (Some(false), SettingOrigin::Caller));
    }

    #[test]
    fn an_option_that_nobody_knows_is_an_error_and_not_dropped() {
        let read = |values: Json| serde_json::from_value::<RunOptions>(values).unwrap_err().to_string();
        assert!(read(json!({"limitt": 5})).contains("limitt"));
        assert!(read(json!({"limit": "many"})).contains("many"));
        assert!(read(json!({"sandbox": "docker"})).contains("known sandboxes are auto, bubblewrap and none"));
        let said = |text: &str| Config::parse(text, "p.yaml").unwrap_err().to_string();
        assert!(said("run: {judges: [a]}\n").contains("`judges` stands below `run`"));
        assert!(said("run: {config: other.yaml}\n").contains("`config` stands below `run`"));
        assert!(said("run: {concurrency: 5000}\n").contains("`jobs` must be a whole number from 1 to 1024"));
        assert!(said("run: {budget_usd: -1}\n").contains("`budget_usd` must be an amount of US dollars"));
    }

    #[test]
    fn every_key_of_a_configuration_arrives_as_its_flag_does() {
        let (above, below) = (
            "datasets: [{path: a.jsonl}]\nmetrics: [token_f1, {id: ndcg, options: {k: 3}}]\nmodels: [{name: 'openai:x'}]\n\
             generate: {prompt: p}\nretrieval: {index: i}\nagent: {max_steps: 2}\njudges: [j]\ngates: [{metric: a, fail_under: 1}]\nprofile: improved\n",
            "run: {prompts: [q], output: [o.csv], concurrency: 2, limit: 1, strict: true, by: tags, cluster: c, per_group: true, \
             significant: true, offline: true, refresh: true, batch: true, budget_usd: 1, budget_tokens: 2, \
             score_truncated: true, cache: r, sandbox: none, run_again: true, seed: 9, stop_when_decided: true, baseline: '3', \
             allow_empty: true, allow_not_run: true, decision_thresholds: [b.json], bands: [a.json], \
             map: [id=x], format: csv, delimiter: ';', group: conversation, max_row_size: 3, github: auto, title: t, quiet: true, \
             json: true, color: never}\n",
        );
        let options = file(&format!("{above}{below}"));
        let schema = serde_json::to_value(schemars::schema_for!(Config)).unwrap();
        let keys: Vec<&String> = schema["properties"]["run"]["properties"].as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 35, "{keys:?}");
        for name in keys {
            let name = match name.as_str() {
                "concurrency" => "jobs",
                "bands" => "decision_thresholds",
                name => name,
            };
            assert_eq!(options.origin(name), SettingOrigin::File("p.yaml".into()), "{name}");
        }
        for name in ["datasets", "metrics", "models", "generate", "retrieval", "agent", "judges", "profile"] {
            assert_eq!(options.origin(name), SettingOrigin::File("p.yaml".into()), "{name}");
        }
        assert_eq!(options.requests()[0], MetricRequest::plain("token_f1"));
        let said = flags(&[
            "--metric=token_f1",
            "--metric=ndcg=ndcg:k=3",
            "--profile=improved",
            "--prompt=q",
            "--judge=j",
            "--fail-under=a=1",
            "--output=o.csv",
            "--jobs=2",
            "--limit=1",
            "--strict",
            "--seed=9",
            "--stop-when-decided",
            "--baseline=3",
            "--by=tags",
            "--cluster=c",
            "--per-group",
            "--significant",
            "--refresh",
            "--batch",
            "--budget-usd=1",
            "--budget-tokens=2",
            "--score-truncated",
            "--cache=r",
            "--sandbox=none",
            "--run-again",
            "--allow-empty",
            "--allow-not-run",
            "--decision-thresholds=b.json",
            "--bands=a.json",
            "--map=id=x",
            "--format=csv",
            "--delimiter=;",
            "--group=conversation",
            "--max-row-size=3",
            "--github=auto",
            "--title=t",
            "--quiet",
            "--json",
            "--color=never",
        ]);
        // No flag says these, and two flags are never given together.
        let others = ["datasets", "models", "generate", "retrieval", "agent", "offline"];
        let mut file = as_json(&options.retain(|name| !others.contains(&name)));
        let mut said = as_json(&said);
        for options in [&mut file, &mut said] {
            options["origins"] = Json::Null;
            options["gates"][0]["from"] = Json::Null;
            // A metric of the command line is named as it is written.
            options["metrics"].as_array_mut().unwrap().iter_mut().for_each(|metric| metric["name"] = Json::Null);
        }
        assert_eq!(file, said);
    }

    #[test]
    fn a_run_begins_again_with_what_it_began_with() {
        let text = "models: [{name: 'openai:x'}]\nrun: {strict: true}\ngates: [{metric: b, fail_over: 1}]\n";
        let begun = flags(&["--profile=improved", "--output=o.csv"]).combine(file(text));
        let stored = as_json(&begun);
        assert_eq!(as_json(&RunOptions::from_run(&stored, true).unwrap()), stored);
        let foreign = RunOptions::from_run(&stored, false).unwrap();
        assert_eq!((foreign.profile(), foreign.strict, foreign.gates.0.len()), (Profile::Improved, Some(true), 1));
        assert!(foreign.models.is_empty() && foreign.output.is_empty());
        let said = RunOptions::from_run(&stored, true).unwrap().without_files();
        assert_eq!((said.profile(), said.strict, said.gates.0.len()), (Profile::Improved, None, 0));
    }

    #[test]
    fn what_a_store_of_release_0_3_holds_is_read() {
        let stored = json!({
            "profile": "reference", "limit": 3, "strict": false, "seed": 0, "sandbox": "auto", "generate": {"models": []},
            "bands": ["b.json"], "jobs": 2, "github": null,
            "gates": [{"gate": {"kind": "mean", "metric": "a", "relation": "<", "limit": 0.5}, "from": {"flag": "--fail-under"}}],
            "origins": {"limit": {"flag": "--limit"}, "bands": {"file": "p.yaml"}, "jobs": {"variable": "PROBARE_JOBS"}},
        });
        let options = RunOptions::from_run(&stored, true).unwrap();
        assert_eq!(options.names(), ["gates", "decision_thresholds", "jobs", "limit"]);
        assert_eq!(options.origin("decision_thresholds"), SettingOrigin::File("p.yaml".into()));
        assert!(options.old_names.is_empty());
    }
}
