//! One test: the data program, then the program under test, in a folder of their own.

use std::path::{Component, Path};

use probare_core::{ErrorKind, Program, ProgramFolder, ProgramResult, ProgramStep, ScoreError, StepEnd};
use probare_text::python::strip;
use serde::Serialize;

/// Shortest time limit of a data program, in seconds.
const DATA_SECONDS: u32 = 600;

/// The three published samples that need files beside their rows, by their `idx`, and where these belong.
const FIXTURES: [(&str, &str); 3] = [
    ("SGI_DryExperiment_0200", "data"),
    ("SGI_DryExperiment_0206", "data/mnist_raw"),
    ("SGI_DryExperiment_0236", "data/em_3d_user_study"),
];

/// Where the files belong that this sample needs beside its row; nothing where it needs none.
pub fn fixture_place(idx: &str) -> Option<&'static str> {
    FIXTURES.iter().find(|(sample, _)| *sample == idx).map(|(_, place)| *place)
}

/// What all tests of an experiment have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrialSettings {
    /// Which Python.
    pub environment: String,
    /// Time limit of the program under test, in seconds.
    pub seconds: u32,
    /// Most memory, in MiB.
    pub mebibytes: u32,
    /// Folder of the fixtures.
    pub fixtures: Option<String>,
    /// Whether tests may run beside each other.
    pub parallel: bool,
}

/// What became of a test, as the published record has it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Trial {
    /// The exit code, the number of the signal below zero where one ended it; -1 where it did not come to its end.
    pub returncode: i32,
    /// Seconds; -1 where the program under test was not run, the time limit where that was over.
    pub runtime: f64,
    /// What went wrong, in the words of the published program.
    pub error: String,
    /// What the program printed, without space around it.
    pub stdout: String,
    /// What it complained about, without space around it.
    pub stderr: String,
    /// Whether it printed more than was kept.
    #[serde(skip)]
    pub is_cut: bool,
}

impl TrialSettings {
    /// The program of a test. A sample whose files nobody has is an error: its program would end badly through no fault of
    /// the answer.
    pub fn program(&self, idx: Option<&str>, main: &str, data: &str) -> Result<Program, ScoreError> {
        let mut folders = vec![ProgramFolder { path: "data".to_owned(), ..ProgramFolder::default() }];
        if let Some(idx) = idx
            && let Some(place) = fixture_place(idx)
        {
            let Some(fixtures) = &self.fixtures else {
                let reason = format!("the sample needs files in a folder `{idx}`, and no folder of fixtures is named");
                return Err(ScoreError::other(ErrorKind::Missing, reason));
            };
            let from = Some(format!("{}/{idx}", fixtures.trim_end_matches('/')));
            folders.push(ProgramFolder { path: place.to_owned(), from, ..ProgramFolder::default() });
        }
        let step = |file: &str, seconds: u32| ProgramStep::new(&["python3", file], seconds);
        Ok(Program {
            environment: self.environment.clone(),
            files: vec![("main_en.py".to_owned(), main.to_owned()), ("data_en.py".to_owned(), data.to_owned())],
            folders,
            steps: vec![step("data_en.py", self.seconds.max(DATA_SECONDS)), step("main_en.py", self.seconds)],
            mebibytes: self.mebibytes,
            beside: self.parallel,
            ..Program::default()
        })
    }

    /// Reads what became of it.
    pub fn read(&self, ran: &ProgramResult) -> Result<Trial, ScoreError> {
        let limit = f64::from(self.seconds);
        let unfinished = |runtime: f64, error: String| Trial { returncode: -1, runtime, error, ..Trial::default() };
        let words = |end: StepEnd| match end {
            StepEnd::TimedOut => "the time limit was reached",
            StepEnd::OutOfMemory => "more memory was taken than may be",
            StepEnd::TooMuchOutput => "more was printed than may be",
            StepEnd::TooManyFiles => "more files were made than may be",
            StepEnd::Exited => "it was ended from outside",
        };
        let (data, main) = match ran.steps.as_slice() {
            [data] => (data, None),
            [data, main] => (data, Some(main)),
            other => {
                let reason = format!("a test has two steps, {} came back", other.len());
                return Err(ScoreError::Internal { reason });
            }
        };
        if !data.is_fine() {
            let (runtime, reason) = match data.end {
                StepEnd::TimedOut => (limit, words(data.end).to_owned()),
                StepEnd::Exited => (-1.0, data.errors.clone()),
                end => (-1.0, words(end).to_owned()),
            };
            return Ok(unfinished(runtime, format!("[WRONG] data_en.py failed: {reason}")));
        }
        let Some(main) = main else {
            return Err(ScoreError::Internal { reason: "the program under test was not run".into() });
        };
        let Some(code) = main.code else {
            let runtime = if main.end == StepEnd::TimedOut { limit } else { -1.0 };
            return Ok(unfinished(runtime, format!("[WRONG] {}", words(main.end))));
        };
        let stderr = strip(&main.errors).to_owned();
        let error = match code {
            0 => String::new(),
            _ if main.errors.is_empty() => "Unknown error".to_owned(),
            _ => format!("[WRONG] {}", main.errors),
        };
        let stdout = strip(&main.output).to_owned();
        Ok(Trial {
            returncode: python_returncode(code),
            runtime: main.seconds,
            error,
            stdout,
            stderr,
            is_cut: main.is_cut,
        })
    }
}

/// Whether a text is one name of a file or folder, and no way to one.
pub fn is_plain_name(text: &str) -> bool {
    let mut parts = Path::new(text).components();
    let is_one = matches!((parts.next(), parts.next()), (Some(Component::Normal(name)), None) if name == text);
    is_one && !text.contains(char::is_control)
}

/// A shell adds 128 to the number of a signal, where Python's own child would have it below zero.
const fn python_returncode(code: i32) -> i32 {
    if code > 128 && code <= 192 { 128 - code } else { code }
}

impl Trial {
    /// The text that is compared: complaints first.
    pub fn text(&self) -> String {
        strip(&format!("{}\n{}", strip(&self.stderr), strip(&self.stdout))).to_owned()
    }

    /// The line of the program that asked the system for what the sandbox does not permit. Which system call that was, the
    /// kernel told nobody but the program.
    pub fn refused_line(&self) -> Option<&str> {
        if !self.error.contains("[Errno 1] Operation not permitted") {
            return None;
        }
        let is_code =
            |line: &&str| line.starts_with("    ") && !line.trim().chars().all(|letter| "^~".contains(letter));
        self.error.lines().rev().find(is_code).map(str::trim)
    }

    /// Whether it came to a good end.
    pub const fn is_fine(&self) -> bool {
        self.returncode == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_one_folder_of_the_fixtures_and_nothing_beside_it() {
        for name in ["SGI_DryExperiment_0200", "0200", "a b", "..0200"] {
            assert!(is_plain_name(name), "{name}");
        }
        for name in
            ["", ".", "..", "../home/private-0200", "/0200", "a/0200", "0200/", "./0200", "a\u{0}0200", "a\n0200"]
        {
            assert!(!is_plain_name(name), "{name:?}");
        }
        let terms = TrialSettings { fixtures: Some("/data".to_owned()), ..TrialSettings::default() };
        let from = |idx: &str| terms.program(Some(idx), "", "").unwrap().folders.get(1)?.from.clone();
        assert_eq!(from("SGI_DryExperiment_0200").as_deref(), Some("/data/SGI_DryExperiment_0200"));
        assert_eq!(from("x_0200"), None);
        assert_eq!(from("../home/private-0200"), None);
        assert_eq!(from("x_0201"), None);
    }

    #[test]
    fn the_line_that_the_sandbox_does_not_permit_is_found() {
        let error = "[WRONG] Traceback (most recent call last):\n  File \"main_en.py\", line 2, in <module>\n    os.chroot('/')\n    \
                     ^^^^\nPermissionError: [Errno 1] Operation not permitted: '/'\n";
        let trial = Trial { returncode: 1, error: error.to_owned(), ..Trial::default() };
        assert_eq!(trial.refused_line(), Some("os.chroot('/')"));
        assert_eq!(Trial { error: "ValueError".to_owned(), ..Trial::default() }.refused_line(), None);
    }
}
