//! The scripts of the pages: their types, which stand in comments, are checked by TypeScript, their form by Prettier, and their filter by
//! the examples of the store's. Building needs none of them, nor node.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, is_installed, root};

/// What checks, from the registry of npm.
const PACKAGES: [&str; 2] = ["typescript@5.9.3", "prettier@3.10.1"];

/// Which scripts, and how strictly.
const CONFIG: &str = "crates/server/src/view/jsconfig.json";

/// Those whose form is that of `.prettierrc.json`.
const SCRIPTS: [&str; 3] = ["crates/report/src/html/*.js", "crates/server/src/view/*.js", "tests/viewer/*.mjs"];

/// Checks the scripts; the reason where this machine cannot.
pub fn run() -> Result<Option<String>> {
    let folder = root().join("target/typescript");
    let checker = folder.join("node_modules/typescript/bin/tsc");
    let formatter = folder.join("node_modules/prettier/bin/prettier.cjs");
    if !is_installed("node", "--version") {
        return Ok(Some("node is not installed".to_owned()));
    }
    process::run(Command::new("node").arg(root().join("tests/viewer/filters.mjs")))?;
    if !checker.exists() || !formatter.exists() {
        if !is_installed("npm", "--version") {
            return Ok(Some("npm is not installed".to_owned()));
        }
        std::fs::create_dir_all(&folder)?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(&folder).args(PACKAGES);
        if let Err(error) = process::run(&mut install) {
            return Ok(Some(format!("TypeScript and Prettier could not be installed: {error:#}")));
        }
    }
    process::run(Command::new("node").arg(checker).arg("--project").arg(root().join(CONFIG)))?;
    process::run(Command::new("node").arg(formatter).arg("--check").args(SCRIPTS).current_dir(root()))?;
    Ok(None)
}
