//! The folder of an index: which generation is current, and how the next one takes its place.
//!
//! ```text
//! INDEX/CURRENT          names the generation that answers
//! INDEX/generation-7/    its files
//! INDEX/building-8/      the next one while it is written
//! INDEX/LOCK             held by whoever builds
//! INDEX/embedded-….part  vectors of a build that is under way, so that a killed one need not compute them again
//! ```
//!
//! A generation is written beside the current one, synced, renamed, and only then named by `CURRENT`, which is replaced in one
//! step. Whoever reads keeps the files that he has open. What a killed build left behind is removed by the next one.
//!
//! This is the one module that creates files of an index: an index is a folder of files that are mapped into memory, not a
//! report, and `probare_report::Output` lies above this crate.

#![expect(clippy::disallowed_methods, reason = "an index is a folder that appears whole; see the module's text")]

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use crate::RetrievalError;

const CURRENT: &str = "CURRENT";
const LOCK: &str = "LOCK";
const GENERATION: &str = "generation-";
const BUILDING: &str = "building-";
const EMBEDDED: &str = "embedded-";

/// The folder of the generation that answers; nothing where there is none.
pub(super) fn current_generation(folder: &Path) -> Result<Option<PathBuf>, RetrievalError> {
    let path = folder.join(CURRENT);
    let text = match probare_files::read_plain_text(&path, 1 << 16) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(RetrievalError::io("read", &path)(error)),
    };
    match number(text.trim(), GENERATION) {
        Some(_) => Ok(Some(folder.join(text.trim()))),
        None => Err(RetrievalError::Damaged { path, reason: "it names no generation".to_owned() }),
    }
}

/// Refuses a generation in which something is no plain file: a pipe would be waited for.
pub(super) fn refuse_special_files(folder: &Path) -> Result<(), RetrievalError> {
    for entry in fs::read_dir(folder).map_err(RetrievalError::io("read", folder))? {
        let path = entry.map_err(RetrievalError::io("read", folder))?.path();
        if path.is_dir() {
            refuse_special_files(&path)?;
        } else {
            probare_files::ensure_plain(&path).map_err(RetrievalError::io("read", &path))?;
        }
    }
    Ok(())
}

/// The same, but a link is an error: whoever made it chose what would be written to.
#[cfg(unix)]
fn unfollowed(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    // A pipe in its place would be waited for.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.custom_flags(flags.bits().cast_signed())
}

#[cfg(not(unix))]
fn unfollowed(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// The number in the name of a generation.
fn number(name: &str, prefix: &str) -> Option<u64> {
    name.strip_prefix(prefix)?.parse().ok()
}

/// A generation that is being written. Nobody else builds in the same folder as long as it lives.
pub(super) struct NewGeneration {
    folder: PathBuf,
    path: PathBuf,
    number: u64,
    _lock: File,
}

impl NewGeneration {
    /// Makes the folder if needed, takes the lock, and clears away what a killed build left behind.
    pub(super) fn begin(folder: &Path) -> Result<Self, RetrievalError> {
        fs::create_dir_all(folder).map_err(RetrievalError::io("make", folder))?;
        check_ours(folder)?;
        let lock_path = folder.join(LOCK);
        let opened = unfollowed(OpenOptions::new().create(true).truncate(false).write(true)).open(&lock_path);
        let lock = opened.map_err(RetrievalError::io("write", &lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(RetrievalError::Busy(folder.to_owned())),
            Err(TryLockError::Error(error)) => return Err(RetrievalError::io("lock", &lock_path)(error)),
        }
        let now = current_generation(folder)?;
        let mut number_of_last = now.as_deref().and_then(generation_number).unwrap_or(0);
        for (name, path) in entries(folder)? {
            if name.starts_with(BUILDING) || name.starts_with(GENERATION) && Some(&path) != now.as_ref() {
                number_of_last = number_of_last.max(number(&name, GENERATION).unwrap_or(0));
                fs::remove_dir_all(&path).map_err(RetrievalError::io("remove", &path))?;
            }
        }
        let number = number_of_last + 1;
        let path = folder.join(format!("{BUILDING}{number}"));
        fs::create_dir(&path).map_err(RetrievalError::io("make", &path))?;
        Ok(Self { folder: folder.to_owned(), path, number, _lock: lock })
    }

    /// A new file of the generation.
    pub(super) fn create(&self, name: &str) -> Result<GenerationFile, RetrievalError> {
        let path = self.path.join(name);
        let file = File::create_new(&path).map_err(RetrievalError::io("create", &path))?;
        Ok(GenerationFile { path, out: BufWriter::with_capacity(1 << 20, file) })
    }

    /// A folder of the generation.
    pub(super) fn folder(&self, name: &str) -> Result<PathBuf, RetrievalError> {
        let path = self.path.join(name);
        fs::create_dir(&path).map_err(RetrievalError::io("make", &path))?;
        Ok(path)
    }

    /// The file of vectors that outlives a killed build, to be read and added to.
    pub(super) fn partial_vectors_file(&self, model: &str) -> Result<(PathBuf, File), RetrievalError> {
        let digest = probare_core::Sha256::hex_digest(model);
        let path = self.folder.join(format!("{EMBEDDED}{}.part", &digest[..16]));
        let opened = unfollowed(OpenOptions::new().create(true).read(true).append(true)).open(&path);
        Ok((path.clone(), opened.map_err(RetrievalError::io("open", &path))?))
    }

    /// Takes the place of the current generation.
    pub(super) fn finish(self) -> Result<(), RetrievalError> {
        let name = format!("{GENERATION}{}", self.number);
        let done = self.folder.join(&name);
        sync_folder(&self.path)?;
        fs::rename(&self.path, &done).map_err(RetrievalError::io("rename", &self.path))?;
        sync_folder(&self.folder)?;
        let fresh = self.folder.join(format!("{CURRENT}.new"));
        // Whatever stands there is of a build that was killed, or of nobody who builds.
        let _ = fs::remove_file(&fresh);
        let mut file = File::create_new(&fresh).map_err(RetrievalError::io("create", &fresh))?;
        file.write_all(format!("{name}\n").as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(RetrievalError::io("write", &fresh))?;
        fs::rename(&fresh, self.folder.join(CURRENT)).map_err(RetrievalError::io("rename", &fresh))?;
        sync_folder(&self.folder)?;
        // What is left over costs room and nothing else: the next build tries again.
        for (name, path) in entries(&self.folder)? {
            if name.starts_with(GENERATION) && path != done {
                let _ = fs::remove_dir_all(&path);
            } else if name.starts_with(EMBEDDED) {
                let _ = fs::remove_file(&path);
            }
        }
        Ok(())
    }

    /// Gives up; the current generation stays.
    pub(super) fn abandon(self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn generation_number(path: &Path) -> Option<u64> {
    number(&path.file_name()?.to_string_lossy(), GENERATION)
}

/// A file that is being written.
pub(super) struct GenerationFile {
    path: PathBuf,
    out: BufWriter<File>,
}

impl GenerationFile {
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), RetrievalError> {
        self.out.write_all(bytes).map_err(RetrievalError::io("write", &self.path))
    }

    /// Everything is on the disk after this.
    pub(super) fn finish(self) -> Result<(), RetrievalError> {
        let file =
            self.out.into_inner().map_err(|error| RetrievalError::io("write", &self.path)(error.into_error()))?;
        file.sync_all().map_err(RetrievalError::io("write", &self.path))
    }
}

fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, RetrievalError> {
    let read = || fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>();
    let paths = read().map_err(RetrievalError::io("read", folder))?;
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(paths.into_iter().map(|path| (name(&path), path)).collect())
}

/// Refuses a folder that holds something else: a wrong name after `-o` must not mix an index into it.
fn check_ours(folder: &Path) -> Result<(), RetrievalError> {
    let is_ours = |name: &str| {
        [CURRENT, LOCK].iter().any(|known| name.starts_with(known))
            || [GENERATION, BUILDING, EMBEDDED].iter().any(|prefix| name.starts_with(prefix))
    };
    match entries(folder)?.into_iter().find(|(name, _)| !is_ours(name)) {
        Some((name, _)) => Err(RetrievalError::NotEmpty { path: folder.to_owned(), name }),
        None => Ok(()),
    }
}

fn sync_folder(folder: &Path) -> Result<(), RetrievalError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(RetrievalError::io("sync", folder))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_link_in_the_folder_is_followed() {
        let place = tempfile::tempdir().unwrap();
        let victim = place.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        let index = |name: &str| {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            folder
        };
        let is_whole = || assert_eq!(fs::read(&victim).unwrap(), b"precious");

        let folder = index("current");
        symlink(&victim, folder.join("CURRENT.new")).unwrap();
        NewGeneration::begin(&folder).unwrap().finish().unwrap();
        assert!(current_generation(&folder).unwrap().is_some());
        is_whole();

        let folder = index("lock");
        symlink(&victim, folder.join(LOCK)).unwrap();
        assert!(NewGeneration::begin(&folder).is_err());
        is_whole();

        let folder = index("embedded");
        let building = NewGeneration::begin(&folder).unwrap();
        let (path, _) = building.partial_vectors_file("model").unwrap();
        fs::remove_file(&path).unwrap();
        symlink(&victim, &path).unwrap();
        assert!(building.partial_vectors_file("model").is_err());
        is_whole();

        let folder = index("building");
        symlink(place.path(), folder.join("building-1")).unwrap();
        symlink(place.path(), folder.join("generation-1")).unwrap();
        NewGeneration::begin(&folder).unwrap().finish().unwrap();
        is_whole();
    }
}
