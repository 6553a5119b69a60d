//! [`PyFailure`]: why something could not be done, in the words of the command line, on its way to becoming an exception.

use std::error::Error;

use probare_cases::{CaseFileError, MapError};
use probare_core::{BenchmarkError, BuildError, RequestError};
use probare_engine::{CompareError, ConfigError, DriveError, ModelAccessError, PlanError, RunError, VerifyError};
use probare_models::OpenError as OpenModel;
use probare_report::{GateError, ReportError};
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
pub struct PyFailure {
    kind: Kind,
    message: String,
    hint: Option<String>,
    /// The exception that a source met in Python, which is passed on as it is.
    raised: Option<PyErr>,
}

impl PyFailure {
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

    fn from_error(error: &(dyn Error + 'static)) -> Self {
        Self::data(BenchmarkError::from_error(error).message)
    }

    const fn into_usage(mut self) -> Self {
        self.kind = Kind::Usage;
        self
    }
}

impl From<PyFailure> for PyErr {
    fn from(fault: PyFailure) -> Self {
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

impl From<PlanError> for PyFailure {
    fn from(error: PlanError) -> Self {
        let hint = match &error {
            PlanError::Unknown(unknown) => {
                unknown.hint().unwrap_or_else(|| "`probare.metrics()` lists all metrics".to_owned())
            }
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
        Self::from_error(&error).hint(hint).into_usage()
    }
}

impl From<RequestError> for PyFailure {
    fn from(error: RequestError) -> Self {
        PlanError::from(error).into()
    }
}

impl From<MapError> for PyFailure {
    fn from(error: MapError) -> Self {
        Self::from_error(&error).into_usage()
    }
}

impl From<GateError> for PyFailure {
    fn from(error: GateError) -> Self {
        Self::from_error(&error).into_usage()
    }
}

impl From<ConfigError> for PyFailure {
    fn from(error: ConfigError) -> Self {
        let fault = Self::from_error(&error);
        match error {
            ConfigError::Form { .. } => fault
                .hint("`probare schema config` shows what may stand there; `probare init` writes an example")
                .into_usage(),
            ConfigError::Model { .. } | ConfigError::GateWithoutLimit { .. } => fault.into_usage(),
            _ => fault,
        }
    }
}

impl From<CaseFileError> for PyFailure {
    fn from(error: CaseFileError) -> Self {
        let fault = Self::from_error(&error);
        match error {
            CaseFileError::UnknownFormat { .. } => fault.hint("name it, for example format=\"jsonl\""),
            _ => fault,
        }
    }
}

impl From<ReportError> for PyFailure {
    fn from(error: ReportError) -> Self {
        let is_usage = !matches!(error, ReportError::Io(_));
        let fault = Self::from_error(&error);
        if is_usage { fault.into_usage() } else { fault }
    }
}

impl From<ModelAccessError> for PyFailure {
    fn from(error: ModelAccessError) -> Self {
        let fault = Self::from_error(&error);
        match &error {
            ModelAccessError::NoJudge { .. } => {
                fault.hint("name one: judges=[\"openai:gpt-4.1-mini\"], or a configuration with `judges:`").into_usage()
            }
            ModelAccessError::UnknownJudge { similar: Some(similar), .. } => {
                fault.hint(format!("a model with a similar name exists: `{similar}`")).into_usage()
            }
            ModelAccessError::UnknownJudge { .. } | ModelAccessError::Judges { .. } => {
                fault.hint("write provider:model, or a `name` from `models:` in probare.yaml").into_usage()
            }
            ModelAccessError::Open(OpenModel::NoPrice { .. } | OpenModel::Unbounded { .. }) => fault
                .hint("name the model in a configuration, with `pricing` and `max_tokens`: config=\"probare.yaml\"")
                .into_usage(),
            ModelAccessError::NoRecord { .. } => {
                fault.hint("name it with cache=FILE, or import replies: probare cache import FILE.jsonl")
            }
            _ => fault,
        }
    }
}

impl From<DriveError> for PyFailure {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Input(source) => match source.downcast::<PyErr>() {
                Ok(raised) => Self { raised: Some(*raised), ..Self::data("the rows could not be read") },
                Err(source) => match source.downcast::<BenchmarkError>() {
                    Ok(known) => (*known).into(),
                    Err(source) => Self::from_error(source.as_ref()),
                },
            },
            other => Self::from_error(&other),
        }
    }
}

impl From<BenchmarkError> for PyFailure {
    fn from(error: BenchmarkError) -> Self {
        let kind = if error.is_usage { Kind::Usage } else { Kind::Data };
        Self { kind, message: error.message, hint: error.hint, raised: None }
    }
}

impl From<RunError> for PyFailure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Plan(error) => error.into(),
            RunError::Gate(error) => error.into(),
            RunError::Open(error) => error.into(),
            RunError::Drive(error) => error.into(),
            RunError::Ask(error) => error.into(),
            RunError::Overlap(error) => Self::usage(error.to_string()).hint("name another file to write"),
            other => Self::from_error(&other),
        }
    }
}

impl From<VerifyError> for PyFailure {
    fn from(error: VerifyError) -> Self {
        use probare_report::results_file::ResultsFileError;
        let fault = Self::from_error(&error);
        match error {
            VerifyError::Recorded(ResultsFileError::NoManifest { .. }) => {
                fault.hint("a run that can be verified is written with output=\"results.jsonl\"")
            }
            VerifyError::Recorded(ResultsFileError::Unverifiable { .. } | ResultsFileError::Name(_)) => fault
                .hint("write results that can be verified: results.jsonl, .json, .csv, .parquet or .html")
                .into_usage(),
            VerifyError::StandardInput => fault.hint("name a file with the same cases: verify(RESULTS, [INPUT])"),
            VerifyError::InputMissing { .. } => fault.hint("say where it is now: verify(RESULTS, [INPUT])"),
            VerifyError::InputRefused { .. } => {
                fault.hint("if you want it read all the same, name it: verify(RESULTS, [INPUT])")
            }
            VerifyError::TooManyInputs { .. } => fault.into_usage(),
            _ => fault,
        }
    }
}

impl From<CompareError> for PyFailure {
    fn from(error: CompareError) -> Self {
        use probare_report::comparison::ComparisonError;
        match error {
            CompareError::Results(inner) => inner.into(),
            CompareError::Comparison(ComparisonError::UnknownMetric { .. }) => Self::from_error(&error).into_usage(),
            other => Self::from_error(&other),
        }
    }
}
