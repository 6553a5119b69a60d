//! `probare judge`: how far a judge can be trusted.

mod calibrate;
mod comparison;
mod label_sheet;

pub use calibrate::human_labels;
pub use label_sheet::LabelSheet;

use crate::failure::CommandResult;

/// Measure a judge's agreement with people.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: JudgeCommand,
}

#[derive(Debug, clap::Subcommand)]
enum JudgeCommand {
    Calibrate(Box<calibrate::Arguments>),
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    match &arguments.command {
        JudgeCommand::Calibrate(arguments) => calibrate::run(arguments),
    }
}
