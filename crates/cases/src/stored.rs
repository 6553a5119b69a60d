//! A file as it is stored: what its name tells, unpacking, and the digest of the bytes behind it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use probare_core::{Input, Progress};

use crate::bundled;
use crate::digest::{self, Digest, Digesting};
use crate::open::BUFFER;
use crate::{Format, OpenError};

/// What messages call standard input.
pub(crate) const STANDARD_INPUT: &str = "standard input";

#[derive(Debug, Clone, Copy)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

/// The file as it is stored, behind whatever unpacks it.
pub(crate) struct StoredFile {
    path: String,
    digest: Digest,
    rest: Option<digest::Shared<Digesting<Box<dyn Read + Send>>>>,
}

/// An open file.
pub(crate) struct Opened {
    /// Its bytes, unpacked.
    pub reader: Box<dyn Read + Send>,
    /// Its bytes as they are stored.
    pub stored: StoredFile,
    /// Whether what is read is what is stored, in a file that can be opened again.
    pub is_plain_file: bool,
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &str) -> Result<Opened, OpenError> {
    if path == "-" {
        let (reader, stored) = StoredFile::new(path, Box::new(io::stdin()), None);
        return Ok(Opened { reader, stored, is_plain_file: false });
    }
    if let Some(bytes) = bundled::bytes(path) {
        let (reader, stored) = StoredFile::new(path, Box::new(bytes), Some(bytes.len() as u64));
        return Ok(Opened { reader, stored, is_plain_file: false });
    }
    let io_error = |source| OpenError::Io { file: path.to_owned(), source };
    let file = File::open(path).map_err(io_error)?;
    let found = file.metadata().map_err(io_error)?;
    if found.is_dir() {
        return Err(io_error(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file in it")));
    }
    let (reader, stored) = StoredFile::new(path, Box::new(file), found.is_file().then_some(found.len()));
    let (_, compression) = told_by_name(Path::new(path));
    let reader: Box<dyn Read + Send> = match compression {
        Compression::None => reader,
        Compression::Gzip => Box::new(MultiGzDecoder::new(reader)),
        Compression::Zstd => Box::new(zstd::Decoder::new(reader).map_err(io_error)?),
    };
    let is_plain_file = matches!(compression, Compression::None) && found.is_file();
    Ok(Opened { reader, stored, is_plain_file })
}

impl StoredFile {
    fn new(path: &str, file: Box<dyn Read + Send>, total: Option<u64>) -> (Box<dyn Read + Send>, Self) {
        let digest = Digest::new(total);
        let shared = digest::Shared::new(Digesting::new(file, digest.clone()));
        (Box::new(shared.clone()), Self { path: path.to_owned(), digest, rest: Some(shared) })
    }

    /// The file as a manifest names it; what is left of it is read for the digest.
    pub(crate) fn input(&mut self, rows: u64) -> Result<Input, OpenError> {
        if let Some(rest) = self.rest.take() {
            let read = rest.with(Digesting::exhaust);
            read.map_err(|source| OpenError::Io { file: self.path.clone(), source })?;
        }
        Ok(Input { rows: Some(rows), ..self.digest.input(&self.path) })
    }

    /// Leaves the rest unread: a file that failed may have no end.
    pub(crate) fn give_up(&mut self) {
        self.rest = None;
    }

    pub(crate) fn progress(&self) -> Arc<dyn Progress> {
        self.digest.progress()
    }
}

/// What some programs write before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A text from its first character on, behind a byte order mark.
pub(crate) fn without_mark(mut reader: Box<dyn Read + Send>, file: &str) -> Result<Box<dyn BufRead + Send>, OpenError> {
    let mut head = Vec::with_capacity(BYTE_ORDER_MARK.len());
    let read = reader.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut head);
    read.map_err(|source| OpenError::Io { file: file.to_owned(), source })?;
    if head == BYTE_ORDER_MARK {
        head.clear();
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, Cursor::new(head).chain(reader))))
}

/// Format and compression by extension: `cases.jsonl.gz` is compressed JSON lines.
pub(crate) fn told_by_name(path: &Path) -> (Option<Format>, Compression) {
    let extension = |path: &Path| path.extension().map(|part| part.to_string_lossy().to_ascii_lowercase());
    let (inner, compression) = match extension(path).as_deref() {
        Some("gz" | "gzip") => (PathBuf::from(path.file_stem().unwrap_or_default()), Compression::Gzip),
        Some("zst" | "zstd") => (PathBuf::from(path.file_stem().unwrap_or_default()), Compression::Zstd),
        _ => (path.to_owned(), Compression::None),
    };
    (extension(&inner).and_then(|name| name.parse().ok()), compression)
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
