//! [`Recorded`]: a file of results, read back: its manifest, its rows one after the other, and its digest.
//!
//! A [`Form`] says what the row of a case looks like in the same format, so that whoever computes a run again can hold
//! one against the other. Nothing is kept of a row that was handed out.

mod form;
mod rows;
mod scan;
mod table;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use parquet::file::reader::{FileReader, SerializedFileReader};
use probare_core::{Sha256, Stored};

pub use self::form::{Content, Form, Key, Row};
pub use self::rows::Rows;
pub use self::table::cells;

use crate::output::Compression;
use crate::{Format, OpenError, manifest};

/// Bytes of the longest line or value that is read back.
const LONGEST: usize = 1 << 30;

/// A file of results cannot be read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordedError {
    /// Its name does not say what it is.
    #[error(transparent)]
    Name(#[from] OpenError),
    /// Files of this format do not hold enough.
    #[error("`{}` cannot be verified: {why}", path.display())]
    Unverifiable {
        /// The path as given.
        path: PathBuf,
        /// What such a file lacks.
        why: &'static str,
    },
    /// It does not say how it was made.
    #[error("`{}` does not say how it was made: {what}", path.display())]
    NoManifest {
        /// The path as given.
        path: PathBuf,
        /// What was looked for.
        what: String,
    },
    /// It cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It is not what its name says.
    #[error("`{}` is no file of results: {reason}", path.display())]
    Broken {
        /// The path.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// What a file says about its run.
#[derive(Debug, Clone, Default)]
pub struct Said {
    /// The manifest as it is written.
    pub manifest: String,
    /// Where the cases came from, in files that say so beside the manifest.
    pub source: Option<String>,
    /// How often the results stand there, where that is no matter of course.
    pub results: Option<usize>,
}

/// A file of results.
#[derive(Debug, Clone)]
pub struct Recorded {
    path: PathBuf,
    format: Format,
    compression: Compression,
}

impl Recorded {
    /// A file that can be verified, by its name.
    pub fn new(path: &Path) -> Result<Self, RecordedError> {
        let (format, compression) = Format::of_path(path)?;
        let why = match format {
            Format::Markdown => "a Markdown page holds a few rounded numbers",
            Format::Junit => "JUnit test results hold no values",
            Format::Jsonl | Format::Json | Format::Csv | Format::Parquet | Format::Html => "",
        };
        if why.is_empty() {
            return Ok(Self { path: path.to_owned(), format, compression });
        }
        Err(RecordedError::Unverifiable { path: path.to_owned(), why })
    }

    /// What kind of file it is.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The path as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file, or the one beside it, says about the run.
    pub fn said(&self) -> Result<Said, RecordedError> {
        match self.format {
            Format::Json => {
                let document = scan::document(self.unpacked()?).map_err(|reason| self.broken(reason))?;
                if document.get("inputs").is_none() {
                    return Err(self.without("it has no `inputs`"));
                }
                let rest = |key: &str| !["results", "source"].contains(&key);
                Ok(Said {
                    manifest: document.only(rest),
                    source: document.get("source").map(str::to_owned),
                    results: Some(document.results),
                })
            }
            Format::Html => self.in_page(),
            Format::Parquet => self.in_footer(),
            _ => {
                let beside = manifest::beside(&self.path);
                // A file that is not there is another matter than one that says nothing.
                File::open(&self.path).map_err(|error| self.io(error))?;
                match std::fs::read_to_string(&beside) {
                    Ok(manifest) => Ok(Said { manifest, ..Said::default() }),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        Err(self.without(&format!("`{}` is not there", beside.display())))
                    }
                    Err(source) => Err(RecordedError::Io { path: beside, source }),
                }
            }
        }
    }

    fn in_page(&self) -> Result<Said, RecordedError> {
        let mut reader = self.unpacked()?;
        let mut line = Vec::new();
        while scan::line(&mut reader, &mut line).map_err(|error| self.io(error))? {
            let inner =
                std::str::from_utf8(&line).ok().and_then(|line| line.trim_end().strip_prefix(manifest::OPENING));
            if let Some(manifest) = inner.and_then(|inner| inner.strip_suffix(manifest::CLOSING)) {
                return Ok(Said { manifest: manifest.to_owned(), ..Said::default() });
            }
        }
        Err(self.without("the page holds no manifest"))
    }

    fn in_footer(&self) -> Result<Said, RecordedError> {
        let reader = self.columns()?;
        let pairs = reader.metadata().file_metadata().key_value_metadata();
        let found = pairs.into_iter().flatten().find(|pair| pair.key == manifest::KEY);
        match found.and_then(|pair| pair.value.clone()) {
            Some(manifest) => Ok(Said { manifest, ..Said::default() }),
            None => Err(self.without(&format!("its footer has no `{}`", manifest::KEY))),
        }
    }

    /// The rows; nothing for a page, which holds some of the cases in words.
    pub fn rows(&self) -> Result<Option<Rows>, RecordedError> {
        Ok(Some(match self.format {
            Format::Json => {
                Rows::Values(Box::new(scan::Results::new(self.unpacked()?).map_err(|reason| self.broken(reason))?))
            }
            Format::Csv => {
                Rows::Table(Box::new(table::Table::new(self.unpacked()?).map_err(|reason| self.broken(reason))?))
            }
            Format::Parquet => {
                let reader = self.columns()?;
                Rows::Columns(Box::new(
                    guarded(|| Ok(rows::Columns::new(reader))).map_err(|reason| self.broken(reason))?,
                ))
            }
            Format::Jsonl => Rows::Lines(Box::new(rows::Lines::new(self.unpacked()?))),
            _ => return Ok(None),
        }))
    }

    /// The results that it holds: the rows, and of a page those of the cases that are on it.
    pub fn results(&self) -> Result<Rows, RecordedError> {
        match self.rows()? {
            Some(rows) => Ok(rows),
            None => Ok(Rows::Page(Box::new(rows::Lines::new(self.unpacked()?)))),
        }
    }

    /// SHA-256 of the file without its compression.
    pub fn content(&self) -> Result<Stored, RecordedError> {
        digest(self.unpacked()?).map_err(|error| self.io(error))
    }

    /// SHA-256 of the file as it is stored.
    pub fn stored(&self) -> Result<Stored, RecordedError> {
        let file = File::open(&self.path).map_err(|error| self.io(error))?;
        digest(BufReader::new(file)).map_err(|error| self.io(error))
    }

    /// The first bytes of the file without its compression.
    pub fn start(&self, bytes: u64) -> Result<Vec<u8>, RecordedError> {
        let mut start = Vec::new();
        self.unpacked()?.take(bytes).read_to_end(&mut start).map_err(|error| self.io(error))?;
        Ok(start)
    }

    fn unpacked(&self) -> Result<Box<dyn BufRead + Send>, RecordedError> {
        let file = File::open(&self.path).map_err(|error| self.io(error))?;
        let buffered = |reader: Box<dyn Read + Send>| Box::new(BufReader::with_capacity(1 << 17, reader));
        Ok(match self.compression {
            Compression::None => buffered(Box::new(file)),
            Compression::Gzip => buffered(Box::new(MultiGzDecoder::new(BufReader::new(file)))),
            Compression::Zstd => buffered(Box::new(zstd::Decoder::new(file).map_err(|error| self.io(error))?)),
        })
    }

    fn columns(&self) -> Result<SerializedFileReader<File>, RecordedError> {
        let file = File::open(&self.path).map_err(|error| self.io(error))?;
        guarded(|| SerializedFileReader::new(file).map_err(|error| error.to_string()))
            .map_err(|reason| self.broken(reason))
    }

    fn io(&self, source: io::Error) -> RecordedError {
        RecordedError::Io { path: self.path.clone(), source }
    }

    fn broken(&self, reason: String) -> RecordedError {
        RecordedError::Broken { path: self.path.clone(), reason }
    }

    fn without(&self, what: &str) -> RecordedError {
        RecordedError::NoManifest { path: self.path.clone(), what: what.to_owned() }
    }
}

/// Runs the decoder of columns, which may panic on a damaged file.
fn guarded<T>(decode: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or_else(|_| Err("its pages are damaged".to_owned()))
}

/// SHA-256 and length of all that can be read.
fn digest(mut reader: impl Read) -> io::Result<Stored> {
    let mut digester = Sha256::default();
    io::copy(&mut reader, &mut digester)?;
    Ok(digester.stored())
}
