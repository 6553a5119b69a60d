//! `cargo x bench`: throughput of metrics and of the whole program, in release.

use anyhow::Result;

use crate::process::{self, cargo};

/// Measure throughput in rows per CPU-second, with --against side by side with the originals.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only what has this in its name: a metric, wordnet, parser, minilm, quotations, score, synthlink, synthesis, retrieval, sandbox, `wet_experiment`; growth or growth:METRIC
    #[arg(default_value = "")]
    filter: String,

    /// Also run the Python and JavaScript originals that are installed, on the same rows, and print ratios
    #[arg(long)]
    against: bool,

    /// As many rows as the published figures, where a part would do to see a change
    #[arg(long)]
    full: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    process::run(&mut cargo(&["build", "--release", "--package", "probare-cli"]))?;
    let mut command = cargo(&["run", "--release", "--package", "probare-bench", "--", &arguments.filter]);
    for (is_set, flag) in [(arguments.against, "--against"), (arguments.full, "--full")] {
        if is_set {
            command.arg(flag);
        }
    }
    process::run(&mut command)
}
