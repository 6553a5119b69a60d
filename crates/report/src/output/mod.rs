//! [`Output`]: the one way in which files are created here, so that no half file ever stands under its final name.
//!
//! A file is written under a fresh name beside its target, which nobody else uses and no link can lead astray, and gets
//! its name once it is whole and on the disk. A link in its place is refused, since whoever made it chose what would be
//! overwritten. Until then an older file under that name stays as it was. Of a run that was
//! interrupted, what is there is kept as `NAME.partial` if that name is free. Two runs cannot write to the same target at
//! once: the lock is a file of its own. What is not a regular file (a pipe, a device, standard output) is written
//! directly; when its reader has seen enough, the printing ends and the run goes on.

#![expect(clippy::disallowed_methods, reason = "this is the one place where files are created")]

mod append;
mod digest;
mod lock;
mod overlap;
mod pipe;

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use probare_cancellation::open_to_write;
use probare_core::{FileDigest, Sha256, Stop};

use self::digest::{DigestWriter, SharedDigest};
use self::lock::Lock;
use self::pipe::Pipe;

pub use self::digest::LinesDigest;
pub use self::overlap::{OutputOverlap, refuse_overlap};

/// How the bytes of a report are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// As they are.
    None,
    /// gzip, `.gz`.
    Gzip,
    /// Zstandard, `.zst`.
    Zstd,
}

/// A file, a compressed file, or any other writer.
pub struct OutputWriter {
    /// Nothing once it is finished.
    writer: Option<CompressedWriter>,
    place: OutputTarget,
}

impl std::fmt::Debug for OutputWriter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Output").field("place", &self.place).finish_non_exhaustive()
    }
}

type Raw = BufWriter<Box<dyn Write + Send>>;

enum CompressedWriter {
    Plain(Raw),
    Gzip(GzEncoder<Raw>),
    Zstd(zstd::Encoder<'static, Raw>),
}

#[derive(Debug)]
enum OutputTarget {
    /// A writer without a name.
    Writer,
    /// Written directly.
    Direct(PathBuf),
    /// Written under another name first.
    Renamed(Box<AtomicFile>),
}

#[derive(Debug)]
struct AtomicFile {
    temporary: PathBuf,
    target: PathBuf,
    handle: File,
    digest: SharedDigest,
    /// Held until the file has its name.
    lock: Lock,
}

impl OutputWriter {
    /// Writes to `writer` directly.
    pub fn to_writer(writer: Box<dyn Write + Send>) -> Self {
        Self { writer: Some(CompressedWriter::Plain(BufWriter::new(writer))), place: OutputTarget::Writer }
    }

    /// Writes to standard output. A reader that closes the pipe has seen enough: that is no error.
    pub fn to_stdout() -> Self {
        Self::to_writer(Box::new(Pipe::new(io::stdout())))
    }

    /// Writes to the file `path`, whose folder is made if it is missing.
    pub fn to_file(path: &Path, compression: Compression) -> io::Result<Self> {
        Self::create(path, compression).map_err(|error| with_path(path, &error))
    }

    /// Where what was computed is kept of a run that ended early.
    pub fn partial(path: &Path) -> PathBuf {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        path.with_file_name(name)
    }

    /// Writes a whole file at once.
    pub fn write_file(path: &Path, content: &[u8]) -> io::Result<FileDigest> {
        let mut output = Self::to_file(path, Compression::None)?;
        output.write_all(content)?;
        output.finish(Stop::Complete).map(Option::unwrap_or_default)
    }

    fn create(path: &Path, compression: Compression) -> io::Result<Self> {
        let (writer, place): (Box<dyn Write + Send>, _) = if is_stream(path)? {
            (Box::new(Pipe::new(open_to_write(path)?)), OutputTarget::Direct(path.to_owned()))
        } else {
            let (writer, renamed) = AtomicFile::create(path)?;
            (Box::new(writer), OutputTarget::Renamed(Box::new(renamed)))
        };
        let raw: Raw = BufWriter::with_capacity(1 << 16, writer);
        let packed = match compression {
            Compression::None => CompressedWriter::Plain(raw),
            Compression::Gzip => CompressedWriter::Gzip(GzEncoder::new(raw, flate2::Compression::default())),
            Compression::Zstd => CompressedWriter::Zstd(zstd::Encoder::new(raw, 3)?),
        };
        Ok(Self { writer: Some(packed), place })
    }

    /// The folder in which the report will stand, for temporary files on the same disk.
    pub fn folder(&self) -> PathBuf {
        match &self.place {
            OutputTarget::Renamed(renamed) => folder_of(&renamed.target),
            OutputTarget::Writer | OutputTarget::Direct(_) => std::env::temp_dir(),
        }
    }

    /// The path of the file, where it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            OutputTarget::Writer => None,
            OutputTarget::Direct(path) => Some(path),
            OutputTarget::Renamed(renamed) => Some(&renamed.target),
        }
    }

    /// Leaves the digest of a file that is not packed to the caller, who has the digest of all that is written: [`Self::finish`] then
    /// tells its length alone.
    #[must_use]
    pub(crate) fn without_digest(self) -> Self {
        if let (OutputTarget::Renamed(renamed), Some(CompressedWriter::Plain(_))) = (&self.place, &self.writer) {
            renamed.digest.forget();
        }
        self
    }

    /// Writes what is pending. If the run is complete, a file gets its final name, and what is stored there is told;
    /// otherwise what is there is kept as `NAME.partial` if that name is free. Later calls do nothing.
    pub fn finish(&mut self, stop: Stop) -> io::Result<Option<FileDigest>> {
        let Some(packed) = self.writer.take() else { return Ok(None) };
        let closed = match packed {
            CompressedWriter::Plain(raw) => Ok(raw),
            CompressedWriter::Gzip(encoder) => encoder.finish(),
            CompressedWriter::Zstd(encoder) => encoder.finish(),
        };
        closed
            .and_then(|mut raw| raw.flush())
            .and_then(|()| match &self.place {
                OutputTarget::Renamed(renamed) if stop == Stop::Complete => renamed.complete().map(Some),
                OutputTarget::Renamed(renamed) => renamed.keep_partial().map(|()| None),
                OutputTarget::Writer | OutputTarget::Direct(_) => Ok(None),
            })
            .map_err(|error| self.with_own_path(&error))
    }

    fn with_own_path(&self, error: &io::Error) -> io::Error {
        match self.path() {
            None => io::Error::new(error.kind(), format!("cannot write the report: {error}")),
            Some(path) => with_path(path, error),
        }
    }

    fn inner(&mut self) -> io::Result<&mut dyn Write> {
        match &mut self.writer {
            Some(CompressedWriter::Plain(raw)) => Ok(raw),
            Some(CompressedWriter::Gzip(encoder)) => Ok(encoder),
            Some(CompressedWriter::Zstd(encoder)) => Ok(encoder),
            None => Err(io::Error::other("the report is already finished")),
        }
    }
}

impl Write for OutputWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner()?.write(bytes);
        written.map_err(|error| self.with_own_path(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner()?.flush();
        flushed.map_err(|error| self.with_own_path(&error))
    }
}

impl AtomicFile {
    fn create(path: &Path) -> io::Result<(DigestWriter<File>, Self)> {
        let target = path.to_owned();
        if target.is_dir() {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        let name = target.file_name();
        let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it has no file name"))?;
        let folder = folder_of(&target);
        fs::create_dir_all(&folder)?;
        let stem = stem(name);
        let lock = Lock::take(&folder.join(lock_name(name)))?;
        remove_leftovers(&folder, &stem);
        let (temporary, file) = fresh(&folder, &stem)?;
        if let Ok(old) = fs::metadata(&target) {
            // Whoever could read the old file can read the new one.
            let _ = file.set_permissions(old.permissions());
        }
        let handle = file.try_clone()?;
        let (writer, digest) = DigestWriter::new(file);
        Ok((writer, Self { temporary, target, handle, digest, lock }))
    }

    fn complete(&self) -> io::Result<FileDigest> {
        // The bytes before the name: after a crash the name must not lead to an empty file.
        self.handle.sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        sync_folder(&folder_of(&self.target));
        Ok(self.digest.stored())
    }

    fn keep_partial(&self) -> io::Result<()> {
        let partial = OutputWriter::partial(&self.target);
        // A link never replaces what is there already.
        match fs::hard_link(&self.temporary, &partial) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("what was computed cannot be kept, because `{}` already exists", partial.display()),
            )),
            other => other,
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // Gone already where the file got its name.
        let _ = fs::remove_file(&self.temporary);
        self.lock.release();
    }
}

/// Whether a path leads to what is written directly: a pipe or a device. The system's own links (`/dev/stdout`) lead there
/// whatever they stand for; every other link is refused, also in folders below `/dev` that are open to all (`/dev/shm`).
fn is_stream(path: &Path) -> io::Result<bool> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(false) };
    if !found.is_symlink() {
        return Ok(!found.is_file() && !found.is_dir());
    }
    let folder = fs::canonicalize(folder_of(path))?;
    if folder == Path::new("/dev") || folder.starts_with("/proc") {
        return Ok(true);
    }
    Err(io::Error::other("it is a link, and links are not followed where files are written; name the file itself"))
}

/// A file that is new, under a name that nobody can guess.
fn fresh(folder: &Path, stem: &str) -> io::Result<(PathBuf, File)> {
    let random = RandomState::new();
    let mut number = 0_u64;
    loop {
        let path = folder.join(format!("{stem}-{:016x}", random.hash_one((std::process::id(), number))));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 64 => number += 1,
            other => return other.map(|file| (path, file)),
        }
    }
}

/// Removes what a run that was killed left behind for the same target. The lock says that nobody is writing it.
fn remove_leftovers(folder: &Path, stem: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .and_then(|name| name.strip_prefix(stem)?.strip_prefix('-'))
            .is_some_and(|rest| rest.len() == 16 && rest.bytes().all(|byte| byte.is_ascii_hexdigit()));
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The new name itself on the disk, where the system can do that for folders.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// What names beside a file begin with: short, whatever the length of its name, and the same for the same name.
fn stem(name: &OsStr) -> String {
    format!(".probare-{:.16}", Sha256::hex_digest(name.as_encoded_bytes()))
}

/// The name of a file's lock.
fn lock_name(name: &OsStr) -> String {
    format!("{}.lock", stem(name))
}

fn folder_of(target: &Path) -> PathBuf {
    match target.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn write(path: &Path, compression: Compression, stop: Option<Stop>) {
        let mut output = OutputWriter::to_file(path, compression).unwrap();
        output.write_all(b"new").unwrap();
        if let Some(stop) = stop {
            output.finish(stop).unwrap();
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_a_complete_run_gets_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("made/here");
        let path = inner.join("out.jsonl");
        write(&path, Compression::None, Some(Stop::Complete));
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(&inner), ["out.jsonl"]);

        fs::write(&path, "old").unwrap();
        write(&path, Compression::None, Some(Stop::Interrupted));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read(inner.join("out.jsonl.partial")).unwrap(), b"new");
        write(&path, Compression::None, None);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(&inner), ["out.jsonl", "out.jsonl.partial"]);
    }

    #[test]
    fn a_partial_file_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let partial = folder.path().join("out.jsonl.partial");
        fs::write(&partial, "somebody's").unwrap();
        let mut output = OutputWriter::to_file(&path, Compression::None).unwrap();
        output.write_all(b"new").unwrap();
        let error = output.finish(Stop::Interrupted).unwrap_err().to_string();
        assert!(error.contains("out.jsonl.partial` already exists"), "{error}");
        drop(output);
        assert_eq!(fs::read(&partial).unwrap(), b"somebody's");
        assert_eq!(names(folder.path()), ["out.jsonl.partial"]);
    }

    #[test]
    fn what_a_killed_run_left_behind_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let output = OutputWriter::to_file(&path, Compression::None).unwrap();
        let OutputTarget::Renamed(renamed) = &output.place else {
            panic!("a file is written under another name first")
        };
        let leftover = renamed.temporary.with_file_name(format!(
            "{}0123456789abcdef",
            renamed.temporary.file_name().unwrap().to_str().unwrap().trim_end_matches(|letter| letter != '-')
        ));
        drop(output);
        fs::write(&leftover, "half").unwrap();
        fs::write(folder.path().join(".probare-mine"), "kept").unwrap();
        write(&path, Compression::None, Some(Stop::Complete));
        assert_eq!(names(folder.path()), [".probare-mine", "out.jsonl"]);
    }

    #[test]
    fn what_is_stored_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.gz");
        let mut output = OutputWriter::to_file(&path, Compression::Gzip).unwrap();
        output.write_all(b"new").unwrap();
        let stored = output.finish(Stop::Complete).unwrap().unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(stored, FileDigest { sha256: Sha256::hex_digest(&bytes), bytes: bytes.len() as u64 });
    }

    #[test]
    fn compressed_files_are_closed_properly() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.gz");
        write(&path, Compression::Gzip, Some(Stop::Complete));
        let mut text = String::new();
        flate2::read::GzDecoder::new(File::open(&path).unwrap()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "new");
        let path = folder.path().join("out.zst");
        write(&path, Compression::Zstd, Some(Stop::Complete));
        assert_eq!(zstd::decode_all(File::open(&path).unwrap()).unwrap(), b"new");
    }

    #[test]
    fn two_runs_do_not_share_a_target() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let first = OutputWriter::to_file(&path, Compression::None).unwrap();
        let error = OutputWriter::to_file(&path, Compression::None).unwrap_err().to_string();
        assert!(error.contains("out.csv`: another run is writing it"), "{error}");
        drop(first);
        assert!(OutputWriter::to_file(&path, Compression::None).is_ok());
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = OutputWriter::to_file(folder.path(), Compression::None).unwrap_err().to_string();
        assert!(error.ends_with("it is a folder"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().join("real.csv");
        let link = folder.path().join("link.csv");
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let error = OutputWriter::to_file(&link, Compression::None).unwrap_err().to_string();
        assert!(error.contains("link.csv`: it is a link"), "{error}");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"old");
        // One that leads nowhere yet would create what it names.
        let dangling = folder.path().join("dangling.csv");
        std::os::unix::fs::symlink(folder.path().join("victim.csv"), &dangling).unwrap();
        assert!(OutputWriter::to_file(&dangling, Compression::None).is_err());
        assert!(!folder.path().join("victim.csv").exists());
        // A folder may be a link: it was named by whoever runs this.
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, folder.path().join("here")).unwrap();
        write(&folder.path().join("here/new.csv"), Compression::None, Some(Stop::Complete));
        assert_eq!(fs::read(elsewhere.join("new.csv")).unwrap(), b"new");

        write(Path::new("/dev/null"), Compression::None, Some(Stop::Complete));
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_under_the_name_of_a_partial_file_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim.txt");
        fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, folder.path().join("s.jsonl.partial")).unwrap();
        write(&folder.path().join("s.jsonl"), Compression::None, Some(Stop::Complete));
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
    }
}
