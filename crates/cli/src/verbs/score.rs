//! `probare score`: the cases of a file through some metrics.

use std::path::{Path, PathBuf};

use probare_cases::{FieldMap, ReadOptions, columns};
use probare_core::{Field, Job, MetricRequest, Profile};
use probare_report::escape;
use probare_runner::{Config, Exit};

use super::running::Running;
use super::{Reading, remark};
use crate::failure::{Done, Failure};

/// Score the cases of a file.
///
/// Writes one JSON line a case, in input order: to standard output, or to the files named with -o, whose extension says
/// what is written (.jsonl .json .csv .parquet .md .html .xml; .gz and .zst behind .jsonl, .json and .csv). The summary
/// goes to standard output with -o and to standard error without.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// File of cases (.jsonl .json .csv .tsv .parquet, also .gz and .zst); - is standard input
    #[arg(value_name = "FILE")]
    file: Option<String>,

    /// Metric to compute: ID, ID:OPTION=VALUE,… or NAME=ID:OPTION=VALUE (repeatable)
    #[arg(short, long = "metric", value_name = "METRIC", env = "PROBARE_METRIC")]
    metrics: Vec<String>,

    /// Which reading of the metrics: reference (the published numbers) or careful (ours, where we do better)
    #[arg(long, value_name = "PROFILE", value_parser = profile, env = "PROBARE_PROFILE")]
    profile: Option<Profile>,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    running: Running,

    /// End at the first row that cannot be read
    #[arg(long, env = "PROBARE_STRICT")]
    strict: bool,

    /// Settings; ./probare.yaml is read if it is there
    #[arg(short, long, value_name = "FILE", env = "PROBARE_CONFIG")]
    config: Option<PathBuf>,
}

/// Reads `reference` or `careful`.
pub fn profile(name: &str) -> Result<Profile, String> {
    [Profile::Reference, Profile::Careful]
        .into_iter()
        .find(|profile| profile.name() == name)
        .ok_or_else(|| "known profiles are reference and careful".to_owned())
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Done {
    let config = Config::load(arguments.config.as_deref())?;
    let requests: Vec<MetricRequest> = if arguments.metrics.is_empty() {
        config.requests()
    } else {
        arguments.metrics.iter().map(|text| text.parse()).collect::<Result<_, _>>()?
    };
    let (path, fields) = source(arguments, &config)?;
    let options = arguments.reading.options(&fields)?;
    let rows = arguments.reading.open(&path, &options)?;
    let mut job = Job::new(&path, Box::new(rows), requests);
    job.reads = vec![PathBuf::from(&path)];
    job.reading = arguments.reading.described(&options);
    let mut running = arguments.running.with_config(&config);
    let folder = arguments.config.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    running.asking = Some(arguments.running.asking.settled(&config, folder));
    running.profile = arguments.profile.or(config.profile).unwrap_or_default();
    running.strict = arguments.strict || config.run.strict;
    running.is_data = running.outputs.is_empty() || running.outputs.iter().any(|output| output == Path::new("-"));
    let ended = running.run(job)?;
    if ended == Exit::Error {
        hint_at_columns(&path, &options);
    }
    Ok(ended)
}

/// Where no column is a response, nearly every metric fails in every case: says which columns there are.
fn hint_at_columns(path: &str, options: &ReadOptions) {
    if path == "-" {
        return;
    }
    // What cannot be read has been said.
    let Ok(found) = columns(path, options) else { return };
    if found.is_empty() || options.fields.reads(Field::Response, &found) {
        return;
    }
    let names: Vec<String> = found.iter().take(20).map(|name| format!("`{}`", escape::terminal(name))).collect();
    let more = if found.len() > names.len() { ", …" } else { "" };
    remark(&format!(
        "hint: no column of `{}` is a response: there are {}{more}; name one with --map response=COLUMN",
        escape::terminal(path),
        names.join(", ")
    ));
}

/// The file to score and the mapping that belongs to it.
fn source(arguments: &Arguments, config: &Config) -> Result<(String, FieldMap), Failure> {
    if let Some(file) = &arguments.file {
        let configured = config.datasets.iter().find(|dataset| dataset.path == *file);
        let fields = configured.map(probare_runner::Dataset::fields).transpose()?;
        return Ok((file.clone(), fields.unwrap_or_default()));
    }
    match config.datasets.as_slice() {
        [dataset] => {
            let folder = arguments.config.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
            Ok((folder.join(&dataset.path).display().to_string(), dataset.fields()?))
        }
        [] => Err(Failure::usage("no file of cases is named")
            .hint("name one: probare score cases.jsonl --metric token_f1; `probare init` writes an example project")),
        several => Err(Failure::usage(format!("the configuration lists {} datasets", several.len()))
            .hint("name the one to score: probare score FILE")),
    }
}
