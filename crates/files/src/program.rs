//! [`HostProgram`]: the one way in which programs of the machine are started (pip, uv, python, conda, bubblewrap, a browser).
//!
//! A name is looked up in the absolute folders of `PATH` that are not the current one, so that a file that lies where the user
//! happens to work is never the program. It starts in a neutral folder, since many programs read configuration or code from
//! the current one, and with a cleaned environment: no key of a service, no variable that loads code.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::PROBARE_KEY;

/// Variables that a program is given, where they are set. A name that ends in `*` stands for all that begin so.
pub const PASSED_VARIABLES: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_*",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "TERM",
    "SYSTEMROOT",
    "APPDATA",
    "LOCALAPPDATA",
    "USERPROFILE",
    "XDG_*",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_*",
    "UV_*",
    "CONDA_*",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "BROWSER",
];

/// A program of the machine that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProgram {
    path: PathBuf,
}

impl HostProgram {
    /// Looks a program up by its name.
    pub fn find(name: &str) -> Option<Self> {
        find_program(name).map(|path| Self { path })
    }

    /// A program in a place that the user or the system names. A relative path is one from the current folder, as the user
    /// means it.
    pub fn from_path(path: &Path) -> Self {
        Self { path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()) }
    }

    /// Where it is: an absolute path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The command that starts it: absolute path, neutral folder, cleaned environment. Paths among its arguments have to be
    /// absolute.
    pub fn command(&self) -> Command {
        #[expect(clippy::disallowed_methods, reason = "this is the one place")]
        let mut command = Command::new(&self.path);
        command.current_dir(neutral_folder()).env_clear().env("PATH", clean_path());
        command.envs(env::vars_os().filter(|(name, _)| is_passed_on(&name.to_string_lossy())));
        command
    }
}

/// The command for a program that the user's own flags or configuration name: in the user's folder and with the user's
/// environment, without the owner key. A bare name is none that happens to lie in the current folder.
pub fn own_command(program: &str) -> Command {
    let found = find_program(program);
    #[expect(clippy::disallowed_methods, reason = "this is the one place")]
    let mut command = Command::new(found.as_deref().unwrap_or(Path::new(program)));
    command.env_remove(PROBARE_KEY);
    command
}

fn is_passed_on(name: &str) -> bool {
    // `pip` and `uv` read keys of package servers, which are theirs; what loads code or other settings is not.
    PASSED_VARIABLES.iter().any(|kept| match kept.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => *kept == name,
    })
}

/// A folder in which nobody else has put anything.
fn neutral_folder() -> PathBuf {
    if cfg!(unix) { PathBuf::from("/") } else { env::temp_dir() }
}

/// The folders of `PATH` that are absolute and are not the current folder. One below it (an activated virtual environment) is
/// there because the user put it there.
fn folders() -> Vec<PathBuf> {
    let here = env::current_dir().and_then(|here| here.canonicalize()).ok();
    let is_here = |folder: &Path| here.is_some() && folder.canonicalize().ok() == here;
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| folder.is_absolute() && !is_here(folder)).collect()
}

/// `PATH` without relative folders and the current folder.
pub fn clean_path() -> OsString {
    env::join_paths(folders()).unwrap_or_default()
}

/// The absolute path of a program by its name.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let is_name = !name.is_empty() && !name.contains(['/', '\\']);
    let files = |folder: PathBuf| {
        let plain = folder.join(name);
        if cfg!(windows) { vec![folder.join(format!("{name}.exe")), plain] } else { vec![plain] }
    };
    folders().into_iter().filter(|_| is_name).flat_map(files).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_an_absolute_path_a_neutral_folder_and_no_secrets() {
        let program = HostProgram::find("sh").unwrap();
        assert!(program.path().is_absolute());
        let command = program.command();
        assert_eq!(command.get_current_dir(), Some(Path::new("/")));
        let names: Vec<String> = command.get_envs().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        assert!(names.contains(&"PATH".to_owned()));
        for name in &names {
            assert!(name == "PATH" || is_passed_on(name), "{name}");
        }
        for dropped in ["OPENAI_API_KEY", "PROBARE_KEY", "PYTHONPATH", "PYTHONSTARTUP", "LD_PRELOAD", "GIT_SSH_COMMAND"]
        {
            assert!(!is_passed_on(dropped), "{dropped}");
        }
        assert_eq!(HostProgram::find("../bin/sh"), None);
        assert_eq!(HostProgram::find(""), None);
    }
}
