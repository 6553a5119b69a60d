//! Files that never replace others.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use probare_core::Stop;
use probare_report::{Compression, Output};

/// A file that was written.
pub type Written = PathBuf;

/// `results_20240131_120000.json` in `folder`, with a number behind where that exists already.
pub fn stamped(folder: &Path, stamp: &str, extension: &str) -> PathBuf {
    let name = |number: usize| match number {
        1 => format!("results_{stamp}.{extension}"),
        _ => format!("results_{stamp}_{number}.{extension}"),
    };
    let mut number = 1;
    while folder.join(name(number)).exists() {
        number += 1;
    }
    folder.join(name(number))
}

/// Writes a file that appears under its name when it is complete.
pub fn write_new(path: PathBuf, content: &str) -> io::Result<Written> {
    let mut output = Output::to_file(&path, Compression::None)?;
    output.write_all(content.as_bytes())?;
    output.finish(Stop::Complete)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let first = write_new(stamped(folder.path(), "20240131_120000", "json"), "1").unwrap();
        let second = write_new(stamped(folder.path(), "20240131_120000", "json"), "2").unwrap();
        assert_ne!(first, second);
        assert_eq!(std::fs::read_to_string(first).unwrap(), "1");
        assert!(second.ends_with("results_20240131_120000_2.json"));
    }
}
