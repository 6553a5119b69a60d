//! Folders of this machine that programs are shown or given: what they may hold, and a digest of all of it.

use std::fs::{self, FileType};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use probare_core::Sha256;

use crate::SandboxError;

/// The kind of a file through which a program could reach whoever is at its other end.
fn special(kind: FileType) -> Option<&'static str> {
    if kind.is_fifo() {
        Some("a pipe")
    } else if kind.is_socket() {
        Some("a socket")
    } else if kind.is_char_device() || kind.is_block_device() {
        Some("a device")
    } else {
        None
    }
}

/// Refuses a folder with pipes, sockets or devices, or with more than `most` files.
pub(crate) fn check_folder(folder: &Path, most: Option<u64>) -> Result<(), SandboxError> {
    let refused = |reason: String| Err(SandboxError::Program { reason });
    let mut count = 0_u64;
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        // What cannot be read by us cannot be read by a program either.
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            count += 1;
            if most.is_some_and(|most| count > most) {
                return refused(format!("`{}` holds more files than a program may have ({count})", folder.display()));
            }
            if let Some(name) = special(kind) {
                return refused(format!(
                    "`{}` is {name}, through which a program could reach others; take it out of the folder",
                    entry.path().display()
                ));
            }
            if kind.is_dir() {
                left.push(entry.path());
            }
        }
    }
    Ok(())
}

/// Files of a folder that are looked at for a digest.
const MOST_FILES: usize = 20_000;

/// SHA-256 of all files of a folder with their names, in the order of their names. Where a link leads to a file, that is
/// part of it. An error where there are more files than a program may have.
pub fn digest(folder: &Path) -> io::Result<String> {
    let mut names: Vec<PathBuf> = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                left.push(entry.path());
            }
            names.push(entry.path());
            if names.len() > MOST_FILES {
                return Err(io::Error::other(format!("it holds more than {MOST_FILES} files")));
            }
        }
    }
    names.sort_unstable();
    let mut all = Sha256::default();
    for path in names {
        let name = path.strip_prefix(folder).unwrap_or(&path).as_os_str().as_bytes();
        let kind = path.symlink_metadata()?.file_type();
        let (tag, held) = if kind.is_dir() {
            ("folder", String::new())
        } else if kind.is_symlink() {
            let to = fs::read_link(&path)?;
            let behind = if path.is_file() { contents(&path)? } else { String::new() };
            ("link", format!("{}\0{behind}", to.display()))
        } else if kind.is_file() {
            ("file", contents(&path)?)
        } else {
            ("special", String::new())
        };
        all.update(tag.as_bytes());
        all.update((name.len() as u64).to_le_bytes());
        all.update(name);
        all.update((held.len() as u64).to_le_bytes());
        all.update(held.as_bytes());
    }
    Ok(all.hex())
}

/// SHA-256 of a file.
fn contents(path: &Path) -> io::Result<String> {
    let mut file = probare_files::open_plain(path)?;
    let mut hash = Sha256::default();
    let mut part = vec![0; 64 * 1024];
    loop {
        match io::Read::read(&mut file, &mut part)? {
            0 => return Ok(hash.hex()),
            count => hash.update(&part[..count]),
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests make the files that they need")]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_of_names_and_content() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("in/a"), "1").unwrap();
        let first = digest(folder.path()).unwrap();
        assert_eq!(digest(folder.path()).unwrap(), first);
        fs::write(folder.path().join("in/a"), "2").unwrap();
        let second = digest(folder.path()).unwrap();
        fs::rename(folder.path().join("in/a"), folder.path().join("in/b")).unwrap();
        let third = digest(folder.path()).unwrap();
        assert!(first != second && second != third && first != third);
        assert!(digest(&folder.path().join("absent")).is_err());
    }

    #[test]
    fn pipes_sockets_and_too_many_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("in/a"), "1").unwrap();
        assert!(check_folder(folder.path(), Some(2)).is_ok());
        let error = check_folder(folder.path(), Some(1)).unwrap_err().to_string();
        assert!(error.contains("more files than"), "{error}");
        let socket = std::os::unix::net::UnixListener::bind(folder.path().join("in/door")).unwrap();
        let error = check_folder(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains("in/door` is a socket"), "{error}");
        drop(socket);
        fs::remove_file(folder.path().join("in/door")).unwrap();
        let mode = rustix::fs::Mode::RUSR;
        rustix::fs::mknodat(rustix::fs::CWD, folder.path().join("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let error = check_folder(folder.path(), None).unwrap_err().to_string();
        assert!(error.contains("pipe` is a pipe"), "{error}");
    }
}
