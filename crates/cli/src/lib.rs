//! The command line `probare`, as a library: reads the arguments, calls a command, ends with one of the documented exit codes.
//!
//! The binary and the `probare` that the Python wheel installs are this and nothing else. Data goes to standard output,
//! everything else to standard error.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod arguments;
mod commands;
mod failure;
mod markdown_page;
mod old_names;
mod progress;

use probare_cancellation::interruption_flag;
use std::ffi::OsString;
use std::io::Write;
use std::sync::atomic::Ordering;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, FromArgMatches};

use arguments::{Cli, CliCommand};
use failure::{CommandResult, Failure};
use probare_benchmarks::BenchmarkCommand;
use probare_core::closest;
use probare_engine::{Exit, RunOptions};

/// Does what the arguments ask for, the first of which is the name of the program, and says with which code it should end.
pub fn run<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let asked = match parse_command_line(&arguments) {
        Ok(asked) => asked,
        Err(error) => return report_clap_error(error).code(),
    };
    old_names::mention(&arguments);
    let done = match &asked {
        ParsedCommand::Benchmark(benchmark, matches) => commands::benchmark::run(*benchmark, matches),
        ParsedCommand::Other(cli) => run_command(cli),
    };
    match done {
        Ok(exit) => exit.code(),
        Err(failure) => {
            let _ = std::io::stderr().write_all(failure.render().as_bytes());
            // What fails because of a signal was ended by it.
            let exit = if interruption_flag().load(Ordering::Relaxed) { Exit::Interrupted } else { failure.exit };
            exit.code()
        }
    }
}

fn parse_command_line<A: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = A>,
) -> Result<ParsedCommand, clap::Error> {
    let matches = arguments::command().try_get_matches_from(arguments)?;
    if let Some((benchmark, matches)) = commands::benchmark::find_benchmark(&matches) {
        return Ok(ParsedCommand::Benchmark(benchmark, matches.clone()));
    }
    Cli::from_arg_matches(&matches).map(|cli| ParsedCommand::Other(Box::new(cli)))
}

/// Says what is wrong with a command line, or shows the help that it asks for.
fn report_clap_error(mut error: clap::Error) -> Exit {
    suggest(&mut error);
    // Nothing can be done about a closed terminal.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Fine,
        _ => Exit::Usage,
    }
}

/// What users of other tools write, and what it is called here.
const OTHER_TOOLS_FLAGS: [(&str, &str); 5] = [
    ("--threshold", "--fail-under"),
    ("--min-score", "--fail-under"),
    ("--workers", "--jobs"),
    ("--port", "--listen"),
    ("--host", "--listen"),
];

/// A flag is similar to another if it is a slip of the fingers away; any other suggestion leads astray.
fn suggest(error: &mut clap::Error) {
    let text = |value: Option<&ContextValue>| match value {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let Some(wrong) = text(error.get(ContextKind::InvalidArg)) else { return };
    let known = OTHER_TOOLS_FLAGS.iter().find(|(theirs, _)| *theirs == wrong).map(|(_, ours)| *ours);
    let suggested = text(error.get(ContextKind::SuggestedArg));
    // An old name is understood and not advertised.
    let suggested = suggested.map(|suggested| old_names::new_name(&suggested).unwrap_or(suggested));
    let near = suggested.filter(|suggested| closest(&wrong, [suggested.as_str()]).is_some());
    // The usage that came with it shows the flag that was suggested.
    error.remove(ContextKind::Usage);
    match known.map(str::to_owned).or(near) {
        Some(better) => error.insert(ContextKind::SuggestedArg, ContextValue::String(better)),
        None => error.remove(ContextKind::SuggestedArg),
    };
}

/// The whole command line, for whoever wants to know all commands and flags.
pub fn command() -> clap::Command {
    arguments::command()
}

/// What a command line would run with; nothing for a command that has no settings of a run.
fn settings_for(words: Vec<OsString>) -> Result<Option<RunOptions>, Failure> {
    let asked = parse_command_line(std::iter::once(OsString::from("probare")).chain(words))
        .map_err(|error| Failure::usage(error.render().to_string().trim_start_matches("error: ").trim_end()))?;
    Ok(Some(match &asked {
        ParsedCommand::Benchmark(benchmark, matches) => commands::benchmark::settings(*benchmark, matches)?,
        ParsedCommand::Other(cli) => match &cli.command {
            CliCommand::Score(arguments) => commands::score::settings(arguments)?,
            CliCommand::Run(arguments) => commands::run::settings(arguments)?,
            CliCommand::Rescore(arguments) => commands::rescore::preview_settings(arguments)?,
            CliCommand::Resume(arguments) => commands::resume::preview_settings(arguments)?,
            CliCommand::Sgi(arguments) => return commands::sgi::settings(arguments),
            CliCommand::Rag(arguments) => return commands::rag::settings(arguments),
            CliCommand::Socioscope(arguments) => return commands::socioscope::settings(arguments),
            _ => return Ok(None),
        },
    }))
}

/// What the command line asks for.
enum ParsedCommand {
    Benchmark(&'static dyn BenchmarkCommand, ArgMatches),
    Other(Box<Cli>),
}

fn run_command(cli: &Cli) -> CommandResult {
    match &cli.command {
        CliCommand::Score(arguments) => commands::score::run(arguments),
        CliCommand::Run(arguments) => commands::run::run(arguments),
        CliCommand::Rescore(arguments) => commands::rescore::run(arguments),
        CliCommand::Resume(arguments) => commands::resume::run(arguments),
        CliCommand::Runs(arguments) => commands::runs::run(arguments),
        CliCommand::List(arguments) => commands::list::run(arguments),
        CliCommand::Explain(arguments) => commands::explain::run(arguments),
        CliCommand::Validate(arguments) => commands::validate::run(arguments),
        CliCommand::Verify(arguments) => commands::verify::run(arguments),
        CliCommand::Show(arguments) => commands::show::run(arguments),
        CliCommand::View(arguments) => commands::view::run(arguments),
        CliCommand::Calibrate(arguments) => commands::calibrate::run(arguments),
        CliCommand::Estimate(arguments) => commands::estimate::run(arguments),
        CliCommand::Power(arguments) => commands::power::run(arguments),
        CliCommand::Compare(arguments) => commands::compare::run(arguments),
        CliCommand::History(arguments) => commands::history::run(arguments),
        CliCommand::Import(arguments) => commands::import::run(arguments),
        CliCommand::Export(arguments) => commands::export::run(arguments),
        CliCommand::Sgi(arguments) => commands::sgi::run(arguments),
        CliCommand::Socioscope(arguments) => commands::socioscope::run(arguments),
        CliCommand::Rag(arguments) => commands::rag::run(arguments),
        CliCommand::Text(arguments) => commands::text::run(arguments),
        CliCommand::Serve(arguments) => commands::serve::run(arguments),
        CliCommand::Config(arguments) => commands::config::run(arguments),
        CliCommand::Init(arguments) => commands::init::run(arguments),
        CliCommand::Schema(arguments) => commands::schema::run(arguments),
        CliCommand::Doctor(arguments) => commands::doctor::run(arguments),
        CliCommand::Models(arguments) => commands::models::run(arguments),
        CliCommand::Cache(arguments) => commands::cache::run(arguments),
        CliCommand::Trust(arguments) => commands::trust::run(arguments),
        CliCommand::Judge(arguments) => commands::judge::run(arguments),
        CliCommand::Metric(arguments) => commands::metric::run(arguments),
        CliCommand::Parse(arguments) => commands::parse::run(arguments),
        CliCommand::Completions(arguments) => commands::completions::run(arguments),
        CliCommand::Man(arguments) => commands::man::run(arguments),
    }
}
