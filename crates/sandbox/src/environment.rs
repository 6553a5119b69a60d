//! [`PythonEnvironment`]: which Python a program runs with. [`Interpreter`]: the same, found: the folders that it needs are shown
//! to the sandbox at their own paths, so that messages and paths of the program are those of the real one.
//!
//! `conda run` is never used: it needs a home folder and starts a second interpreter; the prefix of the environment is
//! looked up once and its own `python` is started.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use probare_files::{HostProgram, find_program};
use serde::Deserialize;

/// How long an interpreter, conda or uv may take to say who it is.
const QUERY_TIMEOUT: Duration = Duration::from_secs(30);

/// How long packages may take to be installed.
const INSTALL_TIMEOUT: Duration = Duration::from_hours(1);

/// Lines of a program's complaint that are passed on.
const MOST_LINES: usize = 4;

/// What an interpreter is asked about itself.
const INTERPRETER_QUERY: &str = "import sys, json; print(json.dumps({'executable': sys.executable, 'prefix': sys.prefix, \
                        'base_prefix': sys.base_prefix, 'version': sys.version.split()[0]}))";

/// Which Python a program runs with.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PythonEnvironment {
    /// `python3` of the machine.
    #[default]
    Machine,
    /// An environment of conda, by its name.
    Conda(String),
    /// A virtual environment, by its folder.
    Virtual(PathBuf),
    /// An interpreter.
    Python(PathBuf),
}

/// An interpreter that is ready to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// The program.
    pub python: PathBuf,
    pub version: String,
    /// Folders that it needs beside the system's own.
    pub folders: Vec<PathBuf>,
    /// Variables that belong to it.
    pub variables: BTreeMap<String, String>,
}

/// An environment that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedEnvironment {
    pub folder: PathBuf,
    /// Its interpreter.
    pub python: PathBuf,
    pub version: String,
}

/// What an environment holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentSummary {
    /// Its interpreter.
    pub python: PathBuf,
    pub version: String,
    /// Packages that are installed.
    pub packages: usize,
}

/// An environment cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct EnvironmentError(String);

impl EnvironmentError {
    fn not_installed(program: &str, remedy: &str) -> Self {
        Self(format!("`{program}` is not installed; {remedy}"))
    }

    fn failed(program: &str, reason: &str) -> Self {
        Self(format!("`{program}` failed: {reason}"))
    }
}

impl fmt::Display for PythonEnvironment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Machine => formatter.write_str("python3"),
            Self::Conda(name) => write!(formatter, "conda:{name}"),
            Self::Virtual(folder) => write!(formatter, "venv:{}", folder.display()),
            Self::Python(path) => write!(formatter, "python:{}", path.display()),
        }
    }
}

#[derive(Deserialize)]
struct InterpreterReport {
    executable: String,
    prefix: PathBuf,
    base_prefix: PathBuf,
    version: String,
}

impl PythonEnvironment {
    /// Reads `conda:NAME`, `venv:FOLDER` or `python:PATH`; nothing is the machine's own.
    pub fn parse(text: &str) -> Result<Self, EnvironmentError> {
        let text = text.trim();
        if text.is_empty() || text == "python3" {
            return Ok(Self::Machine);
        }
        match text.split_once(':') {
            Some(("conda", name)) if !name.is_empty() => Ok(Self::Conda(name.to_owned())),
            Some(("venv", folder)) if !folder.is_empty() => Ok(Self::Virtual(PathBuf::from(folder))),
            Some(("python", path)) if !path.is_empty() => Ok(Self::Python(PathBuf::from(path))),
            _ => Err(EnvironmentError(format!(
                "`{text}` is not an environment; write `conda:NAME`, `venv:FOLDER` or `python:PATH`"
            ))),
        }
    }

    /// Finds the interpreter and asks it where it lives.
    pub fn resolve(&self) -> Result<Interpreter, EnvironmentError> {
        match self {
            Self::Machine => {
                let python = find_program("python3").ok_or_else(|| {
                    EnvironmentError::not_installed("python3", "install Python 3 from your system's packages")
                })?;
                query_interpreter(&python, None)
            }
            Self::Python(path) => query_interpreter(path, None),
            Self::Virtual(folder) => {
                let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
                let python = folder.join("bin/python");
                if !python.is_file() {
                    return Err(EnvironmentError(format!(
                        "`{}` is not a virtual environment: it has no bin/python",
                        folder.display()
                    )));
                }
                let mut found = query_interpreter(&python, None)?;
                found.variables.insert("VIRTUAL_ENV".to_owned(), folder.display().to_string());
                Ok(found)
            }
            Self::Conda(name) => {
                let prefix = conda_prefix(name)?;
                let mut found = query_interpreter(&prefix.join("bin/python"), Some(&prefix))?;
                found.variables.insert("CONDA_PREFIX".to_owned(), prefix.display().to_string());
                found.variables.insert("CONDA_DEFAULT_ENV".to_owned(), name.clone());
                Ok(found)
            }
        }
    }
}

/// Asks an interpreter where it lives.
fn query_interpreter(python: &Path, prefix: Option<&Path>) -> Result<Interpreter, EnvironmentError> {
    let text =
        command_output(HostProgram::from_path(python).command().args(["-I", "-c", INTERPRETER_QUERY]), QUERY_TIMEOUT)?;
    let told: InterpreterReport = serde_json::from_str(text.trim())
        .map_err(|error| EnvironmentError::failed(&python.display().to_string(), &error.to_string()))?;
    let python = PathBuf::from(told.executable);
    let mut folders: Vec<PathBuf> = Vec::new();
    // A link in `bin` may lead to an interpreter that lives elsewhere.
    let real = python.canonicalize().unwrap_or_else(|_| python.clone());
    let home = real.parent().and_then(Path::parent).map(Path::to_owned);
    let wanted = [prefix.map(Path::to_owned), Some(told.prefix), Some(told.base_prefix), home];
    for folder in wanted.into_iter().flatten() {
        if is_system(&folder) || folders.contains(&folder) {
            continue;
        }
        if folder.components().count() < 3 || env::home_dir().is_some_and(|home| home.starts_with(&folder)) {
            return Err(EnvironmentError(format!(
                "the interpreter `{}` has the prefix `{}`, which would show the sandbox far more than Python",
                python.display(),
                folder.display()
            )));
        }
        folders.push(folder);
    }
    Ok(Interpreter { python, version: told.version, folders, variables: BTreeMap::new() })
}

/// Whether a folder is shown to every sandbox.
fn is_system(folder: &Path) -> bool {
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store"].iter().any(|system| folder.starts_with(system))
}

/// The prefix of an environment of conda. The name has to be the whole name: `dry` is not `dryexp`.
fn conda_prefix(name: &str) -> Result<PathBuf, EnvironmentError> {
    #[derive(Deserialize)]
    struct CondaEnvironments {
        envs: Vec<PathBuf>,
        #[serde(default)]
        root_prefix: Option<PathBuf>,
    }
    let conda =
        env::var_os("CONDA_EXE").map(PathBuf::from).filter(|path| path.is_file()).or_else(|| find_program("conda"));
    let conda = conda.ok_or_else(|| {
        let remedy = "install Miniforge, or use a virtual environment: `probare sgi env create`";
        EnvironmentError::not_installed("conda", remedy)
    })?;
    let text = command_output(HostProgram::from_path(&conda).command().args(["env", "list", "--json"]), QUERY_TIMEOUT)?;
    let wrong = |error: serde_json::Error| {
        let reason = format!("`env list --json` cannot be read: {error}");
        EnvironmentError::failed(&conda.display().to_string(), &reason)
    };
    let listed: CondaEnvironments = serde_json::from_str(&text).map_err(wrong)?;
    // The first folder that is listed is conda's own where nothing else says so.
    let root = listed.root_prefix.or_else(|| listed.envs.first().cloned());
    let named = |prefix: &Path| match &root {
        Some(root) if root == prefix => "base".to_owned(),
        _ => prefix.file_name().unwrap_or(OsStr::new("")).to_string_lossy().into_owned(),
    };
    let found = listed.envs.iter().find(|prefix| named(prefix) == name);
    found.cloned().ok_or_else(|| {
        let known = listed.envs.iter().map(|prefix| named(prefix)).collect::<Vec<_>>().join(", ");
        EnvironmentError(format!("conda has no environment `{name}`; there are: {known}"))
    })
}

/// Makes a virtual environment with uv, unless there is one in the folder, and installs what a file of requirements lists.
pub fn create(
    folder: &Path,
    requirements: Option<&Path>,
    python: Option<&str>,
) -> Result<CreatedEnvironment, EnvironmentError> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (folder, requirements) = (&*absolute(folder), requirements.map(absolute));
    let uv = find_program("uv").ok_or_else(|| {
        let remedy = "install it with `pip install uv`, or see https://docs.astral.sh/uv";
        EnvironmentError::not_installed("uv", remedy)
    })?;
    if !folder.join("bin/python").is_file() {
        let mut make = HostProgram::from_path(&uv).command();
        make.arg("venv").arg(folder);
        if let Some(python) = python {
            make.args(["--python", python]);
        }
        command_output(&mut make, INSTALL_TIMEOUT)?;
    }
    let interpreter = PythonEnvironment::Virtual(folder.to_owned()).resolve()?;
    if let Some(requirements) = requirements {
        let mut install = HostProgram::from_path(&uv).command();
        install.args(["pip", "install", "--python"]).arg(folder.join("bin/python")).arg("-r").arg(requirements);
        command_output(&mut install, INSTALL_TIMEOUT)?;
    }
    Ok(CreatedEnvironment {
        folder: folder.to_owned(),
        python: folder.join("bin/python"),
        version: interpreter.version,
    })
}

/// What an environment holds.
pub fn describe(text: &str) -> Result<EnvironmentSummary, EnvironmentError> {
    const COUNT: &str = "import importlib.metadata as m; print(len({d.name for d in m.distributions()}))";
    let interpreter = PythonEnvironment::parse(text)?.resolve()?;
    let counted =
        command_output(HostProgram::from_path(&interpreter.python).command().args(["-I", "-c", COUNT]), QUERY_TIMEOUT)?;
    let packages = counted.trim().parse().unwrap_or(0);
    Ok(EnvironmentSummary { python: interpreter.python, version: interpreter.version, packages })
}

/// What a program prints; an error where it does not end well and in time.
fn command_output(command: &mut Command, timeout: Duration) -> Result<String, EnvironmentError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |reason: String| EnvironmentError::failed(&program, &reason);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| failed(error.to_string()))?;
    let read = |from: Option<Box<dyn Read + Send>>| {
        thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(mut from) = from {
                // What cannot be read is missing from a message, nothing else.
                let _ = from.read_to_end(&mut text);
            }
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let output = read(child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let errors = read(child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| failed(error.to_string()))? {
            break status;
        }
        if start.elapsed() > timeout {
            let _ = child.kill();
            let _ = child.wait();
            return Err(failed(format!("it did not answer within {} seconds", timeout.as_secs())));
        }
        thread::sleep(Duration::from_millis(2));
    };
    let (output, errors) = (output.join().unwrap_or_default(), errors.join().unwrap_or_default());
    if status.success() {
        return Ok(output);
    }
    let lines: Vec<&str> = errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(MOST_LINES)..].join("; ");
    Err(failed(if last.is_empty() { status.to_string() } else { last }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_named_by_its_kind() {
        assert_eq!(PythonEnvironment::parse("").unwrap(), PythonEnvironment::Machine);
        for text in ["conda:dryexp", "venv:/a/b", "python:/usr/bin/python3"] {
            assert_eq!(PythonEnvironment::parse(text).unwrap().to_string(), text);
        }
        for text in ["conda:", "dryexp", "docker:x"] {
            assert!(
                PythonEnvironment::parse(text).unwrap_err().to_string().contains("is not an environment"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_virtual_environment_that_is_none_is_named() {
        let error = PythonEnvironment::Virtual("/no/such".into()).resolve().unwrap_err();
        assert_eq!(error.to_string(), "`/no/such` is not a virtual environment: it has no bin/python");
    }
}
