//! [`SettingOrigin`]: where an option came from, and [`OldName`], where one came from by a name of release 0.3.

use std::fmt;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};
use serde::{Deserialize, Serialize};

use super::old_names::variable_in_use;

/// Where an option came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingOrigin {
    /// A flag, by its name.
    Flag(String),
    /// A variable of the environment, by its name.
    Variable(String),
    /// A configuration, by its path.
    File(String),
    /// Whoever called: the cases themselves, or another program.
    Caller,
    /// Nobody said anything.
    Default,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Variable(name) | Self::File(name) => formatter.write_str(name),
            Self::Caller => formatter.write_str("the run itself"),
            Self::Default => formatter.write_str("default"),
        }
    }
}

impl SettingOrigin {
    /// Where an argument came from; nothing where nobody gave it.
    pub(super) fn from_matches(argument: &Arg, matches: &ArgMatches) -> Option<Self> {
        let id = argument.get_id().as_str();
        // A command may know only some of the arguments.
        matches.try_contains_id(id).ok()?;
        match matches.value_source(id)? {
            ValueSource::CommandLine => Some(Self::Flag(format!("--{}", argument.get_long().unwrap_or(id)))),
            ValueSource::EnvVariable => {
                let name = argument.get_env().unwrap_or_default().to_string_lossy().into_owned();
                Some(Self::Variable(variable_in_use(&name).to_owned()))
            }
            _ => None,
        }
    }

    /// Whether a configuration said it.
    pub const fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }
}

/// An option that was given by the name of an earlier release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldName {
    pub(crate) old: &'static str,
    pub(crate) new: &'static str,
    pub(crate) from: SettingOrigin,
}

impl fmt::Display for OldName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { old, new, from } = self;
        match from {
            SettingOrigin::Flag(_) => write!(formatter, "`--{old}` is now `--{}`", new.replace('_', "-")),
            SettingOrigin::Variable(name) => write!(formatter, "`{name}` is now `PROBARE_{}`", new.to_uppercase()),
            SettingOrigin::File(name) => write!(formatter, "`{old}` in {name} is now `{new}`"),
            SettingOrigin::Caller | SettingOrigin::Default => write!(formatter, "`{old}` is now `{new}`"),
        }
    }
}
