//! The binary `probare`: reads the command line, calls a verb, ends with one of the documented exit codes.
//!
//! Data goes to standard output, everything else to standard error.

mod arguments;
mod config;
mod exit;
mod failure;
mod page;
mod progress;
mod verbs;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use arguments::{Cli, Verb};
use exit::Exit;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let exit = match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Fine,
                _ => Exit::Usage,
            };
            // Nothing can be done about a closed terminal.
            let _ = error.print();
            return exit.into();
        }
    };
    let done = match &cli.verb {
        Verb::Score(arguments) => verbs::score::run(arguments),
        Verb::List(arguments) => verbs::list::run(arguments),
        Verb::Explain(arguments) => verbs::explain::run(arguments),
        Verb::Validate(arguments) => verbs::validate::run(arguments),
        Verb::Verify(arguments) => verbs::verify::run(arguments),
        Verb::Rag(arguments) => verbs::rag::run(arguments),
        Verb::Synthlink(arguments) => verbs::synthlink::run(arguments),
        Verb::Synthesis(arguments) => verbs::synthesis::run(arguments),
        Verb::Socioscope(arguments) => verbs::socioscope::run(arguments),
        Verb::Text(arguments) => verbs::text::run(arguments),
        Verb::Init(arguments) => verbs::init::run(arguments),
        Verb::Schema(arguments) => verbs::schema::run(arguments),
        Verb::Doctor(arguments) => verbs::doctor::run(arguments),
        Verb::Parse(arguments) => verbs::parse::run(arguments),
        Verb::Completions(arguments) => verbs::completions::run(arguments),
        Verb::Man(arguments) => verbs::man::run(arguments),
    };
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            let _ = std::io::stderr().write_all(failure.render().as_bytes());
            failure.exit.into()
        }
    }
}
