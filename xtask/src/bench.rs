//! `cargo x bench`: throughput of metrics and of the whole program, in release.

use anyhow::Result;

use crate::process::{self, cargo};

/// Measure throughput in rows per CPU-second, with --against side by side with the originals.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only what has this in its name
    #[arg(default_value = "")]
    filter: String,

    /// Also run the Python and JavaScript originals that are installed, on the same rows, and print ratios
    #[arg(long)]
    against: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    process::run(&mut cargo(&["build", "--release", "--package", "probare"]))?;
    let mut command = cargo(&["run", "--release", "--package", "probare-bench", "--", &arguments.filter]);
    if arguments.against {
        command.arg("--against");
    }
    process::run(&mut command)
}
