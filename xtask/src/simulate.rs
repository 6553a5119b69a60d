//! `cargo x simulate`: the tables of `docs/guides/decide_early.md`, made again.

use anyhow::Result;

use crate::process::{self, cargo};

/// Runs the command.
pub fn run() -> Result<()> {
    process::run(&mut cargo(&["run", "--release", "--quiet", "--package", "probare-stats", "--example", "simulate"]))
}
