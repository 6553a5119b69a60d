//! Names of files that never replace others.

use std::path::{Path, PathBuf};

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

#[cfg(test)]
mod tests {
    use probare_report::OutputWriter;

    use super::*;

    #[test]
    fn results_are_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let first = stamped(folder.path(), "20240131_120000", "json");
        OutputWriter::write_file(&first, b"1").unwrap();
        let second = stamped(folder.path(), "20240131_120000", "json");
        assert_ne!(first, second);
        assert!(second.ends_with("results_20240131_120000_2.json"));
    }
}
