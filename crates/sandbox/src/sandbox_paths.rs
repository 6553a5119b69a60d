//! [`SandboxPaths`]: where a sandbox has what is ours, under a name that nothing else on the machine has.
//!
//! Folders of the machine are shown at their own paths. Were one of them below a folder of ours, ours would cover it, and an
//! interpreter that is covered looks like a program that fails.

use std::path::Path;

/// The names of our own in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SandboxPaths {
    root: String,
}

/// Memory that a program may fill with files, beside its own folder.
pub(crate) const SCRATCH: [&str; 2] = ["/tmp", "/dev/shm"];

impl SandboxPaths {
    /// The first of our names that the machine does not have.
    pub(crate) fn find_free() -> Self {
        Self::first_free(|path| path.symlink_metadata().is_ok())
    }

    fn first_free(is_taken: impl Fn(&Path) -> bool) -> Self {
        let mut root = "/probare-sandbox".to_owned();
        let mut number = 1_u32;
        while is_taken(Path::new(&root)) {
            number += 1;
            root = format!("/probare-sandbox-{number}");
        }
        Self { root }
    }

    /// Folder of the steps.
    pub(crate) fn work(&self) -> String {
        format!("{}/work", self.root)
    }

    /// Folder of what steps read from standard input.
    pub(crate) fn inputs(&self) -> String {
        format!("{}/inputs", self.root)
    }

    /// The script of the first process.
    pub(crate) fn script(&self) -> String {
        format!("{}/start", self.root)
    }

    /// Folder of the folders that are copied for the program.
    pub(crate) fn copied_folders(&self) -> String {
        format!("{}/given", self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_is_not_ours() {
        assert_eq!(SandboxPaths::first_free(|_| false).work(), "/probare-sandbox/work");
        let taken = ["/probare-sandbox", "/probare-sandbox-2"];
        let places = SandboxPaths::first_free(|path| taken.iter().any(|name| path == Path::new(name)));
        assert_eq!(places.script(), "/probare-sandbox-3/start");
    }
}
