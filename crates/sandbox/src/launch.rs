//! How a sandbox is started: the words for bubblewrap, the files it is given, and the way down from root.
//!
//! An ordinary user starts bubblewrap at once. Root first enters the control groups, then, where something that is to be
//! shown lies in a folder that nobody else may enter, gets a view of the files in which it is within reach, gives up
//! being root, and starts bubblewrap as anybody would. So the same guarantees hold for both.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use command_fds::{CommandFdExt, FdMapping};
use probare_core::Program;
use probare_files::HostProgram;
use rustix::fs::{MemfdFlags, memfd_create};

use crate::cgroup::Cgroups;
use crate::environment::Interpreter;
use crate::live::LiveProgram;
use crate::sandbox_paths::{SCRATCH, SandboxPaths};
use crate::script::{
    FROM_PEER_FD, REPORT, ScriptContext, TO_PEER_FD, live_script, resolve_python, script, shell_quote,
};
use crate::{SandboxError, SandboxLimits, folder, seccomp};

/// Who runs a program that root starts, and who every program seems to be.
pub(crate) const NOBODY_UID: u32 = 65534;

/// The first descriptor for files; those before are the usual three, the report and what bubblewrap reads itself.
const FIRST_FILE: i32 = 20;
const ARGS_FD: i32 = 5;
const FILTER_FD: i32 = 6;

/// Bytes of the largest file that a program is shown by itself; larger ones are shown with their folder.
const LARGEST_SHOWN_FILE: u64 = 64 << 20;

/// What has to be there to start bubblewrap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SandboxTools {
    pub bubblewrap: PathBuf,
    /// Gives up being root; needed by root alone.
    pub setpriv: Option<PathBuf>,
}

/// What every sandbox of a run has in common.
pub(crate) struct LaunchContext<'a> {
    pub tools: &'a SandboxTools,
    pub limits: &'a SandboxLimits,
    pub interpreter: &'a Interpreter,
    pub places: &'a SandboxPaths,
    pub is_root: bool,
}

/// The two ends of pipes by which a program talks with another one.
pub(crate) struct PipePair {
    pub from: OwnedFd,
    pub to: OwnedFd,
}

impl PipePair {
    /// As descriptors of a child.
    pub(crate) fn mappings(talk: Option<Self>) -> Vec<FdMapping> {
        talk.map(|Self { from, to }| {
            vec![
                FdMapping { parent_fd: from, child_fd: FROM_PEER_FD },
                FdMapping { parent_fd: to, child_fd: TO_PEER_FD },
            ]
        })
        .unwrap_or_default()
    }
}

/// The words for bubblewrap and the files behind the descriptors among them.
struct BwrapArgs {
    words: Vec<String>,
    files: Vec<FdMapping>,
}

impl BwrapArgs {
    /// Shows the folders of the interpreter and of the program, read only; gives where they are.
    fn push_folders(&mut self, program: &Program, terms: &LaunchContext<'_>) -> Result<Vec<PathBuf>, SandboxError> {
        let given = terms.places.copied_folders();
        let mut shown: Vec<PathBuf> = terms.interpreter.folders.clone();
        for folder in &terms.interpreter.folders {
            let folder = folder.display().to_string();
            self.push_args(&["--ro-bind", &folder, &folder]);
        }
        for (at, folder) in program.folders.iter().enumerate() {
            check_file_name(&folder.path)?;
            if let Some(from) = &folder.from {
                let from = std::path::absolute(from).map_err(SandboxError::system("find a folder"))?;
                if folder.optional && !from.is_dir() {
                    continue;
                }
                if !from.is_dir() {
                    let reason = format!("there is no folder `{}` to copy into the sandbox", from.display());
                    return Err(SandboxError::Program { reason });
                }
                folder::check_folder(&from, Some(terms.limits.files / 2))?;
                self.push_args(&["--ro-bind", &from.display().to_string(), &format!("{given}/{at}")]);
                shown.push(from);
            }
        }
        Ok(shown)
    }

    fn push_args(&mut self, words: &[&str]) {
        self.words.extend(words.iter().map(|&word| word.to_owned()));
    }

    /// A file in the sandbox with this content.
    fn push_file(&mut self, content: &[u8], mode: &str, path: &str) -> io::Result<()> {
        let child_fd = FIRST_FILE + i32::try_from(self.files.len()).unwrap_or(i32::MAX);
        self.files.push(FdMapping { parent_fd: memory_file(content)?, child_fd });
        self.push_args(&["--perms", mode, "--file", &child_fd.to_string(), path]);
        Ok(())
    }
}

/// Content behind a descriptor, from its start.
fn memory_file(content: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("probare", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file.into())
}

/// A name that stays in the folder of the program.
pub(crate) fn check_file_name(name: &str) -> Result<&str, SandboxError> {
    let is_inside = !name.is_empty()
        && !name.contains('\0')
        && Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if is_inside {
        return Ok(name);
    }
    Err(SandboxError::Program { reason: format!("`{name}` is not the name of a file in the folder of a program") })
}

/// Seconds of processor time that one process may take.
pub(crate) fn processor_seconds(program: &Program, limits: &SandboxLimits) -> u64 {
    let cores = available_parallelism().map_or(1, std::num::NonZeroUsize::get) as u64;
    let longest = program.steps.iter().map(|step| step.milliseconds.div_ceil(1000)).max().unwrap_or(1);
    limits.processor_seconds.unwrap_or_else(|| longest.saturating_mul(cores).saturating_add(1))
}

/// The command that starts a program in bubblewrap. Its standard input, output and errors are for the supervisor.
pub(crate) fn command(
    program: &Program,
    terms: &LaunchContext<'_>,
    groups: Option<&Cgroups>,
    report: OwnedFd,
    talk: Option<PipePair>,
) -> Result<Command, SandboxError> {
    let preparing = || SandboxError::system("prepare a sandbox");
    let limits = terms.limits;
    let (work, inputs, given) = (terms.places.work(), terms.places.inputs(), terms.places.copied_folders());
    let mut words = BwrapArgs { words: Vec::new(), files: Vec::new() };
    push_isolation_args(&mut words, limits);
    let shown = words.push_folders(program, terms)?;
    words.push_args(&["--size", &limits.disk_bytes.to_string(), "--tmpfs", &work]);
    for (name, content) in &program.files {
        let path = format!("{work}/{}", check_file_name(name)?);
        words.push_file(content.as_bytes(), "0644", &path).map_err(preparing())?;
    }
    for (at, step) in program.steps.iter().enumerate() {
        words.push_file(step.input.as_bytes(), "0444", &format!("{inputs}/{at}")).map_err(preparing())?;
    }
    for name in &program.wanted {
        check_file_name(name)?;
    }
    let python = terms.interpreter.python.display().to_string();
    let setting = ScriptContext {
        work: &work,
        inputs: &inputs,
        given: &given,
        is_first: true,
        limits,
        processor_seconds: processor_seconds(program, limits),
        process_kibibytes: groups.is_none().then(|| u64::from(program.mebibytes) * 1024),
        python: &python,
    };
    words.push_file(script(program, &setting).as_bytes(), "0444", &terms.places.script()).map_err(preparing())?;
    for (name, value) in variables(terms.interpreter) {
        words.push_args(&["--setenv", &name, &value]);
    }
    // Covers the first process, so that nobody reads its memory or writes to its descriptors.
    words.push_args(&["--size", "4096", "--perms", "0555", "--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]);
    words.push_args(&["--remount-ro", "/", "--chdir", &work]);

    let mut further = PipePair::mappings(talk);
    further.push(FdMapping { parent_fd: report, child_fd: REPORT });
    bubblewrap(words, further, &shown, terms, groups, &[])
}

/// The command that starts bubblewrap with these words. What it runs inside is our script, with these arguments.
fn bubblewrap(
    words: BwrapArgs,
    further: Vec<FdMapping>,
    shown: &[PathBuf],
    terms: &LaunchContext<'_>,
    groups: Option<&Cgroups>,
    arguments: &[String],
) -> Result<Command, SandboxError> {
    let preparing = || SandboxError::system("prepare a sandbox");
    let BwrapArgs { words, files: mut mappings } = words;
    let all: String = words.iter().flat_map(|word| [word.as_str(), "\0"]).collect();
    mappings.push(FdMapping { parent_fd: memory_file(all.as_bytes()).map_err(preparing())?, child_fd: ARGS_FD });
    let filter = seccomp::bytes(groups.is_none()).ok_or_else(|| SandboxError::Broken {
        broken: vec!["there is no filter of system calls for this kind of processor".to_owned()],
    })?;
    mappings.push(FdMapping { parent_fd: memory_file(&filter).map_err(preparing())?, child_fd: FILTER_FD });
    mappings.extend(further);

    let mut chain: Vec<String> = Vec::new();
    if terms.is_root {
        chain.extend(drop_privileges_args(terms.tools, shown)?);
    }
    chain.push(terms.tools.bubblewrap.display().to_string());
    let (number, filter) = (ARGS_FD.to_string(), FILTER_FD.to_string());
    for word in ["--args", number.as_str(), "--seccomp", filter.as_str(), "--", "/bin/sh"] {
        chain.push(word.to_owned());
    }
    chain.push(terms.places.script());
    chain.extend_from_slice(arguments);
    let mut command = match groups {
        None => {
            let mut command = HostProgram::from_path(Path::new(&chain[0])).command();
            command.args(&chain[1..]);
            command
        }
        Some(groups) => {
            let doors: Vec<String> = groups
                .procs_files()
                .iter()
                .map(|door| format!("echo 0 >{} &&", shell_quote(&door.display().to_string())))
                .collect();
            let mut command = HostProgram::from_path(Path::new("/bin/sh")).command();
            command.args(["-c", &format!("{} exec \"$@\"", doors.join(" ")), "sh"]).args(&chain);
            command
        }
    };
    command
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .fd_mappings(mappings)
        .map_err(|_| SandboxError::Program { reason: "two files have one descriptor".to_owned() })?;
    Ok(command)
}

/// The command that starts a program with which whoever starts it talks. Its standard input, output and errors are theirs.
pub(crate) fn live_command(
    program: &LiveProgram,
    terms: &LaunchContext<'_>,
    groups: Option<&Cgroups>,
) -> Result<Command, SandboxError> {
    let preparing = || SandboxError::system("prepare a sandbox");
    let work = terms.places.work();
    let mut words = BwrapArgs { words: Vec::new(), files: Vec::new() };
    push_isolation_args(&mut words, terms.limits);
    let mut folders: Vec<PathBuf> = terms.interpreter.folders.clone();
    for path in &program.shown {
        if path.is_dir() {
            folder::check_folder(path, Some(terms.limits.files))?;
            folders.push(path.clone());
            continue;
        }
        // As a copy, since whoever runs inside may not be allowed to reach the file itself.
        let content = read_shown_file(path)?;
        let is_program = path.metadata().is_ok_and(|known| known.permissions().mode() & 0o111 != 0);
        let mode = if is_program { "0555" } else { "0444" };
        words.push_file(&content, mode, &path.display().to_string()).map_err(preparing())?;
    }
    for folder in &folders {
        let folder = folder.display().to_string();
        words.push_args(&["--ro-bind", &folder, &folder]);
    }
    if program.network {
        words.push_args(&["--share-net"]);
        for path in
            ["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/ssl", "/etc/pki", "/etc/ca-certificates"]
        {
            words.push_args(&["--ro-bind-try", path, path]);
        }
    }
    words.push_args(&["--bind", &program.folder.display().to_string(), &work]);
    let kibibytes = groups.is_none().then(|| u64::from(program.mebibytes) * 1024);
    let script = live_script(terms.limits, kibibytes);
    words.push_file(script.as_bytes(), "0444", &terms.places.script()).map_err(preparing())?;
    for (name, value) in variables(terms.interpreter).into_iter().chain(program.variables.clone()) {
        words.push_args(&["--setenv", &name, &value]);
    }
    words.push_args(&["--remount-ro", "/", "--chdir", &work]);
    let python = terms.interpreter.python.display().to_string();
    let arguments: Vec<String> = program.command.iter().map(|part| resolve_python(part, &python)).collect();
    bubblewrap(words, Vec::new(), &folders, terms, groups, &arguments)
}

/// A file that a program may read.
fn read_shown_file(path: &Path) -> Result<Vec<u8>, SandboxError> {
    probare_files::read_plain(path, LARGEST_SHOWN_FILE).map_err(|error| SandboxError::Program {
        reason: format!("`{}`, which the program is to see, cannot be read: {error}", path.display()),
    })
}

/// What every sandbox has: namespaces, a system that can be read and not written, little of `/etc`, and nothing else.
fn push_isolation_args(words: &mut BwrapArgs, limits: &SandboxLimits) {
    words.push_args(&["--unshare-all", "--unshare-user", "--disable-userns", "--as-pid-1", "--die-with-parent"]);
    let nobody = NOBODY_UID.to_string();
    words.push_args(&["--new-session", "--uid", &nobody, "--gid", &nobody, "--hostname", "sandbox", "--clearenv"]);
    words.push_args(&["--ro-bind", "/usr", "/usr"]);
    for folder in ["bin", "sbin", "lib", "lib32", "lib64", "libx32"] {
        let path = format!("/{folder}");
        match std::fs::read_link(&path) {
            Ok(to) => words.push_args(&["--symlink", &to.display().to_string(), &path]),
            Err(_) => words.push_args(&["--ro-bind-try", &path, &path]),
        }
    }
    for path in ["/nix/store", "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"] {
        words.push_args(&["--ro-bind-try", path, path]);
    }
    words.push_args(&["--proc", "/proc", "--dev", "/dev"]);
    // A view of pseudo-terminals would be one more door.
    words.push_args(&["--size", "4096", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"]);
    let part = (limits.disk_bytes / 4).max(4096).to_string();
    for place in SCRATCH {
        words.push_args(&["--size", &part, "--tmpfs", place]);
    }
    words.push_args(&["--remount-ro", "/dev"]);
    let users = format!("nobody:x:{NOBODY_UID}:{NOBODY_UID}:nobody:/tmp:/usr/sbin/nologin\n");
    let groups = format!("nogroup:x:{NOBODY_UID}:\n");
    // Descriptors for these two are made as for any file; what cannot be made is not needed.
    let _ = words.push_file(users.as_bytes(), "0444", "/etc/passwd");
    let _ = words.push_file(groups.as_bytes(), "0444", "/etc/group");
}

/// The environment of a program: nothing of ours.
pub(crate) fn variables(interpreter: &Interpreter) -> Vec<(String, String)> {
    let own = interpreter.python.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    let path = format!("{own}:/usr/local/bin:/usr/bin:/bin");
    let fixed = [
        ("PATH", path.as_str()),
        ("HOME", "/tmp"),
        ("TMPDIR", "/tmp"),
        ("LANG", "C.UTF-8"),
        ("PYTHONIOENCODING", "utf-8"),
        ("USER", "nobody"),
    ];
    let fixed = fixed.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    fixed.chain(interpreter.variables.clone()).collect()
}

/// The words by which root stops being root, within reach of all that is to be shown.
fn drop_privileges_args(tools: &SandboxTools, shown: &[PathBuf]) -> Result<Vec<String>, SandboxError> {
    let Some(setpriv) = &tools.setpriv else {
        return Err(SandboxError::NoProgram { program: "setpriv", purpose: "give up the rights of root" });
    };
    let mut words = Vec::new();
    let closed: Vec<(&PathBuf, PathBuf)> =
        shown.iter().filter_map(|folder| first_closed_ancestor(folder).map(|door| (folder, door))).collect();
    if !closed.is_empty() {
        words.push(tools.bubblewrap.display().to_string());
        // Whoever keeps it has no right to end a process of nobody; the end of its own namespace does that.
        words.extend(["--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/"].map(str::to_owned));
        let mut doors: Vec<&PathBuf> = closed.iter().map(|(_, door)| door).collect();
        doors.sort_unstable();
        doors.dedup();
        for door in doors {
            words.extend(["--perms", "0755", "--tmpfs"].map(str::to_owned));
            words.push(door.display().to_string());
        }
        for (folder, door) in &closed {
            // What lies between would be open to root alone.
            let mut between: Vec<&Path> = folder.ancestors().skip(1).take_while(|path| path != door).collect();
            between.reverse();
            for path in between {
                words.extend(["--perms", "0755", "--dir"].map(str::to_owned));
                words.push(path.display().to_string());
            }
            let folder = folder.display().to_string();
            words.extend(["--ro-bind".to_owned(), folder.clone(), folder]);
        }
        words.push("--".to_owned());
    }
    words.push(setpriv.display().to_string());
    let nobody = NOBODY_UID.to_string();
    for word in ["--reuid", nobody.as_str(), "--regid", nobody.as_str(), "--clear-groups", "--inh-caps=-all"] {
        words.push(word.to_owned());
    }
    words.extend(["--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"].map(str::to_owned));
    Ok(words)
}

/// The first folder on the way to a folder that not everybody may enter.
fn first_closed_ancestor(folder: &Path) -> Option<PathBuf> {
    let mut ways: Vec<&Path> = folder.ancestors().collect();
    ways.reverse();
    let is_closed = |path: &&&Path| {
        std::fs::metadata(path)
            .is_ok_and(|known| known.permissions().mode() & 0o005 != 0o005 && known.uid() != NOBODY_UID)
    };
    ways.iter().find(is_closed).map(|path| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder() {
        for name in ["a.py", "data/x.txt"] {
            assert!(check_file_name(name).is_ok(), "{name}");
        }
        for name in ["", "/etc/passwd", "../x", "a/../../x", "a\0b", "."] {
            assert!(check_file_name(name).is_err(), "{name:?}");
        }
    }
}
