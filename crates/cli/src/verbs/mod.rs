//! One file per verb: its arguments and what it does.

pub mod completions;
pub mod doctor;
pub mod explain;
pub mod init;
pub mod list;
pub mod man;
pub mod parse;
pub mod rag;
pub mod schema;
pub mod score;
pub mod socioscope;
pub mod synthesis;
pub mod synthlink;
pub mod text;
pub mod validate;
pub mod verify;

use std::io::{self, Write};

use probare_cases::{FieldMap, Format, ReadOptions, Rows};

use crate::exit::Exit;
use crate::failure::{Done, Failure};

/// How to read cases; shared by all verbs that do.
#[derive(Debug, Clone, clap::Args)]
pub struct Reading {
    /// Column for a field, for example `response=model_output` (repeatable)
    #[arg(long = "map", value_name = "FIELD=COLUMN", env = "PROBARE_MAP")]
    pub map: Vec<String>,

    /// Format of the cases where the name does not tell: jsonl, json, csv, tsv or parquet
    #[arg(long, value_name = "FORMAT", env = "PROBARE_FORMAT")]
    pub format: Option<Format>,

    /// Rows longer than this many MiB are reported and passed over
    #[arg(long, value_name = "MIB", default_value_t = 64, env = "PROBARE_LONGEST_ROW")]
    pub longest_row: usize,
}

impl Reading {
    /// Opens a file of cases. Mappings of a configuration come first, those of the command line replace them.
    pub fn open(&self, path: &str, configured: &[String]) -> Result<Rows, Failure> {
        let field = |mapping: &String| mapping.split('=').next().unwrap_or_default().trim().to_owned();
        let mut mappings = self.map.clone();
        mappings.extend(
            configured.iter().filter(|mapping| self.map.iter().all(|own| field(own) != field(mapping))).cloned(),
        );
        let options = ReadOptions {
            fields: FieldMap::parse(&mappings)?,
            format: self.format,
            longest_row: self.longest_row.saturating_mul(1024 * 1024),
        };
        Ok(Rows::open(path, &options)?)
    }
}

/// Prints data to standard output. A reader that closed the pipe has seen enough: that is no error.
pub fn print(text: &str) -> Done {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(Exit::Fine),
    }
}

/// Prints a remark to standard error; nothing can be done if even that fails.
pub fn remark(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
