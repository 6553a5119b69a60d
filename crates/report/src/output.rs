//! [`Output`]: where a report goes, so that no half report ever stands under its final name.
//!
//! A report is written to `NAME.partial` beside its target and renamed once the run is complete. A run that was
//! interrupted or ended early leaves what it has under `NAME.partial`, closed properly, and an older report under the
//! final name stays as it was. Two runs cannot write to the same target at once. What is not a regular file (a pipe, a
//! device, standard output) is written directly.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use probare_core::Stop;

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
pub struct Output {
    /// Nothing once it is finished.
    writer: Option<Packed>,
    place: Place,
}

impl std::fmt::Debug for Output {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Output").field("place", &self.place).finish_non_exhaustive()
    }
}

type Raw = BufWriter<Box<dyn Write + Send>>;

enum Packed {
    Plain(Raw),
    Gzip(GzEncoder<Raw>),
    Zstd(zstd::Encoder<'static, Raw>),
}

#[derive(Debug)]
enum Place {
    /// A writer without a name.
    Writer,
    /// Written directly.
    Direct(PathBuf),
    /// Written under another name first. The handle keeps the lock and syncs at the end.
    Renamed { partial: PathBuf, target: PathBuf, handle: File },
}

impl Output {
    /// Writes to `writer` directly.
    pub fn to_writer(writer: Box<dyn Write + Send>) -> Self {
        Self { writer: Some(Packed::Plain(BufWriter::new(writer))), place: Place::Writer }
    }

    /// Writes to the file `path`, whose folder is made if it is missing.
    pub fn to_file(path: &Path, compression: Compression) -> io::Result<Self> {
        Self::create(path, compression).map_err(|error| named(path, &error))
    }

    fn create(path: &Path, compression: Compression) -> io::Result<Self> {
        let special = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        let (file, place) = if special {
            (OpenOptions::new().write(true).open(path)?, Place::Direct(path.to_owned()))
        } else {
            // Behind a link the file itself is replaced and the link stays.
            let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            if target.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
            }
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)?;
            }
            let partial = partial_name(&target)?;
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(&partial)?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "another run is writing it"));
            }
            // Only now, so that a refused second run does not empty the file of the first.
            file.set_len(0)?;
            let handle = file.try_clone()?;
            (file, Place::Renamed { partial, target, handle })
        };
        let raw: Raw = BufWriter::with_capacity(1 << 16, Box::new(file));
        let packed = match compression {
            Compression::None => Packed::Plain(raw),
            Compression::Gzip => Packed::Gzip(GzEncoder::new(raw, flate2::Compression::default())),
            Compression::Zstd => Packed::Zstd(zstd::Encoder::new(raw, 3)?),
        };
        Ok(Self { writer: Some(packed), place })
    }

    /// The folder in which the report will stand, for temporary files on the same disk.
    pub(crate) fn folder(&self) -> PathBuf {
        match &self.place {
            Place::Renamed { target, .. } => target.parent().map_or_else(|| PathBuf::from("."), Path::to_owned),
            Place::Writer | Place::Direct(_) => std::env::temp_dir(),
        }
    }

    /// Writes what is pending, and gives the file its final name if the run is complete. Later calls do nothing.
    pub fn finish(&mut self, stop: Stop) -> io::Result<()> {
        let Some(packed) = self.writer.take() else { return Ok(()) };
        let closed = match packed {
            Packed::Plain(raw) => Ok(raw),
            Packed::Gzip(encoder) => encoder.finish(),
            Packed::Zstd(encoder) => encoder.finish(),
        };
        closed
            .and_then(|mut raw| raw.flush())
            .and_then(|()| match &self.place {
                Place::Renamed { partial, target, handle } if stop == Stop::Complete => {
                    // The bytes before the name: after a crash the name must not lead to an empty file.
                    handle.sync_all()?;
                    fs::rename(partial, target)
                }
                _ => Ok(()),
            })
            .map_err(|error| self.named(&error))
    }

    fn named(&self, error: &io::Error) -> io::Error {
        match &self.place {
            Place::Writer => io::Error::new(error.kind(), format!("cannot write the report: {error}")),
            Place::Direct(path) | Place::Renamed { target: path, .. } => named(path, error),
        }
    }

    fn inner(&mut self) -> io::Result<&mut dyn Write> {
        match &mut self.writer {
            Some(Packed::Plain(raw)) => Ok(raw),
            Some(Packed::Gzip(encoder)) => Ok(encoder),
            Some(Packed::Zstd(encoder)) => Ok(encoder),
            None => Err(io::Error::other("the report is already finished")),
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner()?.write(bytes);
        written.map_err(|error| self.named(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner()?.flush();
        flushed.map_err(|error| self.named(&error))
    }
}

/// The name under which a report is written until it is complete.
fn partial_name(target: &Path) -> io::Result<PathBuf> {
    let mut name = target
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it has no file name"))?
        .to_owned();
    name.push(".partial");
    Ok(target.with_file_name(name))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write `{}`: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn write(path: &Path, compression: Compression, stop: Option<Stop>) {
        let mut output = Output::to_file(path, compression).unwrap();
        output.write_all(b"new").unwrap();
        if let Some(stop) = stop {
            output.finish(stop).unwrap();
        }
    }

    #[test]
    fn only_a_complete_run_gets_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/here/out.jsonl");
        let partial = folder.path().join("made/here/out.jsonl.partial");
        write(&path, Compression::None, Some(Stop::Complete));
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(!partial.exists());

        fs::write(&path, "old").unwrap();
        write(&path, Compression::None, Some(Stop::Interrupted));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read(&partial).unwrap(), b"new");
        write(&path, Compression::None, None);
        assert_eq!(fs::read(&path).unwrap(), b"old");
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
        let _first = Output::to_file(&path, Compression::None).unwrap();
        let error = Output::to_file(&path, Compression::None).unwrap_err().to_string();
        assert!(error.contains("out.csv`: another run is writing it"), "{error}");
    }

    #[test]
    fn a_folder_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let error = Output::to_file(folder.path(), Compression::None).unwrap_err().to_string();
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
        write(&link, Compression::None, Some(Stop::Complete));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");

        write(Path::new("/dev/null"), Compression::None, Some(Stop::Complete));
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert!(!Path::new("/dev/null.partial").exists());
    }
}
