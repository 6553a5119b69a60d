//! [`UntrustedFile`]: which paths that stand inside a file of somebody else are followed.
//!
//! A manifest names the inputs of its run, a file of cases its images. Whoever wrote the file chose those paths, so following
//! them without a check would let a stranger pick files of this user to be shown, exported or sent.

use std::path::{Component, Path, PathBuf};

use crate::file_digest;

/// A file that may come from anybody, whose paths are looked at.
#[derive(Debug, Clone, Copy)]
pub struct UntrustedFile<'a> {
    /// The folder in which the file lies.
    pub folder: &'a Path,
}

/// A path inside a foreign file is not followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is named inside a file and lies outside of that file's folder, and its content is not the one that the file says (SHA-256)",
    path.display()
)]
pub struct UntrustedPathError {
    pub path: PathBuf,
}

impl<'a> UntrustedFile<'a> {
    /// The rule for paths of the file at `path`.
    pub fn new(path: &'a Path) -> Self {
        Self { folder: path.parent().unwrap_or(Path::new("")) }
    }

    /// Follows a path of the file: wherever it leads if its content has the digest that the file says, otherwise only below the
    /// file's own folder. Nothing of the content is shown or kept before this check.
    pub fn check_path(&self, path: &Path, sha256: Option<&str>) -> Result<(), UntrustedPathError> {
        let has_digest = || {
            let expected = sha256.filter(|digest| digest.len() == 64);
            expected.is_some_and(|expected| file_digest(path).is_ok_and(|found| found.sha256 == expected))
        };
        if is_below(self.folder, path) || has_digest() {
            return Ok(());
        }
        Err(UntrustedPathError { path: path.to_owned() })
    }
}

/// Whether a path leads below a folder once every link is followed. Hidden files and folders do not count as below it: results
/// that were saved in a home folder do not open its `.ssh`.
pub fn is_below(folder: &Path, path: &Path) -> bool {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    let (Ok(folder), Ok(path)) = (folder.canonicalize(), path.canonicalize()) else { return false };
    let Ok(rest) = path.strip_prefix(&folder) else { return false };
    let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
    !rest.components().any(is_hidden)
}

#[cfg(all(test, unix))]
#[allow(clippy::disallowed_methods, reason = "tests make the files that they need")]
mod tests {
    use std::fs;

    use probare_core::Sha256;

    use super::*;

    #[test]
    fn a_path_is_followed_by_its_digest_or_below_the_folder_and_through_no_link_out_of_it() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("kit/.hidden")).unwrap();
        for name in ["secret", "kit/cases", "kit/.hidden/x"] {
            fs::write(at(name), name).unwrap();
        }
        std::os::unix::fs::symlink(at("secret"), at("kit/link")).unwrap();
        std::os::unix::fs::symlink(at("kit/cases"), at("kit/inner")).unwrap();
        let manifest = at("kit/r.jsonl");
        let foreign = UntrustedFile::new(&manifest);
        let digest = Sha256::hex_digest("secret");
        let other = Sha256::hex_digest("other");
        assert!(foreign.check_path(&at("kit/cases"), None).is_ok());
        assert!(foreign.check_path(&at("kit/inner"), Some(&other)).is_ok(), "a link that stays below");
        assert!(foreign.check_path(&at("secret"), Some(&digest)).is_ok(), "the digest is known");
        for refused in ["secret", "kit/link", "kit/../secret", "kit/.hidden/x", "absent"] {
            assert!(foreign.check_path(&at(refused), Some(&other)).is_err(), "{refused}");
            assert!(foreign.check_path(&at(refused), None).is_err(), "{refused}");
            assert!(foreign.check_path(&at(refused), Some("")).is_err(), "{refused}");
        }
    }
}
