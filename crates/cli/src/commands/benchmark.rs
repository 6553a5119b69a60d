//! The command of a published benchmark: the flags of its own options, and those options of every run that have an effect on
//! it.

use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::{Arg, ArgMatches, Command, FromArgMatches};
use probare_benchmarks::{BENCHMARKS, BenchmarkCommand};
use probare_engine::{Config, RunOptions};
use probare_formats::is_bundled;
use serde_json::Value as Json;

use super::benchmark_hooks::{self, Judges};
use super::flags::{CASE_READING, ForBenchmark, MODEL_CALLS, OptionSet as _};
use super::remark;
use super::run_driver::RunDriver;
use crate::failure::{CommandResult, Failure};

/// A command below that of a benchmark that runs the benchmark too.
const EVALUATE: &str = "evaluate";

/// The flag that names a configuration.
const CONFIG: &str = "config";

/// The option whose help is the benchmark's own.
const PROFILE: &str = "profile";

/// Options of a configuration that say what is evaluated and how cases are read, which a benchmark says itself.
fn is_not_for_benchmarks(option: &str) -> bool {
    ["datasets", "generate", "retrieval", "agent", "metrics"].contains(&option) || CASE_READING.contains(&option)
}

/// Options beside those on models that have an effect on some benchmarks only.
const ONLY_FOR_SOME: [&str; 4] = ["sandbox", "run_again", "color", "json"];

/// Adds the commands of all benchmarks to the command line.
pub fn add_benchmark_commands(mut command: Command) -> Command {
    for benchmark in BENCHMARKS {
        command = add(command, benchmark.command(), *benchmark);
    }
    command
}

/// One of several words is a command in a command.
fn add(command: Command, words: &'static [&'static str], benchmark: &dyn BenchmarkCommand) -> Command {
    match words {
        [] => command,
        // Beside commands of its own it runs the benchmark where none of them is named.
        [word] if command.find_subcommand(word).is_some() => command.mut_subcommand(*word, |inner| {
            let inner = benchmark_command(inner, benchmark).args_conflicts_with_subcommands(true);
            if inner.find_subcommand(EVALUATE).is_none() {
                return inner;
            }
            inner.mut_subcommand(EVALUATE, |same| with_flags(same, benchmark))
        }),
        [word] => command.subcommand(benchmark_command(Command::new(*word), benchmark)),
        [word, rest @ ..] if command.find_subcommand(word).is_some() => {
            command.mut_subcommand(*word, |inner| add(inner, rest, benchmark))
        }
        [word, rest @ ..] => {
            let first = first_line(benchmark.about());
            command.subcommand(add(Command::new(*word).about(first).subcommand_required(true), rest, benchmark))
        }
    }
}

fn first_line(about: &str) -> String {
    about.lines().next().unwrap_or_default().to_owned()
}

fn benchmark_command(command: Command, benchmark: &dyn BenchmarkCommand) -> Command {
    let about = StyledStr::from(first_line(benchmark.about()));
    with_flags(command.about(about).long_about(benchmark.about().to_owned()), benchmark)
}

/// Adds the options of the benchmark and those of every run.
fn with_flags(mut command: Command, benchmark: &dyn BenchmarkCommand) -> Command {
    command = command.args(benchmark.flags());
    if let Some(preparation) = benchmark_hooks::preparation(benchmark.id()) {
        command = command.args(preparation.flags()).next_help_heading(None::<&str>);
    }
    let config = Arg::new(CONFIG).short('c').long(CONFIG).value_name("FILE").env("PROBARE_CONFIG");
    let config =
        config.value_parser(clap::value_parser!(PathBuf)).help("Settings; ./probare.yaml is read if it is there");
    let takes = options_taken(benchmark);
    let shared = RunOptions::arguments().into_iter().filter(|flag| takes(flag.get_id().as_str()));
    let shared = shared.map(|flag| if flag.get_id() == PROFILE { flag.help(benchmark.profiles()) } else { flag });
    command.args(std::iter::once(config).chain(shared).map(|flag| flag.help_heading("Options of every run")))
}

/// Which options of every run the benchmark takes: not those that it understands itself under the same name, and not those
/// that could have no effect (whom judges ask where it has no judges, colours where it prints none).
fn options_taken(benchmark: &dyn BenchmarkCommand) -> impl Fn(&str) -> bool {
    let own: Vec<String> = benchmark.flags().iter().map(|flag| flag.get_id().to_string()).collect();
    let preparation = benchmark_hooks::preparation(benchmark.id());
    move |name| {
        let is_without_effect = MODEL_CALLS.contains(&name) || ONLY_FOR_SOME.contains(&name);
        ForBenchmark::takes(name)
            && own.iter().all(|own| own != name)
            && (!is_without_effect
                || benchmark.takes(name)
                || preparation.is_some_and(|preparation| preparation.takes(name)))
    }
}

/// The benchmark that a command line asks for, if it asks for one, with its matches.
pub fn find_benchmark(matches: &ArgMatches) -> Option<(&'static dyn BenchmarkCommand, &ArgMatches)> {
    BENCHMARKS.iter().find_map(|benchmark| {
        let inner = benchmark.command().iter().try_fold(matches, |matches, word| matches.subcommand_matches(word))?;
        // A command of its own below it is no run of the benchmark.
        inner.subcommand().is_none().then_some((*benchmark, inner))
    })
}

/// A benchmark asked for under another command than its own, whose flags are those of the benchmark.
#[derive(Debug, Clone)]
pub struct BenchmarkArguments {
    matches: ArgMatches,
}

impl BenchmarkArguments {
    /// Runs the benchmark of this id.
    pub fn run(&self, id: &str) -> CommandResult {
        run(benchmark_by_id(id)?, &self.matches)
    }

    /// What the run of the benchmark of this id is.
    pub fn settings(&self, id: &str) -> Result<RunOptions, Failure> {
        settings(benchmark_by_id(id)?, &self.matches)
    }
}

fn benchmark_by_id(id: &str) -> Result<&'static dyn BenchmarkCommand, Failure> {
    probare_benchmarks::benchmark_command(id).ok_or_else(|| Failure::new(format!("there is no benchmark `{id}`")))
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

/// No flags of its own: [`add_benchmark_commands`] gives it those of the benchmark.
impl clap::Args for BenchmarkArguments {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

/// Runs a benchmark.
pub fn run(benchmark: &dyn BenchmarkCommand, matches: &ArgMatches) -> CommandResult {
    let mut options = benchmark.options(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let mut settings = settings(benchmark, matches)?;
    // A configuration says who judges, not that somebody does beside the published measures.
    let is_wish = !settings.origin("judges").is_file() && !settings.judges.is_empty();
    if benchmark.shared().contains(&"judges") && is_wish {
        options.insert("judges".to_owned(), settings.judges.clone().into());
    }
    if let Some(profile) = settings.profile {
        options.insert(PROFILE.to_owned(), profile.name().into());
    }
    let example = benchmark.example(&options);
    if !example.is_empty() {
        let names: Vec<&str> = example.values().filter_map(Json::as_str).filter(|name| is_bundled(name)).collect();
        remark(&format!("no data is named: this is the example that the program carries ({})", names.join(", ")));
        options.extend(example);
    }
    let alone = benchmark.without_output().iter().find(|(name, _)| options.contains_key(*name));
    if let Some((name, reason)) = alone.filter(|_| !settings.output.is_empty()) {
        let flag = name.replace('_', "-");
        return Err(Failure::usage(format!("--{flag} and -o do not go together: {reason}"))
            .hint(format!("run once with --{flag} for the files to share, and once without it for your own")));
    }
    let judges = match benchmark_hooks::preparation(benchmark.id()) {
        Some(preparation) => preparation.prepare(matches, &mut options, &settings)?,
        None => None,
    };
    if let Some(Judges { models, names }) = judges {
        settings.models.extend(models);
        settings.judges = names;
    }
    let running = RunDriver::new(settings);
    let job = benchmark.open(Json::Object(options), running.console())?;
    let has_own_summary = job.publisher.is_some();
    running.with_own_summary(has_own_summary).run(job)
}

/// What the run is: the flags of every run, but for those that the benchmark itself understands under the same name, and the
/// configuration, but for what the benchmark says itself.
pub fn settings(benchmark: &dyn BenchmarkCommand, matches: &ArgMatches) -> Result<RunOptions, Failure> {
    let flags = RunOptions::from_matches(matches, options_taken(benchmark));
    let named = matches.get_one::<PathBuf>(CONFIG);
    let config = Config::load(named.map(PathBuf::as_path))?;
    let file = config.file_options();
    let unread = file.names().into_iter().filter(|option| is_not_for_benchmarks(option));
    let unread: Vec<String> = unread.map(|key| format!("`{key}`")).collect();
    if !unread.is_empty() {
        let (path, command, keys) = (config.path.unwrap_or_default(), benchmark.command().join(" "), unread.join(", "));
        let text = format!("`{}` has {keys}, which `probare {command}` says itself", path.display());
        // A file that somebody names is meant; one that lies there may be meant for another command.
        if named.is_some() {
            return Err(Failure::usage(text).hint("leave that out, or keep the rest in a file of its own"));
        }
        if flags.quiet != Some(true) {
            remark(&format!("{text}: the rest of the file holds"));
        }
    }
    Ok(flags.combine(file.retain(|option| !is_not_for_benchmarks(option))))
}
