//! The program under test: functions of an answer in the place of those that are to be completed.
//!
//! What is a function, where it ends, and whether a text is Python at all is for Python itself to say. So this is a program
//! for the sandbox too: it compiles and looks, and runs nothing.

use probare_core::{ErrorKind, Program, ProgramResult, ProgramStep, ScoreError};
use serde::{Deserialize, Serialize};

/// The program that puts functions in.
const ASSEMBLE: &str = include_str!("assemble.py");

/// Seconds that it may take.
const SECONDS: u32 = 60;

/// MiB that it may take.
const MEBIBYTES: u32 = 1024;

/// What is to be put together.
#[derive(Debug, Clone, Serialize)]
pub struct AssemblyRequest<'a> {
    /// The unfinished program.
    pub main: &'a str,
    /// The functions to put in.
    pub names: &'a [String],
    /// Texts to take them from, the first that has one wins.
    pub texts: Vec<&'a str>,
    /// Whether a line break is added to a function that ends without one.
    pub final_newline: bool,
    /// Whether lines are cut as Python counts them.
    pub python_lines: bool,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AssemblyResult {
    /// The program; nothing where no function was put in.
    pub code: Option<String>,
    /// What became of each function.
    pub functions: Vec<FunctionInsertion>,
    /// What was seen in the texts.
    #[serde(default)]
    pub seen: AssemblyDiagnostics,
}

/// What was seen in the texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct AssemblyDiagnostics {
    /// In the unfinished program.
    pub main: SourceInspection,
    /// In each text.
    pub texts: Vec<SourceInspection>,
}

/// What Python sees in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SourceInspection {
    /// Whether it compiles.
    pub compiles: bool,
    /// First and last line of each plain function at its top; nothing where it cannot be parsed.
    pub functions: Option<std::collections::BTreeMap<String, (usize, usize)>>,
}

/// What became of a function.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FunctionInsertion {
    pub name: String,
    /// Which of the texts it was taken from.
    pub from: Option<usize>,
    /// Why the texts before that one would not do: kind and words.
    pub errors: Vec<(String, String)>,
    /// Whether its last line was joined with the next line of the program.
    pub joined: bool,
}

impl AssemblyRequest<'_> {
    /// The program for the sandbox.
    pub fn program(&self, environment: &str) -> Program {
        let mut step = ProgramStep::new(&["python3", "-I", "-W", "ignore", "assemble.py"], SECONDS);
        step.input = serde_json::to_string(self).unwrap_or_default();
        Program {
            environment: environment.to_owned(),
            files: vec![("assemble.py".to_owned(), ASSEMBLE.to_owned())],
            steps: vec![step],
            mebibytes: MEBIBYTES,
            ..Program::default()
        }
    }
}

/// Reads what the program said. A crash of the interpreter is no verdict on the answer.
pub fn read_result(ran: &ProgramResult) -> Result<AssemblyResult, ScoreError> {
    let failed =
        |reason: String| ScoreError::other(ErrorKind::Failed, format!("the code could not be checked: {reason}"));
    let step = ran.steps.first().ok_or_else(|| failed("nothing was run".to_owned()))?;
    if !step.is_fine() {
        let last = step.errors.trim().lines().last().unwrap_or("the interpreter was ended").to_owned();
        return Err(failed(last));
    }
    serde_json::from_str(&step.output).map_err(|error| failed(error.to_string()))
}
