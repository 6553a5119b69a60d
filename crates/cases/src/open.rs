//! Opening a file of cases: format and compression by extension, standard input by `-`.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use probare_core::{Input, Progress, Source, SourceError};

use crate::FieldMap;
use crate::digest::{self, Digest, Digesting};
use crate::formats::columns::ColumnReader;
use crate::formats::csv::CsvReader;
use crate::formats::json::{JsonReader, Layout};
use crate::row::{Batch, Shared};

/// Size of the read buffer: large enough that system calls do not count.
const BUFFER: usize = 256 * 1024;

/// How rows are written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    JsonLines,
    /// A JSON array of objects.
    Json,
    /// Comma-separated values with a header.
    Csv,
    /// Tab-separated values with a header.
    Tsv,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    /// All formats with the extensions that mean them.
    pub const EXTENSIONS: [(&'static str, Self); 7] = [
        ("jsonl", Self::JsonLines),
        ("ndjson", Self::JsonLines),
        ("json", Self::Json),
        ("csv", Self::Csv),
        ("tsv", Self::Tsv),
        ("parquet", Self::Parquet),
        ("pq", Self::Parquet),
    ];
}

impl Format {
    /// The usual extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::JsonLines => "jsonl",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::EXTENSIONS
            .iter()
            .find(|(extension, _)| extension.eq_ignore_ascii_case(name))
            .map(|(_, format)| *format)
            .ok_or_else(|| format!("unknown format `{name}`; known are jsonl, json, csv, tsv and parquet"))
    }
}

#[derive(Debug, Clone, Copy)]
enum Compression {
    None,
    Gzip,
    Zstd,
}

/// How to read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Which column becomes which field.
    pub fields: FieldMap,
    /// Format where the extension does not tell.
    pub format: Option<Format>,
    /// A longer row is reported and passed over, so that a file without line ends cannot fill the memory.
    pub longest_row: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { fields: FieldMap::default(), format: None, longest_row: 64 * 1024 * 1024 }
    }
}

/// A file could not be opened or read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The system refused.
    #[error("cannot read `{file}`")]
    Io {
        /// File name as given.
        file: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The extension says nothing and no format was given.
    #[error("cannot tell the format of `{file}` from its name; use --format jsonl, json, csv, tsv or parquet")]
    UnknownFormat {
        /// File name as given.
        file: String,
    },
    /// The file is not what its format says.
    #[error("`{file}` is no {format} file: {reason}")]
    Broken {
        /// File name as given.
        file: String,
        /// The format it was taken for.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// The rows of one file, in batches.
pub struct Rows {
    reader: Reader,
    stored: Option<StoredFile>,
    rows: u64,
}

/// The file as it is stored, behind whatever unpacks it.
struct StoredFile {
    path: String,
    digest: Digest,
    rest: Option<digest::Shared<Digesting<Box<dyn Read + Send>>>>,
}

enum Reader {
    Json(JsonReader),
    Csv(Box<CsvReader>),
    Columns(Box<ColumnReader>),
}

impl fmt::Debug for Rows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Rows").finish_non_exhaustive()
    }
}

impl Rows {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &str, options: &ReadOptions) -> Result<Self, OpenError> {
        if path == "-" {
            let format = options.format.unwrap_or(Format::JsonLines);
            let (reader, stored) = StoredFile::new(path, Box::new(io::stdin()), None);
            let mut rows = Self::start(reader, None, "standard input", format, options)?;
            rows.stored = Some(stored);
            return Ok(rows);
        }
        let (named, compression) = told_by_name(Path::new(path));
        let Some(format) = options.format.or(named) else {
            return Err(OpenError::UnknownFormat { file: path.to_owned() });
        };
        let io_error = |source| OpenError::Io { file: path.to_owned(), source };
        let file = File::open(path).map_err(io_error)?;
        let found = file.metadata().map_err(io_error)?;
        if found.is_dir() {
            return Err(io_error(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file in it")));
        }
        let whole = match (compression, format) {
            // Parquet is read from its end; the digest needs a reader of its own.
            (Compression::None, Format::Parquet) => Some(File::open(path).map_err(io_error)?),
            _ => None,
        };
        let total = found.is_file().then_some(found.len());
        let (reader, stored) = StoredFile::new(path, Box::new(file), total);
        let reader: Box<dyn Read + Send> = match compression {
            Compression::None => reader,
            Compression::Gzip => Box::new(MultiGzDecoder::new(reader)),
            Compression::Zstd => Box::new(zstd::Decoder::new(reader).map_err(io_error)?),
        };
        let mut rows = Self::start(reader, whole, path, format, options)?;
        rows.stored = Some(stored);
        Ok(rows)
    }

    /// Rows from anything that can be read; `name` is what messages call it.
    pub fn from_reader(
        reader: impl Read + Send + 'static,
        name: &str,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Self, OpenError> {
        Self::start(Box::new(reader), None, name, format, options)
    }

    fn start(
        reader: Box<dyn Read + Send>,
        whole: Option<File>,
        name: &str,
        format: Format,
        options: &ReadOptions,
    ) -> Result<Self, OpenError> {
        let shared = Arc::new(Shared { file: name.to_owned(), fields: options.fields.clone() });
        let io_error = |source| OpenError::Io { file: name.to_owned(), source };
        let buffered = |reader| BufReader::with_capacity(BUFFER, reader);
        let reader = match format {
            Format::JsonLines => {
                let mut reader = buffered(reader);
                // Pipes have no extension; an array there is as good as lines.
                let array = name == "standard input" && first_byte(&mut reader).map_err(io_error)? == Some(b'[');
                let layout = if array { Layout::Values } else { Layout::Lines };
                Reader::Json(JsonReader::new(Box::new(reader), layout, options.longest_row, shared))
            }
            Format::Json => {
                Reader::Json(JsonReader::new(Box::new(buffered(reader)), Layout::Values, options.longest_row, shared))
            }
            Format::Csv => Reader::Csv(Box::new(CsvReader::new(Box::new(buffered(reader)), b',', shared)?)),
            Format::Tsv => Reader::Csv(Box::new(CsvReader::new(Box::new(buffered(reader)), b'\t', shared)?)),
            Format::Parquet => Reader::Columns(Box::new(match whole {
                Some(file) => ColumnReader::new(file, shared)?,
                None => ColumnReader::from_stream(reader, shared)?,
            })),
        };
        Ok(Self { reader, stored: None, rows: 0 })
    }
}

impl Iterator for Rows {
    type Item = Result<Batch, OpenError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.reader {
            Reader::Json(reader) => reader.next(),
            Reader::Csv(reader) => reader.next(),
            Reader::Columns(reader) => reader.next(),
        }
    }
}

impl Source for Rows {
    fn next_batch(&mut self) -> Option<Result<Box<dyn probare_core::Batch>, SourceError>> {
        let batch = match self.next()? {
            Ok(batch) => batch,
            Err(error) => return Some(Err(error.into())),
        };
        self.rows += batch.len() as u64;
        Some(Ok(Box::new(batch)))
    }

    fn inputs(&mut self) -> Result<Vec<Input>, SourceError> {
        let Some(stored) = &mut self.stored else { return Ok(Vec::new()) };
        if let Some(rest) = stored.rest.take() {
            let read = rest.with(Digesting::exhaust);
            read.map_err(|source| OpenError::Io { file: stored.path.clone(), source })?;
        }
        Ok(vec![Input { rows: Some(self.rows), ..stored.digest.input(&stored.path) }])
    }

    fn progress(&self) -> Option<Arc<dyn Progress>> {
        self.stored.as_ref().map(|stored| stored.digest.progress() as Arc<dyn Progress>)
    }
}

impl StoredFile {
    fn new(path: &str, file: Box<dyn Read + Send>, total: Option<u64>) -> (Box<dyn Read + Send>, Self) {
        let digest = Digest::new(total);
        let shared = digest::Shared::new(Digesting::new(file, digest.clone()));
        (Box::new(shared.clone()), Self { path: path.to_owned(), digest, rest: Some(shared) })
    }
}

/// Format and compression by extension: `cases.jsonl.gz` is compressed JSON lines.
fn told_by_name(path: &Path) -> (Option<Format>, Compression) {
    let extension = |path: &Path| path.extension().map(|part| part.to_string_lossy().to_ascii_lowercase());
    let (inner, compression) = match extension(path).as_deref() {
        Some("gz" | "gzip") => (PathBuf::from(path.file_stem().unwrap_or_default()), Compression::Gzip),
        Some("zst" | "zstd") => (PathBuf::from(path.file_stem().unwrap_or_default()), Compression::Zstd),
        _ => (path.to_owned(), Compression::None),
    };
    (extension(&inner).and_then(|name| name.parse().ok()), compression)
}

/// The first byte that is neither white space nor part of a byte order mark, without taking it.
fn first_byte(reader: &mut impl BufRead) -> io::Result<Option<u8>> {
    let start = reader.fill_buf()?;
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    Ok(start.iter().copied().find(|byte| !byte.is_ascii_whitespace()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_before_a_compression_tells_the_format() {
        assert!(matches!(told_by_name(Path::new("a/b.JSONL.gz")), (Some(Format::JsonLines), Compression::Gzip)));
        assert!(matches!(told_by_name(Path::new("b.csv.zst")), (Some(Format::Csv), Compression::Zstd)));
        assert!(matches!(told_by_name(Path::new("b.parquet")), (Some(Format::Parquet), Compression::None)));
        assert!(matches!(told_by_name(Path::new("b.txt")), (None, Compression::None)));
    }
}
