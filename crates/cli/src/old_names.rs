//! Flags, variables and profiles by their names of release 0.3. They work for one release, and each is mentioned once a run.
//!
//! [`with_old_names`] puts them on the whole command line at one place, so that no command has to know them.

use std::collections::BTreeSet;
use std::env::var_os;
use std::ffi::OsString;

use clap::{Arg, Command};
use probare_core::Profile;
use probare_engine::RENAMED;

use crate::commands::remark;

/// The same command line, which also understands the names of release 0.3.
pub fn with_old_names(command: Command) -> Command {
    command.mut_args(with_alias).mut_subcommands(with_old_names)
}

/// A key as a flag.
fn long(key: &str) -> String {
    key.replace('_', "-")
}

fn with_alias(argument: Arg) -> Arg {
    let renamed = RENAMED.iter().find(|option| argument.get_long() == Some(long(option.new).as_str()));
    let Some(flag) = renamed else { return argument };
    let has_variable = argument.get_env().is_some_and(|name| name == flag.new_variable);
    let argument = argument.alias(flag.old_flag);
    if has_variable && flag.is_set_by_old_variable() { argument.env(flag.old_variable) } else { argument }
}

/// The name of today of a flag that release 0.3 called so.
pub fn new_name(flag: &str) -> Option<String> {
    let old = flag.strip_prefix("--")?;
    RENAMED.iter().find(|option| option.old_flag == old).map(|option| format!("--{}", long(option.new)))
}

/// Mentions every old name on a command line and in the environment, once.
pub fn mention(arguments: &[OsString]) {
    let words = arguments.iter().map(|word| word.to_string_lossy()).take_while(|word| word != "--");
    let words: Vec<String> = words.map(std::borrow::Cow::into_owned).collect();
    let mut renamed = BTreeSet::new();
    for flag in &RENAMED {
        let word = format!("--{}", flag.old_flag);
        if words.iter().any(|given| given.split('=').next() == Some(&word)) {
            renamed.insert((word, format!("--{}", long(flag.new))));
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
        remark(&format!("`{old}` is now `{new}`; the old name goes with the next release"));
    }
}
