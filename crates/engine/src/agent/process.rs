//! Programs of tools: how they are started, in the sandbox unless the user chose none, and what they may reach.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use probare_core::CodeSource;
use probare_sandbox::{LiveCommand, LiveLimits, LiveProgram, Sandbox, SandboxChoice, SandboxError, SandboxLimits};

use super::config::ToolEntry;
use crate::own_metrics::worker::{WorkerFault, WorkerProcess};

/// What a worker of a Python tool runs: one call, or its own description.
const PYTHON_TOOL: &str = include_str!("python_tool.py");

/// The argument with which such a worker describes itself.
pub(super) const DESCRIBE: &str = "--describe";

/// Starts programs of tools.
pub(super) struct Launcher {
    sandbox: Sandbox,
    /// To the thread that starts them: a program in the sandbox ends with the thread that started it, and the thread of a sample
    /// may be another one at its next step.
    starter: Mutex<mpsc::Sender<StartRequest>>,
}

/// A command, and who waits for its process.
type StartRequest = (Command, mpsc::Sender<Result<WorkerProcess, WorkerFault>>);

/// A program that runs. Its limits end with it.
pub(super) struct RunningTool {
    pub process: WorkerProcess,
    limits: LiveLimits,
}

impl RunningTool {
    /// What went wrong with it, in words.
    pub fn fault_reason(&mut self, fault: &WorkerFault, limit: Duration) -> String {
        match fault {
            WorkerFault::Ended(_) if self.limits.oom_kills() > 0 => "it used up its memory (`memory`)".to_owned(),
            WorkerFault::Start(reason) | WorkerFault::Ended(reason) => reason.clone(),
            WorkerFault::TimedOut => format!("no result within {} s", limit.as_secs_f64()),
            WorkerFault::TooLong => "it wrote more than a result may have".to_owned(),
            WorkerFault::Cancelled => "it was cancelled".to_owned(),
        }
    }
}

impl Launcher {
    /// Opens the sandbox.
    pub fn open(choice: SandboxChoice) -> Result<Self, SandboxError> {
        // Whoever talks with a program sees by itself when the run is ended.
        let sandbox = Sandbox::open(choice, SandboxLimits::default(), Arc::default())?;
        let (starter, requests) = mpsc::channel::<StartRequest>();
        thread::spawn(move || {
            for (command, waiting) in requests {
                // Whoever waits may have gone; the process goes with the answer then.
                let _ = waiting.send(WorkerProcess::start(command));
            }
        });
        Ok(Self { sandbox, starter: Mutex::new(starter) })
    }

    /// Starts the program of a tool in a folder.
    pub fn start(&self, tool: &ToolEntry, folder: &Path, arguments: &[&str]) -> Result<RunningTool, String> {
        let program = live_program(tool, folder, arguments)?;
        let told = |error: &dyn std::error::Error| match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        let LiveCommand { command, limits } = self.sandbox.live_command(&program).map_err(|error| told(&error))?;
        let (waiting, started) = mpsc::channel();
        let sent = self.starter.lock().unwrap_or_else(PoisonError::into_inner).send((command, waiting));
        let gone = || WorkerFault::Start("nothing is started any more".to_owned());
        let started = sent.map_err(|_| gone()).and_then(|()| started.recv().map_err(|_| gone())?);
        let process = started.map_err(|fault| match fault {
            WorkerFault::Start(reason) => reason,
            other => format!("{other:?}"),
        })?;
        Ok(RunningTool { process, limits })
    }
}

fn live_program(tool: &ToolEntry, folder: &Path, arguments: &[&str]) -> Result<LiveProgram, String> {
    let absolute = |file: &str| std::path::absolute(file).unwrap_or_else(|_| PathBuf::from(file));
    let mut command = Vec::new();
    let mut shown: Vec<PathBuf> = Vec::new();
    if let Some(reference) = &tool.python {
        let (file, name) = CodeSource::python_parts(reference).unwrap_or_default();
        let file = absolute(file);
        command.extend(["python3", "-I", "-c", PYTHON_TOOL].map(str::to_owned));
        command.extend([file.display().to_string(), name.to_owned()]);
        shown.push(file);
    } else {
        for (at, word) in tool.program().iter().enumerate() {
            let is_file = (at > 0 || word.contains('/')) && Path::new(word).is_file();
            command.push(if is_file { absolute(word).display().to_string() } else { word.clone() });
            if is_file {
                shown.push(absolute(word));
            }
        }
    }
    command.extend(arguments.iter().map(|&word| word.to_owned()));
    for file in &tool.files {
        let path = absolute(file);
        if !path.exists() {
            return Err(format!("`files` names `{file}`, which is not there"));
        }
        shown.push(path);
    }
    // What a system folder holds is there in any sandbox.
    shown.retain(|path| !path.starts_with("/usr") && !path.starts_with("/bin"));
    let mut variables = Vec::new();
    for name in &tool.variables {
        let value = std::env::var(name).map_err(|_| format!("the environment has no variable `{name}`"))?;
        variables.push((name.clone(), value));
    }
    Ok(LiveProgram {
        command,
        folder: folder.to_owned(),
        shown,
        network: tool.network,
        variables,
        mebibytes: tool.mebibytes(),
    })
}
