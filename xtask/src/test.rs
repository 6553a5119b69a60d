//! `cargo x test`: all tests, with nextest if it can be had, and the examples in the documentation.

use anyhow::Result;

use crate::process::{self, cargo, is_there};

/// Install what the tests need and run all of them.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Further arguments for the test runner
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let rest: Vec<&str> = arguments.rest.iter().map(String::as_str).collect();
    if has_nextest() {
        run_nextest(&rest)?;
    } else {
        eprintln!("cargo-nextest could not be installed: the tests run with cargo test instead");
        cargo_run(&["test", "--workspace", "--all-features", "--tests"], &rest)?;
    }
    if rest.is_empty() {
        cargo_run(&["test", "--workspace", "--all-features", "--doc"], &[])?;
    }
    Ok(())
}

fn run_nextest(rest: &[&str]) -> Result<()> {
    cargo_run(&["nextest", "run", "--workspace", "--all-features", "--no-fail-fast"], rest)
}

fn cargo_run(arguments: &[&str], rest: &[&str]) -> Result<()> {
    process::run(cargo(arguments).args(rest))
}

/// Finds nextest or installs it from its package.
fn has_nextest() -> bool {
    is_there("cargo-nextest", "--version")
        || (process::run(&mut cargo(&["install", "cargo-nextest", "--locked"])).is_ok()
            && is_there("cargo-nextest", "--version"))
}
