//! Files that are not part of the repository: large corpora, model weights, material under a licence of its own.

use std::env;
use std::path::PathBuf;

/// The file or folder that the environment variable names, or `None` after saying what is left out.
///
/// A variable that names something absent is a mistake of the caller and panics: a check that was asked for must not
/// pass by doing nothing.
pub fn outside(variable: &str, what: &str) -> Option<PathBuf> {
    let Some(path) = env::var_os(variable).map(PathBuf::from) else {
        eprintln!("left out: {what} (set `{variable}` to run it)");
        return None;
    };
    assert!(path.exists(), "`{variable}` names `{}`, which does not exist", path.display());
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unset_variable_leaves_the_data_out() {
        assert_eq!(outside("PROBARE_A_VARIABLE_THAT_NOBODY_SETS", "a corpus"), None);
    }

    #[test]
    fn a_set_variable_gives_its_path() {
        let manifest = outside("CARGO_MANIFEST_DIR", "this crate").expect("cargo sets it");
        assert!(manifest.join("Cargo.toml").exists());
    }
}
