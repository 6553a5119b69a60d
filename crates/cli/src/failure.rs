//! [`Failure`]: what the user reads when a command cannot do its work: what happened, why, and what to do.

use std::error::Error;
use std::fmt::Write as _;
use std::io;

use probare_analysis::VerifyError;
use probare_core::{BenchmarkError, RequestError};
use probare_engine::{ConfigError, Diagnose, DriveError, Exit, Interface, ModelAccessError, PlanError, RunError};
use probare_formats::{CaseFileError, MapError};
use probare_report::escape;
use probare_report::{GateError, ReportError};

/// Why a command stopped.
#[derive(Debug)]
pub struct Failure {
    /// How the program ends.
    pub exit: Exit,
    message: String,
    hint: Option<String>,
}

/// What every command returns.
pub type CommandResult = Result<Exit, Failure>;

impl Failure {
    /// Something could not be done.
    pub fn new(message: impl Into<String>) -> Self {
        Self { exit: Exit::Error, message: message.into(), hint: None }
    }

    /// The command line or the configuration is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, ..Self::new(message) }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// An error with all its causes, on one line: what files say in it cannot pass for a line of ours.
    pub fn from_error(error: &dyn Error) -> Self {
        let failure = Self::from(BenchmarkError::from_error(error));
        Self { message: escape::terminal(&failure.message).into_owned(), ..failure }
    }

    /// An error in the words of the command line. What files say in it stays on one line.
    pub fn from_diagnosis(error: &impl Diagnose) -> Self {
        let failure = Self::from(error.diagnose(Interface::CommandLine));
        Self { message: escape::terminal(&failure.message).into_owned(), ..failure }
    }

    /// A file that cannot be read or written.
    pub fn file(action: &str, path: &str, error: &io::Error) -> Self {
        Self::new(format!("cannot {action} `{path}`: {error}"))
    }

    /// What happened, without what to do.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The text for standard error.
    pub fn render(&self) -> String {
        let mut text = format!("error: {}\n", continued(&self.message));
        if let Some(hint) = &self.hint {
            let _ = write!(text, "\nhint: {}\n", continued(hint));
        }
        text
    }
}

/// The text with every line after the first indented: a line break that a file brings makes no line that could be ours.
fn continued(text: &str) -> String {
    let escaped = escape::terminal_lines(text);
    let mut lines = escaped.split('\n');
    let mut continued = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let indent = if line.is_empty() || line.starts_with("  ") { "" } else { "  " };
        let _ = write!(continued, "\n{indent}{line}");
    }
    continued
}

impl Failure {
    /// The same as a mistake of whoever called.
    pub fn into_usage(mut self) -> Self {
        self.exit = Exit::Usage;
        self
    }
}

impl From<BenchmarkError> for Failure {
    fn from(error: BenchmarkError) -> Self {
        let exit = if error.is_usage { Exit::Usage } else { Exit::Error };
        Self { exit, message: error.message, hint: error.hint }
    }
}

/// Errors that are explained once for every interface.
macro_rules! failures {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::from_diagnosis(&error)
            }
        }
    )+};
}

failures!(
    CaseFileError,
    DriveError,
    GateError,
    MapError,
    ModelAccessError,
    PlanError,
    ReportError,
    RequestError,
    RunError,
    VerifyError,
);

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        // What a configuration asks for stands on lines of its own, each escaped.
        error.diagnose(Interface::CommandLine).into()
    }
}
