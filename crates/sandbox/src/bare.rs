//! No sandbox at all: the program runs as we do, in a folder of its own, with a limit of time. For programs that the user
//! trusts, and to show what a sandbox is good for.

use std::fs;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use command_fds::{CommandFdExt, FdMapping};
use probare_core::Program;
use tempfile::TempDir;

use crate::environment::Interpreter;
use crate::launch::{Talk, checked, processor_seconds, variables};
use crate::script::{REPORT, Setting, script};
use crate::{Limits, SandboxError, folder as given_folder};

/// The command, and the folder that goes when it is dropped.
pub(crate) fn command(
    program: &Program,
    limits: &Limits,
    interpreter: &Interpreter,
    report: OwnedFd,
    talk: Option<Talk>,
) -> Result<(Command, TempDir), SandboxError> {
    let preparing = || SandboxError::system("prepare the folder of a program");
    let folder = tempfile::tempdir().map_err(preparing())?;
    let (work, inputs) = (folder.path().join("work"), folder.path().join("inputs"));
    for made in [&work, &inputs] {
        fs::create_dir(made).map_err(preparing())?;
    }
    for (name, content) in &program.files {
        put(&work.join(checked(name)?), content).map_err(preparing())?;
    }
    for (at, step) in program.steps.iter().enumerate() {
        put(&inputs.join(at.to_string()), &step.input).map_err(preparing())?;
    }
    for given in &program.folders {
        let to = work.join(checked(&given.path)?);
        fs::create_dir_all(&to).map_err(preparing())?;
        if let Some(from) = given.from.as_ref().filter(|from| !given.optional || Path::new(from).is_dir()) {
            given_folder::check(Path::new(from), Some(limits.files / 2))?;
            copy(Path::new(from), &to).map_err(preparing())?;
        }
    }
    for name in &program.wanted {
        checked(name)?;
    }
    let mut here = program.clone();
    // They are copied already.
    here.folders.clear();
    let (work, inputs) = (work.display().to_string(), inputs.display().to_string());
    let python = interpreter.python.display().to_string();
    let setting = Setting {
        work: &work,
        inputs: &inputs,
        given: "",
        is_first: false,
        limits,
        processor_seconds: processor_seconds(program, limits),
        process_kibibytes: None,
        python: &python,
    };
    let mut mappings = Talk::mappings(talk);
    mappings.push(FdMapping { parent_fd: report, child_fd: REPORT });
    let mut command = Command::new("/bin/sh");
    command.args(["-c", &script(&here, &setting), "sh"]).env_clear();
    for (name, value) in variables(interpreter) {
        command.env(name, value);
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .fd_mappings(mappings)
        .map_err(|_| SandboxError::Program { reason: "two files have one descriptor".to_owned() })?;
    Ok((command, folder))
}

/// Writes a file of the program; the folder is new and our own.
#[expect(clippy::disallowed_methods, reason = "the files of a program are no files of ours: they go when it has ended")]
fn put(path: &Path, content: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::File::create_new(path)?.write_all(content.as_bytes())
}

/// Copies what is in a folder. Links are followed, as a copy for others should be.
#[expect(clippy::disallowed_methods, reason = "the files of a program are no files of ours: they go when it has ended")]
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if fs::metadata(entry.path())?.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}
