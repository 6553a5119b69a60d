//! Flags that are settings of a run, shared by all verbs that score; and [`LayeredFlags`], which turns flags of any kind into a
//! layer of [`Settings`]: only what was said, and whether by a flag or by a variable of the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::Resettable;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, FromArgMatches};
use probare_core::Profile;
use probare_engine::{Config, MOST_JOBS, SettingOrigin, Settings, SettingsLayer, When};
use probare_report::{Gate, TerminalStyle};
use probare_sandbox::SandboxChoice;
use serde::Serialize;
use serde_json::Value as Json;

use super::model_call_flags::ModelCallFlags;
use crate::failure::Failure;

/// Flags, and what was said with them.
#[derive(Debug, Clone, Default)]
pub struct LayeredFlags<T> {
    /// The flags, with defaults where nothing was said.
    pub flags: T,
    said: SettingsLayer,
}

impl<T> LayeredFlags<T> {
    /// What was said.
    pub fn layer(&self) -> SettingsLayer {
        self.said.clone()
    }

    /// The settings that these flags come to with a configuration.
    pub fn with(&self, config: &Config) -> Result<Settings, Failure> {
        Ok(Settings::merge([self.layer(), config_layer(config)])?)
    }
}

/// Settings about whom a run asks, on which terms, and with how many threads.
pub const MODEL_CALL_SETTINGS: [&str; 13] = [
    "config",
    "models",
    "judges",
    "profile",
    "offline",
    "refresh",
    "budget_usd",
    "budget_tokens",
    "score_truncated",
    "record",
    "seed",
    "sandbox",
    "jobs",
];

/// What a configuration says, under the name of its file.
pub fn config_layer(config: &Config) -> SettingsLayer {
    SettingsLayer::from_config(
        config,
        &config.path.as_deref().unwrap_or(std::path::Path::new("")).display().to_string(),
    )
}

impl<T: clap::Args + Serialize> LayeredFlags<T> {
    /// The flags that a command line has, though its command may know only some of them; those in `except` mean something
    /// else there.
    pub fn read(matches: &ArgMatches, except: &[&str]) -> Result<Self, clap::Error> {
        let (mut words, mut origins) = (Vec::new(), BTreeMap::new());
        // What the environment says has been read already, where the command reads it.
        let command = T::augment_args(Command::new("probare").no_binary_name(true));
        let command = command.mut_args(|argument| argument.env(Resettable::Reset));
        for argument in T::augment_args(Command::new("probare")).get_arguments() {
            let name = argument.get_id().as_str();
            if except.contains(&name) || !matches.try_contains_id(name).unwrap_or(false) {
                continue;
            }
            let flag = format!("--{}", argument.get_long().unwrap_or(name));
            let origin = match matches.value_source(name) {
                Some(ValueSource::CommandLine) => SettingOrigin::Flag(flag.clone()),
                Some(ValueSource::EnvVariable) => SettingOrigin::Variable(variable(argument)),
                _ => continue,
            };
            if argument.get_action().takes_values() {
                for value in matches.get_raw(name).into_iter().flatten() {
                    let mut word = OsString::from(format!("{flag}="));
                    word.push(value);
                    words.push(word);
                }
            } else if matches.get_flag(name) {
                words.push(flag.into());
            } else {
                continue;
            }
            origins.insert(name.to_owned(), origin);
        }
        let flags = T::from_arg_matches(&command.try_get_matches_from(words)?)?;
        let Ok(Json::Object(values)) = serde_json::to_value(&flags) else {
            return Err(clap::Error::raw(clap::error::ErrorKind::ValueValidation, "the flags cannot be written down"));
        };
        Ok(Self { said: SettingsLayer::new(values, |name| origins.get(name).cloned()), flags })
    }
}

fn variable(argument: &Arg) -> String {
    argument.get_env().unwrap_or_default().to_string_lossy().into_owned()
}

impl<T: clap::Args + Serialize> FromArgMatches for LayeredFlags<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Self::read(matches, &[])
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::read(matches, &[])?;
        Ok(())
    }
}

impl<T: clap::Args + Serialize> clap::Args for LayeredFlags<T> {
    fn augment_args(command: Command) -> Command {
        T::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        T::augment_args_for_update(command)
    }
}

/// How to run; shared by all verbs that score.
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
#[derive(Debug, Clone, Default, clap::Args, Serialize)]
pub struct RunFlags {
    /// File to write; its extension says what (repeatable); - is standard output
    #[arg(short, long = "output", value_name = "OUT", env = "PROBARE_OUTPUT")]
    pub output: Vec<PathBuf>,

    /// Fail with exit code 2 if the mean of a metric is below a limit (repeatable)
    #[arg(long, value_name = "METRIC=NUMBER", value_parser = Gate::fail_under, env = "PROBARE_FAIL_UNDER")]
    fail_under: Vec<Gate>,

    /// Fail with exit code 2 if the mean of a metric is on the wrong side, for example "hallucination>0.2" (repeatable)
    #[arg(long, value_name = "METRIC>NUMBER", value_parser = Gate::fail_if, env = "PROBARE_FAIL_IF")]
    fail_if: Vec<Gate>,

    /// Fail with exit code 2 if any scored case has such a value, for example "relevance<0.5" (repeatable)
    #[arg(long, value_name = "METRIC<NUMBER", value_parser = Gate::fail_if_any, env = "PROBARE_FAIL_IF_ANY")]
    fail_if_any: Vec<Gate>,

    /// Fail with exit code 2 unless this share of the scored cases is so, for example "relevance>=0.5:90%" (repeatable)
    #[arg(long, value_name = "METRIC>=NUMBER:SHARE", value_parser = Gate::fail_pass_rate, env = "PROBARE_FAIL_PASS_RATE")]
    fail_pass_rate: Vec<Gate>,

    /// Fail with exit code 2 by how many scored cases have a label, for example "verdict:FAIL>0" or "verdict:FAIL>10%" (repeatable)
    #[arg(long, value_name = "METRIC:LABEL>NUMBER", value_parser = Gate::fail_labels, env = "PROBARE_FAIL_LABELS")]
    fail_labels: Vec<Gate>,

    /// Fail with exit code 2 if a metric is unsure about more than this share of the scored cases, for example "verdict=20%" (repeatable)
    #[arg(long, value_name = "METRIC=SHARE", value_parser = Gate::max_unsure, env = "PROBARE_MAX_UNSURE")]
    max_unsure: Vec<Gate>,

    /// Fail with exit code 2 if a quantile of a metric is on the wrong side, for example "relevance@10%<0.3" (repeatable)
    #[arg(long, value_name = "METRIC@SHARE<NUMBER", value_parser = Gate::fail_quantile, env = "PROBARE_FAIL_QUANTILE")]
    fail_quantile: Vec<Gate>,

    /// A gate fails only if the 95 % interval excludes its limit
    #[arg(long, env = "PROBARE_CONFIDENT")]
    confident: bool,

    /// Gates hold for each group of --by, too
    #[arg(long, env = "PROBARE_EACH_GROUP")]
    each_group: bool,

    #[command(flatten)]
    #[serde(flatten)]
    annotating: AnnotationFlag,

    /// File of decision thresholds, as `probare calibrate` writes it: the labels of its metric are then pass, fail and unsure (repeatable)
    #[arg(long, value_name = "FILE", env = "PROBARE_DECISION_THRESHOLDS")]
    decision_thresholds: Vec<PathBuf>,

    /// The name of --decision-thresholds up to release 0.3
    #[arg(long, value_name = "FILE", env = "PROBARE_BANDS", hide = true)]
    bands: Vec<PathBuf>,

    /// Means apart for each group of cases: tags, a tag (lang for lang:en), metadata.KEY, or model; model,tags for both
    #[arg(long, value_name = "TAG|tags|metadata.KEY|model", env = "PROBARE_BY")]
    by: Option<String>,

    /// Intervals for cases that hang together because they share a source: the column that names it
    #[arg(long, value_name = "COLUMN", env = "PROBARE_CLUSTER")]
    cluster: Option<String>,

    /// Scoring threads; all cores by default. The output does not depend on it
    #[arg(short, long, value_name = "N", value_parser = jobs, env = "PROBARE_JOBS")]
    jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    #[serde(flatten)]
    asking: ModelCallFlags,

    /// What shuts in programs that metrics run: auto, bubblewrap or none (no sandbox at all: only for programs you trust)
    #[arg(long, value_name = "SANDBOX", value_parser = sandbox, env = "PROBARE_SANDBOX")]
    sandbox: Option<SandboxChoice>,

    /// Run programs although what became of them is recorded
    #[arg(long, env = "PROBARE_RUN_AGAIN")]
    run_again: bool,

    /// Score at most this many cases
    #[arg(long, value_name = "N", env = "PROBARE_LIMIT")]
    limit: Option<u64>,

    /// End with exit code 0 also where there is not a single case
    #[arg(long, env = "PROBARE_ALLOW_EMPTY")]
    allow_empty: bool,

    /// Title of the report pages
    #[arg(long, value_name = "TEXT", env = "PROBARE_TITLE")]
    title: Option<String>,

    /// No summary and no progress
    #[arg(short, long, env = "PROBARE_QUIET")]
    pub quiet: bool,

    /// The summary as JSON instead of a table
    #[arg(long, env = "PROBARE_JSON")]
    json: bool,

    /// Colours in what is printed; on a terminal by default, unless `NO_COLOR` is set
    #[arg(long, value_name = "WHEN", value_enum, default_value_t, overrides_with = "color", env = "PROBARE_COLOR")]
    color: Color,
}

/// Which reading of the metrics.
#[derive(Debug, Clone, Default, clap::Args, Serialize)]
pub struct ProfileFlag {
    /// Which reading of the metrics: reference (the published numbers) or careful (ours, where we do better)
    #[arg(long, value_name = "PROFILE", value_parser = profile, env = "PROBARE_PROFILE")]
    pub profile: Option<Profile>,
}

/// What to do about bad rows.
#[derive(Debug, Clone, Default, clap::Args, Serialize)]
pub struct StrictFlag {
    /// End at the first row that cannot be read
    #[arg(long, env = "PROBARE_STRICT")]
    pub strict: bool,
}

/// Whether a run ends before its last case.
#[derive(Debug, Clone, Default, clap::Args, Serialize)]
pub struct StopFlag {
    /// End as soon as all gates are decided, and ask no further model: cases are taken in an order drawn by --seed, and the
    /// verdict differs from the one of the complete run in at most 5 of 100 orders
    #[arg(long, env = "PROBARE_STOP_WHEN_DECIDED")]
    pub stop_when_decided: bool,

    /// Seed of that order, and of the waits between attempts
    #[arg(long, value_name = "N", env = "PROBARE_SEED")]
    pub seed: Option<u64>,
}

/// What to compute.
#[derive(Debug, Clone, Default, clap::Args, Serialize)]
pub struct MetricFlag {
    /// Metric to compute: ID, ID:OPTION=VALUE,… or NAME=ID:OPTION=VALUE (repeatable)
    #[arg(short, long = "metric", value_name = "METRIC", env = "PROBARE_METRIC")]
    pub metrics: Vec<String>,
}

/// Whether missed gates are told to GitHub.
#[derive(Debug, Clone, Copy, Default, clap::Args, Serialize)]
pub struct AnnotationFlag {
    /// Print annotations for GitHub Actions, one for each missed gate: always where it stands alone, with auto only there
    #[arg(
        long,
        value_name = "WHEN",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        default_value_t,
        env = "PROBARE_GITHUB"
    )]
    github: AnnotationMode,
}

impl AnnotationFlag {
    /// Whether they are, here.
    pub fn is_wanted(self) -> bool {
        let when = match self.github {
            AnnotationMode::Never => When::Never,
            AnnotationMode::Auto => When::Auto,
            AnnotationMode::Always => When::Always,
        };
        Settings { github: Some(when), ..Settings::default() }.annotates()
    }
}

/// When annotations for GitHub are printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
enum AnnotationMode {
    /// Not at all
    #[default]
    Never,
    /// In a workflow of GitHub: where `GITHUB_ACTIONS` is `true`
    Auto,
    /// Everywhere
    Always,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// On a terminal
    #[default]
    Auto,
    /// Also in a pipe or a file
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// How a stream is written to.
    pub fn stream_look(self, stream: &impl IsTerminal) -> TerminalStyle {
        stream_look(
            match self {
                Self::Auto => None,
                Self::Always => Some(When::Always),
                Self::Never => Some(When::Never),
            },
            stream,
        )
    }
}

/// How a stream is written to.
pub fn stream_look(color: Option<When>, stream: &impl IsTerminal) -> TerminalStyle {
    let look = TerminalStyle::for_stream(stream);
    match color {
        None | Some(When::Auto) => look,
        Some(When::Always) => TerminalStyle { colour: true, ..look },
        Some(When::Never) => TerminalStyle { colour: false, ..look },
    }
}

/// Reads `reference` or `careful`.
fn profile(name: &str) -> Result<Profile, String> {
    [Profile::Reference, Profile::Careful]
        .into_iter()
        .find(|profile| profile.name() == name)
        .ok_or_else(|| "known profiles are reference and careful".to_owned())
}

/// Reads the name of a sandbox.
fn sandbox(text: &str) -> Result<SandboxChoice, String> {
    text.parse()
}

/// Reads a number of threads that a machine can have.
pub fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    match text.parse::<NonZeroUsize>() {
        Ok(jobs) if jobs.get() <= MOST_JOBS => Ok(jobs),
        _ => Err(format!("a whole number from 1 to {MOST_JOBS} is expected")),
    }
}
