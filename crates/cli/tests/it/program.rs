//! The program, run in a folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Where it lies.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_probare");

/// A command in a folder, without standard input and without a record that the environment names.
pub fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(words).stdin(Stdio::null()).env_remove("PROBARE_RECORD");
    command
}

/// Names the configuration of a folder, where there is one: a project that its user wrote and works with.
pub fn name_config(command: &mut Command, folder: &Path) {
    if folder.join("probare.yaml").exists() {
        command.env("PROBARE_CONFIG", folder.join("probare.yaml"));
    }
}

/// What became of a command.
pub fn run(folder: &Path, words: &[&str]) -> Output {
    command(folder, words).output().expect("the program starts")
}

/// The code that it ended with.
pub fn code(output: &Output) -> i32 {
    output.status.code().expect("it ends by itself")
}

/// What it printed on standard error.
pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What it printed on both streams.
pub fn both_streams(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What a command says that has to end with this code.
#[track_caller]
pub fn run_expecting(folder: &Path, expected: i32, words: &[&str]) -> String {
    let output = run(folder, words);
    assert_eq!(output.status.code(), Some(expected), "{words:?}: {}", both_streams(&output));
    both_streams(&output)
}

/// What a command says that has to end well.
#[track_caller]
pub fn run_successfully(folder: &Path, words: &[&str]) -> String {
    run_expecting(folder, 0, words)
}

/// The folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
