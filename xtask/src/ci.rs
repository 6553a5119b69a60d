//! `cargo x ci`: everything that is checked before a change lands, in the order in which failures are cheapest.

use anyhow::Result;

use crate::process::{self, cargo, is_installed};
use crate::test;

/// Everything that CI checks: format, lints, licences, tests.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Leave the tests out
    #[arg(long)]
    no_tests: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    process::run(&mut cargo(&["fmt", "--all", "--check"]))?;
    process::run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]))?;
    if has_deny() {
        // The advisory database is not in a package registry; licences, bans and sources need no network.
        process::run(&mut cargo(&["deny", "--all-features", "check", "bans", "licenses", "sources"]))?;
    } else {
        eprintln!("skipped: cargo-deny could not be installed, licences were not checked");
    }
    if !arguments.no_tests {
        test::run(&test::Arguments::default())?;
    }
    Ok(())
}

fn has_deny() -> bool {
    is_installed("cargo-deny", "--version") || process::install("cargo-deny")
}
