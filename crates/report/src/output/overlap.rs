//! [`refuse_overlap`]: no output may be an input, and none may be written twice.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// An output that cannot be written without destroying something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OutputOverlap(String);

fn alias_note(one: &Path, other: &Path) -> String {
    if one == other { String::new() } else { format!(" (as `{}`)", other.display()) }
}

/// Fails when an output is an input or another output, by whatever names and links. Called before anything is opened.
pub fn refuse_overlap(inputs: &[PathBuf], outputs: &[PathBuf]) -> Result<(), OutputOverlap> {
    let read: BTreeMap<FileIdentity, &PathBuf> =
        inputs.iter().filter_map(|input| Some((FileIdentity::for_path(input)?, input))).collect();
    let mut written: BTreeMap<FileIdentity, &PathBuf> = BTreeMap::new();
    for output in outputs {
        let Some(identity) = FileIdentity::for_path(output) else { continue };
        if let Some(input) = read.get(&identity) {
            let alias = alias_note(output, input);
            return Err(OutputOverlap(format!(
                "`{}` would be overwritten, but it is an input{alias}",
                output.display()
            )));
        }
        if let Some(other) = written.insert(identity, output) {
            let alias = alias_note(output, other);
            return Err(OutputOverlap(format!("`{}` would be written twice{alias}", output.display())));
        }
    }
    Ok(())
}

/// What makes a file the same file under all its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum FileIdentity {
    /// Device and number of a file that exists.
    Exists(u64, u64),
    /// Where a file will be that does not exist yet.
    Will(PathBuf),
}

impl FileIdentity {
    /// Nothing for what is no regular file: pipes and devices can be read and written at once.
    fn for_path(path: &Path) -> Option<Self> {
        if path == Path::new("-") {
            return None;
        }
        match fs::metadata(path) {
            Ok(found) if !found.is_file() => None,
            Ok(found) => Some(existing(&found, path)),
            Err(_) => {
                let folder = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
                // The nearest folder that exists, with what is still to be made behind it.
                let mut rest = PathBuf::from(path.file_name()?);
                let mut folder = folder;
                loop {
                    if let Ok(known) = fs::canonicalize(folder) {
                        return Some(Self::Will(known.join(rest)));
                    }
                    rest = Path::new(folder.file_name()?).join(rest);
                    folder = folder.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
                }
            }
        }
    }
}

#[cfg(unix)]
fn existing(found: &fs::Metadata, _: &Path) -> FileIdentity {
    use std::os::unix::fs::MetadataExt as _;
    FileIdentity::Exists(found.dev(), found.ino())
}

#[cfg(not(unix))]
fn existing(_: &fs::Metadata, path: &Path) -> FileIdentity {
    FileIdentity::Will(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_same_file_is_known_under_every_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("in.jsonl"), "x").unwrap();
        fs::hard_link(at("in.jsonl"), at("hard.jsonl")).unwrap();
        std::os::unix::fs::symlink(at("in.jsonl"), at("soft.jsonl")).unwrap();
        for name in ["in.jsonl", "hard.jsonl", "soft.jsonl", "sub/../in.jsonl"] {
            fs::create_dir_all(at("sub")).unwrap();
            let error = refuse_overlap(&[at("in.jsonl")], &[at("other"), at(name)]).unwrap_err();
            assert!(error.to_string().contains("it is an input"), "{name}: {error}");
        }
        assert_eq!(refuse_overlap(&[at("in.jsonl")], &[at("out.jsonl"), at("new/out.jsonl")]), Ok(()));
    }

    #[test]
    fn no_output_is_written_twice() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink(folder.path(), at("here")).unwrap();
        let error = refuse_overlap(&[], &[at("r.html"), at("here/r.html")]).unwrap_err();
        assert!(error.to_string().contains("would be written twice"), "{error}");
        assert_eq!(refuse_overlap(&[], &["/dev/null".into(), "/dev/null".into(), "-".into(), "-".into()]), Ok(()));
    }
}
