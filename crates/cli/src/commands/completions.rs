//! `probare completions`: a script for the shell.

use clap_complete::Shell;

use super::print;
use crate::failure::CommandResult;

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::arguments::command(), "probare", &mut script);
    print(&String::from_utf8_lossy(&script))
}
