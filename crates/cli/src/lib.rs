//! The command line `probare`, as a library: reads the arguments, calls a verb, ends with one of the documented exit codes.
//!
//! The binary and the `probare` that the Python wheel installs are this and nothing else. Data goes to standard output,
//! everything else to standard error.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod arguments;
mod failure;
mod page;
mod progress;
mod verbs;

use probare_cancellation::interruption;
use std::ffi::OsString;
use std::io::Write;
use std::sync::atomic::Ordering;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, FromArgMatches};

use arguments::{Cli, Verb};
use failure::{Done, Failure};
use probare_core::{Suite, closest};
use probare_runner::{Exit, Settings};

/// Does what the arguments ask for, the first of which is the name of the program, and says with which code it should end.
pub fn run<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>) -> u8 {
    let asked = match parsed(arguments) {
        Ok(asked) => asked,
        Err(error) => return refused(error).code(),
    };
    let done = match &asked {
        Asked::Suite(suite, matches) => verbs::suite::run(*suite, matches),
        Asked::Verb(cli) => call(cli),
    };
    match done {
        Ok(exit) => exit.code(),
        Err(failure) => {
            let _ = std::io::stderr().write_all(failure.render().as_bytes());
            // What fails because of a signal was ended by it.
            let exit = if interruption().load(Ordering::Relaxed) { Exit::Interrupted } else { failure.exit };
            exit.code()
        }
    }
}

fn parsed<A: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = A>) -> Result<Asked, clap::Error> {
    let matches = arguments::command().try_get_matches_from(arguments)?;
    if let Some((suite, matches)) = verbs::suite::asked(&matches) {
        return Ok(Asked::Suite(suite, matches.clone()));
    }
    Cli::from_arg_matches(&matches).map(|cli| Asked::Verb(Box::new(cli)))
}

/// Says what is wrong with a command line, or shows the help that it asks for.
fn refused(mut error: clap::Error) -> Exit {
    suggest(&mut error);
    // Nothing can be done about a closed terminal.
    let _ = error.print();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Fine,
        _ => Exit::Usage,
    }
}

/// What users of other tools write, and what it is called here.
const ELSEWHERE: [(&str, &str); 3] =
    [("--threshold", "--fail-under"), ("--min-score", "--fail-under"), ("--workers", "--jobs")];

/// A flag is similar to another if it is a slip of the fingers away; any other suggestion leads astray.
fn suggest(error: &mut clap::Error) {
    let text = |value: Option<&ContextValue>| match value {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let Some(wrong) = text(error.get(ContextKind::InvalidArg)) else { return };
    let known = ELSEWHERE.iter().find(|(theirs, _)| *theirs == wrong).map(|(_, ours)| *ours);
    let suggested = text(error.get(ContextKind::SuggestedArg));
    let near = suggested.filter(|suggested| closest(&wrong, [suggested.as_str()]).is_some());
    // The usage that came with it shows the flag that was suggested.
    error.remove(ContextKind::Usage);
    match known.map(str::to_owned).or(near) {
        Some(better) => error.insert(ContextKind::SuggestedArg, ContextValue::String(better)),
        None => error.remove(ContextKind::SuggestedArg),
    };
}

/// The whole command line, for whoever wants to know all verbs and flags.
pub fn command() -> clap::Command {
    arguments::command()
}

/// What a command line would run with; nothing for a verb that has no settings of a run.
fn settings_of(words: Vec<OsString>) -> Result<Option<Settings>, Failure> {
    let asked = parsed(std::iter::once(OsString::from("probare")).chain(words))
        .map_err(|error| Failure::usage(error.render().to_string().trim_start_matches("error: ").trim_end()))?;
    Ok(Some(match &asked {
        Asked::Suite(suite, matches) => verbs::suite::settings(*suite, matches)?,
        Asked::Verb(cli) => match &cli.verb {
            Verb::Score(arguments) => verbs::score::settings(arguments)?,
            Verb::Run(arguments) => verbs::run::settings(arguments)?,
            Verb::Resume(arguments) => verbs::resume::shown(arguments)?,
            Verb::Sgi(arguments) => return verbs::sgi::settings(arguments),
            Verb::Rag(arguments) => return verbs::rag::settings(arguments),
            Verb::Socioscope(arguments) => return verbs::socioscope::settings(arguments),
            _ => return Ok(None),
        },
    }))
}

/// What the command line asks for.
enum Asked {
    Suite(&'static dyn Suite, ArgMatches),
    Verb(Box<Cli>),
}

fn call(cli: &Cli) -> Done {
    match &cli.verb {
        Verb::Score(arguments) => verbs::score::run(arguments),
        Verb::Run(arguments) => verbs::run::run(arguments),
        Verb::Resume(arguments) => verbs::resume::run(arguments),
        Verb::Runs(arguments) => verbs::runs::run(arguments),
        Verb::List(arguments) => verbs::list::run(arguments),
        Verb::Explain(arguments) => verbs::explain::run(arguments),
        Verb::Validate(arguments) => verbs::validate::run(arguments),
        Verb::Verify(arguments) => verbs::verify::run(arguments),
        Verb::Show(arguments) => verbs::show::run(arguments),
        Verb::View(arguments) => verbs::view::run(arguments),
        Verb::Calibrate(arguments) => verbs::calibrate::run(arguments),
        Verb::Compare(arguments) => verbs::compare::run(arguments),
        Verb::History(arguments) => verbs::history::run(arguments),
        Verb::Import(arguments) => verbs::import::run(arguments),
        Verb::Export(arguments) => verbs::export::run(arguments),
        Verb::Sgi(arguments) => verbs::sgi::run(arguments),
        Verb::Socioscope(arguments) => verbs::socioscope::run(arguments),
        Verb::Rag(arguments) => verbs::rag::run(arguments),
        Verb::Text(arguments) => verbs::text::run(arguments),
        Verb::Serve(arguments) => verbs::serve::run(arguments),
        Verb::Config(arguments) => verbs::config::run(arguments),
        Verb::Init(arguments) => verbs::init::run(arguments),
        Verb::Schema(arguments) => verbs::schema::run(arguments),
        Verb::Doctor(arguments) => verbs::doctor::run(arguments),
        Verb::Models(arguments) => verbs::models::run(arguments),
        Verb::Judge(arguments) => verbs::judge::run(arguments),
        Verb::Parse(arguments) => verbs::parse::run(arguments),
        Verb::Completions(arguments) => verbs::completions::run(arguments),
        Verb::Man(arguments) => verbs::man::run(arguments),
    }
}
