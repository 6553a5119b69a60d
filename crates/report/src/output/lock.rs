//! [`Lock`]: one writer at a time, by a file of its own that is gone when the writing ends.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A lock that is held.
#[derive(Debug)]
pub(super) struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Takes the lock, or says that another run has it.
    pub(super) fn take(path: &Path) -> io::Result<Self> {
        // Whoever held it before may have removed the file between our opening it and our locking it; then a new one
        // counts.
        for _ in 0..64 {
            let file = open(path)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, path) => return Ok(Self { path: path.to_owned(), file }),
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => break,
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Err(io::Error::new(io::ErrorKind::ResourceBusy, "another run is writing it"))
    }

    /// Gives the lock back. The file goes while the lock still holds, so that nobody locks a file that is about to go.
    pub(super) fn release(&mut self) {
        let _ = fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

/// Opens the file, or makes it; a link in its place is not followed.
fn open(path: &Path) -> io::Result<File> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        other => return other,
    }
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err(io::Error::other("something else stands where its lock belongs")),
        _ => match OpenOptions::new().write(true).open(path) {
            // Gone again in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                OpenOptions::new().write(true).create_new(true).open(path)
            }
            other => other,
        },
    }
}

#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
pub(super) fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}
