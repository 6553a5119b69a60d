//! The configuration of a project, read from the file that the user names or from the one that is found.

use std::path::Path;

use probare_formats::{CaseFileError, read_whole};

use crate::config::{Config, ConfigError, LARGEST_CONFIG};
use crate::config_trust::check_discovered_config;

/// The file that is read when it stands in the current folder and no other is named.
pub const DEFAULT_NAME: &str = "probare.yaml";

impl Config {
    /// Reads the file that the user names, or `probare.yaml` if it is there, or nothing. A file that was found is a plain file
    /// of this user, and one that asks for more than data is used only if the user trusts it.
    pub fn load(named: Option<&Path>) -> Result<Self, ConfigError> {
        let default = Path::new(DEFAULT_NAME);
        let path = match named {
            Some(path) => path,
            None if default.exists() => check_owner(default)?,
            None => return Ok(Self::default()),
        };
        let shown = path.display().to_string();
        let io = |source| CaseFileError::Io { file: shown.clone(), source };
        let bytes = match named {
            Some(_) => read_whole(&shown, LARGEST_CONFIG)?.0,
            None => probare_files::read_plain(path, LARGEST_CONFIG).map_err(io)?,
        };
        let config = Self::from_bytes(path, bytes.clone())?;
        if named.is_none() {
            check_discovered_config(&config, path, &bytes)?;
        }
        let mut config = config;
        config.resolve_paths();
        Ok(config)
    }
}

/// A configuration that nobody named: that of another user is not read by itself, since it may name programs to run.
#[cfg(unix)]
fn check_owner(path: &Path) -> Result<&Path, ConfigError> {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::geteuid().as_raw();
    match std::fs::metadata(path) {
        Ok(found) if found.uid() != own && found.uid() != 0 => {
            Err(ConfigError::OfAnother { name: path.display().to_string(), owner: found.uid() })
        }
        _ => Ok(path),
    }
}

#[cfg(not(unix))]
fn check_owner(path: &Path) -> Result<&Path, ConfigError> {
    Ok(path)
}
