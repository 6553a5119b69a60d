//! One file per command: its arguments and what it does.

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
pub mod metric;
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
mod server_process;
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

use probare_core::{Stop, closest};
use probare_engine::Exit;
use probare_formats::{CaseFormat, CaseReader, ReadOptions, columns};
use probare_report::{OutputWriter, escape};

use crate::failure::{CommandResult, Failure};

/// Opens a file of cases. A column that is mapped but not there would leave its field empty in every case: that is an
/// error before anything runs.
pub fn open_cases(path: &str, options: &ReadOptions) -> Result<CaseReader, Failure> {
    if std::path::Path::new(path).is_dir() {
        return Err(Failure::usage(format!("`{path}` is a folder, not a file of cases"))
            .hint("name the file: .jsonl, .json, .csv, .tsv or .parquet"));
    }
    let is_mapped = options.fields.iter().next().is_some();
    // Rows of JSON may differ from each other, and standard input can be read only once.
    let has_header = path != "-"
        && matches!(CaseReader::format_of(path, options), Ok(CaseFormat::Csv | CaseFormat::Tsv | CaseFormat::Parquet));
    if is_mapped && has_header {
        let columns = columns(path, options)?;
        if let Some((field, column)) = options.fields.missing_columns(&columns).first() {
            return Err(no_column(path, field, column, &columns));
        }
    }
    Ok(CaseReader::open(path, options)?)
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

/// Prints a remark to standard error as one line: whatever it repeats of files, models and paths is escaped here. Nothing can be
/// done if even that fails.
pub fn remark(text: &str) {
    remark_lines(&escape::terminal(text));
}

/// Prints several lines of our own to standard error; what they repeat of others is escaped already.
pub fn remark_lines(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
