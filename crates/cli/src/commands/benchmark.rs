//! The verb of a published benchmark: its flags are made from the schema of its options, so that a suite brings its own.
//!
//! A property becomes `--name VALUE`, with dashes for underscores; a truth value becomes a flag, a list may be given
//! several times, a closed set of words is checked. Six keys of the schema steer it: `x-positional` makes the property
//! an argument without a flag, in order of its number; `x-value` names the value in the help; `x-short` is a letter;
//! `x-env` is the variable of the environment, where it is not `PROBARE_NAME`; `x-without-output` says why a flag and `-o`
//! do not go together; `x-shared` marks a property that a flag of every run fills, so that it is no flag of its own. `x-asks` of the schema itself
//! gives the suite the flags on whom judges ask, `x-runs` those on how programs are run, `x-colours` that on colours; with `x-json` it prints nothing but JSON.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr};
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};
use probare_benchmarks::BENCHMARKS;
use probare_cases::is_bundled;
use probare_core::{Profile, Suite};
use probare_engine::{Config, RunOptions};
use serde_json::{Map, Value as Json};

use super::benchmark_hooks::{self, Judges};
use super::flags::{ForBenchmark, MODEL_CALLS, OptionSet as _};
use super::remark;
use super::run_driver::RunDriver;
use crate::failure::{CommandResult, Failure};

/// A command below the verb of a suite that runs the suite too.
const EVALUATE: &str = "evaluate";

/// The flag that names a configuration.
const CONFIG: &str = "config";

/// The option that a suite has only if its metrics can be computed in two ways.
const PROFILE: &str = "profile";

/// Keys of a configuration that say what is evaluated, which a suite says itself.
const NOT_FOR_BENCHMARKS: [&str; 4] = ["datasets", "generate", "retrieval", "metrics"];

/// Flags that say how programs are run.
const ABOUT_PROGRAMS: [&str; 2] = ["sandbox", "run_again"];

/// Adds the verbs of all suites to the command line.
pub fn add_benchmark_commands(mut command: Command) -> Command {
    for suite in BENCHMARKS {
        command = add(command, suite.verb(), *suite);
    }
    command
}

/// A verb of several words is a command in a command.
fn add(command: Command, words: &'static [&'static str], suite: &dyn Suite) -> Command {
    match words {
        [] => command,
        // Beside commands of its own the verb runs the suite where none of them is named.
        [word] if command.find_subcommand(word).is_some() => command.mut_subcommand(*word, |inner| {
            let inner = benchmark_command(inner, suite).args_conflicts_with_subcommands(true);
            if inner.find_subcommand(EVALUATE).is_none() {
                return inner;
            }
            inner.mut_subcommand(EVALUATE, |same| with_flags(same, suite))
        }),
        [word] => command.subcommand(benchmark_command(Command::new(*word), suite)),
        [word, rest @ ..] if command.find_subcommand(word).is_some() => {
            command.mut_subcommand(*word, |inner| add(inner, rest, suite))
        }
        [word, rest @ ..] => {
            let first = first_line(suite.about());
            command.subcommand(add(Command::new(*word).about(first).subcommand_required(true), rest, suite))
        }
    }
}

fn first_line(about: &str) -> String {
    about.lines().next().unwrap_or_default().to_owned()
}

fn benchmark_command(command: Command, suite: &dyn Suite) -> Command {
    let about = StyledStr::from(first_line(suite.about()));
    with_flags(command.about(about).long_about(suite.about().to_owned()), suite)
}

/// Adds the options of the suite and those of every run.
fn with_flags(mut command: Command, suite: &dyn Suite) -> Command {
    let schema = suite.options().to_value();
    for (name, property) in own_properties(&schema) {
        command = command.arg(argument(name, &resolve_property(property, &schema)));
    }
    if let Some(preparation) = benchmark_hooks::preparation(suite.id()) {
        command = command.args(preparation.flags()).next_help_heading(None::<&str>);
    }
    let own: Vec<String> = own_properties(&schema).map(|(name, _)| name.clone()).collect();
    let needs = benchmark_hooks::preparation(suite.id());
    let does = |key: &str| schema.get(key) == Some(&Json::Bool(true));
    let is_idle = |name: &str| {
        let is_needed = needs.is_some_and(|preparation| preparation.takes(name));
        (MODEL_CALLS.contains(&name) && !does("x-asks") && !is_needed)
            || (name == PROFILE && properties(&schema).all(|(name, _)| name != PROFILE))
            || (ABOUT_PROGRAMS.contains(&name) && !does("x-runs"))
            || (name == "color" && !does("x-colours"))
            || (name == "json" && does("x-json"))
    };
    let config = Arg::new(CONFIG).short('c').long(CONFIG).value_name("FILE").env("PROBARE_CONFIG");
    let config = config.value_parser(clap::value_parser!(PathBuf)).help_heading("Options of every run");
    command = command.arg(config.help("Settings; ./probare.yaml is read if it is there"));
    // What every run has, but for what the suite itself understands under the same name, and for what could have no effect:
    // whom judges ask where it has no judges, how programs are run where it runs none, colours where it prints none.
    for argument in RunOptions::arguments() {
        let name = argument.get_id().as_str();
        if ForBenchmark::takes(name) && !own.iter().any(|own| own == name) && !is_idle(name) {
            command = command.arg(argument.help_heading("Options of every run"));
        }
    }
    command
}

fn properties(schema: &Json) -> impl Iterator<Item = (&String, &Json)> {
    schema.get("properties").and_then(Json::as_object).into_iter().flatten()
}

/// The properties that are flags of the suite's own; the others repeat what a flag of every run says.
fn own_properties(schema: &Json) -> impl Iterator<Item = (&String, &Json)> {
    let is_shared =
        |name: &str, property: &Json| name == PROFILE || property.get("x-shared") == Some(&Json::Bool(true));
    properties(schema).filter(move |(name, property)| !is_shared(name, property))
}

/// A property with what its reference says, and with `null` left out: an option that is absent is absent.
fn resolve_property(property: &Json, schema: &Json) -> Json {
    let mut whole = property.clone();
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|key| property.get(*key)).and_then(Json::as_array);
    let inner = alternatives.and_then(|list| list.iter().find(|item| item.get("type") != Some(&Json::from("null"))));
    let reference = inner.unwrap_or(property).get("$ref").and_then(Json::as_str);
    let target = reference.and_then(|path| schema.pointer(path.strip_prefix('#').unwrap_or(path))).or(inner);
    if let (Some(Json::Object(target)), Json::Object(whole)) = (target, &mut whole) {
        for (key, value) in target {
            whole.entry(key.clone()).or_insert_with(|| value.clone());
        }
    }
    whole
}

fn kind(property: &Json) -> &str {
    match property.get("type") {
        Some(Json::String(kind)) => kind,
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null").unwrap_or(""),
        _ => "",
    }
}

/// The words that the property may be, where it is a closed set: `enum`, or `oneOf` with a `const` each.
fn words(property: &Json) -> Vec<String> {
    let listed = property.get("enum").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str);
    let consts = property.get("oneOf").and_then(Json::as_array).into_iter().flatten();
    let consts = consts.filter_map(|item| item.get("const").and_then(Json::as_str));
    listed.chain(consts).map(str::to_owned).collect()
}

fn argument(name: &str, property: &Json) -> Arg {
    let text = |key: &str| property.get(key).and_then(Json::as_str);
    let variable = text("x-env").map_or_else(|| format!("PROBARE_{}", name.to_uppercase()), str::to_owned);
    let mut argument = Arg::new(name.to_owned()).env(variable);
    let about = text("description").unwrap_or_default();
    argument = argument.help(help(&first_line(about), property)).long_help(help(about, property));
    let words = if kind(property) == "array" { property.get("items").map(words) } else { Some(words(property)) };
    let words = words.unwrap_or_default();
    match kind(property) {
        "boolean" => return argument.long(name.replace('_', "-")).action(ArgAction::SetTrue),
        "array" => argument = argument.action(ArgAction::Append).num_args(1..),
        _ => argument = argument.action(ArgAction::Set).overrides_with(name.to_owned()).allow_hyphen_values(true),
    }
    if !words.is_empty() {
        // Names of release 0.3 are understood, and not shown.
        let value = |word: String| match Profile::from_name(&word).filter(|_| name == PROFILE) {
            Some(profile) => PossibleValue::new(word).alias(profile.old_name()),
            None => PossibleValue::new(word),
        };
        argument = argument.value_parser(PossibleValuesParser::new(words.into_iter().map(value)));
    }
    argument = argument.value_name(text("x-value").map_or_else(|| name.to_uppercase(), str::to_owned));
    if let Some(place) =
        property.get("x-positional").and_then(Json::as_u64).and_then(|place| usize::try_from(place).ok())
    {
        argument.index(place)
    } else {
        let long = argument.long(name.replace('_', "-"));
        match text("x-short").and_then(|short| short.chars().next()) {
            Some(short) => long.short(short),
            None => long,
        }
    }
}

/// The help with the default, where there is one worth saying.
fn help(about: &str, property: &Json) -> String {
    let default = match property.get("default") {
        Some(Json::String(text)) if !text.is_empty() => Some(text.clone()),
        Some(number @ Json::Number(_)) => Some(number.to_string()),
        _ => None,
    };
    match default {
        Some(default) => format!("{about} [default: {default}]"),
        None => about.to_owned(),
    }
}

/// The suite that a command line asks for, if it asks for one, with its matches.
pub fn find_benchmark(matches: &ArgMatches) -> Option<(&'static dyn Suite, &ArgMatches)> {
    BENCHMARKS.iter().find_map(|suite| {
        let inner = suite.verb().iter().try_fold(matches, |matches, word| matches.subcommand_matches(word))?;
        // A command of its own below the verb is no run of the suite.
        inner.subcommand().is_none().then_some((*suite, inner))
    })
}

/// A suite asked for under another command than its own, whose flags are those of the suite.
#[derive(Debug, Clone)]
pub struct BenchmarkArguments {
    matches: ArgMatches,
}

impl BenchmarkArguments {
    /// Runs the suite of this id.
    pub fn run(&self, id: &str) -> CommandResult {
        run(benchmark_by_id(id)?, &self.matches)
    }

    /// What the run of the suite of this id is.
    pub fn settings(&self, id: &str) -> Result<RunOptions, Failure> {
        settings(benchmark_by_id(id)?, &self.matches)
    }
}

fn benchmark_by_id(id: &str) -> Result<&'static dyn Suite, Failure> {
    probare_benchmarks::suite(id).ok_or_else(|| Failure::new(format!("there is no suite `{id}`")))
}

impl FromArgMatches for BenchmarkArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { matches: matches.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.matches = matches.clone();
        Ok(())
    }
}

/// No flags of its own: [`add_benchmark_commands`] gives it those of the suite.
impl clap::Args for BenchmarkArguments {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// Runs a suite.
pub fn run(suite: &dyn Suite, matches: &ArgMatches) -> CommandResult {
    let schema = suite.options().to_value();
    let mut options = Map::new();
    for (name, property) in own_properties(&schema) {
        if let Some(value) = option_value(name, &resolve_property(property, &schema), matches)? {
            options.insert(name.clone(), value);
        }
    }
    let mut settings = settings(suite, matches)?;
    // A configuration says who judges, not that somebody does beside the published measures.
    let is_wish = !settings.origin("judges").is_file() && !settings.judges.is_empty();
    if schema.pointer("/properties/judges/x-shared").is_some() && is_wish {
        options.insert("judges".to_owned(), settings.judges.clone().into());
    }
    if let Some(profile) = settings.profile.filter(|_| properties(&schema).any(|(name, _)| name == PROFILE)) {
        options.insert(PROFILE.to_owned(), profile.name().into());
    }
    let example = suite.example(&options);
    if !example.is_empty() {
        let names: Vec<&str> = example.values().filter_map(Json::as_str).filter(|name| is_bundled(name)).collect();
        remark(&format!("no data is named: this is the example that the program carries ({})", names.join(", ")));
        options.extend(example);
    }
    for (name, property) in properties(&schema).filter(|(name, _)| options.contains_key(name.as_str())) {
        if let Some(reason) = property.get("x-without-output").and_then(Json::as_str)
            && !settings.output.is_empty()
        {
            let flag = name.replace('_', "-");
            return Err(Failure::usage(format!("--{flag} and -o do not go together: {reason}"))
                .hint(format!("run once with --{flag} for the files to share, and once without it for your own")));
        }
    }
    let judges = match benchmark_hooks::preparation(suite.id()) {
        Some(preparation) => preparation.prepare(matches, &mut options, &settings)?,
        None => None,
    };
    if let Some(Judges { models, names }) = judges {
        settings.models.extend(models);
        settings.judges = names;
    }
    let running = RunDriver::new(settings);
    let job = suite.open(Json::Object(options), running.console())?;
    let has_own_summary = job.publisher.is_some();
    running.with_own_summary(has_own_summary).run(job)
}

/// What the run is: the flags of every run, but for those that the suite itself understands under the same name, and the
/// configuration, but for what the suite says itself.
pub fn settings(suite: &dyn Suite, matches: &ArgMatches) -> Result<RunOptions, Failure> {
    let schema = suite.options().to_value();
    let own: Vec<&str> = own_properties(&schema).map(|(name, _)| name.as_str()).collect();
    let flags = RunOptions::from_matches(matches, |name| ForBenchmark::takes(name) && !own.contains(&name));
    let named = matches.get_one::<PathBuf>(CONFIG);
    let config = Config::load(named.map(PathBuf::as_path))?;
    let file = config.file_options();
    let unread = file.names().into_iter().filter(|key| NOT_FOR_BENCHMARKS.contains(key));
    let unread: Vec<String> = unread.map(|key| format!("`{key}`")).collect();
    if !unread.is_empty() {
        let (path, verb, keys) = (config.path.unwrap_or_default(), suite.verb().join(" "), unread.join(", "));
        let text = format!("`{}` has {keys}, which `probare {verb}` says itself", path.display());
        // A file that somebody names is meant; one that lies there may be meant for another verb.
        if named.is_some() {
            return Err(Failure::usage(text).hint("leave that out, or keep the rest in a file of its own"));
        }
        if flags.quiet != Some(true) {
            remark(&format!("{text}: the rest of the file holds"));
        }
    }
    Ok(flags.combine(file.retain(|key| !NOT_FOR_BENCHMARKS.contains(&key))))
}

/// What the command line says of an option; nothing where it says nothing.
fn option_value(name: &str, property: &Json, matches: &ArgMatches) -> Result<Option<Json>, Failure> {
    match kind(property) {
        "boolean" => Ok(matches.get_flag(name).then_some(Json::Bool(true))),
        "array" => {
            let given: Vec<&String> = matches.get_many(name).into_iter().flatten().collect();
            let item = property.get("items").cloned().unwrap_or_default();
            let items: Result<Vec<Json>, Failure> = given.iter().map(|text| parse_value(name, &item, text)).collect();
            Ok((!given.is_empty()).then_some(items?.into()))
        }
        _ => matches.get_one::<String>(name).map(|text| parse_value(name, property, text)).transpose(),
    }
}

/// The flag, with the variable where one of a benchmark's own may have said it.
fn flag_name(name: &str, property: &Json) -> String {
    let flag = format!("--{}", name.replace('_', "-"));
    match property.get("x-env").and_then(Json::as_str) {
        Some(variable) => format!("{flag} (or {variable})"),
        None => flag,
    }
}

fn parse_value(name: &str, property: &Json, text: &str) -> Result<Json, Failure> {
    let wrong =
        |wanted: &str| Failure::usage(format!("{} is `{text}`; {wanted} is expected", flag_name(name, property)));
    match kind(property) {
        "integer" => text.trim().parse::<i64>().map(Json::from).map_err(|_| wrong("a whole number")),
        "number" => match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Json::from(number)),
            _ => Err(wrong("a number")),
        },
        _ => Ok(Json::String(text.to_owned())),
    }
}
