//! The scripts of the pages: their types, which stand in comments, are checked by TypeScript. Building needs neither it nor node.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, is_installed, root};

/// The checker, from the registry of npm.
const TYPESCRIPT: &str = "typescript@5.9.3";

/// Which scripts, and how strictly.
const CONFIG: &str = "crates/server/src/view/jsconfig.json";

/// Checks the scripts; the reason where this machine cannot.
pub fn run() -> Result<Option<String>> {
    let folder = root().join("target/typescript");
    let checker = folder.join("node_modules/typescript/bin/tsc");
    if !is_installed("node", "--version") {
        return Ok(Some("node is not installed".to_owned()));
    }
    if !checker.exists() {
        if !is_installed("npm", "--version") {
            return Ok(Some("npm is not installed".to_owned()));
        }
        std::fs::create_dir_all(&folder)?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(&folder).arg(TYPESCRIPT);
        if let Err(error) = process::run(&mut install) {
            return Ok(Some(format!("TypeScript could not be installed: {error:#}")));
        }
    }
    process::run(Command::new("node").arg(checker).arg("--project").arg(root().join(CONFIG)))?;
    Ok(None)
}
