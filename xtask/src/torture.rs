//! `cargo x torture`: the tests that kill runs, resume them and fill disks, many more times than CI does.

use anyhow::Result;

use crate::process::{self, cargo};

/// Kill runs at random moments and fill disks under them: no half file, no changed input.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Runs that are killed
    #[arg(long, default_value_t = 1000)]
    kills: u32,

    /// Cases of the run that is killed and resumed
    #[arg(long, default_value_t = 5000)]
    cases: u32,

    /// Only this kind of torture: `by_kills`, `by_full_disks`, `of_runs`, `of_stores`, `of_indexes`, `of_replies`, `of_budgets`
    #[arg(long)]
    only: Option<String>,

    /// Runs on a disk that is too small
    #[arg(long, default_value_t = 200)]
    disks: u32,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let which = arguments.only.as_ref().map_or_else(|| "torture_".to_owned(), |only| format!("torture_{only}"));
    let mut command = cargo(&["test", "--workspace", "--all-features", "--test", "it", &which, "--", "--nocapture"]);
    command.env("PROBARE_TORTURE_KILLS", arguments.kills.to_string());
    command.env("PROBARE_TORTURE_CASES", arguments.cases.to_string());
    command.env("PROBARE_TORTURE_DISKS", arguments.disks.to_string());
    process::run(&mut command)
}
