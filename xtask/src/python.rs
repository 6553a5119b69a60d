//! The Python wheel: built by maturin into a virtual environment under `target/`, and tested there by pytest.
//!
//! A machine without Python, or one that cannot install packages, leaves these tests out and says so.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::process::{self, root};

/// The oldest Python that the wheel is for.
const OLDEST: (u32, u32) = (3, 11);

/// Tests of the wheel with Spark, Ray and the packages of other tools.
#[derive(Debug, clap::Args)]
pub struct ClusterArguments {
    /// A wheel to test instead of one that is built here
    #[arg(long, value_name = "FILE")]
    wheel: Option<PathBuf>,
    /// Rows that go through every metric, in Spark, Ray and every kind of input
    #[arg(long, value_name = "NUMBER")]
    rows: Option<usize>,
    /// Rows that are being scored when an executor or a worker is killed
    #[arg(long, value_name = "NUMBER")]
    killed_rows: Option<usize>,
    /// Further arguments for pytest
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Builds the wheel and runs its tests; the reason where this machine cannot.
pub fn run() -> Result<Option<String>> {
    let environment = match VirtualEnvironment::new("python", "requirements-test.txt") {
        Ok(environment) => environment,
        Err(reason) => return Ok(Some(format!("{reason:#}"))),
    };
    environment.install(&environment.build_test_wheel()?)?;
    let mut pytest = environment.pytest();
    process::run(pytest.args(["-m", "not (spark or ray or dask or daft or peers)"]))?;
    Ok(None)
}

/// The wheel in a profile and its source distribution, in a folder; gives the wheel.
pub fn dist_wheel(folder: &Path, profile: &str) -> Result<PathBuf> {
    let environment = VirtualEnvironment::new("python", "requirements-test.txt")?;
    let mut maturin = Command::new(environment.program("maturin"));
    process::run(maturin.arg("sdist").arg("--out").arg(folder).current_dir(root().join("crates/python")))?;
    environment.build_release_wheel(folder, profile)
}

/// The same with everything that is too heavy for every day.
pub fn run_cluster(arguments: &ClusterArguments) -> Result<()> {
    let environment = VirtualEnvironment::new("python-cluster", "requirements-cluster.txt")?;
    match &arguments.wheel {
        Some(wheel) => environment.install(&std::path::absolute(wheel)?)?,
        None => environment.install(&environment.build_test_wheel()?)?,
    }
    let mut pytest = environment.pytest();
    if let Some(rows) = arguments.rows {
        pytest.env("PROBARE_ROWS", rows.to_string());
    }
    if let Some(rows) = arguments.killed_rows {
        pytest.env("PROBARE_KILLED_ROWS", rows.to_string());
    }
    match promptfoo() {
        Ok(folder) => drop(pytest.env("PROBARE_FOREIGN", folder)),
        Err(reason) => eprintln!("left out: promptfoo, since {reason:#}"),
    }
    if arguments.rest.is_empty() {
        pytest.args(["-m", "inputs or spark or ray or dask or daft or peers"]);
    }
    process::run(pytest.args(&arguments.rest))
}

/// The folder with promptfoo, installed where it is not there yet (2 GB).
fn promptfoo() -> Result<PathBuf> {
    if !process::is_installed("npm", "--version") {
        bail!("there is no npm here");
    }
    let folder = root().join("target/foreign");
    process::run(Command::new("bash").arg(root().join("tests/foreign/install.sh")).arg(&folder).arg("promptfoo"))?;
    Ok(folder)
}

/// A virtual environment with the packages that a list names.
struct VirtualEnvironment {
    folder: PathBuf,
}

impl VirtualEnvironment {
    fn new(name: &str, list: &str) -> Result<Self> {
        let python = python()?;
        let folder = root().join("target").join(name);
        let environment = Self { folder };
        if !environment.program("python").is_file() {
            run_quietly(Command::new(python).args(["-m", "venv"]).arg(&environment.folder))
                .context("no virtual environment could be made (Debian has it as python3-venv)")?;
        }
        let list = root().join("crates/python").join(list);
        let packages = std::fs::read_to_string(&list)?;
        let mark = environment.folder.join("installed.txt");
        if std::fs::read_to_string(&mark).ok().as_ref() != Some(&packages) {
            process::run(environment.pip().arg("--requirement").arg(&list))
                .context("packages could not be installed")?;
            std::fs::write(&mark, &packages)?;
        }
        Ok(environment)
    }

    fn program(&self, name: &str) -> PathBuf {
        self.folder.join(if cfg!(windows) { "Scripts" } else { "bin" }).join(name)
    }

    fn pip(&self) -> Command {
        let mut pip = Command::new(self.program("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    }

    /// Builds the wheel in the profile of the other tests, from what they have built already.
    fn build_test_wheel(&self) -> Result<PathBuf> {
        let wheels = self.folder.join("wheels");
        if wheels.exists() {
            std::fs::remove_dir_all(&wheels)?;
        }
        let mut maturin = Command::new(self.program("maturin"));
        maturin
            .args(["build", "--compatibility", "linux", "--skip-auditwheel", "--out"])
            .arg(&wheels)
            .arg("--interpreter")
            .arg(self.program("python"))
            .current_dir(root().join("crates/python"));
        process::run(&mut maturin)?;
        Ok(std::fs::read_dir(&wheels)?.next().context("maturin made no wheel")??.path())
    }

    /// Builds the wheel for others.
    fn build_release_wheel(&self, folder: &Path, profile: &str) -> Result<PathBuf> {
        let mut maturin = Command::new(self.program("maturin"));
        maturin.args(["build", "--profile", profile, "--compatibility", "linux", "--skip-auditwheel", "--out"]);
        maturin.arg(folder).arg("--interpreter").arg(self.program("python"));
        process::run(maturin.current_dir(root().join("crates/python")))?;
        let mut files = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path()));
        files.find(|path| path.extension().is_some_and(|end| end == "whl")).context("maturin made no wheel")
    }

    fn install(&self, wheel: &Path) -> Result<()> {
        process::run(self.pip().args(["--force-reinstall", "--no-deps"]).arg(wheel))
    }

    /// pytest, where the tests are.
    fn pytest(&self) -> Command {
        let mut pytest = Command::new(self.program("python"));
        // What is left out is listed with the reason.
        pytest.args(["-m", "pytest", "--quiet", "-rs"]).current_dir(root().join("crates/python"));
        // The program that the wheel is held against.
        pytest.env("PROBARE_PROGRAM", process::program());
        pytest
    }
}

/// An interpreter that is new enough.
fn python() -> Result<&'static str> {
    let mut seen = None;
    for name in ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"] {
        let output = Command::new(name)
            .args(["-c", "import sys; print(*sys.version_info[:2])"])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let Ok(output) = output else { continue };
        let text = String::from_utf8_lossy(&output.stdout);
        let mut numbers = text.split_whitespace().filter_map(|number| number.parse().ok());
        let (Some(major), Some(minor)) = (numbers.next(), numbers.next()) else { continue };
        if (major, minor) >= OLDEST {
            return Ok(name);
        }
        seen = Some((major, minor));
    }
    let (major, minor) = OLDEST;
    match seen {
        Some((old, older)) => bail!("Python {major}.{minor} or newer is needed and {old}.{older} is here"),
        None => bail!("there is no Python here; {major}.{minor} or newer is needed"),
    }
}

/// Runs a program whose words matter only if it fails.
fn run_quietly(command: &mut Command) -> Result<()> {
    let output =
        command.output().with_context(|| format!("cannot start {}", Path::new(command.get_program()).display()))?;
    if !output.status.success() {
        bail!("{}{}", String::from_utf8_lossy(&output.stdout).trim(), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Packages that a package of ours is built with, with their features.
    fn features(package: &str) -> BTreeMap<String, String> {
        let arguments =
            ["tree", "--package", package, "--edges", "normal,build", "--prefix", "none", "--format", "{p}\t{f}"];
        let output = process::cargo(&arguments).stderr(Stdio::inherit()).output().expect("cargo runs the tests");
        let text = String::from_utf8(output.stdout).expect("names are text");
        let lines = text.lines().filter_map(|line| line.trim_end_matches(" (*)").split_once('\t'));
        lines.map(|(package, features)| (package.to_owned(), features.to_owned())).collect()
    }

    #[test]
    fn wheel_shares_the_build_of_the_program() {
        let wheel = features("probare-python");
        let program = features("probare-cli");
        assert!(program.len() > 100, "{program:?}");
        let others: Vec<_> =
            program.iter().filter(|(package, features)| wheel.get(*package) != Some(features)).collect();
        assert!(
            others.is_empty(),
            "the wheel is built with other features of these, which `crates/cli/Cargo.toml` has to name: {others:?}"
        );
    }
}
