//! [`TrustedConfigs`]: configurations that this user read and trusts, by the digest of where they are and what they say.

use std::io;
use std::path::{Path, PathBuf};

use probare_core::Sha256;

use crate::owner::replace;
use crate::{config_folder, read_plain_text};

/// Most bytes of the list.
const LARGEST_LIST: u64 = 16 << 20;

/// The list in the configuration folder: one line `SHA-256  path` each.
#[derive(Debug)]
pub struct TrustedConfigs {
    file: Option<PathBuf>,
}

impl Default for TrustedConfigs {
    fn default() -> Self {
        Self { file: config_folder().map(|folder| folder.join("trusted")) }
    }
}

impl TrustedConfigs {
    /// Whether this user trusts a configuration with this content in this place.
    pub fn contains(&self, config: &Path, content: &[u8]) -> bool {
        let known = config_digest(config, content);
        self.lines().iter().any(|line| line.split_whitespace().next() == Some(known.as_str()))
    }

    /// Adds a configuration; an earlier content of the same file is forgotten.
    pub fn add(&self, config: &Path, content: &[u8]) -> io::Result<()> {
        let mut lines = self.lines_without(config);
        lines.push(format!("{}  {}", config_digest(config, content), listed_path(config)));
        self.write(&lines)
    }

    /// Forgets a configuration; says whether it was known.
    pub fn remove(&self, config: &Path) -> io::Result<bool> {
        let (before, lines) = (self.lines().len(), self.lines_without(config));
        self.write(&lines)?;
        Ok(lines.len() < before)
    }

    /// The paths of the list.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.lines().iter().filter_map(|line| line.split_once("  ")).map(|(_, path)| PathBuf::from(path)).collect()
    }

    fn lines(&self) -> Vec<String> {
        let text = self.file.as_deref().and_then(|file| read_plain_text(file, LARGEST_LIST).ok()).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn lines_without(&self, config: &Path) -> Vec<String> {
        let path = listed_path(config);
        let mut lines = self.lines();
        lines.retain(|line| line.split_once("  ").is_none_or(|(_, known)| known != path));
        lines
    }

    fn write(&self, lines: &[String]) -> io::Result<()> {
        let none = || io::Error::other("no folder for configurations is known (HOME and XDG_CONFIG_HOME are not set)");
        let mut text = lines.join("\n");
        text.push('\n');
        replace(self.file.as_deref().ok_or_else(none)?, text.as_bytes())
    }
}

/// The path as the list has it. A folder whose name holds a line break would otherwise bring a line of its own, and with it the
/// digest of another configuration.
fn listed_path(config: &Path) -> String {
    let path = canonical_path(config).display().to_string();
    path.chars().map(|character| if character.is_control() { char::REPLACEMENT_CHARACTER } else { character }).collect()
}

fn canonical_path(config: &Path) -> PathBuf {
    config.canonicalize().unwrap_or_else(|_| config.to_owned())
}

/// What a configuration is known by. Its place belongs to it: the programs that it names lie beside it.
fn config_digest(config: &Path, content: &[u8]) -> String {
    let mut digest = Sha256::default();
    digest.update(b"probare configuration\n");
    let place = canonical_path(config);
    let place = place.as_os_str().as_encoded_bytes();
    digest.update((place.len() as u64).to_le_bytes());
    digest.update(place);
    digest.update(content);
    digest.hex()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests make the files that they need")]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_trusted_in_its_place_and_with_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let list = TrustedConfigs { file: Some(folder.path().join("probare/trusted")) };
        let (one, other) = (folder.path().join("a b.yaml"), folder.path().join("b.yaml"));
        assert!(!list.contains(&one, b"x"));
        list.add(&one, b"x").unwrap();
        assert!(list.contains(&one, b"x") && !list.contains(&one, b"y") && !list.contains(&other, b"x"));
        list.add(&one, b"y").unwrap();
        assert!(list.contains(&one, b"y") && !list.contains(&one, b"x"));
        assert_eq!(list.paths(), std::slice::from_ref(&one));
        assert!(list.remove(&one).unwrap() && !list.remove(&one).unwrap());
        assert!(!list.contains(&one, b"y"));
    }

    #[test]
    fn the_name_of_a_folder_adds_no_line_to_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let list = TrustedConfigs { file: Some(folder.path().join("probare/trusted")) };
        let other = folder.path().join("b.yaml");
        let forged = folder.path().join(format!("a\n{}  b", config_digest(&other, b"x")));
        list.add(&forged, b"x").unwrap();
        assert!(list.contains(&forged, b"x") && !list.contains(&other, b"x"));
        assert!(list.remove(&forged).unwrap());
    }
}
