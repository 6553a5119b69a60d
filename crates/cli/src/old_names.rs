//! Flags, variables and profiles by their names of release 0.3. They work for one release, and each is mentioned once a run.
//!
//! [`with_old_names`] puts them on the whole command line at one place, so that no command has to know them.

use std::collections::BTreeSet;
use std::env::var_os;
use std::ffi::OsString;

use clap::{Arg, Command};
use probare_core::Profile;
use probare_report::escape;

use crate::commands::remark;

/// A flag that has another name now, with its variable.
struct RenamedFlag {
    old: &'static str,
    new: &'static str,
    old_variable: &'static str,
    new_variable: &'static str,
}

const FLAGS: [RenamedFlag; 5] = [
    RenamedFlag {
        old: "confident",
        new: "significant",
        old_variable: "PROBARE_CONFIDENT",
        new_variable: "PROBARE_SIGNIFICANT",
    },
    RenamedFlag {
        old: "each-group",
        new: "per-group",
        old_variable: "PROBARE_EACH_GROUP",
        new_variable: "PROBARE_PER_GROUP",
    },
    RenamedFlag { old: "record", new: "cache", old_variable: "PROBARE_RECORD", new_variable: "PROBARE_CACHE" },
    RenamedFlag { old: "sep", new: "delimiter", old_variable: "PROBARE_SEP", new_variable: "PROBARE_DELIMITER" },
    RenamedFlag {
        old: "longest-row",
        new: "max-row-size",
        old_variable: "PROBARE_LONGEST_ROW",
        new_variable: "PROBARE_MAX_ROW_SIZE",
    },
];

impl RenamedFlag {
    /// Whether the old variable is set, and the new one is not.
    fn is_set_by_old_variable(&self) -> bool {
        let is_set = |name| var_os(name).is_some_and(|value| !value.is_empty());
        is_set(self.old_variable) && !is_set(self.new_variable)
    }
}

/// The same command line, which also understands the names of release 0.3.
pub fn with_old_names(command: Command) -> Command {
    command.mut_args(with_alias).mut_subcommands(with_old_names)
}

fn with_alias(argument: Arg) -> Arg {
    let renamed = FLAGS.iter().find(|flag| argument.get_long() == Some(flag.new));
    let Some(flag) = renamed else { return argument };
    let has_variable = argument.get_env().is_some_and(|name| name == flag.new_variable);
    let argument = argument.alias(flag.old);
    if has_variable && flag.is_set_by_old_variable() { argument.env(flag.old_variable) } else { argument }
}

/// The variable that gives the value of a flag: the one of this name, or its old name where that is the one that is set.
pub fn variable_in_use(name: &str) -> &str {
    let old = FLAGS.iter().find(|flag| flag.new_variable == name && flag.is_set_by_old_variable());
    old.map_or(name, |flag| flag.old_variable)
}

/// Mentions every old name on a command line and in the environment, once.
pub fn mention(arguments: &[OsString]) {
    let words = arguments.iter().map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    let words: Vec<String> = words.map(std::borrow::Cow::into_owned).collect();
    let mut renamed = BTreeSet::new();
    for flag in &FLAGS {
        let word = format!("--{}", flag.old);
        if words.iter().any(|given| given.split('=').next() == Some(&word)) {
            renamed.insert((word, format!("--{}", flag.new)));
        }
        if flag.is_set_by_old_variable() {
            renamed.insert((flag.old_variable.to_owned(), flag.new_variable.to_owned()));
        }
    }
    let variable = var_os("PROBARE_PROFILE");
    for profile in Profile::ALL {
        let old = profile.old_name();
        let value = format!("profile={old}");
        let is_named = words.iter().any(|word| {
            word.trim_start_matches("--")
                .split([':', ','])
                .any(|part| part == value || part.ends_with(&format!("={value}")))
        }) || words.windows(2).any(|pair| pair[0] == "--profile" && pair[1] == old)
            || variable.as_ref().is_some_and(|value| value == old);
        if is_named {
            renamed.insert((format!("profile {old}"), format!("profile {}", profile.name())));
        }
    }
    for (old, new) in renamed {
        remark(&escape::terminal(&format!("`{old}` is now `{new}`; the old name goes with the next release")));
    }
}
