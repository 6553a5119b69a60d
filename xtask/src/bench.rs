//! `cargo x bench`: throughput of metrics and of the whole program, as a newcomer builds it or as it is published.

use std::path::PathBuf;

use anyhow::Result;

use crate::process::{self, cargo};

/// Measure throughput in rows per CPU-second, with --against side by side with the originals.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only what has this in its name: a metric, wordnet, parser, minilm, quotations, score, synthlink, synthesis, retrieval, rates (requests to models), sandbox, `wet_experiment`; growth or growth:METRIC
    #[arg(default_value = "")]
    filter: String,

    /// Also run the Python and JavaScript originals that are installed, on the same rows, and print ratios
    #[arg(long)]
    against: bool,

    /// Another build of the program (the last release, or the commit before a change): the same files through it and through
    /// today's, in turn, rows per CPU-second; nothing else is measured
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["against", "full"])]
    beside: Option<PathBuf>,

    /// With --beside: count the instructions of a row too, with valgrind
    #[arg(long, requires = "beside")]
    counts: bool,

    /// As many rows as the published figures, where a part would do to see a change
    #[arg(long)]
    full: bool,

    /// Profile to build with: `dist` is what is published
    #[arg(long, default_value = "release")]
    profile: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    process::run(&mut cargo(&["build", "--profile", &arguments.profile, "--package", "probare-cli"]))?;
    let mut command =
        cargo(&["run", "--profile", &arguments.profile, "--package", "probare-bench", "--", &arguments.filter]);
    if let Some(program) = &arguments.beside {
        command.arg("--beside").arg(program);
    }
    let flags = [(arguments.against, "--against"), (arguments.full, "--full"), (arguments.counts, "--counts")];
    for (is_set, flag) in flags {
        if is_set {
            command.arg(flag);
        }
    }
    process::run(&mut command)
}
