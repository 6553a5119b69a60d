//! The programs that run a solution with its tests, and what they wrote down.
//!
//! The solution runs in a sandbox of its own, with a worker that calls it. The tests run in another one. Plain values cross
//! by a pipe each way, and are compared where the tests are: the solution sees neither tests nor expected values, and has no
//! way to the report. Tests that need more run beside the solution, if the user says so ([`Place::Inside`]).

use probare_core::{End, ErrorKind, Program, Ran, RanStep, ScoreError, Sha256, Step};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::solution::Task;

const INSIDE: &str = include_str!("inside.py");
const HARNESS: &str = include_str!("probare_harness.py");
const WORKER: &str = include_str!("probare_worker.py");
const TALK: &str = include_str!("probare_talk.py");
const REPORT: &str = "report.json";

/// Least MiB of the sandbox of the tests: what they are made of is not the solution's to pay for.
const TESTS_MEBIBYTES: u32 = 512;

/// Codes by which a shell says that a program is not there or cannot be started.
const NOT_STARTED: [i32; 2] = [126, 127];

/// Where tests run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In a sandbox of their own: the code sees no test, and plain values cross.
    #[default]
    Outside,
    /// In the process of the code, where anything can be tested and everything can be cheated.
    Inside,
}

/// What a run may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Which Python.
    pub environment: String,
    /// Seconds.
    pub seconds: u32,
    /// MiB.
    pub mebibytes: u32,
    /// Where the tests run.
    pub tests: Place,
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
    /// It made too many files.
    TooManyFiles,
    /// It ended the program before its tests had run, with this code.
    Early(i32),
    /// It was ended from outside.
    Ended,
}

/// What the tests wrote down, in a sandbox of their own.
#[derive(Deserialize)]
struct Outside {
    here: bool,
    gone: bool,
    solution: Option<String>,
    tests: Vec<Option<String>>,
    needs: Option<String>,
}

/// What was written down beside the solution.
#[derive(Deserialize)]
struct Inside {
    word: String,
    solution: Option<String>,
    tests: Vec<Option<String>>,
}

/// The word that a report from inside has to end with. The same for the same solution and tests, so that a recorded run
/// stays valid. It keeps out accidents and not cheats, which can read it.
fn word(task: &Task) -> String {
    let mut hash = Sha256::default();
    hash.update(task.solution.as_bytes());
    for test in &task.tests {
        hash.update(b"\0");
        hash.update(test.as_bytes());
    }
    hash.hex()
}

/// The program for the sandbox.
pub fn program(task: &Task, terms: &Terms) -> Program {
    let named = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let step = |file: &str, input: String| Step { input, ..Step::new(&["python3", file], terms.seconds) };
    let under_test = |files: Vec<(String, String)>, step: Step| Program {
        environment: terms.environment.clone(),
        files,
        steps: vec![step],
        mebibytes: terms.mebibytes,
        ..Program::default()
    };
    let solution = named("solution.py", &task.solution);
    if terms.tests == Place::Inside {
        let input = format!("{}\n", json!({ "word": word(task), "tests": task.tests }));
        let files = vec![named("harness.py", INSIDE), solution];
        return Program { wanted: vec![REPORT.to_owned()], ..under_test(files, step("harness.py", input)) };
    }
    let files = vec![named("probare_talk.py", TALK), named("probare_worker.py", WORKER), solution];
    let input = json!({ "tests": task.tests, "before": task.before, "entry": task.entry });
    Program {
        environment: terms.environment.clone(),
        files: vec![named("probare_talk.py", TALK), named("probare_harness.py", HARNESS)],
        steps: vec![step("probare_harness.py", format!("{input}\n"))],
        wanted: vec![REPORT.to_owned()],
        mebibytes: terms.mebibytes.max(TESTS_MEBIBYTES),
        under_test: Some(Box::new(under_test(files, step("probare_worker.py", String::new())))),
        ..Program::default()
    }
}

/// Reads what became of it. An error where nothing can be said about the solution: it was never started, or its tests
/// cannot be run this way.
pub fn read(ran: &Ran, task: &Task, terms: &Terms) -> Result<Tested, ScoreError> {
    let Some(step) = ran.steps.first() else { return Err(failed("nothing was run")) };
    let report = ran.files.iter().find(|(name, _)| name == REPORT).map(|(_, text)| text.as_str());
    match terms.tests {
        Place::Inside => read_inside(step, report, task),
        Place::Outside => read_outside(step, report, ran.under_test.as_deref(), task),
    }
}

fn read_inside(step: &RanStep, report: Option<&str>, task: &Task) -> Result<Tested, ScoreError> {
    if let Some(stopped) = Stopped::by(step.end) {
        return Ok(Tested::Stopped(stopped));
    }
    let report = report.and_then(|text| serde_json::from_str::<Inside>(text).ok());
    match report.filter(|report| report.word == word(task)) {
        Some(Inside { solution: Some(error), .. }) => Ok(Tested::Broken(error)),
        Some(Inside { tests: told, .. }) if told.len() == task.tests.len() => Ok(Tested::Tests(told)),
        _ => early(step),
    }
}

fn read_outside(
    step: &RanStep,
    report: Option<&str>,
    under_test: Option<&Ran>,
    task: &Task,
) -> Result<Tested, ScoreError> {
    let Some(worker) = under_test.and_then(|ran| ran.steps.first()) else {
        return Err(failed("the code was not started"));
    };
    // What the solution is ended for comes first; then what its values did to the tests, which is its doing too.
    if let Some(stopped) = Stopped::by(worker.end).or_else(|| Stopped::by(step.end)) {
        return Ok(Tested::Stopped(stopped));
    }
    let report = report.and_then(|text| serde_json::from_str::<Outside>(text).ok());
    let Some(report) = report else {
        let words = step.errors.trim().lines().last().unwrap_or("they left no report");
        return Err(failed(&format!("the tests could not be run: {words}")));
    };
    match report {
        Outside { needs: Some(words), .. } => Err(failed(&words)),
        Outside { solution: Some(error), .. } => Ok(Tested::Broken(error)),
        // Before its first word no line of the solution has run.
        Outside { here: false, .. } => {
            let code = worker.code.map(|code| format!(" (code {code})")).unwrap_or_default();
            Err(failed(&format!("Python could not be started in the sandbox{code}")))
        }
        Outside { gone: true, .. } => Ok(Tested::Stopped(worker.code.map_or(Stopped::Ended, Stopped::Early))),
        Outside { tests: told, .. } if told.len() == task.tests.len() => Ok(Tested::Tests(told)),
        Outside { .. } => Err(failed("the tests did not come to their end")),
    }
}

/// A step that ended without a report. A shell's word that there was nothing to start is none about the solution.
fn early(step: &RanStep) -> Result<Tested, ScoreError> {
    match step.code {
        Some(code) if NOT_STARTED.contains(&code) => {
            Err(failed(&format!("Python could not be started in the sandbox (code {code})")))
        }
        Some(code) => Ok(Tested::Stopped(Stopped::Early(code))),
        None => Ok(Tested::Stopped(Stopped::Ended)),
    }
}

/// What the sandbox did not permit, at the end of what a test or the code raised.
pub fn refused(error: &str) -> Option<&str> {
    error.find("the sandbox does not permit").map(|at| &error[at..])
}

fn failed(reason: &str) -> ScoreError {
    ScoreError::other(ErrorKind::Failed, reason)
}

impl Stopped {
    /// Why a step was ended from outside.
    const fn by(end: End) -> Option<Self> {
        match end {
            End::TimedOut => Some(Self::TimedOut),
            End::OutOfMemory => Some(Self::OutOfMemory),
            End::TooMuchOutput => Some(Self::TooMuchOutput),
            End::TooManyFiles => Some(Self::TooManyFiles),
            End::Exited => None,
        }
    }

    /// In words.
    pub fn words(&self) -> String {
        match self {
            Self::TimedOut => "its time was over".to_owned(),
            Self::OutOfMemory => "it took more memory than it may".to_owned(),
            Self::TooMuchOutput => "it printed more than it may".to_owned(),
            Self::TooManyFiles => "it made more files than it may".to_owned(),
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
            Self::TooManyFiles => "too_many_files",
            Self::Early(_) | Self::Ended => "ended_early",
        }
    }
}
