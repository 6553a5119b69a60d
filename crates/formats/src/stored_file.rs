//! A file as it is stored: what its name tells, unpacking, and the digest of the bytes behind it.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use probare_cancellation::{decompress, open_to_read, standard_input};
use probare_core::{InputFile, ReadProgress};
use probare_report::Compression;

use crate::bundled;
use crate::case_file::BUFFER;
use crate::digest::{self, DigestReader, RunningDigest};
use crate::{CaseFileError, CaseFormat};

/// What messages call standard input.
pub(crate) const STANDARD_INPUT: &str = "standard input";

/// The file as it is stored, behind whatever unpacks it.
pub(crate) struct StoredFile {
    path: String,
    digest: RunningDigest,
    rest: Option<digest::SharedReader<DigestReader<Box<dyn Read + Send>>>>,
}

/// An open file.
pub(crate) struct OpenedFile {
    /// Its bytes, unpacked.
    pub reader: Box<dyn Read + Send>,
    /// Its bytes as they are stored.
    pub stored: StoredFile,
    /// Whether what is read is what is stored, in a file that can be opened again.
    pub is_plain_file: bool,
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &str) -> Result<OpenedFile, CaseFileError> {
    if path == "-" {
        let input = standard_input().map_err(|source| CaseFileError::Io { file: path.to_owned(), source })?;
        let (reader, stored) = StoredFile::new(path, Box::new(input), None);
        return Ok(OpenedFile { reader, stored, is_plain_file: false });
    }
    if let Some(bytes) = bundled::bytes(path) {
        let (reader, stored) = StoredFile::new(path, Box::new(bytes), Some(bytes.len() as u64));
        return Ok(OpenedFile { reader, stored, is_plain_file: false });
    }
    let io_error = |source| CaseFileError::Io { file: path.to_owned(), source };
    let (file, length): (Box<dyn Read + Send>, _) = match open_to_read(Path::new(path)).map_err(io_error)? {
        Ok(file) => {
            let found = file.metadata().map_err(io_error)?;
            if found.is_dir() {
                return Err(io_error(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; name a file in it")));
            }
            (Box::new(file), found.is_file().then_some(found.len()))
        }
        Err(stream) => (Box::new(stream), None),
    };
    let (reader, stored) = StoredFile::new(path, file, length);
    let (_, compression) = format_from_name(Path::new(path));
    let reader = unpack(reader, compression).map_err(io_error)?;
    let is_plain_file = compression == Compression::None && length.is_some();
    Ok(OpenedFile { reader, stored, is_plain_file })
}

/// The bytes of a file without its compression.
pub(crate) fn unpack(packed: Box<dyn Read + Send>, compression: Compression) -> io::Result<Box<dyn Read + Send>> {
    match compression {
        Compression::None => Ok(packed),
        Compression::Gzip => decompress(packed, |packed| Ok(Box::new(MultiGzDecoder::new(packed)))),
        Compression::Zstd => decompress(packed, |packed| Ok(Box::new(zstd::Decoder::new(packed)?))),
    }
}

impl StoredFile {
    fn new(path: &str, file: Box<dyn Read + Send>, total: Option<u64>) -> (Box<dyn Read + Send>, Self) {
        let digest = RunningDigest::new(total);
        let shared = digest::SharedReader::new(DigestReader::new(file, digest.clone()));
        (Box::new(shared.clone()), Self { path: path.to_owned(), digest, rest: Some(shared) })
    }

    /// The file as a manifest names it; what is left of it is read for the digest.
    pub(crate) fn input(&mut self, rows: u64) -> Result<InputFile, CaseFileError> {
        if let Some(rest) = self.rest.take() {
            let read = rest.with(DigestReader::exhaust);
            read.map_err(|source| CaseFileError::Io { file: self.path.clone(), source })?;
        }
        Ok(InputFile { rows: Some(rows), ..self.digest.input(&self.path) })
    }

    /// Leaves the rest unread: a file that failed may have no end.
    pub(crate) fn give_up(&mut self) {
        self.rest = None;
    }

    /// Nobody wants its digest, so that its rest need not be read either.
    pub(crate) fn forget_digest(&mut self) {
        self.digest.forget();
        self.give_up();
    }

    pub(crate) fn progress(&self) -> Arc<dyn ReadProgress> {
        self.digest.progress()
    }
}

/// What some programs write before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A text from its first character on, behind a byte order mark.
pub(crate) fn skip_byte_order_mark(
    mut reader: Box<dyn Read + Send>,
    file: &str,
) -> Result<Box<dyn BufRead + Send>, CaseFileError> {
    let mut head = Vec::with_capacity(BYTE_ORDER_MARK.len());
    let read = reader.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut head);
    read.map_err(|source| CaseFileError::Io { file: file.to_owned(), source })?;
    if head == BYTE_ORDER_MARK {
        head.clear();
    }
    Ok(Box::new(BufReader::with_capacity(BUFFER, Cursor::new(head).chain(reader))))
}

/// Format and compression by extension: `cases.jsonl.gz` is compressed JSON lines.
pub(crate) fn format_from_name(path: &Path) -> (Option<CaseFormat>, Compression) {
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
        assert!(matches!(
            format_from_name(Path::new("a/b.JSONL.gz")),
            (Some(CaseFormat::JsonLines), Compression::Gzip)
        ));
        assert!(matches!(format_from_name(Path::new("b.csv.zst")), (Some(CaseFormat::Csv), Compression::Zstd)));
        assert!(matches!(format_from_name(Path::new("b.parquet")), (Some(CaseFormat::Parquet), Compression::None)));
        assert!(matches!(format_from_name(Path::new("b.txt")), (None, Compression::None)));
    }
}
