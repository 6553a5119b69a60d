//! [`IsolationLevel`]: how far programs are shut in. [`SandboxChoice`]: by what the user wants it done.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How far programs are shut in, as the self-test found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IsolationLevel {
    /// Not at all: they run as the user who started us, with a limit of time and little else.
    None,
    /// Namespaces of their own, no network, no files of the host; a supervisor looks at the memory of the tree.
    Ns,
    /// The same, and the kernel itself limits memory and processes of the whole tree (control groups).
    Full,
}

impl IsolationLevel {
    /// Its name in manifests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Ns => "ns",
            Self::Full => "full",
        }
    }

    /// What programs are not kept from at this level.
    pub const fn unprotected(self) -> &'static [&'static str] {
        match self {
            Self::None => &["files, network and processes of the user", "memory", "number of processes and files"],
            Self::Ns => &[
                "memory of the kernel (buffers of sockets and pipes, page tables)",
                "memory that is taken between two looks, fifty a second",
                "processors for others",
                "faults of the kernel",
            ],
            Self::Full => &["processors for others", "faults of the kernel"],
        }
    }
}

impl fmt::Display for IsolationLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// By what programs are shut in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxChoice {
    /// By bubblewrap where it reaches the level `ns`; refused elsewhere.
    #[default]
    Auto,
    /// By bubblewrap.
    Bubblewrap,
    /// By nothing: the user trusts the programs.
    None,
}

impl SandboxChoice {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Bubblewrap => "bubblewrap",
            Self::None => "none",
        }
    }
}

impl FromStr for SandboxChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Auto, Self::Bubblewrap, Self::None]
            .into_iter()
            .find(|choice| choice.name() == text)
            .ok_or_else(|| "known sandboxes are auto, bubblewrap and none".to_owned())
    }
}
