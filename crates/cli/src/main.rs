//! The binary `probare`: reads the command line, calls a verb, ends with one of the documented exit codes.
//!
//! Data goes to standard output, everything else to standard error.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files and cases that they need"))]

mod arguments;
mod failure;
mod page;
mod progress;
mod verbs;

use std::io::Write;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, FromArgMatches};

use arguments::{Cli, Verb};
use failure::Done;
use probare_core::Suite;
use probare_runner::Exit;

fn main() -> ExitCode {
    let parsed = arguments::command().try_get_matches().and_then(|matches| {
        if let Some((suite, matches)) = verbs::suite::asked(&matches) {
            return Ok(Asked::Suite(suite, matches.clone()));
        }
        Cli::from_arg_matches(&matches).map(|cli| Asked::Verb(Box::new(cli)))
    });
    let asked = match parsed {
        Ok(asked) => asked,
        Err(error) => {
            let exit = match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Fine,
                _ => Exit::Usage,
            };
            // Nothing can be done about a closed terminal.
            let _ = error.print();
            return ExitCode::from(exit.code());
        }
    };
    let done = match &asked {
        Asked::Suite(suite, matches) => verbs::suite::run(*suite, matches),
        Asked::Verb(cli) => run(cli),
    };
    match done {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(failure) => {
            let _ = std::io::stderr().write_all(failure.render().as_bytes());
            ExitCode::from(failure.exit.code())
        }
    }
}

/// A third of a run over small rows is asking for memory and giving it back.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What the command line asks for.
enum Asked {
    Suite(&'static dyn Suite, ArgMatches),
    Verb(Box<Cli>),
}

fn run(cli: &Cli) -> Done {
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
        Verb::Compare(arguments) => verbs::compare::run(arguments),
        Verb::Socioscope(arguments) => verbs::socioscope::run(arguments),
        Verb::Rag(arguments) => verbs::rag::run(arguments),
        Verb::Text(arguments) => verbs::text::run(arguments),
        Verb::Serve(arguments) => verbs::serve::run(arguments),
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
