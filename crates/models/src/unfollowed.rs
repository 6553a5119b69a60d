//! Opening a file of `SQLite` by its own name: a link in its place is refused, since whoever made it chose what would be
//! written to. Several processes may begin the same file at the same moment.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

/// Opens the file, or makes it where its folder is there. The folder may be reached through links, the file may be none.
pub fn open_unfollowed(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => Connection::open_with_flags(folder.join(name), flags),
        // What is wrong with such a path is for the system to say.
        _ => Connection::open_with_flags(path, flags),
    }
}

/// Gives the file a journal that readers need not wait for. Where somebody else does so in the same moment `SQLite` refuses at
/// once, whatever its time limit is: two that hold a lock cannot both wait for the other. So it is tried again here.
pub fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let patience = Instant::now() + Duration::from_mins(1);
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < patience => {
                sleep(Duration::from_millis(2));
            }
            ended => return ended,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_not_followed_and_a_folder_behind_one_is() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        std::fs::create_dir(at("real")).unwrap();
        std::os::unix::fs::symlink(at("real"), at("folder")).unwrap();
        let connection = open_unfollowed(&at("folder/a.db")).unwrap();
        connection.execute("CREATE TABLE t (x)", []).unwrap();
        assert!(at("real/a.db").exists());
        std::os::unix::fs::symlink(at("victim"), at("b.db")).unwrap();
        assert!(open_unfollowed(&at("b.db")).is_err());
        assert!(!at("victim").exists());
    }
}
