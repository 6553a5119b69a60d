//! Plain files: opened without waiting, and refused where they are something else.
//!
//! Opening a named pipe waits for its other end, and reading one waits for whoever writes. Files that a folder brings along
//! (manifests, labels, thresholds, stores, caches, indexes) are therefore opened here: a pipe, a device or a socket in their
//! place is an error at once.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

use probare_core::{FileDigest, Sha256};

/// Opens a regular file for reading. Anything else is refused without waiting for it.
pub fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // The bits of the system's flags, whatever their type is called.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    let about = file.metadata()?;
    if about.is_file() { Ok(file) } else { Err(refusal(&about)) }
}

/// The whole content of a regular file of at most `limit` bytes.
pub fn read_plain(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {limit} bytes")));
    }
    Ok(bytes)
}

/// The text of a regular file of at most `limit` bytes.
pub fn read_plain_text(path: &Path, limit: u64) -> io::Result<String> {
    String::from_utf8(read_plain(path, limit)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Refuses what is there and is no regular file, for code that opens a file by its own means (`SQLite`). What is not there is
/// fine.
pub fn ensure_plain(path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(about) if about.is_file() => Ok(()),
        Ok(about) => Err(refusal(&about)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// SHA-256 and length of a regular file.
pub fn file_digest(path: &Path) -> io::Result<FileDigest> {
    let mut digest = Sha256::default();
    io::copy(&mut open_plain(path)?, &mut digest)?;
    Ok(digest.file_digest())
}

fn refusal(about: &Metadata) -> io::Error {
    if about.is_dir() {
        return io::Error::new(io::ErrorKind::IsADirectory, "it is a folder; a plain file is expected");
    }
    let kind = kind_of(about);
    io::Error::new(io::ErrorKind::InvalidInput, format!("it is {kind}; a plain file is expected"))
}

#[cfg(unix)]
fn kind_of(about: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = about.file_type();
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind_of(_about: &Metadata) -> &'static str {
    "no plain file"
}

#[cfg(all(test, unix))]
#[allow(clippy::disallowed_methods, reason = "tests make the files that they need")]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_a_device_and_a_folder_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        for (path, kind) in
            [(pipe.as_path(), "a pipe"), (Path::new("/dev/zero"), "a device"), (folder.path(), "a folder")]
        {
            let error = open_plain(path).unwrap_err().to_string();
            assert!(error.contains(kind), "{error}");
            assert!(read_plain(path, 10).is_err() && file_digest(path).is_err() && ensure_plain(path).is_err());
        }
        assert!(ensure_plain(&folder.path().join("absent")).is_ok());
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read_plain(&path, 3).unwrap(), b"abc");
        assert_eq!(read_plain(&path, 2).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        let digest = file_digest(&path).unwrap();
        assert_eq!((digest.sha256, digest.bytes), (Sha256::hex_digest("abc"), 3));
    }
}
