//! Side by side with other implementations: the same rows through Python or JavaScript, timed on their own processor clock.
//!
//! A script reads a file, computes, and prints one JSON object. Mostly that is a [`Measurement`]:
//! `{"rows": N, "seconds": S, "total": sum of values, "version": "…"}`. The totals show that both computed the same.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// What a script measured.
#[derive(Debug, Clone, Deserialize)]
pub struct Measurement {
    /// Rows computed.
    pub rows: usize,
    /// Processor seconds.
    pub seconds: f64,
    /// Sum of all values.
    pub total: f64,
    /// Library and version.
    pub version: String,
}

impl Measurement {
    /// Rows per CPU-second.
    pub fn rate(&self) -> f64 {
        self.rows as f64 / self.seconds
    }
}

/// How often each side runs, in turn: one window each, ours at least as long as theirs was. The best of its runs counts:
/// whatever else a machine does only slows a run down.
pub const RUNS: usize = 3;

/// Prints the names of the columns.
pub fn print_header() {
    println!("\n{:24} {:>14} {:>14} {:>9}  same", "against", "theirs", "ours", "ratio");
}

/// Prints both rates, their ratio, and what is to be said about the results.
pub fn print_line(name: &str, theirs: f64, ours: f64, same: &str) {
    println!("{name:24} {:>14} {:>14} {:>8}x  {same}", short(theirs), short(ours), short(ours / theirs));
}

/// A number with a decimal where it is small.
fn short(number: f64) -> String {
    if number < 100.0 { format!("{number:.1}") } else { format!("{number:.0}") }
}

/// A suite beside its transcription in Python, in turn: prints both rates, their ratio and whether the totals agree. `rate`
/// measures ours, for at least as many seconds.
pub fn compare_in_turn(
    name: &str,
    script_name: &str,
    arguments: &[&str],
    (rows, what): (usize, &str),
    total: f64,
    mut rate: impl FnMut(f64) -> Result<f64, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("python").join(script_name);
    let (mut ours, mut theirs) = (0.0_f64, 0.0_f64);
    let (mut is_same, mut version) = (true, String::new());
    for _ in 0..RUNS {
        match run_measurement("python3", &path, arguments) {
            Ok(measured) => {
                theirs = theirs.max(measured.rate());
                ours = ours.max(rate(measured.seconds)?);
                is_same &= measured.rows == rows && (total - measured.total).abs() <= 1e-6 * total.abs().max(1.0);
                version = measured.version;
            }
            Err(reason) => {
                println!("{name:24} left out: {reason}");
                return Ok(());
            }
        }
    }
    let same = if is_same { "yes" } else { "no" };
    print_line(name, theirs, ours, &format!("{same} ({version}, {rows} {what})"));
    Ok(())
}

/// Runs a script with arguments; the reason where it cannot run.
pub fn run_measurement(program: &str, script: &Path, arguments: &[&str]) -> Result<Measurement, String> {
    run_script(program, script, arguments)
}

/// Runs a script that prints something else than a [`Measurement`]; the reason where it cannot run.
pub fn run_script<T: DeserializeOwned>(program: &str, script: &Path, arguments: &[&str]) -> Result<T, String> {
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
