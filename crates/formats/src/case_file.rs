//! What there is to know about a file of cases before it is opened: [`CaseFormat`], [`ReadOptions`], and why it cannot be read
//! ([`CaseFileError`]).

use std::io;
use std::str::FromStr;

use probare_core::ReadSettings;
use serde::{Deserialize, Serialize};

use crate::{FieldMap, Grouping};

/// Size of the read buffer: large enough that system calls do not count.
pub(crate) const BUFFER: usize = 256 * 1024;

/// How rows are written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CaseFormat {
    /// One JSON object a line.
    #[serde(rename = "jsonl")]
    JsonLines,
    /// A JSON array of objects.
    Json,
    /// Comma-separated values with a header.
    Csv,
    /// Tab-separated values with a header.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Traces of OpenTelemetry as OTLP/JSON.
    Otlp,
}

impl CaseFormat {
    /// All formats with the extensions that mean them.
    pub const EXTENSIONS: [(&'static str, Self); 8] = [
        ("jsonl", Self::JsonLines),
        ("ndjson", Self::JsonLines),
        ("json", Self::Json),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("parquet", Self::Parquet),
        ("pq", Self::Parquet),
        ("otlp", Self::Otlp),
    ];
}

impl CaseFormat {
    /// The usual extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonLines => "jsonl",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
            Self::Otlp => "otlp",
        }
    }
}

impl FromStr for CaseFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::EXTENSIONS
            .iter()
            .find(|(extension, _)| extension.eq_ignore_ascii_case(name))
            .map(|(_, format)| *format)
            .ok_or_else(|| format!("unknown format `{name}`; known are jsonl, json, csv, tsv, parquet and otlp"))
    }
}

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Which column becomes which field.
    pub fields: FieldMap,
    /// Format where the extension does not tell.
    pub format: Option<CaseFormat>,
    /// The sign between the cells of a CSV or TSV file. Where none is given, it is a tab in TSV, and in CSV the one of
    /// comma, semicolon, tab and pipe that stands as often in the first rows as in the header.
    pub separator: Option<u8>,
    /// What becomes one case of a file of traces; a trace where nothing is said.
    pub group: Option<Grouping>,
    /// A longer row is reported and passed over, so that a file without line ends cannot fill the memory.
    pub longest_row: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { fields: FieldMap::default(), format: None, separator: None, group: None, longest_row: 64 * 1024 * 1024 }
    }
}

impl ReadOptions {
    /// How cases are read, for the manifest.
    pub fn recorded(&self) -> ReadSettings {
        ReadSettings {
            mapping: self.fields.iter().map(|(field, column)| (field.to_owned(), column.to_owned())).collect(),
            format: self.format.map(|format| format.name().to_owned()),
            separator: self.separator.map(char::from),
            group: self.group.map(|group| group.name().to_owned()),
            longest_row: Some(self.longest_row as u64),
            limit: None,
            lost_rows_fail: false,
        }
    }
}

/// A file could not be opened or read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseFileError {
    /// The system refused.
    #[error("cannot read `{file}`")]
    Io {
        file: String,
        #[source]
        source: io::Error,
    },
    /// The extension says nothing and no format was given.
    #[error("cannot tell the format of `{file}` from its name; known are jsonl, json, csv, tsv, parquet and otlp")]
    UnknownFormat { file: String },
    /// A document is longer than what is read at once.
    #[error("`{file}` is longer than {}, the limit for one document; check that it is the right file, or split it", size(*limit))]
    TooLarge { file: String, limit: u64 },
    /// It is not what its format says, or something is wanted that the format has not.
    #[error("{0}")]
    Invalid(String),
}

impl CaseFileError {
    pub(crate) fn broken(file: &str, format: &str, reason: &str) -> Self {
        Self::Invalid(format!("`{file}` is not a valid {format} file: {reason}"))
    }

    /// A row that begins in `line` was given up after `length` bytes.
    pub(crate) fn endless(file: &str, line: u64, length: u64) -> Self {
        Self::Invalid(format!(
            "`{file}` has a row at line {line} longer than {}; it is not a file of rows, or its line ends or quotes are damaged",
            size(length)
        ))
    }

    /// `wish` says what the format has not, and what to do instead.
    pub(crate) fn unfit(file: &str, wish: &str) -> Self {
        Self::Invalid(format!("`{file}`: {wish}"))
    }
}

/// A number of bytes in words.
pub(crate) fn size(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    match bytes {
        0 => "0 bytes".to_owned(),
        _ if bytes.is_multiple_of(1024 * MIB) => format!("{} GiB", bytes / (1024 * MIB)),
        _ if bytes.is_multiple_of(MIB) => format!("{} MiB", bytes / MIB),
        _ if bytes.is_multiple_of(1024) => format!("{} KiB", bytes / 1024),
        _ => format!("{bytes} bytes"),
    }
}
