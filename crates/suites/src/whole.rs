//! Files that are read whole, and what a manifest says about them.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use probare_core::{Input, SuiteError};
use probare_report::hex_sha256;

/// The largest JSON document that is read whole: what comes of it takes several times the room.
pub(crate) const LARGEST: u64 = 1 << 30;

/// Bytes after which it is sure whether a file begins as JSON does.
const HEAD: u64 = 1 << 16;

/// All bytes of a JSON document, up to [`LARGEST`]. Of a file that begins as no JSON does, only its beginning is read:
/// enough for whoever parses it to say what is wrong, and a device that never ends does not fill the memory.
pub(crate) fn read_json(path: &Path) -> Result<Vec<u8>, SuiteError> {
    let name = path.display();
    let failed = |error: io::Error| SuiteError::data(format!("cannot read `{name}`: {error}"));
    let mut file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    (&mut file).take(HEAD).read_to_end(&mut bytes).map_err(failed)?;
    if begins_as_json(&bytes) {
        file.take(LARGEST + 1 - bytes.len() as u64).read_to_end(&mut bytes).map_err(failed)?;
    }
    if bytes.len() as u64 > LARGEST {
        return Err(SuiteError::data(format!("`{name}` is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(bytes)
}

fn begins_as_json(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let first = head.iter().find(|byte| !byte.is_ascii_whitespace());
    first.is_none_or(|byte| matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'))
}

/// A file that an option names.
pub(crate) fn input(option: &str, path: &Path, bytes: &[u8], rows: Option<u64>) -> Input {
    Input {
        path: path.display().to_string(),
        option: Some(format!("/{option}")),
        sha256: hex_sha256(bytes),
        bytes: bytes.len() as u64,
        rows,
    }
}

/// The files of a folder, by name.
pub(crate) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A folder that an option names: the digest is that of the lines `SHA-256  name` of its files.
pub(crate) fn folder_input(option: &str, folder: &Path) -> io::Result<Input> {
    let (mut lines, mut size) = (String::new(), 0);
    for path in files_in(folder)? {
        let bytes = fs::read(&path)?;
        size += bytes.len() as u64;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        lines.push_str(&format!("{}  {name}\n", hex_sha256(&bytes)));
    }
    Ok(Input { bytes: size, ..input(option, folder, lines.as_bytes(), None) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_never_ends_is_read_no_further_than_its_head() {
        if Path::new("/dev/zero").exists() {
            assert_eq!(read_json(Path::new("/dev/zero")).unwrap().len() as u64, HEAD);
        }
        assert!(begins_as_json(b"\xef\xbb\xbf \n[") && begins_as_json(b"") && !begins_as_json(b"\0\0"));
    }
}
