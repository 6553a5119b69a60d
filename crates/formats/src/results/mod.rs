//! [`ResultsFile`]: a file of results, read back: its manifest, its rows one after the other, and its digest.
//!
//! A [`RowFormat`] says what the row of a case looks like in the same format, so that whoever computes a run again can hold
//! one against the other. Nothing is kept of a row that was handed out.

mod csv_table;
pub mod format_3;
mod page_texts;
mod row_format;
mod rows;
mod scan;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use probare_core::{FileDigest, Sha256};
use probare_files::{open_plain, read_plain_text};

pub use self::csv_table::cells;
pub use self::page_texts::PageTexts;
pub use self::row_format::{KeyedRow, RowContent, RowFormat, RowKey};
pub use self::rows::FileRows;

use self::rows::{FormatRows, LineRows};
use crate::parquet_rows::{ParquetRows, footer_value};
use crate::stored_file::unpack;
use probare_report::{Compression, ReportError, ReportFormat, manifest};

/// Bytes of the longest line or value that is read back.
const LONGEST: usize = 1 << 30;

/// A file of results cannot be read back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultsFileError {
    /// Its name does not say what it is.
    #[error(transparent)]
    Name(#[from] ReportError),
    /// Files of this format do not hold enough.
    #[error("`{}` cannot be verified: {why}", path.display())]
    Unverifiable {
        path: PathBuf,
        /// What such a file lacks.
        why: &'static str,
    },
    /// It does not say how it was made.
    #[error("`{}` does not say how it was made: {what}", path.display())]
    NoManifest { path: PathBuf, what: String },
    /// It cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// It is not what its name says.
    #[error("`{}` is not a file of results: {reason}", path.display())]
    Broken { path: PathBuf, reason: String },
}

/// What a file says about its run.
#[derive(Debug, Clone, Default)]
pub struct ManifestText {
    /// The manifest as it is written.
    pub manifest: String,
    /// Where the cases came from, in files that say so beside the manifest.
    pub source: Option<String>,
    /// How often the results stand there, where that is no matter of course.
    pub results: Option<usize>,
}

/// A file of results.
#[derive(Debug, Clone)]
pub struct ResultsFile {
    path: PathBuf,
    format: ReportFormat,
    compression: Compression,
}

/// Bytes of the largest manifest beside a file of results.
const LARGEST_MANIFEST: u64 = 1 << 30;

impl ResultsFile {
    /// A file that can be verified, by its name.
    pub fn new(path: &Path) -> Result<Self, ResultsFileError> {
        let (format, compression) = ReportFormat::from_path(path)?;
        let why = match format {
            ReportFormat::Markdown => "a Markdown page holds a few rounded numbers",
            ReportFormat::Junit => "JUnit test results hold no values",
            _ => "",
        };
        if why.is_empty() {
            return Ok(Self { path: path.to_owned(), format, compression });
        }
        Err(ResultsFileError::Unverifiable { path: path.to_owned(), why })
    }

    /// What kind of file it is.
    pub const fn format(&self) -> ReportFormat {
        self.format
    }

    /// The path as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file, or the one beside it, says about the run.
    pub fn manifest_text(&self) -> Result<ManifestText, ResultsFileError> {
        match self.format {
            ReportFormat::Json => {
                let document = scan::document(self.decompressed()?).map_err(|reason| self.broken(reason))?;
                if document.get("inputs").is_none() {
                    return Err(self.without("it has no `inputs`"));
                }
                let rest = |key: &str| !["results", "source"].contains(&key);
                Ok(ManifestText {
                    manifest: document.only(rest),
                    source: document.get("source").map(str::to_owned),
                    results: Some(document.results),
                })
            }
            ReportFormat::Html => self.in_page(),
            ReportFormat::Parquet => self.in_footer(),
            _ => {
                let beside = manifest::manifest_path(&self.path);
                // A file that is not there is another matter than one that says nothing.
                self.open()?;
                match read_plain_text(&beside, LARGEST_MANIFEST) {
                    Ok(manifest) => Ok(ManifestText { manifest, ..ManifestText::default() }),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {
                        Err(self.without(&format!("`{}` is not there", beside.display())))
                    }
                    Err(source) => Err(ResultsFileError::Io { path: beside, source }),
                }
            }
        }
    }

    fn in_page(&self) -> Result<ManifestText, ResultsFileError> {
        let mut reader = self.decompressed()?;
        let mut line = Vec::new();
        while scan::line(&mut reader, &mut line).map_err(|error| self.io(error))? {
            let inner =
                std::str::from_utf8(&line).ok().and_then(|line| line.trim_end().strip_prefix(manifest::OPENING));
            if let Some(manifest) = inner.and_then(|inner| inner.strip_suffix(manifest::CLOSING)) {
                return Ok(ManifestText { manifest: manifest.to_owned(), ..ManifestText::default() });
            }
        }
        Err(self.without("the page holds no manifest"))
    }

    fn in_footer(&self) -> Result<ManifestText, ResultsFileError> {
        match footer_value(self.open()?, manifest::KEY).map_err(|reason| self.broken(reason))? {
            Some(manifest) => Ok(ManifestText { manifest, ..ManifestText::default() }),
            None => Err(self.without(&format!("its footer has no `{}`", manifest::KEY))),
        }
    }

    /// The rows; nothing for a page, which holds some of the cases in words.
    pub fn rows(&self) -> Result<Option<FileRows>, ResultsFileError> {
        Ok(Some(FileRows::new(match self.format {
            ReportFormat::Json => {
                FormatRows::Values(scan::JsonResults::new(self.decompressed()?).map_err(|reason| self.broken(reason))?)
            }
            ReportFormat::Csv => {
                FormatRows::Table(csv_table::CsvTable::new(self.decompressed()?).map_err(|reason| self.broken(reason))?)
            }
            ReportFormat::Parquet => {
                FormatRows::Columns(Box::new(ParquetRows::new(self.open()?).map_err(|reason| self.broken(reason))?))
            }
            ReportFormat::Jsonl => FormatRows::Lines(LineRows::new(self.decompressed()?)),
            _ => return Ok(None),
        })))
    }

    /// The results that it holds: the rows, and of a page those of the cases that are on it.
    pub fn results(&self) -> Result<FileRows, ResultsFileError> {
        match self.rows()? {
            Some(rows) => Ok(rows),
            None => Ok(FileRows::new(FormatRows::Page(LineRows::new(self.decompressed()?)))),
        }
    }

    /// The texts of its cases, where it is a page.
    pub fn page_texts(&self) -> Result<Option<PageTexts<Box<dyn BufRead + Send>>>, ResultsFileError> {
        if self.format != ReportFormat::Html {
            return Ok(None);
        }
        Ok(Some(PageTexts::new(self.decompressed()?)))
    }

    /// SHA-256 of the file without its compression.
    pub fn content_digest(&self) -> Result<FileDigest, ResultsFileError> {
        digest(self.decompressed()?).map_err(|error| self.io(error))
    }

    /// SHA-256 of the file as it is stored.
    pub fn stored_digest(&self) -> Result<FileDigest, ResultsFileError> {
        digest(BufReader::new(self.open()?)).map_err(|error| self.io(error))
    }

    /// The first bytes of the file without its compression.
    pub fn start(&self, bytes: u64) -> Result<Vec<u8>, ResultsFileError> {
        let mut start = Vec::new();
        self.decompressed()?.take(bytes).read_to_end(&mut start).map_err(|error| self.io(error))?;
        Ok(start)
    }

    fn open(&self) -> Result<File, ResultsFileError> {
        open_plain(&self.path).map_err(|error| self.io(error))
    }

    fn decompressed(&self) -> Result<Box<dyn BufRead + Send>, ResultsFileError> {
        let reader = unpack(Box::new(self.open()?), self.compression).map_err(|error| self.io(error))?;
        Ok(Box::new(BufReader::with_capacity(1 << 17, reader)))
    }

    fn io(&self, source: io::Error) -> ResultsFileError {
        ResultsFileError::Io { path: self.path.clone(), source }
    }

    fn broken(&self, reason: String) -> ResultsFileError {
        ResultsFileError::Broken { path: self.path.clone(), reason }
    }

    fn without(&self, what: &str) -> ResultsFileError {
        ResultsFileError::NoManifest { path: self.path.clone(), what: what.to_owned() }
    }
}

/// SHA-256 and length of all that can be read.
fn digest(mut reader: impl Read) -> io::Result<FileDigest> {
    let mut digester = Sha256::default();
    io::copy(&mut reader, &mut digester)?;
    Ok(digester.file_digest())
}
