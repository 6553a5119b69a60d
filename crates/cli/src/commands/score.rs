//! `probare score`: the cases of a file through some metrics.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use probare_core::{Field, Job};
use probare_engine::{Config, Exit, RunOptions};
use probare_formats::{FieldMap, ReadOptions, columns};
use probare_report::escape;

use super::flags::{ForScore, OptionFlags};
use super::run_driver::RunDriver;
use super::{open_cases, remark};
use crate::failure::{CommandResult, Failure};

/// Score the cases of a file.
///
/// On a terminal it shows a summary. With -o it writes files, whose extension says what (.jsonl .json .csv .parquet .md .html
/// .xml; .gz and .zst behind .jsonl, .json and .csv). Into a pipe, or with -o -, it writes one JSON line per case, in input
/// order, and the summary goes to standard error.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File of cases (.jsonl .json .csv .tsv .parquet, also .gz and .zst); - is standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,

    #[command(flatten)]
    options: OptionFlags<ForScore>,

    /// The configuration; ./probare.yaml is read if it exists
    #[arg(short, long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,
}

/// What the run is.
pub fn settings(arguments: &Arguments) -> Result<RunOptions, Failure> {
    Ok(arguments.options.with(&Config::load(arguments.config.as_deref())?))
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> CommandResult {
    let settings = settings(arguments)?;
    let (path, fields) = source(arguments, &settings)?;
    let options = settings.reading(&fields)?;
    let rows = open_cases(&path, &options)?;
    // Only files of results have a manifest that names their input.
    let rows = if settings.output.is_empty() { rows.without_digest() } else { rows };
    let mut job = Job::new(&path, Box::new(rows), settings.requests());
    job.reads = vec![PathBuf::from(&path)];
    job.reading = options.recorded();
    // A reader at a terminal wants the summary; a program behind a pipe wants the lines.
    let is_data = settings.output.is_empty() && !io::stdout().is_terminal();
    let ended = RunDriver::new(settings).printing_lines(is_data).run(job)?;
    if ended == Exit::Error {
        hint_at_columns(&path, &options);
    }
    Ok(ended)
}

/// Where no column holds a response, nearly every metric fails in every case: says which columns there are.
fn hint_at_columns(path: &str, options: &ReadOptions) {
    if path == "-" {
        return;
    }
    // What cannot be read has been said.
    let Ok(found) = columns(path, options) else { return };
    if found.is_empty() || options.fields.supplies(Field::Response, &found) {
        return;
    }
    let names: Vec<String> = found.iter().take(20).map(|name| format!("`{}`", escape::terminal(name))).collect();
    let more = if found.len() > names.len() { ", …" } else { "" };
    remark(&format!(
        "hint: no column of `{}` is a response: there are {}{more}; name one with --map response=COLUMN",
        path,
        names.join(", ")
    ));
}

/// The file to score and the mapping that belongs to it.
fn source(arguments: &Arguments, settings: &RunOptions) -> Result<(String, FieldMap), Failure> {
    if let Some(file) = &arguments.file {
        let configured = settings.datasets.iter().find(|dataset| dataset.path == *file);
        let fields = configured.map(probare_engine::Dataset::fields).transpose()?;
        return Ok((file.clone(), fields.unwrap_or_default()));
    }
    match settings.datasets.as_slice() {
        [dataset] => Ok((settings.folder().join(&dataset.path).display().to_string(), dataset.fields()?)),
        [] => Err(Failure::usage("no file of cases is named")
            .hint("name one: probare score cases.jsonl --metric token_f1; `probare init` writes an example project")),
        several => Err(Failure::usage(format!("the configuration lists {} datasets", several.len()))
            .hint("name the one to score: probare score FILE")),
    }
}
