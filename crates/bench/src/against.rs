//! Side by side with the originals: the same rows through Python or JavaScript, timed on their own processor clock.
//!
//! A script reads JSON lines, computes one metric per row, and prints one JSON object:
//! `{"rows": N, "seconds": S, "total": sum of values, "version": "…"}`. The totals show that both computed the same.

use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;

/// What a script measured.
#[derive(Debug, Clone, Deserialize)]
pub struct Measured {
    /// Rows computed.
    pub rows: usize,
    /// Processor seconds.
    pub seconds: f64,
    /// Sum of all values.
    pub total: f64,
    /// Library and version.
    pub version: String,
}

/// Runs a script with arguments; the reason where it cannot run.
pub fn script(program: &str, script: &Path, arguments: &[&str]) -> Result<Measured, String> {
    let output = Command::new(program)
        .arg(script)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().last().unwrap_or("it failed without a word").to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("its answer cannot be read: {error}"))
}
