//! [`Failure`]: what the user reads when a verb cannot do its work: what happened, why, and what to do.

use std::error::Error;
use std::fmt::Write as _;
use std::io;

use probare_cases::{CaseFileError, MapError};
use probare_core::{BenchmarkError, BuildError, RequestError};
use probare_engine::{ConfigError, DriveError, PlanError};
use probare_report::escape;
use probare_report::{GateError, ReportError};

use probare_engine::Exit;

/// Why a verb stopped.
#[derive(Debug)]
pub struct Failure {
    /// How the program ends.
    pub exit: Exit,
    message: String,
    hint: Option<String>,
}

/// What every verb returns.
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
            let _ = write!(text, "\nhint: {}\n", escape::terminal_lines(hint));
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

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        let hint = match &error {
            PlanError::Unknown(unknown) => {
                unknown.hint().unwrap_or_else(|| "`probare list` shows all metrics".to_owned())
            }
            PlanError::Build { source: BuildError::Missing { remedy, .. }, .. } => remedy.clone(),
            PlanError::Build { name, .. } => {
                let id = name.split(':').next().unwrap_or(name);
                format!("`probare explain {id}` shows its options")
            }
            PlanError::SameName(_) => "give one of them a name of its own: NAME=METRIC:OPTION=VALUE".to_owned(),
            PlanError::DecisionThresholds(_) => {
                "calibrate again with `probare calibrate` for what is computed now".to_owned()
            }
            PlanError::Empty => {
                "name one with --metric, for example --metric token_f1; `probare list` shows all".to_owned()
            }
            _ => "write ID, ID:OPTION=VALUE or NAME=ID:OPTION=VALUE".to_owned(),
        };
        Self::from_error(&error).hint(hint).into_usage()
    }
}

impl Failure {
    /// The same as a mistake of whoever called.
    pub fn into_usage(mut self) -> Self {
        self.exit = Exit::Usage;
        self
    }

    /// The same as something that could not be done.
    pub fn into_error(mut self) -> Self {
        self.exit = Exit::Error;
        self
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        PlanError::from(error).into()
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        let failure = Self::new(error.to_string());
        match error {
            ConfigError::Form { .. } => failure
                .hint("`probare schema config` shows what may stand there; `probare init` writes an example")
                .into_usage(),
            ConfigError::Model { .. } => failure.into_usage(),
            ConfigError::GateWithoutLimit { .. } => {
                failure.hint("add `fail_under: 0.7` or `fail_over: 0.2`").into_usage()
            }
            ConfigError::OfAnother { name, .. } => {
                failure.hint(format!("it may name programs and addresses; if you trust it, name it: --config ./{name}"))
            }
            ConfigError::Untrusted { name, .. } => failure.hint(format!(
                "read it; then `probare trust` accepts it as it is (--yes in CI), or name it: --config {name}; \
                 --config /dev/null leaves it out"
            )),
            ConfigError::Read(error) => Self::from_error(&error),
            _ => failure,
        }
    }
}

impl From<BenchmarkError> for Failure {
    fn from(error: BenchmarkError) -> Self {
        let exit = if error.is_usage { Exit::Usage } else { Exit::Error };
        Self { exit, message: error.message, hint: error.hint }
    }
}

impl From<MapError> for Failure {
    fn from(error: MapError) -> Self {
        Self::from_error(&error).into_usage()
    }
}

impl From<GateError> for Failure {
    fn from(error: GateError) -> Self {
        let failure = Self::from_error(&error).into_usage();
        match error {
            GateError::NoGroups => failure.hint("say by what: --by tags, or run: {by: tags} in the configuration"),
            _ => failure,
        }
    }
}

impl From<CaseFileError> for Failure {
    fn from(error: CaseFileError) -> Self {
        let failure = Self::from_error(&error);
        match error {
            CaseFileError::UnknownFormat { .. } => failure.hint("name it with --format, for example --format jsonl"),
            _ => failure,
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        let usage = !matches!(error, ReportError::Io(_));
        let failure = Self::from_error(&error);
        if usage { failure.into_usage() } else { failure }
    }
}

impl From<DriveError> for Failure {
    fn from(error: DriveError) -> Self {
        // A suite knows what to do about its files, also where it notices in the middle of the run.
        if let DriveError::Input(source) = &error
            && let Some(known) = source.downcast_ref::<BenchmarkError>()
        {
            return known.clone().into();
        }
        Self::from_error(&error)
    }
}
