//! One file per verb: its arguments and what it does.

pub mod benchmark;
pub mod benchmark_hooks;
pub mod cache;
pub mod calibrate;
pub mod compare;
pub mod completions;
pub mod config;
pub mod doctor;
pub mod estimate;
pub mod explain;
pub mod export;
pub mod flags;
pub mod history;
pub mod import;
pub mod init;
pub mod judge;
pub mod labelled_results;
pub mod list;
pub mod man;
pub mod model_call_flags;
pub mod models;
pub mod parse;
pub mod power;
pub mod rag;
pub mod rescore;
pub mod resume;
pub mod run;
pub mod run_driver;
pub mod runs;
pub mod schema;
pub mod score;
pub mod serve;
pub mod sgi;
pub mod show;
pub mod socioscope;
pub mod store_flags;
pub mod text;
pub mod trust;
pub mod validate;
pub mod verify;
pub mod view;

use std::io::{self, Write};

use probare_cases::{CaseFormat, CaseReader, FieldMap, Grouping, ReadOptions, columns};
use probare_core::{Stop, closest};
use probare_report::OutputWriter;

use crate::failure::{CommandResult, Failure};
use probare_engine::{Exit, Settings};
use serde::Serialize;

/// How to read cases; shared by all verbs that do.
#[derive(Debug, Clone, Default, clap::Args, Serialize)]
pub struct CaseReadFlags {
    /// Column for a field, for example `response=model_output` (repeatable)
    #[arg(long = "map", value_name = "FIELD=COLUMN", env = "PROBARE_MAP")]
    pub map: Vec<String>,

    /// Format of the cases where the name does not tell: jsonl, json, csv, tsv, parquet or otlp (traces)
    #[arg(long, value_name = "FORMAT", env = "PROBARE_FORMAT")]
    pub format: Option<CaseFormat>,

    /// Sign between the cells of a CSV file; found by itself where it is not given: comma, semicolon, tab or |
    #[arg(long, value_name = "SIGN", value_parser = separator, env = "PROBARE_SEP")]
    pub sep: Option<char>,

    /// What becomes one case of a file of traces: trace (by default) or conversation
    #[arg(long, value_name = "WHAT", env = "PROBARE_GROUP")]
    pub group: Option<Grouping>,

    /// Rows longer than this many MiB are reported and passed over
    #[arg(long, value_name = "MIB", default_value_t = 64, env = "PROBARE_LONGEST_ROW")]
    pub longest_row: usize,
}

/// Reads the sign between cells: one character, or `tab`.
fn separator(text: &str) -> Result<char, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok('\t'),
        [sign] if !sign.is_ascii_alphanumeric() && *sign != b'"' => Ok(char::from(*sign)),
        _ => Err("one sign is expected, such as ; or | or tab".to_owned()),
    }
}

impl CaseReadFlags {
    /// How to read, for a verb that has no run.
    pub fn options(&self) -> Result<ReadOptions, Failure> {
        let Self { map, format, sep, group, longest_row } = self.clone();
        let settings = Settings { map, format, sep, group, longest_row: Some(longest_row), ..Settings::default() };
        Ok(settings.reading(&FieldMap::default())?)
    }

    /// Opens a file of cases. A column that is mapped but not there would leave its field empty in every case: that is an
    /// error before anything runs.
    pub fn open(path: &str, options: &ReadOptions) -> Result<CaseReader, Failure> {
        let is_mapped = options.fields.iter().next().is_some();
        // Rows of JSON may differ from each other, and standard input can be read only once.
        let has_header = path != "-"
            && matches!(
                CaseReader::format_of(path, options),
                Ok(CaseFormat::Csv | CaseFormat::Tsv | CaseFormat::Parquet)
            );
        if is_mapped && has_header {
            let columns = columns(path, options)?;
            if let Some((field, column)) = options.fields.missing_columns(&columns).first() {
                return Err(no_column(path, field, column, &columns));
            }
        }
        Ok(CaseReader::open(path, options)?)
    }

    /// How cases are read, for the manifest.
    pub fn for_manifest(options: &ReadOptions) -> probare_core::ReadSettings {
        probare_core::ReadSettings {
            mapping: options.fields.iter().map(|(field, column)| (field.to_owned(), column.to_owned())).collect(),
            format: options.format.map(|format| format.name().to_owned()),
            separator: options.separator.map(char::from),
            group: options.group.map(|group| group.name().to_owned()),
            longest_row: Some(options.longest_row as u64),
            limit: None,
        }
    }
}

/// The failure for a mapping to a column that is not there.
fn no_column(path: &str, field: &str, column: &str, columns: &[String]) -> Failure {
    let failure = Failure::usage(format!("`{path}` has no column `{column}`, which {field} is mapped to"));
    match closest(column, columns.iter().map(String::as_str)) {
        Some(similar) => failure.hint(format!("a similar name exists: --map {field}={similar}")),
        None => failure.hint(format!("its columns are {}", columns.join(", "))),
    }
}

/// Prints data to standard output. A reader that closed the pipe has seen enough: that is no error.
pub fn print(text: &str) -> CommandResult {
    let mut out = OutputWriter::to_stdout();
    let printed = out.write_all(text.as_bytes()).and_then(|()| out.finish(Stop::Complete));
    printed.map_err(|error| Failure::new(format!("cannot write to standard output: {error}")))?;
    Ok(Exit::Fine)
}

/// Prints a remark to standard error; nothing can be done if even that fails.
pub fn remark(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
