//! `probare models`: models on this machine.

mod prices;
pub mod pull;

use super::{cache, remark};
use crate::failure::CommandResult;

/// Download local models, and show prices.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: ModelsCommand,
}

#[derive(Debug, clap::Subcommand)]
enum ModelsCommand {
    Prices(prices::Arguments),
    Pull(pull::Arguments),
    /// The former name of `probare cache`
    #[command(hide = true)]
    Record(cache::Arguments),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    match &arguments.command {
        ModelsCommand::Prices(arguments) => prices::run(arguments),
        ModelsCommand::Pull(arguments) => pull::run(arguments),
        ModelsCommand::Record(arguments) => {
            remark("`probare models record` is now `probare cache`; the old name goes with the next release");
            cache::run(arguments)
        }
    }
}
