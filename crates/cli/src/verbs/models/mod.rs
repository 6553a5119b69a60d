//! `probare models`: models on this machine, what was asked of models, and what they said.

pub mod pull;
mod record;

use crate::failure::Done;

/// Fetch models that are computed on this machine, and look after the record of replies.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Pull(pull::Arguments),
    Record(record::Arguments),
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    match &arguments.verb {
        Verb::Pull(arguments) => pull::run(arguments),
        Verb::Record(arguments) => record::run(arguments),
    }
}
