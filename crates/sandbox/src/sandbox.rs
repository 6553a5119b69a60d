//! [`Sandbox`]: runs programs, after it has shown that it holds.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use probare_core::{Program, Ran, SandboxUsed, Step};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::cgroup::Parents;
use crate::environment::{Environment, Interpreter, find};
use crate::launch::{Talk, Terms, Tools};
use crate::places::{Places, SCRATCH};
use crate::probe::{Probe, probes};
use crate::supervise::{Files, Memory, Orders, Supervisor};
use crate::{Choice, Level, Limits, SandboxError, bare, folder, launch};

/// What an interpreter has to do inside before it is believed to work there.
const PROOF: &str = "import ast, base64, json, os, sys, threading; print('proved', sys.version.split()[0])";

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
    Bubblewrap { tools: Tools, places: Places, version: String, parents: Option<Parents>, is_root: bool },
    Nothing,
}

/// A program under way, and the folder that goes with it.
struct Started<'a> {
    supervisor: Supervisor<'a>,
    folder: Option<tempfile::TempDir>,
}

impl Started<'_> {
    fn run(self, program: &Program) -> Result<Ran, SandboxError> {
        let ran = self.supervisor.run(program);
        drop(self.folder);
        ran
    }
}

impl Sandbox {
    /// Finds the means and tries to break every guarantee. Refused where the level `ns` is not reached, unless the user
    /// chose to have no sandbox. `interrupted` ends programs under way.
    pub fn open(choice: Choice, limits: Limits, interrupted: Arc<AtomicBool>) -> Result<Self, SandboxError> {
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
        let places = Places::find();
        let means = |parents| Means::Bubblewrap {
            tools: tools.clone(),
            places: places.clone(),
            version: version.clone(),
            parents,
            is_root,
        };
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
        SandboxUsed {
            level: self.level.name().to_owned(),
            by: self.by(),
            interpreters: interpreters.collect(),
            not_held: self.level.not_held().iter().map(|&words| words.to_owned()).collect(),
        }
    }

    /// The interpreter of an environment, found once and proved to work inside.
    pub fn interpreter(&self, environment: &str) -> Result<Interpreter, SandboxError> {
        let mut known = self.interpreters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(environment) {
            return Ok(found.clone());
        }
        let found = Environment::parse(environment)?.resolve()?;
        if self.level != Level::None {
            for shown in &found.folders {
                folder::check(shown, None)?;
            }
        }
        self.prove(environment, &found)?;
        known.insert(environment.to_owned(), found.clone());
        Ok(found)
    }

    /// Runs a program to its end. An error is the sandbox's own; what the program does is in the result.
    pub fn run(&self, program: &Program) -> Result<Ran, SandboxError> {
        let interpreter = self.interpreter(&program.environment)?;
        match &program.under_test {
            None => self.engine.run_with(program, &self.limits, &interpreter),
            Some(under_test) => {
                let theirs = self.interpreter(&under_test.environment)?;
                self.engine.run_both((program, &interpreter), (under_test, &theirs), &self.limits)
            }
        }
    }

    /// Runs a program that needs no Python, such as a converter of files.
    pub fn run_plain(&self, program: &Program) -> Result<Ran, SandboxError> {
        self.engine.run(program, &self.limits)
    }

    /// Starts an interpreter inside: what fails there later is a program's own failure.
    fn prove(&self, environment: &str, interpreter: &Interpreter) -> Result<(), SandboxError> {
        let program =
            Program { steps: vec![Step::new(&["python3", "-c", PROOF], 60)], mebibytes: 512, ..Program::default() };
        let unproved = |reason: String| SandboxError::Unproved {
            environment: if environment.is_empty() { "python3".to_owned() } else { environment.to_owned() },
            python: interpreter.python.display().to_string(),
            reason,
        };
        let ran = self.engine.run_with(&program, &self.limits, interpreter).map_err(|error| match error {
            SandboxError::Died { reason } => unproved(reason),
            error => error,
        })?;
        let Some(step) = ran.steps.first() else { return Err(unproved("it was not started".to_owned())) };
        if step.is_fine() && step.output.trim() == format!("proved {}", interpreter.version) {
            return Ok(());
        }
        let words = step.errors.trim().lines().last().unwrap_or_default();
        Err(unproved(match step.code {
            _ if !words.is_empty() => words.to_owned(),
            Some(code) => format!("it ended with code {code} and printed `{}`", step.output.trim()),
            None => format!("it was ended ({:?})", step.end),
        }))
    }
}

impl Engine {
    /// A folder that the self-test may see.
    pub(crate) fn shown(&self) -> &Path {
        &self.interpreter.python
    }

    /// Where the inputs of steps lie inside.
    pub(crate) fn inputs(&self) -> String {
        match &self.means {
            Means::Bubblewrap { places, .. } => places.inputs(),
            Means::Nothing => String::new(),
        }
    }

    /// Runs a program that needs no Python.
    pub(crate) fn run(&self, program: &Program, limits: &Limits) -> Result<Ran, SandboxError> {
        self.run_with(program, limits, &self.interpreter)
    }

    fn run_with(&self, program: &Program, limits: &Limits, interpreter: &Interpreter) -> Result<Ran, SandboxError> {
        self.start((program, interpreter), limits, None, None)?.run(program)
    }

    /// Runs a program and the one under test at the same time, in sandboxes that share nothing but a pipe each way.
    fn run_both(
        &self,
        first: (&Program, &Interpreter),
        under_test: (&Program, &Interpreter),
        limits: &Limits,
    ) -> Result<Ran, SandboxError> {
        let (from_first, to_second) = pipe()?;
        let (from_second, to_first) = pipe()?;
        let is_over = AtomicBool::new(false);
        let talk = Talk { from: from_first, to: to_first };
        let second = self.start(under_test, limits, Some(talk), Some(&is_over))?;
        let talk = Talk { from: from_second, to: to_second };
        let started = self.start(first, limits, Some(talk), None)?;
        thread::scope(|scope| {
            let thread = scope.spawn(|| second.run(under_test.0));
            let ran = started.run(first.0);
            is_over.store(true, Ordering::Relaxed);
            let theirs =
                thread.join().map_err(|_| SandboxError::Died { reason: "its supervisor stopped".to_owned() })?;
            let (mut ran, theirs) = (ran?, theirs?);
            ran.under_test = Some(Box::new(theirs));
            Ok(ran)
        })
    }

    fn start<'a>(
        &'a self,
        (program, interpreter): (&Program, &Interpreter),
        limits: &'a Limits,
        talk: Option<Talk>,
        enough: Option<&'a AtomicBool>,
    ) -> Result<Started<'a>, SandboxError> {
        // Whatever is open here, by us or by whoever started us, is none of a program's business.
        close_fds::CloseFdsBuilder::new().threadsafe(true).cloexecfrom(3);
        let (report, theirs) = pipe()?;
        let orders = Orders { interrupted: &self.interrupted, enough };
        match &self.means {
            Means::Bubblewrap { tools, places, parents, is_root, .. } => {
                let bytes = u64::from(program.mebibytes) << 20;
                let groups = parents
                    .as_ref()
                    .map(|parents| parents.make(bytes, limits.processes))
                    .transpose()
                    .map_err(SandboxError::system("make a control group"))?;
                let terms = Terms { tools, limits, interpreter, places, is_root: *is_root };
                let mut command = launch::command(program, &terms, groups.as_ref(), theirs, talk)?;
                let child = command.spawn().map_err(SandboxError::system("start bubblewrap"))?;
                // Its copies of the pipes would keep them open for ever.
                drop(command);
                let memory = match groups {
                    Some(groups) => Memory::Kernel(groups),
                    None => Memory::Watched { kibibytes: bytes / 1024 },
                };
                let writable = std::iter::once(places.work()).chain(SCRATCH.map(str::to_owned));
                let files = Files { places: writable.collect(), view: None };
                let supervisor = Supervisor::new(child, report, limits, memory, files, orders)?;
                Ok(Started { supervisor, folder: None })
            }
            Means::Nothing => {
                let (mut command, folder) = bare::command(program, limits, interpreter, theirs, talk)?;
                let child = command.spawn().map_err(SandboxError::system("start a program"))?;
                drop(command);
                let supervisor = Supervisor::new(child, report, limits, Memory::Unlimited, Files::default(), orders)?;
                Ok(Started { supervisor, folder: Some(folder) })
            }
        }
    }
}

/// A pipe that no other program inherits: the end to read from, the end to write to.
fn pipe() -> Result<(OwnedFd, OwnedFd), SandboxError> {
    pipe_with(PipeFlags::CLOEXEC).map_err(std::io::Error::from).map_err(SandboxError::system("prepare a sandbox"))
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
