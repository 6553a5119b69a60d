//! Files that are not part of the repository: large corpora, model weights, material under a licence of its own.

use std::env;
use std::path::{Path, PathBuf};

/// A folder beside the repository in which such material is looked for.
const EXTERNAL_DATA_FOLDER: &str = "../../../shared/data";

/// The file or folder that the environment variable names, or the folder `name` of the material beside the repository,
/// or `None` after saying what is left out.
///
/// A variable that names something absent is a mistake of the caller and panics: a check that was asked for must not
/// pass by doing nothing.
pub fn external_data(variable: &str, name: &str, what: &str) -> Option<PathBuf> {
    if let Some(path) = env::var_os(variable).map(PathBuf::from) {
        assert!(path.exists(), "`{variable}` names `{}`, which does not exist", path.display());
        return Some(path);
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join(EXTERNAL_DATA_FOLDER).join(name);
    if beside.exists() {
        return Some(beside);
    }
    crate::report_skipped(&format!("{what} (set `{variable}` to run it)"));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nowhere_is_left_out() {
        assert_eq!(external_data("PROBARE_A_VARIABLE_THAT_NOBODY_SETS", "no-such-folder", "a corpus"), None);
    }

    #[test]
    fn a_set_variable_gives_its_path() {
        let manifest = external_data("CARGO_MANIFEST_DIR", "no-such-folder", "this crate").expect("cargo sets it");
        assert!(manifest.join("Cargo.toml").exists());
    }
}
