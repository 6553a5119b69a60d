//! The whole program on a file of cases: rows per CPU-second and the most memory it held.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;
use std::{env, fs};

use crate::corpus::{self, Sizes};
use crate::processor_time;

/// Rows of two short texts each.
const SHORT_ROWS: usize = 100_000;
/// Rows of a response with its passages, and how many of them a full run takes.
const LONG_ROWS: usize = 1_000;
const FULL_LONG_ROWS: usize = 10_000;
/// How often the memory of a running program is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// What a program used from start to end.
#[derive(Debug, Clone, Copy)]
pub struct ResourceUsage {
    /// Processor time.
    pub seconds: f64,
    /// The most memory it held, in bytes, where the system tells.
    pub memory: Option<u64>,
}

/// Runs a program; nothing where it fails or the system does not tell its processor time.
pub fn measure_command(command: &mut Command) -> Option<ResourceUsage> {
    let before = processor_time::children_seconds()?;
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let mut memory = None;
    let status = loop {
        // The highest mark only rises, so the last look before the end misses little.
        memory = memory.max(peak_memory(child.id()));
        match child.try_wait().ok()? {
            Some(status) => break status,
            None => sleep(POLL_INTERVAL),
        }
    };
    status.success().then_some(())?;
    Some(ResourceUsage { seconds: processor_time::children_seconds()? - before, memory })
}

/// The most memory that a running program has held so far, in bytes (from `/proc`).
fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Where the program is expected: beside this one.
pub fn path() -> Result<PathBuf, Box<dyn Error>> {
    let program = env::current_exe()?.with_file_name("probare");
    if program.is_file() { Ok(program) } else { Err(format!("{} is not built", program.display()).into()) }
}

/// Prints a line for each measurement whose name contains `filter`.
pub fn print(folder: &Path, filter: &str, full: bool) -> Result<(), Box<dyn Error>> {
    let short: &[(&str, &[&str])] = &[
        ("probare score -j 1 (token_f1, exact_match)", &["-m", "token_f1", "-m", "exact_match", "-j", "1"]),
        ("probare score -j 2 (token_f1, exact_match)", &["-m", "token_f1", "-m", "exact_match", "-j", "2"]),
    ];
    let long: &[(&str, &[&str])] = &[
        ("probare score -j 1 (hallucination)", &["-m", "hallucination", "-j", "1"]),
        ("probare score -j 1 (hallucination, improved)", &["-m", "hallucination", "--profile", "improved", "-j", "1"]),
    ];
    let long_rows = if full { FULL_LONG_ROWS } else { LONG_ROWS };
    let files = [
        (short, SHORT_ROWS, Sizes { query: 10, response: 20, reference: 8, context: 0 }),
        (long, long_rows, Sizes { query: 20, response: 120, reference: 10, context: 400 }),
    ];
    let is_wanted = |name: &str| name.contains(filter);
    if !short.iter().chain(long).any(|(name, _)| is_wanted(name)) {
        return Ok(());
    }
    println!("\n{:48} {:>16} {:>8} {:>12}", "whole program", "rows/CPU-second", "rows", "peak memory");
    let program = match path() {
        Ok(program) => program,
        Err(reason) => {
            println!("left out: {reason}");
            return Ok(());
        }
    };
    for (runs, rows, sizes) in files {
        let wanted: Vec<_> = runs.iter().filter(|(name, _)| is_wanted(name)).collect();
        if wanted.is_empty() {
            continue;
        }
        let file = folder.join("rows.jsonl");
        corpus::save(&file, corpus::lines(&corpus::cases(rows, sizes, 11))?)?;
        for (name, arguments) in wanted {
            match measure_command(Command::new(&program).arg("score").arg(&file).args(*arguments)) {
                Some(used) => {
                    let memory = used.memory.map_or("unknown".to_owned(), |bytes| format!("{} MB", bytes / 1_000_000));
                    println!("{name:48} {:>16.0} {rows:>8} {memory:>12}", rows as f64 / used.seconds);
                }
                None => println!("{name:48} left out: the run failed"),
            }
        }
    }
    if !full && is_wanted("hallucination") {
        println!("(--full takes {FULL_LONG_ROWS} rows of 120 words with passages of 400)");
    }
    Ok(())
}
