//! Transcripts written anew by the packages whose shapes are read: those of `tests/transcripts` have to come out byte for byte.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::process::{self, is_installed, root};
use crate::test::environment;

/// The package from the registry of npm; those of Python stand in `tests/transcripts/requirements.txt`.
const VERCEL_AI: &str = "ai@6.0.326";

/// Written after a documentation, by no package.
const BY_HAND: [&str; 2] = ["claude_code.json", "tau2.json"];

/// Makes and compares them; the reason where this machine cannot make all of them.
pub fn run() -> Result<Option<String>> {
    let scripts = root().join("tests/transcripts");
    let folder = root().join("target/transcripts");
    let python = match environment("target/transcripts", &scripts.join("requirements.txt")) {
        Ok(python) => python,
        Err(reason) => return Ok(Some(reason)),
    };
    let written = folder.join("written");
    if written.exists() {
        fs::remove_dir_all(&written)?;
    }
    fs::create_dir_all(&written)?;
    process::run(Command::new(&python).arg(scripts.join("make.py")).arg(&written))?;
    let reason = make_vercel(&scripts, &folder.join("npm"), &written)?;
    let mut equal = 0;
    for entry in fs::read_dir(&scripts)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_made = path.extension().is_some_and(|ending| ending == "json") && !BY_HAND.contains(&name.as_str());
        if !is_made || reason.is_some() && name.starts_with("vercel_") {
            continue;
        }
        let anew = fs::read(written.join(&name)).unwrap_or_default();
        ensure!(
            anew == fs::read(&path)?,
            "{name}: the package writes it otherwise now, or not at all; compare {} with {}. After a new version run the tests on \
             what it writes: PROBARE_TRANSCRIPTS={} cargo test --package probare-formats --test it transcripts",
            written.join(&name).display(),
            path.display(),
            written.display()
        );
        equal += 1;
    }
    eprintln!("transcripts: {equal} written anew, byte for byte as they stand in tests/transcripts");
    Ok(reason)
}

/// Those of the Vercel AI library.
fn make_vercel(scripts: &Path, folder: &Path, written: &Path) -> Result<Option<String>> {
    if !is_installed("npm", "--version") {
        return Ok(Some("npm is not installed, so those of the Vercel AI library were not made".to_owned()));
    }
    fs::create_dir_all(folder)?;
    let mut install = Command::new("npm");
    install.args(["install", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(folder).arg(VERCEL_AI);
    if let Err(error) = process::run(&mut install) {
        return Ok(Some(format!("npm cannot install {VERCEL_AI}: {error:#}")));
    }
    process::run(Command::new("node").arg(scripts.join("make.mjs")).arg(written).current_dir(folder))?;
    Ok(None)
}
