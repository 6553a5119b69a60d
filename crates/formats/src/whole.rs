//! [`read_whole`]: documents that are read at once, up to a limit, with their digest.

use std::io::Read;
use std::path::Path;

use probare_cancellation::{open_to_read, standard_input};
use probare_core::{InputFile, Sha256};

use crate::CaseFileError;
use crate::bundled;
use crate::digest::{DigestReader, RunningDigest};

/// Bytes of the longest document that is read at once: 256 MiB.
///
/// Files of rows have no such limit, since they are read row by row; this one is for what has to be in memory as a whole:
/// a configuration, a transcript, a schema, the document of a benchmark.
pub const LARGEST_DOCUMENT: u64 = 256 * 1024 * 1024;

/// The bytes of a document of at most `limit` bytes (see [`LARGEST_DOCUMENT`]), and the document as a manifest names it;
/// `-` is standard input.
///
/// A longer one is [`CaseFileError::TooLarge`]. It is noticed after the first byte too many, so that a device without an end
/// costs no more memory than a document of that length.
///
/// ```
/// use probare_formats::{LARGEST_DOCUMENT, CaseFileError, read_whole};
///
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("schema.json");
/// # std::fs::write(&file, "{}")?;
/// # let path = file.to_str().expect("a temporary folder has a plain name");
/// let (bytes, input) = read_whole(path, LARGEST_DOCUMENT)?;
/// assert_eq!((bytes.as_slice(), input.bytes), (b"{}".as_slice(), 2));
/// assert!(matches!(read_whole(path, 1), Err(CaseFileError::TooLarge { limit: 1, .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_whole(path: &str, limit: u64) -> Result<(Vec<u8>, InputFile), CaseFileError> {
    let io_error = |source| CaseFileError::Io { file: path.to_owned(), source };
    if path == "-" {
        return read_to_end(standard_input().map_err(io_error)?, path, limit);
    }
    if let Some(bytes) = bundled::bytes(path) {
        return read_to_end(bytes, path, limit);
    }
    match open_to_read(Path::new(path)).map_err(io_error)? {
        Ok(file) => read_to_end(file, path, limit),
        Err(stream) => read_to_end(stream, path, limit),
    }
}

fn read_to_end(reader: impl Read, path: &str, limit: u64) -> Result<(Vec<u8>, InputFile), CaseFileError> {
    let digest = RunningDigest::new(None);
    let mut bytes = Vec::new();
    let read = DigestReader::new(reader, digest.clone()).take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|source| CaseFileError::Io { file: path.to_owned(), source })?;
    if bytes.len() as u64 > limit {
        return Err(CaseFileError::TooLarge { file: path.to_owned(), limit });
    }
    Ok((bytes, digest.input(path)))
}

/// A folder as a manifest names it, from its files: the digest of the lines `SHA-256  name`, sorted by name, and the sum
/// of their bytes. Names are counted from the folder, so that a folder that was moved is still the same.
pub fn folder_input(path: &str, files: &[InputFile]) -> InputFile {
    let mut lines: Vec<(String, &str)> = files.iter().map(|file| (name_in(path, &file.path), &*file.sha256)).collect();
    lines.sort_unstable();
    let mut text = String::new();
    for (name, sha256) in lines {
        text.push_str(&format!("{sha256}  {name}\n"));
    }
    InputFile {
        path: path.to_owned(),
        sha256: Sha256::hex_digest(text.as_bytes()),
        bytes: files.iter().map(|file| file.bytes).sum(),
        ..InputFile::default()
    }
}

fn name_in(folder: &str, file: &str) -> String {
    let name = Path::new(file).strip_prefix(folder).unwrap_or_else(|_| file.as_ref());
    name.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_document_comes_with_its_digest() {
        let (bytes, input) = read_to_end(&b"abc"[..], "a.txt", 3).unwrap();
        assert_eq!(bytes, b"abc");
        assert_eq!((input.path.as_str(), input.bytes, input.rows), ("a.txt", 3, None));
        assert_eq!(input.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_longer_document_is_refused_with_the_limit_and_what_to_do() {
        let error = read_to_end(&b"abcd"[..], "a.txt", 3).unwrap_err();
        let expected = "`a.txt` is longer than 3 bytes, the limit for one document; \
                        check that it is the right file, or split it";
        assert_eq!(error.to_string(), expected);
        let error = read_to_end(io::repeat(0), "endless", 2 * 1024 * 1024).unwrap_err();
        assert!(error.to_string().contains("longer than 2 MiB"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_without_an_end_is_refused() {
        let error = read_whole("/dev/zero", 1024 * 1024).unwrap_err();
        assert!(matches!(error, CaseFileError::TooLarge { limit: 1_048_576, .. }), "{error}");
    }

    #[test]
    fn a_missing_file_and_a_folder_are_errors_of_the_system() {
        assert!(matches!(read_whole("no/such/file", 10), Err(CaseFileError::Io { .. })));
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read_whole(folder.path().to_str().unwrap(), 10), Err(CaseFileError::Io { .. })));
    }

    #[test]
    fn a_folder_is_the_same_wherever_it_stands_and_in_whatever_order_it_is_listed() {
        let file = |path: &str, bytes| InputFile {
            path: path.into(),
            sha256: format!("{bytes:064x}"),
            bytes,
            ..InputFile::default()
        };
        let here = folder_input("a", &[file("a/2.txt", 5), file("a/1.txt", 7)]);
        let there = folder_input("b/c/", &[file("b/c/1.txt", 7), file("b/c/2.txt", 5)]);
        assert_eq!((here.bytes, here.path.as_str()), (12, "a"));
        assert_eq!(here.sha256, there.sha256);
        assert_ne!(here.sha256, folder_input("a", &[file("a/1.txt", 7)]).sha256);
        let lines = format!("{:064x}  1.txt\n{:064x}  2.txt\n", 7, 5);
        assert_eq!(here.sha256, Sha256::hex_digest(lines.as_bytes()));
    }
}
