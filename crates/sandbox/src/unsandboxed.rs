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
use probare_files::HostProgram;
use tempfile::TempDir;

use crate::environment::Interpreter;
use crate::launch::{PipePair, check_file_name, processor_seconds, variables};
use crate::script::{REPORT, ScriptContext, script};
use crate::{SandboxError, SandboxLimits, folder as given_folder};

/// The command, and the folder that goes when it is dropped.
pub(crate) fn command(
    program: &Program,
    limits: &SandboxLimits,
    interpreter: &Interpreter,
    report: OwnedFd,
    talk: Option<PipePair>,
) -> Result<(Command, TempDir), SandboxError> {
    let preparing = || SandboxError::system("prepare the folder of a program");
    let folder = tempfile::tempdir().map_err(preparing())?;
    let (work, inputs) = (folder.path().join("work"), folder.path().join("inputs"));
    for made in [&work, &inputs] {
        fs::create_dir(made).map_err(preparing())?;
    }
    for (name, content) in &program.files {
        write_file(&work.join(check_file_name(name)?), content).map_err(preparing())?;
    }
    for (at, step) in program.steps.iter().enumerate() {
        write_file(&inputs.join(at.to_string()), &step.input).map_err(preparing())?;
    }
    for given in &program.folders {
        let to = work.join(check_file_name(&given.path)?);
        fs::create_dir_all(&to).map_err(preparing())?;
        if let Some(from) = given.from.as_ref().filter(|from| !given.optional || Path::new(from).is_dir()) {
            given_folder::check_folder(Path::new(from), Some(limits.files / 2))?;
            copy(Path::new(from), &to).map_err(preparing())?;
        }
    }
    for name in &program.wanted {
        check_file_name(name)?;
    }
    let mut here = program.clone();
    // They are copied already.
    here.folders.clear();
    let (work, inputs) = (work.display().to_string(), inputs.display().to_string());
    let python = interpreter.python.display().to_string();
    let setting = ScriptContext {
        work: &work,
        inputs: &inputs,
        given: "",
        is_first: false,
        limits,
        processor_seconds: processor_seconds(program, limits),
        process_kibibytes: None,
        python: &python,
    };
    let mut mappings = PipePair::mappings(talk);
    mappings.push(FdMapping { parent_fd: report, child_fd: REPORT });
    let mut command = HostProgram::from_path(Path::new("/bin/sh")).command();
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
fn write_file(path: &Path, content: &str) -> std::io::Result<()> {
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
