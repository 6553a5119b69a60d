//! The first process of a sandbox: a small shell script. It sets the limits, waits for a word from outside before every
//! step, ends whatever a step left behind, and says how the step ended.
//!
//! It speaks through descriptor 3, which no step inherits. Its folder in `/proc` is covered, so a step cannot reach into it
//! either: what it says about a step is not written by the step.

use std::fmt::Write as _;

use probare_core::Program;

use crate::SandboxLimits;

/// The descriptor it reports on.
pub(crate) const REPORT: i32 = 3;

/// The descriptors by which a program and another one talk.
pub(crate) const FROM_PEER_FD: i32 = 7;
pub(crate) const TO_PEER_FD: i32 = 8;

/// Said before a step, and before each wanted file.
pub(crate) const READY: &str = "ready";

/// How a script differs between a sandbox and none.
pub(crate) struct ScriptContext<'a> {
    /// Folder of the steps.
    pub work: &'a str,
    /// Folder of what steps read from standard input.
    pub inputs: &'a str,
    /// Folder of the folders that are copied for the program.
    pub given: &'a str,
    /// Whether it is the first process of its own namespace, and so may end all others.
    pub is_first: bool,
    pub limits: &'a SandboxLimits,
    /// Seconds of processor time.
    pub processor_seconds: u64,
    /// Most memory of one process in KiB, where the kernel does not limit the tree.
    pub process_kibibytes: Option<u64>,
    /// The interpreter that `python3` means.
    pub python: &'a str,
}

/// The script for a program.
pub(crate) fn script(program: &Program, setting: &ScriptContext<'_>) -> String {
    let ScriptContext { limits, .. } = setting;
    let mut text = String::new();
    let mut line = |words: &str| {
        let _ = writeln!(text, "{words}");
    };
    line("exec 4>&2 2>/dev/null");
    line("umask 022");
    line(&format!("cd {} || exit 70", shell_quote(setting.work)));
    for (at, folder) in program.folders.iter().enumerate() {
        line(&format!("mkdir -p -- {} || exit 71", shell_quote(&folder.path)));
        let is_there = |from: &String| !folder.optional || std::path::Path::new(from).is_dir();
        if folder.from.as_ref().is_some_and(is_there) {
            line(&format!("cp -R -- {}/{at}/. {}/ || exit 72", setting.given, shell_quote(&folder.path)));
        }
    }
    line("ulimit -c 0 || exit 73");
    line(&format!("ulimit -n {} || exit 73", limits.open_files));
    // Counted in blocks of 512 bytes.
    line(&format!("ulimit -f {} || exit 73", limits.file_bytes / 512));
    line(&format!("ulimit -t {} || exit 73", setting.processor_seconds.max(1)));
    if let Some(kibibytes) = setting.process_kibibytes {
        line(&format!("ulimit -d {kibibytes} || exit 73"));
    }
    if setting.is_first {
        // One shell calls it -u, another -p.
        line(&format!("ulimit -u {0} 2>/dev/null || ulimit -p {0} || exit 73", limits.processes));
    }
    for (at, step) in program.steps.iter().enumerate() {
        if let Some(first) = step.command.first().map(|part| resolve_python(part, setting.python))
            && first.starts_with('/')
        {
            line(&format!("[ -x {} ] || exit 74", shell_quote(&first)));
        }
        line(&format!("echo {READY} >&{REPORT}"));
        line("read -r go || exit 0");
        let command: Vec<String> =
            step.command.iter().map(|part| shell_quote(&resolve_python(part, setting.python))).collect();
        let input = shell_quote(&format!("{}/{at}", setting.inputs));
        line(&format!("( exec {REPORT}>&- 2>&4 4>&- <{input}; exec {} )", command.join(" ")));
        line("code=$?");
        if setting.is_first {
            // Once more, for what was being born.
            line("kill -9 -1; kill -9 -1");
        }
        line(&format!("echo end $code >&{REPORT}"));
        line("[ $code = 0 ] || exit 0");
    }
    // Whoever is at the other end learns that the last step is over.
    line(&format!("exec {FROM_PEER_FD}<&- {TO_PEER_FD}>&-"));
    for name in &program.wanted {
        line(&format!("echo {READY} >&{REPORT}"));
        line("read -r go || exit 0");
        let name = shell_quote(&format!("./{name}"));
        let most = limits.wanted_bytes.saturating_add(1);
        line(&format!(
            "if [ -f {name} ]; then ( exec {REPORT}>&- <{name}; exec head -c {most} ); echo end 0 >&{REPORT}"
        ));
        line(&format!("else echo end 1 >&{REPORT}; fi"));
    }
    text
}

/// The script that starts a program with which somebody talks: it sets the limits and becomes its arguments.
pub(crate) fn live_script(limits: &SandboxLimits, process_kibibytes: Option<u64>) -> String {
    let mut text = format!(
        "umask 000\nulimit -c 0 || exit 73\nulimit -n {} || exit 73\nulimit -f {} || exit 73\n",
        limits.open_files,
        limits.file_bytes / 512
    );
    if let Some(kibibytes) = process_kibibytes {
        let _ = writeln!(text, "ulimit -d {kibibytes} || exit 73");
    }
    let _ = writeln!(text, "ulimit -u {0} 2>/dev/null || ulimit -p {0} || exit 73", limits.processes);
    text.push_str("exec \"$@\"\n");
    text
}

/// What an exit code of the script means.
pub(crate) const fn exit_reason(code: i32) -> Option<&'static str> {
    match code {
        70 => Some("the folder of the program cannot be entered"),
        71 => Some("a folder of the program cannot be made"),
        72 => Some("a folder that the program is given cannot be copied; may everybody read it?"),
        73 => Some("a limit cannot be set"),
        74 => Some("what a step runs is not there"),
        _ => None,
    }
}

/// `python3` and `python` mean the interpreter of the environment.
pub(crate) fn resolve_python(part: &str, python: &str) -> String {
    if matches!(part, "python3" | "python") { python.to_owned() } else { part.to_owned() }
}

/// A text as one word of a shell.
pub(crate) fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_a_shell_stays_one_word() {
        assert_eq!(shell_quote("a b"), "'a b'");
        assert_eq!(shell_quote("it's $(x)"), r"'it'\''s $(x)'");
    }
}
