//! The care checkers side by side with the npm package they come from, on the labelled exchanges of this project.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use probare_benchmarks::registry;
use probare_core::{Case, Profile, Sample, Scorer};
use serde_json::{Value as Json, json};

use crate::comparison::{self, RUNS};
use crate::corpus::{care, save};
use crate::{processor_time, program};

/// Rows that both programs see.
const ROWS: usize = 20_000;
const PROFILES: [Profile; 2] = [Profile::Published, Profile::Improved];
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
    save(file, lines)?;
    Ok(cases)
}

/// Rows per CPU-second of the three checkers in one window of at least so many seconds.
fn rate(profile: Profile, cases: &[Case], least: f64) -> Result<f64, Box<dyn Error>> {
    let metrics: Vec<Scorer> = CHECKS
        .iter()
        .map(|id| Ok(registry().get(id)?.build(Json::Null, profile)?))
        .collect::<Result<_, Box<dyn Error>>>()?;
    let pass = |cases: &[Case]| {
        for case in cases {
            for metric in &metrics {
                // A violation and a failure take the same time; only the time is looked at here.
                let _ = metric.score(Sample::from_case(case));
            }
        }
    };
    pass(&cases[..cases.len().min(500)]);
    let rate = processor_time::rate_in_window(cases.len(), least, || pass(cases));
    Ok(rate.ok_or("this system does not tell the processor time")?)
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
    checkers(&package, &file, &cases)?;
    commands(folder, &package, &file)
}

/// The three checkers alone.
fn checkers(package: &Path, file: &Path, cases: &[Case]) -> Result<(), Box<dyn Error>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("node/synthesis_reference.mjs");
    let shown = (package.display().to_string(), file.display().to_string());
    let (mut theirs, mut version) = (0.0_f64, String::new());
    let mut ours = PROFILES.map(|profile| (profile, 0.0_f64));
    for _ in 0..RUNS {
        let measured = match comparison::run_measurement("node", &script, &[&shown.0, &shown.1]) {
            Ok(measured) => measured,
            Err(reason) => {
                println!("{:24} left out: {reason}", "care checkers");
                return Ok(());
            }
        };
        theirs = theirs.max(measured.rate());
        for (profile, best) in &mut ours {
            *best = best.max(rate(*profile, cases, measured.seconds)?);
        }
        version = measured.version;
    }
    for (profile, ours) in ours {
        comparison::print_line(&format!("care checkers, {profile}"), theirs, ours, &format!("({version})"));
    }
    Ok(())
}

/// The whole commands, from their start to their end.
fn commands(folder: &Path, package: &Path, file: &Path) -> Result<(), Box<dyn Error>> {
    let out = folder.join("synthesis-report.json");
    let arguments = |command: &mut Command| {
        command.arg("--cases").arg(file).arg("--out").arg(&out).args(["--fail-on", "1000000"]);
    };
    let mut original = Command::new("node");
    original.arg(package.join("dist/index.js"));
    arguments(&mut original);
    original.arg("--schema").arg(package.join("schemas/eval_case.schema.json"));
    let mut probare = Command::new(program::path()?);
    probare.arg("synthesis");
    arguments(&mut probare);
    let (mut theirs, mut ours) = (0.0_f64, 0.0_f64);
    for _ in 0..RUNS {
        let (Some(their_rate), Some(rate)) = (command_rate(&mut original), command_rate(&mut probare)) else {
            println!("{:24} left out: one of the commands failed", "synthesis command");
            return Ok(());
        };
        theirs = theirs.max(their_rate);
        ours = ours.max(rate);
    }
    comparison::print_line("synthesis command", theirs, ours, "");
    Ok(())
}

/// Rows per CPU-second of a command. The system tells the time of programs in hundredths of seconds, so a quick command
/// runs until one of them does not count.
fn command_rate(command: &mut Command) -> Option<f64> {
    let (mut rows, mut seconds) = (0, 0.0);
    while seconds < 1.0 {
        seconds += program::measure_command(command)?.seconds;
        rows += ROWS;
    }
    Some(rows as f64 / seconds)
}
