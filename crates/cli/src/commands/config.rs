//! `probare config show`: what a command would run with, and where each setting comes from.

use std::ffi::OsString;

use probare_engine::{RunOptions, SettingOrigin};
use probare_report::escape;
use serde_json::{Value as Json, json};

use super::print;
use crate::failure::{CommandResult, Failure};

/// Show settings and where they come from
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Show(ShowArguments),
}

/// Show every setting of a run, and whether a flag, a variable, a file or nobody set it
///
/// Nothing is run. Without a command it shows what `probare score` would take from the environment and from probare.yaml.
#[derive(Debug, clap::Args)]
struct ShowArguments {
    /// Print JSON: for each setting its value and where it comes from
    #[arg(long)]
    json: bool,

    /// The command to look at, with its flags: probare config show score --limit 5
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let Command::Show(ShowArguments { json, command }) = &arguments.command;
    let words = if command.is_empty() { vec![OsString::from("score")] } else { command.clone() };
    let settings = crate::settings_for(words)?;
    let settings = settings.ok_or_else(|| {
        Failure::usage("this command takes no settings of a run").hint(
            "name one that scores: score, run, resume, rag eval, rag test, synthesis, socioscope, synthlink, sgi …",
        )
    })?;
    print(&if *json { as_json(&settings) } else { as_text(&settings) })
}

fn as_json(settings: &RunOptions) -> String {
    let one =
        |(name, value, from): (String, Json, SettingOrigin)| json!({"setting": name, "value": value, "from": from});
    let all: Vec<Json> = settings.listed().into_iter().map(one).collect();
    format!("{:#}\n", Json::from(all))
}

fn as_text(settings: &RunOptions) -> String {
    let listed = settings.listed();
    let width = listed.iter().map(|(name, ..)| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (name, value, from) in listed {
        let value = match &value {
            Json::Null => "-".to_owned(),
            Json::String(text) => text.clone(),
            Json::Array(list) if list.is_empty() => "-".to_owned(),
            other => other.to_string(),
        };
        // What nobody set stands there without a source, so that the eye finds the rest.
        let from = if from == SettingOrigin::Default { String::new() } else { format!("  ({from})") };
        text.push_str(&escape::terminal(&format!("{name:width$}  {value}{from}")));
        text.push('\n');
    }
    text
}
