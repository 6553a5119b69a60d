//! `probare trust`: lets a configuration that is found in a folder name programs, addresses and answers.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use probare_engine::{Config, DEFAULT_NAME, Exit};
use probare_files::{TrustedConfigs, read_plain};
use probare_report::escape;

use super::benchmark_hooks;
use super::{print, remark};
use crate::failure::{CommandResult, Failure};

/// Bytes of the largest configuration that is read.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Trust a configuration that is found in its folder
///
/// A probare.yaml that you do not name with --config is used by itself only if it says no more than what to score. If it names
/// a program, an address, a key, a response cache, thresholds, a file that answers for a model, or a file outside of its
/// folder, it asks for this once. The content at this path is trusted: after a change the program asks again.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration
    #[arg(value_name = "CONFIG", default_value = DEFAULT_NAME)]
    config: PathBuf,

    /// Do not ask for confirmation
    #[arg(long, short = 'y')]
    yes: bool,

    /// Stop trusting it
    #[arg(long, conflicts_with = "yes")]
    remove: bool,

    /// List the configurations that you trust
    #[arg(long, conflicts_with_all = ["yes", "remove"])]
    list: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let trusted = TrustedConfigs::default();
    if arguments.list {
        let paths: String =
            trusted.paths().iter().map(|path| format!("{}\n", escape::terminal(&path.display().to_string()))).collect();
        return print(&paths);
    }
    let config = arguments.config.as_path();
    let shown = config.display().to_string();
    let write = |error: io::Error| Failure::file("write the list of trusted configurations for", &shown, &error);
    if arguments.remove {
        let known = trusted.remove(config).map_err(write)?;
        remark(&format!("`{shown}` is {} trusted", if known { "no longer" } else { "not" }));
        return Ok(Exit::Fine);
    }
    let content = read_plain(config, LARGEST).map_err(|error| Failure::file("read", &shown, &error))?;
    let wants = requested_authority(config, &content)?;
    if wants.is_empty() {
        remark(&format!("`{shown}` says no more than what to score: it needs no trust"));
        return Ok(Exit::Fine);
    }
    if trusted.contains(config, &content) {
        remark(&format!("`{shown}` is trusted as it is"));
        return Ok(Exit::Fine);
    }
    remark(&format!("`{shown}` asks for:"));
    for want in &wants {
        remark(&format!("  {want}"));
    }
    if !arguments.yes && !confirm()? {
        return Err(Failure::new("nothing was trusted"));
    }
    trusted.add(config, &content).map_err(write)?;
    remark(&format!("`{shown}` is trusted as it is now; after a change it asks again"));
    Ok(Exit::Fine)
}

/// What a configuration asks for beyond data.
fn requested_authority(path: &Path, content: &[u8]) -> Result<Vec<String>, Failure> {
    if benchmark_hooks::for_configuration(path).is_some() {
        return Ok(vec!["to ask the models that it names, with their addresses and keys".to_owned()]);
    }
    Ok(Config::from_bytes(path, content.to_vec())?.permissions())
}

/// Asks on the terminal. Where there is none, whoever means it says so with a flag.
pub fn confirm() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage("there is no terminal to ask for confirmation")
            .hint("--yes says that you have looked at it"));
    }
    let failed = |error: io::Error| Failure::new(format!("the terminal cannot be read: {error}"));
    let mut err = io::stderr().lock();
    write!(err, "Go on? [y/N] ").and_then(|()| err.flush()).map_err(failed)?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(failed)?;
    Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
