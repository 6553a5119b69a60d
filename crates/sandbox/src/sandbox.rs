//! [`Sandbox`]: runs programs, after it has shown that it holds.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use probare_core::{Program, ProgramResult, ProgramStep, SandboxRecord};
use probare_files::{HostProgram, find_program};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::cgroup::CgroupParents;
use crate::environment::{Interpreter, PythonEnvironment};
use crate::launch::{LaunchContext, PipePair, SandboxTools};
use crate::live::{LiveCommand, LiveLimits, LiveProgram};
use crate::probe::{Probe, probes};
use crate::sandbox_paths::{SCRATCH, SandboxPaths};
use crate::script::resolve_python;
use crate::supervisor::{FileWatch, MemoryLimit, StopSignals, Supervisor};
use crate::{IsolationLevel, SandboxChoice, SandboxError, SandboxLimits, folder, launch, unsandboxed};

/// What an interpreter has to do inside before it is believed to work there.
const VERIFY_SCRIPT: &str = "import ast, base64, json, os, sys, threading; print('proved', sys.version.split()[0])";

/// Runs programs. Opened once for a run; any number of threads may use it.
pub struct Sandbox {
    engine: Engine,
    level: IsolationLevel,
    probes: Vec<Probe>,
    limits: SandboxLimits,
    interpreters: Mutex<BTreeMap<String, Interpreter>>,
}

/// What runs a program.
pub(crate) struct Engine {
    means: IsolationBackend,
    interpreter: Interpreter,
    interrupted: Arc<AtomicBool>,
}

enum IsolationBackend {
    Bubblewrap {
        tools: SandboxTools,
        places: SandboxPaths,
        version: String,
        parents: Option<CgroupParents>,
        is_root: bool,
    },
    Unsandboxed,
}

/// A program under way, and the folder that goes with it.
struct RunningProgram<'a> {
    supervisor: Supervisor<'a>,
    folder: Option<tempfile::TempDir>,
}

impl RunningProgram<'_> {
    fn run(self, program: &Program) -> Result<ProgramResult, SandboxError> {
        let ran = self.supervisor.run(program);
        drop(self.folder);
        ran
    }
}

impl Sandbox {
    /// Finds the means and tries to break every guarantee. Refused where the level `ns` is not reached, unless the user
    /// chose to have no sandbox. `interrupted` ends programs under way.
    pub fn open(
        choice: SandboxChoice,
        limits: SandboxLimits,
        interrupted: Arc<AtomicBool>,
    ) -> Result<Self, SandboxError> {
        let opened = |engine, level, probes| Self { engine, level, probes, limits, interpreters: Mutex::default() };
        let none = Interpreter {
            python: PathBuf::from("python3"),
            version: String::new(),
            folders: Vec::new(),
            variables: BTreeMap::new(),
        };
        if choice == SandboxChoice::None {
            let engine = Engine { means: IsolationBackend::Unsandboxed, interpreter: none, interrupted };
            return Ok(opened(engine, IsolationLevel::None, Vec::new()));
        }
        let bubblewrap = find_program("bwrap").ok_or(SandboxError::NoBubblewrap)?;
        let version = version(&bubblewrap)?;
        let is_root = rustix::process::geteuid().is_root();
        let tools = SandboxTools { bubblewrap, setpriv: find_program("setpriv") };
        if is_root && tools.setpriv.is_none() {
            return Err(SandboxError::NoProgram { program: "setpriv", purpose: "give up the rights of root" });
        }
        let places = SandboxPaths::find_free();
        let means = |parents| IsolationBackend::Bubblewrap {
            tools: tools.clone(),
            places: places.clone(),
            version: version.clone(),
            parents,
            is_root,
        };
        if let Some(parents) = CgroupParents::find() {
            let engine = Engine {
                means: means(Some(parents)),
                interpreter: none.clone(),
                interrupted: Arc::clone(&interrupted),
            };
            // Where groups can be made and do not hold, the supervisor looks at memory instead.
            if let Ok(probes) = probes(&engine)
                && probes.iter().all(Probe::holds)
            {
                return Ok(opened(engine, IsolationLevel::Full, probes));
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
        Ok(opened(engine, IsolationLevel::Ns, probes))
    }

    /// How far programs are shut in.
    pub const fn level(&self) -> IsolationLevel {
        self.level
    }

    /// What the self-test tried.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// By which means, in a few words.
    pub fn description(&self) -> String {
        match &self.engine.means {
            IsolationBackend::Bubblewrap { version, .. } => version.clone(),
            IsolationBackend::Unsandboxed => "nothing".to_owned(),
        }
    }

    /// What a manifest says about it.
    pub fn record(&self) -> SandboxRecord {
        let known = self.interpreters.lock().unwrap_or_else(PoisonError::into_inner);
        let interpreters = known.iter().map(|(name, found)| {
            let name = if name.is_empty() { "python3" } else { name };
            (name.to_owned(), found.version.clone())
        });
        SandboxRecord {
            level: self.level.name().to_owned(),
            by: self.description(),
            interpreters: interpreters.collect(),
            not_held: self.level.unprotected().iter().map(|&words| words.to_owned()).collect(),
        }
    }

    /// The interpreter of an environment, found once and proved to work inside.
    pub fn interpreter(&self, environment: &str) -> Result<Interpreter, SandboxError> {
        let mut known = self.interpreters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(environment) {
            return Ok(found.clone());
        }
        let found = PythonEnvironment::parse(environment)?.resolve()?;
        if self.level != IsolationLevel::None {
            for shown in &found.folders {
                folder::check_folder(shown, None)?;
            }
        }
        self.verify_interpreter(environment, &found)?;
        known.insert(environment.to_owned(), found.clone());
        Ok(found)
    }

    /// Runs a program to its end. An error is the sandbox's own; what the program does is in the result.
    pub fn run(&self, program: &Program) -> Result<ProgramResult, SandboxError> {
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
    pub fn run_plain(&self, program: &Program) -> Result<ProgramResult, SandboxError> {
        self.engine.run(program, &self.limits)
    }

    /// The command that starts a program with which the caller talks while it runs. It is the caller who limits its time.
    pub fn live_command(&self, program: &LiveProgram) -> Result<LiveCommand, SandboxError> {
        let is_python = program.command.first().is_some_and(|part| matches!(part.as_str(), "python3" | "python"));
        let interpreter = if is_python { self.interpreter("")? } else { self.engine.interpreter.clone() };
        self.engine.live_command(program, &self.limits, &interpreter)
    }

    /// Starts an interpreter inside: what fails there later is a program's own failure.
    fn verify_interpreter(&self, environment: &str, interpreter: &Interpreter) -> Result<(), SandboxError> {
        let program = Program {
            steps: vec![ProgramStep::new(&["python3", "-c", VERIFY_SCRIPT], 60)],
            mebibytes: 512,
            ..Program::default()
        };
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
    pub(crate) fn visible_path(&self) -> &Path {
        &self.interpreter.python
    }

    /// Where the inputs of steps lie inside.
    pub(crate) fn inputs(&self) -> String {
        match &self.means {
            IsolationBackend::Bubblewrap { places, .. } => places.inputs(),
            IsolationBackend::Unsandboxed => String::new(),
        }
    }

    /// Runs a program that needs no Python.
    pub(crate) fn run(&self, program: &Program, limits: &SandboxLimits) -> Result<ProgramResult, SandboxError> {
        self.run_with(program, limits, &self.interpreter)
    }

    fn live_command(
        &self,
        program: &LiveProgram,
        limits: &SandboxLimits,
        interpreter: &Interpreter,
    ) -> Result<LiveCommand, SandboxError> {
        let IsolationBackend::Bubblewrap { tools, places, parents, is_root, .. } = &self.means else {
            let mut words =
                program.command.iter().map(|part| resolve_python(part, &interpreter.python.display().to_string()));
            let name = words.next().unwrap_or_default();
            let found = HostProgram::find(&name).unwrap_or_else(|| HostProgram::from_path(Path::new(&name)));
            let mut command = found.command();
            command.args(words).current_dir(&program.folder).envs(program.variables.clone());
            return Ok(LiveCommand { command, limits: LiveLimits(None) });
        };
        close_fds::CloseFdsBuilder::new().threadsafe(true).cloexecfrom(3);
        let groups = (parents.as_ref())
            .map(|parents| parents.create_groups(u64::from(program.mebibytes) << 20, limits.processes))
            .transpose()
            .map_err(SandboxError::system("make a control group"))?;
        let terms = LaunchContext { tools, limits, interpreter, places, is_root: *is_root };
        let command = launch::live_command(program, &terms, groups.as_ref())?;
        Ok(LiveCommand { command, limits: LiveLimits(groups) })
    }

    fn run_with(
        &self,
        program: &Program,
        limits: &SandboxLimits,
        interpreter: &Interpreter,
    ) -> Result<ProgramResult, SandboxError> {
        self.start((program, interpreter), limits, None, None)?.run(program)
    }

    /// Runs a program and the one under test at the same time, in sandboxes that share nothing but a pipe each way.
    fn run_both(
        &self,
        first: (&Program, &Interpreter),
        under_test: (&Program, &Interpreter),
        limits: &SandboxLimits,
    ) -> Result<ProgramResult, SandboxError> {
        let (from_first, to_second) = pipe()?;
        let (from_second, to_first) = pipe()?;
        let is_over = AtomicBool::new(false);
        let talk = PipePair { from: from_first, to: to_first };
        let second = self.start(under_test, limits, Some(talk), Some(&is_over))?;
        let talk = PipePair { from: from_second, to: to_second };
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
        limits: &'a SandboxLimits,
        talk: Option<PipePair>,
        enough: Option<&'a AtomicBool>,
    ) -> Result<RunningProgram<'a>, SandboxError> {
        // Whatever is open here, by us or by whoever started us, is none of a program's business.
        close_fds::CloseFdsBuilder::new().threadsafe(true).cloexecfrom(3);
        let (report, theirs) = pipe()?;
        let orders = StopSignals { interrupted: &self.interrupted, enough };
        match &self.means {
            IsolationBackend::Bubblewrap { tools, places, parents, is_root, .. } => {
                let bytes = u64::from(program.mebibytes) << 20;
                let groups = parents
                    .as_ref()
                    .map(|parents| parents.create_groups(bytes, limits.processes))
                    .transpose()
                    .map_err(SandboxError::system("make a control group"))?;
                let terms = LaunchContext { tools, limits, interpreter, places, is_root: *is_root };
                let mut command = launch::command(program, &terms, groups.as_ref(), theirs, talk)?;
                let child = command.spawn().map_err(SandboxError::system("start bubblewrap"))?;
                // Its copies of the pipes would keep them open for ever.
                drop(command);
                let memory = match groups {
                    Some(groups) => MemoryLimit::Kernel(groups),
                    None => MemoryLimit::Watched { kibibytes: bytes / 1024 },
                };
                let writable = std::iter::once(places.work()).chain(SCRATCH.map(str::to_owned));
                let files = FileWatch { places: writable.collect(), view: None };
                let supervisor = Supervisor::new(child, report, limits, memory, files, orders)?;
                Ok(RunningProgram { supervisor, folder: None })
            }
            IsolationBackend::Unsandboxed => {
                let (mut command, folder) = unsandboxed::command(program, limits, interpreter, theirs, talk)?;
                let child = command.spawn().map_err(SandboxError::system("start a program"))?;
                drop(command);
                let supervisor =
                    Supervisor::new(child, report, limits, MemoryLimit::Unlimited, FileWatch::default(), orders)?;
                Ok(RunningProgram { supervisor, folder: Some(folder) })
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
    let output = HostProgram::from_path(bubblewrap)
        .command()
        .arg("--version")
        .output()
        .map_err(SandboxError::system("start bubblewrap"))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    // One that runs as root for everybody has other rules, and needs none of our namespaces for users.
    if known.uid() == 0 && known.mode() & 0o4000 != 0 {
        let broken = vec!["bubblewrap is installed to run as root for every user (setuid)".to_owned()];
        return Err(SandboxError::Broken { broken });
    }
    Ok(version)
}
