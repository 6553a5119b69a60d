//! The viewer in a browser, by axe-core: `tests/viewer`. npm brings axe-core and playwright-core; the browser is the one of the machine.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, is_installed, root};

/// What looks, and what drives the browser.
const PACKAGES: [&str; 2] = ["axe-core@4.14.1", "playwright-core@1.65.1"];

/// Looks at every view; the reason where this machine cannot.
pub fn run() -> Result<Option<String>> {
    let folder = root().join("target/viewer");
    for program in ["node", "chromium"] {
        if !is_installed(program, "--version") {
            return Ok(Some(format!("{program} is not installed")));
        }
    }
    if !["axe-core", "playwright-core"].iter().all(|name| folder.join("node_modules").join(name).is_dir()) {
        if !is_installed("npm", "--version") {
            return Ok(Some("npm is not installed".to_owned()));
        }
        std::fs::create_dir_all(&folder)?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(&folder).args(PACKAGES);
        if let Err(error) = process::run(&mut install) {
            return Ok(Some(format!("axe-core could not be installed: {error:#}")));
        }
    }
    let script = root().join("tests/viewer/accessibility.mjs");
    let (modules, pictures) = (folder.join("node_modules"), folder.join("pictures"));
    process::run(Command::new("node").arg(script).arg(modules).arg(process::program()).arg(pictures))?;
    Ok(None)
}
