//! The care checkers side by side with the npm package they come from, on the labelled exchanges of this project.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use probare_core::{Case, Metric, Profile, Sample};
use probare_metrics::registry;
use serde_json::{Value as Json, json};

use crate::corpus::care;
use crate::{against, processor_time, program};

/// Rows that both programs see.
const ROWS: usize = 20_000;
const CHECKS: [&str; 3] = ["agency_language", "unverifiable_reassurance", "topic_pivot"];

/// The exchanges again and again, as a file of the original's format.
fn write_cases(file: &Path) -> Result<Vec<Case>, Box<dyn Error>> {
    let cases = care::cases(ROWS)?;
    let mut lines = String::new();
    for case in &cases {
        let reply = case.response.as_ref().map(|output| &output.text);
        let row = json!({"id": case.id, "user": case.query, "assistant": reply, "checks": CHECKS});
        lines.push_str(&format!("{row}\n"));
    }
    fs::write(file, lines)?;
    Ok(cases)
}

/// Processor seconds for the three checkers over all rows.
fn ours(profile: Profile, cases: &[Case]) -> Result<f64, Box<dyn Error>> {
    let metrics: Vec<Box<dyn Metric>> = CHECKS
        .iter()
        .map(|id| Ok(registry().get(id)?.build(Json::Null, profile)?))
        .collect::<Result<_, Box<dyn Error>>>()?;
    let pass = |cases: &[Case]| {
        for case in cases {
            for metric in &metrics {
                // A violation and a failure take the same time; only the time is looked at here.
                let _ = metric.score(Sample::of(case));
            }
        }
    };
    pass(&cases[..cases.len().min(500)]);
    let start = processor_time::seconds().ok_or("this system does not tell the processor time")?;
    pass(cases);
    Ok(processor_time::seconds().unwrap_or(start) - start)
}

/// The package in a folder of its own, installed if it is not there.
fn package(folder: &Path) -> Result<PathBuf, String> {
    let place = folder.join("node_modules/@mcptoolshop/synthesis");
    if !place.is_dir() {
        let installed = Command::new("npm")
            .args(["install", "--silent", "--no-save", "--prefix"])
            .arg(folder)
            .arg("@mcptoolshop/synthesis")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|error| format!("npm cannot be started: {error}"))?;
        if !installed.success() || !place.is_dir() {
            return Err("the package cannot be installed".to_owned());
        }
    }
    Ok(place)
}

/// Prints both rates and their ratio, for the checkers alone and for the whole commands.
pub fn side_by_side(folder: &Path) -> Result<(), Box<dyn Error>> {
    let file = folder.join("exchanges.jsonl");
    let cases = write_cases(&file)?;
    let package = match package(folder) {
        Ok(package) => package,
        Err(reason) => {
            println!("{:24} left out: {reason}", "care checkers");
            return Ok(());
        }
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("node/synthesis_reference.mjs");
    let shown = (package.display().to_string(), file.display().to_string());
    match against::script("node", &script, &[&shown.0, &shown.1]) {
        Ok(theirs) => {
            let their_rate = theirs.rows as f64 / theirs.seconds;
            for profile in [Profile::Reference, Profile::Careful] {
                let rate = ROWS as f64 / ours(profile, &cases)?;
                let name = format!("care checkers, {profile}");
                against::line(&name, their_rate, rate, &format!("({})", theirs.version));
            }
        }
        Err(reason) => println!("{:24} left out: {reason}", "care checkers"),
    }
    let out = folder.join("synthesis-report.json");
    let arguments = |command: &mut Command, schema: bool| {
        command.arg("--cases").arg(&file).arg("--out").arg(&out).args(["--fail-on", "1000000"]);
        if schema {
            command.arg("--schema").arg(package.join("schemas/eval_case.schema.json"));
        }
    };
    let mut original = Command::new("node");
    original.arg(package.join("dist/index.js"));
    arguments(&mut original, true);
    let mut probare = Command::new(std::env::current_exe()?.with_file_name("probare"));
    probare.arg("synthesis");
    arguments(&mut probare, false);
    match (program::used(&mut original), program::used(&mut probare)) {
        (Some(theirs), Some(ours)) => {
            let (their_rate, rate) = (ROWS as f64 / theirs.seconds, ROWS as f64 / ours.seconds);
            against::line("synthesis command", their_rate, rate, "");
        }
        _ => println!("{:24} left out: one of the commands failed", "synthesis command"),
    }
    Ok(())
}
