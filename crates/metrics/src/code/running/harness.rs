//! The program that runs a solution with its tests, and what it wrote down.

use probare_core::{End, Program, Ran, Step};
use serde::Deserialize;
use serde_json::json;

const HARNESS: &str = include_str!("harness.py");
const REPORT: &str = "report.json";

/// What a run may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Which Python.
    pub environment: String,
    /// Seconds.
    pub seconds: u32,
    /// MiB.
    pub mebibytes: u32,
}

/// What became of a solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tested {
    /// It did not come to its end: why.
    Stopped(Stopped),
    /// The solution itself raised something, before any test.
    Broken(String),
    /// What each test raised.
    Tests(Vec<Option<String>>),
}

/// Why a solution did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// Its time was over.
    TimedOut,
    /// It took too much memory.
    OutOfMemory,
    /// It printed too much.
    TooMuchOutput,
    /// It ended the program before its tests had run, with this code.
    Early(i32),
    /// It was ended from outside.
    Ended,
}

#[derive(Deserialize)]
struct Report {
    word: String,
    solution: Option<String>,
    tests: Vec<Option<String>>,
}

/// The word that a report has to end with. The same for the same solution and tests, so that a recorded run stays
/// valid; a solution would have to hold the digest of itself to know it.
fn word(solution: &str, tests: &[String]) -> String {
    let mut hash = probare_core::Sha256::default();
    hash.update(solution.as_bytes());
    for test in tests {
        hash.update(b"\0");
        hash.update(test.as_bytes());
    }
    hash.hex()
}

/// The program for the sandbox.
pub fn program(solution: &str, tests: &[String], terms: &Terms) -> Program {
    let mut step = Step::new(&["python3", "harness.py"], terms.seconds);
    step.input = format!("{}\n", json!({ "word": word(solution, tests), "tests": tests }));
    Program {
        environment: terms.environment.clone(),
        files: vec![("harness.py".to_owned(), HARNESS.to_owned()), ("solution.py".to_owned(), solution.to_owned())],
        steps: vec![step],
        wanted: vec![REPORT.to_owned()],
        mebibytes: terms.mebibytes,
        ..Program::default()
    }
}

/// Reads what became of it.
pub fn read(ran: &Ran, solution: &str, tests: &[String]) -> Tested {
    let Some(step) = ran.steps.first() else { return Tested::Stopped(Stopped::Ended) };
    match step.end {
        End::TimedOut => return Tested::Stopped(Stopped::TimedOut),
        End::OutOfMemory => return Tested::Stopped(Stopped::OutOfMemory),
        End::TooMuchOutput => return Tested::Stopped(Stopped::TooMuchOutput),
        End::Exited => {}
    }
    let report = ran.files.iter().find(|(name, _)| name == REPORT);
    let report = report.and_then(|(_, text)| serde_json::from_str::<Report>(text).ok());
    match report.filter(|report| report.word == word(solution, tests)) {
        Some(Report { solution: Some(error), .. }) => Tested::Broken(error),
        Some(Report { tests: told, .. }) if told.len() == tests.len() => Tested::Tests(told),
        _ => Tested::Stopped(step.code.map_or(Stopped::Ended, Stopped::Early)),
    }
}

impl Stopped {
    /// In words.
    pub fn words(&self) -> String {
        match self {
            Self::TimedOut => "its time was over".to_owned(),
            Self::OutOfMemory => "it took more memory than it may".to_owned(),
            Self::TooMuchOutput => "it printed more than it may".to_owned(),
            Self::Early(code) => format!("it ended the program with code {code} before its tests had run"),
            Self::Ended => "it was ended from outside".to_owned(),
        }
    }

    /// As a label.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::TimedOut => "timed_out",
            Self::OutOfMemory => "out_of_memory",
            Self::TooMuchOutput => "too_much_output",
            Self::Early(_) | Self::Ended => "ended_early",
        }
    }
}
