//! `cargo x dist`: what is published, made here: a program that needs nothing else on the machine, the wheel and its sources, a bill of
//! materials and checksums. `--try` runs the quick start with each in a bare root folder without network.
//!
//! `target/dist` holds what is uploaded and nothing else; `tests/release/play.py` runs the release workflow with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::process::{self, cargo, root};
use crate::{python, sbom};

/// The target that the developers build and try.
const TESTED_TARGET: &str = "x86_64-unknown-linux-gnu";

/// Build the program and the wheel as they are published.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Target to build for
    #[arg(long, default_value = TESTED_TARGET)]
    target: String,
    /// Profile to build with; another one than that of what is published is for a trial that should not take long
    #[arg(long, default_value = "dist")]
    profile: String,
    /// Build the wheel and its source distribution, too
    #[arg(long)]
    wheel: bool,
    /// Pack this program instead of building one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Run the quick start with what was built, in a bare root folder (as root; the wheel needs debootstrap)
    #[arg(long = "try")]
    tries: bool,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<()> {
    let (target, profile) = (arguments.target.as_str(), arguments.profile.as_str());
    let name = if target.contains("windows") { "probare.exe" } else { "probare" };
    let program = match &arguments.program {
        Some(program) => program.clone(),
        None => build(target, profile, name)?,
    };
    let dist = empty_folder("target/dist")?;
    let folder_name = format!("probare-{target}");
    // Beside `dist`: a folder there would be uploaded, and a release takes files alone.
    let folder = empty_folder("target/dist-program")?.join(&folder_name);
    fs::create_dir(&folder)?;
    fs::copy(&program, folder.join(name)).with_context(|| format!("cannot copy {}", program.display()))?;
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md"] {
        fs::copy(root().join(file), folder.join(file))?;
    }
    let archive = dist.join(format!("probare-{}-{target}.tar.gz", env!("CARGO_PKG_VERSION")));
    let parent = root().join("target/dist-program");
    process::run(Command::new("tar").current_dir(parent).arg("-czf").arg(&archive).arg(folder_name))?;
    let materials = dist.join(format!("probare-{}-{target}.cdx.json", env!("CARGO_PKG_VERSION")));
    fs::write(materials, sbom::sbom(target)?)?;
    let wheel = if arguments.wheel { Some(python::dist_wheel(&dist, profile)?) } else { None };
    for line in write_checksums(&dist)? {
        println!("{line}");
    }
    if arguments.tries {
        if target != TESTED_TARGET {
            bail!("{target} cannot be tried here, only {TESTED_TARGET}");
        }
        try_program(&folder.join(name))?;
        if let Some(wheel) = &wheel {
            try_wheel(wheel)?;
        }
    }
    Ok(())
}

/// Builds the program for a target and gives its place.
fn build(target: &str, profile: &str, name: &str) -> Result<PathBuf> {
    let mut build = cargo(&["build", "--profile", profile, "--package", "probare-cli", "--target", target]);
    if target.contains("-linux-gnu") {
        // One file that does not ask which C library is there.
        build.env("RUSTFLAGS", "-C target-feature=+crt-static");
    }
    process::run(&mut build)?;
    // The development profile has a folder of another name.
    let built = if profile == "dev" { "debug" } else { profile };
    Ok(root().join("target").join(target).join(built).join(name))
}

/// Writes `SHA256SUMS` for the files of a folder, as `sha256sum` does, and gives its lines.
fn write_checksums(folder: &Path) -> Result<Vec<String>> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.sort();
    let mut lines = Vec::with_capacity(files.len());
    for file in files {
        let name = file.file_name().context("a file has no name")?.to_string_lossy().into_owned();
        let digest = Sha256::digest(fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        lines.push(format!("{digest}  {name}"));
    }
    fs::write(folder.join("SHA256SUMS"), lines.join("\n") + "\n")?;
    Ok(lines)
}

/// The quick start, in a root folder that holds the program and the example and nothing else, without network.
fn try_program(program: &Path) -> Result<()> {
    let bare = empty_folder("target/bare-program")?;
    fs::copy(program, bare.join("probare"))?;
    fs::copy(root().join("examples/quickstart.jsonl"), bare.join("quickstart.jsonl"))?;
    let line = ["/probare", "score", "/quickstart.jsonl", "-m", "token_f1", "-m", "rouge_l", "-o", "/report.html"];
    process::run(without_network(&bare).args(line))?;
    process::run(without_network(&bare).args(["/probare", "verify", "/report.html"]))
}

/// The same with the wheel, in a root folder with Python alone.
fn try_wheel(wheel: &Path) -> Result<()> {
    if !process::is_installed("debootstrap", "--version") {
        process::run(Command::new("apt-get").args(["install", "-y", "debootstrap"]))?;
    }
    let bare = root().join("target/bare-python");
    if !bare.join("usr/bin/python3").exists() {
        let bare = empty_folder("target/bare-python")?;
        let include = "--include=python3,python3-pip,python3-venv";
        process::run(Command::new("debootstrap").args(["--variant=minbase", include, "stable"]).arg(bare))?;
    }
    let file = wheel.file_name().context("the wheel has no name")?;
    fs::copy(wheel, bare.join("root").join(file))?;
    fs::copy(root().join("examples/quickstart.jsonl"), bare.join("root/quickstart.jsonl"))?;
    let python = "import probare; print(probare.score('quickstart.jsonl', metrics=['token_f1', 'rouge_l'], \
                  output=['results.jsonl', 'report.html'])); assert probare.verify('results.jsonl')";
    let script = format!(
        "cd /root && rm -rf venv && python3 -m venv venv && venv/bin/pip install --quiet --no-index /root/{} && \
         venv/bin/python -c \"{python}\" && venv/bin/probare verify report.html",
        file.to_string_lossy()
    );
    process::run(without_network(&bare).args(["/bin/sh", "-c", &script]))
}

/// A folder of the project, made anew.
fn empty_folder(name: &str) -> Result<PathBuf> {
    let folder = root().join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// What starts a program in another root folder and in a network of its own, where there is nobody.
fn without_network(bare: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "chroot"]).arg(bare);
    command
}
