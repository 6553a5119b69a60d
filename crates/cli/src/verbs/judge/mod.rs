//! `probare judge`: how far a judge can be trusted.

mod calibrate;
mod sheet;
mod trust;

pub use calibrate::people;
pub use sheet::Sheet;

use crate::failure::Done;

/// Hold a judge against people.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Calibrate(Box<calibrate::Arguments>),
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    match &arguments.verb {
        Verb::Calibrate(arguments) => calibrate::run(arguments),
    }
}
