//! [`Sandbox`]: runs programs, after it has shown that it holds.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use probare_core::{Program, Ran, SandboxUsed};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::cgroup::Parents;
use crate::environment::{Environment, Interpreter, find};
use crate::launch::{Terms, Tools};
use crate::probe::{Probe, probes};
use crate::supervise::{Memory, Supervisor};
use crate::{Choice, Level, Limits, SandboxError, bare, launch};

/// Runs programs. Opened once for a run; any number of threads may use it.
pub struct Sandbox {
    engine: Engine,
    level: Level,
    probes: Vec<Probe>,
    limits: Limits,
    interpreters: Mutex<BTreeMap<String, Interpreter>>,
}

/// What runs a program.
pub(crate) struct Engine {
    means: Means,
    interpreter: Interpreter,
    interrupted: Arc<AtomicBool>,
}

enum Means {
    Bubblewrap { tools: Tools, version: String, parents: Option<Parents>, is_root: bool },
    Nothing,
}

impl Sandbox {
    /// Finds the means and tries to break every guarantee. Refused where the level `ns` is not reached, unless the user
    /// chose to have no sandbox. `interrupted` ends programs under way.
    pub fn open(choice: Choice, limits: Limits, interrupted: Arc<AtomicBool>) -> Result<Self, SandboxError> {
        // What we inherited from whoever started us is none of a program's business.
        close_fds::CloseFdsBuilder::new().threadsafe(true).cloexecfrom(3);
        let opened = |engine, level, probes| Self { engine, level, probes, limits, interpreters: Mutex::default() };
        let none = Interpreter {
            python: PathBuf::from("python3"),
            version: String::new(),
            folders: Vec::new(),
            variables: BTreeMap::new(),
        };
        if choice == Choice::None {
            let engine = Engine { means: Means::Nothing, interpreter: none, interrupted };
            return Ok(opened(engine, Level::None, Vec::new()));
        }
        let bubblewrap = find("bwrap").ok_or(SandboxError::NoBubblewrap)?;
        let version = version(&bubblewrap)?;
        let is_root = rustix::process::geteuid().is_root();
        let tools = Tools { bubblewrap, setpriv: find("setpriv") };
        if is_root && tools.setpriv.is_none() {
            return Err(SandboxError::NoProgram { program: "setpriv", purpose: "give up the rights of root" });
        }
        let means = |parents| Means::Bubblewrap { tools: tools.clone(), version: version.clone(), parents, is_root };
        if let Some(parents) = Parents::find() {
            let engine = Engine {
                means: means(Some(parents)),
                interpreter: none.clone(),
                interrupted: Arc::clone(&interrupted),
            };
            // Where groups can be made and do not hold, the supervisor looks at memory instead.
            if let Ok(probes) = probes(&engine)
                && probes.iter().all(Probe::holds)
            {
                return Ok(opened(engine, Level::Full, probes));
            }
        }
        let engine = Engine { means: means(None), interpreter: none, interrupted };
        let probes = probes(&engine)?;
        let broken: Vec<String> = probes
            .iter()
            .filter_map(|probe| probe.broken.as_ref().map(|broken| format!("{}: {broken}", probe.guarantee)))
            .collect();
        if !broken.is_empty() {
            return Err(SandboxError::Broken { broken });
        }
        Ok(opened(engine, Level::Ns, probes))
    }

    /// How far programs are shut in.
    pub const fn level(&self) -> Level {
        self.level
    }

    /// What the self-test tried.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// By which means, in a few words.
    pub fn by(&self) -> String {
        match &self.engine.means {
            Means::Bubblewrap { version, .. } => version.clone(),
            Means::Nothing => "nothing".to_owned(),
        }
    }

    /// What a manifest says about it.
    pub fn used(&self) -> SandboxUsed {
        let known = self.interpreters.lock().unwrap_or_else(PoisonError::into_inner);
        let interpreters = known.iter().map(|(name, found)| {
            let name = if name.is_empty() { "python3" } else { name };
            (name.to_owned(), found.version.clone())
        });
        SandboxUsed { level: self.level.name().to_owned(), by: self.by(), interpreters: interpreters.collect() }
    }

    /// The interpreter of an environment, found once.
    pub fn interpreter(&self, environment: &str) -> Result<Interpreter, SandboxError> {
        let mut known = self.interpreters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(environment) {
            return Ok(found.clone());
        }
        let found = Environment::parse(environment)?.resolve()?;
        known.insert(environment.to_owned(), found.clone());
        Ok(found)
    }

    /// Runs a program to its end. An error is the sandbox's own; what the program does is in the result.
    pub fn run(&self, program: &Program) -> Result<Ran, SandboxError> {
        let interpreter = self.interpreter(&program.environment)?;
        self.engine.run_with(program, &self.limits, &interpreter)
    }
}

impl Engine {
    /// A folder that the self-test may see.
    pub(crate) fn shown(&self) -> &Path {
        &self.interpreter.python
    }

    /// Runs a program that needs no Python.
    pub(crate) fn run(&self, program: &Program, limits: &Limits) -> Result<Ran, SandboxError> {
        self.run_with(program, limits, &self.interpreter)
    }

    fn run_with(&self, program: &Program, limits: &Limits, interpreter: &Interpreter) -> Result<Ran, SandboxError> {
        let preparing = || SandboxError::system("prepare a sandbox");
        let (report, theirs) = pipe_with(PipeFlags::CLOEXEC).map_err(std::io::Error::from).map_err(preparing())?;
        let most = limits.output_bytes;
        match &self.means {
            Means::Bubblewrap { tools, parents, is_root, .. } => {
                let bytes = u64::from(program.mebibytes) << 20;
                let groups = parents
                    .as_ref()
                    .map(|parents| parents.make(bytes, limits.processes))
                    .transpose()
                    .map_err(SandboxError::system("make a control group"))?;
                let terms = Terms { tools, limits, interpreter, is_root: *is_root };
                let mut command = launch::command(program, &terms, groups.as_ref(), theirs)?;
                let child = command.spawn().map_err(SandboxError::system("start bubblewrap"))?;
                // Its copy of the report would keep it open for ever.
                drop(command);
                let memory = match groups {
                    Some(groups) => Memory::Kernel(groups),
                    None => Memory::Watched { kibibytes: bytes / 1024 },
                };
                Supervisor::new(child, report, most, memory, &self.interrupted, false)?.run(program)
            }
            Means::Nothing => {
                let (mut command, folder) = bare::command(program, limits, interpreter, theirs)?;
                let child = command.spawn().map_err(SandboxError::system("start a program"))?;
                drop(command);
                let ran =
                    Supervisor::new(child, report, most, Memory::Unlimited, &self.interrupted, true)?.run(program);
                drop(folder);
                ran
            }
        }
    }
}

/// What bubblewrap says about itself.
fn version(bubblewrap: &Path) -> Result<String, SandboxError> {
    let known = std::fs::metadata(bubblewrap).map_err(SandboxError::system("look at bubblewrap"))?;
    let output =
        Command::new(bubblewrap).arg("--version").output().map_err(SandboxError::system("start bubblewrap"))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    // One that runs as root for everybody has other rules, and needs none of our namespaces for users.
    if known.uid() == 0 && known.mode() & 0o4000 != 0 {
        let broken = vec!["bubblewrap is installed to run as root for every user (setuid)".to_owned()];
        return Err(SandboxError::Broken { broken });
    }
    Ok(version)
}
