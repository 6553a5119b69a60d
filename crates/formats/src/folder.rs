//! [`files_below`]: the files of a folder and of the folders in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Paths of all files below a folder whose extension, in small letters, is wanted; sorted. Links to folders are not
/// followed, since they may lead in a circle. Files and folders whose name starts with a dot are passed over. An error names
/// the folder that could not be read.
pub fn files_below(
    folder: &Path,
    is_wanted: &mut dyn FnMut(&Path, &str) -> bool,
) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut found = Vec::new();
    collect(folder, is_wanted, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(
    folder: &Path,
    is_wanted: &mut dyn FnMut(&Path, &str) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<(), (PathBuf, io::Error)> {
    let failed = |error| (folder.to_owned(), error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            collect(&path, is_wanted, found)?;
        } else if path.is_file() {
            let extension = path.extension().map(|part| part.to_string_lossy().to_ascii_lowercase());
            if is_wanted(&path, extension.as_deref().unwrap_or_default()) {
                found.push(path);
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_sorted_from_all_folders_but_hidden_ones() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a/c.TXT", "a/d.bin", ".hidden.txt", ".git/e.txt"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let found = files_below(folder.path(), &mut |_, extension| extension == "txt").unwrap();
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(folder.path()).unwrap().to_owned()).collect();
        assert_eq!(names, [PathBuf::from("a/c.TXT"), PathBuf::from("b.txt")]);
        assert_eq!(
            files_below(&folder.path().join("none"), &mut |_, _| true).unwrap_err().0,
            folder.path().join("none")
        );
    }
}
