//! The programs that run a solution with its tests, and what they wrote down.
//!
//! The solution runs in a sandbox of its own, with a worker that calls it. The tests run in another one. Plain values cross
//! by a pipe each way, and are compared where the tests are: the solution sees neither tests nor expected values, and has no
//! way to the report. Tests that need more run beside the solution, if the user says so ([`TestPlacement::Inside`]).

use probare_core::{ErrorKind, Program, ProgramResult, ProgramStep, ScoreError, Sha256, StepEnd, StepResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::solution::CodeTask;

const INSIDE: &str = include_str!("inside.py");
const HARNESS: &str = include_str!("probare_harness.py");
const WORKER: &str = include_str!("probare_worker.py");
const TALK: &str = include_str!("probare_talk.py");
const FORMS: &str = include_str!("probare_forms.py");
const REPORT: &str = "report.json";

/// Least MiB of the sandbox of the tests: what they are made of is not the solution's to pay for.
const TESTS_MEBIBYTES: u32 = 512;

/// What the tests print before anything comes from the solution.
const BEGUN: &str = "the tests begin\n";

/// Codes by which a shell says that a program is not there or cannot be started.
const NOT_STARTED: [i32; 2] = [126, 127];

/// From here on a shell's code stands for a signal.
const SIGNALLED: i32 = 128;

/// Where tests run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestPlacement {
    /// In a sandbox of their own: the code sees no test, and plain values cross.
    #[default]
    Outside,
    /// In the process of the code, where anything can be tested and everything can be cheated.
    Inside,
}

/// What a run may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestRunSettings {
    /// Which Python.
    pub environment: String,
    /// Seconds.
    pub seconds: u32,
    /// MiB.
    pub mebibytes: u32,
    /// Where the tests run.
    pub tests: TestPlacement,
}

/// What became of a solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestOutcome {
    /// It did not come to its end: why.
    Stopped(StopCause),
    /// The solution itself raised something, before any test.
    Broken(String),
    /// What each test raised.
    Tests(Vec<Option<String>>),
}

/// Why a solution did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopCause {
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
struct IsolatedReport {
    here: bool,
    gone: bool,
    solution: Option<String>,
    tests: Vec<Option<String>>,
    needs: Option<String>,
}

/// What was written down beside the solution.
#[derive(Deserialize)]
struct InProcessReport {
    word: String,
    solution: Option<String>,
    tests: Vec<Option<String>>,
    needs: Option<String>,
}

/// The word that a report from inside has to end with. The same for the same solution and tests, so that a recorded run
/// stays valid. It keeps out accidents and not cheats, which can read it.
fn completion_token(task: &CodeTask) -> String {
    let mut hash = Sha256::default();
    hash.update(task.solution.as_bytes());
    for test in &task.tests {
        hash.update(b"\0");
        hash.update(test.as_bytes());
    }
    hash.hex()
}

/// The program for the sandbox.
pub fn build_program(task: &CodeTask, terms: &TestRunSettings) -> Program {
    let named = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let step = |file: &str, input: String| ProgramStep { input, ..ProgramStep::new(&["python3", file], terms.seconds) };
    let under_test = |files: Vec<(String, String)>, step: ProgramStep| Program {
        environment: terms.environment.clone(),
        files,
        steps: vec![step],
        mebibytes: terms.mebibytes,
        ..Program::default()
    };
    let solution = named("solution.py", &task.solution);
    if terms.tests == TestPlacement::Inside {
        let input =
            format!("{}\n", json!({ "word": completion_token(task), "tests": task.tests, "entry": task.entry }));
        let files = vec![named("harness.py", INSIDE), named("probare_forms.py", FORMS), solution];
        return Program { wanted: vec![REPORT.to_owned()], ..under_test(files, step("harness.py", input)) };
    }
    let files = vec![named("probare_talk.py", TALK), named("probare_worker.py", WORKER), solution];
    let input = json!({ "tests": task.tests, "before": task.before, "entry": task.entry });
    Program {
        environment: terms.environment.clone(),
        files: vec![
            named("probare_talk.py", TALK),
            named("probare_forms.py", FORMS),
            named("probare_harness.py", HARNESS),
        ],
        steps: vec![step("probare_harness.py", format!("{input}\n"))],
        wanted: vec![REPORT.to_owned()],
        mebibytes: terms.mebibytes.max(TESTS_MEBIBYTES),
        under_test: Some(Box::new(under_test(files, step("probare_worker.py", String::new())))),
        ..Program::default()
    }
}

/// Reads what became of it. An error where nothing can be said about the solution: it was never started, or its tests
/// cannot be run this way.
pub fn read_outcome(ran: &ProgramResult, task: &CodeTask, terms: &TestRunSettings) -> Result<TestOutcome, ScoreError> {
    let Some(step) = ran.steps.first() else { return Err(run_error("nothing was run")) };
    let report = ran.files.iter().find(|(name, _)| name == REPORT).map(|(_, text)| text.as_str());
    match terms.tests {
        TestPlacement::Inside => read_inside(step, report, task),
        TestPlacement::Outside => read_outside(step, report, ran.under_test.as_deref(), task),
    }
}

fn read_inside(step: &StepResult, report: Option<&str>, task: &CodeTask) -> Result<TestOutcome, ScoreError> {
    if let Some(stopped) = StopCause::from_end(step.end) {
        return Ok(TestOutcome::Stopped(stopped));
    }
    let report = report.and_then(|text| serde_json::from_str::<InProcessReport>(text).ok());
    match report.filter(|report| report.word == completion_token(task)) {
        Some(InProcessReport { needs: Some(words), .. }) => Err(run_error(&words)),
        Some(InProcessReport { solution: Some(error), .. }) => Ok(TestOutcome::Broken(error)),
        Some(InProcessReport { tests: results, .. }) if results.len() == task.tests.len() => {
            Ok(TestOutcome::Tests(results))
        }
        _ => outcome_without_report(step),
    }
}

fn read_outside(
    step: &StepResult,
    report: Option<&str>,
    under_test: Option<&ProgramResult>,
    task: &CodeTask,
) -> Result<TestOutcome, ScoreError> {
    let Some(worker) = under_test.and_then(|ran| ran.steps.first()) else {
        return Err(run_error("the code was not started"));
    };
    // What the solution is ended for comes first; then what its values did to the tests, which is its doing too.
    if let Some(stopped) = StopCause::from_end(worker.end).or_else(|| StopCause::from_end(step.end)) {
        return Ok(TestOutcome::Stopped(stopped));
    }
    let report = report.and_then(|text| serde_json::from_str::<IsolatedReport>(text).ok());
    let Some(report) = report else {
        // A signal that ends the tests after they have begun: nothing but the solution's values was new to them.
        if step.code.is_some_and(|code| code >= SIGNALLED) && step.output.starts_with(BEGUN) {
            return Ok(TestOutcome::Stopped(StopCause::Ended));
        }
        let words = step.errors.trim().lines().last().unwrap_or("they left no report");
        return Err(run_error(&format!("the tests could not be run: {words}")));
    };
    match report {
        IsolatedReport { needs: Some(words), .. } => Err(run_error(&words)),
        IsolatedReport { solution: Some(error), .. } => Ok(TestOutcome::Broken(error)),
        // Before its first word no line of the solution has run.
        IsolatedReport { here: false, .. } => {
            let code = worker.code.map(|code| format!(" (code {code})")).unwrap_or_default();
            Err(run_error(&format!("Python could not be started in the sandbox{code}")))
        }
        IsolatedReport { gone: true, .. } => {
            Ok(TestOutcome::Stopped(worker.code.map_or(StopCause::Ended, StopCause::Early)))
        }
        IsolatedReport { tests: results, .. } if results.len() == task.tests.len() => Ok(TestOutcome::Tests(results)),
        IsolatedReport { .. } => Err(run_error("the tests did not come to their end")),
    }
}

/// A step that ended without a report. A shell's word that there was nothing to start is none about the solution.
fn outcome_without_report(step: &StepResult) -> Result<TestOutcome, ScoreError> {
    match step.code {
        Some(code) if NOT_STARTED.contains(&code) => {
            Err(run_error(&format!("Python could not be started in the sandbox (code {code})")))
        }
        Some(code) => Ok(TestOutcome::Stopped(StopCause::Early(code))),
        None => Ok(TestOutcome::Stopped(StopCause::Ended)),
    }
}

/// What the sandbox did not permit, at the end of what a test or the code raised.
pub fn sandbox_refusal(error: &str) -> Option<&str> {
    error.find("the sandbox does not permit").map(|at| &error[at..])
}

fn run_error(reason: &str) -> ScoreError {
    ScoreError::other(ErrorKind::Failed, reason)
}

impl StopCause {
    /// Why a step was ended from outside.
    const fn from_end(end: StepEnd) -> Option<Self> {
        match end {
            StepEnd::TimedOut => Some(Self::TimedOut),
            StepEnd::OutOfMemory => Some(Self::OutOfMemory),
            StepEnd::TooMuchOutput => Some(Self::TooMuchOutput),
            StepEnd::TooManyFiles => Some(Self::TooManyFiles),
            StepEnd::Exited => None,
        }
    }

    /// In words.
    pub fn message(&self) -> String {
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
