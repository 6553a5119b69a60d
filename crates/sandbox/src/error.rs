//! [`SandboxError`]: the sandbox itself failed. What a program does wrong is no error; it is in what became of it.

use crate::environment::EnvironmentError;

/// A program could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// bubblewrap is not installed.
    #[error("bubblewrap (`bwrap`) is not installed")]
    NoBubblewrap,
    /// Another program that is needed is not installed.
    #[error("`{program}` is not installed; it is needed to {purpose}")]
    NoProgram { program: &'static str, purpose: &'static str },
    /// The self-test got out.
    #[error("the sandbox does not hold: {}", broken.join("; "))]
    Broken { broken: Vec<String> },
    /// The sandbox ended before its program did.
    #[error("the sandbox died: {reason}")]
    Died { reason: String },
    /// The interpreter cannot be used.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    /// The interpreter is there and does not start inside.
    #[error("the interpreter of `{environment}`, `{python}`, does not start inside the sandbox: {reason}")]
    Unproved { environment: String, python: String, reason: String },
    /// A program asks for something that cannot be.
    #[error("{reason}")]
    Program { reason: String },
    /// The run was ended from outside.
    #[error("interrupted by the user")]
    Cancelled,
    /// The system refuses.
    #[error("cannot {what}")]
    System {
        what: &'static str,
        #[source]
        source: std::io::Error,
    },
}

impl SandboxError {
    /// How to get what is missing.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NoBubblewrap => Some(REMEDY),
            Self::NoProgram { .. } => {
                Some("it is part of util-linux: on Debian and Ubuntu `apt-get install util-linux`")
            }
            Self::Broken { .. } => Some(
                "`probare doctor` shows every guarantee; programs that you trust can be run without a sandbox: --sandbox none",
            ),
            Self::Unproved { .. } => Some(
                "nothing was run; does it need files that lie outside of its own folder, or more memory than 512 MiB to start?",
            ),
            _ => None,
        }
    }

    pub(crate) fn system(what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::System { what, source }
    }
}

/// How to get bubblewrap.
pub const REMEDY: &str = "on Debian and Ubuntu `apt-get install bubblewrap`, on Fedora `dnf install bubblewrap`; programs \
                          that you trust can be run without a sandbox: --sandbox none";
