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
    /// Further arguments for pytest
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

/// Builds the wheel and runs its tests, as far as this machine can.
pub fn run() -> Result<()> {
    let environment = match Environment::new("python", "requirements-test.txt") {
        Ok(environment) => environment,
        Err(reason) => {
            eprintln!("left out: tests of the Python wheel, since {reason:#}");
            return Ok(());
        }
    };
    environment.install_wheel()?;
    environment.pytest(&["-m", "not (spark or ray or peers)"])
}

/// The same with everything that is too heavy for every day.
pub fn run_cluster(arguments: &ClusterArguments) -> Result<()> {
    let environment = Environment::new("python-cluster", "requirements-cluster.txt")?;
    environment.install_wheel()?;
    let rest: Vec<&str> = arguments.rest.iter().map(String::as_str).collect();
    let all = ["-m", "spark or ray or peers"];
    environment.pytest(if rest.is_empty() { all.as_slice() } else { rest.as_slice() })
}

/// A virtual environment with the packages that a list names.
struct Environment {
    folder: PathBuf,
}

impl Environment {
    fn new(name: &str, list: &str) -> Result<Self> {
        let python = python()?;
        let folder = root().join("target").join(name);
        let environment = Self { folder };
        if !environment.program("python").is_file() {
            quietly(Command::new(python).args(["-m", "venv"]).arg(&environment.folder))
                .context("no virtual environment could be made (Debian has it as python3-venv)")?;
        }
        let list = root().join("crates/python").join(list);
        let wanted = std::fs::read_to_string(&list)?;
        let mark = environment.folder.join("installed.txt");
        if std::fs::read_to_string(&mark).ok().as_ref() != Some(&wanted) {
            process::run(environment.pip().arg("--requirement").arg(&list))
                .context("packages could not be installed")?;
            std::fs::write(&mark, &wanted)?;
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

    /// Builds the wheel in the profile of the other tests, from what they have built already, and installs it.
    fn install_wheel(&self) -> Result<()> {
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
        let wheel = std::fs::read_dir(&wheels)?.next().context("maturin made no wheel")??.path();
        process::run(self.pip().args(["--force-reinstall", "--no-deps"]).arg(wheel))
    }

    fn pytest(&self, arguments: &[&str]) -> Result<()> {
        let mut pytest = Command::new(self.program("python"));
        pytest.args(["-m", "pytest", "--quiet"]).args(arguments).current_dir(root().join("crates/python"));
        // The program that the wheel is held against.
        pytest.env("PROBARE_PROGRAM", program());
        process::run(&mut pytest)
    }
}

fn program() -> PathBuf {
    root().join("target/debug").join(if cfg!(windows) { "probare.exe" } else { "probare" })
}

/// An interpreter that is new enough.
fn python() -> Result<&'static str> {
    let mut seen = None;
    for name in ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"] {
        let told = Command::new(name)
            .args(["-c", "import sys; print(*sys.version_info[:2])"])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let Ok(told) = told else { continue };
        let text = String::from_utf8_lossy(&told.stdout);
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
fn quietly(command: &mut Command) -> Result<()> {
    let told =
        command.output().with_context(|| format!("cannot start {}", Path::new(command.get_program()).display()))?;
    if !told.status.success() {
        bail!("{}{}", String::from_utf8_lossy(&told.stdout).trim(), String::from_utf8_lossy(&told.stderr).trim());
    }
    Ok(())
}
