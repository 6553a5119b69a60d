//! Opening a file of `SQLite` by its own name: a link in its place is refused, since whoever made it chose what would be
//! written to. Several processes may begin the same file at the same moment. Whatever such a file holds, a signal ends the wait
//! for it ([`guard_connection`]).

use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use probare_cancellation::should_stop;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// Opens the file, or makes it where its folder is there. The folder may be reached through links, the file may be none.
pub fn open_without_links(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut connection = match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => Connection::open_with_flags(folder.join(name), flags)?,
        // What is wrong with such a path is for the system to say.
        _ => Connection::open_with_flags(path, flags)?,
    };
    guard_connection(&mut connection)?;
    Ok(connection)
}

/// A file beside the file, as `SQLite` names it.
fn path_beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The journal beside a file, which holds what the file does not have yet.
pub fn journal_path(path: &Path) -> PathBuf {
    path_beside(path, "-wal")
}

/// Fails where the file, or what `SQLite` keeps beside it, is no plain file: a pipe in its place would be waited for. Which one it
/// is comes with the error.
pub fn ensure_plain_database(path: &Path) -> Result<(), (PathBuf, io::Error)> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let path = path_beside(path, suffix);
        probare_files::ensure_plain(&path).map_err(|error| (path, error))?;
    }
    Ok(())
}

/// Opens a file that nobody changes, for reading alone: nothing is made beside it, and no lock is taken.
pub fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            address.push(char::from(*byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    let mut connection = Connection::open_with_flags(address + "?immutable=1", flags)?;
    guard_connection(&mut connection)?;
    Ok(connection)
}

/// Operations of a statement after which it is asked whether anybody still waits: some tens of milliseconds. What a run keeps at
/// its end takes far fewer.
const BETWEEN_LOOKS: i32 = 1_000_000;

/// How long a lock is waited for: another process may hold the file for as long as its disk takes.
const LOCK_TIME: Duration = Duration::from_mins(1);

/// How long it is waited for after a signal, so that what is finished can be kept.
const LOCK_TIME_AT_END: Duration = Duration::from_secs(2);

const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Makes a connection safe to use on a file that somebody else may have made: its schema can call no function with effects, a
/// statement without end stops when nobody waits any more, and so does waiting for a lock.
pub fn guard_connection(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.busy_handler(Some(wait_for_lock))?;
    connection.progress_handler(BETWEEN_LOOKS, Some(should_stop))
}

/// Waits a little for a lock; false where it was long enough.
fn wait_for_lock(tries: i32) -> bool {
    let longest = if should_stop() { LOCK_TIME_AT_END } else { LOCK_TIME };
    let is_waiting = LOCK_PAUSE * u32::try_from(tries).unwrap_or_default() < longest;
    if is_waiting {
        sleep(LOCK_PAUSE);
    }
    is_waiting
}

/// Gives the file a journal that readers need not wait for. Where somebody else does so in the same moment `SQLite` refuses at
/// once, whatever its time limit is: two that hold a lock cannot both wait for the other. So it is tried again here.
pub fn enable_wal(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline
                    && !should_stop() =>
            {
                sleep(Duration::from_millis(2));
            }
            ended => return ended,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use probare_cancellation::Cancellation;

    use super::*;

    #[test]
    fn a_statement_without_end_stops_when_nobody_waits() {
        let place = tempfile::tempdir().unwrap();
        let connection = open_without_links(&place.path().join("a.db")).unwrap();
        let cancellation = Cancellation::default();
        cancellation.cancel();
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
        let ended = cancellation.run(|| connection.query_row(endless, [], |row| row.get::<_, i64>(0))).unwrap();
        assert_eq!(ended.unwrap_err().sqlite_error_code(), Some(ErrorCode::OperationInterrupted));
        let few = cancellation.run(|| connection.query_row("SELECT 1", [], |row| row.get::<_, i64>(0))).unwrap();
        assert_eq!(few.unwrap(), 1, "what is finished can still be kept");
    }

    #[test]
    fn a_link_is_not_followed_and_a_folder_behind_one_is() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        std::fs::create_dir(at("real")).unwrap();
        std::os::unix::fs::symlink(at("real"), at("folder")).unwrap();
        let connection = open_without_links(&at("folder/a.db")).unwrap();
        connection.execute("CREATE TABLE t (x)", []).unwrap();
        assert!(at("real/a.db").exists());
        std::os::unix::fs::symlink(at("victim"), at("b.db")).unwrap();
        assert!(open_without_links(&at("b.db")).is_err());
        assert!(!at("victim").exists());
    }
}
