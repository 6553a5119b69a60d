//! Running other programs, and where the project stands.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The root of the workspace.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().map(PathBuf::from).unwrap_or_default()
}

/// The program that the developers' commands use: that which `PROBARE_PROGRAM` names, or that of the development profile.
pub fn program() -> PathBuf {
    let built = || root().join("target/debug").join(if cfg!(windows) { "probare.exe" } else { "probare" });
    std::env::var_os("PROBARE_PROGRAM").map_or_else(built, PathBuf::from)
}

/// `cargo` with these arguments, in the root.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a program to its end and fails if it does. What cargo said of this package when it started us is not handed on: build
/// scripts that look at it would run again, and much be built again, whenever cargo is called now with and now without `x`.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}").replace('"', "");
    eprintln!("$ {shown}");
    let is_of_package = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_of_package)) {
        command.env_remove(name);
    }
    let status = command.status().with_context(|| format!("cannot start {shown}"))?;
    if !status.success() {
        bail!("{shown} ended with {status}");
    }
    Ok(())
}

/// Whether a program is there and answers.
pub fn is_installed(program: &str, argument: &str) -> bool {
    Command::new(program)
        .arg(argument)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Installs a tool of cargo from its package, and says whether it is there now. Without optimisation, which would take longer than
/// the tool is ever at work.
pub fn install(tool: &str) -> bool {
    run(&mut cargo(&["install", tool, "--locked", "--debug"])).is_ok() && is_installed(tool, "--version")
}
