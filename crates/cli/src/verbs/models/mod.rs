//! `probare models`: what was asked of models, and what they said.

mod record;

use crate::failure::Done;

/// Work with models: the record of their replies.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Record(record::Arguments),
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    match &arguments.verb {
        Verb::Record(arguments) => record::run(arguments),
    }
}
