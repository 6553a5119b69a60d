//! [`PyFailure`]: why something could not be done, in the words of the command line, on its way to becoming an exception.

use std::error::Error;
use std::io;

use probare_analysis::{CompareError, VerifyError};
use probare_core::{BenchmarkError, RequestError};
use probare_engine::{ConfigError, Diagnose, DriveError, Interface, ModelAccessError, PlanError, RunError};
use probare_formats::{CaseFileError, MapError};
use probare_models::{OpenError, SettingsError};
use probare_report::{GateError, ReportError};
use pyo3::prelude::*;

/// Who can do something about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Whoever called: the arguments are wrong.
    Usage,
    /// A file, a row, a machine.
    Data,
    /// A file that is not there.
    MissingFile,
    /// A variable that should hold a key.
    MissingKey,
}

impl Kind {
    /// The exception that it becomes.
    const fn exception(self) -> &'static str {
        match self {
            Self::Usage => "UsageError",
            Self::Data => "DataError",
            Self::MissingFile => "MissingFileError",
            Self::MissingKey => "MissingKeyError",
        }
    }

    /// What an error says beyond whose fault it is, by its causes.
    fn from_causes(error: &(dyn Error + 'static)) -> Option<Self> {
        let access = match error.downcast_ref::<RunError>() {
            Some(RunError::Ask(access)) => Some(access),
            _ => error.downcast_ref::<ModelAccessError>(),
        };
        if let Some(ModelAccessError::Open(OpenError::Settings(SettingsError::NoKey { .. }))) = access {
            return Some(Self::MissingKey);
        }
        let mut cause = Some(error);
        while let Some(error) = cause {
            if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::NotFound) {
                return Some(Self::MissingFile);
            }
            cause = error.source();
        }
        None
    }
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

    /// An error in the words of this interface.
    fn diagnosed(error: &(impl Diagnose + 'static)) -> Self {
        let told = Self::from(error.diagnose(Interface::Python));
        Self { kind: Kind::from_causes(error).unwrap_or(told.kind), ..told }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<PyFailure> for PyErr {
    fn from(fault: PyFailure) -> Self {
        if let Some(raised) = fault.raised {
            return raised;
        }
        Python::attach(|py| {
            let name = fault.kind.exception();
            let made = py
                .import("probare._errors")
                .and_then(|module| module.getattr(name))
                .and_then(|class| class.call1((fault.message, fault.hint)));
            made.map_or_else(|error| error, Self::from_value)
        })
    }
}

impl From<PyErr> for PyFailure {
    fn from(raised: PyErr) -> Self {
        Self { raised: Some(raised), ..Self::data("Python raised an exception") }
    }
}

impl From<BenchmarkError> for PyFailure {
    fn from(error: BenchmarkError) -> Self {
        let kind = if error.is_usage { Kind::Usage } else { Kind::Data };
        Self { kind, message: error.message, hint: error.hint, raised: None }
    }
}

/// Errors that are explained once for every interface.
macro_rules! failures {
    ($($error:ty),+ $(,)?) => {$(
        impl From<$error> for PyFailure {
            fn from(error: $error) -> Self {
                Self::diagnosed(&error)
            }
        }
    )+};
}

failures!(
    CaseFileError,
    CompareError,
    ConfigError,
    GateError,
    MapError,
    ModelAccessError,
    PlanError,
    ReportError,
    RequestError,
    VerifyError,
);

impl From<DriveError> for PyFailure {
    fn from(error: DriveError) -> Self {
        match error {
            DriveError::Input(source) => match source.downcast::<PyErr>() {
                Ok(raised) => Self { raised: Some(*raised), ..Self::data("the rows could not be read") },
                Err(source) => Self::diagnosed(&DriveError::Input(source)),
            },
            other => Self::diagnosed(&other),
        }
    }
}

impl From<RunError> for PyFailure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Drive(error) => error.into(),
            other => Self::diagnosed(&other),
        }
    }
}
