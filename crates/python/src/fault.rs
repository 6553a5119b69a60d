//! [`Fault`]: why something could not be done, in the words of the command line, on its way to becoming an exception.

use std::error::Error;

use probare_cases::{MapError, OpenError};
use probare_core::{BuildError, RequestError, SuiteError};
use probare_models::OpenError as OpenModel;
use probare_report::{GateError, OpenError as ReportError};
use probare_runner::{AskError, CompareError, ConfigError, DriveError, PlanError, RunError, VerifyError};
use pyo3::prelude::*;

/// Who can do something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Whoever called: the arguments are wrong.
    Usage,
    /// A file, a row, a machine.
    Data,
}

/// Why something could not be done, and what to do.
#[derive(Debug)]
pub struct Fault {
    kind: Kind,
    message: String,
    hint: Option<String>,
    /// The exception that a source met in Python, which is passed on as it is.
    raised: Option<PyErr>,
}

impl Fault {
    /// Something could not be done.
    pub fn data(message: impl Into<String>) -> Self {
        Self { kind: Kind::Data, message: message.into(), hint: None, raised: None }
    }

    /// The arguments are wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, ..Self::data(message) }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn of(error: &(dyn Error + 'static)) -> Self {
        Self::data(SuiteError::from_error(error).message)
    }

    const fn into_usage(mut self) -> Self {
        self.kind = Kind::Usage;
        self
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        if let Some(raised) = fault.raised {
            return raised;
        }
        Python::attach(|py| {
            let name = match fault.kind {
                Kind::Usage => "UsageError",
                Kind::Data => "DataError",
            };
            let made = py
                .import("probare._errors")
                .and_then(|module| module.getattr(name))
                .and_then(|class| class.call1((fault.message, fault.hint)));
            made.map_or_else(|error| error, Self::from_value)
        })
    }
}

impl From<PlanError> for Fault {
    fn from(error: PlanError) -> Self {
        let hint = match &error {
            PlanError::Unknown(unknown) => match unknown.similar {
                Some(similar) => format!("a similar name exists: `{similar}`"),
                None => "`probare.metrics()` lists all metrics".to_owned(),
            },
            PlanError::Build { source: BuildError::Missing { remedy, .. }, .. } => remedy.clone(),
            PlanError::Build { name, .. } => {
                let id = name.split(':').next().unwrap_or(name);
                format!("`probare.explain(\"{id}\")` shows its options")
            }
            PlanError::SameName(_) => {
                "give one of them a name of its own: {\"id\": METRIC, \"name\": NAME, OPTION: VALUE}".to_owned()
            }
            PlanError::Empty => {
                "name one, for example metrics=[\"token_f1\"]; `probare.metrics()` lists all".to_owned()
            }
            _ => "write \"ID\", \"ID:OPTION=VALUE\" or {\"id\": ID, OPTION: VALUE}".to_owned(),
        };
        Self::of(&error).hint(hint).into_usage()
    }
}

impl From<RequestError> for Fault {
    fn from(error: RequestError) -> Self {
        PlanError::from(error).into()
    }
}

impl From<MapError> for Fault {
    fn from(error: MapError) -> Self {
        Self::of(&error).into_usage()
    }
}

impl From<GateError> for Fault {
    fn from(error: GateError) -> Self {
        Self::of(&error).into_usage()
    }
}

impl From<ConfigError> for Fault {
    fn from(error: ConfigError) -> Self {
        let fault = Self::of(&error);
        match error {
            ConfigError::Form { .. } => fault
                .hint("`probare schema config` shows what may stand there; `probare init` writes an example")
                .into_usage(),
            ConfigError::Model { .. } | ConfigError::GateWithoutLimit { .. } => fault.into_usage(),
            _ => fault,
        }
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        let fault = Self::of(&error);
        match error {
            OpenError::UnknownFormat { .. } => fault.hint("name it, for example format=\"jsonl\""),
            _ => fault,
        }
    }
}

impl From<ReportError> for Fault {
    fn from(error: ReportError) -> Self {
        let is_usage = !matches!(error, ReportError::Io(_));
        let fault = Self::of(&error);
        if is_usage { fault.into_usage() } else { fault }
    }
}

impl From<AskError> for Fault {
    fn from(error: AskError) -> Self {
        let fault = Self::of(&error);
        match &error {
            AskError::NoJudge { .. } => {
                fault.hint("name one: judges=[\"openai:gpt-4.1-mini\"], or a configuration with `judges:`").into_usage()
            }
            AskError::UnknownJudge { similar: Some(similar), .. } => {
                fault.hint(format!("a model with a similar name exists: `{similar}`")).into_usage()
            }
            AskError::UnknownJudge { .. } | AskError::Judges { .. } => {
                fault.hint("write provider:model, or a `name` from `models:` in probare.yaml").into_usage()
            }
            AskError::Open(OpenModel::NoPrice { .. } | OpenModel::Unbounded { .. }) => fault
                .hint("name the model in a configuration, with `pricing` and `max_tokens`: config=\"probare.yaml\"")
                .into_usage(),
            AskError::NoRecord { .. } => {
                fault.hint("name it with record=FILE, or bring replies in: probare models record import FILE.jsonl")
            }
            _ => fault,
        }
    }
}

impl From<DriveError> for Fault {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Input(source) => match source.downcast::<PyErr>() {
                Ok(raised) => Self { raised: Some(*raised), ..Self::data("the rows could not be read") },
                Err(source) => match source.downcast::<SuiteError>() {
                    Ok(known) => (*known).into(),
                    Err(source) => Self::of(source.as_ref()),
                },
            },
            other => Self::of(&other),
        }
    }
}

impl From<SuiteError> for Fault {
    fn from(error: SuiteError) -> Self {
        let kind = if error.is_usage { Kind::Usage } else { Kind::Data };
        Self { kind, message: error.message, hint: error.hint, raised: None }
    }
}

impl From<RunError> for Fault {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Plan(error) => error.into(),
            RunError::Gate(error) => error.into(),
            RunError::Open(error) => error.into(),
            RunError::Drive(error) => error.into(),
            RunError::Ask(error) => error.into(),
            RunError::Overlap(error) => Self::usage(error.to_string()).hint("name another file to write"),
            other => Self::of(&other),
        }
    }
}

impl From<VerifyError> for Fault {
    fn from(error: VerifyError) -> Self {
        use probare_report::recorded::RecordedError;
        let fault = Self::of(&error);
        match error {
            VerifyError::Recorded(RecordedError::NoManifest { .. }) => {
                fault.hint("a run that can be verified is written with output=\"results.jsonl\"")
            }
            VerifyError::Recorded(RecordedError::Unverifiable { .. } | RecordedError::Name(_)) => fault
                .hint("write results that can be verified: results.jsonl, .json, .csv, .parquet or .html")
                .into_usage(),
            VerifyError::StandardInput => fault.hint("name a file with the same cases: verify(RESULTS, [INPUT])"),
            VerifyError::InputMissing { .. } => fault.hint("say where it is now: verify(RESULTS, [INPUT])"),
            VerifyError::TooManyInputs { .. } => fault.into_usage(),
            _ => fault,
        }
    }
}

impl From<CompareError> for Fault {
    fn from(error: CompareError) -> Self {
        use probare_report::comparison::ComparisonError;
        match error {
            CompareError::Results(inner) => inner.into(),
            CompareError::Comparison(ComparisonError::UnknownMetric { .. }) => Self::of(&error).into_usage(),
            other => Self::of(&other),
        }
    }
}
