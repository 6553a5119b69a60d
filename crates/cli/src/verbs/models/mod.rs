//! `probare models`: what has to do with models beside asking them.

pub mod pull;

use crate::failure::Done;

/// Fetch models that are computed on this machine.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Pull(pull::Arguments),
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    match &arguments.verb {
        Verb::Pull(arguments) => pull::run(arguments),
    }
}
