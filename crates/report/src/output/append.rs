//! Lines that are added to a file that only ever grows.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Duration;

use super::lock::{Lock, is_at};
use super::{OutputWriter, folder_of, lock_name, with_path};

/// How often somebody else's line is waited for, and how long each time.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

impl OutputWriter {
    /// Adds one line to a file, which is made with its folder where it is missing. What is there already is never changed: where
    /// the last line was not written to its end, the new one begins on a line of its own. A link in place of the file is refused.
    /// The line is on the disk when this returns.
    pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
        append(path, line).map_err(|error| with_path(path, &error))
    }
}

fn append(path: &Path, line: &str) -> io::Result<()> {
    if line.contains('\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a line holds no line break"));
    }
    let name = path.file_name();
    let name = name.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it has no file name"))?;
    let folder = folder_of(path);
    fs::create_dir_all(&folder)?;
    let mut lock = wait_for_lock(&folder.join(lock_name(name)))?;
    let written = open_to_append(path).and_then(|mut file| {
        let mut text = Vec::with_capacity(line.len() + 2);
        if is_torn(&mut file)? {
            text.push(b'\n');
        }
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
        file.seek(SeekFrom::End(0))?;
        file.write_all(&text)?;
        file.sync_data()
    });
    lock.release();
    written
}

/// The lock, once whoever has it is done: a line takes a moment.
fn wait_for_lock(path: &Path) -> io::Result<Lock> {
    for _ in 1..TRIES {
        match Lock::take(path) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => std::thread::sleep(PAUSE),
            other => return other,
        }
    }
    Lock::take(path)
}

/// The file itself, new or as it is; what a link leads to is not touched.
fn open_to_append(path: &Path) -> io::Result<File> {
    match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        other => return other,
    }
    let kind = fs::symlink_metadata(path)?.file_type();
    if kind.is_symlink() {
        return Err(io::Error::other(
            "it is a link, and links are not followed where files are written; name the file itself",
        ));
    }
    if !kind.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    // Put there between the look and the opening.
    if is_at(&file, path) { Ok(file) } else { Err(io::Error::other("another file came in its place")) }
}

/// Whether the last line has no end.
fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_and_nothing_before_them_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made/lines.jsonl");
        OutputWriter::append_line(&path, "a").unwrap();
        OutputWriter::append_line(&path, "b").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\nb\n");
        fs::write(&path, "a\n{\"torn").unwrap();
        OutputWriter::append_line(&path, "c").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\n{\"torn\nc\n");
        assert!(OutputWriter::append_line(&path, "two\nlines").is_err());
        let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), 1, "the lock is gone");
    }

    #[test]
    fn many_at_once_lose_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..10 {
                        OutputWriter::append_line(path, &format!("{writer} {number}")).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 40);
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_refused_and_what_it_leads_to_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (precious, path) = (folder.path().join("precious"), folder.path().join("lines.jsonl"));
        fs::write(&precious, "mine").unwrap();
        std::os::unix::fs::symlink(&precious, &path).unwrap();
        let error = OutputWriter::append_line(&path, "a").unwrap_err().to_string();
        assert!(error.contains("links are not followed"), "{error}");
        assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
        let nowhere = folder.path().join("nowhere.jsonl");
        std::os::unix::fs::symlink(folder.path().join("new"), &nowhere).unwrap();
        assert!(OutputWriter::append_line(&nowhere, "a").is_err());
        assert!(!folder.path().join("new").exists());
        assert!(OutputWriter::append_line(folder.path(), "a").is_err(), "a folder");
    }
}
