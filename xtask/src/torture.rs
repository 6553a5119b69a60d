//! `cargo x torture`: the test that kills runs and fills disks, many more times than CI does.

use anyhow::Result;

use crate::process::{self, cargo};

/// Kill runs at random moments and fill disks under them: no half file, no changed input.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Runs that are killed
    #[arg(long, default_value_t = 1000)]
    kills: u32,

    /// Runs on a disk that is too small
    #[arg(long, default_value_t = 200)]
    disks: u32,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut command =
        cargo(&["test", "--workspace", "--all-features", "--test", "it", "torture_by", "--", "--nocapture"]);
    command.env("PROBARE_TORTURE_KILLS", arguments.kills.to_string());
    command.env("PROBARE_TORTURE_DISKS", arguments.disks.to_string());
    process::run(&mut command)
}
