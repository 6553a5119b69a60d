//! [`Grouping`]: what of a file of traces becomes one case.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What becomes one case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// A trace.
    #[default]
    Trace,
    /// All traces of one `gen_ai.conversation.id` or `session.id`.
    Conversation,
}

impl Grouping {
    /// The word on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Trace => "trace",
            Self::Conversation => "conversation",
        }
    }
}

impl fmt::Display for Grouping {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Grouping {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        [Self::Trace, Self::Conversation]
            .into_iter()
            .find(|grouping| grouping.name() == name)
            .ok_or_else(|| format!("unknown grouping `{name}`; known are trace and conversation"))
    }
}
